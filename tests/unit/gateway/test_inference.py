"""Writes that the store finishes later, with a model that extracts facts."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from proxy.clock import FrozenClock
from proxy.erasure.search.target import Actor, Target
from proxy.gateway.memories.pending import PendingWrites
from proxy.gateway.memories.settle import RECREATED
from proxy.ledger import audit, memories, owners, writes
from proxy.ledger.memories import Memory
from proxy.tokens.blocklist import Blocklist
from proxy.tokens.index.spelling import Name
from proxy.upstreams.layers import from_config
from tests.support.gateway import Plane, data_plane
from tests.support.ledger import START
from tests.support.mem0_store import RunningStore, llm_arguments, mem0_store
from tests.support.scripted_llm import ScriptedModel, scripted_llm

ADD, LIST = "/v3/memories/add/", "/v3/memories/"
MINE = {"filters": {"user_id": "u-1"}}


@pytest.fixture
def model() -> Any:
    """A model that copies what it is shown, earlier messages included."""
    with scripted_llm(copies_context=True) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def inferring(
    model: ScriptedModel, tmp_path: Path, sqlite_template: Path
) -> AsyncIterator[Plane]:
    """A data plane before a Mem0 that extracts facts."""
    async with (
        mem0_store(tmp_path / "store", *llm_arguments(model.url)) as store,
        data_plane(
            tmp_path / "plane", store.url, store.api_key, sqlite_template, FrozenClock(START)
        ) as plane,
    ):
        yield plane


async def say(plane: Plane, text: str, **more: Any) -> Any:
    """Add with extraction."""
    body = {"messages": [{"role": "user", "content": text}], "user_id": "u-1", **more}
    status, answer = await plane.call("POST", ADD, body)
    assert (status, answer["status"]) == (200, "PENDING")
    return answer


async def settled(plane: Plane) -> list[Memory]:
    """Wait until no write is open; the tenant's memories."""
    pending = PendingWrites(plane.services)
    async with asyncio.timeout(120):
        while await pending.run_once():  # noqa: ASYNC110  (another process is waited for)
            await asyncio.sleep(0.05)
    return await plane.services.ledger.read(
        lambda tx: memories.of_tenant(tx, plane.tenants["acme"])
    )


async def listed(plane: Plane) -> list[str]:
    """Texts that the owner reads."""
    _, answer = await plane.call("POST", LIST, MINE)
    return sorted(item["memory"] for item in answer["results"])


async def test_extracted_facts_carry_the_writes_tags_and_provenance(
    inferring: Plane, model: ScriptedModel
) -> None:
    """Several ids come of one write; each inherits, and the model never saw the address."""
    source = await inferring.add("a turn", metadata={"dia_id": "D1:1"})
    await say(
        inferring,
        "Likes rye bread. Mail alva.brenn@example.org.",
        metadata={"expunge": {"derived_from": ["D1:1"], "ref": "F"}},
    )
    rows = await settled(inferring)
    made = [row for row in rows if row.write_id and row.origin == "write"]
    assert len(made) == 3
    assert all("pii:email_address" in row.tags for row in made[1:])
    assert "alva.brenn" not in "".join(model.prompts)
    assert await listed(inferring) == ["Likes rye bread.", "Mail alva.brenn@example.org.", "a turn"]
    status, _ = await inferring.call("DELETE", f"/v1/memories/{source}/")
    assert status == 200
    assert await listed(inferring) == [], "what derives from the turn went with it"


async def test_reading_before_the_poller_sees_the_write(inferring: Plane) -> None:
    """An item with the stamp of an open write is settled by that write's plan, not adopted."""
    await say(inferring, "Likes oat bread.")
    async with asyncio.timeout(120):
        while not await listed(inferring):  # noqa: ASYNC110  (another process is waited for)
            await asyncio.sleep(0.05)
    (row,) = await settled(inferring)
    assert (row.origin, bool(row.write_id)) == ("write", True)


