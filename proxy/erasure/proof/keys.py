"""What a certificate may say of keys: when it is signed, and of the same keys later.

A certificate is signed when its erasure ends. By then the rows of its keys are deleted; the epoch
that wrapped them is destroyed later, together with those of other erasures, when an operator does
so (``expunge keys destroy-epoch``).
"""

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from proxy.erasure.search.means import Means
from proxy.ledger import erasures, wrapped
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import Erasure

ROW_DELETED, EPOCH_DESTROYED = "row_deleted", "key_epoch_destroyed"
PENDING = "external-kek-pending"
Key = Mapping[str, Any]


def state_of(keys: Sequence[Key]) -> str | None:
    """How far all of some destroyed keys are gone; None: there are none."""
    if not keys:
        return None
    final = all(key.get("key_epoch_destroyed_at") for key in keys)
    return EPOCH_DESTROYED if final else ROW_DELETED


def wording_of(keys: Sequence[Key]) -> str:
    """Only ciphertext that we held and whose key epoch is destroyed is called crypto-erased."""
    if state_of(keys) != EPOCH_DESTROYED:
        return "logically deleted; recoverable with the key-encryption key of its epoch"
    if any(key.get("assurance") == PENDING for key in keys):
        return "opens no more; until its waiting period ends the provider can restore the key"
    return "ciphertext held by Expunge is crypto-erased"


async def later(means: Means, erasure: Erasure) -> Mapping[str, Any] | None:
    """The keys that an erasure's certificate names, as they are now; None: it names none."""
    prints = _named(erasure.certificate)
    if not prints:
        return None
    found = await means.ledger.read(
        lambda tx: means.keyring.destroyed_as(tx, erasure.tenant_id, prints)
    )
    keys = [key.facts() for key in found]
    return {"state": state_of(keys), "destroyed": keys, "wording": wording_of(keys)}


async def named(tx: Tx, tenant_id: str, erasure_id: str) -> list[str]:
    """Ids of the data keys that an erasure's certificate names."""
    erasure = await erasures.get(tx, tenant_id, erasure_id)
    prints = _named(erasure.certificate) if erasure else []
    return await wrapped.destroyed_deks(tx, tenant_id, prints)


def _named(certificate: bytes | None) -> list[str]:
    """Fingerprints of the keys that a certificate says are destroyed."""
    if certificate is None:
        return []
    payload = json.loads(base64.b64decode(json.loads(certificate)["payload"]))
    return [str(key["fingerprint"]) for key in payload["predicate"]["keys"]["destroyed"]]
