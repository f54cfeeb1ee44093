"""What was erased and is there again; and stores that were filled before Expunge."""

import pytest

from proxy.erasure.adopt import adopt
from proxy.erasure.reconcile import reconcile
from proxy.erasure.scan import scan
from proxy.erasure.target import Target
from proxy.problems import Problem
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing

ALVA = [Mention("PERSON", "Alva Brenn")]


async def test_a_restored_backup_is_erased_again(bench: Erasing) -> None:
    """The same rows put back are found by their tombstones and go; the rest stays."""
    await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    await bench.remember("u-2", "Plays the cello", mentions=[])
    backup = dict(bench.small.rows)
    await bench.forget(Target(kind="owner", values=("u-1",)))
    bench.small.rows.update(backup)
    found = await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR)
    assert (found.by_tombstone, found.erased, found.complete) == (1, 1, True)
    assert bench.small.texts() == ["Plays the cello"]


async def test_nothing_came_back(bench: Erasing) -> None:
    """A clean store stays as it is."""
    await bench.remember("u-1", "Plays the cello", mentions=[])
    found = await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR)
    assert (found.looked_at, found.found, found.references) == (1, 0, [])


async def test_an_erased_person_written_around_the_proxy(bench: Erasing) -> None:
    """A new memory that names them is found by the blocklist's keys, in another spelling too."""
    await bench.remember("u-1", "Alva Brenn moved to Turku", mentions=ALVA)
    await bench.forget(Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON"))
    await bench.remember("u-1", "Phoned BRENN, Alva twice", known=False)
    found = await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR)
    assert (found.by_mention, found.erased) == (1, 1)


async def test_an_old_certificate_is_looked_at_again(bench: Erasing) -> None:
    """Still absent; and no longer, once a backup is put back."""
    await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    backup = dict(bench.small.rows)
    view = await bench.forget(Target(kind="owner", values=("u-1",)))
    seen = await bench.service.recheck(bench.tenant_id, view.reference, actor=OPERATOR)
    assert (seen.still_absent, seen.tombstones) == (True, 1)
    bench.small.rows.update(backup)
    seen = await bench.service.recheck(bench.tenant_id, view.reference, actor=OPERATOR)
    assert (seen.still_absent, seen.returned) == (False, 1)


async def test_adopting_gives_every_memory_a_row_once(bench: Erasing) -> None:
    """Unknown memories of known owners are indexed, and a second run finds nothing to do."""
    await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    for n in range(5):
        await bench.remember("u-1", f"Planted note {n} about Alva Brenn", known=False)
    first = await adopt(bench.means, bench.tenant_id)
    again = await adopt(bench.means, bench.tenant_id)
    assert (first.seen, first.adopted, first.known) == (6, 5, 1)
    assert (again.adopted, again.known) == (0, 6)


async def test_a_store_that_stops_leaves_what_was_adopted(bench: Erasing) -> None:
    """An unreachable store is a problem, not an end."""
    await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    bench.small.fault = lambda verb, subject: Problem("upstream-unreachable", "Away.")
    with pytest.raises(Problem) as caught:
        await adopt(bench.means, bench.tenant_id)
    assert caught.value.slug == "upstream-unreachable"


async def test_a_scan_counts_and_quotes_nothing(bench: Erasing) -> None:
    """Unknown memories, names and mail addresses are counted; the report holds none of them."""
    await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    await bench.remember("u-1", "Write to alva.brenn@example.org", known=False)
    report = await scan(bench.means, bench.tenant_id)
    body = report.body()
    assert (body["memories"], body["unknown_to_the_ledger"]) == (2, 1)
    assert body["entities"]["EMAIL_ADDRESS"] == 1
    assert "brenn" not in report.html().lower()
    assert len(bench.small.rows) == 2
