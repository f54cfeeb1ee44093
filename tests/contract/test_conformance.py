"""Recorded traffic of the real clients, replayed at the store and through Expunge: the same bytes.

The policy is silent and owners keep their names. Ids and moments differ between any two runs: they
are numbered in the order in which they come; everything else of status, type and body must agree,
spacing, order and the spelling of numbers included.
"""

import gzip
import json
import re
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

import aiohttp
import httpx
import pytest
from yarl import URL

import policies
from proxy.clock import FrozenClock
from tests.support.gateway import Plane, data_plane
from tests.support.ledger import START
from tests.support.mem0_library import AsyncMemoryClient, MemoryClient
from tests.support.mem0_store import RunningStore, running_store

ME = {"user_id": "conf-1"}
_ID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MOMENT = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?")
_SCORE = re.compile(rb'("score":)([0-9.e-]+)')
_SENT = ("content-type", "content-encoding", "accept", "accept-encoding", "user-agent",
         "x-mem0-client", "mem0-user-id")  # fmt: skip


Use = Generator[Any, Any, None]


@dataclass(frozen=True)
class Recorded:
    """One request as a client sent it, and what it got."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    answer: bytes = b""
    chunked: bool = False


@dataclass
class Recorder:
    """Hooks of an HTTP client that keep all it does."""

    kept: list[Recorded] = field(default_factory=list)

    def keep(self, response: httpx.Response) -> None:
        """Note one exchange."""
        sent = response.request
        headers = {name: sent.headers[name] for name in _SENT if name in sent.headers}
        target = sent.url.raw_path.decode()
        self.kept.append(Recorded(sent.method, target, headers, sent.content, response.content))

    def sync(self, response: httpx.Response) -> None:
        """For a blocking client."""
        response.read()
        self.keep(response)

    async def later(self, response: httpx.Response) -> None:
        """For an asynchronous one."""
        await response.aread()
        self.keep(response)


def plain_use(client: Any) -> Use:
    """Every method that reaches the store, in an application's order."""
    said = [{"role": "user", "content": "Grüße 🐝, the kettle stands on the left"}]
    numbers = {
        "n": 0.1000000000000000055511,
        "big": 12345678901234567890,
        "e": 1e-7,
        "deep": {"a": [1.50]},
    }
    first = yield client.add(said, **ME, infer=False, metadata=numbers)
    second = yield client.add("The red kettle", **ME, run_id="r/1?", infer=False)
    third = yield client.add([*said, {"role": "assistant", "content": "Noted"}], **ME, infer=False)
    one, two = first["results"][0]["id"], second["results"][0]["id"]
    rest = [each["id"] for each in third["results"]]
    yield client.get(one)
    yield client.get_all(filters=ME)
    yield client.get_all(filters=ME, page=1, page_size=2)
    yield client.get_all(filters={"AND": [ME, {"run_id": "r/1?"}]})
    yield client.search("kettle", filters=ME)
    yield client.search("kettle", filters={"OR": [ME, {"agent_id": "nobody"}]}, top_k=1)
    yield client.update(one, text="The kettle is gone", metadata={"m": None})
    yield client.history(one)
    yield client.users()
    yield client.batch_update([{"memory_id": two, "text": "The red kettle sings"}])
    yield client.get(two)
    yield client.batch_delete([{"memory_id": each} for each in rest])
    yield client.delete(one)
    yield client.get_all(filters=ME)
    yield client.delete_all(**ME)
    yield client.get_all(filters=ME)
    yield client.add("Once more", **ME, agent_id="conf-agent", infer=False)
    yield client.delete_users(agent_id="conf-agent")
    yield client.users()


def frameworks_use(client: Any) -> Use:
    """LangChain (search, add both turns) and LlamaIndex (put each message, get the context)."""
    for asked, answered in (("I keep bees", "How many hives?"), ("Seven", "A fine number")):
        yield client.search(asked, filters=ME)
        turns = [{"role": "user", "content": asked}, {"role": "assistant", "content": answered}]
        yield client.add(turns, **ME, infer=False)
    for role, content in (("user", "And honey?"), ("assistant", "Plenty")):
        message = [{"role": role, "content": content}]
        yield client.add(messages=message, **ME, run_id="chat-1", infer=False)
        context = f"{role}: {content}\nuser: what about the bees?"
        yield client.search(query=context, filters={**ME, "run_id": "chat-1"})
    yield client.get_all(filters=ME)
    yield client.delete_users(**ME)


def recorded_sync(store: RunningStore, use: Callable[[Any], Use]) -> list[Recorded]:
    """What MemoryClient sends for a use."""
    recorder = Recorder()
    with httpx.Client(event_hooks={"response": [recorder.sync]}, timeout=60) as http:
        steps, found = use(MemoryClient(store.api_key, store.url, http)), None
        try:
            while True:
                found = steps.send(found)
        except StopIteration:
            return recorder.kept


