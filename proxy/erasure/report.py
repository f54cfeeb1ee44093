"""What the audit log tells of deletions: how many of which type, by whom, when; and who one was."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from proxy.audit import leaf
from proxy.erasure.requests.deletion_types import POLICY, TYPES, type_of
from proxy.erasure.search.means import Means
from proxy.ledger import audit, erasures, memories, tombstones
from proxy.ledger.audit import Entry, Wanted
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import Erasure
from proxy.ledger.tombstones import Tombstone

DELETED, RECREATED = "memories.deleted", "memory.recreation_deleted"
PAGE = 1000

Who = tuple[str | None, str | None, str | None]  # actor, role, origin
ITSELF: Who = (None, "proxy", "proxy")  # what Expunge does on its own


@dataclass(slots=True)
class Report:
    """Deletions of a tenant in a period, as counts.

    Args:
        since: first instant; None: from the beginning.
        until: the end, exclusive; None: up to now.
        types: memories by type of deletion.
        actors: memories by pseudonym, role and origin of who asked.
        days: memories by date (UTC).
        rewritten: of the deleted ones, how many were written anew without what was forgotten.
        already_gone: planned to be deleted, and not there any more.
        found: the erasures that deleted something.
    """

    since: datetime | None
    until: datetime | None
    types: Counter[str] = field(default_factory=Counter)
    actors: Counter[Who] = field(default_factory=Counter)
    days: Counter[str] = field(default_factory=Counter)
    rewritten: int = 0
    already_gone: int = 0
    found: dict[str, Erasure] = field(default_factory=dict)

    def body(self) -> dict[str, Any]:
        """JSON form: no content, no ids of people or memories."""
        asked = Counter(map(_who, self.found.values()))
        return {
            "since": leaf.instant(self.since) if self.since else None,
            "until": leaf.instant(self.until) if self.until else None,
            "memories": self.types.total(),
            "erasures": len(self.found),
            "rewritten": self.rewritten,
            "already_gone": self.already_gone,
            "types": {name: self.types[name] for name in TYPES},
            "actors": [
                {
                    "actor": who[0],
                    "role": who[1],
                    "origin": who[2],
                    "memories": number,
                    "erasures": asked[who],
                }
                for who, number in self.actors.most_common()
            ],
            "outcomes": dict(Counter(each.outcome or each.state for each in self.found.values())),
            "days": dict(sorted(self.days.items())),
        }


async def report(
    means: Means, tenant_id: str, since: datetime | None, until: datetime | None
) -> Report:
    """Count a tenant's deletions in ``[since, until)`` by the entries of the log."""
    made, first = Report(since, until), 0
    wanted = Wanted(tenant_id, (DELETED, RECREATED), (), since, until)
    while True:
        page = await means.ledger.read(
            partial(audit.search, wanted=wanted, first=first, limit=PAGE)
        )
        told = [(each, _said(each)) for each in page]
        ids = {fields["erasure"] for _, fields in told if "erasure" in fields} - made.found.keys()
        made.found |= await means.ledger.read(
            partial(erasures.by_ids, tenant_id=tenant_id, erasure_ids=ids)
        )
        for entry, fields in told:
            _count(made, entry, fields)
        if len(page) < PAGE:
            return made
        first = (page[-1].leaf_index or 0) + 1


def _said(entry: Entry) -> dict[str, Any]:
    """The fields of an entry about deletions; of any other nothing."""
    document = json.loads(entry.leaf)
    return dict(document["fields"]) if document["event"] in {DELETED, RECREATED} else {}


def _count(made: Report, entry: Entry, fields: Mapping[str, Any]) -> None:
    erasure = made.found.get(str(fields.get("erasure")))
    types, who = {POLICY: fields.get("count", 0)}, ITSELF
    if erasure is not None:
        types = fields.get("types") or _types(erasure, fields.get("relations", {}))
        who = _who(erasure)
    number = sum(types.values())
    made.types.update(types)
    made.actors[who] += number
    made.days[entry.recorded_at.date().isoformat()] += number
    made.rewritten += fields.get("rewritten", 0)
    made.already_gone += fields.get("already_gone", 0)


def _who(erasure: Erasure) -> Who:
    return erasure.actor.hex(), erasure.details.get("role"), erasure.origin


def _types(erasure: Erasure, relations: Mapping[str, int]) -> Counter[str]:
    """What an entry of an older release does not say itself."""
    found: Counter[str] = Counter()
    for relation, number in relations.items():
        found[type_of(erasure, relation)] += number
    return found


async def who_deleted(
    means: Means, tenant_id: str, memory_id: str, upstream: str | None = None
) -> list[dict[str, Any]]:
    """By whom, when and why a memory was deleted, in each store; empty if it was not.

    Args:
        memory_id: the store's id; it is looked up by its pseudonym.
        upstream: only in this store.
    """
    names = await means.keyring.tenant(tenant_id)
    stores = [name for name in sorted(means.stores) if upstream in (None, name)]

    async def load(tx: Tx) -> list[dict[str, Any]]:
        stones = [
            await tombstones.of(tx, tenant_id, name, memories.ref(names, name, memory_id))
            for name in stores
        ]
        return [await _deletion(tx, tenant_id, stone) for stone in stones if stone]

    return await means.ledger.read(load)


async def _deletion(tx: Tx, tenant_id: str, stone: Tombstone) -> dict[str, Any]:
    told: dict[str, Any] = {
        "upstream": stone.upstream, "deleted_at": leaf.instant(stone.deleted_at),
        "erasure": stone.erasure_id, "type": None, "actor": None, "role": None, "origin": None,
        "reference": None, "entry": None,
    }  # fmt: skip
    erasure = await erasures.by_id(tx, stone.erasure_id)
    if erasure is None:
        return told
    items = await erasures.items(tx, erasure.id, refs=[stone.ref], upstream=stone.upstream)
    relation = items[0].relation if items else "direct"
    actor, role, origin = _who(erasure)
    return told | {
        "type": type_of(erasure, relation), "actor": actor, "role": role, "origin": origin,
        "reference": erasure.reference, "entry": await _entry(tx, tenant_id, stone, erasure),
    }  # fmt: skip


async def _entry(tx: Tx, tenant_id: str, stone: Tombstone, erasure: Erasure) -> str | None:
    """The entry that names the memory, made with its tombstone; older releases named none."""
    wanted = Wanted(tenant_id, (DELETED,), (erasure.actor.hex(),), stone.deleted_at)
    for entry in await audit.search(tx, wanted, 0, PAGE):
        if stone.ref.hex() in _said(entry).get("memories", ()):
            return entry.id
    return None
