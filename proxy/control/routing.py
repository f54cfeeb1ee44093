"""What a control-plane route is: path, roles, models and handler, listed once and documented."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web
from pydantic import BaseModel, ConfigDict

from proxy.config.section import Role

Method = Literal["GET", "POST", "PATCH", "DELETE"]


def roles(*names: Role) -> frozenset[str]:
    """The roles that may call a route."""
    return frozenset(names)


class Body(BaseModel):
    """A request body; unknown members are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls the control plane.

    Args:
        key_id: id of the presented token; of a signed one, its holder's pseudonym.
        tenant_id: the tenant it is bound to; None: the whole installation.
        roles: what it may do.
    """

    key_id: str
    tenant_id: str | None
    roles: frozenset[str]


@dataclass(frozen=True, slots=True)
class Ask:
    """One authorised, parsed request, as a handler sees it."""

    caller: Caller
    tenant_id: str
    path: Mapping[str, str]
    query: Mapping[str, str]
    body: Any
    headers: Mapping[str, str]


Answer = Mapping[str, Any] | BaseModel | web.Response
Handler = Callable[[Any, Ask], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Route:
    """One operation of the control plane.

    Args:
        method: HTTP method.
        path: template below the base path, such as ``/v1/erasures/{id}``.
        name: operation id in the OpenAPI document.
        roles: roles that may call it; empty: no credential needed.
        handler: called with the services and the parsed request.
        summary: one sentence for the reference.
        body: model of the request body; None: no body.
        status: status of success.
        tenant: whether the operation needs one tenant.
        query: names of query parameters and what they mean.
        media: media type of the answer.
    """

    method: Method
    path: str
    name: str
    roles: frozenset[str]
    handler: Handler
    summary: str
    body: type[Body] | None = None
    status: int = 200
    tenant: bool = True
    query: Mapping[str, str] = field(default_factory=dict)
    media: str = "application/json"
