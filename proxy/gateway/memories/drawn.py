"""Facts that a store's model drew from a chat: from which of its messages each may stem.

A fact has the entities, categories and period of those messages alone. It may stem from every
message that has a word of it. Where all of them have less than half of its words, its source is
unclear: it may stem from any. Words are compared while the write is settled; none is kept.
"""

import asyncio
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

from detectors.words import word_set
from detectors.words.folding import ascii_form, fold, is_unspaced
from detectors.words.namelists import stop_words
from detectors.words.relations import RELATION
from proxy.erasure.texts.rewrite import PRONOUN
from proxy.erasure.texts.subjects import is_without_subject
from proxy.erasure.texts.wording import base_form
from proxy.erasure.texts.words import GREETINGS, STOP_WORDS
from proxy.gateway.answers.rows import Made, moment
from proxy.gateway.exchange import Exchange
from proxy.gateway.request.decide import edited
from proxy.gateway.services import GatewayServices
from proxy.ledger import entities, memories
from proxy.ledger.writes import Write

Part = Mapping[str, Any]

SOMEBODY = frozenset({"PERSON", "EMAIL_ADDRESS", "PHONE_NUMBER", "USERNAME"})
REACH = 6  # messages before one in which whoever its pronoun means was named
NEAR = 2  # messages before one that says whom they meant: with an answer between
STEM = 6  # letters that tell a word in its other forms: "allergic", "allergy"
_WORD = re.compile(r"\w+(?:['’ʼ`]\w+)*")
_SAYS_LITTLE = word_set(
    """
    user assistant like love enjoy prefer want need think know say tell mention note thing really
    time lot go get make good feel help look way new people person
    """
)
_PRONOUN_ELSEWHERE = re.compile(
    r"\b(?:er|ihn|ihm|sie|ihr|ihre[mnrs]?|ihnen|seine[mnrs]?|il|elle|lui|ils|elles|leurs?|ella|"
    r"ellos|ellas|él|sus?|su[oa]|suoi|"
    r"lei|loro|ele|ela|eles|elas|dele|dela|hij|zij|ze|hem|haar|hen|hun|"
    r"он|она|они|его|е[её]|ему|ей|их|им)\b|[他她彼]",
    re.IGNORECASE,
)
_MEANT = re.compile(rf"\b(?:the|this|that)(?: [^\W\d_]+)? (?:{RELATION})\b", re.IGNORECASE)
# What a message goes on with that leaves out of whom it speaks: "Works nights", "And has twins".
_GOES_ON = re.compile(
    r"(?:and|but|also|plus|who|which|what an?|just|still|even|then|\w{2,}ing)\b", re.IGNORECASE
)
_OF_MYSELF = re.compile(r"\b(?:I|my|me|mine|myself|we|our|us|ich|je|moi|yo|io|eu|ik)\b|\b[jJ]['’]")
_INTRODUCED = re.compile(
    r"\b(?:[Mm]y name(?:['’]s| is)|I am|I['’]m|[Tt]his is|[Cc]all me|[Ii]ch (?:heiße|bin)|"
    r"[Mm]ein Name ist|[Jj]e (?:m['’]appelle|suis)|[Mm]e llamo|[Ss]oy|[Mm]i chiamo|"
    r"[Ii]k (?:heet|ben)|[Mm]e chamo|[Nn]azywam się)\s+(?:Dr\.? |Mr\.? |Mrs\.? |Ms\.? )?[^\W\d_a-z]"
)
_CALLED = re.compile(
    r"\b(?:(?:his|her|their) name|(?:he|she|they)(?:['’](?:s|re)| is| are) (?:called|named))\b",
    re.IGNORECASE,
)


def said(exchange: Exchange) -> list[str]:
    """The messages of a write from which the store's model draws, as it sees them; none if it
    draws nothing, or from one alone."""
    if exchange.route.op != "write" or not exchange.infers:
        return []
    texts = [text for text in exchange.texts if text.role == "content"]
    return [edited(exchange, text) for text in texts] if len(texts) > 1 else []


