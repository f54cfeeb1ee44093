"""Short names under owners who know somebody by the whole one: first name, family name, initial.

What is one person's for sure in an owner's own memories may be anybody's elsewhere, so every owner
is looked at alone: a word counts there only if nobody else there bears it.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress

from detectors.identity.keys import spelled_out
from detectors.identity.names import halves_of, significant
from detectors.identity.windows import spelled_apart
from detectors.people.before import BOTH
from detectors.words.folding import WORD as WORD_PATTERN
from detectors.words.folding import ascii_form, fold, is_unspaced
from detectors.words.namelists import family_names, is_given_name
from detectors.words.titles import HONORIFICS
from proxy.erasure.search.found import Found, Hunt, Scope
from proxy.erasure.search.resolve import Aim, forgets_everywhere
from proxy.erasure.texts.beside import INITIAL_AFTER
from proxy.erasure.texts.mentions import Needles, Span
from proxy.erasure.texts.surfaces import is_person, shape
from proxy.erasure.texts.words import is_name_word
from proxy.tokens.forms.inflection import declined, in_other_cases
from proxy.tokens.forms.readings import joined_forms
from proxy.tokens.mentions.named_after import is_a_family
from proxy.tokens.mentions.standing import (
    AFTER,
    BEFORE,
    PARTICLES,
    REACH,
    in_front,
    is_genitive,
    name_around,
    standing,
    stands_alone,
)
from proxy.tokens.mentions.usage import TOWNS, means

LEAST_LETTERS = 3
LEAST_GIVEN = 2
MOST_IN_DOUBT = 2  # words that begin a name and may begin another's: "Ana Moreno"
WORD = re.compile(WORD_PATTERN)
# "Elizabeth Harrow (Liz)", "Elizabeth Harrow, known as Liz"
ALIAS = re.compile(
    r" \(?[\"'“„‘«(](?P<quoted>[^\W\d_]+)[\"'”“’»)]|"
    r",? \(?(?:is |was )?(?:(?:better )?known as|goes by|called|named|aka|a\.k\.a\.|genannt|dite?|"
    r"dett[oa]|llamad[oa]|apodad[oa]|chamad[oa]|bijgenaamd) (?P<called>[^\W\d_]+)"
)


@dataclass(frozen=True, slots=True)
class Short:
    """How a full name is shortened."""

    full: Needles
    words: frozenset[str]
    initials: tuple[tuple[str, str], ...]  # initial and family name
    families: tuple[tuple[str, str], ...]  # given name and initial of the family name
    full_words: tuple[tuple[str, ...], ...]  # the words of each full name
    every: frozenset[str]  # all words of the full names, but for halves: ``Marie`` of Marie-Luise
    genitives: Mapping[str, str]  # by each word with the ending of who owns something, the word
    cases: Mapping[str, str]  # by each other case of one of these words, the word
    ambiguous: frozenset[str]  # cases of the short names that somebody else is called
    handles: Mapping[str, str]  # by a short name run together, that name: ``wbrenn``

    @property
    def names(self) -> set[str]:
        """All of them as they are written."""
        initials = {written(*pair) for pair in self.initials}
        return {*map(str.title, self.words), *initials, *(shortened_to(*p) for p in self.families)}

    @property
    def sought(self) -> set[str]:
        """Words beside which, or as which, any of them stands."""
        return {*self.every, *self.words, *self.cases, *self.ambiguous}

    def owning(self, names: Sequence[str]) -> tuple[str, ...]:
        """Short names, and single words of them with the ending of who owns something."""
        words = {word.title(): case.title() for case, word in self.genitives.items()}
        return (*names, *(words[name] for name in names if name in words))

    def is_part(self, words: tuple[str, ...]) -> bool:
        """Whether words of the name are all its family names, or begin it with all given ones.

        ``García Pérez``, ``María José`` and ``María José García`` of María José García Pérez.
        Where a given name is left out it is doubtful, for ``Mary Fletcher`` may be a sister of Mary
        Ann Fletcher; and where a word may be either: ``Lloyd Jenkins``.
        """
        begins = any(each[: len(words)] == words for each in self.full_words)
        ends = any(each[-len(words) :] == words for each in self.full_words)
        if begins and len(words) > MOST_IN_DOUBT:
            return True
        given = [is_given_name(word) for word in words]
        if any(word in family_names() for word in compress(words, given)):
            return False
        return (begins and all(given)) or (ends and not any(given))

    def nominative(self, word: str) -> str:
        """A word of the names as they are given, folded: ``ольга`` for ``Ольгу``."""
        for each in spelled_apart(fold(word)):
            if (name := self.cases.get(each, each)) in self.every:
                return name
        return fold(word)


@dataclass(slots=True)
class _Known:
    """What one owner calls the person: where each short name stands, and which are contested."""

    spans: dict[str, list[tuple[Found, Span]]]
    contested: set[str]
    unsure: set[str]  # keys of memories where the word before may be a first name
    others: set[str]  # keys of memories where a case of a short name is another name
    aliases: set[str]  # given names by which the person is said to go, folded


def mark_familiar(aim: Aim, result: Hunt) -> Iterator[Found]:
    """Mark memories that only use a short name, under owners who know the person by the whole one.

    All memories concerned of such an owner learn which short names mean the person there. Those
    that only use a short name which a namesake bears there too stay, and are doubtful; so are those
    of owners who never say the whole name, and know no namesake either.
    """
    short = shortened(aim)
    if short is None:
        return
    groups = _by_scope([*result.found.values(), *result.texts.values()])
    told = {scope: group for scope, group in groups.items() if _tells(short, group)}
    result.told |= told.keys()
    known = {scope: _read_all(short, group) for scope, group in told.items()}
    barred = {(one.key, name) for each in known.values() for name in each.contested
              for one, _ in each.spans[name]}  # fmt: skip
    for scope, group in told.items():
        here = known[scope]
        names = tuple(sorted({*short.names, *here.spans} - here.contested))
        called = {name: [pair for pair in here.spans[name] if (pair[0].key, name) not in barred]
                  for name in names}  # fmt: skip
        for one, spans in _mentions(called):
            one.spans = sorted({*one.spans, *spans}, key=lambda span: span.start)
            one.direct = True
            yield one
        for one in group:
            one.called = short.owning(names) if one.direct else ()
    doubtful = {key for key, _ in barred}
    doubtful = doubtful.union(*(each.unsure | each.others for each in known.values()))
    for scope in groups.keys() - told.keys():
        doubtful |= _strangers(short, groups[scope])
    result.doubtful |= doubtful - {one.key for group in told.values() for one in group
                                   if one.direct}  # fmt: skip


def written(initial: str, family: str) -> str:
    """An initial with a family name."""
    return f"{initial}. {family}".title()


def shortened_to(given: str, initial: str) -> str:
    """A given name with the initial of the family name."""
    return f"{given} {initial}.".title()


def shortened(aim: Aim) -> Short | None:
    """The short forms of the names of a person who is forgotten everywhere, if there are any.

    None where several who bear the short name were told apart: it is nobody's for certain.
    """
    needles = aim.needles
    if needles is None or not is_person(needles.entity_type):
        return None
    if aim.rivals is not None and aim.rivals.meant is not None:
        return None
    if not (forgets_everywhere(aim.target) or _within_one(aim)):
        return None
    whole = [each for each in needles.whole if shape(each) is None and len(_parts(each)) > 1]
    if not whole:
        return None
    parts = [spelled for each in whole for spelled in _spelled(_parts(each))]
    words = {word for each in parts for word in (each[0], each[-1]) if len(word) >= LEAST_LETTERS}
    halves = halves_of(whole)
    words -= halves
    initials = {(each[0][0], each[-1]) for each in parts if len(each[-1]) >= LEAST_LETTERS}
    families = {(each[0], each[-1][0]) for each in parts if len(each[0]) >= LEAST_GIVEN}
    families = {pair for pair in families if pair[0] not in halves}
    full = Needles.build(whole, entity_type=needles.entity_type)
    ordered = tuple(sorted(initials)), tuple(sorted(families))
    every = frozenset(chain(*parts)) - halves
    ambiguous = frozenset(case for word in words for case in declined(word).ambiguous) - every
    told = tuple(map(tuple, parts))
    genitives = {f"{word}s": word for word in every if is_genitive(f"{word}s")}
    cases = {**genitives, **in_other_cases((*whole, *every))}
    names = [*(written(*pair) for pair in initials), *(shortened_to(*pair) for pair in families)]
    handles = {handle: name for name in names for handle in joined_forms(name)}
    return Short(
        full, frozenset(words), *ordered, told, every, genitives, cases, ambiguous, handles
    )


def _within_one(aim: Aim) -> bool:
    """Whether somebody is forgotten within one owner alone, in every mention."""
    target = aim.target
    return target.kind == "entity" and target.scope == "any_mention" and not target.bearers


def _parts(name: str) -> list[str]:
    """The words of a name, of which the first and the last stand for it."""
    tokens = significant(name)
    return [] if any(map(is_unspaced, tokens)) else tokens


def _spelled(tokens: list[str]) -> list[list[str]]:
    """A name as it is written, and without its accents."""
    plain = [ascii_form(token) for token in tokens]
    return [tokens] if plain == tokens or not all(plain) else [tokens, plain]


def _by_scope(found: Iterable[Found]) -> dict[Scope, list[Found]]:
    groups: dict[Scope, list[Found]] = defaultdict(list)
    for one in found:
        for scope in one.scopes:
            groups[scope].append(one)
    return groups


def _tells(short: Short, group: Iterable[Found]) -> bool:
    """Whether somebody is told of by the whole name among these memories."""
    return any(short.full.sure(one.text) for one in group if one.direct)


def _strangers(short: Short, group: Iterable[Found]) -> set[str]:
    """Keys of memories with a short name, of an owner of whom nothing says whom it means.

    Where the index knows the person alone by a bare name, it is counted already, see ``bare``.
    """
    known = _read_all(short, [one for one in group if not one.bare])
    called = (known.spans[name] for name in known.spans.keys() - known.contested)
    return known.unsure | {one.key for spans in called for one, _ in spans}


def _read_all(short: Short, group: Iterable[Found]) -> _Known:
    """Where these memories use a short name of the person, and which of them are others' too."""
    known = _Known(defaultdict(list), set(), set(), set(), set())
    group = list(group)
    for one in group:
        known.aliases |= _aliases(short, one.text)
    for one in group:
        _read(short, one, known)
    told = _spellings(known.contested)
    known.contested |= {
        each for each in {*short.names, *known.spans} if not told.isdisjoint(_spellings([each]))
    }
    return known


