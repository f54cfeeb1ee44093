"""Characters that are written in several ways: ``髙橋`` is ``高橋``, ``张`` is ``張``.

Old and new, traditional and simplified forms of a Han character are one in names: which of them
somebody's has depends on who writes it, and with what.
"""

from collections.abc import Mapping
from functools import cache
from itertools import product
from math import prod
from pathlib import Path

from detectors.errors import DetectionUnavailable

LIST = Path(__file__).parents[1] / "models" / "lists" / "han_variants.txt"
MOST = 64  # spellings of one name


def one_form(text: str) -> str:
    """The text with one form of each character, code point by code point."""
    return text if text.isascii() else text.translate(_first_forms())


def spellings(name: str) -> list[str]:
    """All ways to write the characters of a name, as it is given first.

    Only as it is given where there are more than ``MOST``: that is no name but a sentence.
    """
    forms = [_forms().get(character, character) for character in name]
    if prod(map(len, forms)) > MOST:
        return [name]
    return list(dict.fromkeys([name, *map("".join, product(*forms))]))


@cache
def _forms() -> Mapping[str, str]:
    """By each character all its forms."""
    try:
        lines = LIST.read_text("utf-8").splitlines()
    except OSError:
        raise DetectionUnavailable(f"The word list {LIST.stem} is missing.") from None
    classes = [line for line in lines if not line.startswith("#")]
    return {character: forms for forms in classes for character in forms}


@cache
def _first_forms() -> Mapping[int, str]:
    return {ord(each): forms[0] for each, forms in _forms().items() if each != forms[0]}
