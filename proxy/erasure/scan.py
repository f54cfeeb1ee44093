"""A report on what a tenant's stores hold; nothing is changed and nothing of it is quoted."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from proxy.erasure.found import Found
from proxy.erasure.means import Means
from proxy.erasure.side_rows import side_rows
from proxy.erasure.walk import Batch, under_erased_owner, walk
from proxy.ledger import tombstones
from proxy.problems import Problem
from proxy.upstreams.errors import StoreError
from proxy.upstreams.layers.base import LayerUnavailable
from proxy.upstreams.store import Store

SPECIAL = frozenset({"health", "biometric", "political_religious"})
MAX_HISTORIES = 200


@dataclass(slots=True)
class Report:
    """What was looked at and what was found in it."""

    memories: int = 0
    owners: set[tuple[str, str, str]] = field(default_factory=set)
    unknown: int = 0
    overdue: int = 0
    blocked: int = 0
    returned: int = 0
    under_erased: int = 0
    came_back: int = 0
    entities: Counter[str] = field(default_factory=Counter)
    categories: Counter[str] = field(default_factory=Counter)
    special: int = 0
    histories: int = 0
    history_rows: int = 0
    rows_of_erased: Counter[str] = field(default_factory=Counter)
    rows_naming_blocked: Counter[str] = field(default_factory=Counter)
    unread: set[str] = field(default_factory=set)

    def body(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "memories": self.memories,
            "owners": len(self.owners),
            "unknown_to_the_ledger": self.unknown,
            "over_their_retention_period": self.overdue,
            "naming_someone_blocked": self.blocked,
            "erased_and_there_again": self.returned,
            "under_an_erased_owner": self.under_erased,
            "came_back": self.came_back,
            "special_categories": self.special,
            "entities": dict(self.entities.most_common()),
            "categories": dict(self.categories.most_common()),
            "history": {"asked": self.histories, "rows": self.history_rows},
            "side_rows_of_erased": dict(self.rows_of_erased),
            "side_rows_naming_someone_blocked": dict(self.rows_naming_blocked),
            "not_looked_at": sorted(self.unread),
        }

    def html(self) -> str:
        """The same as a page that needs nothing else."""
        rows = "".join(_row(name, value) for name, value in self.body().items())
        return (
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>Expunge scan</title>'
            "<style>body{font:16px system-ui;max-width:44rem;margin:2rem auto}"
            "td{padding:.3rem .8rem;border-bottom:1px solid #ccc;vertical-align:top}</style>"
            f"<h1>What the stores hold</h1><table>{rows}</table></html>"
        )


async def scan(means: Means, tenant_id: str, *, upstream: str | None = None) -> Report:
    """Read everything once.

    Raises:
        Problem: ``upstream-unreachable`` if a store cannot be read to its end.
    """
    report = Report()
    try:
        async for batch in walk(means, tenant_id, upstream=upstream):
            await _count(means, tenant_id, batch, report)
        for store in means.stores.values():
            if upstream in (None, store.name):
                await _side_rows(means, tenant_id, store, report)
    except (StoreError, LayerUnavailable):
        raise Problem("upstream-unreachable", "A store could not be read to the end.") from None
    return report


async def _side_rows(means: Means, tenant_id: str, store: Store, report: Report) -> None:
    found = await side_rows(means, tenant_id, store)
    report.rows_of_erased.update(each.layer for each in found.of_erased)
    report.rows_naming_blocked.update(each.layer for each in found.naming)
    report.came_back += len(found.all)
    report.unread |= {f"{store.name}/{layer}" for layer in found.unread}


async def _count(means: Means, tenant_id: str, batch: Batch, report: Report) -> None:
    found, now = batch.found, means.clock.now()
    report.memories += len(found)
    report.owners.add((batch.store.name, batch.place.kind, batch.place.upstream_id))
    report.unknown += sum(one.strange for one in found)
    report.overdue += sum(
        one.row is not None and one.row.expires_at is not None and one.row.expires_at <= now
        for one in found
    )
    refs = [one.ref for one in found]
    gone = await means.ledger.read(
        lambda tx: tombstones.matching(tx, tenant_id, batch.store.name, refs)
    )
    owned = await under_erased_owner(means, tenant_id, batch)
    named = await _analyse(means, tenant_id, batch, report)
    report.returned += len(gone)
    report.under_erased += len(owned)
    report.came_back += sum(
        one.ref in gone or (one.upstream, one.ref) in owned or hit
        for one, hit in zip(found, named, strict=True)
    )
    await _histories(batch, report)


async def _analyse(means: Means, tenant_id: str, batch: Batch, report: Report) -> list[bool]:
    """Count what texts hold; gives which of them name somebody who is blocked."""
    texts = [one.text for one in batch.found]
    owner_ids = [batch.place.row.id] if batch.place.row else []
    blocked = await means.blocklist.blocked_mentions(tenant_id, texts, owner_ids)
    report.blocked += sum(bool(each) for each in blocked)
    for one, analysis in zip(
        batch.found, await means.detectors.analyse(texts, scope=tenant_id), strict=True
    ):
        report.entities.update({d.entity_type for d in analysis.detections})
        names = {each.name for each in analysis.categories} | set(_recorded(one))
        report.categories.update(names)
        report.special += not SPECIAL.isdisjoint(names)
    return [bool(each) for each in blocked]


def _recorded(one: Found) -> tuple[str, ...]:
    return one.row.categories if one.row else ()


async def _histories(batch: Batch, report: Report) -> None:
    """Older versions that the store's history still shows, for a sample of memories."""
    if "history" not in batch.store.profile.layers:
        return
    for one in batch.found[: max(0, MAX_HISTORIES - report.histories)]:
        report.histories += 1
        report.history_rows += len(await batch.store.history(one.memory_id))


def _row(name: str, value: Any) -> str:
    if isinstance(value, Mapping):
        shown = "<br>".join(f"{escape(str(k))}: {v}" for k, v in value.items()) or "none"
    else:
        shown = escape(str(value))
    return f"<tr><td>{escape(name.replace('_', ' '))}</td><td>{shown}</td></tr>"
