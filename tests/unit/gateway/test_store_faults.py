"""What a client sees, and what the ledger holds, when the store misbehaves."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web

from proxy.clock import FrozenClock
from proxy.gateway.memories.pending import PendingWrites
from proxy.ledger import memories, writes
from proxy.ledger.writes import Write
from proxy.upstreams.transport import Timeouts
from tests.support.fault_store import MEMORY_ID, FaultStore, Received, added, answer
from tests.support.gateway import Plane, data_plane
from tests.support.ledger import START
from tests.support.ports import deaf_port

ADD = "/v3/memories/add/"
LIST = "/v3/memories/"
GOOD: dict[str, Any] = {
    "messages": [{"role": "user", "content": "likes rye bread"}],
    "user_id": "u-1",
    "infer": False,
}
MINE = {"filters": {"user_id": "u-1"}}


@pytest_asyncio.fixture(loop_scope="session")
async def hasty(faults: FaultStore, tmp_path: Path, sqlite_template: Path) -> AsyncIterator[Plane]:
    """A data plane that waits a fifth of a second for the store."""
    async with data_plane(
        tmp_path / "h", faults.url, "store-key", sqlite_template, FrozenClock(START),
        timeouts=Timeouts(connect=30, read=0.2, total=60),
    ) as found:  # fmt: skip
        yield found


async def open_writes(plane: Plane) -> list[Write]:
    """The first tenant's writes that are not settled."""
    found = await plane.services.ledger.read(
        lambda tx: writes.open_writes(tx, before=plane.clock.now())
    )
    return [write for write in found if write.tenant_id == plane.tenants["acme"]]


async def rows(plane: Plane) -> list[memories.Memory]:
    """Every memory of the first tenant."""
    return await plane.services.ledger.read(
        lambda tx: memories.of_tenant(tx, plane.tenants["acme"])
    )


def raw(body: bytes, status: int = 200, **headers: str) -> web.Response:
    return web.Response(body=body, status=status, headers=headers)


GARBLED = [
    pytest.param(lambda _: raw(b"<html>oops</html>"), 502, "upstream-garbled", id="html"),
    pytest.param(lambda _: raw(b'{"results": ['), 502, "upstream-garbled", id="cut-off"),
    pytest.param(lambda _: raw(b"\xff\xfe"), 502, "upstream-garbled", id="bytes"),
    pytest.param(
        lambda _: raw(b'{"a":1,"a":2}'), 502, "upstream-garbled", id="duplicate-key"
    ),
    pytest.param(
        lambda _: raw(b"{}", 200, **{"Content-Encoding": "gzip"}), 502, "upstream-garbled",
        id="mislabelled",
    ),
    pytest.param(
        lambda _: raw(gzip.compress(b'"' + b"a" * 80_000_000 + b'"'), 200,
                      **{"Content-Encoding": "gzip"}), 502, "upstream-garbled", id="bomb",
    ),
    pytest.param(lambda _: raw(b"<h1>502</h1>", 502), 502, "upstream-failed", id="html-error"),
    pytest.param(lambda _: answer({}, 401), 502, "upstream-refused", id="our-key-refused"),
    pytest.param(lambda _: answer({}, 403), 502, "upstream-refused", id="forbidden"),
]  # fmt: skip


@pytest.mark.parametrize(("script", "status", "slug"), GARBLED)
async def test_an_unreadable_answer_is_a_problem(
    faulty: Plane, faults: FaultStore, script: Any, status: int, slug: str
) -> None:
    """Nothing of it reaches the client; a write of which it was the answer stays open."""
    faults.script = script
    for path, body in ((LIST, MINE), (ADD, GOOD)):
        found, problem = await faulty.call("POST", path, body)
        assert (found, problem["type"]) == (status, f"urn:expunge:problem:{slug}")
        assert problem["upstream"] == "sent"
    assert len(await open_writes(faulty)) == (0 if slug == "upstream-refused" else 1)


async def test_an_unreachable_store_is_a_502(
    nobody: str, tmp_path: Path, sqlite_template: Path
) -> None:
    """Nothing was sent, and the write is recorded as failed."""
    async with data_plane(
        tmp_path / "n", nobody, "store-key", sqlite_template, FrozenClock(START)
    ) as plane:
        status, problem = await plane.call("POST", ADD, GOOD)
        assert (status, problem["type"]) == (502, "urn:expunge:problem:upstream-unreachable")
        assert problem["upstream"] == "not_sent"
        assert await open_writes(plane) == []
        assert await rows(plane) == []


@pytest.fixture
def nobody() -> Iterator[str]:
    """An address at which nobody listens."""
    with deaf_port() as port:
        yield f"http://127.0.0.1:{port}"


async def test_a_slow_store_is_a_504(hasty: Plane, faults: FaultStore) -> None:
    """The outcome is unknown, said so, and the write stays open for the reconciler."""
    forever = asyncio.Event()

    async def slow(_: Received) -> web.Response:
        await forever.wait()
        return added()

    faults.script = slow
    status, problem = await hasty.call("POST", ADD, GOOD)
    forever.set()
    assert (status, problem["type"]) == (504, "urn:expunge:problem:upstream-timeout")
    assert problem["upstream"] == "unknown"
    assert [write.state for write in await open_writes(hasty)] == ["unknown"]


