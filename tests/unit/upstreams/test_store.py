"""The store as erasure sees it: complete lists, honest outcomes."""

import random
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from proxy.upstreams import store
from proxy.upstreams.binding import UpstreamBinding, connect
from proxy.upstreams.errors import StoreUnavailable, StoreUnknown
from proxy.upstreams.selectors import SelectorError, parse, parse_any, slots
from tests.support.fault_store import FaultStore, Received, answer, fault_store

OWNER = {"user": "t-abc"}


def item(number: int) -> dict[str, Any]:
    return {"id": f"m-{number}", "memory": f"note {number}", "user_id": "t-abc", "metadata": {}}


@pytest.fixture
async def faults() -> AsyncIterator[FaultStore]:
    """A store that does as it is told."""
    async with fault_store() as store:
        yield store


@pytest.fixture
async def platform(faults: FaultStore) -> AsyncIterator[UpstreamBinding]:
    """The platform's dialect."""
    binding = connect("mem0", faults.url, profiles=["mem0-platform"], key="k")
    yield binding
    await binding.close()


@pytest.fixture
async def oss(faults: FaultStore) -> AsyncIterator[UpstreamBinding]:
    """The open-source server's dialect."""
    binding = connect("mem0", faults.url, profiles=["mem0-oss"], key="k")
    yield binding
    await binding.close()


async def ids(binding: UpstreamBinding, owners: Any = OWNER) -> list[str]:
    return [found.memory_id async for found in binding.store.crawl(owners)]


def paged(total: int, lose: int = 0) -> Any:
    """Pages of a list; the first run through loses some items to shifting pages."""
    calls = []

    def script(request: Received) -> web.Response:
        number = int(request.target.split("page=")[1].split("&")[0])
        size = int(request.target.split("page_size=")[1].split("&")[0])
        calls.append(number)
        first_time = calls.count(number) == 1
        shown = [item(n) for n in range((number - 1) * size, min(total, number * size))]
        shown = shown[lose:] if first_time and number == 2 else shown
        return answer({"count": total, "next": None, "results": shown})

    return script


@pytest.mark.parametrize("total", [0, 1, 99, 100, 101, 1250])
async def test_a_crawl_takes_every_page(
    platform: UpstreamBinding, faults: FaultStore, total: int
) -> None:
    """Each item once, whatever the number of pages."""
    faults.script = paged(total)
    assert sorted(await ids(platform)) == sorted(f"m-{n}" for n in range(total))


async def test_a_crawl_notices_that_pages_shifted(
    platform: UpstreamBinding, faults: FaultStore
) -> None:
    """Fewer items than the count says: it looks again."""
    faults.script = paged(250, lose=7)
    assert len(await ids(platform)) == 250


async def test_a_crawl_reaches_beyond_the_cap_of_a_list(
    oss: UpstreamBinding, faults: FaultStore
) -> None:
    """The list ends at 1000 in random order; wide searches bring the rest."""
    total, dice = 1800, random.Random(5)
    everything = [item(n) for n in range(total)]

    def script(request: Received) -> web.Response:
        if request.method == "GET":
            return answer({"results": dice.sample(everything, 1000)})
        return answer({"results": [each for each in everything if dice.random() < 0.996]})

    faults.script = script
    assert len(await ids(oss)) == total


async def test_expired_memories_are_crawled_too(
    platform: UpstreamBinding, oss: UpstreamBinding, faults: FaultStore
) -> None:
    """What the store hides is asked for."""
    faults.script = lambda _: answer({"count": 0, "results": []})
    await ids(platform)
    await ids(oss)
    assert faults.requests[0].json()["show_expired"] is True
    assert "show_expired=true" in faults.requests[1].target


DELETES = [
    pytest.param(200, True, id="done"), pytest.param(204, True, id="done-silently"),
    pytest.param(404, False, id="absent"), pytest.param(500, StoreUnknown, id="failed"),
    pytest.param(502, StoreUnknown, id="bad-gateway"), pytest.param(302, StoreUnknown, id="moved"),
    pytest.param(429, StoreUnavailable, id="busy"),
    pytest.param(401, StoreUnavailable, id="denied"),
    pytest.param(503, StoreUnavailable, id="down"),
]  # fmt: skip


@pytest.mark.parametrize(("status", "expected"), DELETES)
async def test_a_delete_tells_done_absent_and_unknown_apart(
    platform: UpstreamBinding, faults: FaultStore, monkeypatch: pytest.MonkeyPatch, status: int,
    expected: Any,
) -> None:  # fmt: skip
    """A status that proves nothing is not taken for success."""
    monkeypatch.setattr(store, "PATIENCE_S", 0)
    faults.script = lambda _: web.Response(status=status)
    if isinstance(expected, bool):
        assert await platform.store.delete("m-1") is expected
        return
    with pytest.raises(expected):
        await platform.store.delete("m-1")


async def test_a_busy_store_says_when_to_come_back(
    platform: UpstreamBinding, faults: FaultStore
) -> None:
    """Retry-After is handed on where it is longer than one request waits."""
    faults.script = lambda _: answer({}, 429, **{"Retry-After": "70"})
    with pytest.raises(StoreUnavailable) as caught:
        await platform.store.delete("m-1")
    assert caught.value.retry_after == 70


