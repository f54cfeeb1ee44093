"""Versions of memories that the store deleted before Expunge knew whose they were."""

import json
import sqlite3
from base64 import b64decode
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from proxy.clock import FrozenClock
from proxy.erasure.adopt import adopt
from proxy.erasure.reconcile import reconcile
from proxy.erasure.scan import scan
from proxy.erasure.search.layers import ORPHANED
from proxy.erasure.search.target import Target
from proxy.erasure.view import ErasureView
from proxy.keys.ring import KeyRing
from proxy.ledger import erasures, holds
from proxy.ledger.engine import Ledger
from proxy.upstreams.binding import connect
from proxy.upstreams.layers import from_config
from tests.support.erasing import OPERATOR, Erasing, erasing
from tests.support.mem0_store import RunningStore, running_store

ILL, OWED, BUYS = (
    "I had shingles in the spring of 2019", "I owe the baker 300 francs", "I collect old maps",
)  # fmt: skip
NAMING = "Sigga Oftedal was treated for shingles"
_TELLING = (
    "SELECT count(*) FROM history WHERE memory_id = ? "
    "AND (old_memory IS NOT NULL OR new_memory IS NOT NULL)"
)


@pytest.fixture(scope="module")
def mem0(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStore]:
    """One real store for the module."""
    with running_store(tmp_path_factory.mktemp("mem0-nobody")) as store:
        yield store


@pytest.fixture
async def bench(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path,
    mem0: RunningStore,
) -> AsyncIterator[Erasing]:  # fmt: skip
    """A service put before a Mem0 that was used without it; nobody is in it yet."""
    with sqlite3.connect(mem0.history) as connection:
        connection.execute("DELETE FROM history")
    connection.close()
    async with httpx.AsyncClient(base_url=mem0.url, headers=mem0.oss_headers) as client:
        for owner in ("runa", "tolle", "pia"):
            await client.delete("/memories", params={"user_id": owner})
    with sqlite3.connect(mem0.history) as connection:
        connection.execute("DELETE FROM history")
    connection.close()
    history = {"reach": "side:sqlite", "path": str(mem0.history)}
    vectors = {"reach": "side:qdrant-local", "path": str(mem0.qdrant)}
    layers = from_config(
        {"history": history, "messages": history, "entities": vectors, "vectors": vectors}
    )
    binding = connect(
        "mem0", mem0.url, profiles=["mem0-oss"], key=mem0.api_key, layers=layers, owner_form="keep"
    )
    yield await erasing(ledger, keyring, tenant_id, clock, tmp_path, [binding.store])
    await binding.close()


async def _bare(mem0: RunningStore, owner: str, text: str, *, deleted: bool = False) -> str:
    """A memory as the application wrote it before Expunge, or wrote and deleted it."""
    async with httpx.AsyncClient(base_url=mem0.url, headers=mem0.oss_headers, timeout=60) as client:
        body = {"messages": [{"role": "user", "content": text}], "user_id": owner, "infer": False}
        made: str = (await client.post("/memories", json=body)).json()["results"][0]["id"]
        if deleted:
            assert (await client.delete(f"/memories/{made}")).status_code == 200
    return made


def _rows(mem0: RunningStore, *memory_ids: str) -> int:
    """Rows of these memories that say anything."""
    with sqlite3.connect(mem0.history) as connection:
        found = [connection.execute(_TELLING, (each,)) for each in memory_ids]
        total = sum(each.fetchone()[0] for each in found)
    connection.close()
    return total


def _layer(view: ErasureView, name: str = "history") -> dict[str, Any]:
    return next(each for each in view.body()["layers"] if each["layer"] == name)


async def _claim(bench: Erasing, view: ErasureView) -> dict[str, Any]:
    row = await bench.ledger.read(lambda tx: erasures.by_id(tx, view.id))
    assert row is not None
    assert row.certificate is not None
    statement = json.loads(b64decode(json.loads(row.certificate)["payload"]))
    claim: dict[str, Any] = statement["predicate"]["claim"]
    return claim


async def _two_owners(bench: Erasing, mem0: RunningStore) -> str:
    """Runa's memory that is gone at the store; what she and Tolle still have is adopted."""
    gone = await _bare(mem0, "runa", ILL, deleted=True)
    await _bare(mem0, "runa", BUYS)
    await _bare(mem0, "tolle", OWED)
    await adopt(bench.means, bench.tenant_id)
    return gone


RUNA = Target(kind="owner", values=("runa",))


