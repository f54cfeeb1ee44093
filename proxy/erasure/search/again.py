"""Erased texts that are there again under another id: repeated, written anew, or brought back."""

from collections.abc import Sequence
from dataclasses import dataclass

from proxy.erasure.search.bygone import instant
from proxy.erasure.search.found import Found
from proxy.erasure.search.means import Means
from proxy.erasure.search.walk import Batch, Ref
from proxy.ledger import tombstones
from proxy.ledger.tombstones import Said


@dataclass(frozen=True, slots=True)
class Again:
    """Memories of a batch that say, under the same owners, what an erased one said.

    Args:
        newer: made since, so what their owner says now; or of an age that nobody knows.
        older: by the store from before the erasure, which had not seen them: a backup under new
            ids. Not of what a client or the sweeper deleted, which was one of several perhaps.
    """

    newer: frozenset[Ref] = frozenset()
    older: frozenset[Ref] = frozenset()

    @property
    def all(self) -> frozenset[Ref]:
        """Both."""
        return self.newer | self.older


async def written_again(
    means: Means, tenant_id: str, batch: Batch, *, erasure_id: str | None = None
) -> Again:
    """Which of a batch repeat an erased text; what stood beside it from the beginning does not.

    Args:
        erasure_id: only what this erasure erased; None: any.
    """
    names = await means.keyring.tenant(tenant_id)
    refs = {
        one.ref: tombstones.content_ref(names, one.item.owners, one.item.text)
        for one in batch.found if one.item
    }  # fmt: skip
    wanted = {ref for ref in refs.values() if ref}
    said = await means.ledger.read(
        lambda tx: tombstones.saying(tx, tenant_id, wanted, erasure_id=erasure_id)
    )
    pairs = [(one, said.get(refs.get(one.ref) or b"")) for one in batch.found]
    again = [(one, stone) for one, stone in pairs if stone and not _stood(one, stone)]
    return Again(
        _refs([one for one, stone in again if not _is_older(one, stone)]),
        _refs([one for one, stone in again if _is_older(one, stone)]),
    )


def _stood(one: Found, stone: Said) -> bool:
    """Whether the ledger had it like this when the other one was erased."""
    if one.row is None or stone.is_before(one.row.id):
        return False
    return one.row.updated_at is None or one.row.updated_at <= stone.deleted_at


def _is_older(one: Found, stone: Said) -> bool:
    made = instant(one.item.created_at) if one.item else None
    return stone.asked_for and made is not None and made < stone.deleted_at


def _refs(found: Sequence[Found]) -> frozenset[Ref]:
    return frozenset((one.upstream, one.ref) for one in found)
