"""Owners, writes, memories and provenance, on both databases."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy import ids
from proxy.clock import FrozenClock
from proxy.ledger import holds, memories, owners, provenance, writes
from proxy.ledger.engine import Ledger
from proxy.ledger.memories import Memory
from proxy.ledger.owners import Owner
from proxy.pseudonyms import Pseudonyms

NAMES = Pseudonyms(b"0" * 32)


def an_owner(tenant_id: str, clock: FrozenClock, client_id: str = "u-1") -> Owner:
    return Owner(
        id=ids.new("own"),
        tenant_id=tenant_id,
        kind="user",
        ref=owners.ref(NAMES, "user", client_id),
        upstream_ref=owners.upstream_ref(NAMES, f"up-{client_id}"),
        sealed_id=b"sealed",
        dek_id="dek_1",
        state="active",
        epoch=0,
        created_at=clock.now(),
    )


def a_memory(tenant_id: str, clock: FrozenClock, name: str, **more: Any) -> Memory:
    values: dict[str, Any] = {
        "id": f"mem_{name}_{tenant_id[-6:]}",
        "tenant_id": tenant_id,
        "upstream": "mem0",
        "ref": memories.ref(NAMES, "mem0", name),
        "sealed_id": b"sealed",
        "dek_id": "dek_1",
        "origin": "write",
        "state": "live",
        "tier": "long_term",
        "policy_digest": "sha256:0",
        "created_at": clock.now(),
    }
    return Memory(**{**values, **more})


async def keep(
    ledger: Ledger, memory: Memory, sources: Sequence[str] = (), *, owner: str = "own_1"
) -> Memory:
    """Insert a memory derived from others, by their store ids."""
    name = memory.id.split("_")[1]

    async def unit(tx: Any) -> None:
        await memories.insert(
            tx, memory, owner_ids=[owner], entity_ids=["ent_1"],
            refs=[provenance.id_ref(NAMES, name)],
        )  # fmt: skip
        edges = [(provenance.id_ref(NAMES, source), "primary") for source in sources]
        await provenance.insert(tx, memory.tenant_id, memory.id, edges, memory.created_at)
        await provenance.spread(tx, memory.tenant_id, [memory.id])

    await ledger.write(unit)
    return memory


async def found(ledger: Ledger, memory: Memory) -> Memory:
    rows = await ledger.read(lambda tx: memories.by_ids(tx, [memory.id]))
    return rows[0]


async def test_an_owner_is_found_by_both_of_its_ids(
    ledger: Ledger, tenant_id: str, clock: FrozenClock
) -> None:
    """By the client's and by the store's; never under another tenant or kind."""
    owner = an_owner(tenant_id, clock)
    await ledger.write(lambda tx: owners.insert(tx, owner))
    assert await ledger.read(lambda tx: owners.find(tx, tenant_id, "user", owner.ref)) == owner
    refs = [owner.upstream_ref, b"x" * 16]
    assert await ledger.read(lambda tx: owners.find_upstream(tx, tenant_id, refs)) == [owner]
    assert await ledger.read(lambda tx: owners.find(tx, tenant_id, "agent", owner.ref)) is None
    assert await ledger.read(lambda tx: owners.find_upstream(tx, "ten_other", refs)) == []


async def test_an_erased_owner_starts_anew_with_its_epoch(
    ledger: Ledger, tenant_id: str, clock: FrozenClock
) -> None:
    """Reviving gives a new key and keeps the fence where it was."""
    owner = an_owner(tenant_id, clock)
    await ledger.write(lambda tx: owners.insert(tx, owner))
    await ledger.write(lambda tx: owners.raise_epoch(tx, owner.id))
    await ledger.write(lambda tx: owners.set_state(tx, owner.id, "erased", erased_at=clock.now()))
    assert await ledger.read(lambda tx: owners.of_tenant(tx, tenant_id)) == []
    await ledger.write(lambda tx: owners.revive(tx, owner.id, sealed_id=b"new", dek_id="dek_2"))
    (row,) = await ledger.read(lambda tx: owners.by_ids(tx, [owner.id]))
    assert (row.state, row.epoch, row.sealed_id, row.erased_at) == ("active", 1, b"new", None)


@given(st.text(min_size=1), st.text(min_size=1), st.sampled_from(["user", "agent", "run"]))
def test_opaque_ids_are_injective_and_plain(first: str, second: str, kind: str) -> None:
    """Different owners get different ids of letters, digits and one hyphen."""
    one = owners.upstream_id(NAMES, "opaque", kind, first)
    other = owners.upstream_id(NAMES, "opaque", kind, second)
    assert (one == other) == (first == second)
    assert one.replace("-", "").isalnum()
    assert one.isascii()
    assert one.startswith(owners.prefix(NAMES) + "-")
    assert one != owners.upstream_id(NAMES, "opaque", "app", first)
    assert owners.upstream_id(NAMES, "keep", kind, first) == first


async def test_a_write_is_fenced_by_an_erasure_that_began_after_it(
    ledger: Ledger, tenant_id: str, clock: FrozenClock
) -> None:
    """Only then: another owner's erasure does not matter."""
    mine, other = an_owner(tenant_id, clock), an_owner(tenant_id, clock, "u-2")
    write = writes.Write(
        id=ids.new("wrt"), tenant_id=tenant_id, upstream="mem0", state="intended",
        plan={"tier": "x"}, policy_digest="d", created_at=clock.now(), entity_ids=("ent_1",),
    )  # fmt: skip

    async def unit(tx: Any) -> None:
        await owners.insert(tx, mine)
        await owners.insert(tx, other)
        await writes.intend(tx, write, epochs={mine.id: mine.epoch})

    await ledger.write(unit)
    await ledger.write(lambda tx: owners.raise_epoch(tx, other.id))
    assert await ledger.read(lambda tx: writes.owners_unless_fenced(tx, write.id)) == (
        [mine],
        False,
    )
    (open_one,) = await ledger.read(lambda tx: writes.open_of_owners(tx, [mine.id]))
    assert (open_one.owner_ids, open_one.entity_ids) == ((mine.id,), ("ent_1",))
    assert await ledger.read(lambda tx: writes.open_of_owners(tx, [other.id])) == []
    await ledger.write(lambda tx: owners.raise_epoch(tx, mine.id))
    assert await ledger.read(lambda tx: writes.owners_unless_fenced(tx, write.id)) is None
    await ledger.write(lambda tx: writes.conclude(tx, write.id, "killed", at=clock.now()))
    assert await ledger.read(lambda tx: writes.open_writes(tx, before=clock.now())) == []


