"""Two real stores, one of them stopped meanwhile: all layers of both are clean in the end."""

import base64
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx
import pytest

from proxy.cli import main
from proxy.clock import FrozenClock
from proxy.erasure.search.target import Target
from proxy.erasure.service import CertificateBundle
from proxy.erasure.view import ErasureView
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.upstreams.binding import UpstreamBinding
from proxy.upstreams.store import Store
from tests.faults.test_real_store_away import KEY, binding
from tests.support.erasing import OPERATOR, Erasing, erasing, sequencer
from tests.support.mem0_store import RunningStore, mem0_store

PERSON = Target(kind="entity", values=("Zelda Quirrell",), entity_type="PERSON")
SAID = ("Zelda Quirrell breeds alpacas near Tromso", "Met Zelda Quirrell at the ceramics fair")
ONCE, NOW = "Zelda Quirrell keeps bees", "Keeps bees by the lake"
ELSE = "Tilda Lund keeps a diary about ceramics"
LAYERS = {"memory", "history", "messages", "entities", "embedding", "files"}

Stopped = Literal["before the plan", "after the plan", "at the deletion"]


class Pair:
    """A service over two real stores, of which the second one can be stopped."""

    def __init__(self, bench: Erasing, bindings: Sequence[UpstreamBinding]) -> None:
        self.bench, self.bindings = bench, bindings
        self.running: list[RunningStore] = []
        self.ids: dict[str, list[str]] = {"first": [], "second": []}

    @property
    def stores(self) -> dict[str, Store]:
        """By name."""
        return {each.store.name: each.store for each in self.bindings}

    async def fill(self) -> None:
        """The same in both: two mentions, one in an older version alone, and somebody else."""
        place = {"user": await self.bench.upstream_id("u-1")}
        for (name, store), server in zip(self.stores.items(), self.running, strict=True):
            for text in (*SAID, ONCE):
                self.ids[name] += await store.add(place, text, {})
            headers = {"X-API-Key": KEY}
            async with httpx.AsyncClient(base_url=server.url, headers=headers) as client:
                done = await client.put(f"/memories/{self.ids[name][-1]}", json={"text": NOW})
                assert done.status_code == 200
            await store.add({"user": await self.bench.upstream_id("u-2")}, ELSE, {})

    async def texts(self, store: str, owner: str) -> list[str]:
        """What a store lists."""
        place = {"user": await self.bench.upstream_id(owner)}
        return sorted([item.text async for item in self.stores[store].crawl(place)])

    async def shown(self, store: str) -> list[str]:
        """What its routes still tell of her: by id, search and history."""
        asked = self.stores[store]
        found = [item.text for each in self.ids[store] if (item := await asked.get(each))]
        for query in ("Zelda Quirrell", *SAID, ONCE):
            for owner in ("u-1", "u-2"):
                place = {"user": await self.bench.upstream_id(owner)}
                found += [item.text for item in await asked.search(place, query)]
        found += [text for each in self.ids[store] for text in await asked.history(each)]
        return [text for text in found if "Quirrell" in text]

    async def later(self, view: ErasureView) -> ErasureView:
        """What the worker makes of it, a while later."""
        clock = self.bench.means.clock
        assert isinstance(clock, FrozenClock)
        clock.advance(timedelta(minutes=15))
        await self.bench.service.run_due()
        return await self.bench.service.get(self.bench.tenant_id, view.id)

    async def certificate(self, view: ErasureView, folder: Path) -> dict[str, Any]:
        """The signed predicate, once ``expunge verify`` takes the saved certificate for valid."""
        await sequencer(self.bench).run_once()
        bundle = await self.bench.service.certificate(self.bench.tenant_id, view.id)
        assert bundle.tlog_proof is not None
        save(folder, view.reference, bundle, self.bench.means.signer.verifier_key)
        with pytest.raises(SystemExit) as ended:
            main(["verify", str(folder / f"{view.reference}.dsse.json")])
        assert ended.value.code in {0, None}
        said = json.loads(base64.b64decode(json.loads(bundle.dsse)["payload"]))["predicate"]
        assert isinstance(said, dict)
        return said


def save(folder: Path, reference: str, bundle: CertificateBundle, key: str) -> None:
    """The certificate with its proof and the log's key, as the command line saves them."""
    folder.mkdir()
    (folder / f"{reference}.dsse.json").write_bytes(bundle.dsse)
    (folder / f"{reference}.tlog-proof").write_text(bundle.tlog_proof or "")
    (folder / "expunge-audit.vkey").write_text(key)


