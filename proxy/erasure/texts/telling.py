"""What of one stored text tells what is to be kept, and what of it may not stay beside that."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Telling:
    """Pieces of a stored text, as they stand in it.

    Args:
        words: what was to be kept to the letter; whatever is said beside it stays with it.
        meant: what tells a kept attribute, or is of a kept category.
        beside: what tells another attribute: it may not stay beside what is only ``meant``.
        barred: what is itself of the category or tag to be forgotten.
        entire: the memory says nothing else, or was named itself: it stays as it is.
    """

    words: tuple[str, ...] = ()
    meant: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    barred: tuple[str, ...] = ()
    entire: bool = False

    @property
    def any(self) -> bool:
        """Whether it holds anything that is to be kept."""
        return self.entire or bool(self.words or self.meant)

    def mentioned(self, part: str) -> bool:
        """Whether a part of the text stays: it tells what is kept, and nothing that must go."""
        if _holds(self._barred, part):
            return False
        return _holds(self._words, part) or (
            _holds(self._meant, part) and not _holds(self._beside, part)
        )

    def torn(self, part: str) -> list[tuple[int, int]]:
        """Where a part tells what must go beside what is kept; empty if it tells nothing kept."""
        if _holds(self._barred, part) or not _holds(self._meant, part) or self._beside is None:
            return []
        return [match.span() for match in self._beside.finditer(part)]

    @cached_property
    def _words(self) -> re.Pattern[str] | None:
        return _pattern(self.words)

    @cached_property
    def _meant(self) -> re.Pattern[str] | None:
        return _pattern(self.meant)

    @cached_property
    def _beside(self) -> re.Pattern[str] | None:
        return _pattern(self.beside)

    @cached_property
    def _barred(self) -> re.Pattern[str] | None:
        return _pattern(self.barred)


def _holds(pattern: re.Pattern[str] | None, part: str) -> bool:
    return pattern is not None and pattern.search(part) is not None


def _pattern(said: Iterable[str]) -> re.Pattern[str] | None:
    """The pieces whatever their spaces and case, where they stand for themselves."""
    found = sorted({r"\s+".join(map(re.escape, each.split())) for each in said if each.split()})
    if not found:
        return None
    longest = "|".join(sorted(found, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{longest})(?!\w)", re.IGNORECASE)