async def test_an_event_belongs_to_one_tenant(
    ledger: Ledger, tenant_id: str, clock: FrozenClock
) -> None:
    """Another tenant does not find it."""
    write = writes.Write(
        id=ids.new("wrt"), tenant_id=tenant_id, upstream="mem0", state="intended", plan={},
        policy_digest="d", created_at=clock.now(),
    )  # fmt: skip
    await ledger.write(lambda tx: writes.intend(tx, write, epochs={}))
    await ledger.write(
        lambda tx: writes.await_event(
            tx, write.id, event_ref=b"e" * 16, sealed_event=b"s", dek_id="dek_1"
        )
    )
    mine = await ledger.read(lambda tx: writes.by_event(tx, tenant_id, b"e" * 16))
    assert mine is not None
    assert (mine.id, mine.state) == (write.id, "pending")
    assert await ledger.read(lambda tx: writes.by_event(tx, "ten_other", b"e" * 16)) is None


async def test_a_memory_is_found_by_owner_entity_write_and_id(
    ledger: Ledger, tenant_id: str, clock: FrozenClock
) -> None:
    """Within its tenant, and while it is present."""
    memory = await keep(ledger, a_memory(tenant_id, clock, "a", write_id="wrt_1"))

    async def unit(tx: Any) -> list[list[Memory]]:
        return [
            await memories.of_owners(tx, ["own_1"]),
            await memories.of_entities(tx, ["ent_1"]),
            await memories.of_write(tx, "wrt_1"),
            await memories.of_tenant(tx, tenant_id),
            list((await memories.by_refs(tx, tenant_id, "mem0", [memory.ref])).values()),
            await memories.of_owners(tx, ["own_2"]),
            await memories.of_tenant(tx, "ten_other"),
            list((await memories.by_refs(tx, "ten_other", "mem0", [memory.ref])).values()),
        ]

    counts = [len(rows) for rows in await ledger.read(unit)]
    assert counts == [1, 1, 1, 1, 1, 0, 0, 0]
    await ledger.write(
        lambda tx: memories.set_state(tx, [memory.id], "erased", erased_at=clock.now())
    )
    counts = [len(rows) for rows in await ledger.read(unit)]
    assert counts == [0, 0, 1, 0, 1, 0, 0, 0]


async def test_memories_under_owners_are_counted_up_to_a_number(
    ledger: Ledger, tenant_id: str, clock: FrozenClock
) -> None:
    """One of two owners counts once; nobody's count is nought."""
    for name in "abc":
        await keep(ledger, a_memory(tenant_id, clock, name))

    async def unit(tx: Any) -> list[int]:
        asked: list[tuple[list[str], int]] = [(["own_1", "own_9"], 9), (["own_1"], 2), ([], 9)]
        return [await memories.number_under(tx, owner_ids, most) for owner_ids, most in asked]

    assert await ledger.read(unit) == [3, 2, 0]


async def test_expired_memories_come_oldest_first_without_pinned_ones(
    ledger: Ledger, tenant_id: str, clock: FrozenClock
) -> None:
    """What the sweeper works on."""
    for name, days, pinned in (
        ("a", -1, False),
        ("b", -3, False),
        ("c", -9, True),
        ("d", 1, False),
    ):
        ends = clock.now() + timedelta(days=days)
        await keep(ledger, a_memory(tenant_id, clock, name, expires_at=ends, pinned=pinned))
    rows = await ledger.read(lambda tx: memories.expired(tx, clock.now()))
    assert [row.id.split("_")[1] for row in rows] == ["b", "a"]


