"""Corrects what the name model found: rules for words that are names, and names that are words."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from detectors.detection import Detection
from detectors.identity.names import generation_end
from detectors.people.abroad import acting_abroad
from detectors.people.acting import acting
from detectors.people.before import is_first_name
from detectors.people.claims import (
    PERSON_VERB,
    PLACE_CUE,
    PLACE_WORD,
    WEAK_SCORE,
    judge,
    only_looks,
)
from detectors.people.coupled import coupled, with_halves
from detectors.people.ends import Claimed
from detectors.people.families import families
from detectors.people.foreign import (
    before,
    given_to,
    is_calendar,
    is_foreign,
    is_thing,
    stands_for_place,
)
from detectors.people.positions import placed
from detectors.people.rows import attending
from detectors.people.turned import turned
from detectors.people.unheard import apart
from detectors.people.unsaid import is_unsaid
from detectors.people.used import used
from detectors.people.whole import whole
from detectors.words.folding import WORD, fold, without_possessive
from detectors.words.lexicons import find_groups
from detectors.words.namelists import (
    is_given_name,
    is_ordinary,
    never_names,
    place_names,
    rarely_words,
    word_names,
)
from detectors.words.relations import RELATION

RECOGNISER = "names"
RULE_SCORE = 0.8

CAPITALISED = "[^\\W\\d_a-z][\\w'’-]*[\\w]"
PARTNERS = re.compile(f" {CAPITALISED}")
NAME = f"{CAPITALISED}(?: (?:de|del|da|di|van|von|der|den|al|bin|ibn|la) ?)*(?:[ -]{CAPITALISED})*"
START = r"(?:(?<=^)|(?<=[.!?\n] ))"
WORD_NAMES = "|".join(word.title() for word in word_names())
CERTAIN = re.compile(
    f"{START}(?P<start>{WORD_NAMES})(?='s\\b|’s\\b| {PERSON_VERB}\\b)"
    f"|\\b(?:named|called|name is|name's|names|ask|tell|met|godmother of|godfather to) "
    f"(?P<cue>{NAME})"
    f"|\\b(?i:{RELATION})(?:,? (?:is called|is named|called|named))? (?P<relation>{NAME})",
)
LOWER_CUE = re.compile(
    "\\b(?:(?:my|her|his|our|their|user's|ur|your)\\s+(?:\\w+\\s+)?(?:" + RELATION + ")"
    "(?:'s name is|s name is| is called| called| named)?"
    "|named|called me|call me|named me|hey|hi|yo|hiya|hello|dear|thx|thanks|congrats|sorry|bye"
    "|tell|ask|told|asked|texted|dating|miss|love|im|i'm|name is|names|name's"
    f"|hola|ciao|oi|olá|hoi|hallo|salut|dile a|chiedi a|avisa a|sag|frag|bel)\\s+(?P<name>{WORD})",
)
SEVERAL = re.compile(
    r"\b(?:kids|children|sons|daughters|twins|brothers|sisters|cousins|nephews|nieces|parents|"
    r"grandkids|grandchildren|friends)\W+$"
)
ASKED = re.compile(r"(?:ask|tell|told|asked|texted|named)\s")
BEFORE_PLACE = re.compile(
    r"\b(?:lake|loch|mount|gran|fort|port|cape|san|santa|st\.?) $", re.IGNORECASE
)
AFTER_AND = re.compile(rf" (?:and|&|n|nor|or) (?P<name>{WORD})")
BEFORE_AND = re.compile(rf"(?P<name>(?<!\w){WORD}) (?:and|&|n|nor|or) $")
EARLIER = re.compile(rf"(?<![\w@./’'-])({WORD}) $")
INITIALS = re.compile(r"\.(?: ?[A-Z]\.){0,3} ?")  # between the first one and the family name
# Parts of addresses belong to the address.
ADDRESS_BEFORE = re.compile(r"(?:://|www\.|[\w-][.@/_-])[^\s]*$|[@/_]$")
ADDRESS_AFTER = re.compile(r"[\w.+-]*@[\w-]|[./_-]\w")
_WORD = re.compile(WORD)
PET = re.compile(
    r"\b(?:dogs?|cats?|puppy|kitten|hamster|parrot|horse|pets?)\W+(?:is\W+)?$", re.IGNORECASE
)


def refine_people(text: str, spans: Sequence[Detection]) -> list[Detection]:
    """Correct the model's people: trim them, drop words that are no names, add what rules find.

    Args:
        text: the text (or window) that the spans refer to.
        spans: all model detections of the text; only people, and organisations or groups that are
            really people, are changed.
    """
    kept: list[Detection] = []
    for span in chain.from_iterable(apart(text, span) for span in spans):
        kept += (one for one in judge(text, span) if not _is_unsaid(text, one))
    people = [span for span in kept if span.entity_type == "PERSON"]
    others = [_whole_firm(text, span) for span in kept if span.entity_type != "PERSON"]
    people = _with(text, people, [*_rules(text), *_roles(text), *_echoes(text, people)], ())
    people = _with(text, people, _known_names(text), others)
    people = _with(text, people, _beside(text, people), others)
    people = _joined(text, with_halves(text, people))
    people = [_with_first_name(text, person, people) for person in people]
    people = [_with_generation(text, person) for person in people]
    return sorted(
        people + [span for span in others if not _covered(span, people)],
        key=lambda span: (span.start, span.end),
    )


def _with_generation(text: str, person: Detection) -> Detection:
    """``Hugo Falk Jr.``: without what follows it is his father's name."""
    end = generation_end(text, person.end)
    return person if end == person.end else replace(person, end=end, text=text[person.start : end])


