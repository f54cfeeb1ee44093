"""An erasure service over a store, and a short way to remember things as the gateway would."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import policies
from detectors.detection import Analysis
from detectors.engine import Detector
from detectors.settings import DetectorSettings, Tier
from proxy import ids
from proxy.audit.log import AuditLog
from proxy.audit.sequencer import Sequencer
from proxy.audit.signer import Signer
from proxy.clock import Clock
from proxy.erasure.search.means import Means
from proxy.erasure.search.target import Actor, Target
from proxy.erasure.service import ErasureService
from proxy.keys.ring import KeyRing
from proxy.ledger import memories, owners, provenance
from proxy.ledger.engine import Ledger, Tx
from proxy.ledger.memories import Memory
from proxy.ledger.owners import Owner
from proxy.tokens.blocklist import Blocklist
from proxy.tokens.vault import Mention, TokenVault
from proxy.upstreams.profile import load_profile
from proxy.upstreams.store import Store
from tests.support.small_store import SmallLayer, SmallStore

OPERATOR = Actor("operator", "op-1")
NAMED = frozenset({"PERSON", "ORGANIZATION", "MEDICAL_CONDITION", "EMAIL_ADDRESS"})


@cache
def _detector() -> Detector:
    return Detector(DetectorSettings(tier="full"))


class InProcessDetectors:
    """The real detector without worker processes."""

    async def analyse(
        self, texts: Sequence[str], *, scope: str | None = None, tier: Tier | None = None
    ) -> list[Analysis]:
        """Analyse in a thread."""
        return await asyncio.to_thread(_detector().analyse, list(texts), tier=tier)


@dataclass
class Erasing:
    """A service and what it works on."""

    means: Means
    tenant_id: str
    service: ErasureService
    store: Store
    small: SmallStore | None = None
    written: dict[str, str] = field(default_factory=dict)  # our name of a memory → store id

    @property
    def ledger(self) -> Ledger:
        """The ledger."""
        return self.means.ledger

    async def upstream_id(self, owner: str, kind: str = "user") -> str:
        """What the store calls an owner."""
        names = await self.means.keyring.tenant(self.tenant_id)
        return owners.upstream_id(names, self.store.owner_form, kind, owner)

    async def owner(self, tx: Tx, client_id: str, kind: str = "user") -> Owner:
        """The owner's row, made if need be."""
        names = await self.means.keyring.tenant(self.tenant_id)
        ref = owners.ref(names, kind, client_id)
        found = await owners.find(tx, self.tenant_id, kind, ref)
        if found is not None:
            return found
        row_id = ids.new("own")
        dek = await self.means.keyring.ensure_dek(tx, self.tenant_id, "owner", ref, renew=True)
        sealed = await self.means.keyring.seal(
            tx, dek, client_id.encode(), owners.aad(self.tenant_id, row_id)
        )
        upstream = owners.upstream_id(names, self.store.owner_form, kind, client_id)
        row = Owner(
            row_id, self.tenant_id, kind, ref, owners.upstream_ref(names, upstream), sealed, dek,
            "active", 0, self.means.clock.now(),
        )  # fmt: skip
        await owners.insert(tx, row)
        return row

    async def remember(
        self,
        owner: str,
        text: str,
        *,
        name: str | None = None,
        derived_from: Sequence[str] = (),
        contribution: str = "primary",
        categories: Sequence[str] = (),
        tags: Sequence[str] = (),
        mentions: Sequence[Mention] | None = None,
        known: bool = True,
        metadata: dict[str, Any] | None = None,
    ) -> str:
        """Store a memory; give the ledger its row unless it is planted behind its back."""
        place = {"user": await self.upstream_id(owner)}
        memory_id = (await self.store.add(place, text, metadata or {}))[0]
        if name:
            self.written[name] = memory_id
        if known:
            found = mentions if mentions is not None else await self._mentions(text)
            await self.ledger.write(
                lambda tx: self._row(
                    tx,
                    owner,
                    text,
                    memory_id,
                    name,
                    derived_from,
                    contribution,
                    categories,
                    tags,
                    found,
                )
            )
        return memory_id

    async def _mentions(self, text: str) -> list[Mention]:
        analysis = (await self.means.detectors.analyse([text]))[0]
        return [
            Mention(d.entity_type, d.text) for d in analysis.detections if d.entity_type in NAMED
        ]

    async def _row(
        self, tx: Tx, owner: str, text: str, memory_id: str, name: str | None,
        derived_from: Sequence[str], contribution: str, categories: Sequence[str],
        tags: Sequence[str], mentions: Sequence[Mention],
    ) -> None:  # fmt: skip
        names = await self.means.keyring.tenant(self.tenant_id)
        row = await self.owner(tx, owner)
        mentioned = [replace(each, owner_ids=(row.id,)) for each in mentions]
        entity_ids = await self.means.vault.index(tx, self.tenant_id, mentioned)
        row_id = ids.new("mem")
        now = self.means.clock.now()
        memory = Memory(
            row_id, self.tenant_id, self.store.name,
            memories.ref(names, self.store.name, memory_id),
            await self.means.keyring.seal(
                tx, row.dek_id, memory_id.encode(), memories.aad(self.tenant_id, row_id)
            ),
            row.dek_id, "write", "live", "long_term", "sha256:0", now,
            categories=tuple(categories), tags=tuple(tags),
            content_ref=memories.content_ref(names, text),
        )  # fmt: skip
        refs = [provenance.id_ref(names, memory_id)]
        refs += [provenance.named_ref(names, "user", owner, name)] if name else []
        await memories.insert(tx, memory, owner_ids=[row.id], entity_ids=set(entity_ids), refs=refs)
        sources = [
            (provenance.named_ref(names, "user", owner, each), contribution)
            for each in derived_from
        ]
        await provenance.insert(tx, self.tenant_id, row_id, sources, now)

    async def forget(self, target: Target, **request: Any) -> Any:
        """Forget in one call, as an operator."""
        request.setdefault("actor", OPERATOR)
        request.setdefault("origin", "control")
        return await self.service.forget(self.tenant_id, target, **request)

    async def texts(self, owner: str) -> list[str]:
        """All the store has of an owner."""
        place = {"user": await self.upstream_id(owner)}
        return [item.text async for item in self.store.crawl(place)]


