"""The unchanged MemoryClient in front of the open-source server's routes."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from proxy.clock import FrozenClock
from tests.support.gateway import Plane, data_plane
from tests.support.ledger import START
from tests.support.mem0_store import RunningStore

os.environ["MEM0_TELEMETRY"] = "False"
mem0_client = pytest.importorskip("mem0")

TEXT = "Likes rye bread; write to alva.brenn@example.org"


@pytest_asyncio.fixture(loop_scope="session")
async def oss(mem0: RunningStore, tmp_path: Path, sqlite_template: Path) -> AsyncIterator[Plane]:
    """A data plane that knows only the open-source server's routes at the store."""
    async with data_plane(
        tmp_path / "o", mem0.url, mem0.api_key, sqlite_template, FrozenClock(START),
        profiles=("mem0-oss", "mem0-platform-over-oss"),
    ) as plane:  # fmt: skip
        sent: list[str] = []
        for dialect in plane.services.stores["mem0"].dialects:
            _watch(getattr(dialect.transport, "_inner", dialect.transport), sent)
        plane.sent = sent  # type: ignore[attr-defined]
        yield plane


def _watch(transport: Any, sent: list[str]) -> None:
    send = transport.send

    async def watched(request: Any) -> Any:
        sent.append(request.target)
        return await send(request)

    transport.send = watched


async def test_the_client_does_all_it_does_at_the_platform(oss: Plane) -> None:
    """Ping, add, list in pages, search, get, update, history, owners, batch, deletes."""

    def work() -> dict[str, Any]:
        client = mem0_client.MemoryClient(api_key=oss.keys["acme"], host=oss.url)
        message = [{"role": "user", "content": TEXT}]
        ids = [
            client.add(message, user_id="u-1", infer=False, metadata={"n": n})["results"][0]["id"]
            for n in range(3)
        ]
        mine = {"user_id": "u-1"}
        seen = {
            "get": client.get(ids[0]),
            "page": client.get_all(filters=mine, page=1, page_size=2),
            "found": client.search("bread", filters=mine),
            "nested": client.search("bread", filters={"AND": [mine, {"n": 1}]}),
            "updated": client.update(ids[0], text="Likes oat bread"),
            "history": client.history(ids[0]),
            "users": client.users(),
            "batch": client.batch_update([{"memory_id": ids[1], "text": "Likes spelt"}]),
            "spelt": client.get(ids[1]),
            "deleted": client.delete(ids[0]),
        }
        with pytest.raises(mem0_client.exceptions.MemoryNotFoundError):
            client.get(ids[0])
        with pytest.raises(mem0_client.exceptions.ValidationError):
            client.add(message, user_id="u-1", app_id="a", infer=False)
        client.delete_all(user_id="u-1")
        return {**seen, "after": client.get_all(filters=mine)}

    seen = await asyncio.to_thread(work)
    assert seen["get"]["memory"] == TEXT
    assert seen["get"]["user_id"] == "u-1"
    assert seen["get"]["metadata"] == {"n": 0}
    assert (seen["page"]["count"], len(seen["page"]["results"])) == (3, 2)
    assert seen["page"]["next"].startswith(oss.url)
    assert {item["memory"] for item in seen["found"]["results"]} == {TEXT}
    assert [item["metadata"] for item in seen["nested"]["results"]] == [{"n": 1}]
    assert seen["updated"]["memory"] == "Likes oat bread"
    assert [row["new_memory"] for row in seen["history"]] == [TEXT, "Likes oat bread"]
    assert [owner["name"] for owner in seen["users"]["results"]] == ["u-1"]
    assert seen["spelt"]["memory"] == "Likes spelt"
    assert seen["after"]["results"] == []
    sent: list[str] = oss.sent  # type: ignore[attr-defined]
    assert sent
    assert not [target for target in sent if target.startswith(("/v1", "/v2", "/v3"))]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"filters": {"user_id": "u-1", "colour": "red"}}, "lists by"),
        ({"filters": {"user_id": "u-1"}, "categories": ["x"]}, "categories"),
        ({"filters": {"user_id": "u-1", "app_id": "a"}}, "app_id"),
        ({"filters": {"OR": [{"user_id": "u-1"}, {"user_id": "u-2"}]}}, "lists by"),
    ],
)
async def test_what_the_server_cannot_do_is_refused(
    oss: Plane, body: dict[str, Any], said: str
) -> None:
    """A clear 400 instead of an answer that is only nearly right."""
    status, answer = await oss.call("POST", "/v3/memories/", body)
    assert status == 400
    assert said in answer["detail"]