async def recorded_async(store: RunningStore, use: Callable[[Any], Use]) -> list[Recorded]:
    """What AsyncMemoryClient sends for a use."""
    recorder = Recorder()
    async with httpx.AsyncClient(event_hooks={"response": [recorder.later]}, timeout=60) as http:
        steps = use(AsyncMemoryClient(store.api_key, store.url, http))
        found = None
        try:
            while True:
                found = await steps.send(found)
        except StopIteration:
            return recorder.kept


async def replay(url: str, key: str, traffic: list[Recorded]) -> list[tuple[int, str, bytes]]:
    """Status, type and normalised body of each answer; ids of the recording become this run's."""
    ids: dict[bytes, bytes] = {}
    numbers: dict[bytes, bytes] = {}

    def renamed(content: bytes) -> bytes:
        return _ID.sub(lambda found: ids.get(found[0], found[0]), content)

    def normal(content: bytes) -> bytes:
        shown = _ID.sub(lambda f: numbers.setdefault(f[0], b"id-%d" % len(numbers)), content)
        scored = _SCORE.sub(
            lambda f: b"%s%.9f" % (f[1], float(f[2])), shown
        )  # its last digits vary
        return _MOMENT.sub(b"moment", scored.replace(url.encode(), b""))

    answers = []
    async with aiohttp.ClientSession() as http:
        for each in traffic:
            body: Any = renamed(each.body)
            if each.headers.get("content-encoding") == "gzip":
                body = gzip.compress(body)
            if each.chunked:
                body = pieces(body)
            target = renamed(each.target.encode()).decode()
            headers = {**each.headers, "Authorization": f"Token {key}", "X-API-Key": key}
            async with http.request(
                each.method, URL(url + target, encoded=True), data=body or None, headers=headers,
            ) as response:  # fmt: skip
                said = await response.read()
            ids.update(
                (old, new)
                for old, new in zip_longest(_ID.findall(each.answer), _ID.findall(said))
                if old and new
            )
            answers.append((response.status, response.content_type, normal(said)))
    return answers


async def pieces(body: bytes) -> AsyncIterator[bytes]:
    """A body in chunks of seven bytes."""
    for start in range(0, len(body), 7):
        yield body[start : start + 7]


@pytest.fixture(scope="module")
def own_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStore]:
    """A store in which nobody else has anything: lists of owners agree too."""
    with running_store(tmp_path_factory.mktemp("conformance") / "data") as running:
        yield running


@pytest.fixture
async def silent(
    own_store: RunningStore, tmp_path: Path, sqlite_template: Path
) -> AsyncIterator[Plane]:
    """Expunge with a policy that changes nothing, and owners as they are."""
    silent_policy = policies.load("builtin/dev-observe")
    async with data_plane(
        tmp_path / "plane", own_store.url, own_store.api_key, sqlite_template, FrozenClock(START),
        owner_form="keep", change=lambda _: silent_policy,
    ) as plane:  # fmt: skip
        yield plane


async def compare(store: RunningStore, plane: Plane, traffic: list[Recorded]) -> None:
    """Replay at the store, then through Expunge."""
    direct = await replay(store.url, store.api_key, traffic)
    through = await replay(plane.url, plane.keys["acme"], traffic)
    for sent, at_store, at_us in zip(traffic, direct, through, strict=True):
        assert at_us == at_store, (sent.method, sent.target)


@pytest.mark.parametrize("use", [plain_use, frameworks_use], ids=lambda use: use.__name__)
@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_the_clients_traffic_gets_the_same_answers(
    own_store: RunningStore, silent: Plane, kind: str, use: Callable[[Any], Use]
) -> None:
    """Status, type, bytes and order of every answer to what the Python clients send."""
    made = recorded_sync(own_store, use) if kind == "sync" else await recorded_async(own_store, use)
    traffic = [each for each in made if "/ping/" not in each.target]
    assert len(traffic) >= 8
    await compare(own_store, silent, traffic)


JSON = {"content-type": "application/json"}
ADD = b'{"messages":[{"role":"user","content":"The kettle"}],"user_id":"conf-1","infer":false%s}'
FIND = b'{"query":"kettle","filters":{"user_id":"conf-1"},"threshold":0.0}'
OSS = b'{"messages":[{"role":"user","content":"A hive"}],"user_id":"conf-1","infer":false}'


def raw(method: str, target: str, body: bytes = b"", **more: Any) -> Recorded:
    """A request that a person or a script sends."""
    headers = {**JSON, **more.pop("headers", {})} if body else more.pop("headers", {})
    return Recorded(method, target, headers, body, **more)