def _whole_firm(text: str, span: Detection) -> Detection:
    """``Quist & Söhne``, of which the model takes ``Quist &``."""
    behind = PARTNERS.match(text, span.end)
    if span.entity_type != "ORGANIZATION" or text[span.end - 1] != "&" or behind is None:
        return span
    return replace(span, end=behind.end(), text=text[span.start : behind.end()])


def _is_unsaid(text: str, span: Detection) -> bool:
    return span.entity_type == "PERSON" and is_unsaid(text, span.start, span.end)


def _with(
    text: str,
    people: list[Detection],
    found: Iterable[tuple[int, int, float]],
    others: Sequence[Detection],
) -> list[Detection]:
    """Add people where nobody (and nothing of the others) was found before."""
    for start, end, score in found:
        if not any(start < span.end and span.start < end for span in [*people, *others]):
            people = [*people, Detection("PERSON", start, end, score, RECOGNISER, text[start:end])]
    return people


def _joined(text: str, people: Sequence[Detection]) -> list[Detection]:
    """Given and family name that were found apart, right beside each other, as one person."""
    joined: list[Detection] = []
    for person in sorted(people, key=lambda span: (span.start, span.end)):
        before = joined[-1] if joined else None
        if before is not None and _goes_on(text, before, person):
            start, end = before.start, person.end
            score = max(before.score, person.score)
            person = Detection("PERSON", start, end, score, RECOGNISER, text[start:end])
            joined.pop()
        joined.append(person)
    return joined


def _goes_on(text: str, person: Detection, family: Detection) -> bool:
    """Whether a person's name ends with the next one found: ``Sten`` and ``Lode``, in one case.

    In small letters, where nothing is set apart, a given name behind it is somebody else's.
    """
    initial = len(person.text) == 1 and INITIALS.fullmatch(text, person.end, family.start)
    if not initial and text[person.end : family.start] not in {" ", "\u00a0", "  "}:
        return False
    first = _WORD.search(family.text)
    if first is None or text[family.start].islower() != text[person.start].islower():
        return False
    word = fold(first[0])
    if text[family.start].isupper():
        return not is_calendar(word)
    return not (is_given_name(word) or is_ordinary(word))


def _with_first_name(text: str, person: Detection, people: Sequence[Detection]) -> Detection:
    """With the word before that is a first name only there: ``Odd`` Falk, ``Will`` Falk is nice."""
    earlier = EARLIER.search(before(text, person.start))
    if earlier is None:
        return person
    start = person.start - len(earlier[0])
    end = start + len(earlier[1])
    if not is_first_name(text, start, end, person.start) or _covers(people, start, end):
        return person
    return replace(person, start=start, text=text[start : person.end])


