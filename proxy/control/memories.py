"""One memory as the ledger knows it: what it is tagged with, what it came from, what came of it."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from proxy.control.erasures import actor
from proxy.control.keys import time
from proxy.control.routing import Ask, Body, Route, roles
from proxy.control.services import ControlServices
from proxy.ledger import entities, memories, provenance, reach
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.problems import Problem

_SEE = roles("app", "operator", "privacy", "auditor")
_DECIDE = roles("app", "privacy")


class RectifyBody(Body):
    """The corrected text; the policy treats it as any write."""

    text: str = Field(min_length=1, max_length=100_000)


class PinBody(Body):
    """Whether the memory is pinned."""

    pinned: bool = Field(default=True, description="false ends the pin.")


async def find(services: ControlServices, tx: Tx, tenant_id: str, memory_id: str) -> Memory:
    """The memory by our row id or by the store's own id.

    Raises:
        Problem: ``not-found``, also for another tenant's and for erased ones.
    """
    names = await services.keyring.tenant(tenant_id)
    found = [m for m in await memories.by_ids(tx, [memory_id]) if m.tenant_id == tenant_id]
    for upstream in services.means.stores:
        ref = memories.ref(names, upstream, memory_id)
        found += (await memories.by_refs(tx, tenant_id, upstream, [ref])).values()
    living = [memory for memory in found if memory.state != "erased"]
    if not living:
        raise Problem("not-found", "There is no such memory.")
    return living[0]


async def show(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """State, tier, tags and expiry of a memory; no content."""

    async def unit(tx: Tx) -> dict[str, Any]:
        memory = await find(services, tx, ask.tenant_id, ask.path["id"])
        return await _shown(tx, ask.tenant_id, memory)

    return await services.ledger.read(unit)


async def _shown(tx: Tx, tenant_id: str, memory: Memory) -> dict[str, Any]:
    ids = (await memories.entities_of(tx, [memory.id])).get(memory.id, [])
    mentioned = await entities.by_id(tx, tenant_id, ids)
    return {
        "id": memory.id,
        "upstream": memory.upstream,
        "state": memory.state,
        "origin": memory.origin,
        "tier": memory.tier,
        "categories": list(memory.categories),
        "tags": list(memory.tags),
        "pinned": memory.pinned,
        "entities": dict(Counter(entity.entity_type for entity in mentioned.values())),
        "policy_digest": memory.policy_digest,
        **{
            name: time(getattr(memory, name))
            for name in ("created_at", "updated_at", "expires_at", "prompt_at")
        },
    }


async def lineage(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """The memory with its sources, and everything derived from it, to any depth."""

    async def unit(tx: Tx) -> dict[str, Any]:
        memory = await find(services, tx, ask.tenant_id, ask.path["id"])
        edges = await provenance.edges_of(tx, [memory.id])
        refs = [edge.source_ref for edge in edges]
        living = await reach.living_sources(tx, ask.tenant_id, refs)
        derived = await provenance.closure(tx, ask.tenant_id, [memory.id])
        return {
            "memory": await _shown(tx, ask.tenant_id, memory),
            "sources": [
                {"contribution": edge.contribution, "memory": living.get(edge.source_ref)}
                for edge in edges
            ],
            "derived": [
                {"memory": child, "from": source, "contribution": contribution}
                for child, (source, contribution) in sorted(derived.items())
            ],
        }

    return await services.ledger.read(unit)


async def rectify(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Correct a memory (GDPR Art. 16): the old text is erased, the new one is embedded anew."""
    done = await services.rectification.rectify(
        ask.tenant_id, ask.path["id"], ask.body.text, actor=actor(ask)
    )
    return {"memory_id": done.memory_id, "erasure": done.erasure.body()}


async def pin(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Keep it as long as the policy lets its subject keep it, or no longer."""
    memory = await services.ledger.read(
        lambda tx: find(services, tx, ask.tenant_id, ask.path["id"])
    )
    done = await services.pins.pin(ask.tenant_id, memory, actor=actor(ask), pinned=ask.body.pinned)
    return await services.ledger.read(lambda tx: _shown(tx, ask.tenant_id, done))


ROUTES = (
    Route("GET", "/v1/memories/{id}", "getMemory", _SEE, show,
          "State, tier, tags and expiry of a memory; no content."),
    Route("PATCH", "/v1/memories/{id}", "rectify", _DECIDE, rectify,
          "Correct a memory: the old text is erased, the new one gets a new id.",
          body=RectifyBody),
    Route("POST", "/v1/memories/{id}/pin", "pin", _DECIDE, pin,
          "Keep a memory as long as the policy lets its subject keep it, or no longer.",
          body=PinBody),
    Route("GET", "/v1/memories/{id}/provenance", "getProvenance", _SEE, lineage,
          "What a memory was derived from and what was derived from it."),
)  # fmt: skip
