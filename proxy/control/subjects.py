"""What is known about a data subject, in counts: found by POST, shown under a pseudonym."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from pydantic import Field

from proxy.control.keys import time
from proxy.control.routing import Ask, Body, Route, roles
from proxy.control.services import ControlServices
from proxy.erasure.search.target import Target
from proxy.erasure.search.target import load as load_target
from proxy.ledger import entities, erasures, memories, owners
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.problems import Problem

_SEE = roles("app", "operator", "privacy")
_SOON = timedelta(days=7)
_HIDDEN = frozenset({"erasing", "erased"})


class SubjectBody(Body):
    """Whom to look up: an owner id or a name. It stays out of every URL."""

    owner: str | None = Field(default=None, max_length=256)
    owner_kind: str = Field(default="user", pattern="^(user|agent|run|app)$")
    name: str | None = Field(default=None, max_length=512)
    type: str | None = Field(default=None, max_length=40, description="Entity type of the name.")


async def look_up(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """The pseudonyms under which a subject is known, and erasures that were carried out."""
    body: SubjectBody = ask.body
    if (body.owner is None) == (body.name is None):
        raise Problem("invalid-request", "Give either an owner or a name.")
    found = await (_owner(services, ask) if body.owner else _named(services, ask))
    return {"items": found, "erasures": await _erasures(services, ask)}


async def _owner(services: ControlServices, ask: Ask) -> list[dict[str, Any]]:
    names = await services.keyring.tenant(ask.tenant_id)
    kind = ask.body.owner_kind
    ref = owners.ref(names, kind, ask.body.owner)
    row = await services.ledger.read(lambda tx: owners.find(tx, ask.tenant_id, kind, ref))
    if row is None or row.state == "erased":
        return []
    return [{"ref": row.id, "kind": "owner", "match": "certain"}]


async def _named(services: ControlServices, ask: Ask) -> list[dict[str, Any]]:
    entity_type = ask.body.type and ask.body.type.upper()
    resolved = await services.vault.resolve(ask.tenant_id, ask.body.name, entity_type=entity_type)
    certain = [{"ref": each, "kind": "entity", "match": "certain"} for each in resolved.certain]
    return certain + [
        {"ref": each.entity_id, "kind": "entity", "match": "possible"} for each in resolved.possible
    ]


async def _erasures(services: ControlServices, ask: Ask) -> list[dict[str, Any]]:
    """Erasures of exactly this target, where the policy lets them be told (S0 7.4)."""
    if services.policies(ask.tenant_id).erasure.status_after != "reference":
        return []
    names = await services.keyring.tenant(ask.tenant_id)
    refs = [
        names.of("erasure-target", json.dumps(target.meant(), sort_keys=True))
        for target in _targets(ask.body)
    ]

    async def unit(tx: Tx) -> list[Any]:
        return [
            row
            for ref in refs
            for row in await erasures.of_target(tx, ask.tenant_id, ref, ["complete"])
            if row.outcome != "nothing_found"
        ]

    rows = await services.ledger.read(unit)
    return [{"reference": r.reference, "completed_at": time(r.completed_at)} for r in rows]


def _targets(body: SubjectBody) -> list[Target]:
    if body.owner is not None:
        return [Target(kind="owner", values=(body.owner,), owner_kind=body.owner_kind)]  # type: ignore[arg-type]
    types = {None, body.type and body.type.upper(), "PERSON"}
    named = [load_target({"kind": "entity", "value": body.name, "type": each}) for each in types]
    return [*named, load_target({"kind": "subject", "value": body.name})]


async def show(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """What is kept about a subject, in counts."""
    ref = ask.path["ref"]

    async def unit(tx: Tx) -> tuple[str, Sequence[Memory], Sequence[Any]]:
        kind, found = await _memories(tx, ask.tenant_id, ref)
        mentioned = await entities.of_owner(tx, ask.tenant_id, ref, 10_000)
        return kind, found, mentioned

    kind, found, mentioned = await services.ledger.read(unit)
    kept = [memory for memory in found if memory.state not in _HIDDEN]
    return {"ref": ref, "kind": kind, **_summary(services, kept)} | (
        {"entities": dict(Counter(entity.entity_type for entity in mentioned))}
        if kind == "owner"
        else {}
    )


async def _memories(tx: Tx, tenant_id: str, ref: str) -> tuple[str, Sequence[Memory]]:
    row = next((o for o in await owners.by_ids(tx, [ref]) if o.tenant_id == tenant_id), None)
    if row is not None:
        return "owner", await memories.of_owners(tx, [ref])
    if await entities.by_id(tx, tenant_id, [ref]):
        return "entity", await memories.of_entities(tx, [ref])
    raise Problem("not-found", "There is no such subject.")


def _summary(services: ControlServices, kept: Sequence[Memory]) -> dict[str, Any]:
    now = services.clock.now()
    ends = [memory.expires_at for memory in kept if memory.expires_at is not None]
    times = [memory.created_at for memory in kept]
    return {
        "memories": len(kept),
        "by_category": dict(Counter(c for memory in kept for c in memory.categories)),
        "by_tier": dict(Counter(memory.tier for memory in kept)),
        "by_state": dict(Counter(memory.state for memory in kept)),
        "pinned": sum(memory.pinned for memory in kept),
        "oldest": time(min(times, default=None)),
        "newest": time(max(times, default=None)),
        "expiring_within_7_days": sum(now <= end <= now + _SOON for end in ends),
        "next_expiry": time(min((end for end in ends if end > now), default=None)),
    }


ROUTES = (
    Route("POST", "/v1/subjects", "findSubject", _SEE, look_up,
          "Find the pseudonym of an owner or a name.", body=SubjectBody),
    Route("GET", "/v1/subjects/{ref}", "getSubject", _SEE, show,
          "What is kept about a subject, in counts."),
)  # fmt: skip
