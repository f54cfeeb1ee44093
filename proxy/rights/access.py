"""The right of access and portability (GDPR Art. 15, 20): what is held about an owner, in full."""

import hashlib
import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from policies.access import export as export_rule
from proxy.erasure.search.find import with_rows
from proxy.erasure.search.found import Found
from proxy.erasure.search.means import Means
from proxy.erasure.search.places import Holder, holder
from proxy.erasure.search.target import Actor
from proxy.ledger import reach
from proxy.ledger.engine import Tx
from proxy.problems import Problem
from proxy.rights.wishes import Wishes
from proxy.upstreams.errors import StoreError
from proxy.upstreams.store import Item, Store

BATCH = 200
SOON = timedelta(days=7)
Format = Literal["json", "markdown"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory as its subject sees it."""

    id: str
    upstream: str
    content: str
    created: str | None
    categories: tuple[str, ...]
    tier: str | None
    expires: str | None
    origin: str  # from_subject | derived | unknown

    def body(self) -> dict[str, Any]:
        """JSON form."""
        return {name: getattr(self, name) for name in Entry.__slots__} | {
            "categories": list(self.categories)
        }


class Access:
    """Answers what is held about an owner."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self._wishes = Wishes(means)

    async def summary(self, tenant_id: str, kind: str, owner: str) -> dict[str, Any]:
        """Counts by category and tier, the oldest, what expires within a week; no content."""
        found = await self._holder(tenant_id, kind, owner)
        rows = await self._means.ledger.read(
            lambda tx: reach.of_owner(tx, found.row.id if found.row else "")
        )
        now = self._means.clock.now()
        ends = [row.expires_at for row in rows if row.expires_at]
        return {
            "memories": len(rows),
            "categories": dict(Counter(name for row in rows for name in row.categories)),
            "tiers": dict(Counter(row.tier for row in rows)),
            "states": dict(Counter(row.state for row in rows)),
            "oldest": _iso(min((row.created_at for row in rows), default=None)),
            "expiring_within_7_days": sum(now <= end <= now + SOON for end in ends),
            "overdue": sum(end < now for end in ends),
            "deletions": await self._deletions(tenant_id, found),
        }

    async def export(
        self,
        tenant_id: str,
        kind: str,
        owner: str,
        *,
        actor: Actor,
        form: Format = "json",
        purpose: str | None = None,
        confirmed: bool = False,
    ) -> AsyncIterator[str]:
        """The whole export, piece by piece; however many memories, little is held at once.

        Args:
            purpose: what it is for; the policy may refuse some, such as training.
            confirmed: the requester confirmed that special categories may be contained.

        Raises:
            Problem: ``purpose-denied``, ``confirmation-required``, ``upstream-unreachable``.
        """
        found = await self._holder(tenant_id, kind, owner)
        await self._allowed(tenant_id, found, purpose, confirmed)
        await self._means.ledger.write(lambda tx: self._audit(tx, tenant_id, actor, form))
        head = await self._head(tenant_id, found)
        writer = _Markdown() if form == "markdown" else _Json()
        yield writer.open(head)
        digest, count = hashlib.sha256(), 0
        async for entry in self._entries(tenant_id, found):
            count += 1
            digest.update(json.dumps(entry.body(), sort_keys=True).encode())
            yield writer.entry(entry)
        stores = sorted(self._means.stores)
        yield writer.close({"memories": count, "sha256": digest.hexdigest(), "searched": stores})

    async def _holder(self, tenant_id: str, kind: str, owner: str) -> Holder:
        names = await self._means.keyring.tenant(tenant_id)
        return await holder(self._means, tenant_id, names, kind, owner)

    async def _allowed(
        self, tenant_id: str, found: Holder, purpose: str | None, confirmed: bool
    ) -> None:
        rows = await self._means.ledger.read(
            lambda tx: reach.of_owner(tx, found.row.id if found.row else "")
        )
        categories = {name for row in rows for name in row.categories}
        policy = self._means.policies(tenant_id)
        _, wishes = await self._wishes.of(tenant_id, [(found.kind, found.client_id)])
        match export_rule(policy, categories, purpose=purpose, confirmed=confirmed, wishes=wishes):
            case "refuse":
                raise Problem("purpose-denied", "The policy refuses exports for this purpose.")
            case "confirm":
                raise Problem(
                    "confirmation-required", "It would contain special categories.",
                    hint="Repeat with confirm=confirmed in the query (--confirm confirmed).",
                )  # fmt: skip
            case "allow":
                return

    async def _head(self, tenant_id: str, found: Holder) -> dict[str, Any]:
        policy = self._means.policies(tenant_id)
        settings = await self._wishes.in_force(tenant_id, (found.kind, found.client_id))
        return {
            "export_date": _iso(self._means.clock.now()),
            "owner": {"kind": found.kind, "id": found.client_id},
            "retention_settings": settings,
            "policy": {"name": policy.name, "digest": policy.digest},
            "deletion_history": await self._deletions(tenant_id, found),
        }

    async def _deletions(self, tenant_id: str, found: Holder) -> list[dict[str, Any]]:
        if found.row is None:
            return []
        row_id = found.row.id
        return await self._means.ledger.read(lambda tx: reach.deletions(tx, tenant_id, row_id))

    async def _entries(self, tenant_id: str, found: Holder) -> AsyncIterator[Entry]:
        names = await self._means.keyring.tenant(tenant_id)
        try:
            for store in self._means.stores.values():
                scope = found.place(names, store).scope
                async for batch in _batches(store, scope):
                    rows = await with_rows(self._means, tenant_id, names, store.name, batch)
                    derived = await self._derived(rows)
                    said = await self._said(tenant_id, found, rows)
                    for one, text in zip(rows, said, strict=True):
                        yield _entry(one, text, derived)
        except StoreError:
            raise Problem("upstream-unreachable", "A store could not be read to the end.") from None

    async def _said(self, tenant_id: str, found: Holder, rows: list[Found]) -> list[str]:
        """The memories' own texts in clear, as far as their tokens hide words of this owner."""
        stored = [one.item.text if one.item else "" for one in rows]
        owners = {found.row.id} if found.row else set()
        read = await self._means.vault.restore_many(tenant_id, stored, owners=owners)
        return [each.text for each in read]

    async def _derived(self, rows: list[Found]) -> set[str]:
        known = [one.row.id for one in rows if one.row]
        edges = await self._means.ledger.read(lambda tx: reach.edges(tx, known))
        return {edge.memory_id for edge in edges}

    async def _audit(self, tx: Tx, tenant_id: str, actor: Actor, form: str) -> None:
        names = await self._means.keyring.tenant(tenant_id, tx)
        who = actor.ref(names).hex()
        await self._means.audit.append(
            tx, tenant_id, "subject.exported", {"actor": who, "format": form}
        )


async def _batches(store: Store, scope: Mapping[str, str]) -> AsyncIterator[list[Item]]:
    batch: list[Item] = []
    async for item in store.crawl(scope):
        batch.append(item)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _entry(one: Found, text: str, derived: set[str]) -> Entry:
    row, item = one.row, one.item
    origin = "unknown" if row is None else "derived" if row.id in derived else "from_subject"
    return Entry(
        one.memory_id,
        one.upstream,
        text,
        item.created_at if item else None,
        row.categories if row else (),
        row.tier if row else None,
        _iso(row.expires_at) if row else None,
        origin,
    )


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat().replace("+00:00", "Z") if moment else None


class _Json:
    """One JSON document, written as it is read."""

    def __init__(self) -> None:
        self._first = True

    def open(self, head: Mapping[str, Any]) -> str:
        return json.dumps(head, ensure_ascii=False)[:-1] + ', "memories": ['

    def entry(self, entry: Entry) -> str:
        comma, self._first = ("" if self._first else ","), False
        return comma + "\n" + json.dumps(entry.body(), ensure_ascii=False)

    def close(self, manifest: Mapping[str, Any]) -> str:
        return '\n], "manifest": ' + json.dumps(manifest) + "}\n"


class _Markdown:
    """The same for reading."""

    def open(self, head: Mapping[str, Any]) -> str:
        gone = "\n".join(
            f"- {each['date']}: memories {each['count']} ({each['reference']})"
            for each in head["deletion_history"]
        )
        return (
            f"# What is remembered\n\nExported {head['export_date']}.\n\n"
            f"## Deletion history\n\n{gone or 'Nothing was deleted.'}\n\n## Memories\n"
        )

    def entry(self, entry: Entry) -> str:
        facts = [*entry.categories, *filter(None, (entry.tier, entry.created))]
        text = entry.content.replace("\n", "\n  ")
        return f"\n- {text}\n  *{', '.join(facts) or 'no category'}*\n"

    def close(self, manifest: Mapping[str, Any]) -> str:
        return f"\nMemories: {manifest['memories']}, SHA-256 {manifest['sha256']}\n"
