"""The audit log end to end: append, sequence, prove, and notice every kind of tampering."""

import asyncio
import stat
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

import proxy.audit.verify as checking
from proxy.audit import dsse, leaf, offline, proof
from proxy.audit.log import AuditLog
from proxy.audit.sequencer import Sequencer
from proxy.audit.signer import Signer
from proxy.audit.verify import Report, verify
from proxy.clock import FrozenClock
from proxy.ledger import audit
from proxy.ledger.engine import Ledger, Tx
from proxy.problems import Problem

ORIGIN = "log.example.org/expunge"


@pytest.fixture
def signer(tmp_path: Path) -> Signer:
    """A signing key of its own."""
    return Signer.open(tmp_path / "keys" / "audit.pem", ORIGIN)


@pytest.fixture
def log(clock: FrozenClock) -> AuditLog:
    """Where entries are appended."""
    return AuditLog(clock)


@pytest.fixture
def sequencer(ledger: Ledger, signer: Signer, clock: FrozenClock) -> Sequencer:
    """The sequencer of the ledger."""
    return Sequencer(ledger, signer, clock)


async def fill(ledger: Ledger, log: AuditLog, clock: FrozenClock, count: int) -> list[str]:
    """Append entries, a second apart; returns their ids."""
    ids = []
    for number in range(count):
        clock.advance(timedelta(seconds=1))
        ids.append(
            await ledger.write(
                lambda tx, n=number: log.append(tx, "ten_1", "memory.erased", {"count": n})
            )
        )
    return ids


async def report(ledger: Ledger, signer: Signer, witnessed: str | None = None) -> Report:
    """Verify the ledger's log with the signer's key."""
    keys: list[str | bytes] = [signer.verifier_key]
    return await ledger.read(
        lambda tx: verify(tx, keys, witnessed=(witnessed,) if witnessed else ())
    )


async def execute(ledger: Ledger, statement: str, **values: object) -> None:
    """Change the ledger behind the log's back."""
    await ledger.write(lambda tx: tx.execute(text(statement), values))


# -- the good case ---------------------------------------------------------------------------------


async def test_entries_are_ordered_signed_and_verified(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, signer: Signer, clock: FrozenClock
) -> None:
    """Several batches make one log without findings."""
    for count in (3, 1, 5):
        await fill(ledger, log, clock, count)
        assert await sequencer.run_once() == count
    found = await report(ledger, signer)
    assert (found.entries, found.checkpoints, found.findings) == (9, 3, ())
    assert found.head is not None
    assert found.head.size == 9
    assert await sequencer.run_once() == 0


async def test_times_come_back_exactly_after_a_restart(
    ledger_url: str, signer: Signer, log: AuditLog, clock: FrozenClock
) -> None:
    """Microseconds survive storage, so that a log verifies after closing and opening."""
    first = await Ledger.open(ledger_url)
    await fill(first, log, clock, 3)
    await Sequencer(first, signer, clock).run_once()
    await first.close()
    second = await Ledger.open(ledger_url)
    assert (await report(second, signer)).valid
    await second.close()


async def test_two_replicas_make_one_log(
    ledger: Ledger, ledger_url: str, log: AuditLog, signer: Signer, clock: FrozenClock
) -> None:
    """20 parallel appends and two sequencers at once: one successor per entry."""
    other = await Ledger.open(ledger_url)
    sequencers = [Sequencer(one, signer, clock) for one in (ledger, other)]
    appends = [
        one.write(lambda tx: log.append(tx, None, "key.rotated", {}))
        for _ in range(10)
        for one in (ledger, other)
    ]
    await asyncio.gather(*appends, *(s.run_once() for s in sequencers))
    await asyncio.gather(*(s.run_once() for s in sequencers))
    await sequencers[0].run_once()
    found = await report(ledger, signer)
    assert (found.entries, found.findings) == (20, ())
    await other.close()


async def test_an_undone_deed_leaves_no_entry(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer
) -> None:
    """The entry is part of its deed's transaction."""

    async def fails(tx: Tx) -> None:
        await log.append(tx, None, "memory.erased", {})
        raise RuntimeError

    with pytest.raises(RuntimeError):
        await ledger.write(fails)
    assert await sequencer.run_once() == 0