def hold(exchange: Exchange, services: GatewayServices) -> None:
    """Keep the messages in memory for when the store's model is done."""
    if exchange.write_id is not None and (messages := said(exchange)):
        services.unsettled.hold(exchange.write_id, messages)


async def attributed(
    services: GatewayServices, write: Write, made: Sequence[Made], messages: Sequence[str]
) -> Write:
    """The write with a part of its plan for each fact whose sources are told.

    Args:
        messages: what the write said, in the order of its plan's parts; without them each fact
            keeps the whole of its write.
    """
    if len(messages) < 2 or len(messages) != len(write.plan["parts"]) or not made:
        return write
    names = await services.keyring.tenant(write.tenant_id)
    refs = [memories.content_ref(names, each.text).hex() for each in made]
    facts, spoken = await _clear(services, write, made, messages)
    parts = speaking(write.plan["parts"], spoken, await _people(services, write))
    stems = await asyncio.to_thread(sources, facts, spoken)
    named = await _named(services, write, facts)
    drawn = [
        _joined(ref, _chosen(parts, ref, numbers) or [*parts, write.plan], also)
        for ref, numbers, also in zip(refs, stems, named, strict=True)
    ]
    return replace(write, plan={**write.plan, "parts": [*drawn, *write.plan["parts"]]})


