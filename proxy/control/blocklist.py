"""The blocklist: who must not come back, and lifting it after consent is given anew."""

from collections import Counter
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from pydantic import Field

from proxy.control.entity_types import check_entity_type
from proxy.control.erasures import tenant_name
from proxy.control.routing import Ask, Body, Route, roles
from proxy.control.services import ControlServices
from proxy.ledger import blocklist, erasures, owners
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import Erasure
from proxy.problems import Problem
from proxy.tokens.index.snapshots import SPARED
from proxy.tokens.index.spelling import Name

_SEE = roles("privacy", "auditor")
_DECIDE = roles("privacy")
_KEY = "key"


class BlockBody(Body):
    """Names of one data subject, or an owner id, to block."""

    names: list[str] = Field(default=[], max_length=100, description="All names of the subject.")
    type: str = Field(default="PERSON", max_length=40, description="What kind of name it is.")
    owner: str | None = Field(default=None, max_length=256, description="An owner id to block.")
    owner_kind: str = Field(default="user", pattern="^(user|agent|run|app)$")


class BlockedTextBody(Body):
    """A text to check."""

    text: str = Field(max_length=100_000)
    owner: str | None = Field(default=None, max_length=256,
                              description="Under which owner id it would be kept.")  # fmt: skip
    owner_kind: str = Field(default="user", pattern="^(user|agent|run|app)$")


class LiftBody(Body):
    """Why it is lifted."""

    consent: str = Field(max_length=60, pattern=r"^[A-Za-z0-9_.:-]+$",
                         description="Reference of the consent given anew.")  # fmt: skip


async def list_(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Blocked subjects, as opaque groups, with what asked for each."""

    async def unit(tx: Tx) -> tuple[list[blocklist.Entry], dict[str, Erasure]]:
        live = await blocklist.live(tx, ask.tenant_id)
        asked = {entry.erasure_id for entry in live if entry.erasure_id}
        return live, await erasures.by_ids(tx, ask.tenant_id, asked)

    live, asked = await services.ledger.read(unit)
    tenant = await tenant_name(services, ask)
    entries = [entry for entry in live if entry.kind != SPARED]
    entries.sort(key=lambda entry: entry.group_id)
    grouped = (list(found) for _, found in groupby(entries, lambda entry: entry.group_id))
    return {"items": [{"tenant": tenant, **_group(found, asked)} for found in grouped]}


def _group(entries: list[blocklist.Entry], asked: Mapping[str, Erasure]) -> dict[str, Any]:
    """What an operator knows an entry by: no name, and no pseudonym of one."""
    first = entries[0]
    erasure = asked.get(first.erasure_id or "")
    return {
        "id": first.group_id,
        "kind": "owner" if first.kind in {"owner", "place"} else "name",
        "keys": len(entries),
        "forms": dict(sorted(Counter(entry.kind for entry in entries).items())),
        "erasure_id": first.erasure_id,
        "reference": erasure.reference if erasure else None,
        "target": erasure.target_kind if erasure else None,
        "reason": erasure.reason if erasure else None,
        "whole_tenant": first.owner_id is None,
        "created_at": min(e.created_at for e in entries).isoformat().replace("+00:00", "Z"),
    }


async def add(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Block a subject's names, an owner id, or both together."""
    body: BlockBody = ask.body
    if not body.names and body.owner is None:
        raise Problem("invalid-request", "Give names, an owner, or both.")
    check_entity_type(services.policies(ask.tenant_id), body.type.upper(), "/type")

    async def unit(tx: Tx) -> dict[str, Any]:
        names = [Name(text, body.type.upper()) for text in body.names]
        done = await services.blocklist.add(tx, ask.tenant_id, names)
        added = done.added
        if body.owner is not None:
            added += (
                await services.blocklist.add_owner(
                    tx, ask.tenant_id, body.owner_kind, body.owner, group_id=done.group_id
                )
            ).added
        fields = {"group": done.group_id, "keys": added, _KEY: ask.caller.key_id}
        await services.audit.append(tx, ask.tenant_id, "blocklist.added", fields)
        return {"id": done.group_id, "keys": added, "refused": list(done.refused)}

    return await services.ledger.write(unit)


async def lift(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Let a subject be remembered again, by recorded consent.

    What one erasure blocks is one subject, in groups for the tenant and for owners: all are lifted.
    """
    group = ask.path["id"]

    async def unit(tx: Tx) -> int:
        blocked = await blocklist.of_group(tx, ask.tenant_id, group)
        if not blocked:
            raise Problem("not-found", "There is no such entry.")
        erasure = blocked[0].erasure_id
        lifted = await services.blocklist.lift(
            tx, ask.tenant_id, group_id=group, erasure_id=erasure
        )
        fields = {"group": group, "consent": ask.body.consent, _KEY: ask.caller.key_id}
        fields |= {"erasure": erasure} if erasure else {}
        await services.audit.append(tx, ask.tenant_id, "blocklist.lifted", fields)
        return lifted

    return {"id": group, "lifted": await services.ledger.write(unit)}


async def check(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Whether a text mentions somebody blocked; only for those who decide about it."""
    body: BlockedTextBody = ask.body
    row_ids: list[str] = []
    refused = False
    if body.owner is not None:
        refused = await services.blocklist.owner_blocked(ask.tenant_id, body.owner_kind, body.owner)
        ref = owners.ref(await services.keyring.tenant(ask.tenant_id), body.owner_kind, body.owner)
        row = await services.ledger.read(
            lambda tx: owners.find(tx, ask.tenant_id, body.owner_kind, ref)
        )
        row_ids = [row.id] if row else []
    (found,) = await services.blocklist.blocked_mentions(
        ask.tenant_id, [body.text], row_ids, initials=True
    )
    return {
        "blocked": refused or bool(found),
        "mentions": [{"entity_type": d.entity_type, "start": d.start, "end": d.end} for d in found],
    }


ROUTES = (
    Route("GET", "/v1/blocklist", "listBlocked", _SEE, list_,
          "Blocked subjects, as opaque groups, with what asked for each."),
    Route("POST", "/v1/blocklist", "block", _DECIDE, add, "Block a subject's names or an owner.",
          body=BlockBody, status=201),
    Route("POST", "/v1/blocklist/check", "checkBlocked", _DECIDE, check,
          "Whether a text mentions somebody blocked.", body=BlockedTextBody),
    Route("DELETE", "/v1/blocklist/{id}", "unblock", _DECIDE, lift,
          "Lift a block after consent was given anew.", body=LiftBody),
)  # fmt: skip
