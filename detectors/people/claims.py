"""Judges what a model claims to be people: trims it, or tells a word, a place or a thing."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from detectors.detection import Detection
from detectors.identity.names import PARTICLES
from detectors.people.before import begins_sentence
from detectors.people.coupled import is_korean
from detectors.people.ends import Claimed, name_end
from detectors.people.foreign import (
    before,
    is_calendar,
    is_dated,
    is_foreign,
    is_place,
    is_thing,
    stands_for_place,
)
from detectors.people.unsaid import is_unsaid, is_word_there
from detectors.words.calendar import WEEK
from detectors.words.folding import WORD, fold
from detectors.words.lexicons import find_groups, find_medical
from detectors.words.namelists import (
    is_given_name,
    is_name,
    is_ordinary,
    never_names,
    place_names,
    places,
    product_names,
    towns,
    word_names,
)
from detectors.words.no_person import NO_ONE
from detectors.words.relations import RELATION
from detectors.words.spoken import spoken

WEAK_SCORE = 0.6
PERSON_VERB = (
    "(?:is|was|has|had|will|wants?|wanted|said|says|called|calls|texted|turned|turns|bought|likes?|"
    "liked|loves?|loved|prefers?|hates?|told|tells|asked|asks|lives?|lived|moved|works?|worked|went|"
    "goes|came|comes|got|gets|took|left|met|sent|wrote|thinks?|thought|knows?|needs?|plays?|studies|"
    "owes?|paid|visited|lost|found|made|gave|keeps|started|stopped|and (?:I|[A-Z]\\w+))"
)
# What follows a person at the start of a sentence, and seldom a plant, a season or a verb.
ACTS = re.compile(
    rf"['’]s\b| {PERSON_VERB}\b| \w{{2,}}ed\b| (?:and|or|&) [A-Z]|,? who\b|[,:(]| \(|[.!?]?$"
)
# What people do and places do not.
COMES = re.compile(
    r" (?:called|calls|said|says|told|asked|texted|wrote|wants|wanted|needs|thinks|forgot|bought|"
    r"cooked|(?:is|was|are) (?:coming|moving|late|sick|ill|asleep|pregnant|my|our|her|his|who))\b"
)
PLACE_WORD = re.compile(
    r"\b(?:river|lake|loch|mount|mountains?|street|road|avenue|bay|beach|islands?|valley|bridge|gran|"
    r"port|fort|cape|station|airport)\b",
    re.IGNORECASE,
)
PLACE_CUE = re.compile(
    r"\b(?:in|to|from|near|via|leaving|visit(?:ing|ed)?|around|outside)\s+$", re.IGNORECASE
)
# Things go to people by these: "sold the bike to Tiago", but "sent the team to Santiago".
RECIPIENT = re.compile(
    r"\b(?:sold|sell|g[ai]ve|given|len[dt]|owed?|hand(?:ed)?|show(?:ed)?|promised?|read|wr[oi]te"
    r"|introduced?|explain(?:ed)?|belongs?|says?|said|listen(?:ed)?|talk(?:ed)?|sp[eo]ken?|married"
    r"|engaged|sorry|thanks) [^.!?\n]{0,40}?\bto $",
    re.IGNORECASE,
)
_WORD = re.compile(WORD)


def judge(text: str, span: Detection) -> list[Detection]:
    """What is left of one claim: the person, another kind of thing, or nothing."""
    words = [(match.start(), match.end(), fold(match[0])) for match in _words(text, span)]
    if span.entity_type in {"ORGANIZATION", "NRP"} and _is_person(text, words):
        return [replace(span, entity_type="PERSON", score=WEAK_SCORE)]
    if span.entity_type == "LOCATION" and _is_no_place(text, words):
        return [replace(span, entity_type="PERSON", score=WEAK_SCORE)]
    if span.entity_type == "ORGANIZATION":
        return [] if words and all(word in never_names() for *_, word in words) else [span]
    if span.entity_type != "PERSON":
        return [span]
    end = name_end(text, words)
    if end < len(words) and not _says_nobody(text, words):
        first = judge(text, _cut(text, span, words[0][0], words[end - 1][1]))
        return first + _others(text, span, words[end:])
    words = _trimmed(text, words)
    if len(words) == 1 and is_place(text, words[0][2], words[0][1]):
        return [replace(_cut(text, span, words[0][0], words[0][1]), entity_type="LOCATION")]
    if not words or not _plausible(text, words) or only_looks(text, words):
        return []
    return [_cut(text, span, words[0][0], words[-1][1])]


def _says_nobody(text: str, words: list[Claimed]) -> bool:
    """Whether all of a claim is what nobody is called: ``Statt Kaffee trinkt``."""
    trimmed = _trimmed(text, words)
    return is_unsaid(text, trimmed[0][0], trimmed[-1][1])


def _others(text: str, span: Detection, words: Sequence[Claimed]) -> list[Detection]:
    """Whom a model's claim names behind what the first one does: ``Birgit ruft Torsten``."""
    named = [word for word in words if text[word[0]].isupper()]
    if not named or not is_given_name(named[0][2]) or is_ordinary(named[0][2]):
        return []
    return judge(text, _cut(text, span, named[0][0], words[-1][1]))


