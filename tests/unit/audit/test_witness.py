"""The checkpoint outside of the ledger: what an older, emptied or rewritten ledger comes to."""

import base64
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from proxy.audit.log import AuditLog
from proxy.audit.sequencer import Sequencer
from proxy.audit.signer import Signer
from proxy.audit.verify import verify
from proxy.audit.witness import Witness
from proxy.clock import FrozenClock
from proxy.ledger.engine import Ledger, Tx
from proxy.problems import Problem

ORIGIN = "log.example.org/expunge"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the checkpoint is kept."""
    return tmp_path / "keys" / "audit.checkpoint"


@pytest.fixture
def signer(tmp_path: Path) -> Signer:
    """The log's key."""
    return Signer.open(tmp_path / "keys" / "audit.pem", ORIGIN)


def stored(path: Path) -> str | None:
    """What the file says; None where there is none."""
    return path.read_text() if path.exists() else None


def store(path: Path, content: str) -> None:
    """Put something else there."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(content)


async def logged(
    ledger: Ledger, signer: Signer, clock: FrozenClock, path: Path, *counts: int
) -> None:
    """Entries, each batch signed and followed by the witness."""
    for count in counts:
        for number in range(count):
            clock.advance(timedelta(seconds=1))
            await ledger.write(
                lambda tx, n=number: AuditLog(clock).append(tx, None, "memory.erased", {"count": n})
            )
        await Sequencer(ledger, signer, clock, Witness(path)).run_once()


async def _emptied(tx: Tx) -> None:
    for table in ("audit_entries", "audit_nodes", "checkpoints"):
        await tx.execute(text(f"DELETE FROM {table}"))


async def _cut_together(tx: Tx) -> None:
    """The last batch, its nodes and its checkpoint: the log alone shows nothing."""
    await tx.execute(text("DELETE FROM audit_entries WHERE leaf_index >= 4"))
    await tx.execute(text("DELETE FROM audit_nodes WHERE (position + 1) * (1 << level) > 4"))
    await tx.execute(text("DELETE FROM checkpoints WHERE size > 4"))


async def _rewritten(tx: Tx) -> None:
    await tx.execute(text("UPDATE audit_nodes SET digest = :d WHERE level = 0 AND position = 6"),
                     {"d": b"x" * 32})  # fmt: skip


SPOILED: dict[str, tuple[Callable[[Tx], Awaitable[None]], str]] = {
    "emptied": (_emptied, "ends after 0 entries, but 7 were signed"),
    "cut with its checkpoint": (_cut_together, "ends after 4 entries, but 7 were signed"),
    "rewritten": (_rewritten, "first 7 entries of the ledger's log are not those that were signed"),
}


@pytest.mark.parametrize("how", SPOILED, ids=SPOILED)
async def test_a_ledger_that_lost_what_was_signed_is_refused(
    how: str, ledger: Ledger, signer: Signer, clock: FrozenClock, path: Path
) -> None:
    """At the start, at each turn of the sequencer, and before anything is signed over it."""
    await logged(ledger, signer, clock, path, 4, 3)
    spoil, message = SPOILED[how]
    await ledger.write(spoil)
    witness = Witness(path)
    with pytest.raises(Problem) as caught:
        await ledger.read(witness.check)
    assert caught.value.slug == "ledger-lost"
    assert message in caught.value.detail
    assert witness.agrees is False
    before, kept = await ledger.read(_notes), stored(path)
    with pytest.raises(Problem):
        await logged(ledger, signer, clock, path, 1)
    assert (await ledger.read(_notes), stored(path)) == (before, kept)


async def _notes(tx: Tx) -> int:
    return int((await tx.execute(text("SELECT count(*) FROM checkpoints"))).scalar_one())


async def test_verify_names_a_log_that_was_cut_with_its_checkpoint(
    ledger: Ledger, signer: Signer, clock: FrozenClock, path: Path
) -> None:
    """The log alone is flawless; the kept checkpoint says what is missing."""
    await logged(ledger, signer, clock, path, 4, 3)
    kept = Witness(path).kept()
    assert kept is not None
    keys: list[str | bytes] = [signer.verifier_key]
    await ledger.write(_cut_together)
    assert (await ledger.read(lambda tx: verify(tx, keys))).valid
    found = await ledger.read(lambda tx: verify(tx, keys, witnessed=(kept.note,)))
    assert [each.code for each in found.findings] == ["cut"]


async def test_a_ledger_that_goes_on_is_followed(
    ledger: Ledger, signer: Signer, clock: FrozenClock, path: Path
) -> None:
    """Entries signed elsewhere, a second sequencer, and a start with no checkpoint yet are fine."""
    await Witness(path).follow(ledger)
    assert stored(path) is None
    await logged(ledger, signer, clock, path, 3)
    other = path.with_name("of-another-replica")
    await logged(ledger, signer, clock, other, 2)
    for each, size in ((path, 3), (other, 5)):
        kept = Witness(each).kept()
        assert kept is not None
        assert kept.size == size
        await ledger.read(Witness(each).check)
    behind = Witness(path)
    await behind.follow(ledger)
    assert stored(path) == stored(other)
    assert behind.agrees


@pytest.mark.parametrize("content", ["", "no checkpoint", "log.example.org\n-1\n\n"])
async def test_a_damaged_checkpoint_is_refused(ledger: Ledger, path: Path, content: str) -> None:
    """It is neither ignored nor overwritten."""
    store(path, content)
    for attempt in (ledger.read(Witness(path).check), Witness(path).follow(ledger)):
        with pytest.raises(Problem, match="ledger-lost"):
            await attempt
    assert stored(path) == content


def test_a_checkpoint_set_aside_is_kept(path: Path, signer: Signer) -> None:
    """It still proves what the log was, under another name."""
    note = signer.checkpoint(2, base64.b64decode("A" * 43 + "="))
    path.write_text(note)
    aside = Witness(path).set_aside("then")
    assert aside is not None
    assert (aside.name, aside.read_text()) == ("audit.checkpoint.then", note)
    assert Witness(path).kept() is None
    assert Witness(path).set_aside("then") is None
