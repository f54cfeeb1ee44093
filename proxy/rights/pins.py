"""Pins: one memory is kept as long as the policy lets a data subject keep it."""

from dataclasses import replace
from typing import Any

from proxy.erasure.search.means import Means
from proxy.erasure.search.target import Actor
from proxy.ledger import memories, provenance
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.problems import Problem
from proxy.rights import ends

PINNABLE = ("live", "quarantined", "restricted")


class Pins:
    """Pins memories, and lets them go again."""

    def __init__(self, means: Means) -> None:
        self._means = means

    async def pin(
        self, tenant_id: str, memory: Memory, *, actor: Actor, pinned: bool = True
    ) -> Memory:
        """Pin a memory, or end its pin; gives it with its new end.

        A pin reaches to the category's maximum and no further than the sources, the legal maximum,
        and the subject's own maximum unless the policy says that a pin goes before it. Without it
        the memory ends as the policy has it now. An erasure takes what is pinned like the rest.
        Nobody is asked about what is pinned: the answer is known.

        Raises:
            Problem: ``invalid-state`` while it is being erased.
        """
        (grounds,) = await ends.grounds_of(self._means, tenant_id, [memory])
        end, tags = ends.pinned(self._means.policies(tenant_id), grounds, pin=pinned)
        names = await self._means.keyring.tenant(tenant_id)
        entry = {"memory": memory.id, "actor": actor.ref(names).hex()}
        event = "memory.pinned" if pinned else "memory.unpinned"
        fields: dict[str, Any] = {
            "pinned": pinned, "expires_at": end.at, "tags": tags, "asked_at": None,
            "prompt_at": None if pinned else end.prompt_at,
        }  # fmt: skip

        async def unit(tx: Tx) -> None:
            if not await memories.present(tx, [memory.id], PINNABLE):
                raise Problem("invalid-state", "It is being erased.")
            await memories.change(tx, memory.id, **fields)
            await provenance.spread(tx, tenant_id, [memory.id])
            await self._means.audit.append(tx, tenant_id, event, entry)

        await self._means.ledger.write(unit)
        return replace(memory, **fields)