async def test_an_owner_is_not_complete_until_they_are_cleared(
    bench: Erasing, mem0: RunningStore
) -> None:
    """Whose the rows are nobody can tell: they are counted, named, cleared; then it is complete."""
    gone = await _two_owners(bench, mem0)
    assert (await scan(bench.means, bench.tenant_id)).body()["history_rows_of_nobody"] == {
        "mem0": 2
    }
    shown = await bench.service.request(bench.tenant_id, RUNA, actor=OPERATOR, dry_run=True)
    assert (_layer(shown)["residual"], _layer(shown)["reason"]) == (2, ORPHANED)
    view = await bench.forget(RUNA)
    assert (view.state, view.deleted) == ("incomplete", 1)
    found = _layer(view)
    assert (found["status"], found["residual"], found["reason"]) == ("residual", 2, ORPHANED)
    assert "expunge reconcile --orphans" in found["action"]
    claim = await _claim(bench, view)
    assert "mem0/history" not in claim["absent_from"]
    assert "mem0/history" in claim["out_of_reach"]
    assert ORPHANED in claim["not_covered"]
    assert _rows(mem0, gone) == 2

    preview = await reconcile(
        bench.means, bench.service, bench.tenant_id, actor=OPERATOR, orphans=True, dry_run=True
    )
    assert (preview.by_orphan, preview.found, preview.complete) == (2, 2, False)
    assert _rows(mem0, gone) == 2
    done = await reconcile(
        bench.means, bench.service, bench.tenant_id, actor=OPERATOR, orphans=True
    )
    assert (done.by_orphan, done.erased, done.left, done.complete) == (2, 2, [], True)
    assert _rows(mem0, gone) == 0
    again = await bench.service.retry(bench.tenant_id, view.id, actor=OPERATOR)
    assert again.state == "complete", again.body()
    claim = await _claim(bench, again)
    assert "mem0/history" in claim["absent_from"]
    assert ORPHANED not in claim["not_covered"]
    assert await bench.texts("tolle") == [OWED]


async def test_a_plain_reconcile_leaves_them(bench: Erasing, mem0: RunningStore) -> None:
    """They are cleared only where somebody asks for it."""
    gone = await _two_owners(bench, mem0)
    done = await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR)
    assert (done.by_orphan, done.found, done.complete) == (None, 0, True)
    assert _rows(mem0, gone) == 2


async def test_an_owner_of_whom_nothing_else_is_left(bench: Erasing, mem0: RunningStore) -> None:
    """All of hers was deleted before: nothing is found, and that is not called complete."""
    await _bare(mem0, "runa", ILL, deleted=True)
    await _bare(mem0, "tolle", OWED)
    await adopt(bench.means, bench.tenant_id)
    view = await bench.forget(RUNA)
    assert (view.state, view.outcome) == ("incomplete", "nothing_found")
    assert (_layer(view)["status"], _layer(view)["residual"]) == ("residual", 2)
    await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR, orphans=True)
    again = await bench.service.retry(bench.tenant_id, view.id, actor=OPERATOR)
    assert (again.state, again.outcome) == ("complete", "nothing_found")


@pytest.mark.parametrize("target", [RUNA, Target(kind="tenant")], ids=["owner", "tenant"])
async def test_where_there_is_nobody_else_they_are_theirs(
    bench: Erasing, mem0: RunningStore, target: Target
) -> None:
    """The only owner of the only tenant, or the tenant as a whole."""
    gone = await _bare(mem0, "runa", ILL, deleted=True)
    await _bare(mem0, "runa", BUYS)
    if target.kind == "tenant":
        await _bare(mem0, "tolle", OWED)
    await adopt(bench.means, bench.tenant_id)
    view = await bench.forget(target)
    assert view.state == "complete", view.body()
    assert _layer(view)["residual"] == 0
    assert _rows(mem0, gone) == 0


async def test_a_hold_of_an_owner_keeps_what_may_be_theirs(
    bench: Erasing, mem0: RunningStore
) -> None:
    """Nobody can tell that they are not of whom the hold protects."""
    gone = await _two_owners(bench, mem0)
    await bench.ledger.write(lambda tx: _hold(bench, tx, "tolle"))
    done = await reconcile(
        bench.means, bench.service, bench.tenant_id, actor=OPERATOR, orphans=True
    )
    assert (done.by_orphan, done.erased, done.held, done.complete) == (2, 0, 2, False)
    assert _rows(mem0, gone) == 2


async def test_a_hold_keeps_them_from_whoever_names_them_by_id(
    bench: Erasing, mem0: RunningStore
) -> None:
    """Nothing is said to be erased, or not to be there."""
    gone = await _two_owners(bench, mem0)
    await bench.ledger.write(lambda tx: _hold(bench, tx, "tolle"))
    view = await bench.forget(Target(kind="memory", values=(gone,)))
    assert view.state == "incomplete", view.body()
    found = _layer(view)
    assert (found["erased"], found["residual"], found["reason"]) == (0, 2, ORPHANED)
    assert _rows(mem0, gone) == 2


