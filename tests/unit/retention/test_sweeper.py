"""The sweeper: what has ended goes, what is kept stays, and a clock that jumps deletes nothing."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

import policies
from proxy.clock import FrozenClock
from proxy.ledger import audit, memories
from proxy.retention.sweeper import SWEPT, Sweeper
from proxy.rights.holds import Holds, Keeping
from proxy.tokens.vault import Mention
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


def keeping(bench: Erasing, lines: str) -> None:
    """Put another policy in place."""
    head = "apiVersion: expunge/v1\nkind: Policy\nname: keeping\nextends: builtin/gdpr-default\n"
    policy = policies.load_text((head + lines).encode(), "keeping.yaml")
    bench.means = replace(bench.means, policies=lambda _: policy)


async def row_of(bench: Erasing, memory_id: str) -> str:
    """Row id of a memory."""
    names = await bench.means.keyring.tenant(bench.tenant_id)
    ref = memories.ref(names, "mem0", memory_id)
    found = await bench.ledger.read(lambda tx: memories.by_refs(tx, bench.tenant_id, "mem0", [ref]))
    return found[ref].id


async def change(bench: Erasing, memory_id: str, **fields: Any) -> None:
    """Change a memory's row."""
    row_id = await row_of(bench, memory_id)
    await bench.ledger.write(lambda tx: memories.change(tx, row_id, **fields))


async def sweeps(bench: Erasing) -> list[tuple[str, int]]:
    """Reasons and numbers of the audit log's sweeps."""
    entries = await bench.ledger.read(lambda tx: audit.unsequenced(tx, 1_000))
    told = [json.loads(entry.leaf) for entry in entries if SWEPT.encode() in entry.leaf]
    return [(each["fields"]["reason"], each["fields"]["count"]) for each in told]


@pytest.mark.parametrize(
    ("policy", "reviewed", "days", "gone"),
    [
        pytest.param("poisoning: {release_after: P30D}\n", False, 31, True, id="past its time"),
        pytest.param("poisoning: {release_after: P30D}\n", False, 29, False, id="within its time"),
        pytest.param("poisoning: {release_after: P30D}\n", True, 31, False, id="released in time"),
        pytest.param("", False, 400, False, id="no limit given"),
        pytest.param(
            "poisoning: {release_after: P30D}\nretention: {automatic: false}\n", False, 31, False,
            id="nothing by itself",
        ),
    ],
)  # fmt: skip
async def test_what_nobody_looked_at_goes(
    bench: Erasing, clock: FrozenClock, policy: str, *, reviewed: bool, days: int, gone: bool
) -> None:
    """A quarantined memory is erased when its time for review is over, and the log says why."""
    keeping(bench, policy)
    memory_id = await bench.remember("u-1", "Suspicious words", mentions=[])
    await change(bench, memory_id, state="live" if reviewed else "quarantined")
    clock.advance(timedelta(days=days))
    result = await Sweeper(bench.means, bench.service).run_once()
    assert (result.erased, await bench.texts("u-1")) == (
        (1, []) if gone else (0, ["Suspicious words"])
    )
    assert await sweeps(bench) == ([("quarantine_ended", 1)] if gone else [])


async def test_an_update_starts_the_time_for_review_anew(
    bench: Erasing, clock: FrozenClock
) -> None:
    """Held since the update that was suspicious, not since the memory was made."""
    keeping(bench, "poisoning: {release_after: P30D}\n")
    memory_id = await bench.remember("u-1", "Harmless once", mentions=[])
    clock.advance(timedelta(days=25))
    await change(bench, memory_id, state="quarantined", updated_at=clock.now())
    clock.advance(timedelta(days=25))
    sweeper = Sweeper(bench.means, bench.service)
    assert (await sweeper.run_once()).erased == 0
    clock.advance(timedelta(days=6))
    assert (await sweeper.run_once()).erased == 1


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        pytest.param("decay: {strategy: fifo, budget: 2}", {"3", "4"}, id="the oldest go"),
        pytest.param("decay: {strategy: fifo, budget: 4}", {"1", "2", "3", "4"}, id="room for all"),
        pytest.param("decay: {budget: 2}", {"1", "2", "3", "4"}, id="no strategy"),
        pytest.param(
            "automatic: false\n  decay: {strategy: fifo, budget: 2}", {"1", "2", "3", "4"},
            id="nothing by itself",
        ),
    ],
)  # fmt: skip
async def test_an_owner_keeps_what_the_budget_has_room_for(
    bench: Erasing, clock: FrozenClock, lines: str, left: set[str]
) -> None:
    """Beyond it the oldest are erased; another owner's are counted apart."""
    keeping(bench, f"retention:\n  {lines}\n")
    for text in ("1", "2", "3", "4"):
        await bench.remember("u-1", text, mentions=[])
        clock.advance(timedelta(hours=1))
    await bench.remember("u-2", "other", mentions=[])
    result = await Sweeper(bench.means, bench.service).run_once()
    assert (result.erased, set(await bench.texts("u-1"))) == (4 - len(left), left)
    assert await bench.texts("u-2") == ["other"]
    assert await sweeps(bench) == ([("over_budget", 4 - len(left))] if len(left) < 4 else [])


async def test_random_leaves_as_many_as_there_is_room_for(
    bench: Erasing, clock: FrozenClock
) -> None:
    """Any of them may go, but no more than have to, and what is pinned or held stays."""
    keeping(bench, "retention:\n  decay: {strategy: random, budget: 3}\n")
    made = {str(n): await bench.remember("u-1", str(n), mentions=[]) for n in range(6)}
    await change(bench, made["0"], pinned=True)
    sweeper = Sweeper(bench.means, bench.service)
    assert (await sweeper.run_once()).erased == 3
    kept = set(await bench.texts("u-1"))
    assert len(kept) == 3
    assert "0" in kept
    assert (await sweeper.run_once()).erased == 0


async def test_what_is_held_is_not_evicted(bench: Erasing, clock: FrozenClock) -> None:
    """A legal hold goes before a budget."""
    keeping(bench, "retention:\n  decay: {strategy: fifo, budget: 1}\n")
    first = await bench.remember("u-1", "Evidence", mentions=[])
    clock.advance(timedelta(hours=1))
    await bench.remember("u-1", "Newer", mentions=[])
    await Holds(bench.means, bench.service).hold(
        bench.tenant_id, actor=OPERATOR, keeping=Keeping("legal_claims"), memory_id=first
    )
    result = await Sweeper(bench.means, bench.service).run_once()
    assert (result.held, result.erased) == (1, 0)
    assert set(await bench.texts("u-1")) == {"Evidence", "Newer"}


async def opens(bench: Erasing, name: str) -> bool:
    """Whether the vault knows a name."""
    return bool((await bench.means.vault.resolve(bench.tenant_id, name)).certain)


async def test_what_nothing_mentions_ends_after_a_day(
    bench: Erasing, sweeper: Sweeper, clock: FrozenClock
) -> None:
    """A name minted for a search alone; one that a memory mentions stays."""
    sought, said = Mention("PERSON", "Sten Lode"), Mention("PERSON", "Alva Brenn")
    await bench.remember("u-1", "Met Alva Brenn", mentions=[said])
    await bench.ledger.write(
        lambda tx: bench.means.vault.tokenise(tx, bench.tenant_id, [sought, said])
    )
    clock.advance(timedelta(hours=1))
    await sweeper.run_once()
    assert await opens(bench, "Sten Lode")
    clock.advance(timedelta(days=1))
    await sweeper.run_once()
    assert not await opens(bench, "Sten Lode")
    assert await opens(bench, "Alva Brenn")
