"""Ids that wait while a plan is made."""

from proxy import ids
from proxy.erasure.search.found import RowIds


def test_row_ids_are_struck_out_once() -> None:
    """In order without those struck out; one that was never in is not."""
    made = [ids.new("mem") for _ in range(500)]
    kept = RowIds(set(made))
    assert list(kept) == sorted(made)
    gone = made[::3]
    assert all(kept.strike(each) for each in gone)
    assert not any(kept.strike(each) for each in gone)
    assert not any(kept.strike(each) for each in ("", "mem_", ids.new("mem"), made[1] + "0"))
    assert list(kept) == sorted({*made} - {*gone})


def test_no_row_ids() -> None:
    """Nothing is in it."""
    assert (list(RowIds()), RowIds().strike("mem_1")) == ([], False)
