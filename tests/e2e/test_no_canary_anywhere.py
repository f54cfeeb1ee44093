"""No content, name or identifier gets out: every output but the store's answers is searched."""

import base64
import json
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mem0 import MemoryClient
from mem0.exceptions import MemoryError as Refused

from tests.support.dev import COMMAND, Dev, running_dev

pytestmark = pytest.mark.slow

PERSON = "Zelmira Quackenfrost"
CANARIES = {
    "name": "quackenfrost",
    "mail": "zq.canary@example.org",
    "phone": "555-0173",
    "owner": "canary-owner-7731",
    "word": "xylocanary",
    "query": "yttrocanary",
    "metadata": "zircocanary",
}
TEXT = (
    f"{PERSON} ({CANARIES['mail']}, {CANARIES['phone']}) hides the {CANARIES['word']} in the attic."
)


@pytest.fixture(scope="module")
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the whole process puts what it calls temporary."""
    return tmp_path_factory.mktemp("temporary")


@pytest.fixture(scope="module")
def dev(tmp_path_factory: pytest.TempPathFactory, temporary: Path) -> Iterator[Dev]:
    """A running expunge dev, tier fast."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(temporary))
        with running_dev(tmp_path_factory.mktemp("canary") / "data", "--tier", "fast") as running:
            yield running


def raw(dev: Dev, method: str, path: str, body: bytes, key: str | None = None) -> bytes:
    """A request with anything in it; gives the answer's body."""
    request = urllib.request.Request(dev.data_url + path, data=body, method=method)
    request.add_header("Content-Type", "application/json")
    request.add_header("X-API-Key", key or dev.client_key)
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return bytes(reply.read())
    except urllib.error.HTTPError as error:
        return bytes(error.read())


def found_in(text: bytes) -> list[str]:
    """Names of the canaries that a text holds, in clear, in hex or in Base64."""
    lowered = text.lower()
    return [
        name
        for name, needle in CANARIES.items()
        if needle.encode() in lowered
        or needle.encode().hex().encode() in lowered
        or needle.encode("utf-16-le") in lowered
        or any(core in text for core in in_base64(needle))
    ]


def in_base64(needle: str) -> list[bytes]:
    """What every Base64 text that holds a needle holds, however the needle is aligned in it."""
    cores = []
    for before in range(3):
        whole = base64.b64encode(b"x" * before + needle.encode())
        start, end = (0, 2, 3)[before], -4 if whole.endswith(b"=") else None
        cores.append(whole[start:end])
    return cores


def control(dev: Dev, method: str, path: str, body: bytes | None = None) -> bytes:
    """A request to the control plane; gives the answer's body, whatever its status."""
    request = urllib.request.Request(dev.control_url + path, data=body, method=method)
    request.add_header("Authorization", f"Bearer {dev.admin_token}")
    request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return bytes(reply.read())
    except urllib.error.HTTPError as error:
        return bytes(error.read())


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        (b"ZQ.Canary@example.org", True), (base64.b64encode(b"zq.canary@example.org"), True),
        (base64.b64encode(b"1zq.canary@example.org"), True), (b"zq.canar@example.org", False),
        (base64.b64encode(b"12zq.canary@example.org and"), True),
        (b"zq.canary@example.org".hex().encode(), True), (base64.b64encode(b"mail"), False),
    ],
)  # fmt: skip
def test_the_search_itself(text: bytes, holds: bool) -> None:
    """A canary is seen in any of its forms; else all tests below would be worth nothing."""
    assert (found_in(text) == ["mail"]) is holds


@pytest.fixture(scope="module")
def lived(dev: Dev) -> list[bytes]:
    """Writes, reads, mistakes and an erasure; gives every problem that came back."""
    client = MemoryClient(api_key=dev.client_key, host=dev.data_url)
    owner = CANARIES["owner"]
    made = client.add(
        [{"role": "user", "content": TEXT}], user_id=owner, infer=False,
        metadata={"note": CANARIES["metadata"]},
    )  # fmt: skip
    memory_id = made["results"][0]["id"]
    assert CANARIES["word"] in json.dumps(client.get_all(filters={"user_id": owner}))
    client.search(CANARIES["query"], filters={"user_id": owner})
    client.update(memory_id, text=TEXT.replace("attic", "cellar"))
    client.history(memory_id)
    add = "/v3/memories/add/"
    problems = [
        raw(dev, "POST", f"{add}?q={CANARIES['query']}", b'{"messages": "' + TEXT.encode()),
        raw(dev, "POST", add, json.dumps({"messages": TEXT, "user_id": "*"}).encode()),
        raw(dev, "POST", f"/nowhere/{CANARIES['word']}", TEXT.encode()),
        raw(dev, "GET", f"/v1/memories/{CANARIES['word']}/", b""),
        raw(dev, "POST", add, TEXT.encode(), key=CANARIES["word"]),
    ]
    gone = dev.expunge("forget", "entity", PERSON, "--confirm", "confirmed", "--json")
    assert gone.returncode == 0, gone.stdout + gone.stderr
    problems.append(gone.stdout.encode())
    try:
        client.add([{"role": "user", "content": TEXT}], user_id=owner, infer=False)
    except Refused as refused:
        problems.append(repr(vars(refused)).replace(TEXT, "").encode())
    return problems


