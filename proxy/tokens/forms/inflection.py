"""The cases of a whole name: ``Ольгу Кузнецову``, ``Janem Kowalskim``; every word in the same one.

A name is declined as it is asked for; no text is taken apart. Names in Cyrillic are, and those in
Latin letters that look Polish, Czech or Slovak; how, ``endings.txt`` says.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain, product
from typing import Literal, NamedTuple

from detectors.identity.names import PARTICLES, person_tokens
from detectors.identity.windows import LONGEST_NAME
from detectors.words import word_set
from detectors.words.folding import strip_invisible
from detectors.words.namelists import family_names, given_names, is_given_name, is_ordinary

Script = Literal["cyrillic", "latin"]
Cases = tuple[tuple[str, ...], ...]  # by case: the endings in use

LEAST_WORD = 2  # letters; one is an initial
LONGEST = 6  # letters of an ending
CYRILLIC = re.compile("[\u0400-\u04ff’'-]+")
VOWELS = frozenset("аеёиоуыэюяєіїaeiouyąęáéěíóúůýьй")
LETTERS = re.compile("[ąćęłńśźżčďěňřšťůž]")
FAMILYS = re.compile(r"(?:sk[iaý]|ck[iaý]|ov[aá]|wicz|czyk|[^aeiou][ae]k|ý)$")
OF_WOMEN = ("а", "я", "ь", "a", "ie")  # how the given names end of those whose family name stays

MEN = word_set("илья никита фома лука данила ілля микита сава кузьма kuba honza ondra")
GIVEN = word_set(
    """
    agnieszka andrzej anna barbara beata dariusz dorota ewa grzegorz halina irena ivana jakub jan
    jana janusz jarek jaroslav jerzy jiri josef kamil karolina katarzyna krystyna krzysztof lenka
    lucie lukasz magdalena malgorzata marcin marek mariusz mateusz miroslav ondrej pavel pawel petr
    petra piotr stanislav stanislaw szymon tomasz vaclav veronika vojtech wojciech zbigniew zdenek
    zofia zuzana
    """
)  # those that tell a name that nothing else tells: "Anna Sikora"
NOMINATIVES = ("ова", "ева", "ёва", "ина", "ына", "ая", "єва", "їна", "ська", "цька", "ska", "cka")


class Declined(NamedTuple):
    """A name in its other cases, folded.

    Args:
        sure: those that nobody is called.
        ambiguous: those that are somebody else's name, too: ``Александра Кузнецова``.
    """

    sure: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()


@lru_cache(maxsize=1024)
def declined(name: str) -> Declined:
    """The other cases of a person's name; nothing for a name of a language not declined here."""
    words = person_tokens(strip_invisible(name))
    script = _script(words)
    if script is None or not 0 < len(words) <= LONGEST_NAME:
        return Declined()
    found = {form for table in _tables()[script] for form in _forms(table, words)}
    found.discard(tuple(words))
    ambiguous = {form for form in found if _is_ambiguous(form, words)}
    return Declined(_joined(found - ambiguous), _joined(ambiguous))


def in_other_cases(names: Iterable[str]) -> dict[str, str]:
    """By each case of a name that nobody else is called, the name.

    One word of a longer name among them has the cases that it has there: of Anna Nowak's none is
    ``Nowaka``.
    """
    every = {name: person_tokens(name) for name in names}
    longer = [name for name, words in every.items() if len(words) > 1]
    parts = {word for name in longer for word in every[name]}
    there = {word for name in longer for case in chain(*declined(name)) for word in case.split()}
    return {
        form: name
        for name, words in every.items() for form in declined(name).sure
        if parts.isdisjoint(words) or len(words) > 1 or form in there
    }  # fmt: skip


def nominative(word: str, name: str) -> str:
    """The word of a name of which another is a case: ``ольга`` for ``Ольге`` and Ольга Кузнецова.

    The word itself where it is none.
    """
    folded = " ".join(person_tokens(word))
    return in_other_cases([name, *person_tokens(name)]).get(folded, word)


def in_every_case(name: str) -> list[frozenset[str]]:
    """The words of a person's name, and those of each of its cases."""
    cases = (form.split() for form in declined(name).sure)
    return [frozenset(words) for words in (person_tokens(name), *cases)]


