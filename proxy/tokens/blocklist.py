"""The blocklist: what was erased must not accumulate again, however it is spelled."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from detectors.detection import Detection
from detectors.identity import NameKey, candidate_keys, name_keys
from proxy import ids
from proxy.clock import Clock
from proxy.keys.ring import KeyRing
from proxy.ledger import blocklist as rows
from proxy.ledger import counters
from proxy.ledger.engine import Ledger, Tx
from proxy.pseudonyms import Pseudonyms
from proxy.tokens.keyed import canonical_form
from proxy.tokens.spans import Span, apart, count_words
from proxy.tokens.specificity import is_common, is_specific, stands_as_name

MAX_TENANTS = 64
RECOGNISER = "blocklist"
OWNER = "owner"
NAME = "full"

Keys = dict[bytes, frozenset[str | None]]


@dataclass(frozen=True, slots=True)
class Name:
    """A name to block, with the type of entity it names."""

    text: str
    entity_type: str = "PERSON"


@dataclass(frozen=True, slots=True)
class Blocked:
    """What an addition did: ``refused`` are positions of names too common or short to block."""

    group_id: str
    added: int
    refused: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """What a tenant blocks: by key, for which owners (None: for all)."""

    version: int
    names: Keys
    owners: Keys


class Blocklist:
    """Keyed look-ups of what is blocked; texts and ids never leave the process."""

    def __init__(self, ledger: Ledger, keyring: KeyRing, clock: Clock) -> None:
        self._ledger, self._keyring, self._clock = ledger, keyring, clock
        self._snapshots: OrderedDict[str, _Snapshot] = OrderedDict()

    async def add(
        self,
        tx: Tx,
        tenant_id: str,
        names: Sequence[Name],
        *,
        group_id: str | None = None,
        owner_id: str | None = None,
        erasure_id: str | None = None,
    ) -> Blocked:
        """Block an entity under all its names, in every spelling, case, order and spacing.

        Args:
            group_id: an existing group to add to; a new one otherwise.
            owner_id: row id of the only owner for whom it is blocked; None blocks tenant-wide.

        Names that are ordinary words (tenant-wide also "Will") or too short are refused, not
        blocked: they would stop innocent writes. The caller learns which.
        """
        pseudonyms = await self._keyring.tenant(tenant_id, tx)
        refused = tuple(n for n, name in enumerate(names) if not _may_be_blocked(name, owner_id))
        keys = [
            (NAME, block_key(pseudonyms, NAME, value))
            for n, name in enumerate(names)
            if n not in refused
            for value in spellings(name, nicknames=owner_id is not None)
        ]
        group = group_id or ids.new("blk")
        added = await self._insert(tx, tenant_id, keys, group, owner_id, erasure_id)
        return Blocked(group, added, refused)

    async def add_owner(
        self,
        tx: Tx,
        tenant_id: str,
        kind: str,
        owner_id: str,
        *,
        group_id: str | None = None,
        erasure_id: str | None = None,
    ) -> Blocked:
        """Block an owner (the client's id of it): nothing is kept under it any more."""
        pseudonyms = await self._keyring.tenant(tenant_id, tx)
        group = group_id or ids.new("blk")
        keys = [(OWNER, pseudonyms.of("block:owner", kind, owner_id))]
        return Blocked(group, await self._insert(tx, tenant_id, keys, group, None, erasure_id))

    async def lift(
        self,
        tx: Tx,
        tenant_id: str,
        *,
        group_id: str | None = None,
        erasure_id: str | None = None,
        name: Name | None = None,
    ) -> int:
        """Unblock by group, by erasure, or by a name (its whole group); returns lifted keys."""
        groups = {group_id} if group_id else set()
        if name is not None:
            pseudonyms = await self._keyring.tenant(tenant_id, tx)
            keys = [(NAME, block_key(pseudonyms, NAME, v)) for v in spellings(name)]
            groups |= {entry.group_id for entry in await rows.matching(tx, tenant_id, keys)}
        lifted = 0
        for group in sorted(groups):
            lifted += await rows.lift(tx, tenant_id, self._clock.now(), group_id=group)
        if erasure_id is not None:
            lifted += await rows.lift(tx, tenant_id, self._clock.now(), erasure_id=erasure_id)
        await counters.raise_by(tx, version_name(tenant_id))
        return lifted

    async def blocked_mentions(
        self, tenant_id: str, texts: Sequence[str], owner_ids: Iterable[str] = ()
    ) -> list[list[Detection]]:
        """Blocked names in each text: the tenant's, and those blocked for ``owner_ids``."""
        snapshot = await self._current(tenant_id)
        if not snapshot.names:
            return [[] for _ in texts]
        pseudonyms = await self._keyring.tenant(tenant_id)
        concerned = frozenset({None, *owner_ids})
        return await asyncio.to_thread(_search, pseudonyms, snapshot, list(texts), concerned)

    async def owner_blocked(self, tenant_id: str, kind: str, owner_id: str) -> bool:
        """Whether nothing may be kept under an owner (the client's id of it)."""
        snapshot = await self._current(tenant_id)
        if not snapshot.owners:
            return False
        pseudonyms = await self._keyring.tenant(tenant_id)
        return pseudonyms.of("block:owner", kind, owner_id) in snapshot.owners

    async def _insert(
        self,
        tx: Tx,
        tenant_id: str,
        keys: list[tuple[str, bytes]],
        group_id: str,
        owner_id: str | None,
        erasure_id: str | None,
    ) -> int:
        added = await rows.add(
            tx,
            tenant_id,
            keys,
            group_id=group_id,
            at=self._clock.now(),
            owner_id=owner_id,
            erasure_id=erasure_id,
        )
        await counters.raise_by(tx, version_name(tenant_id))
        return added

    async def _current(self, tenant_id: str) -> _Snapshot:
        """What is blocked now: asked anew of the ledger whenever any replica changed it."""
        known = self._snapshots.get(tenant_id)
        fresh = await self._ledger.read(lambda tx: _load(tx, tenant_id, known))
        self._snapshots[tenant_id] = fresh
        self._snapshots.move_to_end(tenant_id)
        if len(self._snapshots) > MAX_TENANTS:
            self._snapshots.popitem(last=False)
        return fresh


def version_name(tenant_id: str) -> str:
    """The counter that grows with each change of a tenant's blocklist."""
    return f"blocklist:{tenant_id}"


def block_key(names: Pseudonyms, kind: str, value: str) -> bytes:
    """The pseudonym a blocked value is kept under."""
    return names.of(f"block:{kind}", value)


def spellings(name: Name, *, nicknames: bool = False) -> list[str]:
    """The canonical values that stand for a name; nicknames only where they cannot hit others."""
    keys = name_keys(name.text, name.entity_type)
    values = [key.value for key in keys if key.kind == "full" or _is_mailbox(key)]
    if nicknames:
        values += [_sorted(key.value) for key in keys if key.kind == "nick" and " " in key.value]
    return list(dict.fromkeys(values))


def _is_mailbox(key: NameKey) -> bool:
    return key.kind == "alias" and "@" in key.value


def _sorted(value: str) -> str:
    return " ".join(sorted(value.split()))


def _may_be_blocked(name: Name, owner_id: str | None) -> bool:
    form = canonical_form(name.text, name.entity_type)
    return is_specific(form, tenant_wide=owner_id is None)


async def _load(tx: Tx, tenant_id: str, known: _Snapshot | None) -> _Snapshot:
    version = await counters.value_of(tx, version_name(tenant_id))
    if known is not None and known.version == version:
        return known
    live = await rows.live(tx, tenant_id)
    return _Snapshot(
        version,
        _by_key(entry for entry in live if entry.kind == NAME),
        _by_key(entry for entry in live if entry.kind == OWNER),
    )


def _by_key(entries: Iterable[rows.Entry]) -> Keys:
    found: Keys = {}
    for entry in entries:
        found[entry.key] = found.get(entry.key, frozenset()) | {entry.owner_id}
    return found


def _search(
    names: Pseudonyms, snapshot: _Snapshot, texts: list[str], concerned: frozenset[str | None]
) -> list[list[Detection]]:
    cache: dict[str, bytes | None] = {}

    def blocked(value: str) -> bytes | None:
        if value not in cache:
            key = block_key(names, NAME, value)
            cache[value] = key if snapshot.names.get(key, frozenset()) & concerned else None
        return cache[value]

    return [_detections(text, apart(_hits(text, blocked))) for text in texts]


def _hits(text: str, blocked: Callable[[str], bytes | None]) -> Iterator[Span]:
    for start, end, key in candidate_keys(text):
        if key.kind != NAME or (found := blocked(key.value)) is None:
            continue
        if _is_name(text, start, end, key.value):
            yield Span(start, end, count_words(key.value), found)


def _detections(text: str, spans: Iterable[Span]) -> list[Detection]:
    return [
        Detection("BLOCKED", span.start, span.end, 1.0, RECOGNISER, text[span.start : span.end])
        for span in spans
    ]


def _is_name(text: str, start: int, end: int, value: str) -> bool:
    """A blocked single word counts in any case, unless it is an ordinary word as well."""
    return not is_common(value) or stands_as_name(text, start, text[start:end])
