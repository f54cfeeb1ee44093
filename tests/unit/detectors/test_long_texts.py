"""Long texts are scanned in pieces, between which others get their turn."""

import queue

import pytest

from detectors.engine import Detector
from detectors.settings import DetectorSettings
from detectors.workers.fair import COST, LAST, FairQueue
from detectors.workers.long_texts import LONG, OVERLAP, PIECE, parts_of

PLAIN = "The weather was cold and the roads were wet that day. "
NAMED = "Alva Brenn writes to alva.brenn@example.org about her migraine. "


def long(length: int) -> str:
    """A text with somebody named every few thousand code points."""
    return ((PLAIN * 60 + NAMED) * (length // 3_000 + 1))[:length]


@pytest.fixture(scope="module")
def detector() -> Detector:
    """A detector that knows names."""
    return Detector(DetectorSettings(tier="fast"))


def test_pieces_find_what_the_whole_shows(detector: Detector) -> None:
    """The same detections, wherever a piece ends, and the same categories."""
    text = long(30_000)
    parts = parts_of(text, "fast")
    asked = [detector.analyse([part], tier=tier)[0] for part, tier in parts.asked]
    assert len(asked) > 4
    found, (whole,) = parts.joined(asked), detector.analyse([text])
    assert found.detections == whole.detections
    assert found.language == whole.language
    assert {each.name for each in found.categories} == {each.name for each in whole.categories}
    assert sum(one.entity_type == "PERSON" for one in found.detections) >= 9


@pytest.mark.parametrize(
    ("text", "tier", "cut"),
    [
        (long(LONG + 1), "full", True),
        (long(LONG), "full", False),
        (long(LONG + 1), "structured", False),
        (long(LONG) + "QUJD" * OVERLAP, "full", False),
        (long(LONG) + " QUJD" * OVERLAP, "full", True),
    ],
    ids=["long", "short", "patterns", "coded", "words"],
)
def test_what_is_cut(text: str, tier: str, cut: bool) -> None:
    """Only what is long, for a model, and no coded text, which makes sense as a whole only."""
    parts = parts_of(text, tier)  # type: ignore[arg-type]
    assert bool(parts.pieces) == cut
    assert all(len(piece.text) <= PIECE for piece in parts.pieces)
    covered = {n for p in parts.pieces for n in range(p.start, p.start + len(p.text))}
    assert len(covered) == (len(text) if cut else 0)


def filled(*calls: list[int]) -> FairQueue[str]:
    """A queue with calls that came at once; items are called by their call and number."""
    waiting: FairQueue[str] = FairQueue()
    for name, lengths in enumerate(calls):
        mark = waiting.mark
        for number, length in enumerate(lengths):
            mark += length + COST
            waiting.put(f"{name}.{number}", mark)
    return waiting


def test_a_short_call_does_not_wait_for_a_long_one() -> None:
    """It is next after what is at work; the long one goes on behind it, and is not put off."""
    waiting = filled([6_000] * 4)
    assert waiting.get_nowait() == "0.0"
    mark = waiting.mark
    for number in range(200):
        waiting.put(f"1.{number}", mark + (number + 1) * (30 + COST))
    assert waiting.get_nowait() == "1.0"
    order = [waiting.get_nowait() for _ in range(waiting.qsize())]
    assert order.index("0.1") < 80
    assert order.index("1.1") < order.index("0.1")


def test_equal_calls_take_turns() -> None:
    """Neither of two long calls is served to the end before the other."""
    waiting = filled([6_000] * 3, [6_000] * 3)
    order = [waiting.get_nowait() for _ in range(6)]
    assert order == ["0.0", "1.0", "0.1", "1.1", "0.2", "1.2"]


def test_the_last_is_behind_all_and_counts_nothing() -> None:
    """It ends a lane once the rest is served; an empty queue says so."""
    waiting = filled([10])
    waiting.put("end", LAST)
    waiting.put("more")
    assert [waiting.get(1.0) for _ in range(3)] == ["more", "0.0", "end"]
    assert waiting.mark == 10 + COST
    assert waiting.empty()
    with pytest.raises(queue.Empty):
        waiting.get_nowait()
    with pytest.raises(queue.Empty):
        waiting.get(0.0)
