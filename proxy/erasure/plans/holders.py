"""Whose an identifier in an object is, by the names that stand in the object and around it."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal

from detectors.detection import Analysis
from detectors.words.folding import ascii_form, fold
from detectors.words.namelists import is_given_name, is_ordinary
from detectors.words.titles import HONORIFICS
from proxy.erasure.plans.assess import people_in
from proxy.erasure.plans.identifying import LOOSE, NO_IDENTIFIERS
from proxy.erasure.texts import field_words
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.surfaces import shape
from proxy.erasure.texts.words import is_somebody
from proxy.tokens.forms.readings import joined_forms

Party = Literal["theirs", "others"]  # whom is forgotten, and everybody else
Whose = Literal["theirs", "others", "untold"]
People = frozenset[Party]
Path = tuple[str | int, ...]
OURS: People = frozenset({"theirs"})
OTHERS: People = frozenset({"others"})
NOBODY: People = frozenset()
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
PHONE = "PHONE_NUMBER"


@dataclass(frozen=True, slots=True)
class Field:
    """A value that holds no others.

    Args:
        path: the names, and the numbers in lists, that lead to it.
        shown: it, as a reader sees it.
        said: what detection found in it beside its name.
    """

    path: Path
    shown: str
    said: Analysis = field(repr=False)

    @property
    def key(self) -> str:
        """Its name."""
        return str(self.path[self._at])

    @property
    def place(self) -> Path:
        """The object that holds it."""
        return self.path[: self._at]

    @property
    def _at(self) -> int:
        return max(n for n, step in enumerate(self.path) if isinstance(step, str))

    @property
    def identifies(self) -> bool:
        """Whether it identifies somebody, by a name that leads to it or by what it says."""
        names = (step for step in self.path if isinstance(step, str))
        if any(field_words.identifies(name, self.shown) for name in names):
            return True
        counts = field_words.counts(self.key, self.shown)
        none = NO_IDENTIFIERS | LOOSE | ({PHONE} if counts else set())
        return any(each.entity_type not in none for each in self.said.detections)

    @property
    def is_loose(self) -> bool:
        """Whether it does so only where nobody but its bearer is named: a link, an age."""
        return field_words.is_loose(self.key) and bool(self.shown.strip())


@dataclass(frozen=True, slots=True)
class Said:
    """What a memory's text says.

    Args:
        people: who is named in it.
        names: of those who are not forgotten.
        theirs: identifiers that it gives, or may give, to whom is forgotten.
        others: those that it gives to others.
    """

    people: People = NOBODY
    names: tuple[str, ...] = ()
    theirs: Needles | None = None
    others: Needles | None = None


class Holders:
    """Who is named where in a memory's metadata.

    Args:
        needles: whom is forgotten.
        called: short names that mean them here.
        keys: the names of fields as a reader sees them, with what detection found.
        known: who else the ledger knows the memory to name.
        said: what its text says.
    """

    def __init__(
        self, needles: Needles, called: Iterable[str], fields: Sequence[Field],
        keys: Mapping[str, tuple[str, Analysis]], known: Needles | None, said: Said,
    ) -> None:  # fmt: skip
        self._needles, self._known, self._said, self.fields = needles, known, said, fields
        names = [each for each in (*needles.surfaces, *called) if shape(each) is None]
        self._words = {word for word in _words(names) if _is_names(word)}
        self._handles = {*chain.from_iterable(map(joined_forms, called))}
        self._named = {
            one.path: NOBODY if _is_handle(one) else self._people(one.shown, one.said)
            for one in fields
        }
        self._whole = {one.path for one in fields if self._is_whole(one)}
        others = [one.shown for one in fields
                  if one.path in self._whole and self._named[one.path] == OTHERS]  # fmt: skip
        self._others = _words([*(known.surfaces if known else ()), *said.names, *others])
        self._named |= {one.path: self._in_handle(one) for one in fields if _is_handle(one)}
        self._keys = {name: self._in_key(name, *read) for name, read in keys.items()}

    def judged(self) -> dict[Path, Whose]:
        """Whose every identifier is; without what identifies somebody loosely and is not theirs."""
        found: dict[Path, Whose] = {}
        for one in self.fields:
            if one.identifies:
                found[one.path] = self._whose(one)
            elif one.is_loose and self._beside(one) == OURS:
                found[one.path] = "theirs"
        given = [one.shown for one in self.fields if found.get(one.path) == "theirs"]
        theirs = Needles.build(each for each in given if any(map(str.isdigit, each)) or "@" in each)
        for one in self.fields:
            if found.get(one.path) == "untold" and theirs.mentioned(one.shown):
                found[one.path] = "theirs"
        return found

    def entries(self, value: Any, path: Path = ()) -> Iterator[Path]:
        """Entries that name them, of lists and objects in which every other one names another.

        The whole list would go with the name otherwise.
        """
        pairs = list(value.items() if isinstance(value, Mapping) else enumerate(value))
        inside = [(*path, step) for step, _ in pairs]
        named = {each: self._in_entry(each) for each in inside}
        rest = [people for people in named.values() if "theirs" not in people]
        if path and rest and all(people == OTHERS for people in rest):
            yield from (each for each, people in named.items() if "theirs" in people)
        for at, (_, part) in zip(inside, pairs, strict=True):
            if isinstance(part, Mapping | list):
                yield from self.entries(part, at)

    def _in_entry(self, path: Path) -> People:
        """Whom an entry names: a pair by its name alone, an object in a list by all within."""
        step = path[-1]
        if isinstance(step, str):
            return self._keys.get(step, NOBODY)
        inside = [one for one in self.fields if one.path[: len(path)] == path]
        plain = any(one.path == path for one in inside)
        return NOBODY if plain else _joined(self._named[one.path] for one in inside)

    def _whose(self, one: Field) -> Whose:
        said = self._said
        if said.theirs and said.theirs.mentioned(one.shown):
            return "theirs"
        people = self._beside(one)
        people = people or said.people
        if people == OURS:
            return "theirs"
        if people == OTHERS or (said.others and said.others.mentioned(one.shown)):
            return "others"
        return "untold"

    def _beside(self, one: Field) -> People:
        """Who is named by it, by its name, or by the object that holds it or one around that."""
        own = self._named[one.path] or self._keys.get(one.key, NOBODY)
        if own:
            return own
        place = one.place
        while True:
            if people := self._in_object(place, one):
                return people
            if not place:
                return NOBODY
            step, place = place[-1], place[:-1]
            if isinstance(step, str) and (people := self._keys.get(step, NOBODY)):
                return people

    def _in_object(self, place: Path, one: Field) -> People:
        """Whom an object names: by a field that is a name; else in other words, or further within.

        Of several names those count whose fields share a word with its own: ``author_email``.
        """
        inside = [each for each in self.fields
                  if each.path[: len(place)] == place and self._named[each.path]]  # fmt: skip
        here = [each for each in inside if each.place == place] or inside
        here = [each for each in here if each.path in self._whole] or here
        wanted = field_words.qualifiers(one.key)
        alike = [each for each in here if wanted & field_words.qualifiers(each.key)]
        return _joined(self._named[each.path] for each in alike or here)

    def _people(self, shown: str, said: Analysis) -> People:
        """Who is named in a value."""
        if shown[:1].isupper() and _words([shown]) <= self._words:
            return OURS  # a short name of theirs
        ours = self._needles.sure(shown)
        spans = self._sure_others(shown)
        spans += [each for each in people_in(said, {"PERSON"}) if is_somebody(shown, *each)]
        others = any(
            not any(start < span.end and span.start < end for span in ours) for start, end in spans
        )
        return _joined([OURS if ours else NOBODY, OTHERS if others else NOBODY])

    def _in_handle(self, one: Field) -> People:
        """Whom a handle or an address names, by words of names alone: ``tom.reed@mail.example``."""
        if self._needles.sure(one.shown) or not self._handles.isdisjoint(_words([one.shown])):
            return OURS
        return OTHERS if self._others & {*field_words.words_of(one.shown)} else NOBODY

    def _sure_others(self, shown: str) -> list[tuple[int, int]]:
        known = self._known.sure(shown) if self._known else []
        return [(span.start, span.end) for span in known]

    def _is_whole(self, one: Field) -> bool:
        """Whether a value is a name and nothing else."""
        spans = [(span.start, span.end) for span in self._needles.sure(one.shown)]
        spans += [*self._sure_others(one.shown), *people_in(one.said, {"PERSON"})]
        rest = list(one.shown)
        for start, end in spans:
            rest[start:end] = " " * (end - start)
        return bool(self._named[one.path]) and _words(["".join(rest)]) <= HONORIFICS | self._words

    def _in_key(self, name: str, shown: str, said: Analysis) -> People:
        """Who is named by a field's name: ``ada_phone``, ``Ada Lund``; not by ``Ada Quist``."""
        words = {*field_words.words_of(shown)} - field_words.PLAIN
        spans = self._needles.find(shown)
        ours = any(map(name.__contains__, self._needles.tokens)) or any(
            span.certain for span in spans
        )
        theirs = ours or (bool(words & self._words) and not spans)
        called = {
            word for start, end in people_in(said, {"PERSON"})
            for word in field_words.words_of(shown[start:end]) if not is_ordinary(word)
        }  # fmt: skip
        others = (words & (self._others | called)) | {*field_words.given_names(shown)}
        others -= self._words - self._others
        return _joined([OURS if theirs else NOBODY, OTHERS if others else NOBODY])


