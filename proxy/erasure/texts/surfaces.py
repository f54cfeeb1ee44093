"""What a name or a term is known by in texts: its kind, its keys, its unusual spellings."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from detectors.identity.keys import COMPACT_TYPES, PERSON_TYPES, name_keys
from detectors.identity.marks import Marks, marks_of
from detectors.identity.names import (
    BREAKS,
    PARTICLES,
    person_tokens,
    significant,
    tokens_of,
    unordered,
    without_particles,
)
from detectors.identity.windows import LONGEST_NAME, login_key
from detectors.words.folding import fold, strip_invisible
from detectors.words.namelists import is_name, is_ordinary
from detectors.words.titles import HONORIFICS
from proxy.erasure.texts.attribute_words import ATTRIBUTE
from proxy.tokens.forms.inflection import declined
from proxy.tokens.forms.readings import joined_forms
from proxy.tokens.forms.things import is_thing
from proxy.tokens.index.spelling import without_initials
from proxy.tokens.mentions.usage import may_be_a_word

PERSON, RELATIONSHIP = "PERSON", "RELATIONSHIP"
TERM_TYPES = frozenset({"MEDICAL_CONDITION", "MEDICATION", "TERM", "NRP", ATTRIBUTE})
THINGS = frozenset({"LOCATION", "TERM"})  # of which names of persons are told by their use
NUMBERED = frozenset({"PHONE_NUMBER", *COMPACT_TYPES})
WORDED = frozenset({None, "ORGANIZATION"} | PERSON_TYPES)
PLAIN_ARTICLES = frozenset({"the", "los", "las"})
ARTICLES = PLAIN_ARTICLES | {"le", "la", "el"}
CONTRACTED = {"le": ("le", "au", "du"), "el": ("el", "al", "del"), "de": ("de", "du", "des")}
LINKS = frozenset({"and", "und", "et", "en"})  # may stand for a sign: "Ben & Jerry's"
AROUND = 24  # characters in which particles before or behind a name stand
LEAST_JOINED = 6
LEAST_LEFT = 3  # letters or digits that are left without the signs: "C++" is no "C"
PHONE = re.compile(r"(?=[\d./-]*[+\s()])\+?(?:[\s()./-]*\d){7,15}|0\d{2,5}/\d{4,9}")
IDENTIFIER = re.compile(r"[_/#\d]")
DOTTED = re.compile(r"\w[\w-]*+(?:\.[\w-]++)+")
SEPARATORS = re.compile(r"[\s_-]+")
WORD = re.compile(r"\w+", re.UNICODE)
NUMBERS = re.compile(r"\d[._:/-]\d")
WORDS_ONLY = re.compile(r"(?:[^\W\d_]|[\s.,'’·-])+")
BEGIN = r"(?:(?<![\w@])(?<!\w[.-])|(?<=(?<![\w@])_)|(?<=(?<![\w@])__))"
END = r"(?=_{0,2}(?!\w))"
STRANGE = re.compile(r"[^\w\s@.,'’+:/-]|\+\+")


def shape(surface: str) -> str | None:
    """The type that a value's form gives away: an address is never the person it belongs to."""
    if re.fullmatch(r"[^\s@]+@[^\s@]+\.[^\s@]+", surface):
        return "EMAIL_ADDRESS"
    return "PHONE_NUMBER" if PHONE.fullmatch(surface) else None


def kind_of(surface: str, entity_type: str | None) -> str | None:
    """What one of several values is: ``diabetes`` is nobody's name, whoever else is asked for."""
    if not is_person(entity_type) or not surface.islower() or not WORDS_ONLY.fullmatch(surface):
        return entity_type
    words = person_tokens(surface)
    named = any(map(is_name, words)) or not any(map(is_ordinary, words))
    return entity_type if named else None


def is_person(entity_type: str | None) -> bool:
    """Whether it is somebody's name: what one is to others is a word, borne by many."""
    return entity_type == PERSON


def is_identifying(entity_type: str | None) -> bool:
    return entity_type is None or is_person(entity_type) or entity_type == "EMAIL_ADDRESS"


def is_term(surface: str, entity_type: str | None) -> bool:
    """Whether other forms of the word mean the same: terms, never names, nor ``April``."""
    if entity_type in THINGS and may_be_a_word(fold(surface)):
        return False
    word = entity_type in {None, RELATIONSHIP} and surface[:1].islower()
    return entity_type in TERM_TYPES or word


