"""Those whose a request or a memory is: who they are to the policy, and what they decided."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce

from policies.access import names_owners
from policies.preferences import stricter
from proxy.gateway.exchange import Exchange
from proxy.gateway.services import NOBODY, Concerned, GatewayServices
from proxy.ledger import memories, owners
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.ledger.owners import Owner
from proxy.ledger.writes import Write
from proxy.rights.in_force import Subject
from proxy.tokens.owners import opened
from proxy.upstreams.store import Item

Group = tuple[frozenset[str], frozenset[Subject]]  # owners as rules name them, and by pseudonym


async def of_request(exchange: Exchange, services: GatewayServices) -> None:
    """Learn what the owners decided whom the request names; of one by id ``address`` learns it."""
    if exchange.owners:
        pairs = [(owner.kind, owner.client_id) for owner in exchange.owners]
        exchange.concerned = await of_pairs(exchange, services, pairs)


async def of_pairs(
    exchange: Exchange, services: GatewayServices, pairs: Collection[tuple[str, str]]
) -> Concerned:
    """Of what is theirs together.

    Args:
        pairs: kind and the client's id of each owner.
    """
    words = frozenset(map(":".join, pairs))
    if not await _any_decided(exchange, services):
        return Concerned(words)
    (found,) = await _decided(exchange, services, [(words, _subjects(exchange, pairs))])
    return found


async def of_write(exchange: Exchange, services: GatewayServices, write: Write) -> Concerned:
    """Of those under whom a write was made."""
    if not await _any_decided(exchange, services):
        return NOBODY
    rows = await services.ledger.read(lambda tx: owners.by_ids(tx, write.owner_ids))
    subjects = frozenset((row.kind, row.ref) for row in rows)
    (found,) = await _decided(exchange, services, [(frozenset(), subjects)])
    return found


async def of_memories(
    exchange: Exchange,
    services: GatewayServices,
    found: Sequence[tuple[Memory | None, Item | None]],
) -> list[Concerned]:
    """For each memory those who own it by the ledger, and those whom the store's item names.

    Where nothing depends on them, nobody is looked up.
    """
    named = names_owners(exchange.policy)
    if not (named or await _any_decided(exchange, services)):
        return [NOBODY] * len(found)
    ids = {memory.id for memory, _ in found if memory is not None}
    owned = await owners_of(exchange, services, ids)
    words = await _words(exchange, services, owned.values()) if named else {}
    groups = [
        _group(exchange, owned[memory.id] if memory is not None else (), words, item)
        for memory, item in found
    ]
    distinct = list(dict.fromkeys(groups))
    whose = dict(zip(distinct, await _decided(exchange, services, distinct), strict=True))
    return [whose[group] for group in groups]


async def owners_of(
    exchange: Exchange, services: GatewayServices, ids: Collection[str]
) -> Mapping[str, Sequence[Owner]]:
    """The owners of each memory, by row ids."""

    async def load(missing: list[str]) -> dict[str, list[Owner]]:
        async def unit(tx: Tx) -> dict[str, list[Owner]]:
            linked = await memories.owners_of(tx, missing)
            found = await owners.by_ids(tx, {each for some in linked.values() for each in some})
            known = {row.id: row for row in found}
            return {
                each: [known[row] for row in linked.get(each, ()) if row in known]
                for each in missing
            }

        return await services.ledger.read(unit)

    return await services.ledger.recall.many(("owners-of", exchange.tenant_id), ids, load)


def together(found: Iterable[Concerned]) -> Concerned:
    """Those concerned by several memories: what one of them denies is denied."""
    distinct = {id(each): each for each in found}.values()  # equals are mostly the same
    return reduce(_both, distinct) if distinct else NOBODY


def _both(one: Concerned, other: Concerned) -> Concerned:
    return Concerned(
        one.owners | other.owners,
        one.consents & other.consents,
        stricter(one.preferences, other.preferences),
    )


def _group(
    exchange: Exchange, rows: Iterable[Owner], words: Mapping[str, str], item: Item | None
) -> Group:
    places = item.owners.items() if item is not None else ()
    clients = [(kind, exchange.known.get((kind, name), "")) for kind, name in places]
    pairs = [pair for pair in clients if pair[1]]
    said = {*map(":".join, pairs), *(words.get(row.id, "") for row in rows)}
    subjects = {(row.kind, row.ref) for row in rows} | _subjects(exchange, pairs)
    return frozenset(said - {""}), frozenset(subjects)


def _subjects(exchange: Exchange, pairs: Iterable[tuple[str, str]]) -> frozenset[Subject]:
    return frozenset((kind, owners.ref(exchange.names, kind, name)) for kind, name in pairs)


async def _any_decided(exchange: Exchange, services: GatewayServices) -> bool:
    """Whether anybody in the tenant decided anything; asked once for a request."""
    if exchange.anybody_decided is None:
        wishes = services.wishes
        exchange.anybody_decided = wishes is not None and await wishes.any_of(exchange.tenant_id)
    return exchange.anybody_decided


async def _decided(
    exchange: Exchange, services: GatewayServices, groups: Sequence[Group]
) -> list[Concerned]:
    if services.wishes is None:
        return [Concerned(words) for words, _ in groups]
    found = await services.wishes.of(exchange.tenant_id, [subjects for _, subjects in groups])
    return [
        Concerned(words, each.consents, each.preferences)
        for (words, _), each in zip(groups, found, strict=True)
    ]


async def _words(
    exchange: Exchange, services: GatewayServices, found: Iterable[Sequence[Owner]]
) -> Mapping[str, str]:
    """Owners as rules name them, by row id; empty for one whose key is gone."""
    rows = {row.id: row for some in found for row in some}

    async def load(missing: list[str]) -> dict[str, str]:
        asked = [rows[each] for each in missing]
        known = await services.ledger.read(lambda tx: opened(tx, services.keyring, asked))
        clear = {row.id: f"{row.kind}:{client_id}" for row, client_id in known}
        return dict.fromkeys(missing, "") | clear

    scope = ("owner-words", exchange.tenant_id)
    return await services.ledger.recall.many(scope, rows, load)
