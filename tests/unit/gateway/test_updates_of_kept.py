"""What a data subject wanted kept stays so when its text is updated, within what that allows."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio

from proxy.ledger import memories
from proxy.ledger.memories import Memory
from tests.support.gateway import Plane

DAY = timedelta(days=1)
PLAIN = "Met the joiner about the shelf"
OTHER = "Met the joiner about the long shelf"
HEALTH = "She was diagnosed with diabetes"


Opened = Callable[..., AbstractAsyncContextManager[Plane]]


@pytest_asyncio.fixture(loop_scope="session")
async def plane(opened: Opened) -> AsyncIterator[Plane]:
    """In front of the real Mem0, with detection of categories."""
    async with opened(tier="full") as plane:
        yield plane


async def row(plane: Plane, memory_id: str) -> Memory:
    """The ledger's row of a memory."""

    async def load(tx: Any) -> Memory:
        names = await plane.services.keyring.tenant(plane.tenants["acme"])
        ref = memories.ref(names, "mem0", memory_id)
        return (await memories.by_refs(tx, plane.tenants["acme"], "mem0", [ref]))[ref]

    return await plane.services.ledger.read(load)


async def kept(plane: Plane, text: str = PLAIN, **fields: Any) -> str:
    """A memory with other columns; gives the store's id."""
    memory_id = await plane.add(text)
    found = await row(plane, memory_id)
    await plane.services.ledger.write(lambda tx: memories.change(tx, found.id, **fields))
    return memory_id


def extended(plane: Plane, days: int) -> dict[str, Any]:
    """As a subject's answer leaves a memory that is now kept for so many days."""
    end = plane.clock.now() + days * DAY
    return {"expires_at": end, "prompt_at": end - 7 * DAY, "asked_at": plane.clock.now()}


async def update(plane: Plane, memory_id: str, **body: Any) -> Memory:
    """A client's update, an hour later; gives the row after it."""
    plane.clock.advance(timedelta(hours=1))
    status, _ = await plane.call("PUT", f"/v1/memories/{memory_id}/", body)
    assert status == 200
    return await row(plane, memory_id)


@pytest.mark.parametrize("body", [{"text": OTHER}, {"metadata": {"colour": "red"}}])
async def test_an_extension_outlives_an_update(plane: Plane, body: dict[str, Any]) -> None:
    """The end that its subject gave it stays, and they are asked before it."""
    given = extended(plane, 200)
    after = await update(plane, await kept(plane, **given), **body)
    assert {name: getattr(after, name) for name in given} == given
    again = await update(plane, await kept(plane, **given), text=PLAIN)
    assert again.expires_at == given["expires_at"]


@pytest.mark.parametrize("body", [{"text": OTHER}, {"metadata": {"colour": "red"}}])
async def test_a_pin_outlives_an_update(plane: Plane, body: dict[str, Any]) -> None:
    """It is of the memory, not of its wording; nobody is asked about it."""
    memory_id = await kept(plane, pinned=True, expires_at=None, prompt_at=None)
    after = await update(plane, memory_id, **body)
    assert (after.pinned, after.expires_at, after.prompt_at) == (True, None, None)


@pytest.mark.parametrize("how", ["pinned", "extended"])
async def test_a_stricter_category_of_the_new_text_bounds_both(plane: Plane, how: str) -> None:
    """Of health nothing is kept for longer than a year, whoever wants it; from the new text on."""
    given = extended(plane, 900) if how == "extended" else {"pinned": True, "expires_at": None}
    after = await update(plane, await kept(plane, **given), text=HEALTH)
    assert "health" in after.categories
    assert after.expires_at == plane.clock.now() + 365 * DAY
    assert after.pinned is (how == "pinned")
    assert after.tier == "sensitive"


async def test_an_extension_within_the_bound_is_not_moved_to_it(plane: Plane) -> None:
    """The bound shortens, it does not lengthen; the period of the new text (30 days) is less."""
    given = extended(plane, 200)
    after = await update(plane, await kept(plane, **given), text=HEALTH)
    assert after.expires_at == given["expires_at"]


async def test_a_question_without_an_answer_is_asked_anew(plane: Plane) -> None:
    """Who was asked and said nothing extended nothing: the new text has its own period."""
    now = plane.clock.now()
    memory_id = await kept(plane, HEALTH, expires_at=now + 3 * DAY, prompt_at=now, asked_at=now)
    after = await update(plane, memory_id, text="She was diagnosed with asthma")
    assert after.expires_at == plane.clock.now() + 30 * DAY
    assert after.prompt_at == after.expires_at - 7 * DAY
    assert (after.asked_at, after.extended) == (None, False)


async def test_a_client_may_still_let_it_end_earlier(plane: Plane) -> None:
    """An end that the client names itself counts, as in any write."""
    memory_id = await kept(plane, **extended(plane, 200))
    day = (plane.clock.now() + 10 * DAY).date()
    after = await update(plane, memory_id, text=OTHER, expiration_date=day.isoformat())
    assert after.expires_at is not None
    assert after.expires_at.date() - day <= DAY
