"""Texts of any length are looked for, by their beginning where they are very long."""

import io

import pytest

from proxy.upstreams.layers.boundaries import LONGEST, beginning
from proxy.upstreams.layers.grep import ByteNeedles
from proxy.upstreams.layers.needles import Needles

LONG = {
    "words": "word " * 9000,
    "one sign": "-" * 20_000,
    "one letter": "x" * 20_000,
    "a wide alphabet": "".join(chr(0x4E00 + n % 5000) for n in range(8000)),
    "blanks first": " " * 3000 + "Alva Brenn has a boat. " * 100,
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_long_text_is_found_and_a_shorter_one_is_not(text: str) -> None:
    """Left in a file or a row it is seen; half of its beginning is another text."""
    raw, words = ByteNeedles([text]), Needles([text])
    half = beginning(text)[: LONGEST // 2]
    for encoding in ("utf-8", "utf-16-le"):
        assert raw.count(io.BytesIO(b"\0|" + f" {text} ".encode(encoding) + b"|\0")) >= 1
        assert raw.count(io.BytesIO(b"\0|" + f" {half} ".encode(encoding) + b"|\0")) == 0
    assert words.found_in(f"({text})")
    assert not words.found_in(f"({half})")


def test_a_needle_of_the_usual_length_still_ends_where_it_ends() -> None:
    """Only what was cut may go on: a name in a longer word is another one."""
    exact = "Alva " * (LONGEST // 5 - 1) + "Brenn"
    assert len(exact) == LONGEST
    assert Needles([exact]).found_in(f"{exact}.")
    assert not Needles([exact]).found_in(f"{exact}er")
    assert ByteNeedles([exact]).count_bytes(f" {exact}er ".encode()) == 0