def _known_names(text: str) -> Iterator[tuple[int, int, float]]:
    """Given names that are no words, in English text: the model is weak in lower case."""
    words = [(match.start(), match.end(), fold(match[0])) for match in _WORD.finditer(text)]
    known = [word for word in words if _is_known_name(text, word)]
    ordinary = sum(is_ordinary(folded) for *_, folded in words)
    if not known or ordinary * 2 < len(words) - len(known):
        return
    for start, end, _ in known:
        yield start, without_possessive(text, start, end), WEAK_SCORE


def _is_known_name(text: str, word: Claimed) -> bool:
    start, end, folded = word
    if len(folded) < 2 or folded in never_names() or not is_given_name(folded):
        return False
    if folded not in rarely_words() and (len(folded) < 3 or is_ordinary(folded)):
        return False
    if only_looks(text, [word]) or is_unsaid(text, start, end):
        return False
    if ADDRESS_BEFORE.search(before(text, start)) or ADDRESS_AFTER.match(text[end:]):
        return False
    if folded not in word_names() and find_groups(text[start:end]):
        return False
    if PLACE_WORD.match(text[end:].lstrip()) or BEFORE_PLACE.search(before(text, start)):
        return False
    return folded not in place_names() or PLACE_CUE.search(before(text, start)) is None


def _covered(span: Detection, people: Sequence[Detection]) -> bool:
    return _covers(people, span.start, span.end)


def _covers(people: Sequence[Detection], start: int, end: int) -> bool:
    return any(start < person.end and person.start < end for person in people)


def _rules(text: str) -> Iterator[tuple[int, int, float]]:
    for match in CERTAIN.finditer(text):
        group = match.lastgroup or "start"
        start, end = match.span(group)
        if PET.search(before(text, match.start())) or not _could_be(text[start:end], group):
            continue
        end = without_possessive(text, start, end)
        if not _is_no_person(text, group, start, end):
            yield start, end, RULE_SCORE
    for match in LOWER_CUE.finditer(text):
        start, end = match.span("name")
        end = without_possessive(text, start, end)
        german = match[0].startswith("im ") and is_foreign(text)  # "im kino", not "im jo"
        folded = fold(text[start:end])
        asked = folded in word_names() and ASKED.match(match[0]) is not None
        if not german and (asked or _is_lower_name(text[start:end], folded)):
            yield start, end, WEAK_SCORE


def _roles(text: str) -> Iterator[tuple[int, int, float]]:
    """People by what they do, what is done to them and what they are called beside."""
    told = (coupled, turned, acting, acting_abroad, given_to, whole, used, placed, families)
    for start, end in chain.from_iterable(tells(text) for tells in (*told, attending)):
        yield start, without_possessive(text, start, end), WEAK_SCORE


def _is_no_person(text: str, group: str, start: int, end: int) -> bool:
    folded = fold(text[start:end])
    if group == "start":
        return is_thing(text, folded, start, end)
    return group == "relation" and stands_for_place(text, folded, start)


def _beside(text: str, people: Sequence[Detection]) -> Iterator[tuple[int, int, float]]:
    """Words joined to a person by "and" that are in the same case and no ordinary words."""
    for person in people:
        after = AFTER_AND.match(text, person.end)
        earlier = BEFORE_AND.search(before(text, person.start))
        for match in filter(None, (after, earlier)):
            start, end = match.span("name")
            folded = fold(match["name"])
            same_case = text[start].isupper() == text[person.start].isupper()
            known = is_given_name(folded) and SEVERAL.search(before(text, person.start)) is not None
            word = folded in never_names() or (is_ordinary(folded) and not known)
            if same_case and len(folded) > 2 and not word:
                yield start, without_possessive(text, start, end), WEAK_SCORE


def _could_be(name: str, group: str) -> bool:
    first = fold(re.split(r"[ -]", name)[0])
    if first in never_names():
        return False
    return group == "start" or is_given_name(first) or not is_ordinary(first)


def _is_lower_name(word: str, folded: str) -> bool:
    if not word.islower() or folded in never_names() or not is_given_name(folded):
        return False
    return folded in rarely_words() or (len(folded) > 2 and not is_ordinary(folded))


def _echoes(text: str, people: Sequence[Detection]) -> Iterator[tuple[int, int, float]]:
    """Other mentions of a name in the same text, in the same letters."""
    for name in {person.text for person in people if len(person.text) > 2}:
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
            yield match.start(), match.end(), RULE_SCORE
