"""What goes, changes or is repeated meanwhile, on the real Mem0."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from proxy.clock import FrozenClock
from proxy.erasure.search.target import Target
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.upstreams.binding import UpstreamBinding, connect
from proxy.upstreams.layers import from_config
from tests.support.erasing import OPERATOR, erasing, policy_with
from tests.support.mem0_store import RunningStore, running_store

KEY = "store-key-of-the-tests"
PERSON = Target(kind="entity", values=("Zelda Quirrell",), entity_type="PERSON")


def binding(name: str, store: RunningStore) -> UpstreamBinding:
    """A store with all its layers within reach."""
    history = {"reach": "side:sqlite", "path": str(store.history)}
    vectors = {"reach": "side:qdrant-local", "path": str(store.qdrant)}
    layers = from_config(
        {
            "history": history, "messages": history, "entities": vectors, "vectors": vectors,
            "files": {"reach": "side:files", "path": str(store.directory)},
        }
    )  # fmt: skip
    return connect(name, store.url, profiles=["mem0-oss"], key=KEY, layers=layers)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStore]:
    """A store that is there all along."""
    with running_store(tmp_path_factory.mktemp("first"), "--api-key", KEY) as store:
        yield store


async def test_what_changed_or_went_after_the_confirmation(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path,
    first: RunningStore,
) -> None:  # fmt: skip
    """One is deleted by somebody else, one is about another matter by now, one is as it was."""
    bound = binding("first", first)
    policy = policy_with(grace="P1D")
    bench = await erasing(ledger, keyring, tenant_id, clock, tmp_path, [bound.store], policy)
    texts = ("Zelda Quirrell breeds alpacas", "Zelda Quirrell rows boats", "Met Zelda Quirrell")
    ids = [await bench.remember("u-1", text, known=False) for text in texts]
    view = await bench.service.request(tenant_id, PERSON, actor=OPERATOR)
    await bench.service.confirm(
        tenant_id, view.id, word="confirmed", token=view.token, actor=OPERATOR
    )
    async with httpx.AsyncClient(base_url=first.url, headers={"X-API-Key": KEY}) as client:
        assert (await client.delete(f"/memories/{ids[0]}")).status_code == 200
        changed = await client.put(f"/memories/{ids[1]}", json={"text": "Somebody rows boats"})
        assert changed.status_code == 200
    clock.advance(timedelta(days=1, minutes=1))
    view = await bench.service.run(tenant_id, view.id)
    assert (view.state, view.deleted, view.counts["already_gone"]) == ("complete", 1, 1), (
        view.body()
    )
    assert await bench.texts("u-1") == ["Somebody rows boats"]
    assert _bytes(first.directory) == 0
    await bound.close()


def _bytes(folder: Path) -> int:
    """How often the name stands in any file."""
    found = (path.read_bytes().lower() for path in folder.rglob("*") if path.is_file())
    return sum(content.count(b"quirrell") for content in found)


@pytest.mark.parametrize("left", [False, True], ids=["only there", "in a stray file as well"])
async def test_a_text_within_another_owners_longer_one_is_no_residue(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path,
    first: RunningStore, left: bool,
) -> None:  # fmt: skip
    """Its bytes stay for the other owner says them; what lies anywhere else is still named."""
    bound = binding("first", first)
    bench = await erasing(ledger, keyring, tenant_id, clock, tmp_path, [bound.store])
    said = f"Keeps the oar of the {ledger.dialect} boat number {int(left)} in the shed"
    await bench.remember("u-3", said, mentions=[])
    await bench.remember("u-4", f"Was told: {said}, beside the nets and the lamps", mentions=[])
    stray = first.directory / f"stray-{tenant_id}.log"
    if left:
        stray.write_text(f"written by hand: {said}")
    view = await bench.forget(Target(kind="owner", values=("u-3",)))
    files = {each.layer: each for each in view.layers}["files"]
    stray.unlink(missing_ok=True)
    assert (view.state, files.residual) == (("incomplete", 1) if left else ("complete", 0)), (
        view.body()
    )
    assert await bench.texts("u-4") == [f"Was told: {said}, beside the nets and the lamps"]
    await bound.close()
