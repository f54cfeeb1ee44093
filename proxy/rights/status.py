"""What a data subject is told who asks about a topic that was erased: a reference and a date."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from proxy.erasure.search.means import Means
from proxy.erasure.search.places import holder
from proxy.ledger import blocklist, erasures, memories, reach
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import Erasure
from proxy.tokens.index.spelling import Name, recorded_keys


@dataclass(frozen=True, slots=True)
class Told:
    """What is still remembered about a topic, and which erasure dealt with it."""

    memories: int
    reference: str | None = None
    processed_on: datetime | None = None

    def body(self) -> dict[str, Any]:
        """JSON form."""
        date = self.processed_on.date().isoformat() if self.processed_on else None
        return {"memories": self.memories, "reference": self.reference, "processed_on": date}


async def status(
    means: Means, tenant_id: str, owner: tuple[str, str], topic: str, entity_type: str = "PERSON"
) -> Told:
    """Answer "do you remember anything about …?" of an owner's own memories.

    Nothing about the erased topic is said but that a request was carried out, and when; not even
    that where the policy's ``erasure.status_after`` is ``nothing``.
    """
    names = await means.keyring.tenant(tenant_id)
    found = await holder(means, tenant_id, names, *owner)
    if found.row is None:
        return Told(0)
    row_id = found.row.id
    meant = await means.vault.resolve(tenant_id, topic, owner_id=row_id)
    keys = recorded_keys(names, Name(topic, entity_type))

    async def load(tx: Tx) -> Told:
        known = await memories.of_entities(tx, meant.certain) if meant.certain else []
        owned = await reach.owners(tx, [memory.id for memory in known])
        count = sum(row_id in owned.get(memory.id, ()) for memory in known)
        done = await _erasure(tx, tenant_id, keys, row_id)
        return Told(count, done.reference, done.completed_at) if done else Told(count)

    told = await means.ledger.read(load)
    if means.policies(tenant_id).erasure.status_after == "nothing":
        return Told(told.memories)
    return told


async def _erasure(
    tx: Tx, tenant_id: str, keys: list[tuple[str, bytes]], owner_id: str
) -> Erasure | None:
    for entry in await blocklist.matching(tx, tenant_id, keys):
        if entry.erasure_id and entry.owner_id in (None, owner_id):
            found = await erasures.by_id(tx, entry.erasure_id)
            if found is not None and found.state == "complete":
                return found
    return None
