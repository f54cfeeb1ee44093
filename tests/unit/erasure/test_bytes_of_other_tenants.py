"""Tenants who share a store: what one asks to forget tells nothing of what another one keeps."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from proxy.clock import FrozenClock
from proxy.erasure.search.target import Target
from proxy.erasure.view import ErasureView
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.tokens.vault import Mention
from proxy.upstreams.binding import connect
from proxy.upstreams.layers import from_config
from proxy.upstreams.layers.files import FilesLayer
from tests.support.erasing import OPERATOR, Erasing, erasing, small_binding
from tests.support.mem0_store import RunningStore, running_store
from tests.support.small_store import SmallLayer
from tests.unit.erasure.test_what_a_certificate_says import signed

SHARED = "shared_by_tenants"
TEXT = "{} ships pumps to Bergen"


@pytest.fixture(scope="module")
def mem0(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStore]:
    """One real store for the module."""
    with running_store(tmp_path_factory.mktemp("mem0")) as store:
        yield store


@pytest.fixture
async def bare(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path
) -> Erasing:
    """A service over a store of which the files can be looked at and no table be read."""
    (tmp_path / "store").mkdir()
    listed = {name: SmallLayer(name) for name in ("history", "messages", "entities")}
    store, small = small_binding(**listed)
    store.layers = {**store.layers, "files": FilesLayer(tmp_path / "store")}
    return await erasing(ledger, keyring, tenant_id, clock, tmp_path, [store], small=small)


@pytest.fixture(params=["every layer", "files alone"])
async def bench(
    request: pytest.FixtureRequest, bare: Erasing, mem0: RunningStore, tmp_path: Path,
    clock: FrozenClock,
) -> AsyncIterator[Erasing]:  # fmt: skip
    """That one, or one over the real store, all of whose layers are connected."""
    if request.param == "files alone":
        yield bare
        return
    history = {"reach": "side:sqlite", "path": str(mem0.history)}
    vectors = {"reach": "side:qdrant-local", "path": str(mem0.qdrant)}
    files = {"reach": "side:files", "path": str(mem0.directory)}
    layers = from_config(
        {"history": history, "messages": history, "entities": vectors, "vectors": vectors,
         "files": files}
    )  # fmt: skip
    binding = connect("mem0", mem0.url, profiles=["mem0-oss"], key=mem0.api_key, layers=layers)
    means = bare.means
    yield await erasing(
        means.ledger, means.keyring, bare.tenant_id, clock, tmp_path, [binding.store]
    )
    await binding.close()


async def beside(bench: Erasing, name: str = "bolt") -> Erasing:
    """The same service for another tenant of the same stores."""
    other = await bench.ledger.write(lambda tx: bench.means.keyring.create_tenant(tx, name))
    return replace(bench, tenant_id=other)


async def keep(bench: Erasing, name: str) -> None:
    """A memory that names a firm; its bytes are in the store's files."""
    text = TEXT.format(name)
    await bench.remember(f"u-{name}", text, mentions=[Mention("ORGANIZATION", name)])
    files = bench.store.layers["files"]
    if bench.small is not None and isinstance(files, FilesLayer):
        with (files.path / "rows.bin").open("a") as stream:
            stream.write(text + "\n")


def gone_from_the_files(bench: Erasing, name: str) -> None:
    """What a real store does when a memory is deleted."""
    files = bench.store.layers["files"]
    if bench.small is not None and isinstance(files, FilesLayer):
        kept = (files.path / "rows.bin").read_text().replace(TEXT.format(name) + "\n", "", 1)
        (files.path / "rows.bin").write_text(kept)


async def preview(bench: Erasing, name: str) -> ErasureView:
    """What forgetting a name would do."""
    return await bench.service.request(
        bench.tenant_id, entity(name), actor=OPERATOR, dry_run=True
    )  # fmt: skip


def entity(name: str) -> Target:
    """A firm by its name."""
    return Target(kind="entity", values=(name,), entity_type="ORGANIZATION")


def told(view: ErasureView) -> Any:
    """All that an answer says, but for what every request has of its own."""
    own = {"id", "reference", "plan_digest", "token", "items", "received_at", "due_at",
           "confirmed_at", "completed_at", "execute_at"}  # fmt: skip
    return {name: value for name, value in view.body().items() if name not in own}


def files_of(view: ErasureView) -> Any:
    """What is said of the files."""
    return [(each.found, each.status, each.reason) for each in view.layers if each.layer == "files"]


async def test_a_word_of_another_tenant_is_as_one_that_nobody_has(bench: Erasing) -> None:
    """Previewed and confirmed: the same counts and the same sentences."""
    await keep(await beside(bench), "Norvane")
    theirs, nobodys = await preview(bench, "Norvane"), await preview(bench, "Quendle")
    assert told(theirs) == told(nobodys)
    assert files_of(theirs) == [(None, "residual", SHARED)]
    done, none = await bench.forget(entity("Norvane")), await bench.forget(entity("Quendle"))
    assert told(done) == told(none)
    assert (done.state, done.outcome) == ("complete", "nothing_found")


async def test_what_both_keep_is_as_what_one_keeps(bench: Erasing) -> None:
    """Nor do plan, result and certificate of an own memory tell whether others say it too."""
    other = await beside(bench)
    await keep(other, "Tessaline")
    plans, views, facts = [], [], []
    for name in ("Tessaline", "Brindlow"):
        await keep(bench, name)
        plans.append(told(await preview(bench, name)))
        gone_from_the_files(bench, name)
        views.append(await bench.forget(entity(name)))
        facts.append(await signed(bench, views[-1].id))
    assert plans[0] == plans[1]
    assert views[0].state == "complete", views[0].layers
    assert told(views[0]) == told(views[1])
    for part in ("counts", "layers", "checks", "verification", "residuals"):
        assert facts[0][part] == facts[1][part]
    assert await other.texts("u-Tessaline") == [TEXT.format("Tessaline")]


async def test_one_tenant_alone_is_told_of_bytes(bare: Erasing) -> None:
    """What no memory has and a file does is its own."""
    files = bare.store.layers["files"]
    assert isinstance(files, FilesLayer)
    (files.path / "rows.bin").write_text(TEXT.format("Norvane"))
    assert files_of(await preview(bare, "Norvane")) == [(1, "residual", "still_found")]
    assert files_of(await preview(bare, "Quendle")) == [(0, "absent", None)]