@pytest.mark.parametrize(("method", "path", "body"), [
    pytest.param("POST", ADD, GOOD, id="write"),
    pytest.param("POST", LIST, MINE, id="list"),
    pytest.param("GET", "/memories?user_id=u-1", None, id="get"),
])  # fmt: skip
async def test_nothing_is_repeated_on_a_reused_connection(
    faulty: Plane, faults: FaultStore, method: str, path: str, body: Any
) -> None:
    """A request that the store read and dropped arrives once."""
    faults.script = lambda _: added()
    assert (await faulty.call("POST", ADD, GOOD))[0] == 200
    before = len(faults.requests)
    faults.cut = True
    status, problem = await faulty.call(method, path, body)
    assert (status, problem["type"]) == (502, "urn:expunge:problem:upstream-unreachable")
    assert problem["upstream"] == "unknown"
    assert len(faults.requests) == before + 1


async def test_the_stores_own_errors_pass(faulty: Plane, faults: FaultStore) -> None:
    """A 422 in JSON reaches the client as it is; a 500 by its status, and the write stays open."""
    for status in (400, 409, 422, 429, 500, 503):
        faults.script = lambda _, s=status: answer({"detail": "no"}, s, **{"Retry-After": "7"})
        found, body = await faulty.call("POST", ADD, GOOD)
        assert (found, body["detail"]) == (status, "The store failed." if status >= 500 else "no")
    assert [write.state for write in await open_writes(faulty)] == ["unknown", "unknown"]


TRACE = 'File "store.py" in add: {"data": "Alva Brenn keeps bees", "user_id": "globex/7"}'
FAILURES = [
    pytest.param("POST", ADD, GOOD, id="write"),
    pytest.param("POST", LIST, {"filters": {"user_id": "u-1"}}, id="list"),
    pytest.param("GET", "/memories?user_id=u-1", None, id="open-source"),
    pytest.param("GET", "/v1/ping/", None, id="pass"),
]


@pytest.mark.parametrize("status", [500, 501, 502, 503, 504])
@pytest.mark.parametrize("media", ["application/json", "text/html"])
@pytest.mark.parametrize(("method", "path", "body"), FAILURES)
async def test_the_words_of_a_failing_store_do_not_pass(
    faulty: Plane, faults: FaultStore, method: str, path: str, body: Any, media: str, status: int
) -> None:
    """A stack trace with what others wrote stays there; status, Retry-After and request id pass."""
    kept = {"Retry-After": "7", "X-Request-ID": "abc123"}
    text = json.dumps({"detail": TRACE, "code": TRACE}).encode()
    faults.script = lambda _: raw(text, status, **{**kept, "Content-Type": media})
    headers = {"Authorization": f"Token {faulty.keys['acme']}"}
    async with faulty.http.request(method, faulty.url + path, json=body, headers=headers) as reply:
        found = await reply.json(content_type=None)
    assert (reply.status, found["status"]) == (status, status)
    assert found["type"] == "urn:expunge:problem:upstream-failed"
    assert found["detail"] == "The store failed."
    assert (path.startswith("/memories")) or found["error"] == "The store failed."
    assert "Brenn" not in json.dumps(found)
    assert "globex" not in json.dumps(found)
    assert {name: reply.headers[name] for name in kept} == kept
    assert reply.content_type == "application/problem+json"


async def test_redirects_are_not_followed(faulty: Plane, faults: FaultStore) -> None:
    """A redirect is the client's business; the proxy goes nowhere it was not configured to go."""
    faults.script = lambda _: raw(b"", 302, Location="http://127.0.0.1:9/elsewhere")
    import aiohttp
    from yarl import URL

    headers = {"Authorization": f"Token {faulty.keys['acme']}"}
    async with (
        aiohttp.ClientSession() as http,
        http.get(
            URL(faulty.url + "/memories?user_id=u-1"), headers=headers, allow_redirects=False
        ) as response,
    ):
        assert response.status == 302
    assert len(faults.requests) == 1


class Remembering:
    """A script that keeps what it was sent and can show it in lists."""

    def __init__(self, *, fail: bool = False, pending: bool = False) -> None:
        self.fail, self.pending = fail, pending
        self.items: list[dict[str, Any]] = []
        self.event = "SUCCEEDED"

    def __call__(self, request: Received) -> web.Response:
        if request.method == "DELETE":
            self.items = []
            return answer({"message": "ok"})
        if request.target.startswith("/v1/event/"):
            results = [{"id": i["id"], "data": {"memory": i["memory"]}} for i in self.items]
            return answer({"status": self.event, "results": results, "payload": {"x": "secret"}})
        if request.target.startswith(LIST) and "add" not in request.target:
            return answer({"count": len(self.items), "next": None, "results": self.items})
        if request.method == "GET":
            return answer(next((i for i in self.items if i["id"] in request.target), None))
        body = request.json()
        self.items.append(
            {
                "id": MEMORY_ID,
                "memory": body["messages"][0]["content"],
                "user_id": body["user_id"],
                "metadata": body["metadata"],
            }
        )
        if self.fail:
            return answer({"detail": "failed after storing"}, 500)
        if self.pending:
            return answer({"status": "PENDING", "event_id": "evt-1"})
        return added(MEMORY_ID, self.items[0]["memory"])