def _type_of(surface: str, entity_type: str | None) -> str:
    """Among somebody's names there may be addresses and numbers as well.

    What is said to be an address or a number and cannot be one is looked for by its words.
    """
    if entity_type == "EMAIL_ADDRESS" and "@" not in surface:
        return "TERM"
    if entity_type in NUMBERED and not any(map(str.isdigit, surface)):
        return "TERM"
    shown = shape(surface) if entity_type in WORDED else None
    return shown or ("TERM" if entity_type == ATTRIBUTE else entity_type) or "TERM"


def full_keys(surface: str, entity_type: str | None) -> list[str]:
    """Of what nobody knows, a title or a letter with an accent shows how a person is found too."""
    keys = name_keys(surface, kind := _type_of(surface, entity_type))
    unsure = entity_type is None and kind == "TERM" and len(person_tokens(surface)) > 1
    if unsure and (_titled(surface) or not surface.isascii()):
        keys += name_keys(surface)
    if STRANGE.search(surface) and sum(map(str.isalnum, surface)) < LEAST_LEFT:
        return []
    login = login_key(surface)
    return [*(key.value for key in keys if key.kind == "full"), *([login] if login else [])]


class Edges(NamedTuple):
    """Particles that no key holds, before and behind what a name of a thing is known by."""

    leads: tuple[str, ...] = ()
    trails: tuple[str, ...] = ()

    def stand(self, text: str, start: int, end: int) -> bool:
        """Whether they stand beside a stretch of a text, or within it."""
        words, before, behind = (
            [word for word in tokens_of(each) if word not in LINKS - {*self.leads, *self.trails}]
            for each in (text[start:end], text[max(0, start - AROUND) : start],
                         text[end : end + AROUND])
        )  # fmt: skip
        if text[end : end + 1] == "," and {*self.leads} <= {*behind[:3]}:
            return True  # "Gogh, Vincent van"
        return all(
            any(map(_is_spelled(edge), (words, words[-len(edge) :], before[-len(edge) :], behind)))
            for edge in (self.leads, self.trails) if edge
        )  # fmt: skip


def _is_spelled(edge: tuple[str, ...]) -> Callable[[list[str]], bool]:
    """Whether words begin with the particles, a French or Spanish one maybe contracted."""

    def is_spelled(words: list[str]) -> bool:
        return len(words) >= len(edge) and all(
            word in CONTRACTED.get(each, (each,))
            for each, word in zip(edge, words, strict=False)
        )  # fmt: skip

    return is_spelled


def edges_by_key(kinds: Iterable[tuple[str, str | None]]) -> dict[str, frozenset[Edges]]:
    """By what a thing is known by, the particles that tell it from others: ``Vitamin E``.

    An article may be left out before several words, or before what no list knows for a word or a
    name: ``The Rolling Stones``, ``The Beatles``.
    """
    found: dict[str, set[Edges]] = {}
    for surface, entity_type in kinds:
        if is_person(_type_of(surface, entity_type)):
            continue
        tokens = tokens_of(strip_invisible(surface))
        kept = [n for n, token in enumerate(tokens) if token not in PARTICLES]
        if kept:
            leads, trails = tuple(tokens[: kept[0]]), tuple(tokens[kept[-1] + 1 :])
            if ARTICLES.issuperset(leads) and _tells(tokens[kept[0] : kept[-1] + 1], leads):
                leads = ()
            key = unordered(without_particles(tokens))
            found.setdefault(key, set()).add(Edges(leads, trails))
    return {key: frozenset(edges) for key, edges in found.items() if Edges() not in edges}


def _tells(rest: list[str], leads: tuple[str, ...]) -> bool:
    """Whether a name without its article is still nobody else's."""
    unknown = not (is_ordinary(rest[0]) or is_name(rest[0]))
    return len(rest) > 1 or (unknown and PLAIN_ARTICLES.issuperset(leads))


def ambiguous_keys(name: str) -> list[str]:
    """Cases of a whole name that are somebody else's name in themselves."""
    several = (form for form in declined(name).ambiguous if " " in form)
    return [key for form in several for key in full_keys(form, PERSON)]


