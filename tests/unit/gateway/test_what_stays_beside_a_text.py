"""An update replaces a text; what the store keeps beside it still counts as the memory's."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
import pytest_asyncio

import policies
from detectors.errors import DetectionUnavailable
from proxy.gateway.wire.limits import Limits
from proxy.ledger import entities, memories
from proxy.tokens import surrogate
from proxy.upstreams.errors import StoreUnavailable
from tests.support.fault_store import FaultStore, added
from tests.support.gateway import Plane

Opened = Callable[..., AbstractAsyncContextManager[Plane]]
ADDRESS, OTHER = "alva.brenn@example.org", "sten.lode@example.org"
ILLNESS = "diagnosed with type 2 diabetes, takes metformin"
SUPPORT = {"Expunge-Purpose": "support"}
HEAD = b"apiVersion: expunge/v1\nkind: Policy\nname: tested\nextends: builtin/gdpr-default\n"


@pytest_asyncio.fixture(loop_scope="session")
async def reading(opened: Opened) -> AsyncIterator[Plane]:
    """In front of the real Mem0, with detection of names and categories."""
    async with opened(tier="full") as plane:
        yield plane


async def replace_text(plane: Plane, way: str, memory_id: str, text: str) -> None:
    """Replace a memory's text on one of the routes."""
    path, body = {
        "platform": (f"/v1/memories/{memory_id}/", {"text": text}),
        "platform, metadata too": (
            f"/v1/memories/{memory_id}/", {"text": text, "metadata": {"n": 3}},
        ),
        "oss": (f"/memories/{memory_id}", {"text": text}),
        "batch": ("/v1/batch/", {"memories": [{"memory_id": memory_id, "text": text}]}),
    }[way]  # fmt: skip
    status, told = await plane.call("PUT", path, body)
    assert status == 200, told


WAYS = ("platform", "platform, metadata too", "oss", "batch")


async def row(plane: Plane, memory_id: str) -> memories.Memory:
    """The ledger's row."""
    names, tenant = (
        await plane.services.keyring.tenant(plane.tenants["acme"]),
        plane.tenants["acme"],
    )
    ref = memories.ref(names, "mem0", memory_id)
    found = await plane.services.ledger.read(lambda tx: memories.by_refs(tx, tenant, "mem0", [ref]))
    return found[ref]


async def mentions(plane: Plane, memory_id: str) -> list[str]:
    """How the ledger says that those are called whom a memory mentions."""
    own = await row(plane, memory_id)
    linked = await plane.services.ledger.read(lambda tx: memories.entities_of(tx, [own.id]))
    return sorted(await plane.services.vault.surface_forms(own.tenant_id, linked.get(own.id, [])))


async def shown(plane: Plane, memory_id: str) -> tuple[str, Any]:
    """Text and metadata as the client reads them."""
    status, found = await plane.call("GET", f"/v1/memories/{memory_id}/")
    assert status == 200, found
    return found["memory"], found["metadata"]


async def seen_by_support(plane: Plane) -> list[str]:
    """Texts that a purpose which denies health is shown."""
    _, found = await plane.call(
        "POST", "/v3/memories/", {"filters": {"user_id": "u-1"}}, headers=SUPPORT
    )
    return sorted(item["memory"] for item in found["results"])


@pytest.mark.parametrize("way", WAYS)
async def test_whom_the_metadata_names_is_not_ended_with_another_memory(
    plane: Plane, way: str
) -> None:
    """The other one that mentions them is deleted; this one still reads as its writer wrote it."""
    mine = await plane.add("Lunch on Monday.", metadata={"who": ADDRESS})
    other = await plane.add(f"Write to {ADDRESS}")
    await replace_text(plane, way, mine, "Lunch on Tuesday.")
    assert await mentions(plane, mine) == [ADDRESS]
    assert (await plane.call("DELETE", f"/v1/memories/{other}/"))[0] == 200
    text, metadata = await shown(plane, mine)
    assert (text, metadata["who"]) == ("Lunch on Tuesday.", ADDRESS)


async def test_whom_only_the_old_text_named_is_no_longer_mentioned(plane: Plane) -> None:
    """So they end with their last memory, and whom the new text names is there beside the old."""
    mine = await plane.add(f"Lunch with {OTHER}", metadata={"who": ADDRESS})
    assert await mentions(plane, mine) == [ADDRESS, OTHER]
    await replace_text(plane, "platform", mine, "Lunch with somebody")
    assert await mentions(plane, mine) == [ADDRESS]
    await replace_text(plane, "oss", mine, f"Lunch with {OTHER}")
    assert await mentions(plane, mine) == [ADDRESS, OTHER]


