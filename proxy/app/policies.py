"""Which policy governs which tenant, and keeping it fresh."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from policies import Policy, PolicyError
from policies.access import only_observes
from policies.watch import PolicyWatcher
from proxy.telemetry import get_logger
from proxy.telemetry.metrics import POLICY_ERRORS, POLICY_INFO

_log = get_logger("policies")
Told = Callable[[str, Mapping[str, Any]], None]


class Policies:
    """The policies in force: one for the installation, others for tenants that name one.

    Args:
        default: source of the installation's policy.
        by_tenant: source by tenant id.
        tell: called with an event and its fields when a policy becomes active or is refused.

    Raises:
        PolicyError: a policy does not load; without one nothing starts.
    """

    def __init__(self, default: str, by_tenant: Mapping[str, str], tell: Told) -> None:
        self._default, self._by_tenant, self._tell = default, dict(by_tenant), tell
        sources = dict.fromkeys([default, *by_tenant.values()])
        self._watchers = {source: self._watch(source) for source in sources}

    def __call__(self, tenant_id: str) -> Policy:
        """The policy that governs a tenant now."""
        return self._watchers[self._by_tenant.get(tenant_id, self._default)].current

    def report(self) -> dict[str, Any]:
        """Each source with its active digest and, if the latest file is faulty, the error.

        ``observes``: whether it lets everything that is found through to the store.
        """
        return {
            source: {
                "name": watcher.current.name,
                "digest": watcher.current.digest,
                "error": watcher.error,
                "observes": only_observes(watcher.current),
                "tenants": sorted(t for t, named in self._by_tenant.items() if named == source),
            }
            for source, watcher in self._watchers.items()
        }

    async def look(self) -> None:
        """Look once whether a file changed."""
        for watcher in self._watchers.values():
            await watcher.look()

    def _watch(self, source: str) -> PolicyWatcher:
        watcher = PolicyWatcher(source, self._changed, on_error=partial(self._rejected, source))
        POLICY_INFO.labels(watcher.current.name, watcher.current.digest).set(1)
        _tell_observing(watcher.current)
        return watcher

    def _changed(self, policy: Policy) -> None:
        POLICY_INFO.clear()
        for watcher in self._watchers.values():
            POLICY_INFO.labels(watcher.current.name, watcher.current.digest).set(1)
        _log.info("policy.activated", policy_digest=policy.digest)
        _tell_observing(policy)
        self._tell("policy.activated", {"policy_digest": policy.digest})

    def _rejected(self, source: str, error: PolicyError) -> None:
        """The last good policy stays; what is wrong with the new one is in the readiness."""
        POLICY_ERRORS.inc()
        fields = {
            "policy_digest": self._watchers[source].current.digest, "count": len(error.errors)
        }  # fmt: skip
        first = error.errors[0]
        _log.error("policy.rejected", line=first.line, column=first.column, **fields)
        self._tell("policy.rejected", fields)


def _tell_observing(policy: Policy) -> None:
    if only_observes(policy):
        _log.warning("policy.observes", policy_digest=policy.digest)
