"""What no key of a name holds and what may tell it from another: ``dos`` of Maria dos Santos.

Particles, and a given name abbreviated before others (``Ma. Teresa Cruz``). With another mark it
may be the same person's name or somebody else's: nobody can tell.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable

from detectors.identity.names import PARTICLES, person_tokens, significant
from detectors.words import word_set
from detectors.words.folding import fold, strip_invisible
from detectors.words.namelists import is_given_name

Marks = frozenset[str]

NONE = Marks()
TELLING = PARTICLES - word_set("and y e of the")  # no words between two people: "Brenn and Alva"
SAME = {"el": "al", "ul": "al"}  # the Arabic article, as it is heard
# Given names that are seldom spelled out before others; what else is short there is a title.
SHORT_GIVEN = word_set(
    "ma mohd mhd moh muhd md fco fca fdo gpe wm chas thos geo jas jos robt edw saml benj jno danl "
    "fredk richd eliz margt cath joh friedr wilh heinr ludw gg chr"
)
REACH = 40  # code points on either side

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_HUMP = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")  # of "MariaDosSantos"
_PARTICLE = "|".join(sorted(TELLING, key=len, reverse=True))
_IN_FRONT = re.compile(rf"(?<![\w'’-])((?:(?:{_PARTICLE})[ \t\u00a0-]{{1,2}})+)$", re.IGNORECASE)
_BEHIND = re.compile(
    rf"((?:[ \t\u00a0]{{1,2}}(?i:{_PARTICLE}))+)(?![\w'’-]|[ \t\u00a0]{{1,2}}[^\W\d_a-z])"
)
_SHORT = re.compile(r"(?<![\w'’-])([^\W\d_]{2,6})\.?[ \t\u00a0]{0,2}$")


def marks_of(name: str) -> Marks:
    """The marks of a person's name; a name of one word has none: ``Frau von Berg``."""
    kept = significant(name)
    if len(kept) < 2:
        return NONE
    tokens = person_tokens(strip_invisible(name))
    particles = (Counter(tokens) - Counter(kept)).elements()
    dotted = (fold(word[:-1]) for word in name.split() if word.endswith("."))
    return _telling(particles) | ({*dotted} & SHORT_GIVEN - {*tokens})


def differ(one: str, other: str) -> bool:
    """Whether two names of several words have other marks, so that they may be two people's."""
    whole = all(len(significant(each)) > 1 for each in (one, other))
    return whole and marks_of(one) != marks_of(other)


def marker(text: str) -> Callable[[int, int], Marks]:
    """What tells the marks of a name that is read at [start, end) of a text."""
    words = (fold(part) for word in _WORD.findall(text) for part in (word, *_HUMP.split(word)))
    if (TELLING | SHORT_GIVEN).isdisjoint(words):
        return lambda _start, _end: NONE
    return lambda start, end: marks_at(text, start, end)


def marks_at(text: str, start: int, end: int) -> Marks:
    """The marks of the name at [start, end), where its first word is none.

    Those of a family name that comes first stand before it (``von Berg, Anna``), or behind the
    given name (``Berg, Anna von``).
    """
    written = text[start:end]
    words = _WORD.findall(written)
    if len(words) == 1:
        words = _HUMP.split(words[0])
    found = [fold(word) for word in words[1:]]
    if "," in written or _is_reversed(words):
        around = (_IN_FRONT.search(text, max(0, start - REACH), start), _BEHIND.match(text, end))
        found += [fold(word) for match in around if match for word in _WORD.findall(match[1])]
    short = _SHORT.search(text, max(0, start - REACH), start)
    named = short is not None and (short[1].istitle() or written.isupper())
    given = fold(short[1]) if short and named else ""
    return _telling(found) | ({given} & SHORT_GIVEN)


def _is_reversed(words: list[str]) -> bool:
    """Whether a family name comes first: in ``von Anna Berg`` the particle is none of it."""
    return len(words) > 1 and is_given_name(fold(words[-1])) and not is_given_name(fold(words[0]))


def _telling(words: Iterable[str]) -> Marks:
    return Marks(SAME.get(word, word) for word in words if word in TELLING)