async def test_every_entry_has_a_proof_that_verifies_offline(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, signer: Signer, clock: FrozenClock
) -> None:
    """A proof is self-contained: entry, path, checkpoint."""
    for entry_id in await _sequenced(ledger, log, sequencer, clock, 7):
        parsed = offline.parse_proof(
            await ledger.read(lambda tx, e=entry_id: proof.inclusion(tx, e))
        )
        digest = offline.leaf_digest(parsed.leaf)
        assert offline.root_from_inclusion(digest, parsed) == parsed.checkpoint.root
        key = offline.load_public_key(signer.verifier_key)
        assert offline.signed_by(parsed.checkpoint.note, key)


async def _sequenced(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, clock: FrozenClock, count: int
) -> list[str]:
    ids = await fill(ledger, log, clock, count)
    await sequencer.run_once()
    return ids


async def test_two_checkpoints_are_shown_to_be_consistent(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, clock: FrozenClock
) -> None:
    """A witness with an old checkpoint can check a new one."""
    await _sequenced(ledger, log, sequencer, clock, 5)
    old = offline.parse_checkpoint(await ledger.read(proof.checkpoint))
    await _sequenced(ledger, log, sequencer, clock, 6)
    new = offline.parse_checkpoint(await ledger.read(proof.checkpoint))
    path = await ledger.read(lambda tx: proof.consistency(tx, old.size, new.size))
    assert offline.is_consistent(old, new, path)
    assert not offline.is_consistent(old, new, path[:-1])


async def test_tiles_hold_the_leaves(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, clock: FrozenClock
) -> None:
    """A partial tile gives digests; one that is not that wide yet is not found."""
    await _sequenced(ledger, log, sequencer, clock, 5)
    tile = await ledger.read(lambda tx: proof.tile(tx, 0, 0, 5))
    entries = await ledger.read(lambda tx: audit.entries(tx, 0, 10))
    assert tile == b"".join(offline.leaf_digest(entry.leaf) for entry in entries)
    with pytest.raises(Problem):
        await ledger.read(lambda tx: proof.tile(tx, 0, 0, 6))


# -- tampering -------------------------------------------------------------------------------------

CHANGE = "UPDATE audit_entries SET leaf=:leaf WHERE leaf_index=:index"


