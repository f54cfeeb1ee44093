"""Forgetting end to end against a small store, on both databases."""

import base64
import json
from pathlib import Path

import pytest

from proxy.audit.offline import verify
from proxy.clock import FrozenClock
from proxy.erasure.search.target import Target
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from tests.support.erasing import Erasing, erasing, sequencer, small_binding


@pytest.fixture
async def bench(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path
) -> Erasing:
    """A service over the small store with the default policy."""
    store, small = small_binding()
    return await erasing(ledger, keyring, tenant_id, clock, tmp_path, [store], small=small)


async def test_everything_of_an_owner_goes_and_others_stay(bench: Erasing) -> None:
    """An owner's memories go, known and planted ones; another's are untouched."""
    await bench.remember("u-1", "Likes jasmine tea")
    await bench.remember("u-1", "Plays the cello on Mondays", known=False)
    await bench.remember("u-10", "Likes jasmine tea")
    view = await bench.forget(Target(kind="owner", values=("u-1",)))
    assert view.state == "complete", view.body()
    assert view.deleted == 2
    assert await bench.texts("u-1") == []
    assert await bench.texts("u-10") == ["Likes jasmine tea"]


async def test_a_person_is_forgotten_in_every_owners_memories(bench: Erasing) -> None:
    """Mentions go wherever they stand, also in metadata and in what the ledger never saw."""
    await bench.remember("u-1", "Alva Brenn moved to Turku")
    await bench.remember("u-2", "Had lunch with Alva Brenn", known=False)
    await bench.remember("u-2", "Prefers window seats", metadata={"from": "Alva Brenn"})
    await bench.remember("u-2", "Prefers aisle seats")
    view = await bench.forget(Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON"))
    assert view.state == "complete", view.body()
    assert view.deleted == 3
    assert await bench.texts("u-2") == ["Prefers aisle seats"]


async def test_the_certificate_verifies_and_names_nobody(bench: Erasing) -> None:
    """Signature and proof hold, and neither name nor id stands in it."""
    await bench.remember("u-1", "Alva Brenn moved to Turku")
    view = await bench.forget(Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON"))
    await sequencer(bench).run_once()
    bundle = await bench.service.certificate(bench.tenant_id, view.reference)
    assert bundle.tlog_proof is not None
    verdict = verify(bundle.dsse, bundle.tlog_proof.encode(), bench.means.signer.verifier_key)
    assert all(check.passed for check in verdict.checks), verdict.checks
    payload = base64.b64decode(json.loads(bundle.dsse)["payload"]).decode()
    assert "Alva" not in payload
    assert "u-1" not in payload
    assert json.loads(payload)["predicate"]["state"] == "complete"


async def test_nothing_found_is_said(bench: Erasing) -> None:
    """An unknown owner is its own outcome."""
    view = await bench.forget(Target(kind="owner", values=("u-404",)))
    assert (view.state, view.outcome, view.certificate_ready) == (
        "complete",
        "nothing_found",
        False,
    )
