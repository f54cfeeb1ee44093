"""Damaged requests that once found something, sent again as they were."""

import asyncio
from pathlib import Path

import pytest

from proxy.gateway import server
from tests.bench import byte_fuzz

# Signs or many letters close to an address; an expectation of another kind; nothing (they hung).
KEPT = [2562, 5186, 7398, 11358, 18589, 20036, 27841, 36121, 36252, 36389, 38971]


def test_what_once_slipped_through_does_not_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is answered, none crashes the listener, and no address reaches the store."""
    monkeypatch.setattr(server, "LINGER", server.LINGER)  # the run shortens it
    monkeypatch.setattr(byte_fuzz, "WAIT", 60.0)
    found, sent = asyncio.run(byte_fuzz.run(tmp_path, 1, KEPT, minutes=10))
    assert sent == len(KEPT)
    assert found.whole == set(KEPT)
    assert (found.crashes, found.hung, found.unscanned) == (set(), set(), set())
    assert found.owners == 0
