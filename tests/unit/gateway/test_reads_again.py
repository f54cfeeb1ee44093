"""A read that comes again is understood once, and shows what it would show if it were new."""

import asyncio
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from proxy.clock import FrozenClock
from proxy.gateway import repeats
from proxy.gateway.again import asked
from proxy.gateway.exchange import RawCall
from proxy.gateway.identity.identify import Authenticator
from proxy.gateway.repeats import Repeats
from proxy.ledger import counters
from proxy.ledger.engine import Ledger
from tests.support.fault_store import FaultStore, answer
from tests.support.gateway import Plane
from tests.support.ledger import START

QUERY = "which bread is it"
SEARCH = {"query": QUERY, "filters": {"user_id": "u-1"}}


async def search(plane: Plane, body: Any = SEARCH, **more: Any) -> Any:
    """A search's answer."""
    status, found = await plane.call("POST", "/search", body, **more)
    assert status == 200, found
    return found


async def known(plane: Plane) -> None:
    """The first use of a key is noted beside the request: let that commit be over."""
    await search(plane)
    noting = [task for task in asyncio.all_tasks() if task.get_name() == "touch-key"]
    await asyncio.gather(*noting)
    plane.detectors.seen.clear()


async def commit(plane: Plane) -> None:
    """Change the ledger, no matter what."""
    await plane.services.ledger.write(lambda tx: counters.raise_by(tx, "of-a-test"))


async def test_the_same_search_is_scanned_once_and_sent_each_time(
    faulty: Plane, faults: FaultStore
) -> None:
    """The store is the only one to know what it holds by then."""
    await known(faulty)
    for number in range(4):
        faults.script = lambda _, number=number: answer({"results": [], "turn": number})
        assert await search(faulty) == {"results": [], "turn": number}
    assert faulty.detectors.seen.count(QUERY) == 1
    assert len({request.body for request in faults.requests}) == 1
    assert len(faults.requests) == 5


async def later(plane: Plane) -> None:
    """A second goes by."""
    plane.clock.advance(timedelta(seconds=1))


@pytest.mark.parametrize("event", [commit, later])
async def test_whatever_may_change_the_meaning_ends_it(
    faulty: Plane, faults: FaultStore, event: Any
) -> None:
    """A commit of anybody, and time."""
    await known(faulty)
    await search(faulty)
    faulty.detectors.seen.clear()
    await event(faulty)
    await search(faulty)
    assert faulty.detectors.seen.count(QUERY) == 1


OTHERS: list[Any] = [
    pytest.param({"body": SEARCH | {"top_k": 3}}, id="body"),
    pytest.param({"headers": {"X-Note": "rye"}}, id="header"),
    pytest.param({"tenant": "globex"}, id="tenant"),
    pytest.param({"headers": {"Expunge-Purpose": "support"}}, id="purpose"),
]


async def test_answers_that_change_to_and_fro_are_shown_as_they_are(
    faulty: Plane, faults: FaultStore
) -> None:
    """Also where a request takes over what one before it was served with, and several at once."""
    await known(faulty)
    for number in (1, 1, 1, 2, 2, 1, 1, 2, 1):
        faults.script = lambda _, number=number: answer({"results": [], "turn": number})
        found = await asyncio.gather(*(search(faulty) for _ in range(3)))
        assert found == [{"results": [], "turn": number}] * 3


@pytest.mark.parametrize("other", OTHERS)
async def test_another_request_is_understood_anew(
    faulty: Plane, faults: FaultStore, other: dict[str, Any]
) -> None:
    """Another body, header, tenant or purpose means something else."""
    await known(faulty)
    await search(faulty)
    faulty.detectors.seen.clear()
    await search(faulty, **other)
    assert faulty.detectors.seen.count(QUERY) == 1


async def test_what_is_hidden_from_a_search_is_hidden_each_time(plane: Plane) -> None:
    """A search whose words are changed on the way has to be changed each time."""
    for _ in range(3):
        found = await search(plane, SEARCH | {"query": "mail of alva.brenn@example.org"})
        assert "alva.brenn@example.org" not in str(found)


async def test_another_answer_is_judged_anew(plane: Plane) -> None:
    """What came to the store since is shown, what went is not."""
    first = await plane.add("likes rye bread")
    assert [each["id"] for each in (await search(plane))["results"]] == [first]
    second = await plane.add("likes oat bread")
    for _ in range(2):
        assert {each["id"] for each in (await search(plane))["results"]} == {first, second}
    assert (await plane.call("DELETE", f"/memories/{first}"))[0] == 200
    for _ in range(2):
        assert [each["id"] for each in (await search(plane))["results"]] == [second]


async def test_the_same_bytes_with_another_status_are_another_answer(
    faulty: Plane, faults: FaultStore
) -> None:
    """A refusal with the words of a list is judged as a refusal."""
    said = {"results": [], "soup": 3}
    await known(faulty)
    found = []
    for status in (200, 400, 200):
        faults.script = lambda _, status=status: answer(said, status)
        found.append(await faulty.call("POST", "/search", SEARCH))
    assert [status for status, _ in found] == [200, 400, 200]
    assert [body == said for _, body in found] == [True, False, True]