def policy_with(**erasure: Any) -> policies.Policy:
    """The default policy with another erasure section."""
    lines = "\n".join(f"  {name}: {value}" for name, value in erasure.items())
    raw = "apiVersion: expunge/v1\nkind: Policy\nname: tested\nextends: builtin/gdpr-default\n" + (
        f"erasure:\n{lines}\n" if lines else ""
    )
    return policies.load_text(raw.encode(), "tested.yaml")


def small_binding(name: str = "mem0", **layers: SmallLayer) -> tuple[Store, SmallStore]:
    """A store over the small one."""
    small = SmallStore()
    connected = dict(layers) or {
        "history": SmallLayer("history"), "messages": SmallLayer("messages"),
        "entities": SmallLayer("entities"),
    }  # fmt: skip
    return Store(name, load_profile("mem0-platform"), small, connected), small


async def erasing(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: Clock, folder: Path,
    stores: Sequence[Store], policy: policies.Policy | None = None, small: SmallStore | None = None,
) -> Erasing:  # fmt: skip
    """Put a service together."""
    chosen = policy or policies.load("builtin/gdpr-default")
    means = Means(
        ledger, keyring, TokenVault(ledger, keyring, clock),
        Blocklist(ledger, keyring, clock, InProcessDetectors()),
        {store.name: store for store in stores}, lambda _: chosen, AuditLog(clock),
        Signer.open(folder / "audit", "expunge.example/test"), clock, InProcessDetectors(),
    )  # fmt: skip
    return Erasing(means, tenant_id, ErasureService(means), stores[0], small)


def sequencer(bench: Erasing) -> Sequencer:
    """The sequencer of the same log."""
    return Sequencer(bench.ledger, bench.means.signer, bench.means.clock)
