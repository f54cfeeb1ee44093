"""The blocklist: what was erased must not accumulate again, however it is spelled."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from detectors.detection import Detection
from detectors.errors import DetectionError, sentence
from detectors.workers.pool import Detecting
from proxy import ids
from proxy.clock import Clock
from proxy.keys.ring import KeyRing
from proxy.ledger import blocklist as rows
from proxy.ledger import owners
from proxy.ledger.engine import Ledger, Tx
from proxy.problems import Problem
from proxy.pseudonyms import Pseudonyms
from proxy.tokens.index.blocked import (
    Asked,
    Scopes,
    detections,
    names_somebody,
    search,
)
from proxy.tokens.index.snapshots import OWNER, PLACE, SPARED, Snapshot, Snapshots, grown, shrunk
from proxy.tokens.index.spans import Span, apart
from proxy.tokens.index.spelling import (
    INITIALLED,
    Name,
    block_keys,
    may_be_blocked,
    parts_of,
    recorded_keys,
)
from proxy.tokens.mentions.capitals import only_opens
from proxy.tokens.mentions.usage import is_detected
from proxy.tokens.owners import opened
from proxy.tokens.turns import in_turns


@dataclass(frozen=True, slots=True)
class Blocked:
    """What an addition did: ``refused`` are positions of names too common or short to block."""

    group_id: str
    added: int
    refused: tuple[int, ...] = ()


class Blocklist:
    """Keyed look-ups of what is blocked; texts and ids never leave the process.

    Args:
        detectors: asked where a name is a word too and nothing around it tells which is meant.
    """

    def __init__(
        self, ledger: Ledger, keyring: KeyRing, clock: Clock, detectors: Detecting
    ) -> None:
        self._keyring, self._clock = keyring, clock
        self._detectors = detectors
        self._snapshots = Snapshots(ledger)

    async def add(
        self,
        tx: Tx,
        tenant_id: str,
        names: Sequence[Name],
        *,
        group_id: str | None = None,
        owner_id: str | None = None,
        erasure_id: str | None = None,
        shortened: bool = True,
    ) -> Blocked:
        """Block an entity under all its names, in every spelling, case, order and spacing.

        Args:
            group_id: an existing group to add to; a new one otherwise.
            owner_id: row id of the only owner for whom it is blocked; None blocks tenant-wide.
            shortened: also by initials and, for an owner, by nicknames.

        Names that are ordinary words or too short are refused, not blocked: they would stop
        innocent writes; tenant-wide so are names that are words too ("Will") and single words of
        one of the longer names, which others bear too. The caller learns which.
        """
        pseudonyms = await self._keyring.tenant(tenant_id, tx)
        parts = parts_of(names) if owner_id is None else frozenset[str]()
        refused = tuple(
            n for n, name in enumerate(names)
            if not may_be_blocked(name, owner_id) or name.text.strip().casefold() in parts
        )  # fmt: skip
        wanted = [name for n, name in enumerate(names) if n not in refused]
        keys = [
            key for name in wanted
            for key in block_keys(pseudonyms, name, nicknames=owner_id is not None and shortened)
            if shortened or key[0] not in INITIALLED
        ]  # fmt: skip
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
        places: Sequence[str] = (),
        group_id: str | None = None,
        erasure_id: str | None = None,
    ) -> Blocked:
        """Block an owner (the client's id of it): nothing is kept under it any more.

        Args:
            places: the stores' own ids of it, by which what comes back there is known.
        """
        pseudonyms = await self._keyring.tenant(tenant_id, tx)
        group = group_id or ids.new("blk")
        keys = [owner_key(pseudonyms, kind, owner_id)]
        keys += [(PLACE, pseudonyms.of("block:place", kind, each)) for each in places]
        return Blocked(group, await self._insert(tx, tenant_id, keys, group, None, erasure_id))

    async def spare_owner(
        self,
        tx: Tx,
        tenant_id: str,
        kind: str,
        owner_id: str,
        erasure_id: str,
        *,
        row_id: str | None = None,
        places: Sequence[str] = (),
    ) -> None:
        """Let an owner go on whose id holds a name that an erasure blocks: it is not whose.

        Args:
            row_id: the owner's row; what is kept under it may say the name, which is theirs too.
            places: the stores' own ids of it, which is all that is known of some owners.
        """
        pseudonyms = await self._keyring.tenant(tenant_id, tx)
        here = [(SPARED, pseudonyms.of("block:spared-place", kind, each)) for each in places]
        await self._insert(tx, tenant_id, here, ids.new("blk"), None, erasure_id)
        key = SPARED, pseudonyms.of("block:spared", kind, owner_id)
        for scope in dict.fromkeys((None, row_id)):
            await self._insert(tx, tenant_id, [key], ids.new("blk"), scope, erasure_id)

    async def lift(
        self,
        tx: Tx,
        tenant_id: str,
        *,
        group_id: str | None = None,
        erasure_id: str | None = None,
        name: Name | None = None,
    ) -> int:
        """Unblock by group, by erasure, or by a name (its whole group); returns lifted keys.

        Owners of an erasure that has not ended may be written for again.
        """
        groups = {group_id} if group_id else set()
        if name is not None:
            pseudonyms = await self._keyring.tenant(tenant_id, tx)
            keys = recorded_keys(pseudonyms, name)
            groups |= {entry.group_id for entry in await rows.matching(tx, tenant_id, keys)}
        if erasure_id is not None:
            await self._let_back(tx, tenant_id, erasure_id)
        lifted = 0
        for group in sorted(groups):
            lifted += await rows.lift(tx, tenant_id, self._clock.now(), group_id=group)
        if erasure_id is not None:
            lifted += await rows.lift(tx, tenant_id, self._clock.now(), erasure_id=erasure_id)
        await shrunk(tx, tenant_id)
        return lifted

    async def _let_back(self, tx: Tx, tenant_id: str, erasure_id: str) -> None:
        pseudonyms = await self._keyring.tenant(tenant_id, tx)
        blocked = {each.key for each in await rows.of_erasure(tx, tenant_id, erasure_id)}
        waiting = await owners.of_tenant(tx, tenant_id, states=("erasing",))
        for owner, client_id in await opened(tx, self._keyring, waiting):
            if pseudonyms.of("block:owner", owner.kind, client_id) in blocked:
                await owners.set_state(tx, owner.id, "active")

    async def blocked_mentions(
        self,
        tenant_id: str,
        texts: Sequence[str],
        owner_ids: Iterable[str] = (),
        *,
        erasure_id: str | None = None,
        initials: bool = False,
        places: Iterable[tuple[str, str]] = (),
        anybodys: bool = False,
    ) -> list[list[Detection]]:
        """Blocked names in each text: the tenant's, and those blocked for ``owner_ids``.

        Args:
            erasure_id: only what this erasure blocks; None: everything.
            initials: whether initials with a family name count under every owner. They do for
                what is about to be written; of what is stored they do not say whom it names.
            places: a store's owners (kind, the store's own id) under whom the texts are kept.
            anybodys: nobody knows whose the texts are: names blocked for any owner count.

        A name that is a word or a place too counts as an erasure would count it, see ``usage``.

        Raises:
            Problem: ``detection-unavailable`` if that needs detection, and there is none.
        """
        snapshot = await self._snapshots.now(tenant_id)
        if not snapshot.names:
            return [[] for _ in texts]
        pseudonyms = await self._keyring.tenant(tenant_id)
        owners = frozenset({None, *owner_ids})
        here = [pseudonyms.of("block:spared-place", *each) for each in places]
        asked = Asked(owners, erasure_id, initials, _without(snapshot, owners, here), anybodys)
        found = await in_turns(tenant_id, texts, partial(search, pseudonyms, snapshot.names, asked))
        sure = await self._judged(tenant_id, texts, found)
        return [detections(*each) for each in zip(texts, map(apart, sure), strict=True)]

    async def _judged(
        self, tenant_id: str, texts: Sequence[str], found: Sequence[list[Span]]
    ) -> list[list[Span]]:
        """What was found, without the words that detection takes for nobody's name."""
        judged = list(found)
        unsure = [n for n, spans in enumerate(found) if any(span.unsure for span in spans)]
        if not unsure:
            return judged
        try:
            said = await self._detectors.analyse([texts[n] for n in unsure], scope=tenant_id)
        except DetectionError as error:
            raise Problem("detection-unavailable", sentence(error), retry_after=5) from None
        for n, each in zip(unsure, said, strict=True):
            judged[n] = [
                span for span in found[n]
                if not span.unsure
                or (
                    is_detected(span.start, span.end, each.detections, span.unsure)
                    and not only_opens(texts[n], span.start, span.end, span.unsure)
                )
            ]  # fmt: skip
        return judged

    async def blocks_names(self, tenant_id: str) -> bool:
        """Whether a tenant blocks any name at all."""
        return bool((await self._snapshots.now(tenant_id)).names)

    async def owner_blocked(self, tenant_id: str, kind: str, owner_id: str) -> bool:
        """Whether nothing may be kept under an owner (the client's id of it).

        So it is where the id itself names somebody blocked for the whole tenant: an id is stored
        as it is, nothing can be taken out of it. A single word names nobody for certain, an
        address only whom it belongs to.
        """
        snapshot = await self._snapshots.now(tenant_id)
        if not (snapshot.owners or snapshot.names):
            return False
        pseudonyms = await self._keyring.tenant(tenant_id)
        if owner_key(pseudonyms, kind, owner_id)[1] in snapshot.owners:
            return True
        spared = snapshot.spared.get(pseudonyms.of("block:spared", kind, owner_id), frozenset())
        asked = Asked(frozenset({None}), None, initials=False, without=spared)
        return bool(snapshot.names) and names_somebody(pseudonyms, snapshot.names, owner_id, asked)

    async def erased_places(
        self, tenant_id: str, places: Iterable[tuple[str, str]], *, erasure_id: str | None = None
    ) -> set[tuple[str, str]]:
        """Those of a store's owners (kind, the store's own id) under whom nothing may be kept.

        Args:
            erasure_id: only what this erasure blocks; None: everything.
        """
        snapshot = await self._snapshots.now(tenant_id)
        if not snapshot.owners:
            return set()
        pseudonyms = await self._keyring.tenant(tenant_id)

        def blocked(kind: str, name: str) -> bool:
            keys = [pseudonyms.of(f"block:{each}", kind, name) for each in (OWNER, PLACE)]
            scopes = [scope for key in keys for scope in snapshot.owners.get(key, ())]
            return any(erasure_id in (None, erasure) for _, erasure in scopes)

        return {place for place in places if blocked(*place)}

    async def _insert(
        self,
        tx: Tx,
        tenant_id: str,
        keys: list[tuple[str, bytes]],
        group_id: str,
        owner_id: str | None,
        erasure_id: str | None,
    ) -> int:
        return await rows.add(
            tx,
            tenant_id,
            keys,
            group_id=group_id,
            at=self._clock.now(),
            version=await grown(tx, tenant_id),
            owner_id=owner_id,
            erasure_id=erasure_id,
        )


def owner_key(names: Pseudonyms, kind: str, owner_id: str) -> tuple[str, bytes]:
    """What an owner (the client's id of it) is blocked under."""
    return OWNER, names.of("block:owner", kind, owner_id)


def _without(snapshot: Snapshot, owners: Collection[str | None], places: Iterable[bytes]) -> Scopes:
    erasures = {each for owner in owners for each in snapshot.exempt.get(owner or "", ())}
    spared = (scope for place in places for scope in snapshot.spared.get(place, ()))
    erasures |= {each for _, each in spared if each is not None}
    return frozenset((owner, each) for owner in owners for each in erasures)