async def test_of_a_long_log_only_what_was_changed_is_kept(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, signer: Signer, clock: FrozenClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """It is read page by page; what one pass holds does not grow with the log."""
    walks: list[checking._Walk] = []

    class Watched(checking._Walk):
        """Known to the test."""

        def __init__(self) -> None:
            super().__init__()
            walks.append(self)

    monkeypatch.setattr(checking, "_Walk", Watched)
    monkeypatch.setattr(checking, "PAGE", 4)
    await _sequenced(ledger, log, sequencer, clock, 30)
    assert (await report(ledger, signer)).entries == 30
    assert (walks[0].stored, walks[0].changed, len(walks[0].nodes)) == ({}, {}, 4)  # 16+8+4+2
    old = (await ledger.read(lambda tx: audit.entries(tx, 9, 1)))[0].leaf
    await execute(ledger, CHANGE, index=9, leaf=old.replace(b'"count":9', b'"count":4'))
    assert len((await report(ledger, signer)).findings) == 1
    assert (walks[1].stored.keys(), walks[1].changed.keys()) == ({9}, {9})


async def test_a_changed_entry_is_named(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, signer: Signer, clock: FrozenClock
) -> None:
    """One changed byte: the entry is named."""
    await _sequenced(ledger, log, sequencer, clock, 6)
    old = (await ledger.read(lambda tx: audit.entries(tx, 3, 1)))[0].leaf
    await execute(ledger, CHANGE, index=3, leaf=old.replace(b'"count":3', b'"count":4'))
    found = await report(ledger, signer)
    assert [f.message for f in found.findings] == ["Entry 3 was changed after it was logged."]


@pytest.mark.parametrize(
    ("count", "told"), [("4", ["Entry 3 was changed after it was logged."]), ("3", [])],
    ids=["changed", "only its type"],
)  # fmt: skip
async def test_an_entry_that_became_a_text_is_named(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, signer: Signer, clock: FrozenClock,
    count: str, told: list[str],
) -> None:  # fmt: skip
    """SQLite keeps whatever it is given in a column of bytes: what it says is compared."""
    if ledger.path is None:
        pytest.skip("PostgreSQL keeps bytes in a column of bytes")
    await _sequenced(ledger, log, sequencer, clock, 6)
    old = (await ledger.read(lambda tx: audit.entries(tx, 3, 1)))[0].leaf.decode()
    new = old.replace('"count":3', f'"count":{count}')
    await execute(ledger, "UPDATE audit_entries SET leaf=CAST(:leaf AS TEXT) "
                          "WHERE leaf_index=:index", index=3, leaf=new)  # fmt: skip
    found = await report(ledger, signer)
    assert [f.message for f in found.findings] == told


async def test_a_missing_entry_is_named_alone(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, signer: Signer, clock: FrozenClock
) -> None:
    """What comes behind it was not read: nothing is said of how long the log is."""
    for count in (3, 2, 2):
        await _sequenced(ledger, log, sequencer, clock, count)
    await execute(ledger, "DELETE FROM audit_entries WHERE leaf_index=1")
    found = await report(ledger, signer)
    assert [f.message for f in found.findings] == ["Entry 1 is missing."]


async def test_a_cut_log_is_told_once(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, signer: Signer, clock: FrozenClock
) -> None:
    """Not for each checkpoint beyond its end."""
    for count in (3, 2, 2):
        await _sequenced(ledger, log, sequencer, clock, count)
    await execute(ledger, "DELETE FROM audit_entries WHERE leaf_index>=1")
    found = await report(ledger, signer)
    assert [f.message for f in found.findings] == [
        "The log ends after 1 entries, but 7 were signed."
    ]


async def test_a_cut_tail_is_noticed_and_nothing_is_appended(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, signer: Signer, clock: FrozenClock
) -> None:
    """The last entry is gone: verify says so, and the sequencer refuses to go on."""
    await _sequenced(ledger, log, sequencer, clock, 6)
    await execute(ledger, "DELETE FROM audit_entries WHERE leaf_index=5")
    found = await report(ledger, signer)
    assert [f.code for f in found.findings] == ["cut"]
    assert found.findings[0].message == "The log ends after 5 entries, but 6 were signed."
    await fill(ledger, log, clock, 1)
    with pytest.raises(Problem) as caught:
        await sequencer.run_once()
    assert caught.value.slug == "invalid-state"


async def test_an_emptied_log_does_not_start_anew(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, clock: FrozenClock
) -> None:
    """All entries and nodes gone: no new genesis."""
    await _sequenced(ledger, log, sequencer, clock, 4)
    for table in ("audit_entries", "audit_nodes"):
        await execute(ledger, f"DELETE FROM {table}")
    await fill(ledger, log, clock, 1)
    with pytest.raises(Problem):
        await sequencer.run_once()


async def test_a_removed_entry_in_the_middle_is_noticed(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, signer: Signer, clock: FrozenClock
) -> None:
    """A hole is named."""
    await _sequenced(ledger, log, sequencer, clock, 6)
    await execute(ledger, "DELETE FROM audit_entries WHERE leaf_index=2")
    assert (await report(ledger, signer)).findings[0].message == "Entry 2 is missing."


async def test_swapped_entries_are_named(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, signer: Signer, clock: FrozenClock
) -> None:
    """Two entries in each other's place: both are named, once."""
    await _sequenced(ledger, log, sequencer, clock, 6)
    entries = await ledger.read(lambda tx: audit.entries(tx, 0, 6))
    one, two = entries[1].id, entries[4].id
    move = "UPDATE audit_entries SET leaf_index=:index WHERE id=:id"
    for index, entry in [(99, one), (1, two), (4, one)]:
        await execute(ledger, move, index=index, id=entry)
    found = [f.message for f in (await report(ledger, signer)).findings]
    assert "Entries 1 and 4 changed places." in found
    assert not [message for message in found if "was changed" in message]


async def test_a_rewritten_log_contradicts_its_old_checkpoint(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, signer: Signer, clock: FrozenClock
) -> None:
    """The holder of the key rewrites everything: a checkpoint kept elsewhere shows the fork."""
    await _sequenced(ledger, log, sequencer, clock, 4)
    kept = await ledger.read(proof.checkpoint)
    for table in ("audit_entries", "audit_nodes", "checkpoints"):
        await execute(ledger, f"DELETE FROM {table}")
    await _sequenced(ledger, log, sequencer, clock, 5)
    assert (await report(ledger, signer)).valid
    found = await report(ledger, signer, kept)
    assert [f.message for f in found.findings] == [
        "The log forked: its first 4 entries are not those signed, as a checkpoint says "
        "that was kept elsewhere."
    ]


async def test_a_rewritten_entry_with_its_nodes_contradicts_the_checkpoint(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, signer: Signer, clock: FrozenClock
) -> None:
    """Entry and node table changed together, but not the signature: a fork."""
    await _sequenced(ledger, log, sequencer, clock, 4)
    old = (await ledger.read(lambda tx: audit.entries(tx, 3, 1)))[0].leaf
    new = old.replace(b'"count":3', b'"count":9')
    await execute(ledger, CHANGE, index=3, leaf=new)
    await execute(
        ledger,
        "UPDATE audit_nodes SET digest=:digest WHERE level=0 AND position=3",
        digest=offline.leaf_digest(new),
    )
    assert [f.code for f in (await report(ledger, signer)).findings] == ["forked"]


async def test_a_foreign_key_is_named_and_adopted_only_openly(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, signer: Signer, tmp_path: Path,
    clock: FrozenClock,
) -> None:  # fmt: skip
    """Another key neither verifies nor continues the log, unless the change is itself logged."""
    await _sequenced(ledger, log, sequencer, clock, 2)
    other = Signer.open(tmp_path / "other" / "audit.pem", ORIGIN)
    foreign = (await report(ledger, other)).findings
    assert [f.message for f in foreign] == [
        "The checkpoint of size 2 is not signed by the log's key."
    ]
    await fill(ledger, log, clock, 1)
    stranger = Sequencer(ledger, other, clock)
    with pytest.raises(Problem):
        await stranger.run_once()
    await stranger.adopt_key()
    entries = await ledger.read(lambda tx: audit.entries(tx, 2, 10))
    assert b"audit.key_adopted" in entries[-1].leaf
    keys: list[str | bytes] = [signer.verifier_key, other.verifier_key]
    assert (await ledger.read(lambda tx: verify(tx, keys))).valid


async def test_a_changed_date_is_told_of_that_entry_alone(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, signer: Signer, clock: FrozenClock
) -> None:
    """Those behind an entry that was dated forward are dated as they were."""
    await _sequenced(ledger, log, sequencer, clock, 6)
    old = (await ledger.read(lambda tx: audit.entries(tx, 2, 1)))[0].leaf
    year = str(clock.now().year).encode()
    later = str(clock.now().year + 1).encode()
    await execute(ledger, CHANGE, index=2, leaf=old.replace(year, later, 1))
    found = await report(ledger, signer)
    assert [f.message for f in found.findings] == [
        "Entry 2 was recorded at another time than it says.",
        "Entry 2 was changed after it was logged.",
    ]


async def test_a_changed_date_column_is_noticed(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, signer: Signer, clock: FrozenClock
) -> None:
    """The column beside the leaf cannot be changed alone."""
    await _sequenced(ledger, log, sequencer, clock, 2)
    await execute(ledger, "UPDATE audit_entries SET recorded_at=recorded_at-1 WHERE leaf_index=1")
    assert [f.code for f in (await report(ledger, signer)).findings] == ["date"]


# -- the key file and the leaf ---------------------------------------------------------------------


def test_the_key_file_is_private_and_kept(tmp_path: Path) -> None:
    """Mode 0600; opening again gives the same key; the verifier key is published beside it."""
    path = tmp_path / "keys" / "audit.pem"
    first = Signer.open(path, ORIGIN)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Signer.open(path, ORIGIN).verifier_key == first.verifier_key
    assert path.with_suffix(".vkey").read_text() == first.verifier_key + "\n"


@pytest.mark.parametrize("spoil", ["readable", "garbage"])
def test_a_bad_key_file_is_refused(tmp_path: Path, spoil: str) -> None:
    """A key that others can read, or that is damaged, is not used."""
    path = tmp_path / "audit.pem"
    Signer.open(path, ORIGIN)
    if spoil == "readable":
        path.chmod(0o644)
    else:
        path.write_text("no key")
    with pytest.raises(Problem) as caught:
        Signer.open(path, ORIGIN)
    assert caught.value.slug == "keys-sealed"


BAD_FIELDS = {
    "free-text": {"reason": "Alva Brenn asked for it"},
    "email": {"who": "alva@example.org"},
    "long": {"code": "x" * 201},
    "float": {"score": 0.5},
    "key": {"Alva Brenn": 1},
    "nested": {"layers": [{"name": "the history of Alva"}]},
    "bytes": {"digest": b"x"},
    "unicode": {"code": "Ünal"},
}


@pytest.mark.parametrize("fields", BAD_FIELDS.values(), ids=BAD_FIELDS)
def test_what_could_be_content_is_refused(clock: FrozenClock, fields: dict[str, object]) -> None:
    """The log takes counts, ids, slugs, digests and dates; nothing that could be a sentence."""
    with pytest.raises(ValueError, match="audit field"):
        leaf.encode("aud_1", None, "memory.erased", clock.now(), fields)


def test_facts_have_one_spelling(clock: FrozenClock) -> None:
    """The order of fields does not matter; the bytes are sorted and compact."""
    one = leaf.encode("aud_1", "ten_1", "memory.erased", clock.now(), {"b": 1, "a": [True, None]})
    two = leaf.encode("aud_1", "ten_1", "memory.erased", clock.now(), {"a": [True, None], "b": 1})
    assert one == two
    assert b'{"at":"2026-01-05T09:30:00.123456Z","event":"memory.erased"' in one


@pytest.mark.parametrize("event", ["erased", "Memory.Erased", "memory erased", "memory.", ""])
def test_events_are_dotted_names(clock: FrozenClock, event: str) -> None:
    """Anything else could carry content."""
    with pytest.raises(ValueError, match="event"):
        leaf.encode("aud_1", None, event, clock.now(), {})


# -- certificates ----------------------------------------------------------------------------------


async def certify(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, signer: Signer, clock: FrozenClock,
    signed: str | None = None,
) -> tuple[bytes, bytes]:  # fmt: skip
    """A certificate and its proof."""
    await fill(ledger, log, clock, 3)
    times = {"signed": signed or leaf.instant(clock.now())}
    said = {"reference": "DEL-2026-0001", "times": times, "deleted": 3}
    statement = dsse.statement("erasure/DEL-2026-0001", "0" * 64, "urn:x", said)
    envelope = dsse.envelope(statement, signer)
    fields = {"certificate": dsse.digest(envelope)}
    entry = await ledger.write(lambda tx: log.append(tx, "ten_1", "erasure.certified", fields))
    await fill(ledger, log, clock, 2)
    await sequencer.run_once()
    text = await ledger.read(lambda tx: proof.inclusion(tx, entry))
    return envelope, text.encode()


async def test_a_certificate_verifies_with_each_form_of_the_key(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, signer: Signer, clock: FrozenClock
) -> None:
    """Verifier key, PEM and raw bytes are the same key."""
    envelope, proof_text = await certify(ledger, log, sequencer, signer, clock)
    for key in (signer.verifier_key, signer.public_pem, signer.public_key):
        verdict = offline.verify(envelope, proof_text, key)
        assert verdict.valid, verdict.messages
        assert verdict.logged
    alone = offline.verify(envelope, None, signer.verifier_key)
    assert (alone.valid, alone.logged, alone.messages) == (False, False, [offline.UNPROVEN])
    assert alone.body()["statement"]["predicate"]["deleted"] == 3


async def test_each_forgery_is_refused_with_its_reason(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, signer: Signer, tmp_path: Path,
    clock: FrozenClock,
) -> None:  # fmt: skip
    """Changed, replayed, signed by another, with a foreign proof: what is wrong is said."""
    envelope, proof_text = await certify(ledger, log, sequencer, signer, clock)
    second, second_proof = await certify(ledger, log, sequencer, signer, clock)
    other = Signer.open(tmp_path / "other" / "audit.pem", ORIGIN)
    lines = proof_text.split(b"\n")
    cases = {
        "The certificate is not signed by this key, or was changed.": [
            (envelope.replace(b'"sig":"', b'"sig":"A'), proof_text, signer.verifier_key),
            (envelope, proof_text, other.verifier_key),
        ],
        "The log entry is about another certificate.": [(second, proof_text, signer.verifier_key)],
        "The log entry is not in the tree of the checkpoint, or was changed.": [
            (envelope, _with_index(lines, 0), signer.verifier_key),
            (envelope, b"\n".join(lines[:1] + second_proof.split(b"\n")[1:2] + lines[2:]),
             signer.verifier_key),
        ],
        "The proof is not a tlog-proof with a log entry.": [
            (envelope, b"nonsense", signer.verifier_key)
        ],
        "The certificate is not a DSSE envelope.": [(b"{}", proof_text, signer.verifier_key)],
        "The verifier key is damaged.": [(envelope, proof_text, "nonsense")],
    }  # fmt: skip
    for message, attempts in cases.items():
        for attempt in attempts:
            verdict = offline.verify(*attempt)
            assert not verdict.valid
            assert message in verdict.messages


async def test_it_is_of_the_erasure_that_is_asked_for(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, signer: Signer, clock: FrozenClock
) -> None:
    """A sound certificate of another erasure is told from the one that is meant."""
    envelope, proof_text = await certify(ledger, log, sequencer, signer, clock)
    key = signer.verifier_key
    assert offline.verify(envelope, proof_text, key, reference="DEL-2026-0001").valid
    replayed = offline.verify(envelope, proof_text, key, reference="DEL-2026-9999")
    assert replayed.messages == [
        "The certificate is of another erasure: of DEL-2026-0001, not of DEL-2026-9999."
    ]


def _with_index(lines: list[bytes], index: int) -> bytes:
    return b"\n".join([*lines[:2], f"index {index}".encode(), *lines[3:]])


async def test_a_checkpoint_signed_by_another_is_refused(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, signer: Signer, tmp_path: Path,
    clock: FrozenClock,
) -> None:  # fmt: skip
    """A tree head that someone else signed proves nothing."""
    envelope, proof_text = await certify(ledger, log, sequencer, signer, clock)
    head, _, note = proof_text.decode().partition("\n\n")
    other = Signer.open(tmp_path / "other" / "audit.pem", ORIGIN)
    forged = other.sign_note(note.partition("\n\n")[0] + "\n")
    verdict = offline.verify(envelope, f"{head}\n\n{forged}".encode(), signer.verifier_key)
    assert verdict.messages == ["The checkpoint is not signed by this key."]


@pytest.mark.parametrize(
    ("signed", "message"),
    [
        ("2025-11-05T09:30:00Z", "back-dated"),
        ("2026-02-05T09:30:00Z", "after it was logged"),
        ("yesterday", "no date"),
    ],
    ids=["back-dated", "post-dated", "no-date"],
)
async def test_dates_must_fit_the_log(
    ledger: Ledger, log: AuditLog, sequencer: Sequencer, signer: Signer, clock: FrozenClock,
    signed: str, message: str,
) -> None:  # fmt: skip
    """A certificate is as old as its log entry."""
    envelope, proof_text = await certify(ledger, log, sequencer, signer, clock, signed)
    verdict = offline.verify(envelope, proof_text, signer.verifier_key)
    assert not verdict.valid
    assert message in verdict.messages[0]
