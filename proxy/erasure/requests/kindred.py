"""Erasures of the same person that were asked for otherwise: by name, as an owner, by a memory."""

from collections.abc import Iterable

from detectors.identity.names import person_tokens
from proxy.erasure.plans.brief import Brief, unseal
from proxy.erasure.search.crawl import stores_of
from proxy.erasure.search.means import Means
from proxy.erasure.search.resolve import Aim, blocked_keys
from proxy.erasure.texts.mentions import Needles
from proxy.keys.errors import KeyDestroyed, SealBroken
from proxy.ledger import blocklist, erasures, memories
from proxy.ledger import kindred as rows
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import ACTIVE, Erasure
from proxy.tokens.blocklist import owner_key
from proxy.tokens.index.spelling import INITIALLED, WORD, Keyed, Name, recorded_keys

OPEN = ("incomplete", *ACTIVE)
UNDONE = ("cancelled", *OPEN)  # what was closed with something left is cancelled
SHARED = INITIALLED | {WORD}  # kinds of keys that others of another name have too
PAGE = 100


async def of_the_same(tx: Tx, means: Means, aim: Aim) -> list[Erasure]:
    """Those not done that dealt with its memories, or block its names or ids."""
    tenant_id = aim.tenant_id
    found: list[Erasure] = []
    if aim.target.kind == "memory":
        for store in stores_of(means, aim):
            refs = [memories.ref(aim.names, store.name, each) for each in aim.target.values]
            found += await rows.of_memories(tx, tenant_id, store.name, refs, OPEN)
    blocked = await blocklist.matching(tx, tenant_id, _blocked_as(aim))
    theirs = {each.row.id for each in (*aim.wholes, *(aim.within or ())) if each.row}
    by = await erasures.by_ids(tx, tenant_id, {
        each.erasure_id for each in blocked
        if each.erasure_id and each.owner_id in {None, *theirs}
    })  # fmt: skip
    return [*found, *(each for each in by.values() if each.state in UNDONE)]


def _blocked_as(aim: Aim) -> Keyed:
    """What nobody else is blocked under: whole names, ids that are names, and the ids."""
    ids = [(each.kind, each.client_id) for each in aim.wholes]
    named = blocked_keys(aim.names, aim.needles)
    named += [key for _, each in ids for key in recorded_keys(aim.names, Name(each))]
    owned = [owner_key(aim.names, *each) for each in ids]
    return [*(key for key in named if key[0] not in SHARED), *owned]


async def open_of_the_same(means: Means, aim: Aim, erasure: Erasure) -> list[Erasure]:
    """Those not done whose sealed request names whom this target names, newest first."""
    found: list[Erasure] = []
    page, last = [erasure], None
    while page:
        page = await _open(means, aim.tenant_id, last)
        found += [each for each in page if await _is_of_the_same(means, aim, each)]
        last = page[-1].id if page else None
    return [each for each in found if each.id != erasure.id]


async def _open(means: Means, tenant_id: str, before: str | None) -> list[Erasure]:
    return await means.ledger.read(
        lambda tx: erasures.of_tenant(tx, tenant_id, states=OPEN, limit=PAGE, before=before)
    )


async def _is_of_the_same(means: Means, aim: Aim, other: Erasure) -> bool:
    try:
        return shares(aim, await unseal(means, other))
    except (KeyDestroyed, SealBroken):  # of what cannot be read only the ledger tells
        return False


def shares(aim: Aim, brief: Brief) -> bool:
    """Whether two targets have an owner or a name in common, where both of them look."""
    ours = {(each.kind, each.client_id) for each in aim.wholes}
    theirs = {each[:2] for each in brief.wholes}
    within = {(each.kind, each.client_id) for each in aim.within or ()}
    if brief.within and within and within.isdisjoint(each[:2] for each in brief.within):
        return False
    if not ours.isdisjoint(theirs):
        return True
    named = Needles.build(brief.surfaces, entity_type=brief.entity_type) if brief.surfaces else None
    return _names(aim.needles, named, theirs) or _names(named, aim.needles, ours)


def _names(
    needles: Needles | None, other: Needles | None, owners: Iterable[tuple[str, ...]]
) -> bool:
    """Whether somebody is called what others are called, but for a title, or by an owner's id."""
    if needles is None:
        return False
    called = other.whole if other else ()
    ids = needles.of_ids()
    return any(needles.is_id(each) or needles.is_id(_untitled(each)) for each in called) or (
        ids is not None and any(ids.is_id(each[1]) for each in owners)
    )


def _untitled(name: str) -> str:
    return " ".join(person_tokens(name))
