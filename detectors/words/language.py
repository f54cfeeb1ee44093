"""Which language a text is in: by its script, else by its words."""

import io
import lzma
import re
from array import array
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

# The first script that occurs decides; kana before Han, because Japanese uses both.
SCRIPTS = (
    ("ja", "\u3040-\u30ff"),
    ("ko", "\u1100-\u11ff\uac00-\ud7a3"),
    ("zh", "\u3400-\u4dbf\u4e00-\u9fff"),
    ("ar", "\u0600-\u06ff\u0750-\u077f"),
    ("he", "\u0590-\u05ff"),
    ("hi", "\u0900-\u097f"),
    ("bn", "\u0980-\u09ff"),
    ("ta", "\u0b80-\u0bff"),
    ("th", "\u0e00-\u0e7f"),
    ("ka", "\u10a0-\u10ff"),
    ("am", "\u1200-\u137f"),
    ("hy", "\u0530-\u058f"),
    ("ru", "\u0400-\u04ff"),
    ("el", "\u0370-\u03ff"),
)
SCRIPT = re.compile("|".join(f"(?P<{language}>[{letters}]+)" for language, letters in SCRIPTS))
LETTERS = re.compile(r"[^\W\d_]")
OTHER_LATIN = ("pl", "tr", "sv", "da", "no", "cs", "ro", "fi", "hu", "vi", "id", "hr")
MEANT = ("en", "de", "fr", "es", "it", "pt", "nl", "pl")  # in which we tell what a text is about
SURE = 0.75  # below, short texts of names and numbers would be anything
ENOUGH = 400  # code points that are looked at


def by_script(text: str) -> str | None:
    """The language that the letters tell, if most of them are of one non-Latin script."""
    if text.isascii():
        return None
    sample = text[:ENOUGH]
    counts: dict[str, int] = {}
    for match in SCRIPT.finditer(sample):
        language = str(match.lastgroup)
        counts[language] = counts.get(language, 0) + len(match[0])
    if not counts or 2 * sum(counts.values()) < len(LETTERS.findall(sample)):
        return None
    return next(language for language, _ in SCRIPTS if language in counts)


def by_words(text: str, languages: Sequence[str]) -> str:
    """The most likely language; the first of ``languages`` when nothing is likely.

    Args:
        text: in Latin script.
        languages: ISO 639-1 codes that are expected.
    """
    language, share = _identifier(tuple(languages)).classify(text[:ENOUGH])
    return str(language) if share >= SURE else languages[0]


def is_meant(text: str) -> bool:
    """Whether a text is in a language in which we tell what it is about; in doubt it is."""
    return by_script(text) is None and by_words(text, MEANT) in MEANT


@cache
def _identifier(languages: tuple[str, ...]) -> Any:
    identifier = _load()
    identifier.set_languages([*languages, *(one for one in OTHER_LATIN if one not in languages)])
    return identifier


def _load() -> Any:
    """The packaged model, unpacked in memory: the package's own loader writes 66 MB to disk."""
    with lzma.open(MODEL_DIR / MODEL_FILE) as packed:
        unpacked = io.BytesIO(packed.read())
    with np.load(unpacked, allow_pickle=False) as stored:
        return LanguageIdentifier(
            stored["ptc"],
            stored["pc"],
            stored["classes"].tolist(),
            _flat(stored["nextmove"]),
            norm_probs=True,
            tk_output=stored["out_feat"].tolist(),
            tk_row=_flat(stored["nextmove_row"]),
        )


def _flat(numbers: npt.NDArray[np.unsignedinteger[Any]]) -> "array[int]":
    """Single numbers are read much faster from an array of the standard library."""
    return array("H" if numbers.itemsize == 2 else "I", numbers.tobytes())