def unusual(surface: str, entity_type: str | None) -> list[tuple[str, str]]:
    """What a name of several words is known by where it is joined, spaced out or inflected.

    Words that an underscore joins are the same words: an index knows people by their handles too.
    """
    if entity_type in WORDED:
        surface = surface.replace("_", " ")
    if entity_type in {"TERM", ATTRIBUTE} or not WORDS_ONLY.fullmatch(surface):
        return []
    bare = " ".join(significant(surface))  # that is in doubt, see ``marks_by_key``
    values = dict.fromkeys([*joined_forms(surface), *joined_forms(bare)])
    joined = [("joined", value) for value in values]
    short = [" ".join(sorted(form)) for form in without_initials(surface)]
    full = full_keys(surface, entity_type) if joined else []
    return joined + [("full", value) for value in (*full, *short)]


def marks_by_key(people: Iterable[str]) -> dict[str, frozenset[Marks]]:
    """By what a whole name of a person is known by that does not hold its marks: those it has.

    Joined without its particle it has none, and so is not the name for certain.
    """
    found: dict[str, frozenset[Marks]] = {}
    for name in people:
        marks = marks_of(name)
        said = [*(("full", value) for value in full_keys(name, PERSON)), *unusual(name, PERSON)]
        values = {value for kind, value in said if kind == "joined" or " " in value}
        for value in values - {*joined_forms(name)}:
            found[value] = found.get(value, frozenset()) | {marks}
    return found


def words_of_names(surfaces: Iterable[str]) -> frozenset[str]:
    """The words of all names that have more than one; an address or a number has none."""
    names = (each for each in surfaces if shape(each) is None)
    split = ([match[0].casefold() for match in WORD.finditer(each)] for each in names)
    return frozenset(word for words in split if len(words) > 1 for word in words)


def strict(surfaces: Iterable[str], entity_type: str | None) -> frozenset[str]:
    """What only dotted names of things are known by: a longer one is another thing.

    Of a name that is also written without dots, and of a person's, any continuation is a mention.
    """
    if is_person(entity_type):
        return frozenset()
    known: dict[bool, set[str]] = {True: set(), False: set()}
    for surface in surfaces:
        values = [*full_keys(surface, entity_type), *joined_forms(surface)]
        known[DOTTED.fullmatch(surface) is not None].update(values)
    return frozenset(known[True] - known[False])


def exact(surfaces: Iterable[str], entity_type: str | None) -> frozenset[str]:
    """What things with signs or digits in their names are known by: a longer one is another."""
    named = [each for each in surfaces if not is_person(entity_type) and is_thing(each)]
    return frozenset(value for each in named for value in full_keys(each, entity_type))


def signs_of(surfaces: Iterable[str]) -> re.Pattern[str] | None:
    """A pattern for names that are more than words and spaces, and for words joined by signs.

    ``order_2024_001`` is not ``order_2024_0010``, ``/etc/app/conf`` not ``/etc/app/conf.bak``;
    ``ACME-CORP`` is ``acme_corp``. Signs of emphasis may stand around.
    """
    written = {form for surface in surfaces for form in _written(surface)}
    if not written:
        return None
    literal = "|".join(sorted(written, key=len, reverse=True))
    return re.compile(rf"{BEGIN}(?:{literal}){END}", re.IGNORECASE)


def _written(surface: str) -> Iterator[str]:
    """Patterns of the forms that no search by words finds."""
    words = [part for part in SEPARATORS.split(surface) if part]
    if STRANGE.search(surface):
        yield re.escape(surface)
    elif _unread(surface):
        yield r"\s+".join(map(re.escape, surface.split()))
    elif surface.startswith("@") or _is_identifier(surface):
        yield re.escape(surface) + r"(?![./-]\w)"
    if len(words) > 1 and all(map(str.isalnum, words)) and sum(map(len, words)) >= LEAST_JOINED:
        yield "[_-]".join(map(re.escape, words)) + r"(?![@.-]\w)"


def _is_identifier(surface: str) -> bool:
    if "@" in surface or not IDENTIFIER.search(surface):
        return False
    return any(map(str.isalpha, surface)) or NUMBERS.search(surface) is not None


def _titled(surface: str) -> bool:
    words = [match[0].casefold() for match in WORD.finditer(surface)]
    return len(words) > 1 and words[0] in HONORIFICS


def _unread(surface: str) -> bool:
    """Whether it is longer than names are, begins like one only, has none, or is a sentence."""
    words = [match[0].casefold() for match in WORD.finditer(surface)]
    if len(words) > 1 and PARTICLES.issuperset(words):
        return True
    if len(surface.strip()) == 1 and not surface.isascii():
        return True
    return _titled(surface) or len(words) > LONGEST_NAME or not BREAKS.isdisjoint(words)
