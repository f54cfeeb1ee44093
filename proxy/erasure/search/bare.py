"""A first or family name alone: whom it means is told by where it stands.

Many bear it, so it counts where somebody is told of by the whole name: under the same owner, in the
same run, or in what it was made of. Elsewhere it may be anybody's, and nothing goes for it.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace

from detectors.words.folding import fold
from proxy.erasure.search.found import Found, Hunt
from proxy.erasure.search.resolve import Aim
from proxy.erasure.texts.mentions import Span
from proxy.erasure.texts.surfaces import is_person
from proxy.ledger import provenance, reach
from proxy.ledger.engine import Tx

CHOICE = "doubtful"  # what is to happen with mentions of which nobody can tell whom they mean


def bare_names(aim: Aim) -> frozenset[str]:
    """Single words of longer names, folded, that mean somebody only where there is reason to.

    What was itself asked for means everybody who is called so; within one owner, whoever asks
    knows whom that owner means.
    """
    needles, target = aim.needles, aim.target
    if needles is None or not is_person(needles.entity_type) or aim.within is not None:
        return frozenset()
    if target.bearers or takes_doubtful(aim):
        return frozenset()
    asked = {fold(each) for each in target.values}
    return frozenset(fold(each) for each in needles.surfaces if needles.is_part(each)) - asked


def takes_doubtful(aim: Aim) -> bool:
    """Whether whoever asks said that what may mean somebody else goes as well."""
    return (aim.asked.choices or {}).get(CHOICE) == "delete"


def are_bare(spans: Collection[Span], names: Collection[str]) -> bool:
    """Whether mentions are nothing but such words."""
    return bool(spans) and all(span.part in names for span in spans)


def settle(aim: Aim, lot: Hunt, result: Hunt) -> Iterator[Found]:
    """Note what stays in doubt of a lot of memories; gives it where it goes all the same."""
    result.told |= lot.told
    result.doubtful |= lot.doubtful
    result.described |= lot.described
    if takes_doubtful(aim):
        doubtful = [one for key, one in result.texts.items() if key in result.doubtful]
        result.doubtful.clear()
        yield from doubtful
        return
    for key, one in result.texts.items():
        if one.bare and key not in result.doubtful:
            item = replace(one.item, text="", metadata={}) if one.item else None
            result.bare[key] = replace(one, item=item, text="", spans=[])


async def linked(tx: Tx, aim: Aim, result: Hunt) -> list[Found]:
    """Of the memories left for a bare name: those that share a run or a source with one that goes.

    A source of one that goes, and what was made of the same source, speak of the same person.
    """
    left = [one for key, one in result.bare.items() if key not in result.found]
    rows = {one.row.id: one for one in left if one.row}
    sources = {each.source_ref for each in await reach.edges(tx, result.rows())}
    theirs = {each.memory_id for each in await reach.edges(tx, rows) if each.source_ref in sources}
    named = await reach.names(tx, rows)
    theirs |= {row for row, refs in named.items() if not sources.isdisjoint(refs)}
    return [
        result.texts.get(one.key) or replace(one, item=None)
        for one in left
        if (one.row and one.row.id in theirs)
        or provenance.id_ref(aim.names, one.memory_id) in sources
        or not result.told.isdisjoint(one.scopes)
    ]
