"""Retention: sweep now, end a session."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pydantic import Field

from proxy.control.routing import Ask, Body, Route, roles
from proxy.control.services import ControlServices

_OPERATE = roles("operator", "privacy")
_APP = roles("app", "operator", "privacy")


class SweepBody(Body):
    """How to sweep."""

    trust_clock: bool = Field(
        default=False, description="An operator has looked at the clock: go on after a jump."
    )


class SessionBody(Body):
    """A session that ended."""

    owner: str = Field(max_length=256, description="Usually the id of a run.")
    owner_kind: str = Field(default="run", pattern="^(user|agent|run|app)$")


async def sweep(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Erase now what has outlived its period, in every tenant."""
    return asdict(await services.sweeper.run_once(trust_clock=ask.body.trust_clock))


async def end_session(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Its ephemeral memories are unreadable at once and erased by the next sweep."""
    body: SessionBody = ask.body
    ended = await services.sweeper.end_session(ask.tenant_id, body.owner_kind, body.owner)
    return {"ended": ended}


ROUTES = (
    Route("POST", "/v1/retention/sweep", "sweep", _OPERATE, sweep,
          "Erase now what has outlived its period.", body=SweepBody, tenant=False),
    Route("POST", "/v1/sessions/end", "endSession", _APP, end_session,
          "End a session: what is only for it goes.", body=SessionBody),
)  # fmt: skip
