"""The unchanged Mem0 client for Node, directly at the real Mem0 and through the data plane."""

import asyncio
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

from proxy.clock import FrozenClock
from tests.support.gateway import Plane, data_plane
from tests.support.ledger import START
from tests.support.mem0_store import RunningStore

HERE = Path(__file__).parent / "npm"
INSTALL = ("npm", "ci", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund")
PLAIN = "The green kettle stands in the middle."
PERSONAL = "Write to alva.brenn@example.org about the green kettle."
OWNER = "npm-owner"
Steps = dict[str, dict[str, Any]]

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?")


@pytest.fixture(scope="module")
def installed() -> Path:
    """The client as its lock file names it, installed once for all runs."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("Node and npm are not installed")
    lock = (HERE / "package-lock.json").read_bytes()
    name = f"expunge-npm-{hashlib.sha256(lock).hexdigest()[:16]}"
    folder = Path(tempfile.gettempdir()) / name
    if not (folder / "node_modules" / "mem0ai").exists():
        folder.mkdir(mode=0o700, exist_ok=True)
        for part in ("package.json", "package-lock.json"):
            shutil.copy(HERE / part, folder / part)
        done = subprocess.run(INSTALL, cwd=folder, capture_output=True, text=True, timeout=240)
        if done.returncode != 0:
            pytest.skip("the npm registry does not give the client out")
    return folder


async def converse(folder: Path, url: str, key: str, text: str) -> Steps:
    """What each call of the client gave."""
    environment = os.environ | {
        "MEM0_TELEMETRY": "false", "NPM_FOLDER": str(folder), "STORE_URL": url, "STORE_KEY": key,
        "OWNER": OWNER, "TEXT": text, "NO_PROXY": "127.0.0.1",
    }  # fmt: skip
    node = await asyncio.create_subprocess_exec(
        "node", str(HERE / "conversation.mjs"), env=environment,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await asyncio.wait_for(node.communicate(), 120)
    assert node.returncode == 0, err.decode()
    return dict(json.loads(line) for line in out.splitlines())


@pytest.fixture
async def plane(store: RunningStore, tmp_path: Path, sqlite_template: Path) -> Any:
    """The data plane in front of the real Mem0."""
    async with data_plane(
        tmp_path / "plane", store.url, store.api_key, sqlite_template, FrozenClock(START)
    ) as found:
        yield found


# A refusal of ours has the kind of the store's and its own words.
CHANGED = ("search without an owner",)


def alike(steps: Steps, url: str) -> Any:
    """Outcomes without what differs between any two runs: ids by order, moments, other owners."""
    users = steps["users"]["result"]
    mine = [owner for owner in users["results"] if owner["name"] == OWNER]
    shown = [{k: v for k, v in each.items() if k != "id"} for each in mine]
    steps = steps | {"users": {"result": users | {"results": shown}}}
    text = json.dumps(steps).replace(url, "")
    numbers: dict[str, str] = {}
    text = _ID.sub(lambda found: numbers.setdefault(found[0], f"id-{len(numbers)}"), text)
    found = json.loads(_MOMENT.sub("moment", text), parse_float=lambda each: round(float(each), 9))
    found["users"]["result"] = found["users"]["result"]["results"]  # others are counted beside
    return {name: _comparable(name, outcome) for name, outcome in found.items()}


def _comparable(name: str, outcome: dict[str, Any]) -> Any:
    """A body inside an error's message as a body; of what policy words otherwise only the kind."""
    if name in CHANGED:
        return outcome.get("error", sorted(outcome))
    if outcome.get("message", "").startswith("{"):
        return outcome | {"message": json.loads(outcome["message"])}
    return outcome


async def test_the_node_client_sees_the_same(
    installed: Path, store: RunningStore, plane: Plane
) -> None:
    """Where policy is silent every call gives through the proxy what it gives without."""
    direct = await converse(installed, store.url, store.api_key, PLAIN)
    through = await converse(installed, plane.url, plane.keys["acme"], PLAIN)
    assert len(direct) == 24
    assert alike(through, plane.url) == alike(direct, store.url)


async def test_the_node_client_reads_back_what_the_store_never_saw(
    installed: Path, store: RunningStore, plane: Plane
) -> None:
    """An address is written, found and read as ever, and is nowhere in the store's files."""
    steps = await converse(installed, plane.url, plane.keys["acme"], PERSONAL)
    assert steps["get"]["result"]["memory"] == PERSONAL
    assert steps["search, a clear word"]["result"]["results"][0]["memory"] == PERSONAL
    assert steps["get the deleted"]["error"] == "MemoryNotFoundError"
    assert steps["getAll after all"]["result"]["count"] == 0
    files = [path for path in store.directory.rglob("*") if path.is_file()]
    assert files
    assert not any(b"alva.brenn" in path.read_bytes() for path in files)


@pytest.fixture
async def over(store: RunningStore, tmp_path: Path, sqlite_template: Path) -> Any:
    """The platform's dialect in front of the open-source server's routes of the same store."""
    async with data_plane(
        tmp_path / "over", store.url, store.api_key, sqlite_template, FrozenClock(START),
        profiles=("mem0-oss", "mem0-platform-over-oss"),
    ) as found:  # fmt: skip
        yield found


def common(value: Any) -> Any:
    """What both kinds of store say: texts, owners, numbers, errors."""
    if isinstance(value, list):
        return [common(each) for each in value]
    if not isinstance(value, dict):
        return value
    kept = ("memory", "userId", "metadata", "count", "results", "error", "newMemory", "oldMemory",
            "event", "name", "type", "result", "data")  # fmt: skip
    return {key: common(part) for key, part in value.items() if key in kept}


async def test_the_node_client_works_over_the_open_source_server(
    installed: Path, store: RunningStore, over: Plane
) -> None:
    """Every call gives what it gives at the platform's routes, by the other routes."""
    direct = await converse(installed, store.url, store.api_key, PLAIN)
    through = await converse(installed, over.url, over.keys["acme"], PLAIN)
    seen, wanted = alike(through, over.url), alike(direct, store.url)
    assert {name: common(each) for name, each in seen.items()} == {
        name: common(each) for name, each in wanted.items()
    }


CURL: list[Any] = [
    pytest.param("GET", "/v1/ping/", "", id="ping"),
    pytest.param("POST", "/v3/memories/", '{"filters":{"user_id":"curl-1"}}', id="list"),
    pytest.param("POST", "/v3/memories/search/",
                 '{"query":"kettle","filters":{"user_id":"curl-1"},"top_k":3}', id="search"),
    pytest.param("GET", "/v1/memories/00000000-0000-4000-8000-000000000000/", "", id="absent"),
    pytest.param("POST", "/search", '{"query":"kettle","filters":{"user_id":"curl-1"}}',
                 id="open-source-search"),
    pytest.param("GET", "/memories?user_id=curl-1", "", id="open-source-list"),
]  # fmt: skip


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize(("method", "path", "body"), CURL)
async def test_curl_sees_the_same(
    store: RunningStore, plane: Plane, method: str, path: str, body: str
) -> None:
    """Status, type and body of a bare request, without the proxy and through it."""
    seen = []
    for url, key in ((store.url, store.api_key), (plane.url, plane.keys["acme"])):
        form = '{"messages":[{"role":"user","content":"A kettle."}],"user_id":"curl-1",'
        await curl(url, key, "POST", "/v3/memories/add/", form + '"infer":false}')
        seen.append(await curl(url, key, method, path, body))
        await curl(url, key, "DELETE", "/v1/memories/?user_id=curl-1", "")
    assert seen[1] == seen[0]


async def curl(url: str, key: str, method: str, path: str, body: str) -> tuple[str, Any]:
    """Status and type, and the body without ids and moments."""
    sent = ["-d", body] if body else []
    tool = await asyncio.create_subprocess_exec(
        "curl", "-s", "--noproxy", "*", "-X", method, url + path, *sent,
        "-H", f"Authorization: Token {key}", "-H", f"X-API-Key: {key}",
        "-H", "Content-Type: application/json", "-w", "\n%{http_code} %{content_type}",
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, _ = await asyncio.wait_for(tool.communicate(), 60)
    text, _, head = out.decode().rpartition("\n")
    plain = _MOMENT.sub("moment", _ID.sub("id", text.replace(url, "")))
    found = json.loads(plain, parse_float=lambda each: round(float(each), 9))
    if isinstance(found, dict):
        found.pop("user_email", None)  # the store's account is not the client's business
    return head.partition(";")[0], found
