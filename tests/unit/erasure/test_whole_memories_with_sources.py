"""What is erased for whose it is, or by its id, is not written anew from sources that stay."""

import pytest

from proxy.erasure.search.target import load
from proxy.ledger import memories, provenance
from tests.support.erasing import Erasing

SOURCE, DERIVED = "Ada Falk likes tea in the morning.", "Somebody likes tea."
TARGETS = {
    "owner": {"kind": "owner", "value": "u-2"},
    "subject": {"kind": "subject", "value": "Ben Ebert", "owner": "u-2"},
    "memory": {"kind": "memory"},
    "tag": {"kind": "tag", "value": "t"},
}


async def derive(bench: Erasing, memory_id: str, source_id: str) -> None:
    """Record that a memory was made from another owner's."""
    names = await bench.means.keyring.tenant(bench.tenant_id)
    ref = memories.ref(names, bench.store.name, memory_id)
    now = bench.means.clock.now()
    source = (provenance.id_ref(names, source_id), "primary")

    async def unit(tx) -> None:
        rows = await memories.by_refs(tx, bench.tenant_id, bench.store.name, [ref])
        await provenance.insert(tx, bench.tenant_id, rows[ref].id, [source], now)

    await bench.ledger.write(unit)


@pytest.mark.parametrize("rule", ["regenerate", "redact", "delete"])
@pytest.mark.parametrize("kind", sorted(TARGETS))
async def test_nothing_takes_the_place_of_what_goes_whole(build, kind: str, rule: str) -> None:
    bench = await build(derived=rule)
    source = await bench.remember("u-1", SOURCE)
    made = await bench.remember("u-2", DERIVED, tags=["t"])
    await derive(bench, made, source)
    target = dict(TARGETS[kind])
    if kind == "memory":
        target["value"] = made
    view = await bench.forget(load(target))
    assert (view.state, view.counts["deleted"], view.counts["regenerated"]) == ("complete", 1, 0)
    assert await bench.texts("u-2") == []
    assert await bench.texts("u-1") == [SOURCE]


async def test_what_is_erased_for_what_it_says_is_still_written_anew(build) -> None:
    bench = await build(derived="regenerate")
    await bench.remember("u-1", "Ada Falk likes tea.", name="a")
    await bench.remember("u-1", "Drinks coffee on Sundays.", name="b")
    await bench.remember("u-1", "Ada Falk and coffee.", derived_from=["a", "b"])
    view = await bench.forget(load({"kind": "entity", "value": "Ada Falk", "owner": "u-1"}))
    assert (view.state, view.counts["regenerated"]) == ("complete", 1)
    assert "Ada" not in " ".join(await bench.texts("u-1"))
