"""Identifiers are opaque, prefixed, unique and sort by time."""

import re

from proxy import ids


def test_shape() -> None:
    """An id is its prefix and 26 characters that cannot be misread."""
    assert re.fullmatch(r"era_[0-9a-hjkmnp-tv-z]{26}", ids.new("era"))


def test_ids_differ_within_one_millisecond() -> None:
    """A thousand ids made at once are a thousand ids."""
    assert len({ids.new("mem") for _ in range(1000)}) == 1000


def test_later_ids_sort_later() -> None:
    """The time part leads, so text order is creation order across milliseconds."""
    stamps = [ids.new("x")[2:12] for _ in range(50)]
    assert stamps == sorted(stamps)