async def test_what_the_model_writes_again_is_deleted_at_once(inferring: Plane) -> None:
    """Mem0 feeds earlier messages to its model; a blocked person comes out of them, and goes."""
    await say(inferring, "Orla Quist plays chess.")
    (first,) = await settled(inferring)
    blocklist = inferring.services.blocklist
    assert isinstance(blocklist, Blocklist)
    tenant = inferring.tenants["acme"]
    await inferring.services.ledger.write(
        lambda tx: blocklist.add(tx, tenant, [Name("Orla Quist")])
    )
    await say(inferring, "Nice weather.")
    rows = await settled(inferring)
    assert len([row for row in rows if row.id != first.id]) == 1
    assert await listed(inferring) == ["Nice weather."]
    store = inferring.services.stores["mem0"].store
    names = await inferring.services.keyring.tenant(tenant)
    mine = {"user": owners.upstream_id(names, "opaque", "user", "u-1")}
    texts = [item.text async for item in store.crawl(mine)]
    assert [text for text in texts if "Quist" in text] == ["Orla Quist plays chess."]


REPEATED = ["Orla Quist moved to Turku.", "Orla paints boats.", "Phoned Ms. Quist today."]
FREE = ["Orlando paints boats.", "The quista opens at six."]


def rows_of(store: RunningStore) -> list[str]:
    """Every text in the history and in the buffer of raw messages."""
    with sqlite3.connect(store.history, timeout=60) as connection:
        rows = connection.execute(
            "SELECT old_memory FROM history UNION ALL SELECT new_memory FROM history "
            "UNION ALL SELECT content FROM messages"
        ).fetchall()
    connection.close()
    return sorted(text for (text,) in rows if text)


async def test_what_the_model_repeats_leaves_no_row_behind(
    model: ScriptedModel, tmp_path: Path, sqlite_template: Path
) -> None:
    """Of a person written again no version and no message stays, by whatever short form."""
    clock = FrozenClock(START)
    async with mem0_store(tmp_path / "store", *llm_arguments(model.url)) as store:
        history = {"reach": "side:sqlite", "path": str(store.history)}
        layers = from_config({"history": history, "messages": history})
        async with data_plane(
            tmp_path / "plane",
            store.url,
            store.api_key,
            sqlite_template,
            clock,
            layers=layers,
        ) as plane:
            await say(plane, "Orla Quist plays chess.")
            await settled(plane)
            await forget_person(plane, "Orla Quist")
            assert rows_of(store) == []
            model.repeats += [*REPEATED, *FREE]
            await say(plane, "Nice weather.")
            await settled(plane)
            assert await listed(plane) == ["Nice weather.", *FREE]
            named = [text for text in rows_of(store) if text not in {"Nice weather.", *FREE}]
            assert named == []
            assert {*FREE} <= {*rows_of(store)}, "what was rightly made keeps its versions"
            assert await taken_back(plane) == [(len(REPEATED), 0)]


async def forget_person(plane: Plane, name: str) -> None:
    """Erase a person as an operator asks for it."""
    target = Target(kind="entity", values=(name,), entity_type="PERSON")
    await plane.services.erasure.forget(
        plane.tenants["acme"], target, actor=Actor("operator", "op-1"), origin="control"
    )


async def taken_back(plane: Plane) -> list[tuple[int, int]]:
    """What the log says of it: how many memories, and how many rows are left."""
    entries = await plane.services.ledger.read(lambda tx: audit.unsequenced(tx, 1000))
    said = [json.loads(entry.leaf) for entry in entries]
    return [
        (each["fields"]["count"], each["fields"]["rows_left"])
        for each in said if each["event"] == RECREATED
    ]  # fmt: skip


async def test_an_erasure_meanwhile_kills_the_write_on_arrival(inferring: Plane) -> None:
    """The owner is erased while the write is pending: nothing of it stays."""
    await inferring.add("first")
    await say(inferring, "Came too late.")
    tenant = inferring.tenants["acme"]
    (owner,) = await inferring.services.ledger.read(lambda tx: owners.of_tenant(tx, tenant))
    await inferring.services.ledger.write(lambda tx: owners.raise_epoch(tx, owner.id))
    await settled(inferring)
    assert await listed(inferring) == ["first"]
    open_ones = await inferring.services.ledger.read(
        lambda tx: writes.open_of_owners(tx, [owner.id])
    )
    assert open_ones == []
