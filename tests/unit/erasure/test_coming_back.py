"""What was erased and is there again; and stores that were filled before Expunge."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from proxy.clock import FrozenClock
from proxy.erasure.adopt import adopt
from proxy.erasure.reconcile import reconcile
from proxy.erasure.scan import scan
from proxy.erasure.search.target import Target
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.problems import Problem
from proxy.tokens.vault import Mention
from proxy.upstreams.layers.base import Entry
from proxy.upstreams.store import Store
from tests.support.erasing import OPERATOR, Erasing, erasing, small_binding
from tests.support.small_store import SmallLayer, SmallStore

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
    assert (body["entities"]["EMAIL_ADDRESS"], body["with_personal_data"]) == (1, 1)
    assert "brenn" not in json.dumps(body).lower()
    assert len(bench.small.rows) == 2


async def test_a_scan_counts_what_the_store_has_lost(bench: Erasing) -> None:
    """Of the ledger's memories, by store; what is erased or was written since is none of them."""
    kept, lost, erased = [
        await bench.remember("u-1", text, mentions=[])
        for text in ("Likes jasmine tea", "Plays the cello", "Rows on Mondays")
    ]
    assert (await scan(bench.means, bench.tenant_id)).gone == {"mem0": 0}
    await bench.forget(Target(kind="memory", values=(erased,)))
    del bench.small.rows[lost]
    body = (await scan(bench.means, bench.tenant_id)).body()
    assert (body["memories"], body["known_and_gone_from_the_store"]) == (1, {"mem0": 1})
    assert list(bench.small.rows) == [kept]


async def test_a_scan_counts_sources_that_are_none(bench: Erasing) -> None:
    """Neither recorded nor erased; one that is erased, or recorded later, is a source."""
    wanted = Target(kind="memory", values=(await bench.remember("u-1", "Tea", name="D1:1"),))
    made = {"mentions": [], "derived_from": ["D1:1", "D1:2", "D1:3"]}
    await bench.remember("u-1", "Likes jasmine tea", **made)
    await bench.forget(wanted, choices={"include": "direct"})
    report = await scan(bench.means, bench.tenant_id)
    assert (report.dangling, report.body()["derived_from_unknown_sources"]) == (2, 2)
    await bench.remember("u-1", "Plays the cello", name="D1:3", mentions=[])
    assert (await scan(bench.means, bench.tenant_id)).dangling == 1


