"""Who is meant by a relation: where a memory says "my ex-wife Renata Solberg", others say Renata.

Whoever asks to forget an ex-wife is asked whether they mean her, or the word alone. Without an
owner everybody's ex-wife is another: then the word alone is left, and it is asked about.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from proxy.erasure.search.bearers import texts_of
from proxy.erasure.search.means import Means
from proxy.erasure.search.resolve import Aim, resolve
from proxy.erasure.search.target import ALL, WORD
from proxy.erasure.search.whom import described
from proxy.erasure.texts.mentions import Needles, is_within
from proxy.erasure.texts.several import Relations, roles_of, together
from proxy.erasure.texts.surfaces import PERSON, RELATIONSHIP
from proxy.erasure.view import CandidateView
from proxy.ledger import entities
from proxy.ledger.engine import Tx

MOST_PEOPLE = 2_000  # of one owner

People = Mapping[str, Needles]  # by entity id


async def named_beside(means: Means, aim: Aim) -> Aim:
    """The aim with those whom the owner's memories name beside the relation as candidates.

    Where some of them are chosen, the word alone may mean the others: by it nothing is found.
    ``all`` of the target is read as every one of them.

    Raises:
        StoreUnavailable, StoreUnknown: a store cannot be read to the end.
    """
    target = aim.target
    if not target.relation or WORD in target.entity_ids:
        return aim
    borne = await _counted(means, aim)
    if target.entity_ids == ALL:
        chosen = target.choose(tuple(borne.all) or (WORD,))
        return await resolve(means, aim.tenant_id, replace(aim.asked, target=chosen))
    if target.indexed:
        return aim if borne.all <= {*target.indexed} else replace(aim, needles=_by_name(aim))
    if not borne.all and (aim.within or not borne.words):
        return aim
    return replace(aim, candidates=await _candidates(means, aim, borne))


async def _candidates(means: Means, aim: Aim, borne: "_Borne") -> tuple[CandidateView, ...]:
    word = aim.target.values[0].strip()
    row = aim.within[0].row if aim.within else None
    named = await described(means, aim.tenant_id, sorted(borne.all), row.id if row else None)
    ranked = sorted(named, key=lambda each: (each.id not in borne.certain, -each.memories))
    told = {each.id: word if each.id in borne.certain else f"perhaps {word}" for each in named}
    whose = "the word alone" if aim.within else "the word alone, whoever's it is; or name an owner"
    alone = CandidateView(WORD, RELATIONSHIP, borne.words, f"{word} ({whose})")
    return (*(replace(each, hint=f"{each.hint} ({told[each.id]})") for each in ranked), alone)


def _by_name(aim: Aim) -> Needles | None:
    """How those who are chosen are recognised without the word."""
    if aim.needles is None:
        return None
    names = [each for each in aim.needles.surfaces if each not in aim.target.words]
    return Needles.build(names, tokens=aim.needles.tokens, entity_type=PERSON)


@dataclass(frozen=True, slots=True)
class _Borne:
    """Ids of those who are said to be it to somebody.

    Args:
        certain: by a word for it.
        perhaps: by one that leaves it open: ``my child Ole`` where a son is asked for.
        words: how many memories have the word that was asked for.
    """

    certain: frozenset[str]
    perhaps: frozenset[str]
    words: int

    @property
    def all(self) -> frozenset[str]:
        """Both."""
        return self.certain | self.perhaps


async def _counted(means: Means, aim: Aim) -> _Borne:
    own = Needles.build(aim.target.words, entity_type=RELATIONSHIP)
    people, asked = await _people(means, aim), Relations.of(aim.target.values)
    said, words = dict[str, set[str]](), 0
    async for texts in texts_of(means, aim):
        words += sum(map(own.mentioned, texts))
        near = [text for text in texts if asked.are_in(text)]
        for each, roles in (await asyncio.to_thread(_borne, near, people)).items():
            said.setdefault(each, set()).update(roles)
    certain = {each for each, roles in said.items() if not roles.isdisjoint(asked.same)}
    perhaps = {each for each, roles in said.items() if not roles.isdisjoint(asked.perhaps)}
    return _Borne(frozenset(certain), frozenset(perhaps - certain), words)


async def _people(means: Means, aim: Aim) -> People:
    """Everybody whom the owner's memories name, as far as the index knows."""
    owner_ids = [holder.row.id for holder in aim.within or () if holder.row]

    async def load(tx: Tx) -> list[str]:
        listed = [await entities.of_owner(tx, aim.tenant_id, each, MOST_PEOPLE)
                  for each in owner_ids]  # fmt: skip
        return [row.id for rows in listed for row in rows if row.entity_type == PERSON]

    known = {
        each: await means.vault.surface_forms(aim.tenant_id, [each])
        for each in await means.ledger.read(load)
    }
    return {
        each: Needles.build(names, entity_type=PERSON) for each, names in known.items() if names
    }


def _borne(texts: Sequence[str], people: People) -> dict[str, set[str]]:
    """What each is said to be to somebody."""
    found: dict[str, set[str]] = {}
    for text in texts:
        spans = {each: name.sure(text) for each, name in people.items()}
        every, others = [span for listed in spans.values() for span in listed], together(text)
        for each, listed in spans.items():
            whole = [span for span in listed if not any(is_within(span, one) for one in every)]
            found.setdefault(each, set()).update(roles_of(text, whole, others))
    return found
