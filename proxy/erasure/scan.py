"""A report on what a tenant's stores hold; nothing is changed and nothing of it is quoted."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any

from detectors.detection import Analysis
from proxy.erasure.adopt import foresee
from proxy.erasure.search import layers, orphans
from proxy.erasure.search.find import restored
from proxy.erasure.search.found import Found
from proxy.erasure.search.means import Means
from proxy.erasure.search.side_rows import side_rows
from proxy.erasure.search.versions import CONCURRENCY, was_changed
from proxy.erasure.search.walk import (
    AWAY,
    ROWS,
    Batch,
    Progress,
    Ref,
    all_layers,
    back,
    blocked,
    each_store,
    silent,
    walk,
)
from proxy.ledger import memories, provenance, tenants
from proxy.ledger.memories import Memory
from proxy.upstreams.store import Store, Version

NOT_ASKED = "another store was asked for"
SPECIAL = frozenset({"health", "biometric", "political_religious"})


@dataclass(slots=True)
class Report:
    """What was looked at and what was found in it."""

    at: datetime
    stores: Counter[str] = field(default_factory=Counter)  # memories by store
    owners: set[tuple[str, str, str]] = field(default_factory=set)
    unknown: int = 0
    known: set[bytes] = field(
        default_factory=set, repr=False
    )  # by the ledger, in the store at hand
    gone: Counter[str] = field(default_factory=Counter)  # by the ledger there, not by the store
    dangling: int = 0  # edges of provenance that name no memory
    personal: int = 0
    overdue: int = 0
    overdue_unknown: int = 0
    blocked: set[Ref] = field(default_factory=set)
    returned: set[Ref] = field(default_factory=set)
    under_erased: set[Ref] = field(default_factory=set)
    rows: int = 0  # beside the memories, that came back
    entities: Counter[str] = field(default_factory=Counter)
    categories: Counter[str] = field(default_factory=Counter)
    special: int = 0
    histories: int = 0
    history_rows: int = 0
    history_blocked: set[Ref] = field(default_factory=set)
    rows_of_erased: Counter[str] = field(default_factory=Counter)
    rows_naming_blocked: Counter[str] = field(default_factory=Counter)
    orphans: dict[str, int | None] = field(default_factory=dict)  # rows of nobody, by store
    read: set[str] = field(default_factory=set)
    unread: dict[str, str] = field(default_factory=dict)  # and why
    back: set[Ref] = field(default_factory=set)  # memories that came back
    unreachable: list[str] = field(default_factory=list)  # stores not read to their end

    @property
    def came_back(self) -> int:
        """Memories and rows that should not be there."""
        return len(self.back) + self.rows

    def body(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "at": self.at.isoformat(timespec="seconds"),
            "memories": self.stores.total(),
            "stores": dict(self.stores),
            "owners": len(self.owners),
            "unknown_to_the_ledger": self.unknown,
            "known_and_gone_from_the_store": {name: n for name, n in self.gone.items() if n},
            "derived_from_unknown_sources": self.dangling,
            "with_personal_data": self.personal,
            "entities": dict(self.entities.most_common()),
            "special_categories": self.special,
            "categories": dict(self.categories.most_common()),
            "over_their_retention_period": self.overdue,
            "unknown_and_over_it": self.overdue_unknown,
            "naming_someone_blocked": len(self.blocked),
            "erased_and_there_again": len(self.returned),
            "under_an_erased_owner": len(self.under_erased),
            "history": {
                "asked": self.histories, "versions": self.history_rows,
                "naming_someone_blocked": len(self.history_blocked),
            },
            "side_rows_of_erased": dict(self.rows_of_erased),
            "side_rows_naming_someone_blocked": dict(self.rows_naming_blocked),
            "history_rows_of_nobody": self.orphans,
            "came_back": self.came_back,
            "looked_at": sorted(self.read),
            "not_looked_at": dict(sorted(self.unread.items())),
            "unreachable": self.unreachable,
        }  # fmt: skip


async def scan(
    means: Means, tenant_id: str, *, upstream: str | None = None, progress: Progress = silent
) -> Report:
    """Read everything once: memories, their older versions, and the layers that have a connector.

    Of a store that cannot be read to its end what was read is counted, and it is named.

    Raises:
        Problem: ``upstream-unreachable`` if none can be read to its end.
    """
    report = Report(means.clock.now())

    async def read(store: Store) -> None:
        async for batch in walk(means, tenant_id, upstream=store.name, progress=progress):
            await _count(means, tenant_id, batch, report)
        await _gone(means, tenant_id, store, report)
        progress(store.name, ROWS, 0)
        await _side_rows(means, tenant_id, store, report)

    report.unreachable = await each_store(means, upstream, read)
    report.dangling = await means.ledger.read(lambda tx: provenance.count_dangling(tx, tenant_id))
    report.unread |= dict.fromkeys(all_layers(means, report.unreachable), AWAY)
    for store in means.stores.values():
        if upstream not in (None, store.name):
            others = (f"{store.name}/{layer}" for layer in layers.apart(store))
            report.unread |= dict.fromkeys(others, NOT_ASKED)
    return report


async def _gone(means: Means, tenant_id: str, store: Store, report: Report) -> None:
    """Count what the ledger has of a store that was read to its end, and the store has not."""
    known, report.known = report.known, set()
    recorded = await means.ledger.read(
        lambda tx: memories.count_standing(tx, tenant_id, store.name, report.at)
    )
    report.gone[store.name] = max(0, recorded - len(known))


async def _side_rows(means: Means, tenant_id: str, store: Store, report: Report) -> None:
    found = await side_rows(means, tenant_id, store, spared=frozenset(report.back))
    report.rows_of_erased.update(each.layer for each in found.of_erased)
    report.rows_of_erased += found.held
    report.rows_naming_blocked.update(each.layer for each in found.naming)
    report.rows += len(found.all) + found.held.total()
    report.stores[store.name] += 0
    alone = await means.ledger.read(tenants.is_alone)
    report.orphans[store.name] = await orphans.count(means, store, alone=alone)
    report.read |= {f"{store.name}/{layer}" for layer in ("memory", *found.read)}
    report.unread |= layers.unlooked(store, found.unread)


async def _count(means: Means, tenant_id: str, batch: Batch, report: Report) -> None:
    found = batch.counted
    report.stores[batch.store.name] += len(found)
    report.owners.add((batch.store.name, batch.place.kind, batch.place.upstream_id))
    report.unknown += sum(one.strange for one in found)
    report.known |= {one.ref for one in found if _stood(report, one.row)}
    report.overdue += sum(_is_over(report, one.row.expires_at) for one in found if one.row)
    seen = await back(means, tenant_id, batch)
    former = await _histories(means, tenant_id, batch, report)
    report.returned |= seen.erased
    report.under_erased |= seen.owned
    report.blocked |= seen.naming
    report.history_blocked |= former
    report.back |= seen.all | former
    await _analyse(means, tenant_id, batch, report)


def _stood(report: Report, row: Memory | None) -> bool:
    """Whether the ledger had it in the store when the scan began."""
    return row is not None and row.state in memories.STANDING and row.created_at <= report.at


def _is_over(report: Report, expires_at: datetime | None) -> bool:
    return expires_at is not None and expires_at <= report.at


async def _analyse(means: Means, tenant_id: str, batch: Batch, report: Report) -> None:
    """Count what texts hold, and what the policy would have let go already."""
    counted = batch.counted
    analyses = await means.detectors.analyse([one.text for one in counted], scope=tenant_id)
    for one, analysis in zip(counted, analyses, strict=True):
        types = {each.entity_type for each in analysis.detections}
        names = {each.name for each in analysis.categories}
        names |= set(one.row.categories) if one.row else set()
        report.personal += bool(types)
        report.entities.update(types)
        report.categories.update(names)
        report.special += not SPECIAL.isdisjoint(names)
        report.overdue_unknown += one.strange and _would_be_over(means, tenant_id, batch, one,
                                                                 analysis, report)  # fmt: skip


def _would_be_over(
    means: Means, tenant_id: str, batch: Batch, one: Found, analysis: Analysis, report: Report
) -> bool:
    made, _ = foresee(means, tenant_id, batch.place.kind, one, analysis)
    return _is_over(report, made.expires_at)


def _asks_history(store: Store) -> bool:
    """Whether only the store's own history shows older versions."""
    return "history" in store.profile.use and layers.connector(store, "history") is None


async def _histories(means: Means, tenant_id: str, batch: Batch, report: Report) -> set[Ref]:
    """Of which memories an older version, that only the API can show, names somebody blocked.

    It shows those of living memories: what it keeps of erased ones needs a connector.
    """
    gate = asyncio.Semaphore(CONCURRENCY)
    asks = _asks_history(batch.store)

    async def versions(one: Found) -> list[Version]:
        if not asks or not was_changed(one.item):
            return []
        async with gate:
            report.histories += one.ref in batch.fresh
            return await batch.store.versions(one.memory_id)

    shown = await asyncio.gather(*map(versions, batch.found))
    texts = [[text for version in each for text in version.texts] for each in shown]
    pairs = list(zip(batch.found, shown, strict=True))
    report.history_rows += sum(len(each) for one, each in pairs if one.ref in batch.fresh)
    clear = await restored(means, tenant_id, [text for each in texts for text in each])
    hits = iter(await blocked(means, tenant_id, batch, clear))
    hit = [True in list(islice(hits, len(each))) for each in texts]
    return {(one.upstream, one.ref) for one, bad in zip(batch.found, hit, strict=True) if bad}
