"""Quarantine: what waits for a review, and what was decided about it."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from proxy.control.erasures import actor, shown
from proxy.control.memories import find
from proxy.control.queries import cursor_of
from proxy.control.routing import Ask, Body, Route, roles
from proxy.control.services import ControlServices
from proxy.ledger import owners
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.problems import Problem
from proxy.rights.quarantine import PAGE

_SEE = roles("operator", "privacy", "auditor")
_DECIDE = roles("privacy")


class ReleaseBody(Body):
    """How to let something out."""

    confirm: Literal["confirmed"] | None = Field(
        default=None, description="The word 'confirmed': also what the policy would hold again."
    )


async def list_(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """What is held, oldest first; no content."""
    subject = ask.query.get("subject")
    if subject is not None:
        await _check_subject(services, ask.tenant_id, subject)
    found = await services.quarantine.listed(
        ask.tenant_id, after=cursor_of(ask, "mem") or "", owner_id=subject
    )
    last = found[-1].memory.id if len(found) == PAGE else None
    return {"items": [one.body() for one in found], "next": last}


async def show(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """One of them, and what the active policy makes of it now; its text only if asked for."""
    wanted = ask.query.get("text", "false")
    if wanted not in {"true", "false"}:
        raise Problem("invalid-request", "text is true or false.")
    if wanted == "true" and not ask.caller.roles & _DECIDE:
        raise Problem("forbidden", "Reading what is held takes the role privacy.")
    memory = await _memory(services, ask)
    one, judged = await services.quarantine.show(ask.tenant_id, memory)
    body = {**one.body(), "now": judged.body()}
    if wanted == "true":
        await services.quarantine.noted(ask.tenant_id, memory, actor=actor(ask))
        body["text"] = judged.text
    return body


async def release(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Let it out, if the active policy lets it or it is confirmed."""
    body: ReleaseBody = ask.body
    done = await services.quarantine.release(
        ask.tenant_id,
        await _memory(services, ask),
        actor=actor(ask),
        confirmed=body.confirm == "confirmed",
    )
    return done.body()


async def discard(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Erase it, with a certificate."""
    memory = await _memory(services, ask)
    view = await services.quarantine.discard(ask.tenant_id, memory, actor=actor(ask))
    return await shown(services, ask, view)


async def _memory(services: ControlServices, ask: Ask) -> Memory:
    return await services.ledger.read(lambda tx: find(services, tx, ask.tenant_id, ask.path["id"]))


async def _check_subject(services: ControlServices, tenant_id: str, ref: str) -> None:
    async def unit(tx: Tx) -> bool:
        return any(row.tenant_id == tenant_id for row in await owners.by_ids(tx, [ref]))

    if not await services.ledger.read(unit):
        raise Problem("not-found", "There is no such owner.")


_ONE = "/v1/quarantine/{id}"
ROUTES = (
    Route("GET", "/v1/quarantine", "listQuarantine", _SEE, list_,
          "What is held for review, oldest first; no content.",
          query={"subject": "Only of this owner: its ref, as POST /v1/subjects gives it.",
                 "cursor": "Continue after this point ('next' of the last answer)."}),
    Route("GET", _ONE, "getQuarantined", _SEE, show,
          "One of them, and what the active policy makes of it now.",
          query={"text": "true: with its text (role privacy; the audit log notes it)."}),
    Route("POST", f"{_ONE}/release", "releaseQuarantined", _DECIDE, release,
          "Let it out, if the active policy lets it or it is confirmed.", body=ReleaseBody),
    Route("POST", f"{_ONE}/discard", "discardQuarantined", _DECIDE, discard,
          "Erase it, with a certificate."),
)  # fmt: skip
