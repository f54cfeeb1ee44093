"""Entries are looked up by event, actor and period, by an index, and a wrong place is noticed."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from sqlalchemy import create_engine, text

from proxy import ids
from proxy.audit.log import AuditLog
from proxy.audit.sequencer import Sequencer
from proxy.audit.signer import Signer
from proxy.audit.verify import verify
from proxy.clock import FrozenClock
from proxy.ledger import audit
from proxy.ledger.audit import Wanted
from proxy.ledger.engine import Ledger, Tx
from proxy.ledger.upgrade import config

MANY = 4_000
SECOND = timedelta(seconds=1)


@pytest.fixture
def signer(tmp_path: Path) -> Signer:
    """A signing key of its own."""
    return Signer.open(tmp_path / "keys" / "audit.pem", "log.example.org/expunge")


async def filled(ledger: Ledger, signer: Signer, clock: FrozenClock) -> datetime:
    """A log of six entries, a second apart; gives the date of the first one."""
    log, start = AuditLog(clock), clock.now()
    for tenant, event, fields in (
        ("ten_1", "memories.deleted", {"actor": "a1"}),
        ("ten_1", "erasure.started", {"actor": "a1"}),
        ("ten_2", "memories.deleted", {"actor": "a2"}),
        ("ten_1", "memories.deleted", {"actor": "a2"}),
        (None, "keys.rotated", {"key": "key_9"}),
        ("ten_1", "memories.deleted", {"count": 1}),
    ):
        await ledger.write(lambda tx, one=(tenant, event, fields): log.append(tx, *one))
        clock.advance(SECOND)
    await Sequencer(ledger, signer, clock).run_once()
    return start


async def places(ledger: Ledger, wanted: Wanted, first: int = 0, limit: int = 10) -> list[int]:
    """Leaf indexes of what is found."""
    found = await ledger.read(lambda tx: audit.search(tx, wanted, first, limit))
    return [entry.leaf_index or 0 for entry in found]


async def test_each_condition_narrows(ledger: Ledger, signer: Signer, clock: FrozenClock) -> None:
    """By tenant, event, actor, several of them, and a period whose end is excluded."""
    start = await filled(ledger, signer, clock)
    for wanted, expected in (
        (Wanted(), [0, 1, 2, 3, 4, 5]),
        (Wanted("ten_1"), [0, 1, 3, 5]),
        (Wanted(events=("memories.deleted",)), [0, 2, 3, 5]),
        (Wanted("ten_1", ("memories.deleted", "erasure.started")), [0, 1, 3, 5]),
        (Wanted(actors=("a2",)), [2, 3]),
        (Wanted(actors=("a1", "key_9")), [0, 1, 4]),
        (Wanted("ten_1", ("memories.deleted",), ("a1", "a2")), [0, 3]),
        (Wanted(since=start + SECOND, until=start + 3 * SECOND), [1, 2]),
        (Wanted(events=("memories.deleted",), since=start + SECOND), [2, 3, 5]),
        (Wanted(since=start + 9 * SECOND), []),
        (Wanted(events=("nothing.here",)), []),
    ):
        assert await places(ledger, wanted) == expected, wanted
    deleted = Wanted(events=("memories.deleted",))
    assert await places(ledger, deleted, limit=2) == [0, 2]
    assert await places(ledger, deleted, first=3, limit=2) == [3, 5]


async def test_a_clock_that_was_set_back_hides_nothing(
    ledger: Ledger, signer: Signer, clock: FrozenClock
) -> None:
    """A period is one of dates, wherever in the log they stand."""
    start = await filled(ledger, signer, clock)
    clock.advance(timedelta(seconds=-20))
    await ledger.write(lambda tx: AuditLog(clock).append(tx, "ten_1", "memories.deleted", {}))
    await Sequencer(ledger, signer, clock).run_once()
    assert await places(ledger, Wanted(until=start)) == [6]
    assert await places(ledger, Wanted(since=start)) == [0, 1, 2, 3, 4, 5]


async def test_what_an_older_release_filed_nowhere_is_found(
    ledger: Ledger, signer: Signer, clock: FrozenClock
) -> None:
    """Whatever is asked for, beside what is filed; and it is no fault of the log."""
    await filled(ledger, signer, clock)
    await execute(ledger, "UPDATE audit_entries SET event='', actor=NULL WHERE leaf_index=3")
    assert await places(ledger, Wanted(actors=("a2",))) == [2, 3]
    assert await places(ledger, Wanted(events=("erasure.started",))) == [1, 3]
    assert await findings(ledger, signer) == []


@pytest.mark.parametrize(
    "change",
    ["event='memory.read'", "actor='a9'", "actor=NULL", "tenant_id='ten_2'", "event=''"],
)
async def test_an_entry_in_a_wrong_place_is_noticed(
    ledger: Ledger, signer: Signer, clock: FrozenClock, change: str
) -> None:
    """It could be hidden there from whoever looks it up; nothing of the leaf is changed."""
    await filled(ledger, signer, clock)
    assert await findings(ledger, signer) == []
    await execute(ledger, f"UPDATE audit_entries SET {change} WHERE leaf_index=3")
    assert await findings(ledger, signer) == [("misfiled", 3)]


async def execute(ledger: Ledger, statement: str) -> None:
    """Change the ledger behind the log's back."""
    await ledger.write(lambda tx: tx.execute(text(statement)))


