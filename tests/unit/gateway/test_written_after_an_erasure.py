"""What is written after an erasure began stays when that is taken up again, unless it is blocked.

The store's history is out of reach here, so every erasure ends incomplete and can be retried.
"""

from collections.abc import AsyncIterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
import pytest_asyncio

from policies import Policy, load_text
from proxy.erasure.search.target import Actor, Target
from proxy.erasure.service import ErasureService
from proxy.erasure.view import ErasureView
from proxy.ledger import blocklist, owners
from proxy.rights.holds import Holds, Keeping
from tests.support.gateway import Plane

OPERATOR = Actor("operator", "op-1")
OWNER = Target(kind="owner", values=("u-1",))
MAIL, OTHER = "Write to ada.fenwick@example.org", "Write to bo.lindqvist@example.org"
POLICY = b"apiVersion: expunge/v1\nkind: Policy\nname: tested\nextends: builtin/gdpr-default\n"
UNBLOCKED = POLICY + b'blocklist: {after_erasure: "off"}\n'
TARGETS: dict[str, tuple[Target, str]] = {
    "a tag": (Target(kind="tag", values=("pii:email_address",)), "control"),
    "a tag of an owner": (
        Target(kind="tag", values=("pii:email_address",), owner="u-1"), "control"
    ),
    "an owner, by its client": (OWNER, "client"),
}  # fmt: skip


@pytest_asyncio.fixture(loop_scope="session")
async def unblocked(opened: Any) -> AsyncIterator[Plane]:
    """A data plane whose policy blocks nobody after an erasure."""
    asked: Policy = load_text(UNBLOCKED, "tested.yaml")
    async with opened(change=lambda _: asked) as found:
        yield found


def service(plane: Plane) -> ErasureService:
    found = plane.services.erasure
    assert isinstance(found, ErasureService)
    return found


async def forget(plane: Plane, target: Target, origin: Any = "control") -> ErasureView:
    view = await service(plane).forget(plane.tenants["acme"], target, actor=OPERATOR, origin=origin)
    plane.clock.advance(timedelta(seconds=1))
    return view


async def retry(plane: Plane, view: ErasureView) -> ErasureView:
    plane.clock.advance(timedelta(seconds=1))
    return await service(plane).retry(plane.tenants["acme"], view.id, actor=OPERATOR)


async def let_back(plane: Plane, view: ErasureView) -> None:
    """A consent given anew lifts all that the erasure blocked."""
    tenant, lists = plane.tenants["acme"], plane.services.blocklist
    live = await plane.services.ledger.read(
        partial(blocklist.of_erasure, tenant_id=tenant, erasure_id=view.id)
    )
    assert live
    await plane.services.ledger.write(
        lambda tx: lists.lift(tx, tenant, group_id=live[0].group_id, erasure_id=view.id)  # type: ignore[attr-defined]
    )


async def texts(plane: Plane) -> list[str]:
    _, body = await plane.call("POST", "/v3/memories/", {"filters": {"user_id": "u-1"}})
    return sorted(item["memory"] for item in body["results"])


@pytest.mark.parametrize(("target", "origin"), TARGETS.values(), ids=TARGETS)
async def test_what_is_written_after_it_stays(plane: Plane, target: Target, origin: str) -> None:
    await plane.add(MAIL)
    view = await forget(plane, target, origin)
    assert (view.state, view.counts["deleted"]) == ("incomplete", 1)
    await plane.add(OTHER)
    again = await retry(plane, view)
    assert (again.counts["deleted"], again.counts["kept"]) == (1, 1)
    assert await texts(plane) == [OTHER]


async def test_what_is_changed_after_it_stays(plane: Plane) -> None:
    """An update is a write: the memory says something else since."""
    await plane.add(MAIL)
    later = await plane.add("Likes tea")
    view = await forget(plane, TARGETS["a tag"][0])
    status, _ = await plane.call("PUT", f"/v1/memories/{later}/", {"text": OTHER})
    assert status == 200
    await retry(plane, view)
    assert await texts(plane) == [OTHER]