def test_our_own_files_hold_no_canary(dev: Dev, lived: list[bytes]) -> None:
    """Ledger, its write-ahead log, keys, certificates."""
    places = [dev.state_dir, dev.folder / "certificates"]
    files = [path for place in places for path in place.rglob("*") if path.is_file()]
    assert len(files) >= 6
    assert {str(path): hits for path in files if (hits := found_in(path.read_bytes()))} == {}


def test_certificates_hold_no_canary(dev: Dev, lived: list[bytes]) -> None:
    """What was signed, as it reads when the envelope is opened."""
    listed = json.loads(control(dev, "GET", "/v1/erasures"))["items"]
    done = [each["id"] for each in listed if each["state"] == "complete"]
    assert done
    for erasure_id in done:
        body = json.loads(control(dev, "GET", f"/v1/erasures/{erasure_id}/certificate"))
        payload = base64.b64decode(_envelope(body)["payload"])
        assert b"erasure_completeness" in payload
        assert found_in(payload) == []


def _envelope(body: Any) -> Any:
    """The DSSE envelope in an answer, wherever it stands."""
    if isinstance(body, dict) and "payload" in body:
        return body
    parts = list(body.values()) if isinstance(body, dict) else []
    texts = [json.loads(part) for part in parts if isinstance(part, str) and part[:1] == "{"]
    return next(each for each in [*parts, *texts] if isinstance(each, dict) and "payload" in each)


def test_what_the_process_calls_temporary(dev: Dev, lived: list[bytes], temporary: Path) -> None:
    """Nothing of a request is spooled into a file, and nothing stays behind."""
    files = [path for path in temporary.rglob("*") if path.is_file()]
    assert {path.name: hits for path in files if (hits := found_in(path.read_bytes()))} == {}


def test_problems_hold_no_canary(lived: list[bytes]) -> None:
    """Whatever was wrong with a request, it is not repeated."""
    assert len(lived) >= 6
    assert [found_in(text) for text in lived if found_in(text)] == []


def test_logs_hold_no_canary(dev: Dev, lived: list[bytes]) -> None:
    """Standard output and error of the whole process."""
    log = dev.folder.with_suffix(".log").read_bytes()
    assert b"Expunge is running" in log
    assert found_in(log) == []


def test_metrics_and_audit_hold_no_canary(dev: Dev, lived: list[bytes]) -> None:
    """Metrics, audit entries, erasures, blocklist, diagnosis."""
    paths = ("/metrics", "/v1/audit/entries?limit=1000", "/v1/erasures", "/v1/blocklist",
             "/v1/diagnosis", "/readyz", "/v1/policies")  # fmt: skip
    for path in paths:
        request = urllib.request.Request(dev.control_url + path)
        request.add_header("Authorization", f"Bearer {dev.admin_token}")
        with urllib.request.urlopen(request, timeout=60) as reply:
            body = reply.read()
        assert (path, found_in(body)) == (path, [])
        assert body


def test_store_holds_no_forgotten_name(dev: Dev, lived: list[bytes]) -> None:
    """After the erasure the store's files do not hold the person either."""
    hits: dict[str, Any] = {}
    for path in Path(dev.store_dir).rglob("*"):
        if path.is_file():
            found = set(found_in(path.read_bytes())) & {"name", "mail", "phone", "owner"}
            if found:
                hits[str(path)] = found
    assert hits == {}


def test_temporary_files_hold_no_canary(dev: Dev, lived: list[bytes], tmp_path: Path) -> None:
    """A command that fails writes no dump of what it was given."""
    broken = subprocess.run(
        [*COMMAND, "policy", "explain", "--jsonl"], input=f'{{"text": "{TEXT}"\n'.encode(),
        capture_output=True, check=False, cwd=tmp_path, timeout=120,
    )  # fmt: skip
    assert broken.returncode == 1
    assert found_in(broken.stdout + broken.stderr) == []
    assert list(tmp_path.iterdir()) == []


def test_control_answers_repeat_no_canary(dev: Dev, lived: list[bytes]) -> None:
    """Every list of the API as it stands, and what it says to requests that are wrong."""
    routes = json.loads(control(dev, "GET", "/openapi.json"))["paths"]
    plain = [path for path, does in routes.items() if "get" in does and "{" not in path]
    assert len(plain) > 10
    assert {path: hits for path in plain if (hits := found_in(control(dev, "GET", path)))} == {}
    word = CANARIES["word"]
    person = json.dumps({"kind": word, "value": PERSON})
    for path in [path for path in routes if "{" not in path]:
        for method in ("GET", "POST", "PUT", "DELETE"):
            for body in (TEXT.encode(), person.encode(), f'{{"{word}": "{PERSON}"}}'.encode()):
                given = None if method == "GET" else body
                answer = control(dev, method, f"{path}?cursor={word}&state={word}", given)
                assert (method, path, found_in(answer)) == (method, path, [])
