"""What ``expunge doctor`` learns from the running service: each part tried, none assumed."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from detectors.errors import DetectionError, sentence
from detectors.workers.pool import Detecting
from proxy.audit.verify import verify
from proxy.audit.witness import Witness
from proxy.erasure.search import layers
from proxy.keys.ring import KeyRing
from proxy.ledger import erasures, health, integrity, jobs
from proxy.ledger.engine import Ledger
from proxy.problems import Problem
from proxy.upstreams.binding import UpstreamBinding
from proxy.upstreams.errors import StoreUnavailable, StoreUnknown
from proxy.upstreams.layers import LayerScope, LayerUnavailable
from proxy.upstreams.store import Store

_SAMPLE = "Alva Brenn writes from alva.brenn@example.org."
_WANTED = {"EMAIL_ADDRESS": "patterns", "PERSON": "names"}
OBSERVES = "It only observes: what is found reaches the store in clear. Not for production."
_WRITES = "Make room on its disk, or end what holds it: another command, a backup, an open shell."
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
    detectors: Detecting
    stores: Mapping[str, UpstreamBinding]
    policies: Callable[[], Mapping[str, Any]]
    identity: Callable[[], Awaitable[Sequence[Finding]]]
    log: Callable[[], Awaitable[Sequence[Finding]]]

    async def run(self) -> list[dict[str, str]]:
        """Every finding."""
        found = [
            *await of_ledger(self.ledger),
            *await of_keys(self.keyring),
            *await of_erasures(self.ledger),
            *await self.log(),
            *await of_detection(self.detectors),
            *of_policies(self.policies()),
            *await of_stores(self.stores),
            *await self.identity(),
        ]
        return [asdict(finding) for finding in found]


async def of_ledger(ledger: Ledger) -> list[Finding]:
    """Whether it answers, its file is whole, and what is deleted from it is gone from there."""
    try:
        seen = await ledger.read(health.settings)
    except Problem:
        return [Finding("ledger", "failed", "No answer.", "Check disk and server.")]
    if (ailment := await health.ails(ledger)) is not None:
        return [Finding("ledger", "failed", f"Every write is refused. {ailment}", _WRITES)]
    broken = await integrity.damage(ledger.path) if ledger.path else None
    if broken is not None:
        said = f"Its file is damaged: {broken.splitlines()[-1]}"
        return [Finding("ledger", "failed", said, integrity.RESTORE)]
    detail = ", ".join(f"{name} {value}" for name, value in sorted(seen.items()))
    weak = ledger.dialect == "sqlite" and any(
        seen.get(name, "").lower() != value for name, value in _SQLITE.items()
    )
    if weak:
        return [Finding("ledger", "failed", detail, "Deleted rows may stay readable.")]
    return [Finding("ledger", "ok", f"{ledger.dialect}: {detail}")]


async def of_keys(keyring: KeyRing) -> list[Finding]:
    """Whether the provider opens our keys now, not whether some are held for a while yet."""
    try:
        await keyring.installation()
        epochs = await keyring.status()
        answers = await keyring.provider_answers()
    except Problem as problem:
        return [Finding("keys", "failed", problem.detail, problem.hint)]
    active = [epoch for epoch in epochs if epoch.state == "active"]
    if not active:
        return [Finding("keys", "failed", "There is no active epoch.", "Rotate the keys.")]
    if not answers:
        detail = f"{active[-1].provider} is sealed, does not answer, or does not open our key."
        return [Finding("keys", "failed", detail, "Check the key provider: unseal it.")]
    detail = f"{active[-1].provider}, epoch {active[-1].epoch} of {len(epochs)}"
    if active[-1].provider == "file":
        hint = "A key file is for development: use vault-transit or aws-kms."
        return [Finding("keys", "warning", detail, hint)]
    return [Finding("keys", "ok", detail)]


async def of_erasures(ledger: Ledger) -> list[Finding]:
    """Whether an erasure waits for an operator; what waits for a connector its store says."""
    try:
        waiting = await ledger.read(jobs.unfinished)
        standing = await ledger.read(erasures.count_by_state)
    except Problem:
        return []  # what ails the ledger is said already
    stopped = sum(job.state == "needs_operator" for job in waiting)
    if not stopped:
        beyond = standing.get(("incomplete", erasures.OUT_OF_REACH), 0)
        ended = f" {beyond} ended with layers out of reach." if beyond else ""
        return [Finding("erasures", "ok", f"None waits for an operator.{ended}")]
    return [Finding("erasures", "warning", f"{stopped} wait for an operator (needs_operator).",
                    "See 'expunge erasure list --state incomplete'.")]  # fmt: skip


async def of_log(ledger: Ledger, public_key: str, witness: Witness) -> list[Finding]:
    """Whether the audit log is what was signed; the whole of it is read."""
    try:
        kept = witness.kept()
        notes = (kept.note,) if kept else ()
        report = await ledger.read(lambda tx: verify(tx, [public_key], witnessed=notes))
    except Problem as problem:
        return [Finding("audit log", "failed", problem.detail, problem.hint)]
    if report.valid:
        return [Finding("audit log", "ok", f"{report.entries} entries are as they were signed.")]
    return [Finding("audit log", "failed", report.findings[0].message,
                    "Run 'expunge audit verify'.")]  # fmt: skip


async def of_detection(detectors: Detecting) -> list[Finding]:
    """Whether a name and an address are found in a sample."""
    try:
        analysis = (await detectors.analyse([_SAMPLE]))[0]
    except DetectionError as error:
        return [Finding("detection", "failed", sentence(error),
                        "Look at the logs of the workers.")]  # fmt: skip
    seen = {detection.entity_type for detection in analysis.detections}
    missing = [what for entity, what in _WANTED.items() if entity not in seen]
    if missing:
        return [Finding("detection", "warning", f"A sample shows no {', '.join(missing)}.",
                        "With tier 'structured' names are not found.")]  # fmt: skip
    return [Finding("detection", "ok", "A sample's name and address were found.")]


def of_policies(report: Mapping[str, Any]) -> list[Finding]:
    """Whether each policy in force is the latest one of its file."""
    return [_of_policy(f"policy {source}", entry) for source, entry in report.items()]


def _of_policy(name: str, entry: Mapping[str, Any]) -> Finding:
    if entry["error"]:
        hint = "Its latest file is faulty; the last good one is active."
        return Finding(name, "failed", entry["digest"], hint)
    return of_policy(name, entry["digest"], observes=entry["observes"])


def of_policy(name: str, digest: str, *, observes: bool) -> Finding:
    """What to say of a policy that is in order."""
    return Finding(name, "warning" if observes else "ok", digest, OBSERVES if observes else "")


async def of_stores(stores: Mapping[str, UpstreamBinding]) -> list[Finding]:
    """Whether each store answers with our credential, and each of its layers is reached."""
    found: list[Finding] = []
    for name, binding in stores.items():
        found.append(await _store(name, binding))
        reached = [each for each in binding.store.layers.values() if each.reach != "none"]
        found += [await _layer(name, layer) for layer in reached]
        found += unreached(binding.store)
    return found


def unreached(store: Store) -> list[Finding]:
    """In one finding which layers nobody is let into, and what that comes to."""
    beyond = layers.beyond(store)
    if not beyond:
        return []
    known = (store.layers.get(layers.CONNECTORS.get(name, name)) for name in beyond)
    notes = " ".join(each.note for each in known if each is not None)
    return [Finding(
        f"layers of {store.name}", "warning",
        f"Out of reach: {', '.join(beyond)}. Erasures that concern them end incomplete.",
        f"{notes} Then 'expunge erasure retry' of each; or clear them by hand (docs/mem0.md).",
    )]  # fmt: skip


async def _store(name: str, binding: UpstreamBinding) -> Finding:
    try:
        owners = await binding.store.list_owners()
    except (StoreUnavailable, StoreUnknown):
        return Finding(
            f"store {name}",
            "failed",
            "It does not answer, or refuses the credential.",
            "Check its address, state, upstreams[].credential and upstreams[].tls.",
        )
    return Finding(f"store {name}", "ok", f"It answers; owners it names: {len(owners)}.")


async def _layer(store: str, layer: Any) -> Finding:
    label = f"layer {store}/{layer.name}"
    try:
        await layer.count(LayerScope())
    except LayerUnavailable as error:
        where = getattr(layer, "path", None)
        hint = f"Check upstreams[].layers.{layer.name}{f' (path {where})' if where else ''}."
        return Finding(label, "failed", f"It is {error.reason_code}.", hint)
    return Finding(label, "ok", layer.reach)