async def _clear(
    services: GatewayServices, write: Write, made: Sequence[Made], messages: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Facts and messages with words for tokens: a word may have become one in a part of them."""
    texts = [*(each.text for each in made), *messages]
    clear = [each.text for each in await services.vault.restore_many(write.tenant_id, texts)]
    return clear[: len(made)], clear[len(made) :]


def _chosen(parts: Sequence[Part], ref: str, numbers: Sequence[int]) -> list[Part]:
    """The parts of a fact's sources: the very messages where it repeats them to the letter."""
    same = [part for part in parts if part["content"] == ref]
    return same or [parts[number] for number in numbers]


def _joined(ref: str, parts: Sequence[Part], also: Collection[str]) -> Part:
    """The part of a plan for what is drawn from all of these: the strictest of each."""
    first = min(parts, key=lambda part: _instant(part["expires_at"]))
    prompt = min(parts, key=lambda part: _instant(part["prompt_at"]))
    return {
        "content": ref,
        "entities": list(dict.fromkeys([*_all(parts, "entities"), *also])),
        "tier": first["tier"],
        "expires_at": first["expires_at"],
        "prompt_at": prompt["prompt_at"],
        "categories": sorted({*_all(parts, "categories")}),
        "tags": sorted({*_all(parts, "tags")}),
        "quarantined": any(part["quarantined"] for part in parts),
    }


def _instant(text: str | None) -> float:
    at = moment(text)
    return float("inf") if at is None else at.timestamp()


def _all(parts: Sequence[Part], name: str) -> Iterator[str]:
    return (each for part in parts for each in part[name])


# -- whom a message speaks of ----------------------------------------------------------------------


async def _people(services: GatewayServices, write: Write) -> frozenset[str]:
    """Ids of those entities of a write that are somebody, or by which one is reached."""
    found = await services.ledger.read(
        lambda tx: entities.by_id(tx, write.tenant_id, write.entity_ids)
    )
    return frozenset(each.id for each in found.values() if each.entity_type in SOMEBODY)


def speaking(
    parts: Sequence[Part], messages: Sequence[str], people: frozenset[str]
) -> Sequence[Part]:
    """The parts with the people of whom a message speaks without a name.

    Of whom ``He moved`` or ``The colleague moved`` tells was named before: by any of the last
    messages, as far as nobody knows; of whom ``Works nights`` tells, by the one before. ``His name
    is ...`` names whom the ones before spoke of, ``My name is ...`` who speaks of ``me``.
    """
    named = [people.intersection(part["entities"]) for part in parts]
    everywhere = frozenset.intersection(*named)  # by metadata, which is beside every message
    speakers = _speakers(messages, named)
    told = [set(each) for each in named]
    for number, text in enumerate(messages):
        before = range(max(0, number - REACH), number)
        if _OF_MYSELF.search(text):
            told[number] |= speakers
        if speaks_of_somebody(text):
            told[number] |= set().union(*(named[each] for each in before)) or _latest(named, number)
        elif goes_on(text) or _asked(messages, number):
            told[number] |= _latest(named, number)
        if named[number] - everywhere and _CALLED.search(text):
            for each in before[-NEAR:]:
                told[each] |= named[number]
    return [
        {**part, "entities": list(dict.fromkeys([*part["entities"], *sorted(each)]))}
        for part, each in zip(parts, told, strict=True)
    ]


def _speakers(messages: Sequence[str], named: Sequence[frozenset[str]]) -> frozenset[str]:
    """Who said of themselves what they are called."""
    return frozenset().union(
        *(who for text, who in zip(messages, named, strict=True) if _INTRODUCED.search(text))
    )


def _asked(messages: Sequence[str], number: int) -> bool:
    """Whether the message before is a question."""
    return number > 0 and messages[number - 1].rstrip().endswith(("?", "？", "؟"))


def goes_on(text: str) -> bool:
    """Whether a message leaves out of whom it speaks."""
    return bool(_GOES_ON.match(text)) or is_without_subject(text, opens=True)


def _latest(named: Sequence[frozenset[str]], number: int) -> frozenset[str]:
    """Who was named last before a message."""
    return next((each for each in reversed(named[:number]) if each), frozenset())


def speaks_of_somebody(text: str) -> bool:
    """Whether it speaks of a third person by a pronoun, or as of one who is known."""
    return (
        PRONOUN.search(text) is not None
        or _MEANT.search(text) is not None
        or any(not match[0].isupper() or len(match[0]) == 1  # "the ER" is no "er"
               for match in _PRONOUN_ELSEWHERE.finditer(text))
    )  # fmt: skip


async def _named(
    services: GatewayServices, write: Write, facts: Sequence[str]
) -> list[frozenset[str]]:
    """Ids of the entities that each fact names itself, by a name that the tenant's index knows."""
    known = await services.vault.known_mentions(write.tenant_id, facts)
    pairs = list(dict.fromkeys((d.entity_type, d.text) for found in known for d in found))
    ids = dict(zip(pairs, await services.vault.named(write.tenant_id, pairs), strict=True))
    return [frozenset().union(*(ids[d.entity_type, d.text] for d in found)) for found in known]


# -- from which messages ---------------------------------------------------------------------------


def sources(facts: Sequence[str], messages: Sequence[str]) -> list[list[int]]:
    """For each fact the numbers of the messages that it may stem from; none if that is unclear."""
    having: dict[str, set[int]] = {}
    for number, text in enumerate(messages):
        for word in words(text):
            having.setdefault(word, set()).add(number)
    return [_having(words(fact), having) for fact in facts]


def _having(fact: frozenset[str], having: Mapping[str, set[int]]) -> list[int]:
    """Numbers of the messages that have words of a fact; none if they have less than half."""
    met = [having[word] for word in fact if word in having]
    return sorted(set().union(*met)) if 2 * len(met) >= len(fact) else []


def words(text: str) -> frozenset[str]:
    """The words of a text that say something, without their endings; of scripts without spaces
    each pair of letters."""
    return frozenset(stem for match in _WORD.finditer(text) for stem in _stems(fold(match[0])))


def _stems(word: str) -> Iterator[str]:
    if is_unspaced(word):
        yield from map("".join, pairwise(word)) if len(word) > 1 else word
        return
    base = base_form(ascii_form(word))
    if (len(base) > 1 or base.isdigit()) and _silent().isdisjoint((word, base)):
        yield base[:STEM] if base.isalpha() else base  # a number is what it is


@cache
def _silent() -> frozenset[str]:
    return stop_words() | STOP_WORDS | GREETINGS | _SAYS_LITTLE
