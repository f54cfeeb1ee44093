"""Which owner ids are blocked once everything under them is forgotten, and which stay free."""

from typing import get_args

import pytest

from proxy.erasure.search.target import OwnerKind, Target
from proxy.ledger import owners
from tests.support.erasing import Erasing


async def blocked(bench: Erasing, kind: str, owner: str) -> bool:
    """Whether a write under this owner is refused."""
    return await bench.means.blocklist.owner_blocked(bench.tenant_id, kind, owner)


@pytest.mark.parametrize("kind", get_args(OwnerKind))
async def test_an_owner_of_any_kind_is_blocked(bench: Erasing, kind: OwnerKind) -> None:
    """A user, an agent, a run, an app; the same id of another kind is another owner."""
    names = await bench.means.keyring.tenant(bench.tenant_id)
    place = {kind: owners.upstream_id(names, bench.store.owner_form, kind, "u-1")}
    await bench.store.add(place, "Likes jasmine tea", {})
    view = await bench.forget(Target(kind="owner", values=("u-1",), owner_kind=kind))
    assert view.state == "complete"
    for each in get_args(OwnerKind):
        assert await blocked(bench, each, "u-1") is (each == kind)


@pytest.mark.parametrize("values", [(), ("projects/acme",)], ids=["tenant", "scope"])
async def test_a_place_is_not_blocked_and_can_be(bench: Erasing, values: tuple[str, ...]) -> None:
    """A scope or a tenant is no person; who wants it closed blocks the id by itself."""
    await bench.remember("projects/acme", "The pump is blue", mentions=[])
    view = await bench.forget(Target(kind="tenant", values=values))
    assert (view.state, await bench.texts("projects/acme")) == ("complete", [])
    assert not await blocked(bench, "user", "projects/acme")
    await bench.ledger.write(
        lambda tx: bench.means.blocklist.add_owner(tx, bench.tenant_id, "user", "projects/acme")
    )
    assert await blocked(bench, "user", "projects/acme")
