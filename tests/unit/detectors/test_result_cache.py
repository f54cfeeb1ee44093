"""The cache forgets the longest unused, keeps scopes apart and holds no text as key."""

from detectors.detection import Analysis
from detectors.workers.cache import ResultCache

ONE, TWO, THREE = (Analysis(language=language) for language in ("en", "de", "fr"))


def test_longest_unused_entry_goes_first() -> None:
    """A full cache drops the entry that was not used for the longest time."""
    cache = ResultCache(2)
    cache.put("s", "one", ONE)
    cache.put("s", "two", TWO)
    assert cache.get("s", "one") is ONE
    cache.put("s", "three", THREE)
    assert cache.get("s", "two") is None
    assert cache.get("s", "one") is ONE


def test_scope_and_text_are_told_apart() -> None:
    """Neither another scope nor another split of the same characters hits."""
    cache = ResultCache(8)
    cache.put("ab", "c", ONE)
    assert cache.get("a", "bc") is None
    assert cache.get("abc", "") is None
    assert cache.get("ab", "c") is ONE


def test_broken_text_can_be_a_key() -> None:
    """Lone surrogates have a digest like any other text."""
    cache = ResultCache(8)
    cache.put("s", "\ud800", ONE)
    assert cache.get("s", "\ud800") is ONE
    assert cache.get("s", "\udfff") is None


def test_keys_are_digests_under_a_fresh_key() -> None:
    """Two caches key the same text differently, and neither keeps the text."""
    first, second = ResultCache(8), ResultCache(8)
    for cache in (first, second):
        cache.put("scope", "Orla Quist", ONE)
    assert set(first._entries).isdisjoint(second._entries)
    assert all(b"Orla" not in key for key in first._entries)


def test_cleared_cache_knows_nothing() -> None:
    """Clearing forgets every result."""
    cache = ResultCache(8)
    cache.put("s", "one", ONE)
    cache.clear()
    assert cache.get("s", "one") is None