def without(value: Any, goes: Collection[Path], path: Path = ()) -> Any:
    """A JSON value without what stands at some places, nor what is empty without that."""
    if isinstance(value, Mapping):
        return {
            name: without(part, goes, (*path, name))
            for name, part in value.items() if not _goes((*path, name), part, goes)
        }  # fmt: skip
    if isinstance(value, list):
        return [
            without(part, goes, (*path, n))
            for n, part in enumerate(value) if not _goes((*path, n), part, goes)
        ]  # fmt: skip
    return value


def _goes(path: Path, part: Any, goes: Collection[Path]) -> bool:
    if path in goes:
        return True
    return bool(part) and isinstance(part, Mapping | list) and not without(part, goes, path)


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Every value that holds no others, as text, with where it stands."""
    if isinstance(value, Mapping):
        yield from chain.from_iterable(leaves(part, (*path, name)) for name, part in value.items())
    elif isinstance(value, list):
        yield from chain.from_iterable(leaves(part, (*path, n)) for n, part in enumerate(value))
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield path, str(value)


def _joined(named: Iterable[People]) -> People:
    return frozenset(chain.from_iterable(named))


def _words(names: Iterable[str]) -> set[str]:
    """The words of names, folded, with accents and without."""
    folded = [fold(word) for name in names for word in WORD.findall(name)]
    return {*folded, *filter(None, map(ascii_form, folded))}


def _is_names(word: str) -> bool:
    """Whether a word of a name is hardly another word: not the family name in ``hill_address``."""
    return is_given_name(word) or not is_ordinary(word)


def _is_handle(one: Field) -> bool:
    """Whether an identifier is one word: what detection takes for a name in it may be none."""
    return " " not in one.shown.strip() and (one.identifies or one.is_loose)
