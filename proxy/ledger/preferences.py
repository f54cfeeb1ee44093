"""What a data subject decided for the future: settings, pins, consents, purposes; all sealed."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from proxy.ledger import counters
from proxy.ledger.schema import preferences


@dataclass(frozen=True, slots=True)
class Preference:
    """One decision; ``sealed`` is JSON under the subject's key."""

    id: str
    tenant_id: str
    subject_ref: bytes
    kind: str  # maximum | category | entity | pin | consent | purpose | never
    sealed: bytes
    dek_id: str
    created_at: datetime
    lifted_at: datetime | None = None


def aad(tenant_id: str, preference_id: str) -> bytes:
    """Associated data of a preference's ``sealed`` value."""
    return f"preference|{tenant_id}|{preference_id}".encode()


_MINE = (preferences.c.tenant_id == bindparam("tenant"), preferences.c.lifted_at.is_(None))
_IN_FORCE = (  # made once: building a statement costs more than running it
    select(preferences)
    .where(*_MINE, preferences.c.subject_ref.in_(bindparam("subjects", expanding=True)))
    .order_by(preferences.c.id)
)
_ANY = select(preferences.c.id).where(*_MINE).limit(1)


def version(tenant_id: str) -> str:
    """The counter that grows with each change of what a tenant's data subjects decided."""
    return f"preferences:{tenant_id}"


async def insert(tx: AsyncConnection, preference: Preference) -> None:
    """Record a decision."""
    values = {name: getattr(preference, name) for name in Preference.__slots__}
    await tx.execute(preferences.insert().values(values))
    await counters.raise_by(tx, version(preference.tenant_id))


async def lift(tx: AsyncConnection, tenant_id: str, preference_id: str, at: datetime) -> bool:
    """Withdraw a decision; False if it was not in force."""
    done = await tx.execute(
        update(preferences)
        .where(preferences.c.tenant_id == tenant_id, preferences.c.id == preference_id)
        .where(preferences.c.lifted_at.is_(None))
        .values(lifted_at=at)
    )
    await counters.raise_by(tx, version(tenant_id))
    return bool(done.rowcount)


async def any_of(tx: AsyncConnection, tenant_id: str) -> tuple[int, bool]:
    """Whether anybody's decision is in force in a tenant, and the count of changes until now."""
    seen = await counters.value_of(tx, version(tenant_id))
    return seen, (await tx.execute(_ANY, {"tenant": tenant_id})).first() is not None


async def of_subjects(
    tx: AsyncConnection, tenant_id: str, subject_refs: Collection[bytes]
) -> dict[bytes, list[Preference]]:
    """Decisions in force by subject, oldest first."""
    found: dict[bytes, list[Preference]] = defaultdict(list)
    rows = await tx.execute(_IN_FORCE, {"tenant": tenant_id, "subjects": list(subject_refs)})
    for row in rows.mappings():
        found[row["subject_ref"]].append(Preference(**row))
    return found


async def erase(tx: AsyncConnection, tenant_id: str, subject_refs: Collection[bytes]) -> int:
    """Delete all decisions of erased subjects, withdrawn ones too."""
    done = await tx.execute(
        delete(preferences).where(
            preferences.c.tenant_id == tenant_id,
            preferences.c.subject_ref.in_(list(subject_refs)),
        )
    )
    if done.rowcount:
        await counters.raise_by(tx, version(tenant_id))
    return int(done.rowcount)
