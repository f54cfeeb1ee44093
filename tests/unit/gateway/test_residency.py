"""Where a store is decides what may be written there: from the configuration to the policy."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest

import policies
from proxy.app.build import open_store
from proxy.config.load import loads
from tests.support.fault_store import FaultStore, added
from tests.support.gateway import Plane

Opened = Callable[..., AbstractAsyncContextManager[Plane]]
BODY = {"messages": [{"role": "user", "content": "A pond."}], "user_id": "u-1", "infer": False}
STAY = {"eu": ["eu-west", "EU-north"]}


def resident(unknown: str = "reject") -> Callable[[policies.Policy], policies.Policy]:
    """A policy under which data of the region ``eu`` stays in two regions."""

    def change(found: policies.Policy) -> policies.Policy:
        section = found.residency.model_copy(update={"stay": STAY, "unknown_region": unknown})
        return replace(found, residency=section)

    return change


@pytest.mark.parametrize(
    ("store", "stated", "unknown", "status"),
    [
        ("eu-west", "eu", "reject", 200),
        ("eu-north", "EU", "reject", 200),
        ("us-east", "eu", "reject", 422),
        ("us-east", None, "reject", 200),
        ("us-east", "us", "reject", 200),
        ("local", "eu", "reject", 200),
        (None, "eu", "reject", 422),
        (None, "eu", "allow", 200),
    ],
)
async def test_data_stays_in_its_region(
    opened_plain: Opened, faults: FaultStore,
    store: str | None, stated: str | None, unknown: str, status: int,
) -> None:  # fmt: skip
    """Refused before anything is sent, unless the store's region is one of those named."""
    faults.script = lambda _: added()
    headers = {"Expunge-Region": stated} if stated else {}
    async with opened_plain(region=store, change=resident(unknown)) as plane:
        before = len(faults.requests)
        got, answer = await plane.call("POST", "/v3/memories/add/", BODY, headers=headers)
        assert got == status, answer
        assert (len(faults.requests) > before) == (status == 200)


@pytest.mark.parametrize("region", ["eu-west", None])
async def test_the_region_comes_from_the_configuration(region: str | None, tmp_path: Path) -> None:
    """``upstreams[].region`` is the store's region; absent, it is unknown."""
    line = f", region: {region}" if region else ""
    text = f"apiVersion: expunge/v1\nkind: Config\nupstreams: [{{name: m, url: 'http://h'{line}}}]"
    binding = open_store(loads(text.encode(), {}, base=tmp_path).config.upstreams[0])
    assert binding.region == region
    await binding.close()
