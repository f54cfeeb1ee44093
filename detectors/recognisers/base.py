"""What a recogniser is: a cheap trigger and a function that finds."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from detectors.detection import Detection

Finder = Callable[[str], Iterable[Detection]]

WORDS_BEFORE = 48  # code points of text before a match that count as its context
WORDS_AFTER = 24
AFFIX_BEFORE = re.compile(r"(?<![\w.+-])[^\W\d]{0,24}\Z")
AFFIX = re.compile(r"[^\W\d]{0,24}(?!\w|[.-]\d)")
HEXADECIMAL = re.compile(r"[0-9a-f]*", re.IGNORECASE)
# For character classes: Latin letters, and whatever counts as a letter or digit but they. A letter
# of another script ends a word of Latin letters.
LATIN = r"A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
FOREIGN = rf"\W\d_{LATIN}"  # in a negated class
# Letters that numbers follow without a space.
UNSPACED = "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
BEGINS = rf"(?:(?<![\w.-])|(?<=[{UNSPACED}]))"
ENDS = rf"(?!(?![{UNSPACED}])[\w-])"


@dataclass(frozen=True, slots=True)
class Recogniser:
    """One way of finding one kind of personal data.

    Args:
        name: shown in explanations, e.g. ``gb_nhs``.
        triggers: RE2 patterns, matched without case; ``find`` runs only if one occurs. They must
            occur in every text in which ``find`` could find something.
        find: yields detections with offsets into the text it was given.
    """

    name: str
    triggers: tuple[str, ...]
    find: Finder


def words(*alternatives: str) -> re.Pattern[str]:
    """A pattern that matches any of the given words or phrases as whole words, without case."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(alternatives)})(?!\w)", re.IGNORECASE)


def near(text: str, start: int, end: int, context: re.Pattern[str]) -> bool:
    """Whether a context word stands close before a span, or closer still behind it."""
    before = text[max(0, start - WORDS_BEFORE) : start]
    return bool(context.search(before) or context.search(text[end : end + WORDS_AFTER]))


def before(text: str, start: int, context: re.Pattern[str], reach: int = WORDS_BEFORE) -> bool:
    """Whether a context word stands within ``reach`` code points before a position."""
    return bool(context.search(text[max(0, start - reach) : start]))


def hangs_on_words(text: str, start: int, end: int) -> bool:
    """Whether nothing but letters, no digit and no digest, is written close around a span.

    A number that its check digit confirms may stand so (``nr4111…``, ``4111…EUR``).
    """
    before, after = AFFIX_BEFORE.search(text, max(0, start - 25), start), AFFIX.match(text, end)
    if before is None or after is None:
        return False
    around = before[0] + after[0]
    return not around or HEXADECIMAL.fullmatch(around) is None or end - start + len(around) < 32


def matches(
    entity_type: str, recogniser: str, pattern: re.Pattern[str], score: float, group: int | str = 0
) -> Finder:
    """A finder that reports one group of every match of a pattern."""

    def find(text: str) -> Iterator[Detection]:
        for match in pattern.finditer(text):
            start, end = match.span(group)
            if end > start:
                yield Detection(entity_type, start, end, score, recogniser)

    return find
