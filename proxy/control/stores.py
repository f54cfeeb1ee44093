"""Whole stores: index what is there, report on it, re-apply deletions after a restore.

With ``Accept: application/x-ndjson`` each tells on the way how far it is.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from proxy.control.erasures import actor
from proxy.control.progress import answer
from proxy.control.routing import Answer, Ask, Body, Route, roles
from proxy.control.services import ControlServices
from proxy.erasure.adopt import adopt as index
from proxy.erasure.reconcile import reconcile as reapply
from proxy.erasure.scan import scan as look
from proxy.erasure.search.walk import Progress
from proxy.ledger import tenants
from proxy.problems import Problem

_OPERATE = roles("operator", "privacy")


class StoreBody(Body):
    """Which store."""

    upstream: str | None = Field(default=None, max_length=63, description="Its name; absent: all.")


class ReconcileBody(Body):
    """How to reconcile."""

    dry_run: bool = Field(default=False, description="Only say what came back.")
    orphans: bool = Field(
        default=False,
        description="Also delete versions of memories that neither the store nor any tenant's "
        "ledger knows any more. A token of one of several tenants may not.",
    )


def _known(services: ControlServices, upstream: str | None) -> str | None:
    if upstream is not None and upstream not in services.means.stores:
        raise Problem("not-found", "There is no such store.")
    return upstream


async def adopt(services: ControlServices, ask: Ask) -> Answer:
    """Index what was stored before Expunge, or behind its back; going on where it stopped."""
    upstream = _known(services, ask.body.upstream)

    async def work(progress: Progress) -> Mapping[str, Any]:
        found = await index(services.means, ask.tenant_id, upstream=upstream, progress=progress)
        return found.body()

    return await answer(ask, work)


async def scan(services: ControlServices, ask: Ask) -> Answer:
    """Count personal data, special categories, expired, blocked and returned items."""
    upstream = _known(services, ask.body.upstream)

    async def work(progress: Progress) -> Mapping[str, Any]:
        found = await look(services.means, ask.tenant_id, upstream=upstream, progress=progress)
        return found.body()

    return await answer(ask, work)


async def reconcile(services: ControlServices, ask: Ask) -> Answer:
    """Erase again what a restored backup brought back."""

    shared = ask.caller.tenant_id and not await services.means.ledger.read(tenants.is_alone)
    if ask.body.orphans and shared:
        raise Problem(
            "forbidden", "They may be another tenant's.", hint="Use an installation's token."
        )

    async def work(progress: Progress) -> Mapping[str, Any]:
        done = await reapply(
            services.means, services.erasure, ask.tenant_id, actor=actor(ask),
            dry_run=ask.body.dry_run, orphans=ask.body.orphans, progress=progress,
        )  # fmt: skip
        return done.body()

    return await answer(ask, work)


ROUTES = (
    Route("POST", "/v1/stores/adopt", "adopt", _OPERATE, adopt,
          "Index what was stored before Expunge.", body=StoreBody),
    Route("POST", "/v1/stores/scan", "scan", _OPERATE, scan, "Report on a store in counts.",
          body=StoreBody),
    Route("POST", "/v1/stores/reconcile", "reconcile", _OPERATE, reconcile,
          "Erase again what a restored backup brought back.", body=ReconcileBody),
)  # fmt: skip
