"""Whether the ledger is the one that was used last; a new one is begun only where none was used."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from proxy.app.secrets import read
from proxy.audit.log import AuditLog
from proxy.audit.offline import Checkpoint
from proxy.audit.sequencer import Sequencer
from proxy.audit.signer import VERIFIER_SUFFIX, Signer
from proxy.audit.witness import Witness
from proxy.clock import Clock
from proxy.config import Config
from proxy.keys.file import FileKek
from proxy.ledger import audit, references, wrapped
from proxy.ledger.engine import Ledger, Tx
from proxy.problems import Problem

_DATABASE = "ledger.db"


def ledger_url(config: Config) -> str:
    """The ledger's URL: as configured, or SQLite in the state folder."""
    if config.ledger.url_secret is not None:
        return read(config.ledger.url_secret)
    return config.ledger.url or f"sqlite+aiosqlite:///{config.state_dir / _DATABASE}"


def signing_key(config: Config) -> Path:
    """Where the log's signing key is."""
    return config.audit.signing_key or config.state_dir / "keys" / "audit.pem"


def key_file(config: Config) -> Path:
    """Where the provider ``file`` has its key."""
    return config.keys.file or config.state_dir / "keys" / "kek.json"


def witness_of(config: Config) -> Witness:
    """The last checkpoint, outside of the ledger."""
    return Witness(config.audit.witness or config.state_dir / "keys" / "audit.checkpoint")


async def require_known(config: Config, ledger: Ledger, witness: Witness) -> None:
    """Refuse a ledger that is older than what was signed, and an empty one in another's place.

    Raises:
        Problem: ``ledger-lost``.
    """
    if await ledger.read(wrapped.epochs):
        await ledger.read(witness.check)
        return
    traces = [] if await ledger.read(_is_accepted) else [*_traces(config, witness)]
    if traces:
        detail = f"The ledger is empty, but another one was used before: {', '.join(traces)}."
        raise Problem("ledger-lost", detail)


async def require_signer(config: Config, ledger: Ledger) -> Signer | None:
    """Our signing key if it has signed the log's newest checkpoint; None if nothing is signed yet.

    Raises:
        Problem: ``signing-key-lost``; ``keys-sealed`` if its file is damaged.
    """
    path, head = signing_key(config), await ledger.read(audit.latest_checkpoint)
    if head is None:
        return None
    if not path.exists():
        raise Problem("signing-key-lost", f"The audit log is signed, and its key is not at {path}.")
    signer = await open_signer(config)
    if not signer.has_signed(head.note.decode()):
        raise Problem("signing-key-lost", f"The key at {path} has not signed this audit log.")
    return signer


async def open_signer(config: Config) -> Signer:
    """The signing key, made where there is none."""
    return await asyncio.to_thread(Signer.open, signing_key(config), config.audit.origin)


async def mark_used(config: Config) -> None:
    """From now on, the key file tells that it was used with a ledger."""
    if config.keys.provider == "file":
        await asyncio.to_thread(FileKek(key_file(config)).mark_used)


@dataclass(frozen=True, slots=True)
class Accepted:
    """What accepting a ledger came to.

    Args:
        trouble: why ``serve`` refuses it; None: it does not.
        done: whether it is accepted now.
        aside: where the checkpoint that contradicts it is kept from now on.
    """

    trouble: str | None = None
    done: bool = False
    aside: Path | None = None


async def accept_ledger(config: Config, clock: Clock, *, really: bool) -> Accepted:
    """Go on with a ledger, or another signing key, that ``serve`` refuses, on record in its log.

    Args:
        really: False only says why it is refused.
    """
    ledger, witness = await Ledger.open(ledger_url(config)), witness_of(config)
    try:
        troubles = await _troubles(config, ledger, witness)
        if not troubles or not really:
            return Accepted(" ".join(troubles.values()) or None)
        aside = None
        if "ledger-lost" in troubles:
            known = witness.entries_known()
            await ledger.write(partial(_on_record, clock, witness.kept_or_damaged(), known))
            aside = witness.set_aside(f"{clock.now():%Y%m%dT%H%M%SZ}")
        if "signing-key-lost" in troubles:
            await Sequencer(ledger, await open_signer(config), clock).adopt_key()
        return Accepted(" ".join(troubles.values()), done=True, aside=aside)
    finally:
        await ledger.close()


async def _troubles(config: Config, ledger: Ledger, witness: Witness) -> dict[str, str]:
    """Why ``serve`` refuses ledger or signing key, by the problem's name."""
    found = {}
    for known in (require_known(config, ledger, witness), require_signer(config, ledger)):
        try:
            await known
        except Problem as problem:
            if problem.slug not in ("ledger-lost", "signing-key-lost"):
                raise
            found[problem.slug] = problem.detail or ""
    return found


async def _on_record(clock: Clock, kept: Checkpoint | None, known: int, tx: Tx) -> None:
    await references.refer_beyond(tx, known)
    fields = {"size": await audit.size(tx), "signed": kept.size if kept else None}
    await AuditLog(clock).append(tx, None, "ledger.accepted", fields)


async def _is_accepted(tx: Tx) -> bool:
    """Whether an empty ledger was accepted: then its log has the first entry."""
    return bool(await audit.size(tx) or await audit.unsequenced(tx, 1))


def _traces(config: Config, witness: Witness) -> Iterator[str]:
    """What only an earlier start leaves behind."""
    kept = witness.kept()
    if kept is not None:
        yield f"a checkpoint of {kept.size} entries is kept"
    if signing_key(config).with_suffix(VERIFIER_SUFFIX).exists():
        yield "the log's signing key was used"
    if config.keys.provider == "file" and FileKek(key_file(config)).used():
        yield "the key file was used"