async def test_who_is_not_blocked_may_be_written_of(unblocked: Plane) -> None:
    """The policy blocks nobody, so the owner begins anew, under a new key that stays."""
    await unblocked.add("Likes tea")
    view = await forget(unblocked, OWNER)
    assert view.state == "incomplete"
    await unblocked.add("Likes cake")
    await retry(unblocked, view)
    assert await texts(unblocked) == ["Likes cake"]
    assert await state(unblocked) == "active"


async def test_who_was_let_back_may_be_written_of(plane: Plane) -> None:
    """Of them nothing goes that was written since, and nobody blocks them again."""
    await plane.add("Likes tea")
    view = await forget(plane, OWNER)
    await let_back(plane, view)
    await plane.add("Likes cake")
    again = await retry(plane, view)
    failed = {layer.reason for layer in again.layers if layer.status == "residual"}
    assert failed == {"out_of_reach", "no_route_deletes_it"}
    assert (await texts(plane), await state(plane)) == (["Likes cake"], "active")
    await plane.add("Likes milk")
    assert await texts(plane) == ["Likes cake", "Likes milk"]


async def test_who_was_not_let_back_may_not(plane: Plane) -> None:
    """The twin of the two before: the block stands."""
    await plane.add("Likes tea")
    view = await forget(plane, OWNER)
    body = {
        "messages": [{"role": "user", "content": "Likes cake"}],
        "user_id": "u-1",
        "infer": False,
    }
    status, problem = await plane.call("POST", "/v3/memories/add/", body)
    assert (status, problem["type"]) == (422, "urn:expunge:problem:write-rejected")
    await retry(plane, view)
    assert (await texts(plane), await state(plane)) == ([], "erased")


async def test_who_is_let_back_while_something_is_held_may_be_written_of(plane: Plane) -> None:
    """The rest of the erasure goes on with the release, and takes what it was about alone."""
    tenant = plane.tenants["acme"]
    holds = Holds(service(plane)._means, service(plane))
    kept = await plane.add("Likes tea")
    hold = await holds.hold(
        tenant, actor=OPERATOR, keeping=Keeping("legal_claims"), owner=("user", "u-1")
    )
    view = await forget(plane, OWNER)
    assert (view.counts["held"], await state(plane)) == (1, "erasing")
    await let_back(plane, view)
    await plane.add("Likes cake")
    await holds.lift(tenant, hold, actor=OPERATOR)
    store = next(iter(plane.services.stores.values())).store
    assert await store.get(kept) is None
    assert (await texts(plane), await state(plane)) == (["Likes cake"], "active")
    await plane.add("Likes milk")
    assert await texts(plane) == ["Likes cake", "Likes milk"]


async def test_what_is_written_while_a_clients_delete_is_held_stays(plane: Plane) -> None:
    """The delete waits for the release, and takes what the client asked to delete then."""
    tenant = plane.tenants["acme"]
    holds = Holds(service(plane)._means, service(plane))
    await plane.add("Likes tea")
    hold = await holds.hold(
        tenant, actor=OPERATOR, keeping=Keeping("legal_claims"), owner=("user", "u-1")
    )
    status, problem = await plane.call("DELETE", "/v1/memories/?user_id=u-1")
    assert (status, problem["hint"]) == (409, "It is deleted when the hold is released.")
    plane.clock.advance(timedelta(seconds=1))
    await plane.add("Likes cake")
    await holds.lift(tenant, hold, actor=OPERATOR)
    assert await texts(plane) == ["Likes cake"]


async def state(plane: Plane) -> str:
    """Where the owner's row stands."""
    tenant = plane.tenants["acme"]
    ref = owners.ref(await plane.services.keyring.tenant(tenant), "user", "u-1")
    found = await plane.services.ledger.read(lambda tx: owners.find(tx, tenant, "user", ref))
    assert found is not None
    return found.state
