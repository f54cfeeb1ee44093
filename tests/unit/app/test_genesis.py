"""Where a new ledger may begin, and where it takes the place of one that was lost."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from proxy.app.genesis import (
    accept_ledger,
    mark_used,
    open_signer,
    require_known,
    require_signer,
    signing_key,
    witness_of,
)
from proxy.app.kek import open_kek
from proxy.audit.log import AuditLog
from proxy.audit.sequencer import Sequencer
from proxy.clock import FrozenClock
from proxy.config import Config, load
from proxy.keys.file import FileKek
from proxy.keys.ring import KeyRing
from proxy.ledger import audit
from proxy.ledger.engine import Ledger, Tx
from proxy.ledger.references import next_reference
from proxy.ledger.schema import metadata
from proxy.problems import Problem


@pytest.fixture
def config(tmp_path: Path, ledger_url: str) -> Config:
    """An installation over one of both databases."""
    path = tmp_path / "expunge.yaml"
    path.write_text(
        f"apiVersion: expunge/v1\nkind: Config\nledger: {{url: '{ledger_url}'}}\n"
        "upstreams: [{name: mem0, url: 'http://127.0.0.1:1'}]\n"
    )
    return load(path, {}).config


async def started(config: Config, clock: FrozenClock, entries: int = 0) -> None:
    """What a start and some work leave, in the order in which ``build`` does it."""
    ledger = await Ledger.open(config.ledger.url or "")
    try:
        witness = witness_of(config)
        await require_known(config, ledger, witness)
        ring = await KeyRing.open(ledger, open_kek(config), clock)
        await mark_used(config)
        await require_signer(config, ledger)
        signer = await open_signer(config)
        for _ in range(entries):
            await ledger.write(lambda tx: AuditLog(clock).append(tx, None, "key.rotated", {}))
        await Sequencer(ledger, signer, clock, witness).run_once()
        await ring.close()
    finally:
        await ledger.close()


async def reference(config: Config) -> str:
    """The next one that an erasure gets."""
    ledger = await Ledger.open(config.ledger.url or "")
    try:
        return await ledger.write(lambda tx: next_reference(tx, "ten_1", 2026))
    finally:
        await ledger.close()


async def emptied(config: Config) -> None:
    """Another, empty database in the ledger's place."""
    ledger = await Ledger.open(config.ledger.url or "")

    async def unit(tx: Tx) -> None:
        for table in reversed(metadata.sorted_tables):
            await tx.execute(table.delete())

    await ledger.write(unit)
    await ledger.close()


def _checkpoint_alone(config: Config) -> None:
    (config.state_dir / "keys" / "kek.json").unlink()
    (config.state_dir / "keys" / "audit.vkey").unlink()


def _key_file_alone(config: Config) -> None:
    (config.state_dir / "keys" / "audit.checkpoint").unlink()
    (config.state_dir / "keys" / "audit.vkey").unlink()


def _verifier_key_alone(config: Config) -> None:
    (config.state_dir / "keys" / "audit.checkpoint").unlink()
    (config.state_dir / "keys" / "kek.json").unlink()


TRACES: dict[str, tuple[Callable[[Config], None], str]] = {
    "all": (lambda _: None, "a checkpoint of 3 entries is kept, the log's signing key was used"),
    "checkpoint": (_checkpoint_alone, "a checkpoint of 3 entries is kept."),
    "key file": (_key_file_alone, "the key file was used."),
    "signing key": (_verifier_key_alone, "the log's signing key was used."),
}