def _aliases(short: Short, text: str) -> set[str]:
    """By which other given names a text says that the person goes."""
    found = (ALIAS.match(text, span.end) for span in short.full.sure(text))
    names = {fold(match["quoted"] or match["called"]) for match in found if match}
    return {name for name in names - short.every if is_given_name(name) and name not in TOWNS}


def _spellings(names: Iterable[str]) -> set[str]:
    """Names as they are, without their accents, and with umlauts spelled out."""
    folded = {fold(each) for each in names}
    return {*folded, *map(ascii_form, folded), *map(spelled_out, folded)} - {""}


def _read(short: Short, one: Found, known: _Known) -> None:
    for span in one.spans if one.bare else ():
        known.spans[span.part.title()].append((one, span))
    taken = short.full.anywhere(one.text)  # be it as a street's
    wanted = short.sought | known.aliases
    for match in WORD.finditer(one.text):
        start, end = match.span()
        inside = any(span.start <= start and end <= span.end for span in taken)
        if not inside and (name := short.handles.get(fold(match[0]))):
            known.spans[name].append((one, Span(start, end)))
            continue
        short_name = not wanted.isdisjoint(spelled_apart(fold(match[0])))
        if short_name and not inside and not match[0].islower():
            _read_initials(short, one, Span(start, end), known)
            if not _read_family(short, one, Span(start, end), known):
                _read_word(short, one, Span(start, end), known)


