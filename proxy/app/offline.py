"""Work on the files of stores that are stopped, beside the service or without it."""

from typing import Any

from proxy.app.build import build
from proxy.clock import SystemClock
from proxy.config import Config
from proxy.erasure.reconcile import Returned, reconcile_offline
from proxy.ledger import tenants
from proxy.problems import Problem


async def reconcile_files(
    config: Config, tenant: str | None, *, dry_run: bool = False
) -> dict[str, Any]:
    """Take out of the stores' files what was erased and is there again.

    Args:
        tenant: a tenant's name; None: every one.

    Raises:
        Problem: ``not-found``, or ``upstream-unreachable`` where a file cannot be used.
    """
    done = Returned()
    async with build(config, SystemClock()) as services:
        means = services.control.means
        known = await means.ledger.read(tenants.every)
        meant = [each for each in known if each.wrapped_secret and tenant in (None, each.name)]
        if not meant:
            raise Problem("not-found", "There is no such tenant.")
        for each in meant:
            done.add(await reconcile_offline(means, each.id, dry_run=dry_run))
    return done.body()
