"""What a data subject decided for the future: settings, pins, consents, purposes; all sealed."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

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


_IN_FORCE = (  # made once: building a statement costs more than running it
    select(preferences)
    .where(
        preferences.c.tenant_id == bindparam("tenant"),
        preferences.c.subject_ref == bindparam("subject"),
        preferences.c.lifted_at.is_(None),
    )
    .order_by(preferences.c.id)
)


async def insert(tx: AsyncConnection, preference: Preference) -> None:
    """Record a decision."""
    values = {name: getattr(preference, name) for name in Preference.__slots__}
    await tx.execute(preferences.insert().values(values))


async def lift(tx: AsyncConnection, tenant_id: str, preference_id: str, at: datetime) -> bool:
    """Withdraw a decision; False if it was not in force."""
    done = await tx.execute(
        update(preferences)
        .where(preferences.c.tenant_id == tenant_id, preferences.c.id == preference_id)
        .where(preferences.c.lifted_at.is_(None))
        .values(lifted_at=at)
    )
    return bool(done.rowcount)


async def of_subject(
    tx: AsyncConnection, tenant_id: str, subject_ref: bytes, *, kinds: Collection[str] = ()
) -> list[Preference]:
    """The subject's decisions in force, oldest first."""
    query = _IN_FORCE.where(preferences.c.kind.in_(list(kinds))) if kinds else _IN_FORCE
    rows = await tx.execute(query, {"tenant": tenant_id, "subject": subject_ref})
    return [Preference(**row) for row in rows.mappings()]


async def erase(tx: AsyncConnection, tenant_id: str, subject_refs: Collection[bytes]) -> int:
    """Delete all decisions of erased subjects, withdrawn ones too."""
    done = await tx.execute(
        delete(preferences).where(
            preferences.c.tenant_id == tenant_id,
            preferences.c.subject_ref.in_(list(subject_refs)),
        )
    )
    return int(done.rowcount)
