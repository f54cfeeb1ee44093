"""Which policy governs which tenant, and keeping it fresh."""

from collections.abc import Callable, Mapping
from typing import Any

from policies import Policy, PolicyError
from policies.watch import PolicyWatcher
from proxy.telemetry import get_logger
from proxy.telemetry.metrics import POLICY_ERRORS, POLICY_INFO

_log = get_logger("policies")
Changed = Callable[[Policy], None]


class Policies:
    """The policies in force: one for the installation, others for tenants that name one.

    Args:
        default: source of the installation's policy.
        by_tenant: source by tenant id.
        on_change: called with every policy that becomes active later.

    Raises:
        PolicyError: a policy does not load; without one nothing starts.
    """

    def __init__(self, default: str, by_tenant: Mapping[str, str], on_change: Changed) -> None:
        self._default, self._by_tenant, self._on_change = default, dict(by_tenant), on_change
        sources = dict.fromkeys([default, *by_tenant.values()])
        self._watchers = {source: self._watch(source) for source in sources}

    def __call__(self, tenant_id: str) -> Policy:
        """The policy that governs a tenant now."""
        return self._watchers[self._by_tenant.get(tenant_id, self._default)].current

    def report(self) -> dict[str, Any]:
        """Each source with its active digest and, if the latest file is faulty, the error."""
        return {
            source: {
                "name": watcher.current.name,
                "digest": watcher.current.digest,
                "error": watcher.error,
                "tenants": sorted(t for t, named in self._by_tenant.items() if named == source),
            }
            for source, watcher in self._watchers.items()
        }

    async def look(self) -> None:
        """Look once whether a file changed."""
        for watcher in self._watchers.values():
            await watcher.look()

    def _watch(self, source: str) -> PolicyWatcher:
        watcher = PolicyWatcher(source, self._changed, on_error=self._rejected)
        POLICY_INFO.labels(watcher.current.name, watcher.current.digest).set(1)
        return watcher

    def _changed(self, policy: Policy) -> None:
        POLICY_INFO.clear()
        for watcher in self._watchers.values():
            POLICY_INFO.labels(watcher.current.name, watcher.current.digest).set(1)
        _log.info("policy.activated", policy_digest=policy.digest)
        self._on_change(policy)

    @staticmethod
    def _rejected(_: PolicyError) -> None:
        POLICY_ERRORS.inc()
        _log.error("policy.rejected")