NOTHING = {
    "with_personal_data": 0, "special_categories": 0, "over_their_retention_period": 0,
    "unknown_and_over_it": 0, "naming_someone_blocked": 0, "erased_and_there_again": 0,
    "under_an_erased_owner": 0, "came_back": 0,
}  # fmt: skip
HEALTH = "Has type 2 diabetes and takes insulin"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Likes jasmine tea", {}, id="nothing"),
        pytest.param("Write to odd.ruud@example.org", {"with_personal_data": 1}, id="personal"),
        pytest.param(
            HEALTH, {"with_personal_data": 1, "special_categories": 1, "unknown_and_over_it": 1},
            id="special, and kept for longer than the policy lets it",
        ),
        pytest.param(
            "Saw BRENN, Alva again",
            {"with_personal_data": 1, "naming_someone_blocked": 1, "came_back": 1}, id="blocked",
        ),
    ],
)  # fmt: skip
async def test_a_scan_counts_each_kind(
    bench: Erasing, clock: FrozenClock, text: str, expected: dict[str, int]
) -> None:
    """What somebody wrote behind the proxy a month and a half ago, seen before it is adopted."""
    await bench.remember("u-2", "Alva Brenn moved to Turku", mentions=ALVA)
    await bench.forget(Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON"))
    await bench.remember("u-2", text, known=False)
    clock.advance(timedelta(days=45))
    body = (await scan(bench.means, bench.tenant_id)).body()
    assert {name: body[name] for name in NOTHING} == NOTHING | expected
    assert (body["memories"], body["stores"]) == (1, {"mem0": 1})


async def test_a_scan_counts_what_is_overdue(bench: Erasing, clock: FrozenClock) -> None:
    """By the date that was recorded when it was adopted; not a day before."""
    await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    await bench.remember("u-1", HEALTH, known=False)
    await adopt(bench.means, bench.tenant_id)
    for days, overdue in ((27, 0), (3, 1)):
        clock.advance(timedelta(days=days))
        body = (await scan(bench.means, bench.tenant_id)).body()
        assert (body["over_their_retention_period"], body["unknown_and_over_it"]) == (overdue, 0)


@pytest.mark.parametrize(
    ("before", "count"), [("Alva Brenn moved to Turku", 1), ("Alva Brenner moved to Turku", 0)]
)
async def test_a_scan_asks_the_stores_history(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path,
    before: str, count: int,
) -> None:  # fmt: skip
    """Where no connector reads it: what a memory said before it was changed."""
    store, small = small_binding("mem0", entities=SmallLayer("entities"))
    bench = await erasing(ledger, keyring, tenant_id, clock, tmp_path, [store], small=small)
    await bench.remember("u-1", "Alva Brenn moved to Turku", mentions=ALVA)
    await bench.forget(Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON"))
    changed = await bench.remember("u-1", "Moved to Turku", mentions=[])
    small.history[changed] = [before, "Moved to Turku"]
    body = (await scan(bench.means, bench.tenant_id)).body()
    assert body["history"] == {"asked": 1, "versions": 2, "naming_someone_blocked": count}
    assert (body["naming_someone_blocked"], body["came_back"]) == (0, count)
    assert "mem0/history" in body["not_looked_at"], "of erased memories nobody could look"


class LegibleLayer(SmallLayer):
    """One whose rows can be read, and has none."""

    async def entries(self, _after: int, _limit: int) -> list[Entry]:
        """No rows."""
        return []


GRAPH = {"graph_edges": {"holds": "derived", "reach": "none"}}


@pytest.mark.parametrize(
    ("upstream", "of_first", "of_second"),
    [
        (None, {"history", "messages"}, {"entities", "graph_edges", "history", "messages"}),
        ("first", {"history", "messages"},
         {"memory", "entities", "graph_edges", "history", "messages"}),
        ("second", {"memory", "entities", "history", "messages"},
         {"entities", "graph_edges", "history", "messages"}),
    ],
    ids=["both", "the first", "the second"],
)  # fmt: skip
async def test_a_scan_names_what_it_did_not_look_at_in_every_store(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path,
    upstream: str | None, of_first: set[str], of_second: set[str],
) -> None:  # fmt: skip
    """A store that was not asked for, and layers that only its own profile knows, are named too."""
    first, small = small_binding("first", entities=LegibleLayer("entities"))
    profile = replace(first.profile, layers={**first.profile.layers, **GRAPH})
    second = Store("second", profile, SmallStore())
    bench = await erasing(ledger, keyring, tenant_id, clock, tmp_path, [first, second], small=small)
    report = await scan(bench.means, bench.tenant_id, upstream=upstream)
    expected = {f"first/{each}" for each in of_first} | {f"second/{each}" for each in of_second}
    assert report.unread.keys() == expected
    skipped = {"first": "second", "second": "first"}.get(upstream or "")
    for layer, why in report.unread.items():
        other = skipped is not None and layer.startswith(skipped)
        assert why == ("another store was asked for" if other else "no connector"), layer
    assert report.read.isdisjoint(expected)


@pytest.mark.parametrize("kept", [True, False], ids=["rewritten copy there", "copy lost"])
async def test_an_old_text_that_was_rewritten_is_named_and_goes(
    build: Callable[..., Awaitable[Erasing]], kept: bool
) -> None:
    """It never stays whole; what may be lost is told by the reference of the erasure."""
    bench = await build(mixed="redact")
    both = [*ALVA, Mention("PERSON", "Orla Quist")]
    await bench.remember("u-1", "Alva Brenn met Orla Quist.", mentions=both)
    await bench.remember("u-1", "Alva Brenn moved to Turku", mentions=ALVA)
    backup = dict(bench.small.rows)
    view = await bench.forget(Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON"))
    assert bench.small.texts() == ["A person met Orla Quist."]
    if not kept:
        bench.small.rows.clear()
    bench.small.rows.update(backup)
    found = await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR)
    assert (found.by_tombstone, found.erased, found.complete) == (2, 2, True)
    assert found.body()["rewritten"] == [{"reference": view.reference, "memories": 1}]
    assert bench.small.texts() == (["A person met Orla Quist."] if kept else [])


async def test_a_memory_of_two_owners_counts_once(bench: Erasing) -> None:
    """For whoever adopts, scans, reconciles and looks again, and for whoever watches."""
    assert bench.small is not None
    await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    agent = await bench.upstream_id("a-1", "agent")
    await bench.ledger.write(lambda tx: bench.owner(tx, "a-1", "agent"))
    text = "Alva Brenn moved to Turku"
    user = await bench.upstream_id("u-1")
    bench.small.plant(text, user_id=user, agent_id=agent)
    watched: list[int] = []
    first = await adopt(
        bench.means, bench.tenant_id, progress=lambda _store, _stage, items: watched.append(items)
    )
    assert (first.seen, first.adopted, first.known, sum(watched)) == (2, 1, 1, 2)
    again = await adopt(bench.means, bench.tenant_id)
    assert (again.seen, again.adopted, again.known) == (2, 0, 2)
    erased = await bench.forget(Target(kind="entity", values=("Alva Brenn",)))
    assert (erased.state, erased.deleted) == ("complete", 1)
    bench.small.plant(text, user_id=user, agent_id=agent)
    body = (await scan(bench.means, bench.tenant_id)).body()
    assert (body["memories"], body["owners"], body["unknown_to_the_ledger"]) == (2, 2, 1)
    assert (body["with_personal_data"], body["naming_someone_blocked"]) == (1, 1)
    looked = await bench.service.recheck(bench.tenant_id, erased.reference, actor=OPERATOR)
    assert (looked.looked_at, looked.by_mention) == (2, 1)
    found = await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR)
    assert (found.looked_at, found.by_mention, found.erased) == (2, 1, 1)
