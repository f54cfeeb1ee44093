"""Owners: the store's user, agent, run and app ids, and how a tenant's ids map to the store's."""

import base64
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from proxy.ledger.schema import owners
from proxy.pseudonyms import Pseudonyms

Form = Literal["opaque", "keep"]
PREFIX_LENGTH = 8


@dataclass(frozen=True, slots=True)
class Owner:
    """One row: an id of the tenant's (sealed) and the store's id for it (pseudonym)."""

    id: str
    tenant_id: str
    kind: str
    ref: bytes
    upstream_ref: bytes
    sealed_id: bytes
    dek_id: str
    state: str
    epoch: int
    created_at: datetime
    erased_at: datetime | None = None


def ref(names: Pseudonyms, kind: str, client_id: str) -> bytes:
    """Pseudonym under which an owner is looked up by the client's id."""
    return names.of("owner", kind, client_id)


def upstream_ref(names: Pseudonyms, upstream_id: str) -> bytes:
    """Pseudonym under which an owner is looked up by the store's id."""
    return names.of("upstream-owner", upstream_id)


def prefix(names: Pseudonyms) -> str:
    """The 8 characters that every opaque id of the tenant starts with."""
    return names.always("upstream-owner", "prefix")[:PREFIX_LENGTH]


def upstream_id(names: Pseudonyms, form: Form, kind: str, client_id: str) -> str:
    """The id the store sees: opaque and whitespace-free, or the client's own in ``keep`` form."""
    if form == "keep":
        return client_id
    secret = names.of("upstream-owner", kind, client_id)
    return f"{prefix(names)}-{base64.b32encode(secret).decode().rstrip('=').lower()}"


def aad(tenant_id: str, owner_row_id: str) -> bytes:
    """Associated data of an owner's ``sealed_id``."""
    return f"owner|{tenant_id}|{owner_row_id}".encode()


_COLUMNS = tuple(owners.c[name] for name in Owner.__slots__)
_BY_REF = select(*_COLUMNS).where(  # made once: building a statement costs more than running it
    owners.c.tenant_id == bindparam("tenant"),
    owners.c.kind == bindparam("kind"),
    owners.c.ref == bindparam("ref"),
)
_BY_UPSTREAM = select(*_COLUMNS).where(
    owners.c.tenant_id == bindparam("tenant"),
    owners.c.upstream_ref.in_(bindparam("refs", expanding=True)),
)
_BY_IDS = select(*_COLUMNS).where(owners.c.id.in_(bindparam("ids", expanding=True)))


async def insert(tx: AsyncConnection, owner: Owner) -> None:
    """Record a new owner."""
    values = {name: getattr(owner, name) for name in Owner.__slots__}
    await tx.execute(owners.insert().values(values))


async def find(tx: AsyncConnection, tenant_id: str, kind: str, owner_ref: bytes) -> Owner | None:
    """The owner by the client's id, or None."""
    given = {"tenant": tenant_id, "kind": kind, "ref": owner_ref}
    row = (await tx.execute(_BY_REF, given)).first()
    return None if row is None else Owner(*row)


async def find_upstream(
    tx: AsyncConnection, tenant_id: str, upstream_refs: Collection[bytes]
) -> list[Owner]:
    """The tenant's owners among the store's ids (several kinds may share one id)."""
    given = {"tenant": tenant_id, "refs": list(upstream_refs)}
    return [Owner(*row) for row in await tx.execute(_BY_UPSTREAM, given)]


async def by_ids(tx: AsyncConnection, ids: Collection[str]) -> list[Owner]:
    """The owners with these row ids."""
    return [Owner(*row) for row in await tx.execute(_BY_IDS, {"ids": list(ids)})]


async def lock(tx: AsyncConnection, ids: Collection[str]) -> None:
    """Let nobody else decide about these owners before the transaction ends."""
    wanted = select(owners.c.id).where(owners.c.id.in_(list(ids))).order_by(owners.c.id)
    await tx.execute(wanted.with_for_update())


async def of_tenant(
    tx: AsyncConnection, tenant_id: str, *, states: Sequence[str] = ("active", "erasing")
) -> list[Owner]:
    """Every owner of the tenant in one of the states."""
    return await _select(tx, owners.c.tenant_id == tenant_id, owners.c.state.in_(states))


async def set_state(
    tx: AsyncConnection, owner_id: str, state: str, *, erased_at: datetime | None = None
) -> None:
    """Move an owner between ``active``, ``erasing`` and ``erased``."""
    await tx.execute(
        update(owners).where(owners.c.id == owner_id).values(state=state, erased_at=erased_at)
    )


async def raise_epoch(tx: AsyncConnection, owner_id: str) -> None:
    """Fence every write that began before now: it is killed when it arrives."""
    await tx.execute(update(owners).where(owners.c.id == owner_id).values(epoch=owners.c.epoch + 1))


async def revive(tx: AsyncConnection, owner_id: str, *, sealed_id: bytes, dek_id: str) -> None:
    """An erased owner writes again (its blocklist entry was lifted): new key, same epoch."""
    await tx.execute(
        update(owners)
        .where(owners.c.id == owner_id)
        .values(state="active", erased_at=None, sealed_id=sealed_id, dek_id=dek_id)
    )


async def _select(tx: AsyncConnection, *conditions: Any) -> list[Owner]:
    rows = await tx.execute(select(owners).where(*conditions))
    return [Owner(**row) for row in rows.mappings()]
