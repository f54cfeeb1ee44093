"""What the ledger itself takes for concerned, whether or not a store shows it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass

from proxy.erasure.search.bygone import in_range, is_labelled
from proxy.erasure.search.found import Found, Hunt, RowIds, key_of
from proxy.erasure.search.means import Means
from proxy.erasure.search.places import Holder
from proxy.erasure.search.resolve import Aim
from proxy.ledger import memories, reach
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory


@dataclass(frozen=True, slots=True)
class Spill:
    """Where findings go that nothing was derived from and that derive from nothing.

    Args:
        put: takes some, whenever there are many; they are left out of the result.
        known: which memories of a store, by their pseudonyms, it has taken.
    """

    put: Callable[[Sequence[Found]], Awaitable[None]]
    known: Callable[[str, Sequence[bytes]], Awaitable[set[bytes]]]


async def recorded(tx: Tx, aim: Aim) -> tuple[RowIds, frozenset[str]]:
    """Row ids of what is concerned beside whole owners; and which only a name links."""
    found: set[str] = set()
    for part in reach.chunks(await _candidates(tx, aim)):
        rows = [row for row in await reach.present(tx, part) if _is_meant(aim, row)]
        meant = {row.id for row in await _in_scope(tx, aim, rows)}
        found |= meant - await under(tx, aim.wholes, meant)
    named = aim.target.kind in {"entity", "subject"}
    return RowIds(found), frozenset(found) if named else frozenset()


async def beside(tx: Tx, aim: Aim) -> frozenset[str]:
    """Row ids of what a store's model drew from chats that mention whom is forgotten."""
    wanted = aim.target.kind in {"entity", "subject"} and aim.target.scope == "any_mention"
    return frozenset(await reach.drawn_beside(tx, aim.entity_ids)) if wanted else frozenset()


async def _candidates(tx: Tx, aim: Aim) -> list[str]:
    """Row ids of memories that may be concerned beside those of whole owners."""
    target = aim.target
    match target.kind:
        case "entity" | "subject":
            return await memories.ids_of(tx, entity_ids=aim.entity_ids)
        case "category" | "tag" | "time_range" if aim.within is not None:
            owners = [each.row.id for each in aim.within if each.row]
            return await memories.ids_of(tx, owner_ids=owners)
        case "category" | "tag" | "time_range":
            return await memories.ids_of_tenant(tx, aim.tenant_id)
        case "tenant" if not target.values:
            return await memories.ids_of_tenant(tx, aim.tenant_id)
        case _:
            return []


def _is_meant(aim: Aim, row: Memory) -> bool:
    match aim.target.kind:
        case "category" | "tag":
            return is_labelled(aim.target, row)
        case "time_range":
            return in_range(aim, row.created_at)
        case _:
            return True


async def _in_scope(tx: Tx, aim: Aim, rows: Sequence[Memory]) -> list[Memory]:
    if aim.within is None:
        return list(rows)
    allowed = await under(tx, aim.within, [row.id for row in rows])
    return [row for row in rows if row.id in allowed]


async def unmet(
    means: Means, aim: Aim, result: Hunt, spill: Spill | None
) -> AsyncIterator[Sequence[str]]:
    """Row ids, some hundred at a time, of what is concerned and no list has shown."""
    for part in reach.parts(result.recorded):
        yield part
    wholes, after = [each.row.id for each in aim.wholes if each.row], ""

    async def load(tx: Tx) -> tuple[Sequence[str], list[reach.Named]]:
        page = await reach.owned(tx, wholes, after)
        return page, await reach.named(tx, page)

    while wholes:
        page, present = await means.ledger.read(load)
        if not page:
            return
        after = page[-1]
        rest = [each for each in present if key_of(each.upstream, each.ref) not in result.found]
        met = await _spilled(spill, rest) if spill else set()
        if left := [each.id for each in rest if (each.upstream, each.ref) not in met]:
            yield left


async def _spilled(spill: Spill, named: Sequence[reach.Named]) -> set[tuple[str, bytes]]:
    """Which of the memories were handed over."""
    found = set[tuple[str, bytes]]()
    for name in {each.upstream for each in named}:
        refs = [each.ref for each in named if each.upstream == name]
        found |= {(name, ref) for ref in await spill.known(name, refs)}
    return found


async def under(tx: Tx, holders: Sequence[Holder], row_ids: Collection[str]) -> set[str]:
    """Which of the memories are kept under any of the owners."""
    wanted = {each.row.id for each in holders if each.row}
    owned = await reach.owners(tx, row_ids) if wanted else {}
    return {row_id for row_id, owner_ids in owned.items() if not wanted.isdisjoint(owner_ids)}
