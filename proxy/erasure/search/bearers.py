"""Which of several people of one short name is meant: the brother, the colleague, the contractor.

No index tells them apart, for all of them are "John" there; the memories do, by what stands beside
the name (``called``).
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import replace

from detectors.identity.names import person_tokens
from proxy.erasure.search.crawl import read_items
from proxy.erasure.search.find import restored, searchable
from proxy.erasure.search.means import Means
from proxy.erasure.search.resolve import Aim, resolve
from proxy.erasure.search.target import BEARER
from proxy.erasure.search.whom import described, known_as
from proxy.erasure.texts.called import NOTHING, Others, Said, distinct, groups, is_relative, said_of
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.surfaces import PERSON, shape
from proxy.erasure.view import CandidateView
from proxy.tokens.mentions.standing import stands_alone
from proxy.upstreams.errors import StoreUnavailable
from proxy.upstreams.store import Item

Whose = Mapping[str, Collection[str]]  # by word: the owners in whose memories it is said

BATCH = 500
SEVERAL = 2


def may_be_several(aim: Aim) -> bool:
    """Whether it is one word that several people of an owner may go by."""
    needles, target = aim.needles, aim.target
    if target.kind != "entity" or len(target.values) != 1 or needles is None:
        return False
    name = target.values[0].strip()
    short = len(person_tokens(name)) == 1 and shape(name) is None and name[:1].isupper()
    return short and needles.entity_type in {None, PERSON}


async def told_apart(means: Means, aim: Aim) -> Aim:
    """The aim with those who bear the name as candidates, or narrowed to those chosen of them.

    Raises:
        StoreUnavailable, StoreUnknown: a store cannot be read to the end.
    """
    chosen = {*aim.target.bearers}
    if not may_be_several(aim):
        return aim
    by_name = bool(aim.target.entity_ids) and not chosen
    if by_name and not await _all_longer(means, aim):
        return aim
    counted, whose = await _counted(means, replace(aim, rivals=None) if by_name else aim)
    several = groups(counted)
    if by_name:  # where there are several, none of them bears the longer name for certain
        names = aim.rivals.names if aim.rivals else None
        return aim if len(several) < SEVERAL else replace(aim, rivals=Others(names, Said()))
    if len(several) < SEVERAL and not chosen and not aim.away:
        return aim
    bearers = [*several, *([Said()] if counted[Said()] else [])]
    if not bearers and aim.away:  # a store that is not read may know several
        raise StoreUnavailable
    listed = [_candidate(aim, each, counted, whose) for each in bearers]
    longer = await _longer(means, aim)
    if not chosen <= {each for one in bearers for each in _ids(aim, one)} or not chosen:
        return replace(aim, candidates=(*listed, *longer))
    meant = [each for each in bearers if not chosen.isdisjoint(_ids(aim, each))]
    if meant == bearers and not aim.away:
        return await _every_one(means, aim)
    if any(_holders(aim, each, whose) for each in meant):
        return replace(aim, candidates=(*listed, *longer))
    words = frozenset(word for each in meant for word in each or {NOTHING})
    return replace(aim, rivals=Others(aim.rivals.names if aim.rivals else None, words))


async def _every_one(means: Means, aim: Aim) -> Aim:
    """The aim at all who bear the name."""
    target = aim.target
    known = await known_as(means, aim.tenant_id, aim.names, target)
    everybody = tuple(dict.fromkeys([*target.indexed, *known]))
    asked = replace(aim.asked, target=target.choose(everybody))
    return await resolve(means, aim.tenant_id, asked)


async def _counted(means: Means, aim: Aim) -> tuple[Counter[Said], Whose]:
    """What is said of those who bear the name, in how many memories, and each word by whom."""
    name = Needles.build(aim.target.values, entity_type="PERSON")
    counted, whose = Counter[Said](), defaultdict[str, set[str]](set)
    async for batch in _batches(means, aim):
        texts = await restored(means, aim.tenant_id, [searchable(item) for item in batch])
        said = await asyncio.to_thread(_said, name, aim.rivals, texts)
        for item, found in zip(batch, said, strict=True):
            counted.update(found)
            for word in Said().union(*found):
                whose[word].add(_speaker(item))
    return distinct(counted), whose


def _said(name: Needles, others: Others | None, texts: Sequence[str]) -> list[set[Said]]:
    """By text: what is said of each who bears the name there."""
    found: list[set[Said]] = []
    for text in texts:
        spans = [s for s in name.find(text) if s.certain and stands_alone(text, s.start, s.end)]
        if others is not None and spans:
            spans = others.outside(spans, text)
        found.append({*said_of(text, spans)})
    return found


def _speaker(item: Item) -> str:
    return item.owners.get("user") or " ".join(sorted(item.owners.values()))


async def texts_of(means: Means, aim: Aim) -> AsyncIterator[list[str]]:
    """All texts of the stores that may name them, in clear."""
    async for batch in _batches(means, aim):
        yield await restored(means, aim.tenant_id, [searchable(item) for item in batch])


async def _batches(means: Means, aim: Aim) -> AsyncIterator[list[Item]]:
    batch: list[Item] = []
    async for item in read_items(means, aim):
        batch.append(item)
        if len(batch) == BATCH:
            yield batch
            batch = []
    yield batch


def _ids(aim: Aim, said: Said) -> set[str]:
    """What a candidate may be called: by any word that is said of them, so that more may join."""
    return {BEARER + aim.names.of("bearer", each).hex()[:26] for each in said or {NOTHING}}


def _holders(aim: Aim, said: Said, whose: Whose) -> int:
    """How many owners have somebody of their own of whom this is said; 0 if one is named or has.

    My brother is not yours: without an owner nobody can say which of them is meant.
    """
    if aim.within is not None:
        return 0
    most = max((len(whose.get(word, ())) for word in said if is_relative(word)), default=0)
    return most if most > 1 else 0


def _candidate(aim: Aim, said: Said, counted: Counter[Said], whose: Whose) -> CandidateView:
    memories = sum(n for words, n in counted.items() if words <= said and (words or not said))
    told = ", ".join(sorted(said)) or "of whom no more is said"
    if owners := _holders(aim, said, whose):
        told += f"; of {owners} owners: name one of them"
    kind = (aim.needles.entity_type if aim.needles else None) or "PERSON"
    return CandidateView(
        min(_ids(aim, said)), kind, memories, f"{aim.target.values[0].strip()} ({told})"
    )


async def _all_longer(means: Means, aim: Aim) -> bool:
    """Whether all who were chosen are known by more than the word itself."""
    known = await described(means, aim.tenant_id, aim.target.indexed)
    return bool(known) and all(len(person_tokens(each.hint)) > 1 for each in known)


async def _longer(means: Means, aim: Aim) -> list[CandidateView]:
    """Candidates with longer names; the bare name is told apart.

    ``John Smith`` is one of them though the index knows nobody else whom John could mean: where
    there are a brother and a contractor, he may be either, or a third.
    """
    certain = await described(means, aim.tenant_id, aim.entity_ids)
    every = {each.id: each for each in (*aim.candidates, *certain)}
    return [each for each in every.values() if len(person_tokens(each.hint)) > 1]
