"""Identifiers are opaque, prefixed, unique and sort by time."""

import re

import pytest

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


def test_ids_of_one_millisecond_sort_as_they_were_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """The log is read in the order of its ids: entries of one moment may not change places."""
    monkeypatch.setattr("proxy.ids.time.time_ns", lambda: 1_767_605_400_000_000_000)
    made = [ids.new("aud") for _ in range(500)]
    assert made == sorted(made)


def test_an_aged_id_stands_between_older_and_newer_ones() -> None:
    """It is behind what was made before that time and before what was made since."""
    made = ids.new("stg")
    assert ids.aged("stg", 60_000) < made < ids.aged("stg", -60_000)
    assert len(ids.aged("stg", 60_000)) == len(made)
