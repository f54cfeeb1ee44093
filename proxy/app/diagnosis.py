"""What ``expunge doctor`` learns from the running service: each part tried, none assumed."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from detectors.errors import DetectionError
from detectors.pool import DetectorPool
from proxy.keys.ring import KeyRing
from proxy.ledger import health
from proxy.ledger.engine import Ledger
from proxy.problems import Problem
from proxy.upstreams.binding import UpstreamBinding
from proxy.upstreams.errors import StoreUnavailable, StoreUnknown
from proxy.upstreams.layers import LayerScope, LayerUnavailable

_SAMPLE = "Alva Brenn writes from alva.brenn@example.org."
_WANTED = {"EMAIL_ADDRESS": "patterns", "PERSON": "names"}
_SQLITE = {"journal_mode": "wal", "synchronous": "full", "secure_delete": "on"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: ``ok``, ``warning`` or ``failed``, what was seen, and what to do."""

    name: str
    status: str
    detail: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Looks at every part that the service depends on."""

    ledger: Ledger
    keyring: KeyRing
    detectors: DetectorPool
    stores: Mapping[str, UpstreamBinding]
    policies: Callable[[], Mapping[str, Any]]

    async def run(self) -> list[dict[str, str]]:
        """Every finding."""
        parts: tuple[Callable[[], Awaitable[list[Finding]]], ...] = (
            self._ledger,
            self._keys,
            self._detection,
            self._policies,
            self._stores,
        )
        return [asdict(finding) for part in parts for finding in await part()]

    async def _ledger(self) -> list[Finding]:
        try:
            seen = await self.ledger.read(health.settings)
        except Problem:
            return [Finding("ledger", "failed", "No answer.", "Check disk and server.")]
        detail = ", ".join(f"{name} {value}" for name, value in sorted(seen.items()))
        weak = self.ledger.dialect == "sqlite" and any(
            seen.get(name, "").lower() != value for name, value in _SQLITE.items()
        )
        if weak:
            return [Finding("ledger", "failed", detail, "Deleted rows may stay readable.")]
        return [Finding("ledger", "ok", f"{self.ledger.dialect}: {detail}")]

    async def _keys(self) -> list[Finding]:
        try:
            await self.keyring.installation()
            epochs = await self.keyring.status()
        except Problem:
            return [Finding("keys", "failed", "The provider does not answer.", "Check it.")]
        active = [epoch for epoch in epochs if epoch.state == "active"]
        if not active:
            return [Finding("keys", "failed", "There is no active epoch.", "Rotate the keys.")]
        detail = f"{active[-1].provider}, epoch {active[-1].epoch} of {len(epochs)}"
        if active[-1].provider == "file":
            hint = "A key file is for development: use vault-transit or aws-kms."
            return [Finding("keys", "warning", detail, hint)]
        return [Finding("keys", "ok", detail)]

    async def _detection(self) -> list[Finding]:
        try:
            analysis = (await self.detectors.analyse([_SAMPLE]))[0]
        except DetectionError:
            return [Finding("detection", "failed", "A sample could not be analysed.",
                            "Look at the logs of the workers.")]  # fmt: skip
        seen = {detection.entity_type for detection in analysis.detections}
        missing = [what for entity, what in _WANTED.items() if entity not in seen]
        if missing:
            return [Finding("detection", "warning", f"A sample shows no {', '.join(missing)}.",
                            "With tier 'structured' names are not found.")]  # fmt: skip
        return [Finding("detection", "ok", "A sample's name and address were found.")]

    async def _policies(self) -> list[Finding]:
        return [
            Finding(
                f"policy {source}",
                "failed" if entry["error"] else "ok",
                entry["digest"],
                "Its latest file is faulty; the last good one is active." if entry["error"] else "",
            )
            for source, entry in self.policies().items()
        ]

    async def _stores(self) -> list[Finding]:
        found: list[Finding] = []
        for name, binding in self.stores.items():
            found.append(await _store(name, binding))
            found += [await _layer(name, layer) for layer in binding.store.layers.values()]
        return found


async def _store(name: str, binding: UpstreamBinding) -> Finding:
    try:
        owners = await binding.store.list_owners()
    except (StoreUnavailable, StoreUnknown):
        return Finding(
            f"store {name}",
            "failed",
            "It does not answer, or refuses the credential.",
            "Check its address, state and upstreams[].credential.",
        )
    return Finding(f"store {name}", "ok", f"It answers and names {len(owners)} owners.")


async def _layer(store: str, layer: Any) -> Finding:
    label = f"layer {store}/{layer.name}"
    if layer.reach == "none":
        return Finding(label, "warning", "Not reached.", layer.note)
    try:
        await layer.count(LayerScope())
    except LayerUnavailable as error:
        return Finding(label, "failed", f"It is {error.reason_code}.", layer.note)
    return Finding(label, "ok", layer.reach)
