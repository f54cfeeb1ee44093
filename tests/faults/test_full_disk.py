"""The ledger's disk fills while an erasure runs: nothing is claimed, and it ends well later."""

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import make_url, text

from proxy import ids
from proxy.clock import FrozenClock
from proxy.erasure.search import crawl
from proxy.erasure.search.target import Target
from proxy.ledger.engine import Ledger
from proxy.problems import Problem
from tests.support.erasing import OPERATOR, Erasing
from tests.support.ledger import BOTH
from tests.support.small_disk import empty, fill, run, small_disk

EVERYTHING = Target(kind="owner", values=("u-1",))
COUNT = 200


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A server on a small disk."""
    with small_disk() as url:
        yield url


@pytest.fixture(params=BOTH)
def ledger_url(
    request: pytest.FixtureRequest, tmp_path: Path, sqlite_template: Path
) -> Iterator[str]:
    """The URL of an empty ledger whose disk can be filled."""
    if request.param == "sqlite":
        shutil.copy(sqlite_template, tmp_path / "ledger.db")
        yield f"sqlite+aiosqlite:///{tmp_path}/ledger.db"
        return
    on, name = request.getfixturevalue("server"), ids.new("test")
    place = Path(make_url(on).query["host"]) / "small" / "tables"
    asyncio.run(run(on, f"CREATE TABLESPACE {name} LOCATION '{place}'",
                    f"CREATE DATABASE {name} TABLESPACE {name}"))  # fmt: skip
    yield make_url(on).set(database=name).render_as_string()
    asyncio.run(run(on, f"DROP DATABASE {name} WITH (FORCE)", f"DROP TABLESPACE {name}"))


async def pages(ledger: Ledger, url: str, *, more: int) -> None:
    """Let the database grow by so many pages and no further."""
    if ledger.path is None:
        await fill(url, more=more)
        return

    async def limit(tx) -> None:  # type: ignore[no-untyped-def]
        held = (await tx.execute(text("PRAGMA page_count"))).scalar_one()
        await tx.execute(text(f"PRAGMA max_page_count={held + more}"))

    await ledger.write(limit)


async def room(ledger: Ledger, url: str) -> None:
    """Let it grow again."""
    if ledger.path is None:
        await empty(url)
    else:
        await pages(ledger, url, more=100_000)


@pytest.mark.parametrize("left", [False, True], ids=["nothing", "a little"])
async def test_the_disk_fills_midway(
    bench: Erasing, ledger_url: str, clock: FrozenClock, left: bool
) -> None:
    """What the store has lost by then is not called erased before the ledger can say so."""
    for n in range(COUNT):
        await bench.remember("u-1", f"Lighthouse note {n}", mentions=[])
    view = await bench.service.request(bench.tenant_id, EVERYTHING, actor=OPERATOR)
    await bench.service.confirm(
        bench.tenant_id, view.id, word="confirmed", token=view.token, actor=OPERATOR
    )
    little = 30 if bench.ledger.path is None else 6
    await pages(bench.ledger, ledger_url, more=little if left else 0)
    clock.advance(timedelta(minutes=15))
    with suppress(Problem):  # a worker goes on with the next job
        await bench.service.run_due()
    stands = await bench.service.get(bench.tenant_id, view.id)
    assert (stands.state in {"confirmed", "executing"}, stands.certificate_ready) == (True, False)
    assert stands.state == "executing" or len(bench.small.rows) == COUNT
    await room(bench.ledger, ledger_url)
    clock.advance(timedelta(minutes=30))
    await bench.service.run_due()
    done = await bench.service.get(bench.tenant_id, view.id)
    assert (done.state, done.deleted, bench.small.rows) == ("complete", COUNT, {})
    assert (await bench.service.certificate(bench.tenant_id, view.id)).dsse


async def test_the_disk_fills_while_a_large_plan_is_made(
    bench: Erasing, ledger_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no plan and nothing is deleted; with room again the same request is planned."""
    for n in range(COUNT):
        await bench.remember("u-1", f"Lighthouse note {n}", mentions=[])
    monkeypatch.setattr(crawl, "LOT", 20)
    await pages(bench.ledger, ledger_url, more=20)
    with pytest.raises(Problem, match="ledger-unavailable"):
        await bench.service.request(bench.tenant_id, EVERYTHING, actor=OPERATOR)
    assert len(bench.small.rows) == COUNT
    await room(bench.ledger, ledger_url)
    (waiting,), _ = await bench.service.list(bench.tenant_id)
    assert waiting.state == "received"
    view = await bench.service.retry(bench.tenant_id, waiting.id, actor=OPERATOR)
    assert (view.state, view.counts["to_delete"]) == ("planned", COUNT)
