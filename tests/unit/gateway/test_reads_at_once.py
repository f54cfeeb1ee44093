"""Equal reads that come at the same time are understood once; nobody waits for more than that."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import pytest_asyncio

from detectors.errors import DetectionUnavailable
from proxy.gateway import again
from proxy.gateway.memories import items
from tests.support.fault_store import FaultStore, Received, answer
from tests.support.gateway import Plane

QUERY = "which bread is it"
SEARCH = {"query": QUERY, "filters": {"user_id": "u-1"}}
WRITE = {"messages": [{"role": "user", "content": QUERY}], "user_id": "u-1", "infer": False}
MANY = 8


class Reached:
    """Counts calls, and tells when there were enough."""

    def __init__(self, enough: int) -> None:
        self.calls, self.enough, self._wanted = 0, asyncio.Event(), enough

    def count(self) -> None:
        self.calls += 1
        if self.calls >= self._wanted:
            self.enough.set()


@pytest.fixture
def arrived(monkeypatch: pytest.MonkeyPatch) -> Reached:
    """Counts the requests that asked whether they are known; as many as there are equal ones."""
    reached, real = Reached(MANY), again.asked

    def asked(*arguments: Any) -> Any:
        reached.count()
        return real(*arguments)

    monkeypatch.setattr(again, "asked", asked)
    return reached


class Detection:
    """Detection that waits until it is let go; ``fails`` says which of its calls does."""

    def __init__(self, plane: Plane, monkeypatch: pytest.MonkeyPatch) -> None:
        self.go, self.asked = asyncio.Event(), 0
        self.fails: Callable[[int], bool] = lambda _: False
        self.begun = Reached(1)
        self._real = plane.detectors.analyse
        monkeypatch.setattr(plane.detectors, "analyse", self._analyse)

    async def _analyse(self, texts: Any, **more: Any) -> Any:
        if QUERY not in texts:
            return await self._real(texts, **more)
        self.asked += 1
        turn = self.asked
        self.begun.count()
        await self.go.wait()
        if self.fails(turn):
            raise DetectionUnavailable("no")
        return await self._real(texts, **more)


@pytest_asyncio.fixture(loop_scope="session")
async def known(faulty: Plane) -> Plane:
    """The first use of a key is noted beside the request: that commit is over."""
    await faulty.call("POST", "/search", SEARCH | {"query": "something else"})
    noting = [task for task in asyncio.all_tasks() if task.get_name() == "touch-key"]
    await asyncio.gather(*noting)
    return faulty


@pytest.fixture
def detection(known: Plane, monkeypatch: pytest.MonkeyPatch) -> Detection:
    """Detection of the known plane, held up."""
    return Detection(known, monkeypatch)


def many(plane: Plane, path: str, body: Any) -> list["asyncio.Task[tuple[int, Any]]"]:
    """Equal requests, begun at once."""
    return [asyncio.ensure_future(plane.call("POST", path, body)) for _ in range(MANY)]


async def test_equal_reads_at_once_are_scanned_once_and_each_is_sent(
    known: Plane, faults: FaultStore, arrived: Reached, detection: Detection
) -> None:
    """One is understood, the others wait for it and go on as if it had been before them."""
    faults.requests.clear()
    asking = many(known, "/search", SEARCH)
    await arrived.enough.wait()
    detection.go.set()
    assert [status for status, _ in await asyncio.gather(*asking)] == [200] * MANY
    assert detection.asked == 1
    assert len(faults.requests) == MANY


async def test_equal_answers_at_once_are_judged_once(
    known: Plane, faults: FaultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store hears all of them; its answer is looked at once while it is the same."""
    at_store, judged, real = Reached(MANY), Reached(1), items.sift

    async def all_there(_: Received) -> Any:
        at_store.count()
        await at_store.enough.wait()
        return answer({"results": []})

    async def sift(*arguments: Any) -> Any:
        judged.count()
        return await real(*arguments)

    faults.script = all_there
    monkeypatch.setattr(again, "sift", sift)
    answers = await asyncio.gather(*many(known, "/search", SEARCH))
    assert answers == [(200, {"results": []})] * MANY
    assert judged.calls == 1


