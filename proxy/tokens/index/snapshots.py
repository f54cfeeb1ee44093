"""What a tenant blocks, in memory: read anew after each change, and of what grew only the new."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from proxy.ledger import blocklist as rows
from proxy.ledger import counters
from proxy.ledger.engine import Ledger, Tx
from proxy.tokens.index.blocked import Keys, Known
from proxy.tokens.index.spelling import (
    CAPITAL,
    CASES,
    INITIALS,
    JOINED,
    MARKED,
    NAME,
    THING,
    WORD,
)

MAX_TENANTS = 64
OWNER = "owner"  # by the client's id
PLACE = "place"  # by a store's own id of it
SPARED = "spared"  # an owner of whom an erasure says that its id names somebody else
LOOSE = frozenset({NAME, WORD, JOINED, INITIALS, THING, CAPITAL, *CASES})
SAID = LOOSE | {*MARKED.values()}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a tenant blocks: by key, for which owners (None: for all), by which erasure.

    Args:
        version: of the list.
        lifts: how often something was taken off it; while nothing is, it only grows.
    """

    version: int
    lifts: int
    names: Known
    owners: Keys
    spared: Keys
    exempt: Mapping[str, frozenset[str]]  # by owner row: erasures whose names do not count there


class Snapshots:
    """The latest snapshot of each tenant."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._known: OrderedDict[str, Snapshot] = OrderedDict()

    async def now(self, tenant_id: str) -> Snapshot:
        """What is blocked now: asked anew of the ledger whenever any replica changed it."""
        return await self._ledger.recall.one(
            ("blocklist", id(self), tenant_id), lambda: self._asked_anew(tenant_id)
        )

    async def _asked_anew(self, tenant_id: str) -> Snapshot:
        known = self._known.get(tenant_id)
        if known and known.version == self._ledger.recall.counter(_version_name(tenant_id)):
            return known
        version, lifts, entries = await self._ledger.read(lambda tx: _load(tx, tenant_id, known))
        if known is not None and known.version == version:
            return known
        base = known if known is not None and known.lifts == lifts else _NOTHING
        fresh = await asyncio.to_thread(_with, base, version, lifts, entries)
        self._known[tenant_id] = fresh
        self._known.move_to_end(tenant_id)
        if len(self._known) > MAX_TENANTS:
            self._known.popitem(last=False)
        return fresh


async def grown(tx: Tx, tenant_id: str) -> int:
    """A name is blocked: every process looks again. Returns the list's version from now on."""
    return await counters.raise_by(tx, _version_name(tenant_id))


async def shrunk(tx: Tx, tenant_id: str) -> None:
    """Something is taken off the list: every process reads it anew."""
    await counters.raise_by(tx, _lifts_name(tenant_id))
    await counters.raise_by(tx, _version_name(tenant_id))


def _version_name(tenant_id: str) -> str:
    """The counter that grows with each change of a tenant's blocklist."""
    return f"blocklist:{tenant_id}"


def _lifts_name(tenant_id: str) -> str:
    return f"blocklist-lifts:{tenant_id}"


async def _load(
    tx: Tx, tenant_id: str, known: Snapshot | None
) -> tuple[int, int, list[rows.Entry]]:
    """The list's version, how often something was lifted, and what is not known of it."""
    version = await counters.value_of(tx, _version_name(tenant_id))
    if known is not None and known.version == version:
        return version, known.lifts, []
    lifts = await counters.value_of(tx, _lifts_name(tenant_id))
    if known is not None and known.lifts == lifts:
        return version, lifts, await rows.since(tx, tenant_id, known.version)
    return version, lifts, await rows.live(tx, tenant_id)


def _with(base: Snapshot, version: int, lifts: int, entries: Sequence[rows.Entry]) -> Snapshot:
    return Snapshot(
        version,
        lifts,
        Known(
            _by_key(base.names.names, (entry for entry in entries if entry.kind in SAID)),
            _by_key(base.names.loose, (entry for entry in entries if entry.kind in LOOSE)),
        ),
        _by_key(base.owners, (entry for entry in entries if entry.kind in {OWNER, PLACE})),
        _by_key(base.spared, (e for e in entries if e.kind == SPARED and e.owner_id is None)),
        _exempt(base.exempt, (entry for entry in entries if entry.kind == SPARED)),
    )


def _exempt(
    known: Mapping[str, frozenset[str]], entries: Iterable[rows.Entry]
) -> dict[str, frozenset[str]]:
    found = dict(known)
    for entry in entries:
        if entry.owner_id and entry.erasure_id:
            found[entry.owner_id] = found.get(entry.owner_id, frozenset()) | {entry.erasure_id}
    return found


def _by_key(known: Keys, entries: Iterable[rows.Entry]) -> Keys:
    found = dict(known)
    for entry in entries:
        scope = (entry.owner_id, entry.erasure_id)
        found[entry.key] = found.get(entry.key, frozenset()) | {scope}
    return found


_NOTHING = Snapshot(0, 0, Known({}, {}), {}, {}, {})
