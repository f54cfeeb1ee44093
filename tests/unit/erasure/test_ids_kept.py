"""Ids that wait while a plan is made."""

from proxy import ids
from proxy.erasure.found import RowIds
from proxy.erasure.stage import StoreIds


def test_row_ids_are_struck_out_once() -> None:
    """In order without those struck out; one that was never in is not."""
    made = [ids.new("mem") for _ in range(500)]
    kept = RowIds(set(made))
    assert list(kept) == sorted(made)
    gone = made[::3]
    assert all(kept.strike(each) for each in gone)
    assert not any(kept.strike(each) or each in kept for each in gone)
    assert all(each in kept for each in {*made} - {*gone})
    assert not any(kept.strike(each) for each in ("", "mem_", ids.new("mem"), made[1] + "0"))
    assert list(kept) == sorted({*made} - {*gone})


def test_row_ids_that_come_in_pages() -> None:
    """The same as all at once."""
    made = sorted(ids.new("mem") for _ in range(50))
    kept = RowIds()
    for start in range(0, 50, 7):
        kept.extend(made[start : start + 7])
    assert (list(kept), kept.strike(made[49]), made[49] in kept) == (made, True, False)


def test_no_row_ids() -> None:
    """Nothing is in it."""
    assert (list(RowIds()), RowIds().strike("mem_1")) == ([], False)


def test_store_ids_come_back_as_they_were() -> None:
    """Whatever a store calls its memories, in the order given."""
    given = ["a", "", "é\x00\n", "\ud800", "z" * 70_000, "a"]
    kept = StoreIds()
    for each in given:
        kept.append(each)
    assert (list(kept), len(kept)) == (given, len(given))