def _words(text: str, span: Detection) -> Iterator[re.Match[str]]:
    return _WORD.finditer(text, span.start, span.end)


def _cut(text: str, span: Detection, start: int, end: int) -> Detection:
    if text[start:end].endswith(("'s", "’s")):
        end -= 2
    return replace(span, start=start, end=end, text=text[start:end])


def _trimmed(text: str, words: list[Claimed]) -> list[Claimed]:
    """Drop words before and behind that are no part of the name: ``Tilda Brenn fietst``."""
    while len(words) > 1 and (_is_no_start(text, words[0]) or _is_owned(words)):
        words = words[1:]
    while len(words) > 1 and words[-1][2] in WEEK:
        words = words[:-1]
    particle = any(folded in PARTICLES for *_, folded in words[:1])
    whole = sum(text[start].isupper() for start, *_ in words) + particle > 1
    while len(words) > 1 and text[words[-1][0]].islower():
        start, end, folded = words[-1]
        there = is_word_there(text, start, end)
        if not (whole or there or is_ordinary(folded)) or (is_name(folded) and not there):
            break
        words = words[:-1]
    return words


def _is_owned(words: list[Claimed]) -> bool:
    """Whether ``von`` before a given name says whose somebody is: ``der Bruder von Jutta``."""
    return words[0][2] == "von" and is_given_name(words[1][2])


def _is_no_start(text: str, word: Claimed) -> bool:
    start, end, folded = word
    if _is_plain(text, word) and not is_given_name(folded):
        return True
    if folded in PARTICLES or not begins_sentence(text, start):
        return False
    return is_word_there(text, start, end)


def _is_plain(text: str, word: Claimed) -> bool:
    start, _, folded = word
    return is_ordinary(folded) and (text[start].islower() or begins_sentence(text, start))


def _plausible(text: str, words: list[Claimed]) -> bool:
    folded = [word for *_, word in words]
    if any(word in never_names() for word in folded if len(folded) == 1 or word == "user"):
        return False
    if PLACE_WORD.search(text, words[0][0], words[-1][1]) or _is_listed(text, words):
        return False
    if not all(map(is_ordinary, folded)) or _is_named_abroad(text, words):
        return True
    start, end, _ = words[0]
    if not any(map(is_given_name, folded)):
        return False
    if text[start].islower():
        return folded[0] not in NO_ONE and _has_cue(text, start)
    return len(words) > 1 or not begins_sentence(text, start) or bool(ACTS.match(text[end:]))


def _is_named_abroad(text: str, words: list[Claimed]) -> bool:
    """An English word that is a name and no word of a note in another language: ``Frank``."""
    start, end, folded = words[0]
    if len(words) > 1 or not (text[start].isupper() and is_name(folded) and is_foreign(text)):
        return False
    return not is_word_there(text, start, end)


def only_looks(text: str, words: list[Claimed]) -> bool:
    """A single word that an article, a definition or a journey explains."""
    start, end, folded = words[0]
    return len(words) == 1 and (
        is_calendar(folded)
        or is_dated(text, folded, start, end)
        or is_thing(text, folded, start, end)
        or stands_for_place(text, folded, start)
    )


def _is_listed(text: str, words: list[Claimed]) -> bool:
    """Medicines, peoples and codes that are nobody's given name."""
    span = text[words[0][0] : words[-1][1]]
    if any(one.text == span for one in find_groups(span)):
        return words[0][2] not in word_names()
    if is_given_name(words[0][2]):
        return False
    return any(char.isdigit() for char in span) or any(
        one.text == span for one in find_medical(span)
    )


def _has_cue(text: str, start: int) -> bool:
    """A lower-case word that is also a name counts only where a name must stand."""
    return (
        re.search(
            rf"\b(?:{RELATION}|named|called|hey|hi|tell|ask|told|with)\s+$",
            before(text, start),
            re.IGNORECASE,
        )
        is not None
    )


def _is_person(text: str, words: list[Claimed]) -> bool:
    """An organisation or group of one word that is a given name and no ordinary word."""
    if len(words) != 1:
        return False
    _, end, folded = words[0]
    if not is_given_name(folded) or is_ordinary(folded) or folded in never_names():
        return False
    return re.match(rf"(?:'s|’s)?(?:,? and| {PERSON_VERB}|[,.!?]|$)", text[end:]) is not None


def _is_no_place(text: str, words: list[Claimed]) -> bool:
    """A place of one word that is a given name, or on no list, where no place need stand."""
    near = before(text, words[0][0]) if words else ""
    if len(words) == 2 and is_korean(words[0][2], words[1][2]):
        return True  # "Park Jihoon is here"
    if len(words) != 1 or (PLACE_CUE.search(near) and not RECIPIENT.search(near)):
        return False
    _, end, folded = words[0]
    if folded in never_names() | places():
        return False
    if not is_given_name(folded):
        return _is_unknown(folded) and COMES.match(text, end) is not None
    if is_ordinary(folded) and not is_foreign(text):
        return False
    return folded not in place_names() or COMES.match(text, end) is not None


def _is_unknown(folded: str) -> bool:
    listed = folded in towns() or folded in product_names() or folded in spoken("en").proper
    return not (listed or is_ordinary(folded))