def bytes_of_her(folder: Path) -> int:
    """How often the name stands in any file."""
    found = (path.read_bytes().lower() for path in folder.rglob("*") if path.is_file())
    return sum(content.count(b"quirrell") for content in found)


@pytest.fixture
async def pair(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path
) -> AsyncIterator[Pair]:
    """Two running stores with memories of her."""
    async with AsyncExitStack() as stack:
        running = [
            await stack.enter_async_context(mem0_store(tmp_path / name, "--api-key", KEY))
            for name in ("first", "second")
        ]
        bindings = [
            binding(name, store) for name, store in zip(("first", "second"), running, strict=True)
        ]
        stores = [each.store for each in bindings]
        pair = Pair(await erasing(ledger, keyring, tenant_id, clock, tmp_path, stores), bindings)
        pair.running = running
        await pair.fill()
        yield pair
        for each in bindings:
            await each.close()


@pytest.mark.timeout(900)  # it starts a real store three times
@pytest.mark.parametrize("stopped", ["before the plan", "after the plan", "at the deletion"])
async def test_a_stopped_store_follows_when_it_is_started_again(
    pair: Pair, tmp_path: Path, stopped: Stopped, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is said meanwhile is true; at last no route, row or byte of either tells of her."""
    service, tenant = pair.bench.service, pair.bench.tenant_id
    second = pair.running[1]
    if stopped == "before the plan":
        second.stop()
    plan = await service.request(tenant, PERSON, actor=OPERATOR)
    if stopped == "after the plan":
        second.stop()
    await service.confirm(tenant, plan.id, word="confirmed", token=plan.token, actor=OPERATOR)
    if stopped == "at the deletion":
        stop_at_the_first_delete(pair.stores["second"], second, monkeypatch)
    view = await service.run(tenant, plan.id)
    said = {(each.upstream, each.layer): each.status for each in view.layers}
    assert view.state == "incomplete", view.body()
    assert (said["first", "memory"], said["second", "memory"]) == ("erased", "unreachable")
    assert (await pair.shown("first"), await pair.texts("first", "u-1")) == ([], [NOW])
    assert bytes_of_her(tmp_path / "first") == 0
    if stopped != "at the deletion":  # of a stopped store the files are within reach
        assert bytes_of_her(tmp_path / "second") > 0
    meanwhile = await pair.certificate(view, tmp_path / "meanwhile")
    assert meanwhile["state"] == "incomplete"
    assert "second/memory" not in meanwhile["claim"]["absent_from"]
    port = str(urlsplit(second.url).port)
    async with mem0_store(tmp_path / "second", "--api-key", KEY, "--port", port):
        view = await pair.later(view)
        assert view.state == "complete", view.body()
        for name in ("first", "second"):
            assert (await pair.shown(name), await pair.texts(name, "u-1")) == ([], [NOW])
            assert await pair.texts(name, "u-2") == [ELSE]
            assert bytes_of_her(tmp_path / name) == 0
        seen = await service.recheck(tenant, view.id, actor=OPERATOR)
        assert (seen.still_absent, seen.returned) == (True, 0)
    signed = await pair.certificate(view, tmp_path / "last")
    memories = {each["upstream"]: each for each in signed["layers"] if each["layer"] == "memory"}
    counted = {name: (each["found"], each["erased"]) for name, each in memories.items()}
    gone = signed["counts"]["deleted"] + signed["counts"]["already_gone"]
    assert (signed["state"], gone) == ("complete", 4)
    assert counted["first"] == (2, 2)
    if stopped != "at the deletion":
        assert (counted["second"], signed["counts"]["deleted"]) == ((2, 2), 4)
    looked = set(signed["claim"]["absent_from"])
    assert looked == {f"{name}/{layer}" for name in pair.stores for layer in LAYERS}
    assert {each["result"] for each in signed["checks"].values()} <= {"pass", "not_applicable"}


def stop_at_the_first_delete(
    store: Store, server: RunningStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store ends when it is asked to delete something."""
    delete = store.delete

    async def stops(memory_id: str) -> bool:
        if server.process.poll() is None:
            server.stop()
        return await delete(memory_id)

    monkeypatch.setattr(store, "delete", stops)