async def test_whose_token_stands_there_is_mentioned_however_it_reads(plane: Plane) -> None:
    """A token in the metadata counts even if nothing is found in the words it stands for."""
    mine = await plane.add("Lunch", metadata={"who": ADDRESS})
    raw = await plane.services.stores["mem0"].store.raw(mine)
    assert raw is not None
    (code,) = {each.code for each in surrogate.find(raw["metadata"]["who"])}
    found = plane.services.detectors.analyse

    async def nothing(texts: Any, **more: Any) -> Any:
        return await found(["plain" for _ in texts], **more)

    plane.services.detectors.analyse = nothing  # type: ignore[method-assign]
    try:
        await replace_text(plane, "platform", mine, "Dinner")
    finally:
        plane.services.detectors.analyse = found  # type: ignore[method-assign]
    tenant, own = plane.tenants["acme"], await row(plane, mine)
    known = await plane.services.ledger.read(lambda tx: entities.by_code(tx, tenant, [code]))
    linked = await plane.services.ledger.read(lambda tx: memories.entities_of(tx, [own.id]))
    assert linked[own.id] == [known[code].id]


@pytest.mark.parametrize("way", WAYS)
async def test_categories_of_the_metadata_stay(reading: Plane, way: str) -> None:
    """A purpose that denies health sees it neither before nor after; a plain twin it sees."""
    mine = await reading.add("Likes tea.", metadata={"reason": ILLNESS})
    before = await row(reading, mine)
    twin = await reading.add("Likes rye bread.", metadata={"n": 1})
    assert await seen_by_support(reading) == ["Likes rye bread."]
    await replace_text(reading, way, mine, "Likes cocoa.")
    await replace_text(reading, way, twin, "Likes oats.")
    assert await seen_by_support(reading) == ["Likes oats."]
    after = await row(reading, mine)
    assert "health" in after.categories
    assert (after.tier, after.tags) == (before.tier, before.tags)


async def test_categories_of_the_old_text_go_with_it(reading: Plane) -> None:
    """Nothing says it any more."""
    mine = await reading.add(f"I was {ILLNESS}.", metadata={"n": 1})
    assert "health" in (await row(reading, mine)).categories
    await replace_text(reading, "platform", mine, "Likes tea.")
    assert "health" not in (await row(reading, mine)).categories
    assert await seen_by_support(reading) == ["Likes tea."]


async def test_an_update_does_not_make_metadata_last_longer(reading: Plane) -> None:
    """It ends when it would have; a text alone gets a period of its own."""
    mine = await reading.add("Likes tea.", metadata={"reason": ILLNESS})
    twin = await reading.add(f"I was {ILLNESS}.")
    ends = (await row(reading, mine)).expires_at
    assert ends is not None
    assert (await row(reading, twin)).expires_at == ends
    reading.clock.advance(timedelta(days=10))
    await replace_text(reading, "platform", mine, "Likes cocoa.")
    await replace_text(reading, "platform", twin, f"I am {ILLNESS}.")
    assert (await row(reading, mine)).expires_at == ends
    assert (await row(reading, twin)).expires_at == ends + timedelta(days=10)


async def test_equal_texts_of_a_batch_keep_each_its_own(reading: Plane) -> None:
    """What stands beside one says nothing of the other, in the store and in the request."""
    ill = await reading.add("one", metadata={"reason": ILLNESS})
    new, plain = await reading.add("two"), await reading.add("three", metadata={"who": ADDRESS})
    text = "Likes cocoa."
    batch: list[dict[str, Any]] = [{"memory_id": each, "text": text} for each in (plain, ill, new)]
    batch[2]["metadata"] = {"reason": ILLNESS, "who": OTHER}
    assert (await reading.call("PUT", "/v1/batch/", {"memories": batch}))[0] == 200
    health = ["health" in (await row(reading, each)).categories for each in (plain, ill, new)]
    assert health == [False, True, True]
    assert ADDRESS not in await mentions(reading, ill)
    assert await mentions(reading, plain) == [ADDRESS]
    assert OTHER in await mentions(reading, new)