async def test_the_closure_is_transitive_and_survives_cycles(
    ledger: Ledger, tenant_id: str, clock: FrozenClock
) -> None:
    """Turn, fact, day, week; a summary of itself ends; strangers stay out."""
    turn = await keep(ledger, a_memory(tenant_id, clock, "t"), ["w"])
    fact = await keep(ledger, a_memory(tenant_id, clock, "f"), ["t"])
    day = await keep(ledger, a_memory(tenant_id, clock, "d"), ["f", "x"])
    week = await keep(ledger, a_memory(tenant_id, clock, "w"), ["d"])
    await keep(ledger, a_memory(tenant_id, clock, "s"))
    reached = await ledger.read(lambda tx: provenance.closure(tx, tenant_id, [turn.id]))
    assert set(reached) == {fact.id, day.id, week.id}
    assert reached[day.id] == (fact.id, "primary")
    assert await ledger.read(lambda tx: provenance.closure(tx, "ten_other", [turn.id])) == {}


@pytest.mark.parametrize("order", ["tfd", "dft", "fdt", "tdf", "dtf", "ftd"])
async def test_inheritance_does_not_depend_on_the_order(
    ledger: Ledger, tenant_id: str, clock: FrozenClock, order: str
) -> None:
    """Sources known before or declared before they exist: the same result."""
    ends = clock.now() + timedelta(days=2)
    made = {
        "t": (a_memory(tenant_id, clock, "t", categories=("health",), expires_at=ends), []),
        "f": (a_memory(tenant_id, clock, "f", categories=("financial",)), ["t"]),
        "d": (
            a_memory(tenant_id, clock, "d", expires_at=ends + timedelta(days=9)),
            ["f"],
        ),
    }
    for name in order:
        await keep(ledger, *made[name])
        # a write inherits what is known of its sources at that moment
        sources = [provenance.id_ref(NAMES, source) for source in made[name][1]]
        known = await ledger.read(
            lambda tx, refs=sources: provenance.sources(tx, tenant_id, refs)  # type: ignore[misc]
        )
        await ledger.write(
            lambda tx, rows=known: provenance.spread(  # type: ignore[misc]
                tx, tenant_id, [row.id for row in rows]
            )
        )
    day = await found(ledger, made["d"][0])
    assert set(day.categories) == {"financial", "health"}
    assert day.expires_at == ends
    turn = await found(ledger, made["t"][0])
    assert turn.categories == ("health",), "nothing flows back to the source"


async def test_names_are_kept_apart_by_owner() -> None:
    """`D1:1` of one owner is not `D1:1` of another, nor an id."""
    refs = {
        provenance.named_ref(NAMES, "user", "u-1", "D1:1"),
        provenance.named_ref(NAMES, "user", "u-2", "D1:1"),
        provenance.named_ref(NAMES, "run", "u-1", "D1:1"),
        provenance.id_ref(NAMES, "D1:1"),
    }
    assert len(refs) == 4


async def test_a_write_that_is_gone_is_fenced(ledger: Ledger) -> None:
    """Whoever took the write out of the ledger took what it makes along."""
    assert await ledger.read(lambda tx: writes.owners_unless_fenced(tx, ids.new("wrt"))) is None


@pytest.mark.parametrize(
    ("kind", "of", "lifted", "limited"),
    [
        pytest.param("restriction", "mine", False, True, id="restricted"),
        pytest.param("restriction", "mine", True, False, id="lifted"),
        pytest.param("restriction", "other", False, False, id="somebody-elses"),
        pytest.param("hold", "mine", False, False, id="held-only"),
    ],
)
async def test_a_writes_owners_tell_whether_one_is_restricted(
    ledger: Ledger,
    tenant_id: str,
    clock: FrozenClock,
    kind: str,
    of: str,
    lifted: bool,
    limited: bool,
) -> None:
    """What such a write makes is restricted from the start (GDPR Art. 18)."""
    people = {"mine": an_owner(tenant_id, clock), "other": an_owner(tenant_id, clock, "u-2")}
    mine = people["mine"]
    write = writes.Write(
        id=ids.new("wrt"), tenant_id=tenant_id, upstream="mem0", state="intended",
        plan={"tier": "x"}, policy_digest="d", created_at=clock.now(),
    )  # fmt: skip
    hold = holds.Hold(
        ids.new("hld"), tenant_id, None, people[of].id, kind, "x", b"actor", clock.now(),
        lifted_at=clock.now() if lifted else None,
    )  # fmt: skip

    async def unit(tx: Any) -> None:
        for owner in people.values():
            await owners.insert(tx, owner)
        await writes.intend(tx, write, epochs={mine.id: mine.epoch})
        await holds.insert(tx, hold)

    await ledger.write(unit)
    found = await ledger.read(lambda tx: writes.owners_unless_fenced(tx, write.id))
    assert found == ([mine], limited)
