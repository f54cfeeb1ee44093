"""Fixtures of the erasure tests: a service over the small store."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from proxy.clock import FrozenClock
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from tests.support.erasing import Erasing, erasing, policy_with, small_binding
from tests.support.small_store import SmallLayer

Build = Callable[..., Awaitable[Erasing]]


@pytest.fixture
def build(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path
) -> Build:
    """Make a service with another erasure policy, or other layers."""

    async def make(layers: dict[str, SmallLayer] | None = None, **erasure: Any) -> Erasing:
        store, small = small_binding(**(layers or {}))
        return await erasing(
            ledger, keyring, tenant_id, clock, tmp_path, [store], policy_with(**erasure), small
        )

    return make


@pytest.fixture
async def bench(build: Build) -> Erasing:
    """A service with the default policy."""
    return await build()