async def test_what_changes_meanwhile_is_not_forgotten(
    plane: Plane, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another update adds metadata after this one has read it, and is recorded first."""
    mine = await plane.add("Lunch")
    store = plane.services.stores["mem0"].store
    real, path = store.raw, f"/v1/memories/{mine}/"

    async def overtaken(memory_id: str) -> Any:
        found = await real(memory_id)
        monkeypatch.undo()
        assert (await plane.call("PUT", path, {"metadata": {"who": ADDRESS}}))[0] == 200
        return found

    monkeypatch.setattr(type(store), "raw", lambda _, memory_id: overtaken(memory_id))
    await replace_text(plane, "platform", mine, "Dinner")
    assert await shown(plane, mine) == ("Dinner", {"who": ADDRESS})
    assert await mentions(plane, mine) == [ADDRESS]


async def test_nothing_is_analysed_where_nothing_stands_beside(plane: Plane) -> None:
    """An update of a memory without metadata asks detection for its text alone."""
    mine = await plane.add("Lunch")
    plane.detectors.seen.clear()
    await replace_text(plane, "oss", mine, "Dinner")
    assert plane.detectors.seen == ["Dinner"]


async def test_what_is_too_much_to_be_read_stays_as_it_was(opened: Opened) -> None:
    """The ledger keeps all that it knew, rather than refuse the update."""
    async with opened(tier="full", limits=Limits(text=130)) as plane:
        mine = await plane.add(f"Write to {OTHER}", metadata={"reason": ILLNESS})
        status, _ = await plane.call(
            "PUT", f"/v1/memories/{mine}/", {"metadata": {"who": ADDRESS, "more": "tea " * 20}}
        )
        assert status == 200
        await replace_text(plane, "platform", mine, "Dinner")
        assert "health" in (await row(plane, mine)).categories
        assert {ADDRESS, OTHER} <= {*await mentions(plane, mine)}


@pytest.mark.parametrize("failure", ["store", "detection"])
async def test_without_the_store_or_detection_nothing_is_sent(
    faulty: Plane, faults: FaultStore, monkeypatch: pytest.MonkeyPatch, failure: str
) -> None:
    """It is a problem, the store hears of no update, and the row stays as it was."""
    faults.script = lambda _: added()
    mine = await faulty.add("kept", metadata={"reason": ILLNESS})
    before = await row(faulty, mine)
    faults.requests.clear()
    store, analyse = faulty.services.stores["mem0"].store, faulty.detectors.analyse

    async def away(_: Any, __: str) -> Any:
        raise StoreUnavailable

    async def once(texts: Any, **more: Any) -> Any:
        if "Dinner" not in texts:
            raise DetectionUnavailable
        return await analyse(texts, **more)

    if failure == "store":
        monkeypatch.setattr(type(store), "raw", away)
    else:
        monkeypatch.setattr(faulty.detectors, "analyse", once)
    status, told = await faulty.call("PUT", f"/v1/memories/{mine}/", {"text": "Dinner"})
    expected = (
        (502, "upstream-unreachable") if failure == "store" else (503, "detection-unavailable")
    )
    assert (status, told["type"].rpartition(":")[2]) == expected
    assert told["upstream"] == "not_sent"
    assert faults.requests == []
    assert await row(faulty, mine) == before


HOLDS = HEAD + (
    b"write: {entities: [{id: mails, when: {entities: [EMAIL_ADDRESS]}, action: quarantine}]}\n"
)


async def test_what_was_released_is_not_held_again_for_what_stays(opened: Opened) -> None:
    """Somebody looked at it; an update that says nothing new of the kind is shown."""
    async with opened(change=lambda _: policies.load_text(HOLDS, "held.yaml")) as plane:
        body = {
            "messages": [{"role": "user", "content": "Lunch"}], "user_id": "u-1", "infer": False,
            "metadata": {"who": ADDRESS, "shelf": "n17"},
        }  # fmt: skip
        assert (await plane.call("POST", "/v3/memories/add/", body))[1]["results"] == []
        store = plane.services.stores["mem0"].store
        (item,) = [each async for each in store.crawl(None) if each.metadata.get("shelf") == "n17"]
        own = await row(plane, item.memory_id)
        assert own.state == "quarantined"
        await plane.services.ledger.write(
            partial(memories.change, memory_id=own.id, state="live", tags=[])
        )
        await replace_text(plane, "platform", item.memory_id, "Dinner")
        assert await shown(plane, item.memory_id) == (
            "Dinner",
            {"who": ADDRESS, "shelf": "n17"},
        )
        after = await row(plane, item.memory_id)
        assert (after.state, after.tags) == ("live", ("pii:email_address",))
        assert await mentions(plane, item.memory_id) == [ADDRESS]