async def _hold(bench: Erasing, tx: Any, owner: str) -> None:
    row = await bench.owner(tx, owner)
    now = bench.means.clock.now()
    await holds.insert(
        tx, holds.Hold("hld_1", bench.tenant_id, None, row.id, "hold", "litigation", b"desk", now)
    )


@pytest.mark.parametrize(
    ("target", "state", "left"),
    [
        (Target(kind="entity", values=("Sigga Oftedal",), entity_type="PERSON"), "complete", 0),
        (
            Target(kind="entity", values=("Sigga Oftedal",), entity_type="PERSON", owner="tolle"),
            "incomplete", 2,
        ),
        (Target(kind="category", values=("health",)), "complete", 0),
        (Target(kind="category", values=("health",), owner="tolle"), "incomplete", 2),
        (Target(kind="category", values=("financial",), owner="tolle"), "complete", 2),
        (
            Target(kind="time_range", since=datetime(2020, 1, 1, tzinfo=UTC), owner="tolle"),
            "incomplete", 2,
        ),
    ],
    ids=["name", "name within an owner", "category", "category of an owner",
         "twin: another category", "time of an owner"],
)  # fmt: skip
async def test_what_they_say_tells(
    bench: Erasing, mem0: RunningStore, target: Target, state: str, left: int
) -> None:
    """Rows that say what is forgotten go; within one owner nobody knows, so they are named."""
    gone = await _bare(mem0, "runa", NAMING, deleted=True)
    await _bare(mem0, "runa", BUYS)
    await _bare(mem0, "tolle", OWED)
    await adopt(bench.means, bench.tenant_id)
    view = await bench.forget(target)
    assert view.state == state, view.body()
    assert _rows(mem0, gone) == left
    assert (_layer(view)["reason"] == ORPHANED) is (state == "incomplete")


async def test_a_memory_that_is_named_by_its_id(bench: Erasing, mem0: RunningStore) -> None:
    """Its versions go, though nobody knows the memory; those of another one stay."""
    gone = await _two_owners(bench, mem0)
    other = await _bare(mem0, "tolle", "I sold a canoe", deleted=True)
    target = Target(kind="memory", values=(gone,))
    shown = await bench.service.request(bench.tenant_id, target, actor=OPERATOR, dry_run=True)
    assert (shown.outcome, _layer(shown)["found"]) == (None, 2)
    view = await bench.forget(target)
    assert (view.state, view.outcome) == ("complete", "erased"), view.body()
    found = _layer(view)
    assert (found["found"], found["erased"], found["residual"]) == (2, 2, 0)
    assert (_rows(mem0, gone), _rows(mem0, other)) == (0, 2)
    again = await bench.forget(target)
    assert (again.state, again.outcome) == ("complete", "nothing_found")
    assert _layer(again)["status"] == "absent"


async def test_where_tenants_share_the_store(bench: Erasing, mem0: RunningStore) -> None:
    """Another tenant's living memories are not nobody's; what is left is named and not counted."""
    gone = await _two_owners(bench, mem0)
    await _add_tenant(bench)
    view = await bench.forget(RUNA)
    assert view.state == "incomplete", view.body()
    assert (_layer(view)["residual"], _layer(view)["reason"]) == (None, ORPHANED)
    assert (await scan(bench.means, bench.tenant_id)).body()["history_rows_of_nobody"] == {
        "mem0": None
    }
    await bench.forget(Target(kind="memory", values=(gone,)))
    assert _rows(mem0, gone) == 2


async def _add_tenant(bench: Erasing) -> None:
    keyring = bench.means.keyring
    await bench.ledger.write(lambda tx: keyring.create_tenant(tx, "other"))


async def test_a_client_that_deletes_is_not_kept_waiting(
    bench: Erasing, mem0: RunningStore
) -> None:
    """It means its own memories: done, and the certificate says what it does not cover."""
    gone = await _two_owners(bench, mem0)
    view = await bench.forget(RUNA, origin="client")
    assert view.state == "complete", view.body()
    assert ORPHANED in (await _claim(bench, view))["not_covered"]
    assert _rows(mem0, gone) == 2


async def test_twin_what_the_ledger_knows_is_not_nobodys(
    bench: Erasing, mem0: RunningStore
) -> None:
    """A memory adopted before it was deleted at the store: its versions go with its owner."""
    known = await _bare(mem0, "runa", ILL)
    await _bare(mem0, "tolle", OWED)
    await adopt(bench.means, bench.tenant_id)
    async with httpx.AsyncClient(base_url=mem0.url, headers=mem0.oss_headers) as client:
        await client.delete(f"/memories/{known}")
    assert (await scan(bench.means, bench.tenant_id)).body()["history_rows_of_nobody"] == {
        "mem0": 0
    }
    view = await bench.forget(RUNA)
    assert view.state == "complete", view.body()
    assert _rows(mem0, known) == 0