async def test_gone_is_null_or_404(
    platform: UpstreamBinding, oss: UpstreamBinding, faults: FaultStore
) -> None:
    """Both dialects say absent in their own way; a failure is neither."""
    faults.script = lambda _: answer({"detail": "no"}, 404)
    assert await platform.store.get("m-1") is None
    faults.script = lambda _: answer(None)
    assert await oss.store.get("m-1") is None
    faults.script = lambda _: answer(item(1))
    found = await oss.store.get("m-1")
    assert found is not None
    assert (found.text, found.owners) == ("note 1", {"user": "t-abc"})
    faults.script = lambda _: answer({}, 500)
    with pytest.raises(StoreUnknown):
        await oss.store.get("m-1")


async def test_an_incomplete_crawl_is_no_crawl(
    platform: UpstreamBinding, faults: FaultStore
) -> None:
    """A page that fails ends it with an error, not with fewer items."""
    pages = paged(250)
    faults.script = lambda r: answer({}, 500) if "page=2" in r.target else pages(r)
    with pytest.raises(StoreUnknown):
        await ids(platform)


async def test_history_shows_every_text_that_is_left(
    platform: UpstreamBinding, faults: FaultStore
) -> None:
    """Old and new texts, and the raw conversation in `input`."""
    row = {
        "memory_id": "m-1", "old_memory": None, "new_memory": "new",
        "input": [{"role": "user", "content": "raw"}],
    }  # fmt: skip
    faults.script = lambda _: answer([row])
    assert await platform.store.history("m-1") == ["new", "user", "raw"]


@pytest.mark.parametrize("text", ["a", "$..a", "$.a[", "$.a[-1]", "body:x", "", "$a"])
def test_a_selector_outside_the_subset_is_refused(text: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(SelectorError):
        parse(text)


def test_selectors_reach_values_in_place() -> None:
    """Members, every element, one element, alternatives."""
    body = {"a": [{"b": 1}, {"b": 2}, 3], "c": {"d": 4}}
    found = list(slots(parse("$.a[*].b"), [body], 0))
    for slot in found:
        slot.value = slot.value * 10
    assert [part["b"] for part in body["a"][:2]] == [10, 20]  # type: ignore[index]
    assert [slot.value for slot in slots(parse("$.a[2]"), [body], 0)] == [3]
    assert [slot.value for slot in slots(parse("$.c[*]"), [body], 0)] == [4]
    assert list(slots(parse("$.a.b"), [body], 0)) == []
    assert len(parse_any("@.x|@.y")) == 2


ASKS = [
    pytest.param(lambda store, owners: store.search(owners, "tea"), id="search"),
    pytest.param(lambda store, owners: store.add(owners, "tea", {}), id="add"),
    pytest.param(lambda store, owners: anext(store.crawl(owners), None), id="crawl"),
]


@pytest.mark.parametrize("ask", ASKS)
async def test_what_names_no_owner_is_never_asked(
    platform: UpstreamBinding, faults: FaultStore, ask: Any
) -> None:
    """A filter without owners would mean everybody's; with one the store is asked."""
    faults.script = lambda _: answer({"count": 0, "next": None, "results": []})
    with pytest.raises(ValueError, match="owner"):
        await ask(platform.store, {})
    assert faults.requests == []
    await ask(platform.store, OWNER)
    assert faults.requests


async def test_nobody_is_primed_for_what_has_no_owner(
    platform: UpstreamBinding, faults: FaultStore
) -> None:
    """A memory that the store shows no more has no owners left; any other is searched for."""
    await platform.store.prime({})
    assert faults.requests == []
    await platform.store.prime(OWNER)
    assert len(faults.requests) == 1


@pytest.mark.parametrize("headers", [{"Retry-After": "1"}, {}], ids=["asked", "doubled"])
async def test_a_store_that_asks_for_a_moment_gets_it(
    platform: UpstreamBinding, faults: FaultStore, monkeypatch: pytest.MonkeyPatch,
    headers: dict[str, str],
) -> None:  # fmt: skip
    """A rate limit in the middle of a list neither ends it nor leaves a page out."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(store.asyncio, "sleep", sleep)
    listed, refused = paged(250), [True, True, False, True, False]

    def script(request: Received) -> web.Response:
        busy = refused.pop() if refused else False
        return answer({}, 429, **headers) if busy else listed(request)

    faults.script = script
    assert len(await ids(platform)) == 250
    assert pauses == ([1.0] * 3 if headers else [0.5, 1.0, 2.0])


async def test_patience_ends(
    platform: UpstreamBinding, faults: FaultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that goes on refusing is away; who asks comes again later."""
    monkeypatch.setattr(store, "FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(store, "PATIENCE_S", 0.05)
    faults.script = lambda _: answer({}, 429)
    with pytest.raises(StoreUnavailable):
        await platform.store.get("m-1")
    assert len(faults.requests) == 3
