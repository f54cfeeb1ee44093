"""The sweeper: what has ended goes, what is kept stays, and a clock that jumps deletes nothing."""

from datetime import timedelta

import pytest

from proxy.clock import FrozenClock
from proxy.ledger import memories
from proxy.retention.sweeper import Sweeper
from proxy.rights.holds import Holds, Keeping
from tests.support.erasing import OPERATOR, Erasing


@pytest.fixture
def sweeper(bench: Erasing) -> Sweeper:
    """A sweeper on the same ledger."""
    return Sweeper(bench.means, bench.service)


async def ending(bench: Erasing, text: str, days: int, tier: str = "short_term") -> str:
    """A memory whose period ends in some days."""
    memory_id = await bench.remember("u-1", text, mentions=[])
    names = await bench.means.keyring.tenant(bench.tenant_id)
    ref = memories.ref(names, "mem0", memory_id)
    found = await bench.ledger.read(lambda tx: memories.by_refs(tx, bench.tenant_id, "mem0", [ref]))
    end = bench.means.clock.now() + timedelta(days=days)
    await bench.ledger.write(
        lambda tx: memories.change(tx, found[ref].id, expires_at=end, tier=tier)
    )
    return memory_id


async def test_what_has_ended_goes_and_the_rest_stays(
    bench: Erasing, sweeper: Sweeper, clock: FrozenClock
) -> None:
    """On day eight the seven-day memory is gone, the ten-day one is not."""
    await ending(bench, "Short note", 7)
    await ending(bench, "Longer note", 10)
    assert (await sweeper.run_once()).erased == 0
    clock.advance(timedelta(days=8))
    result = await sweeper.run_once()
    assert (result.erased, result.suspended) == (1, False)
    assert await bench.texts("u-1") == ["Longer note"]
    (view,), _ = await bench.service.list(bench.tenant_id)
    assert (view.origin, view.state) == ("sweeper", "complete")


async def test_a_prompted_memory_waits_for_silence(
    bench: Erasing, sweeper: Sweeper, clock: FrozenClock
) -> None:
    """Hidden at its end, erased a week later."""
    await ending(bench, "Asked about", 1, tier="medium_term")
    clock.advance(timedelta(days=2))
    result = await sweeper.run_once()
    assert (result.erased, result.waiting) == (0, 1)
    clock.advance(timedelta(days=7))
    assert (await sweeper.run_once()).erased == 1


async def test_what_is_held_is_not_swept(
    bench: Erasing, sweeper: Sweeper, clock: FrozenClock
) -> None:
    """A hold outlives the period, and no erasure is opened in vain."""
    memory_id = await ending(bench, "Evidence", 1)
    await Holds(bench.means, bench.service).hold(
        bench.tenant_id, actor=OPERATOR, keeping=Keeping("legal_claims"), memory_id=memory_id
    )
    clock.advance(timedelta(days=2))
    assert (await sweeper.run_once()).held == 1
    assert await bench.texts("u-1") == ["Evidence"]


async def test_a_clock_that_jumps_deletes_nothing(
    bench: Erasing, sweeper: Sweeper, clock: FrozenClock
) -> None:
    """A year ahead at once is no passing of time, until an operator says so."""
    await ending(bench, "Short note", 7)
    await sweeper.run_once()
    clock.advance(timedelta(days=366))
    result = await Sweeper(bench.means, bench.service).run_once()
    assert (result.suspended, result.erased) == (True, 0)
    assert await bench.texts("u-1") == ["Short note"]
    assert (await sweeper.run_once(trust_clock=True)).erased == 1


async def test_a_clock_that_goes_back_is_noticed(
    bench: Erasing, sweeper: Sweeper, clock: FrozenClock
) -> None:
    """Before the last sweep there can be no sweep."""
    await sweeper.run_once()
    clock.advance(timedelta(days=-2))
    assert (await Sweeper(bench.means, bench.service).run_once()).suspended


async def test_an_ended_session_goes_at_once(
    bench: Erasing, sweeper: Sweeper, clock: FrozenClock
) -> None:
    """Ephemeral memories end with the session, others do not."""
    await ending(bench, "Is at the station", 300, tier="ephemeral")
    await ending(bench, "Likes trains", 300, tier="long_term")
    assert await sweeper.end_session(bench.tenant_id, "user", "u-1") == 1
    assert (await sweeper.run_once()).erased == 1
    assert await bench.texts("u-1") == ["Likes trains"]