async def test_an_item_that_the_store_slips_in_is_judged(faulty: Plane, faults: FaultStore) -> None:
    """An answer is not the one before because it answers the same request."""
    assert (await search(faulty))["results"] == []
    foreign = {"id": "7", "memory": "likes rye bread", "user_id": "somebody-else"}
    faults.script = lambda _: answer({"results": [foreign]})
    for _ in range(2):
        assert (await search(faulty))["results"] == []


@pytest.fixture
async def ledger(tmp_path: Any, sqlite_template: Any) -> Any:
    """A ledger of its own."""
    shutil.copy(sqlite_template, tmp_path / "ledger.db")
    found = await Ledger.open(f"sqlite+aiosqlite:///{tmp_path}/ledger.db")
    yield found
    await found.close()


async def test_with_its_moment_each_goes(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Content is not kept longer than it may be of use; nor more of it than is allowed."""
    clock, known, half = FrozenClock(START), Repeats(), timedelta(milliseconds=500)
    monkeypatch.setattr(repeats, "REQUESTS", 2)
    first = known.at(ledger, clock)
    assert first is not None
    known.keep("a", "A", first)
    clock.advance(half)
    await asyncio.sleep(0)  # there is one moment in a turn of the loop
    second = known.at(ledger, clock)
    assert second is not None
    for key in ("b", "c"):
        known.keep(key, key.upper(), second)
    assert [known.known(key, second) for key in ("a", "b", "c")] == ["A", "B", None]
    clock.advance(half)
    await asyncio.sleep(0)
    third = known.at(ledger, clock)
    assert third is not None
    assert [known.known(key, third) for key in ("a", "b")] == [None, "B"]
    known.keep("c", "C", third)
    assert known.known("c", third) == "C", "there is room again"
    with closing(sqlite3.connect(str(ledger.path), isolation_level=None)) as other:
        other.execute("PRAGMA user_version = 7")
    await asyncio.sleep(0)  # the state is asked for once in a turn of the loop
    changed = known.at(ledger, clock)
    assert changed is not None
    assert [known.known(key, changed) for key in ("b", "c")] == [None, None]


@pytest.mark.parametrize(("after", "left"), [(499, 64), (625, 48), (750, 32), (1000, 0)])
async def test_what_began_at_once_does_not_end_at_once(
    ledger: Ledger, after: int, left: int
) -> None:
    """Else all of it would be understood anew at once, and everybody would wait for it."""
    clock, known = FrozenClock(START), Repeats()
    first = known.at(ledger, clock)
    assert first is not None
    for key in range(64):
        known.keep(key, "said", first)
    clock.advance(timedelta(milliseconds=after))
    await asyncio.sleep(0)
    now = known.at(ledger, clock)
    assert now is not None
    assert sum(known.known(key, now) is not None for key in range(64)) == left


async def test_a_clock_that_goes_back_ends_it(ledger: Ledger) -> None:
    """What was understood later than now was understood at another time."""
    clock, known = FrozenClock(START), Repeats()
    first = known.at(ledger, clock)
    assert first is not None
    known.keep("a", "A", first)
    clock.advance(timedelta(seconds=-1))
    await asyncio.sleep(0)
    before = known.at(ledger, clock)
    assert before is not None
    assert known.known("a", before) is None


async def test_nothing_stays_when_nobody_asks(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that is idle holds no content of its last requests."""
    monkeypatch.setattr(repeats, "SECONDS", 0.0)
    known = Repeats()
    now = known.at(ledger, FrozenClock(START))
    assert now is not None
    known.keep("a", "A", now)
    async with asyncio.timeout(60):
        while known.known("a", now) is not None:  # noqa: ASYNC110  (a timer is waited for)
            await asyncio.sleep(0)


async def test_a_ledger_that_cannot_tell_its_state_has_no_moments(ledger: Ledger) -> None:
    """As the one of a server: then every request is new."""
    clock, known = FrozenClock(START), Repeats()
    assert known.at(ledger, clock) is not None
    ledger.recall.close()
    assert known.at(ledger, clock) is None


async def test_a_credential_is_looked_up_with_all_else(faulty: Plane) -> None:
    """Another one is asked for anew, and so is the same one once its time is over."""
    services, ends = faulty.services, faulty.clock.now() + timedelta(seconds=1)
    auth = Authenticator(services.ledger, services.keyring, faulty.clock)
    short = await services.ledger.write(
        lambda tx: auth.issue_key(tx, faulty.tenants["acme"], expires_at=ends)
    )
    holder = {"Authorization": f"Token {short}"}
    await known(faulty)
    for _ in range(2):
        await search(faulty, headers=holder)
    wrong = {"Authorization": f"Token {short}x"}
    assert (await faulty.call("POST", "/search", SEARCH, headers=wrong))[0] == 401
    await later(faulty)
    assert (await faulty.call("POST", "/search", SEARCH, headers=holder))[0] == 401
    await search(faulty)


async def test_the_same_bytes_from_another_certificate_are_another_request(faulty: Plane) -> None:
    """Where TLS names the caller, its name is a part of what was asked."""
    bare = RawCall("GET", "/memories", (), b"", "https://x", "127.0.0.1")
    shown = [{"subjectAltName": (("DNS", name),)} for name in ("a.example", "a.example", "b")]
    calls = [bare, *(replace(bare, certificate=certificate) for certificate in shown)]
    none, one, same, other = (asked(call, faulty.services) for call in calls)
    assert none is not None
    assert one is not None
    assert same is not None
    assert other is not None
    assert one.key == same.key
    assert len({none.key, one.key, other.key}) == 3
