"""Long texts are cut so that nothing short enough is ever torn apart."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectors.chunks import chunks


@given(st.text(max_size=600), st.integers(40, 120), st.integers(0, 15))
def test_chunks_cover_the_text_and_overlap(text: str, size: int, overlap: int) -> None:
    """Pieces are slices of the text, cover it, keep their size and share enough."""
    pieces = list(chunks(text, size, overlap))
    assert pieces[0].start == 0
    assert pieces[-1].start + len(pieces[-1].text) == len(text)
    for piece in pieces:
        assert len(piece.text) <= size
        assert text[piece.start : piece.start + len(piece.text)] == piece.text
    for one, other in itertools.pairwise(pieces):
        assert one.start < other.start
        assert one.start + len(one.text) - other.start >= overlap


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One sentence here. " + "x" * 30, "One sentence here. "),
        ("no sentence at all " + "x" * 30, "no sentence at all "),
        ("x" * 60, "x" * 30),
    ],
    ids=["sentence", "space", "nowhere"],
)
def test_cut_falls_at_the_best_boundary(text: str, first: str) -> None:
    """A cut falls at a sentence end, else at a space, else anywhere."""
    assert next(iter(chunks(text, 30, 2))).text == first


def test_short_text_is_one_chunk() -> None:
    """Nothing is cut that fits."""
    assert [piece.text for piece in chunks("short", 10, 2)] == ["short"]
