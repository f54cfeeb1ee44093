"""Long texts are cut so that nothing short enough is ever torn apart."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectors.chunks import chunks, sentences


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


@given(st.text(max_size=300), st.integers(0, 80))
def test_sentences_are_the_text(text: str, least: int) -> None:
    """Put together they are the text again."""
    assert "".join(piece.text for piece in sentences(text, least)) == text
    assert all(text.startswith(piece.text, piece.start) for piece in sentences(text, least))


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("She left early. He stayed.", 2),
        ("one line\nanother", 2),
        ("She met Dr. Brenn today.", 1),
        ("He saw J. Quist today.", 1),
        ("It costs 4.50 more.", 1),
    ],
)
def test_only_sure_ends_end_sentences(text: str, pieces: int) -> None:
    """Titles, initials and decimal points cut no name in two."""
    assert len(list(sentences(text, 0))) == pieces
