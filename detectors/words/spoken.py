"""What is written in eight languages: ordinary words, and places that nobody is called by.

The lists are made by ``detectors/training/spoken.py``; see there what stands in them.
"""

import gzip
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from detectors.errors import DetectionUnavailable
from detectors.words.elision import bare
from detectors.words.folding import WORD
from detectors.words.namelists import LIST_DIR

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl")
COMMON = 2  # how much more a word tells of its language that stands in every text of it
ALIKE = 0.75  # of the best: a language that a short text may as well be in
_WORD = re.compile(WORD)


@dataclass(frozen=True, slots=True)
class Spoken:
    """What is written in one language, folded.

    Args:
        common: words that stand in every text.
        known: other words.
        either: words that are people's names too.
        proper: names of cities and countries that nobody is called by.
    """

    common: frozenset[str]
    known: frozenset[str]
    either: frozenset[str]
    proper: frozenset[str]

    def is_word(self, folded: str) -> bool:
        """Whether a word is one of this language and nobody's name."""
        return folded in self.common or folded in self.known

    def _weight(self, folded: str) -> int:
        if folded in self.common:
            return COMMON
        return int(folded in self.known or folded in self.either)

    def weight(self, words: Iterable[str]) -> int:
        """How much words tell that a text is in this language."""
        return sum(map(self._weight, words))


@cache
def spoken(language: str) -> Spoken:
    """The lists of a language.

    Raises:
        DetectionUnavailable: there is none.
    """
    try:
        content = gzip.decompress((LIST_DIR / f"spoken_{language}.txt.gz").read_bytes())
    except OSError:
        raise DetectionUnavailable(f"The list of {language} is missing.") from None
    sections = content.decode("utf-8").split("\n\n")
    return Spoken(*(frozenset(words.split()) for words in sections))


def languages_of(text: str) -> tuple[str, ...]:
    """The languages that a short text may be in, the likeliest first; none when no word tells.

    Args:
        text: in Latin script; every word is looked at.
    """
    words = [bare(match[0]) for match in _WORD.finditer(text)]
    weights = {language: spoken(language).weight(words) for language in LANGUAGES}
    likely = sorted(LANGUAGES, key=lambda language: -weights[language])
    least = max(1, weights[likely[0]] * ALIKE)
    return tuple(language for language in likely if weights[language] >= least)


def is_spoken(folded: str) -> bool:
    """Whether a word is one of some language, and nobody's name there.

    Polish is left out: the cases of its names are among its words.
    """
    return any(spoken(language).is_word(folded) for language in LANGUAGES if language != "pl")
