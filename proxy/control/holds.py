"""Legal holds and restrictions: kept despite erasure, or kept unreadable."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import AwareDatetime, Field

from proxy.control.erasures import actor
from proxy.control.keys import time
from proxy.control.routing import Ask, Body, Route, roles
from proxy.control.services import ControlServices
from proxy.ledger import owners
from proxy.ledger.engine import Tx
from proxy.problems import Problem
from proxy.rights.holds import Keeping

_SEE = roles("privacy", "auditor")
_DECIDE = roles("privacy")


class KeepBody(Body):
    """Why something is kept, and until when somebody looks again."""

    code: str = Field(max_length=60, pattern=r"^[A-Za-z0-9_.:-]+$", description="The ground.")
    review_at: AwareDatetime | None = Field(default=None, description="When to look again.")
    memory: str | None = Field(default=None, max_length=128, description="Only this memory.")


class OwnerKeepBody(KeepBody):
    """Whose data is kept: an owner that a store has, whether or not the ledger knows them."""

    owner: str = Field(max_length=256, description="The client's id; it stays out of every URL.")
    owner_kind: Literal["user", "agent", "run", "app"] = "user"
    kind: Literal["hold", "restriction"] = "hold"


async def owner_of(services: ControlServices, ask: Ask, ref: str | None = None) -> tuple[str, str]:
    """Kind and the client's id of the owner behind a pseudonym.

    Args:
        ref: the pseudonym; the one in the path when absent.

    Raises:
        Problem: ``not-found``; entities have no holds of their own.
    """
    ref, tenant_id = ask.path["ref"] if ref is None else ref, ask.tenant_id

    async def unit(tx: Tx) -> tuple[str, bytes]:
        row = next((o for o in await owners.by_ids(tx, [ref]) if o.tenant_id == tenant_id), None)
        if row is None or row.state == "erased":
            raise Problem("not-found", "There is no such owner.")
        aad = owners.aad(tenant_id, row.id)
        return row.kind, await services.keyring.unseal(tx, row.dek_id, row.sealed_id, aad)

    kind, clear = await services.ledger.read(unit)
    return kind, clear.decode()


async def hold(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Keep a subject's data despite erasure, as a documented exception."""
    return await _placed(services, ask, "hold", await owner_of(services, ask))


async def restrict(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Keep a subject's data, unreadable on every route (GDPR Art. 18)."""
    return await _placed(services, ask, "restriction", await owner_of(services, ask))


async def place(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Either of them, of an owner by the client's id: the stores are asked whom only they know."""
    return await _placed(services, ask, ask.body.kind, (ask.body.owner_kind, ask.body.owner))


async def _placed(
    services: ControlServices, ask: Ask, kind: str, owner: tuple[str, str]
) -> dict[str, Any]:
    """Its id, and how much it has hold of."""
    body: KeepBody = ask.body
    what: dict[str, Any] = {"owner": owner, "memory_id": body.memory}
    put = services.holds.hold if kind == "hold" else services.holds.restrict
    keeping = Keeping(body.code, body.review_at)
    hold_id = await put(ask.tenant_id, actor=actor(ask), keeping=keeping, **what)
    return {"id": hold_id, **(await services.holds.covered(ask.tenant_id, **what)).body()}


async def lift(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Release it; erasures that waited for it go on."""
    hold_id = ask.path["id"]
    resumed = await services.holds.lift(ask.tenant_id, hold_id, actor=actor(ask))
    return {"id": hold_id, "resumed": resumed}


async def list_(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Holds and restrictions in force."""
    found = await services.holds.in_force(ask.tenant_id)
    return {
        "items": [
            {
                "id": each.id,
                "kind": each.kind,
                "code": each.code,
                "subject": each.owner_id,
                "one_memory": each.memory_id is not None,
                "created_at": time(each.created_at),
                "review_at": time(each.review_at),
            }
            for each in found
        ]
    }


ROUTES = (
    Route("GET", "/v1/holds", "listHolds", _SEE, list_, "Holds and restrictions in force."),
    Route("POST", "/v1/holds", "placeHoldByOwner", _DECIDE, place,
          "Hold or restrict by owner id, also whom only a store knows.", body=OwnerKeepBody,
          status=201),
    Route("DELETE", "/v1/holds/{id}", "liftHold", _DECIDE, lift, "Release a hold or restriction."),
    Route("POST", "/v1/subjects/{ref}/holds", "placeHold", _DECIDE, hold,
          "Keep despite erasure, as a documented exception.", body=KeepBody, status=201),
    Route("POST", "/v1/subjects/{ref}/restriction", "restrict", _DECIDE, restrict,
          "Keep, but unreadable on every route.", body=KeepBody, status=201),
)  # fmt: skip