async def findings(ledger: Ledger, signer: Signer) -> list[tuple[str, int]]:
    """What verifying finds."""
    keys: list[str | bytes] = [signer.verifier_key]
    report = await ledger.read(lambda tx: verify(tx, keys))
    return [(each.code, each.index) for each in report.findings]


# -- indexes ---------------------------------------------------------------------------------------


async def _rows(tx: Tx) -> None:
    """Many entries: one in a hundred is a deletion, one in a thousand by a1."""
    await tx.execute(
        text("INSERT INTO audit_entries "
             "(id, tenant_id, leaf_index, leaf, recorded_at, event, actor) "
             "VALUES (:id, 'ten_1', :n, :leaf, :at, :event, :actor)"),
        [{"id": f"aud_{n:06}", "n": n, "leaf": b"{}", "at": n * 1_000_000,
          "event": "memories.deleted" if n % 100 == 0 else f"some.event{n % 7}",
          "actor": "a1" if n % 1000 == 0 else f"b{n % 50}"} for n in range(MANY)],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        (Wanted(events=("memories.deleted",)), "ix_audit_entries_event_leaf_index"),
        (Wanted(actors=("a1",)), "ix_audit_entries_actor_leaf_index"),
        (Wanted(since=datetime.fromisoformat("1970-01-01T01:06:00+00:00")),
         "ix_audit_entries_recorded_at_leaf_index"),
    ],
    ids=["event", "actor", "period"],
)  # fmt: skip
async def test_an_index_has_what_is_asked_for(ledger: Ledger, wanted: Wanted, index: str) -> None:
    """The plan of each query names it, and no plan reads the whole table."""
    await ledger.write(_rows)
    await ledger.write(lambda tx: tx.execute(text("ANALYZE")))

    async def explained(tx: Tx) -> list[str]:
        return [await _plan(tx, query) for query in audit.searches(wanted, 0, 100)]

    plans = await ledger.read(explained)
    assert index in plans[0], plans[0]
    assert not any("Seq Scan" in plan or "SCAN audit_entries\n" in plan for plan in plans), plans


async def _plan(tx: Tx, query: Any) -> str:
    said = query.compile(dialect=tx.dialect, compile_kwargs={"literal_binds": True})
    how = "EXPLAIN" if tx.dialect.name == "postgresql" else "EXPLAIN QUERY PLAN"
    rows = await tx.execute(text(f"{how} {str(said).replace(':', chr(92) + ':')}"))
    return "".join(f"{row[-1]}\n" for row in rows)


# -- the migration ---------------------------------------------------------------------------------


def test_entries_of_the_release_before_are_filed(tmp_path: Path) -> None:
    """By what they say; one that cannot be read is left where every search finds it."""
    path = tmp_path / "ledger.db"
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        command.upgrade(config(connection), "0005")
        for leaf in (
            {"event": "memories.deleted", "fields": {"actor": "a1"}},
            {"event": "key.added", "fields": {"key": "key_9"}},
            {"event": "policy.loaded", "fields": {}},
            "no leaf",
        ):
            connection.execute(
                text("INSERT INTO audit_entries (id, leaf, recorded_at) VALUES (:id, :leaf, 0)"),
                {"id": ids.new("aud"), "leaf": json.dumps(leaf).encode()},
            )
        command.upgrade(config(connection), "head")
        filed = connection.execute(text("SELECT event, actor FROM audit_entries ORDER BY id")).all()
    assert [tuple(row) for row in filed] == [
        ("memories.deleted", "a1"), ("key.added", "key_9"), ("policy.loaded", None), ("", None),
    ]  # fmt: skip