@pytest.mark.parametrize("left", TRACES, ids=TRACES)
async def test_an_emptied_ledger_does_not_begin_anew(
    left: str, config: Config, clock: FrozenClock
) -> None:
    """Any trace of an earlier start is enough; acceptance is on record, and only then it starts."""
    await started(config, clock, 3)
    given = await reference(config)
    await emptied(config)
    spoil, message = TRACES[left]
    spoil(config)
    with pytest.raises(Problem) as caught:
        await started(config, clock)
    assert caught.value.slug == "ledger-lost"
    assert message in caught.value.detail
    assert "expunge db accept" in caught.value.hint
    shown = await accept_ledger(config, clock, really=False)
    assert (shown.trouble, shown.done) == (caught.value.detail, False)
    with pytest.raises(Problem):
        await started(config, clock)
    assert (await accept_ledger(config, clock, really=True)).done
    assert await reference(config) != given
    await started(config, clock, 1)
    await started(config, clock)
    ledger = await Ledger.open(config.ledger.url or "")
    first = (await ledger.read(lambda tx: audit.entries(tx, 0, 1)))[0]
    await ledger.close()
    assert b'"event":"ledger.accepted"' in first.leaf
    assert (await accept_ledger(config, clock, really=True)).trouble is None


async def test_first_starts_and_restarts_need_no_word(config: Config, clock: FrozenClock) -> None:
    """A first start, also with a key file from ``keys init``; a restart; one that crashed early."""
    await FileKek(config.state_dir / "keys" / "kek.json").wrap(b"first use", b"init")
    ledger = await Ledger.open(config.ledger.url or "")  # a start that ends before its keys
    await require_known(config, ledger, witness_of(config))
    await ledger.close()
    await started(config, clock, 2)
    await started(config, clock, 2)
    assert (await accept_ledger(config, clock, really=True)).trouble is None


async def test_a_ledger_from_before_the_witness_is_taken_as_it_is(
    config: Config, clock: FrozenClock
) -> None:
    """An installation that was made by an older release has no checkpoint outside; it gets one."""
    await started(config, clock, 2)
    (config.state_dir / "keys" / "audit.checkpoint").unlink()
    await started(config, clock)
    kept = witness_of(config).kept()
    assert kept is not None
    assert kept.size == 2


async def test_an_older_copy_is_refused_until_it_is_accepted(
    tmp_path: Path, config: Config, clock: FrozenClock, request: pytest.FixtureRequest
) -> None:
    """A backup put back: what was signed since is named; the old checkpoint is set aside."""
    url = config.ledger.url or ""
    if not url.startswith("sqlite"):
        pytest.skip("copies a file")
    path, copy = Path(url.partition("///")[2]), tmp_path / "copy.db"
    await started(config, clock, 2)
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    await started(config, clock, 3)
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    copy.rename(path)
    with pytest.raises(Problem, match="ledger-lost") as caught:
        await started(config, clock)
    assert "ends after 2 entries, but 5 were signed" in caught.value.detail
    given = await reference(config)
    assert given == "DEL-2026-0001"
    found = await accept_ledger(config, clock, really=True)
    assert await reference(config) == "DEL-2026-2002"  # what was lost may have had up to 0005
    assert found.aside is not None
    assert "\n5\n" in found.aside.read_text()
    await started(config, clock, 1)
    kept = witness_of(config).kept()
    assert kept is not None
    assert kept.size == 4  # two, the acceptance, one


@pytest.mark.parametrize("left", ["nothing", "another key"])
async def test_a_log_is_not_gone_on_with_under_another_key(
    config: Config, clock: FrozenClock, left: str
) -> None:
    """A state folder that was not kept: no certificate could be checked; accepted, it goes on."""
    await started(config, clock, 2)
    key = signing_key(config)
    key.unlink()
    if left == "another key":
        await open_signer(config)
    with pytest.raises(Problem, match="signing-key-lost") as caught:
        await started(config, clock, 1)
    assert str(key) in caught.value.detail
    assert "expunge db accept" in caught.value.hint
    shown = await accept_ledger(config, clock, really=False)
    assert (shown.trouble, shown.done) == (caught.value.detail, False)
    assert key.exists() is (left == "another key")
    assert (await accept_ledger(config, clock, really=True)).done
    await started(config, clock, 1)
    ledger = await Ledger.open(config.ledger.url or "")
    third = (await ledger.read(lambda tx: audit.entries(tx, 2, 1)))[0]
    await ledger.close()
    assert b'"event":"audit.key_adopted"' in third.leaf
    assert (await accept_ledger(config, clock, really=True)).trouble is None
