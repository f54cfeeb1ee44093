"""The policy chooses how much is done to find personal data, per route of a store."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from policies import load_text
from proxy.gateway.exchange import Exchange
from proxy.gateway.request.detect import scan, tier_of
from tests.support.gateway import Plane

HEAD = b"apiVersion: expunge/v1\nkind: Policy\nname: mine\n"
POLICY = load_text(HEAD + b"detection: {routes: {search: structured}}\n")


def exchange(route: str) -> Exchange:
    """What the choice is made by."""
    parts: dict[str, Any] = {
        "policy": POLICY,
        "binding": SimpleNamespace(name="mem0"),
        "route": SimpleNamespace(op=route),
    }
    return cast("Exchange", SimpleNamespace(**parts))


@pytest.mark.parametrize(("route", "tier"), [("search", "structured"), ("write", None)])
async def test_the_tier_of_a_route_reaches_the_detectors(
    faulty: Plane, route: str, tier: str | None
) -> None:
    """A route that the policy names has its tier, another the installation's."""
    faulty.detectors.tiers.clear()
    chosen = tier_of(exchange(route))
    await scan(faulty.services, faulty.tenants["acme"], ["x y"], tier=chosen)
    assert faulty.detectors.tiers == [tier]
