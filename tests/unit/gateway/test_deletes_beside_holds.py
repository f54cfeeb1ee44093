"""A client deletes its own: a hold on what derives from that is none of its business."""

from typing import Any

import pytest

from proxy.erasure.search.target import Actor
from proxy.erasure.service import ErasureService
from proxy.rights.holds import Holds, Keeping
from tests.support.gateway import Plane

OPERATOR = Actor("operator", "op-1")
ROUTES = ["/v1/memories/{}/", "/memories/{}", "/v1/memories/?user_id=u-1", "/memories?user_id=u-1"]


def holds(plane: Plane) -> Holds:
    """The service of holds over the gateway's own erasures."""
    service = plane.services.erasure
    assert isinstance(service, ErasureService)
    return Holds(service._means, service)


async def hold(plane: Plane, owner: str) -> Any:
    """Place a hold on all of an owner."""
    return await holds(plane).hold(
        plane.tenants["acme"],
        actor=OPERATOR,
        keeping=Keeping("legal_claims"),
        owner=("user", owner),
    )


async def there(plane: Plane, memory_id: str) -> bool:
    """Whether the store has a memory."""
    return await plane.services.stores["mem0"].store.get(memory_id) is not None


@pytest.mark.parametrize("route", ROUTES)
async def test_the_answer_is_the_usual_one(plane: Plane, route: str) -> None:
    """The same with and without the hold; the held one stays, and goes at its release."""
    usual = await plane.call("DELETE", route.format(await plane.add("I like cold soup")))
    turn = await plane.add("I like cold soup")
    derived = {"expunge": {"derived_from": [turn]}}
    kept = await plane.add("The plan works", "u-2", metadata=derived)
    placed = await hold(plane, "u-2")
    status, body = await plane.call("DELETE", route.format(turn))
    assert (status, sorted(body)) == (200, sorted(usual[1]))
    assert body.get("message") == usual[1].get("message")
    assert (await there(plane, turn), await there(plane, kept)) == (False, True)
    await holds(plane).lift(plane.tenants["acme"], placed, actor=OPERATOR)
    assert not await there(plane, kept)


@pytest.mark.parametrize("route", ROUTES)
async def test_what_is_held_itself_is_refused(plane: Plane, route: str) -> None:
    """A success would be none: the memory is there."""
    kept = await plane.add("I like cold soup")
    await hold(plane, "u-1")
    status, problem = await plane.call("DELETE", route.format(kept))
    assert (status, problem["detail"]) == (409, "A legal hold keeps it.")
    assert await there(plane, kept)
