"""Owners as clients name them: what an id may be, and the row that makes one known.

An owner's row has a key of its own, which an erasure destroys.
"""

import unicodedata
from collections.abc import Sequence

from proxy import ids
from proxy.clock import Clock
from proxy.keys.ring import KeyRing
from proxy.ledger import owners
from proxy.ledger.engine import Tx
from proxy.ledger.owners import Owner
from proxy.problems import Problem
from proxy.pseudonyms import Pseudonyms

MAX_LENGTH = 256
_FORBIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def checked(value: object, pointer: str) -> str:
    """A literal owner id in its canonical form (NFC).

    Raises:
        Problem: ``invalid-request`` if it is empty, too long, a wildcard, begins or ends with a
            space, or holds characters that cannot be seen.
    """
    text = unicodedata.normalize("NFC", str(value))
    if not text.strip() or len(text) > MAX_LENGTH:
        raise _invalid(pointer, "An owner id has 1 to 256 characters.")
    if text != text.strip():
        raise _invalid(pointer, "An owner id does not begin or end with a space.")
    if "*" in text:
        raise _invalid(pointer, "A wildcard is not an owner id.")
    if any(unicodedata.category(char) in _FORBIDDEN for char in text):
        raise _invalid(pointer, "An owner id holds no invisible characters.")
    return text


def _invalid(pointer: str, detail: str) -> Problem:
    error = {"pointer": pointer, "detail": detail}
    return Problem("invalid-request", "An owner id is not valid.", errors=[error])


async def opened(tx: Tx, keyring: KeyRing, rows: Sequence[Owner]) -> list[tuple[Owner, str]]:
    """Each owner with the client's id, as far as their keys are there."""
    sealed = [(row.dek_id, row.sealed_id, owners.aad(row.tenant_id, row.id)) for row in rows]
    clear = await keyring.unseal_many(tx, sealed) if sealed else []
    pairs = zip(rows, clear, strict=True)
    return [(row, client_id.decode()) for row, client_id in pairs if client_id is not None]


async def ensure(
    tx: Tx,
    keyring: KeyRing,
    clock: Clock,
    names: Pseudonyms,
    tenant_id: str,
    pair: tuple[str, str],
    upstream_id: str,
) -> Owner:
    """The owner's row, made if it is new; an erased owner starts anew under a new key.

    Args:
        pair: kind and the client's id.
        upstream_id: the store's id for it.

    Raises:
        Problem: ``subject-locked`` while an erasure of the owner runs.
    """
    kind, client_id = pair
    ref = owners.ref(names, kind, client_id)
    found = await owners.find(tx, tenant_id, kind, ref)
    if found is not None and found.state == "erasing":
        raise Problem("subject-locked", "An erasure of this owner is running.")
    if found is not None and found.state == "active":
        return found
    row_id = found.id if found is not None else ids.new("own")
    said = client_id.encode(), owners.aad(tenant_id, row_id)
    dek_id, [sealed] = await keyring.seal_anew(tx, tenant_id, "owner", ref, [said])
    if found is not None:
        await owners.revive(tx, row_id, sealed_id=sealed, dek_id=dek_id)
        return found
    owner = Owner(
        id=row_id,
        tenant_id=tenant_id,
        kind=kind,
        ref=ref,
        upstream_ref=owners.upstream_ref(names, upstream_id),
        sealed_id=sealed,
        dek_id=dek_id,
        state="active",
        epoch=0,
        created_at=clock.now(),
    )
    await owners.insert(tx, owner)
    return owner