SCRIPTS: dict[str, list[Recorded]] = {
    "gzip": [raw("POST", "/v3/memories/add/", ADD % b"", headers={"content-encoding": "gzip"})],
    "chunked": [raw("POST", "/v3/memories/add/", ADD % b"", chunked=True)],
    "unknown members": [raw("POST", "/v3/memories/add/", ADD % b',"novel":{"a":[1,null]},"x":1.0')],
    "numbers": [raw("POST", "/v3/memories/add/", ADD % (
        b',"metadata":{"a":0.10000000000000001,"b":1e22,"c":-0.0,"d":1.0,"e":123456789012}'
    ))],
    "unicode": [raw("POST", "/v3/memories/add/", ADD % (
        ',"metadata":{"näme":"\\u00e9\\ud83d\\udc1d","rtl":"א"}'.encode()
    ))],
    "open source": [
        raw("POST", "/memories", OSS), raw("GET", "/memories?user_id=conf-1"),
        raw("POST", "/search", FIND), raw("GET", "/memories?user_id=conf-1&top_k=1"),
        raw("GET", "/entities"), raw("DELETE", "/memories?user_id=conf-1"),
    ],
    "old routes": [
        raw("POST", "/v1/memories/", ADD % b""), raw("GET", "/v1/memories/?user_id=conf-1"),
        raw("POST", "/v2/memories/", b'{"filters":{"user_id":"conf-1"}}'),
        raw("POST", "/v1/memories/search/", b'{"query":"kettle","user_id":"conf-1"}'),
        raw("POST", "/v2/memories/search/", FIND),
    ],
    "refused by the store": [
        raw("POST", "/v3/memories/add/", b'{"messages":[],"user_id":"conf-1"}'),
        raw("POST", "/v3/memories/?page=x", b'{"filters":{"user_id":"conf-1"}}'),
        raw("GET", "/v1/memories/00000000-0000-4000-8000-000000000000/"),
        raw("GET", "/memories/00000000-0000-4000-8000-000000000000"),
        raw("GET", "/memories/00000000-0000-4000-8000-000000000000/history"),
    ],
}  # fmt: skip
AFTER = [
    raw("POST", "/v3/memories/", b'{"filters":{"user_id":"conf-1"}}'),
    raw("POST", "/v3/memories/search/", FIND),
    raw("DELETE", "/v1/memories/?user_id=conf-1"),
]


@pytest.mark.parametrize("name", SCRIPTS)
async def test_what_scripts_send_gets_the_same_answers(
    own_store: RunningStore, silent: Plane, name: str
) -> None:
    """Packed, chunked, with members nobody knows, with long numbers, in old dialects."""
    await compare(own_store, silent, [*SCRIPTS[name], *AFTER])


REFUSED = [
    pytest.param("POST", "/v1/exports/", b'{"schema":"{}"}', id="export"),
    pytest.param("POST", "/v1/exports/get/", b"{}", id="get-export"),
    pytest.param("POST", "/v1/summary/", b"{}", id="summary"),
    pytest.param("GET", "/v2/entities/user/conf-1/profile/", b"", id="profile"),
    pytest.param("DELETE", "/v1/memories/?filters={'user_id':+'conf-1'}", b"", id="text-filter"),
]


@pytest.mark.parametrize(("method", "target", "body"), REFUSED)
async def test_what_goes_around_the_policy_stays_refused(
    own_store: RunningStore, silent: Plane, method: str, target: str, body: bytes
) -> None:
    """A silent policy opens no way that is closed; the reason is told."""
    ((status, _, said),) = await replay(
        silent.url, silent.keys["acme"], [raw(method, target, body)]
    )
    assert 400 <= status < 500
    assert json.loads(said)["detail"]


async def test_answers_that_nothing_changes_are_the_stores_own_bytes(
    own_store: RunningStore, silent: Plane
) -> None:
    """What the store got from elsewhere is read through Expunge byte by byte, ids and all."""
    made = ADD % b',"metadata":{"a":0.10000000000000001,"b":1e22,"t":"\xc3\xbc"}'
    await replay(own_store.url, own_store.api_key, [raw("POST", "/v3/memories/add/", made)])
    seen: list[list[bytes]] = []
    for url, key in ((own_store.url, own_store.api_key), (silent.url, silent.keys["acme"])):
        async with httpx.AsyncClient(base_url=url) as http:
            headers = {"Authorization": f"Token {key}", "X-API-Key": key, **JSON}
            asked = [("POST", "/v3/memories/search/"), ("POST", "/v2/memories/search/"),
                     ("POST", "/search"), ("GET", "/memories?user_id=conf-1")]  # fmt: skip
            seen.append([
                (await http.request(m, path, content=FIND if m == "POST" else b"",
                                    headers=headers)).content
                for m, path in asked
            ])  # fmt: skip
    assert seen[1] == seen[0]
    assert all(b"The kettle" in each for each in seen[0])