@lru_cache(maxsize=4096)
def is_declined_given_name(folded: str) -> bool:
    """Whether a folded word may be a given name in another case: ``ольге``, ``janowi``."""
    script: Script = "cyrillic" if CYRILLIC.fullmatch(folded) else "latin"
    known = _endings()[script]
    cuts = range(max(LEAST_WORD, len(folded) - LONGEST), len(folded) + 1)
    stems = ((folded[:cut], known.get(folded[cut:], ())) for cut in cuts)
    bases = (stem + ending for stem, endings in stems for ending in endings)
    return any(
        is_given_name(base) and (script == "cyrillic" or base in GIVEN or LETTERS.search(base))
        for base in bases
    )


def _script(words: Sequence[str]) -> Script | None:
    if max(map(len, words), default=0) < LEAST_WORD:
        return None
    if all(map(CYRILLIC.fullmatch, words)):
        return "cyrillic"
    looks = words[0] in GIVEN or FAMILYS.search(words[-1]) or any(map(LETTERS.search, words))
    return "latin" if looks and all(map(str.isalpha, words)) else None


def _forms(table: dict[str, Cases], words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Every word in the same case; what has none stays as it is."""
    cases = [_cases(table, word) for word in words]
    if len(words) > 1 and _is_a_womans(words):
        cases[-1] = ()
    for number in range(max(map(len, cases))):
        options = [
            each[number] if number < len(each) else (word,)
            for each, word in zip(cases, words, strict=True)
        ]
        yield from product(*options)
        if words[-1][-1] == "о" and len(words) > 1:  # Шевченко, which Russian does not decline
            yield from product(*options[:-1], words[-1:])


def _is_a_womans(words: Sequence[str]) -> bool:
    """Whether a family name has no cases because a woman bears it: ``z Anną Nowak``."""
    if words[0] in MEN or not words[0].endswith(OF_WOMEN):
        return False
    return words[-1][-1] == "о" or words[-1][-1] not in VOWELS


def _cases(table: dict[str, Cases], word: str) -> Cases:
    """A word in each case; an initial and a particle have none."""
    if len(word) < LEAST_WORD or word in PARTICLES:
        return ()
    if (whole := table.get("^" + word)) is not None:
        return whole
    for length in range(LONGEST, 0, -1):
        if (cases := table.get(word[-length:])) is not None and len(word) > length:
            return tuple(tuple(word[:-length] + each for each in case) for case in cases)
    consonant = word[-1] not in VOWELS
    ends = table["*"] if consonant else ()
    return tuple(tuple(word + each for each in case) for case in ends)


@cache
def _endings() -> dict[Script, dict[str, set[str]]]:
    """By script: the endings of the nominative for each ending of another case."""
    found: dict[Script, dict[str, set[str]]] = {}
    for script, tables in _tables().items():
        known = found[script] = {}
        for ending, cases in (row for table in tables for row in table.items() if row[0][0] != "^"):
            for each in chain(*cases):
                known.setdefault(each, set()).add(ending.removeprefix("*"))
    return found


def _is_ambiguous(form: Sequence[str], words: Sequence[str]) -> bool:
    """Whether a case of a name is a name in itself: ``Jana`` of Jan; a word is none at all."""
    first, *others = form
    if not others:
        return first in given_names() | family_names() or is_ordinary(first)
    return first in given_names() and all(
        each in family_names() or each in words or each.endswith(NOMINATIVES) for each in others
    )


def _joined(forms: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(sorted(map(" ".join, forms)))


@cache
def _tables() -> dict[Script, list[dict[str, Cases]]]:
    """By script: for each language, the cases of each ending."""
    text = files("proxy.tokens.forms").joinpath("endings.txt").read_text("utf-8")
    tables = [_table(part.splitlines()) for part in text.split("\n\n")[1:]]
    return {"cyrillic": tables[:2], "latin": tables[2:]}


def _table(lines: Iterable[str]) -> dict[str, Cases]:
    rows = (line.split() for line in lines if line[:1] != "#")
    return {ending: tuple(tuple(case.split("/")) for case in cases) for ending, *cases in rows}
