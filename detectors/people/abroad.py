"""Who opens a note of another language and does something there: ``Bruno repariert das Rad``.

A noun has an article before it where it does something; what stands bare is called so. Notes often
begin with a verb instead: it is a word of their language and nobody's name.
"""

import re
from collections.abc import Iterator

from detectors.people.before import begins_sentence
from detectors.people.unsaid import ACTS, DEFINED, OBJECTS
from detectors.words.famous import famous_as
from detectors.words.folding import WORD, fold
from detectors.words.namelists import (
    is_given_name,
    names_by_use,
    never_names,
    place_names,
    places,
    products,
    stop_words,
    towns,
)
from detectors.words.spoken import languages_of, spoken

AROUND = 100  # code points that tell which language is spoken there
LEAST = 3  # letters of a name
_DOES = re.compile(
    rf"(?<![\w@#./'’-])(?P<name>[^\W\d_a-z][^\W\d_]+(?: [^\W\d_a-z][^\W\d_]+)?) (?P<does>{WORD})"
    rf"(?: (?P<what>{WORD}))?"
)
_VERB = {"de": re.compile(r"\w+t"), "nl": re.compile(r"\w+t|\w+kt|\w{3,5}")}
_TO = r"en|in|im|am|auf|mit|zu[mr]?|bei|nach|an|à|au|aux|dans|chez|avec|pour|sur|al?|con|por|para"
_TO += (
    r"|alla|nel|nella|ad|da|per|em|no|na|com|op|bij|naar|met|van|le|la|lo|l|à|ao|à|gern|nie|nicht"
)
_GOES_TO = re.compile(rf"(?:{_TO})")


def acting_abroad(text: str) -> Iterator[tuple[int, int]]:
    """Spans of known given names that open a sentence of another language than English.

    Args:
        text: the text (or window).
    """
    for match in _DOES.finditer(text):
        start = match.start()
        if not (match["does"].islower() and begins_sentence(text, start)):
            continue
        first = fold(match["name"].split()[0])
        if len(first) < LEAST or not is_given_name(first) or _is_nobody(first, match["name"]):
            continue
        languages = languages_of(text[start : start + AROUND])
        language = languages[0] if languages else "pl"
        if language in OBJECTS and language != "pl" and _does(text, match, first, language):
            yield match.span("name")


def _is_nobody(first: str, name: str) -> bool:
    lists = (never_names, names_by_use, place_names, places, towns, products)
    return any(first in words() for words in lists) or famous_as(name) is not None


def _does(text: str, match: re.Match[str], first: str, language: str) -> bool:
    """Whether what follows is a verb by its form and by what it goes on with."""
    does, what = fold(match["does"]), (match["what"] or "").lower()
    own = spoken(language)
    if own.is_word(first) or first in own.proper or DEFINED.match(text, match.end("name")):
        return False
    if match["does"] in ACTS:
        return True
    if does in stop_words() or not (own.is_word(does) or does in own.either):
        return False
    done = re.fullmatch(OBJECTS[language], what) is not None
    verb = _VERB.get(language)
    if first in own.either:
        return verb.fullmatch(does) is not None if verb else done
    if verb and not verb.fullmatch(does):
        return False
    return done or bool(verb) or _GOES_TO.fullmatch(what) is not None
