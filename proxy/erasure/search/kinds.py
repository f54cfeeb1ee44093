"""What kind of thing a name means that was given without a type: the person Paris, or the city.

Nothing in a word tells, so whoever asks is asked, where the memories or the index know both.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from detectors.identity.keys import PERSON_TYPES
from detectors.identity.names import person_tokens
from detectors.words.folding import fold
from proxy.erasure.search.bearers import texts_of
from proxy.erasure.search.means import Means
from proxy.erasure.search.resolve import Aim
from proxy.erasure.search.target import KIND
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.redaction import PHRASES
from proxy.erasure.texts.surfaces import shape
from proxy.erasure.view import CandidateView
from proxy.ledger import entities
from proxy.ledger.engine import Tx
from proxy.tokens.mentions.specificity import begins_sentence
from proxy.tokens.mentions.standing import stands_alone
from proxy.tokens.mentions.usage import CALENDAR, TOWNS, may_be_a_word, means

PERSON, PLACE, WORD = "PERSON", "LOCATION", "TERM"
SEVERAL = LEAST = 2
HINTS = {**PHRASES, WORD: "a word or a date"}


def may_be_several(aim: Aim) -> bool:
    """Whether it is one capitalised word of which nobody said what it is."""
    target = aim.target
    if target.kind != "entity" or len(target.values) != 1:
        return False
    if target.entity_type is not None or target.entity_ids or aim.candidates:
        return False
    name = target.values[0].strip()
    return len(person_tokens(name)) == 1 and shape(name) is None and name[:1].isupper()


async def kinds_told_apart(means: Means, aim: Aim) -> Aim:
    """The aim with the kinds of things that bear the name as candidates: a person, and another.

    Raises:
        StoreUnavailable, StoreUnknown: a store cannot be read to the end.
    """
    if not may_be_several(aim):
        return aim
    name = aim.target.values[0].strip()
    counted = await means.ledger.read(lambda tx: _indexed(tx, aim))
    if may_be_a_word(fold(name)):
        counted = _joined(counted, await _used(means, aim, name), name)
    else:  # what is seen once may be a slip of detection
        counted = Counter({kind: n for kind, n in counted.items() if n >= LEAST})
    if PERSON not in counted or len(counted) < SEVERAL:
        return aim
    ranked = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    return replace(aim, candidates=tuple(_candidate(name, *each) for each in ranked))


def _candidate(name: str, kind: str, memories: int) -> CandidateView:
    hint = HINTS.get(kind, kind.replace("_", " ").lower())
    return CandidateView(KIND + kind.lower(), kind, memories, f"{name} ({hint})")


async def _indexed(tx: Tx, aim: Aim) -> Counter[str]:
    """In how many memories the index has the name, by what it takes it for."""
    rows = await entities.by_id(tx, aim.tenant_id, aim.entity_ids)
    memories = await entities.memory_counts(tx, aim.entity_ids)
    counted = Counter[str]()
    for row in rows.values():
        kind = PERSON if row.entity_type in PERSON_TYPES else row.entity_type
        counted[kind] += memories.get(row.id, 0)
    return +counted


async def _used(means: Means, aim: Aim, name: str) -> Counter[str]:
    """In how many memories it is used as a person's name, and in how many as another one."""
    needles, counted = Needles.build([name], entity_type=PERSON), Counter[str]()
    async for texts in texts_of(means, aim):
        counted.update(await asyncio.to_thread(_counted, needles, texts))
    return counted


def _counted(needles: Needles, texts: Sequence[str]) -> list[str]:
    return [use for text in texts for use in uses(needles, text)]


def uses(needles: Needles, text: str) -> set[str]:
    """As what a single name that is a word too is used: ``person``, ``word``, or both.

    A word in small letters, or at the beginning of a sentence, is no name of a thing either.
    """
    found: set[str] = set()
    for span in needles.anywhere(text):
        used = means(text, span.start, span.end)
        if used == "person" and stands_alone(text, span.start, span.end):
            found.add(used)
        if used == "word" and _is_titled(text, span.start, span.end):
            found.add(used)
    return found


def _is_titled(text: str, start: int, end: int) -> bool:
    """Whether the capital of a word says that it is a name: of a place, a month, a thing."""
    if not text[start:end][:1].isupper():
        return False
    return fold(text[start:end]) in TOWNS | CALENDAR or not begins_sentence(text, start)


def _joined(indexed: Mapping[str, int], used: Mapping[str, int], name: str) -> Counter[str]:
    """What both know. As what a text uses it that is no person, only the index can say."""
    things = {kind: n for kind, n in indexed.items() if kind != PERSON}
    if not things and used.get("word"):
        things = {PLACE if fold(name) in TOWNS else WORD: used["word"]}
    people = max(indexed.get(PERSON, 0), used.get("person", 0))
    return +Counter({**things, PERSON: people})
