"""Abbreviations in names, told by their shape: ``Wm. Blake``, ``St. Gallen``, ``Col. Ada Falk``.

No list has all of them. A full stop ends sentences too, so what runs across one is a name only
with that very full stop: ``I told Tom. Ford called.`` names no Tom Ford.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

from detectors.words.folding import WORD, fold
from detectors.words.namelists import is_given_name

LONGEST = 6  # letters of an abbreviation
LEAST_NAME = 2  # words behind a title that no list has
DOT = re.compile(r"\. ?")
TITLE = re.compile(r"(?:[^\W\d_]{2,6}\.-?)+(?:[^\W\d_]{2,6}\.)?|(?:[a-zß-ÿ]\.)+")


class Word(Protocol):
    """A word of a text, folded; ``glued``: a name may run on from the one before."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def folded(self) -> str: ...
    @property
    def glued(self) -> bool: ...


def without_titles(name: str, known: Collection[str]) -> str:
    """A person's name without titles of any language: ``Dipl.-Ing. Ada Falk``.

    Short words with a full stop before two words or more; an abbreviated given name is none
    (``Wm. Henry Falk``).

    Args:
        name: as it was given.
        known: titles that are known as such, folded; they stay.
    """
    words = name.split()
    leading = 0
    while leading < len(words) and (fold(words[leading].rstrip(".")) in known):
        leading += 1
    first = leading
    while first < len(words) and _is_title(words[first]):
        first += 1
    if first == leading or len(words) - first < LEAST_NAME:
        return name
    return " ".join([*words[:leading], *words[first:]])


def _is_title(word: str) -> bool:
    return TITLE.fullmatch(word) is not None and not is_given_name(fold(word.rstrip(".")))


def dotted(name: str, significant: Collection[str], ends: Collection[str]) -> str:
    """The key of a name with its full stops, words in alphabetic order; empty without any.

    Args:
        significant: the folded words that count.
        ends: words that a name runs on behind anyhow, full stop or not.
    """
    short = abbreviated(name, ends) & {*significant}
    words = [fold(word[0]) for word in re.finditer(WORD, name)]
    marked = [f"{word}." if word in short else word for word in words if word in significant]
    return " ".join(sorted(marked)) if short else ""


def abbreviated(name: str, ends: Collection[str]) -> frozenset[str]:
    """Folded words within a name that a full stop abbreviates.

    Args:
        ends: words that a name runs on behind anyhow, full stop or not.
    """
    words = list(re.finditer(WORD, name))[:-1]
    short = (fold(word[0]) for word in words if DOT.match(name, word.end()))
    return frozenset(word for word in short if _is_short(word, ends))


def _is_short(folded: str, ends: Collection[str]) -> bool:
    return 1 < len(folded) <= LONGEST and folded not in ends


def dotted_windows(
    text: str, words: Sequence[Word], longest: int, ends: Collection[str], skipped: Collection[str]
) -> Iterator[tuple[int, int, str]]:
    """Stretches of a text that run across the full stop of an abbreviation, with their keys.

    Args:
        longest: words of the longest name.
        ends: words that a name runs on behind anyhow, full stop or not.
        skipped: words that do not count within a name.
    """
    breaks = {n for n in range(len(words) - 1) if _may_run_on(text, words[n], words[n + 1], ends)}
    for first in sorted({start for n in breaks for start in range(max(0, n - longest), n + 1)}):
        tokens: list[str] = []
        across = False
        for n in range(first, len(words)):
            if n > first and not (words[n].glued or n - 1 in breaks):
                break
            if n > first and words[n].folded in skipped:
                continue
            across |= n - 1 in breaks and n > first
            tokens.append(words[n].folded + ("." if n in breaks else ""))
            if len(tokens) > longest:
                break
            if across:
                last = tokens[-1].rstrip(".")
                yield words[first].start, words[n].end, " ".join(sorted([*tokens[:-1], last]))


def _may_run_on(text: str, word: Word, following: Word, ends: Collection[str]) -> bool:
    if following.glued or not _is_short(word.folded, ends):
        return False
    alike = text[word.start].isupper() or text[following.start].islower()
    return alike and DOT.fullmatch(text, word.end, following.start) is not None
