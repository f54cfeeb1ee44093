"""Spans are exact code points of the original, whatever the text."""

from hypothesis import given, settings
from hypothesis import strategies as st

from detectors.engine import Detector
from detectors.readings.normalise import readings
from detectors.readings.views import View, disjoint, reverse, rewrite
from detectors.settings import DetectorSettings

DETECTOR = Detector(DetectorSettings(tier="structured"))
TRICKS = st.sampled_from(
    ["\u200b", "\u00ad", "\u202e", "\u202c", "a\u0301", "①", "％", "&#64;", "%40", "\\u0040", "=",
     " dot ", " at ", "[at]", "4 1 1 1 1 1 1", "five ", "J o h n ", "😀", "𝐚", "\ud800", "\n", "а",
     "aGVsbG8gd29ybGQ=", "+44 20 7946 0123", "kim@example.org"]
)  # fmt: skip
TEXTS = st.lists(st.one_of(st.text(max_size=12), TRICKS), max_size=12).map("".join)
INSERTED = st.text(alphabet="\u200b\u2060\ufe0f\u00ad", min_size=1, max_size=3)


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_detections_are_disjoint_sorted_and_show_their_text(text: str) -> None:
    """Every detection's text is the slice of the original that its offsets name."""
    previous = 0
    for found in DETECTOR.analyse([text])[0].detections:
        assert previous <= found.start < found.end <= len(text)
        assert found.text == text[found.start : found.end]
        previous = found.end


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_readings_map_into_the_original(text: str) -> None:
    """Every character of every reading has a non-empty origin inside the text."""
    read = readings(text)
    for view in (*read.others, *read.disguised, *read.known_only):
        for index in range(len(view.text)):
            start, end = view.span(index, index + 1)
            assert 0 <= start < end <= len(text)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40), st.text(max_size=40), INSERTED)
def test_value_is_found_at_its_place(before: str, after: str, inserted: str) -> None:
    """An address with invisible characters in it is covered wherever it stands."""
    value = f"kim{inserted}@example.org"
    text = f"{before}\n{value}\n{after}"
    start = len(before) + 1
    covered: set[int] = set()
    for found in DETECTOR.analyse([text])[0].detections:
        covered.update(range(found.start, found.end))
    assert set(range(start, start + len(value))) <= covered


@given(
    st.text(max_size=30),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.text(max_size=3))),
)
def test_rewriting_keeps_untouched_characters(text: str, raw: list[tuple[int, int, str]]) -> None:
    """Characters outside the edits read as before and map to themselves."""
    edits = disjoint(
        (min(a, b), max(a, b), new) for a, b, new in raw if max(a, b) <= len(text) and a != b
    )
    view = rewrite(View(text), edits)
    touched = {index for start, end, _ in edits for index in range(start, end)}
    for index in range(len(view.text)):
        start, _end = view.span(index, index + 1)
        if start not in touched:
            assert view.text[index] == text[start]
    assert len(view.text) == len(text) - len(touched) + sum(len(new) for *_, new in edits)


def test_removed_part_belongs_to_the_character_before() -> None:
    """Redacting a character takes along what was hidden behind it."""
    view = rewrite(View("a\u200bb"), [(1, 2, "")])
    assert view.text == "ab"
    assert view.span(0, 1) == (0, 2)


def test_reversed_part_maps_back() -> None:
    """A part read backwards still covers its place."""
    view = reverse(View("xcbay"), 1, 4)
    assert view.text == "xabcy"
    assert view.span(1, 4) == (1, 4)
    assert view.span(1, 2) == (3, 4)
