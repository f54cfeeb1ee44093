"""Answers full of items that the ledger does not know: others are served between two of them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from detectors.errors import DetectionTimeout
from proxy.gateway.memories import adopt
from proxy.gateway.wire.limits import Limits
from proxy.ledger import memories, owners
from tests.support.fault_store import FaultStore, answer
from tests.support.gateway import Plane

MANY = 2 * adopt.AT_A_TIME + 3
LIST, SEARCH = "/v3/memories/", "/v3/memories/search/"
MINE = {"filters": {"user_id": "u-1"}}


async def items(plane: Plane, **metadata: str) -> list[dict[str, Any]]:
    """Memories of the owner that came into the store beside the proxy."""
    names = await plane.services.keyring.tenant(plane.tenants["acme"])
    mine = owners.upstream_id(names, "opaque", "user", "u-1")
    return [
        {"id": f"{number:08x}-1111-4111-8111-111111111111", "memory": f"likes loaf {number}",
         "user_id": mine, "metadata": metadata}
        for number in range(MANY)
    ]  # fmt: skip


@asynccontextmanager
async def turns() -> AsyncIterator[Callable[[], int]]:
    """How many turns of the event loop another task has had so far."""
    had = 0

    async def count() -> None:
        nonlocal had
        while True:
            had += 1
            await asyncio.sleep(0)

    other = asyncio.ensure_future(count())
    try:
        yield lambda: had
    finally:
        other.cancel()


WORK = [
    pytest.param(memories, "insert", {}, id="taken-in"),
    pytest.param(adopt.writes, "by_id", {"expunge_w": "wri_of_nobody"}, id="stamp-looked-up"),
]


@pytest.mark.parametrize(("module", "name", "metadata"), WORK)
@pytest.mark.parametrize("path", [LIST, SEARCH])
async def test_others_have_a_turn_between_two_items(
    faulty: Plane, faults: FaultStore, monkeypatch: pytest.MonkeyPatch,
    path: str, module: Any, name: str, metadata: dict[str, str],
) -> None:  # fmt: skip
    """No two items are worked on in one turn of the loop, however many there are."""
    found = await items(faulty, **metadata)
    faults.script = lambda _: answer({"results": found, "count": len(found)})
    real, worked = getattr(module, name), []
    async with turns() as had:

        async def work(*args: Any, **options: Any) -> Any:
            worked.append(had())
            return await real(*args, **options)

        monkeypatch.setattr(module, name, work)
        status, shown = await faulty.call("POST", path, {**MINE, "query": "loaf"})
    assert (status, len(shown["results"])) == (200, MANY)
    assert len(set(worked)) == len(worked) == MANY


async def known(plane: Plane) -> int:
    rows = await plane.services.ledger.read(
        lambda tx: memories.of_tenant(tx, plane.tenants["acme"])
    )
    return len(rows)


@pytest.mark.parametrize("path", [LIST, SEARCH])
async def test_what_is_too_long_to_be_scanned_is_not_shown(
    opened_plain: Callable[..., Any], faults: FaultStore, path: str
) -> None:
    """The rest of the answer is, and each request says the same; so for what stands beside it."""
    async with opened_plain(limits=Limits(text=1000)) as plane:
        found = await items(plane)
        found[1]["memory"] = "loaf " * 250
        found[2]["more"] = {"said": "loaf " * 250}
        body = {"results": found, "count": len(found), "relations": [{"a": "loaf " * 250}]}
        faults.script = lambda _: answer(body)
        for _ in range(2):
            status, shown = await plane.call("POST", path, {**MINE, "query": "loaf"})
            assert status == 200
            assert [each["id"] for each in shown["results"]] == [
                each["id"] for at, each in enumerate(found) if at not in (1, 2)
            ]
            assert "relations" not in shown
        assert max(map(len, plane.detectors.seen)) <= 1000


async def test_what_was_taken_in_need_not_be_done_again(
    faulty: Plane, faults: FaultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where detection gives up on a long answer, the next request goes on where it stood."""
    found = await items(faulty)
    faults.script = lambda _: answer({"results": found, "count": len(found)})
    real, calls = faulty.detectors.analyse, 0

    async def analyse(texts: Any, **more: Any) -> Any:
        nonlocal calls
        calls += any("loaf" in text for text in texts)
        if calls == 2:
            calls = 0
            raise DetectionTimeout("late")
        return await real(texts, **more)

    monkeypatch.setattr(faulty.detectors, "analyse", analyse)
    done = []
    for _ in range(MANY // adopt.AT_A_TIME):
        status, _ = await faulty.call("POST", LIST, MINE)
        assert status == 503
        done.append(await known(faulty))
    assert done == [adopt.AT_A_TIME, 2 * adopt.AT_A_TIME]
    assert (await faulty.call("POST", LIST, MINE))[0] == 200
    assert await known(faulty) == MANY
