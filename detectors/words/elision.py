"""Words that lose their vowel before the next one: ``d'Anna``, ``qu'il``, ``dell'ufficio``."""

import re

from detectors.words.folding import fold

_LETTER = "[cdjlmnst]"
_LONGER = "(?:jus|lors|puis|quoi|quel)?qu|d?all|[dn]ell|coll|sull|que(?:st|ll)|un|bell|com|cos|dov"
_ANY = f"(?:{_LETTER}|{_LONGER}|sant)"
_SIGN = "['’ʼ`]"
_ELIDED = re.compile(rf"{_ANY}{_SIGN}(?=\w)|(?i:{_ANY}){_SIGN}(?=[a-zß-öø-ÿœ])")
# "Sant'Anna" is a place, "D'Angelo" a whole name.
_BEFORE_NAME = re.compile(rf"(?:{_LETTER}|(?i:{_LONGER})){_SIGN}(?=[^\W\d_]{{2}})")


def bare(word: str) -> str:
    """A word folded, without an elided one before it: ``j'ai`` is ``ai``."""
    return fold(word[elision(word) :])


def elision(word: str) -> int:
    """How many code points of a word are an elided one: two in ``d'Anna``, none in ``D'Angelo``."""
    return _length(_ELIDED, word)


def elision_before_name(word: str) -> int:
    """The same where a name may follow; ``Dell'Ada`` may be one name or be about Ada."""
    return _length(_BEFORE_NAME, word)


def _length(pattern: re.Pattern[str], word: str) -> int:
    found = pattern.match(word)
    return found.end() if found else 0
