"""Fixtures of the fault tests: the same service as in the unit tests of erasure; two stores."""

from pathlib import Path

import pytest

from proxy.clock import FrozenClock
from proxy.erasure.saga import deletion
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from tests.support.erasing import erasing, policy_with, small_binding
from tests.support.two_stores import Two
from tests.unit.erasure.conftest import bench, build

__all__ = ["bench", "build", "two"]


@pytest.fixture
async def two(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path,
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch,
) -> Two:  # fmt: skip
    """Two stores, under the default policy or the one of the test."""
    monkeypatch.setattr(deletion, "PAUSE_S", 0.0)  # they answer at once or never
    first, one = small_binding("first")
    second, other = small_binding("second")
    policy = policy_with(**getattr(request, "param", {}))
    bench = await erasing(ledger, keyring, tenant_id, clock, tmp_path, [first, second], policy, one)
    return Two(bench, one, other, clock)