async def test_a_write_that_failed_after_storing_is_found_by_its_stamp(
    faulty: Plane, faults: FaultStore
) -> None:
    """After a 500 the reconciler looks for the stamp and records what is really there."""
    faults.script = Remembering(fail=True)
    assert (await faulty.call("POST", ADD, GOOD))[0] == 500
    assert await rows(faulty) == []
    await PendingWrites(faulty.services).run_once()
    assert [row.state for row in await rows(faulty)] == ["live"]
    assert await open_writes(faulty) == []


async def test_a_write_that_left_nothing_is_given_up(faulty: Plane, faults: FaultStore) -> None:
    """It stays open for a while, in case the store is late, then counts as failed."""
    faults.script = lambda _: answer({}, 500)
    await faulty.call("POST", ADD, GOOD)
    faults.script = lambda _: answer({"count": 0, "results": []})
    pending = PendingWrites(faulty.services)
    await pending.run_once()
    assert len(await open_writes(faulty)) == 1
    faulty.clock.advance(timedelta(minutes=2))
    await pending.run_once()
    assert await open_writes(faulty) == []


async def test_an_asynchronous_write_is_settled_when_its_event_is(
    faulty: Plane, faults: FaultStore
) -> None:
    """PENDING now, ids later: the ledger knows the memory as soon as the event says so."""
    script = Remembering(pending=True)
    script.event = "PENDING"
    faults.script = script
    status, body = await faulty.call("POST", ADD, {**GOOD, "infer": True})
    assert (status, body["status"]) == (200, "PENDING")
    pending = PendingWrites(faulty.services)
    await pending.run_once()
    assert [write.state for write in await open_writes(faulty)] == ["pending"]
    script.event = "SUCCEEDED"
    await pending.run_once()
    assert [row.state for row in await rows(faulty)] == ["live"]


async def test_an_event_is_shown_to_its_own_tenant_without_the_request(
    faulty: Plane, faults: FaultStore
) -> None:
    """The client may look at its event; another tenant finds none; the payload is not shown."""
    script = Remembering(pending=True)
    faults.script = script
    await faulty.call("POST", ADD, {**GOOD, "infer": True})
    status, body = await faulty.call("GET", "/v1/event/evt-1/")
    assert status == 200
    assert [item["id"] for item in body["results"]] == [MEMORY_ID]
    assert "payload" not in body
    assert [row.state for row in await rows(faulty)] == ["live"]
    before = len(faults.requests)
    foreign = await faulty.call("GET", "/v1/event/evt-1/", tenant="globex")
    absent = await faulty.call("GET", "/v1/event/evt-2/")
    assert foreign == absent
    assert foreign[0] == 404
    assert len(faults.requests) == before


async def test_an_event_gives_the_client_its_own_words(faulty: Plane, faults: FaultStore) -> None:
    """As a list and a search do; the store's answer holds tokens."""
    faults.script = script = Remembering(pending=True)
    said = {"role": "user", "content": "Write to ada@example.org about the boat"}
    await faulty.call("POST", ADD, {**GOOD, "messages": [said], "infer": True})
    assert "ada@example.org" not in script.items[0]["memory"]
    for _ in range(2):  # before and after it is settled
        status, body = await faulty.call("GET", "/v1/event/evt-1/")
        assert (status, body["results"][0]["data"]["memory"]) == (200, said["content"])


async def test_a_deduplicated_write_leaves_no_phantom(faulty: Plane, faults: FaultStore) -> None:
    """200 with empty results: nothing stored, nothing recorded, nothing open."""
    faults.script = lambda _: answer({"results": []})
    assert (await faulty.call("POST", ADD, GOOD))[0] == 200
    assert await rows(faulty) == []
    assert await open_writes(faulty) == []


async def test_a_client_that_leaves_does_not_break_the_write(
    faulty: Plane, faults: FaultStore
) -> None:
    """The store call and the ledger end consistently although nobody waits for the answer."""
    arrived, go = asyncio.Event(), asyncio.Event()

    async def held(_: Received) -> web.Response:
        arrived.set()
        await go.wait()
        return added()

    faults.script = held
    calling = asyncio.create_task(faulty.call("POST", ADD, GOOD))  # noqa: TID251
    await arrived.wait()
    calling.cancel()
    await asyncio.gather(calling, return_exceptions=True)
    go.set()
    async with asyncio.timeout(120):
        while await open_writes(faulty):  # noqa: ASYNC110  (the row is all there is to see)
            await asyncio.sleep(0.01)
    assert [row.state for row in await rows(faulty)] == ["live"]
