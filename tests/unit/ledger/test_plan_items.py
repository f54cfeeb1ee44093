"""Plans that are larger than memory: read page by page, asked by pseudonym, hidden in one go."""

from dataclasses import replace

import pytest

from proxy.ledger import erasures
from proxy.ledger.engine import Ledger
from proxy.ledger.erasures import PlanItem

MANY = 2 * erasures.CHUNK + 7


def item(seq: int, **more: object) -> PlanItem:
    """One item of a plan."""
    made = PlanItem(
        "era_1", seq, "mem0", seq.to_bytes(16), b"sealed", f"mem_{seq}", "direct", "delete",
        "planned",
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


@pytest.fixture
async def planned(ledger: Ledger) -> Ledger:
    """A ledger with a plan of more than two pages, and another erasure's beside it."""
    items = [item(n) for n in range(MANY)]
    items[3] = item(3, action="keep", state="kept", reason="supported_elsewhere")
    items[5] = item(5, memory_id=None, state="done")
    items[8] = item(8, upstream="other")
    await ledger.write(lambda tx: erasures.put_items(tx, iter(items)))
    other = item(0, erasure_id="era_2", ref=b"x" * 16)
    await ledger.write(lambda tx: erasures.put_items(tx, [other]))
    return ledger


async def test_decisions_come_in_order_and_whole(planned: Ledger) -> None:
    """Every item once, across pages; what is sealed is not read."""
    async with planned._reader_engine.connect() as tx:
        found = [each async for each in erasures.decisions(tx, "era_1")]
    assert [each.ref for each in found] == [n.to_bytes(16) for n in range(MANY)]
    assert (found[3].action, found[3].reason) == ("keep", "supported_elsewhere")
    assert not hasattr(found[0], "sealed")


async def test_row_ids_come_in_pages(planned: Ledger) -> None:
    """Items without a row are left out; the pages hold no more than a statement takes."""
    async with planned._reader_engine.connect() as tx:
        pages = [page async for page in erasures.memory_ids(tx, "era_1")]
    assert [len(page) for page in pages] == [erasures.CHUNK - 1, erasures.CHUNK, 7]


async def test_what_a_plan_holds_is_asked_by_pseudonym(planned: Ledger) -> None:
    """Of this plan and this store only, however many are asked for."""
    refs = [n.to_bytes(16) for n in range(MANY + 3)] + [b"x" * 16]
    found = await planned.read(lambda tx: erasures.planned(tx, "era_1", "mem0", refs))
    assert len(found) == MANY - 1
    assert (found[(3).to_bytes(16)], found[(4).to_bytes(16)]) == ("keep", "delete")
    assert (8).to_bytes(16) not in found


async def test_states_are_counted_by_store_and_action(planned: Ledger) -> None:
    """What is kept does not count, nor does another store's."""
    found = await planned.read(lambda tx: erasures.states(tx, "era_1", "mem0", ["delete"]))
    assert found == {"planned": MANY - 3, "done": 1}


@pytest.mark.parametrize(("erasure_id", "number"), [("era_1", MANY), ("era_2", 1), ("era_3", 0)])
async def test_the_next_number_of_a_plan(planned: Ledger, erasure_id: str, number: int) -> None:
    """Items that join it go behind the last one."""
    assert await planned.read(lambda tx: erasures.size(tx, erasure_id)) == number


@pytest.mark.parametrize("part", [erasures.PART, 64])
async def test_a_plan_is_read_in_order_of_its_pseudonyms(
    planned: Ledger, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Store by store, each item once, however many parts it is read in."""
    monkeypatch.setattr(erasures, "PART", part)
    spread = [
        item(n, erasure_id="era_3", ref=bytes([n * 37 % 256, n % 7]), upstream=f"s{n % 2}")
        for n in range(256)
    ]
    await planned.write(lambda tx: erasures.put_items(tx, spread))
    async with planned._reader_engine.connect() as tx:
        parts = [each async for each in erasures.in_order(tx, "era_3")]
    found = [(each.upstream, each.ref) for rows in parts for each in rows]
    assert found == sorted((each.upstream, each.ref) for each in spread)
    assert len(parts) == 2 * max(1, 256 // part)


async def test_a_stage_becomes_a_plan_of_its_own_only(planned: Ledger) -> None:
    """Its items are the erasure's from then on; another stage's and another plan's stay."""
    rows = [item(n, erasure_id=each) for each in ("stg_1", "stg_2") for n in range(3)]
    await planned.write(lambda tx: erasures.put_items(tx, rows))
    await planned.write(lambda tx: erasures.adopt(tx, "stg_1", "era_3"))
    sizes = [
        await planned.read(lambda tx, key=key: erasures.size(tx, key))  # type: ignore[misc]
        for key in ("era_1", "era_2", "era_3", "stg_1", "stg_2")
    ]
    assert sizes == [MANY, 1, 3, 0, 3]


async def test_old_stages_are_dropped_and_plans_never(planned: Ledger) -> None:
    """Only what is called a stage goes, and of them only the older ones."""
    rows = [item(0, erasure_id=each) for each in ("stg_1", "stg_5", "stg_9", "sth_1")]
    await planned.write(lambda tx: erasures.put_items(tx, rows))
    await planned.write(lambda tx: erasures.drop_stages(tx, "stg_5"))
    sizes = [
        await planned.read(lambda tx, key=key: erasures.size(tx, key))  # type: ignore[misc]
        for key in ("era_1", "era_2", "stg_1", "stg_5", "stg_9", "sth_1")
    ]
    assert sizes == [MANY, 1, 0, 1, 1, 1]