def _read_initials(short: Short, one: Found, at: Span, known: _Known) -> None:
    """``K. Moss`` is hers, unless ``Karl Moss`` is there too."""
    first, before = _before(one.text, at.start)
    for initial, family in short.initials:
        name = written(initial, family)
        if short.nominative(one.text[at.start : at.end]) != family or before[:1] != initial:
            continue
        if len(before) == 1:
            known.spans[name].append((one, Span(first, at.end)))
        else:
            known.contested.add(name)


def _read_family(short: Short, one: Found, at: Span, known: _Known) -> bool:
    """Whether an initial stands for the family name: ``Kira M.``, unless ``Kira Maas`` is there.

    ``Kira V.`` is somebody else, and so is ``Kira M. Voss``.
    """
    given = short.nominative(one.text[at.start : at.end])
    if not any(given == each for each, _ in short.families):
        return False
    match = INITIAL_AFTER.match(one.text, at.end)
    if match is None:
        longer = AFTER.match(one.text, at.end, at.end + REACH)
        if longer and standing(one.text, at.start, at.end) == "another":
            known.contested.add(shortened_to(given, fold(longer[1])[:1]))
        return False
    initial = fold(match[1] or match[2])
    if (given, initial) in short.families and not _goes_on(one.text, match.end()):
        known.spans[shortened_to(given, initial)].append((one, Span(at.start, match.end())))
    else:
        known.contested.add(given.title())
    return True