async def test_other_answers_at_once_are_judged_each(
    known: Plane, faults: FaultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer is not the same because it came at the same time."""
    at_store = Reached(MANY)

    async def numbered(_: Received) -> Any:
        at_store.count()
        mine = at_store.calls
        await at_store.enough.wait()
        return answer({"results": [], "turn": mine})

    faults.script = numbered
    answers = await asyncio.gather(*many(known, "/search", SEARCH))
    assert {said["turn"] for _, said in answers} == set(range(1, MANY + 1))


async def test_one_that_fails_takes_nobody_along(
    known: Plane, arrived: Reached, detection: Detection
) -> None:
    """A refusal is the refusal of one request; the next is understood by itself."""
    detection.fails = lambda turn: turn == 1
    asking = many(known, "/search", SEARCH)
    await arrived.enough.wait()
    detection.go.set()
    statuses = [status for status, _ in await asyncio.gather(*asking)]
    assert sorted(statuses) == [200] * (MANY - 1) + [503]


Twin = Callable[[Plane], Awaitable[tuple[int, Any]]]
TWINS: list[Any] = [
    pytest.param(lambda p: p.call("POST", "/search", SEARCH, tenant="globex"), id="tenant"),
    pytest.param(lambda p: p.call("POST", "/search", SEARCH | {"top_k": 3}), id="body"),
    pytest.param(lambda p: p.call("GET", "/v1/ping/"), id="route"),
]


@pytest.mark.parametrize("other", TWINS)
async def test_who_asks_something_else_does_not_wait(
    known: Plane, detection: Detection, other: Twin
) -> None:
    """Only what is equal byte for byte, from the same caller, is one read."""
    first = asyncio.ensure_future(known.call("POST", "/search", SEARCH))
    await detection.begun.enough.wait()
    detection.begun = Reached(1)
    beside = asyncio.ensure_future(other(known))
    scanned = asyncio.ensure_future(detection.begun.enough.wait())
    await asyncio.wait({beside, scanned}, return_when=asyncio.FIRST_COMPLETED)
    scanned.cancel()
    assert not first.done()
    detection.go.set()
    assert [(await each)[0] for each in (first, beside)] == [200, 200]


async def test_equal_writes_do_not_wait_for_each_other(
    known: Plane, faults: FaultStore, detection: Detection
) -> None:
    """A write is never the same as another."""
    detection.begun = Reached(MANY)
    writing = many(known, "/memories", WRITE)
    await detection.begun.enough.wait()
    detection.go.set()
    assert [status for status, _ in await asyncio.gather(*writing)] == [200] * MANY
    assert detection.asked == MANY


async def test_a_read_that_cannot_be_kept_lets_the_others_go_on(
    known: Plane, faults: FaultStore
) -> None:
    """What is hidden from a query is hidden from each of several at once."""
    body = SEARCH | {"query": "mail of alva.brenn@example.org"}
    answers = await asyncio.gather(*many(known, "/search", body))
    assert [status for status, _ in answers] == [200] * MANY
    assert all(b"alva.brenn" not in request.body for request in faults.requests)


ENDS: list[Any] = [
    pytest.param("POST", "/search", SEARCH, {}, 200, id="understood"),
    pytest.param("GET", "/v1/ping/", None, {}, 200, id="passed"),
    pytest.param("POST", "/memories", WRITE, {}, 200, id="written"),
    pytest.param("POST", "/search", SEARCH, {"tenant": None}, 401, id="nobody"),
    pytest.param("POST", "/search", {"query": QUERY}, {}, 400, id="refused"),
    pytest.param("GET", "/unheard/of", None, {}, 403, id="not-covered"),
    pytest.param("GET", "/memories/00000000-0000-4000-8000-000000000009", None, {}, 200,
                 id="absent"),
    pytest.param("POST", "/search", SEARCH, {"headers": {"Expect": "100-continue"}}, 200,
                 id="body-held-back"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body", "more", "status"), ENDS)
async def test_however_a_request_ends_nobody_waits_for_it_any_longer(
    known: Plane, method: str, path: str, body: Any, more: dict[str, Any], status: int
) -> None:
    """What is under way is let go by every way out."""
    for _ in range(2):
        assert (await known.call(method, path, body, **more))[0] == status
        assert not known.services.repeats._under_way


async def test_detection_that_fails_leaves_nobody_waiting(
    known: Plane, detection: Detection
) -> None:
    """503 to each, one after the other."""
    detection.fails = lambda _: True
    detection.go.set()
    for _ in range(2):
        assert (await known.call("POST", "/search", SEARCH))[0] == 503
        assert not known.services.repeats._under_way
