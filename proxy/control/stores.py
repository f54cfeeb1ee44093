"""Whole stores: index what is there, report on it, re-apply deletions after a restore."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from proxy.control.erasures import actor
from proxy.control.routing import Ask, Body, Route, roles
from proxy.control.services import ControlServices
from proxy.erasure.adopt import adopt as index
from proxy.erasure.reconcile import reconcile as reapply
from proxy.erasure.scan import scan as look
from proxy.problems import Problem

_OPERATE = roles("operator", "privacy")


class StoreBody(Body):
    """Which store."""

    upstream: str | None = Field(default=None, max_length=63, description="Its name; absent: all.")


class ReconcileBody(Body):
    """How to reconcile."""

    dry_run: bool = Field(default=False, description="Only say what came back.")


def _known(services: ControlServices, upstream: str | None) -> str | None:
    if upstream is not None and upstream not in services.means.stores:
        raise Problem("not-found", "There is no such store.")
    return upstream


async def adopt(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Index what was stored before Expunge, or behind its back; going on where it stopped."""
    upstream = _known(services, ask.body.upstream)
    return (await index(services.means, ask.tenant_id, upstream=upstream)).body()


async def scan(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Count personal data, special categories, expired, blocked and returned items."""
    upstream = _known(services, ask.body.upstream)
    return (await look(services.means, ask.tenant_id, upstream=upstream)).body()


async def reconcile(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Erase again what a restored backup brought back."""
    done = await reapply(
        services.means, services.erasure, ask.tenant_id, actor=actor(ask), dry_run=ask.body.dry_run
    )
    return done.body()


ROUTES = (
    Route("POST", "/v1/stores/adopt", "adopt", _OPERATE, adopt,
          "Index what was stored before Expunge.", body=StoreBody),
    Route("POST", "/v1/stores/scan", "scan", _OPERATE, scan, "Report on a store in counts.",
          body=StoreBody),
    Route("POST", "/v1/stores/reconcile", "reconcile", _OPERATE, reconcile,
          "Erase again what a restored backup brought back.", body=ReconcileBody),
)  # fmt: skip
