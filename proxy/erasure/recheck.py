"""An old certificate looked at again: is what it says was erased still absent?"""

from dataclasses import dataclass
from typing import Any

from proxy.erasure.means import Means
from proxy.erasure.target import Actor
from proxy.erasure.walk import walk
from proxy.ledger import tombstones
from proxy.problems import Problem
from proxy.upstreams.errors import StoreError


@dataclass(frozen=True, slots=True)
class Recheck:
    """An old certificate looked at again."""

    reference: str
    tombstones: int
    looked_at: int
    returned: int

    @property
    def still_absent(self) -> bool:
        """Whether nothing of what was erased is there."""
        return not self.returned

    def body(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "reference": self.reference,
            "tombstones": self.tombstones,
            "looked_at": self.looked_at,
            "returned": self.returned,
            "still_absent": self.still_absent,
            "methods": ["listing of every owner", "get by id where listed", "pseudonyms of ids"],
        }


async def recheck(
    means: Means, tenant_id: str, erasure_id: str, reference: str, *, actor: Actor
) -> Recheck:
    """Look whether what one erasure deleted is still absent; says so in the log.

    Raises:
        Problem: ``upstream-unreachable`` if a store cannot be read to its end.
    """
    stones = await means.ledger.read(lambda tx: tombstones.of_erasure(tx, tenant_id, erasure_id))
    wanted = {(stone.upstream, stone.ref) for stone in stones}
    looked_at = returned = 0
    try:
        async for batch in walk(means, tenant_id):
            looked_at += len(batch.found)
            returned += sum((one.upstream, one.ref) in wanted for one in batch.found)
    except StoreError:
        raise Problem("upstream-unreachable", "A store could not be read to the end.") from None
    fields = {
        "erasure": erasure_id, "reference": reference, "looked_at": looked_at,
        "returned": returned, "role": actor.role,
    }  # fmt: skip
    await means.ledger.write(
        lambda tx: means.audit.append(tx, tenant_id, "erasure.rechecked", fields)
    )
    return Recheck(reference, len(stones), looked_at, returned)