def _goes_on(text: str, end: int) -> bool:
    """Whether a name follows an initial: that is a middle name's then."""
    following = AFTER.match(text, end, end + REACH)
    return following is not None and is_name_word(following[1])


def _read_word(short: Short, one: Found, at: Span, known: _Known) -> None:
    """``Kira`` is hers, unless ``Kira Voss`` is there too."""
    written = one.text[at.start : at.end]
    word, owns = short.nominative(written), fold(written) in short.genitives
    if word in short.ambiguous and stands_alone(one.text, at.start, at.end):
        known.others.add(one.key)
    stands = standing(one.text, at.start, at.end)
    if stands == "another":
        _read_around(short, one, at, known)
    elif word not in short.words | known.aliases:
        return
    elif stands == "unsure" or word not in short.words:
        known.unsure.add(one.key)
    elif owns or means(one.text, at.start, at.end) == "person":
        known.spans[word.title()].append((one, at))


def _read_around(short: Short, one: Found, at: Span, known: _Known) -> None:
    """Whether the name around a word is a shortened form of the person's, or another's.

    A whole name that has a word more is another's: ``Tom Lloyd Jenkins`` is not Sarah Lloyd
    Jenkins, and ``Lloyd Jenkins`` may be either from then on.
    """
    start, end = name_around(one.text, at.start, at.end)
    words = _words(short, one.text[start:end])
    if short.every.issuperset(words):
        name = " ".join(words).title()
        if not short.is_part(words) or is_a_family(one.text, start, end):
            known.unsure.add(one.key)
        elif means(one.text, start, end) == "person":
            known.spans[name].append((one, Span(start, end)))
        return
    if len(words) > 1 and (words[0][0], words[-1]) in short.initials and len(words[0]) == 1:
        return
    own = [word for word in words if word in short.every]
    known.contested |= {" ".join(own).title(), *(word.title() for word in own)}


def _words(short: Short, name: str) -> tuple[str, ...]:
    """The words of a name in a text, as the person's names have them, without titles.

    ``Don Falk`` and ``Ben Falk``, whom no title or particle leads, are somebody's two names.
    """
    folded = tuple(short.nominative(match[0]) for match in WORD.finditer(name))
    if len(folded) == MOST_IN_DOUBT and folded[0] in BOTH:
        return folded
    return tuple(word for word in folded if word not in HONORIFICS | PARTICLES)


def _before(text: str, start: int) -> tuple[int, str]:
    """Where the capitalised word before begins, and that word; empty for a title or for none."""
    front = in_front(text, start)
    match = BEFORE.search(text, max(0, front - REACH), front)
    if match is None or not match[1][:1].isupper() or fold(match[1]) in HONORIFICS:
        return front, ""
    return match.start(), fold(match[1])


def _mentions(
    called: dict[str, list[tuple[Found, Span]]],
) -> Iterator[tuple[Found, Collection[Span]]]:
    places: dict[str, tuple[Found, set[Span]]] = {}
    for found in called.values():
        for one, span in found:
            places.setdefault(one.key, (one, set()))[1].add(span)
    yield from places.values()
