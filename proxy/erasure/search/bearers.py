"""Which of several people of one short name is meant: the brother, the colleague, the contractor.

No index tells them apart, for all of them are "John" there; the memories do, by what stands beside
the name (``called``).
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from detectors.identity import PERSON_TYPES, person_tokens
from proxy.erasure.search.find import read_items, restored, searchable
from proxy.erasure.search.means import Means
from proxy.erasure.search.resolve import Aim, known_as, resolve
from proxy.erasure.search.target import BEARER
from proxy.erasure.texts.called import NOTHING, Others, Said, distinct, groups, said_of
from proxy.erasure.texts.mentions import Needles, shape
from proxy.erasure.view import CandidateView
from proxy.tokens.standing import stands_alone
from proxy.upstreams.errors import StoreUnavailable

BATCH = 500
SEVERAL = 2


def may_be_several(aim: Aim) -> bool:
    """Whether it is one word that several people of an owner may go by."""
    needles, target = aim.needles, aim.target
    if target.kind != "entity" or len(target.values) != 1 or needles is None:
        return False
    name = target.values[0].strip()
    short = len(person_tokens(name)) == 1 and shape(name) is None and name[:1].isupper()
    return short and needles.entity_type in {None, *PERSON_TYPES}


async def told_apart(means: Means, aim: Aim) -> Aim:
    """The aim with those who bear the name as candidates, or narrowed to those chosen of them.

    Raises:
        StoreUnavailable, StoreUnknown: a store cannot be read to the end.
    """
    chosen = {*aim.target.bearers}
    if not may_be_several(aim) or (aim.target.entity_ids and not chosen):
        return aim
    counted = await _counted(means, aim)
    several = groups(counted)
    if len(several) < SEVERAL and not chosen and not aim.away:
        return aim
    bearers = [*several, *([Said()] if counted[Said()] else [])]
    if not bearers and aim.away:  # a store that is not read may know several
        raise StoreUnavailable
    if not chosen <= {each for one in bearers for each in _ids(aim, one)} or not chosen:
        listed = (_candidate(aim, each, counted) for each in bearers)
        return replace(aim, candidates=(*listed, *_longer(aim)))
    meant = [each for each in bearers if not chosen.isdisjoint(_ids(aim, each))]
    if meant == bearers and not aim.away:
        return await _every_one(means, aim)
    words = frozenset(word for each in meant for word in each or {NOTHING})
    return replace(aim, rivals=Others(aim.rivals.names if aim.rivals else None, words))


async def _every_one(means: Means, aim: Aim) -> Aim:
    """The aim at all who bear the name."""
    target = aim.target
    known = await known_as(means, aim.tenant_id, aim.names, target)
    everybody = tuple(dict.fromkeys([*target.indexed, *known]))
    asked = replace(aim.asked, target=target.choose(everybody))
    return await resolve(means, aim.tenant_id, asked)


async def _counted(means: Means, aim: Aim) -> Counter[Said]:
    """What is said of those who bear the name, and in how many memories."""
    name = Needles.build(aim.target.values, entity_type="PERSON")
    counted = Counter[Said]()
    async for texts in texts_of(means, aim):
        counted.update(await asyncio.to_thread(_said, name, aim.rivals, texts))
    return distinct(counted)


def _said(name: Needles, others: Others | None, texts: Sequence[str]) -> list[Said]:
    found: list[Said] = []
    for text in texts:
        spans = [s for s in name.find(text) if s.certain and stands_alone(text, s.start, s.end)]
        if others is not None and spans:
            spans = others.outside(spans, text)
        found += {*said_of(text, spans)}
    return found


async def texts_of(means: Means, aim: Aim) -> AsyncIterator[list[str]]:
    """All texts of the stores that may name them, in clear."""
    batch: list[str] = []
    async for item in read_items(means, aim):
        batch.append(searchable(item))
        if len(batch) == BATCH:
            yield await restored(means, aim.tenant_id, batch)
            batch = []
    yield await restored(means, aim.tenant_id, batch)


def _ids(aim: Aim, said: Said) -> set[str]:
    """What a candidate may be called: by any word that is said of them, so that more may join."""
    return {BEARER + aim.names.of("bearer", each).hex()[:26] for each in said or {NOTHING}}


def _candidate(aim: Aim, said: Said, counted: Counter[Said]) -> CandidateView:
    memories = sum(n for words, n in counted.items() if words <= said and (words or not said))
    told = ", ".join(sorted(said)) or "of whom no more is said"
    kind = (aim.needles.entity_type if aim.needles else None) or "PERSON"
    return CandidateView(
        min(_ids(aim, said)), kind, memories, f"{aim.target.values[0].strip()} ({told})"
    )


def _longer(aim: Aim) -> list[CandidateView]:
    """Candidates with longer names; the bare name is told apart."""
    return [each for each in aim.candidates if len(person_tokens(each.hint)) > 1]
