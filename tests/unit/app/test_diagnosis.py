"""What 'expunge doctor' says of keys is what the provider says now, not what memory still holds."""

from pathlib import Path

import pytest
from sqlalchemy import text

from proxy.app.diagnosis import of_erasures, of_keys, of_log, unreached
from proxy.audit.log import AuditLog
from proxy.audit.sequencer import Sequencer
from proxy.audit.signer import Signer
from proxy.audit.witness import Witness
from proxy.clock import FrozenClock
from proxy.keys.errors import KekRefused, KekUnavailable
from proxy.keys.file import FileKek
from proxy.keys.kek import Wrapped
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.upstreams.layers import from_config
from tests.support.erasing import small_binding


class Failing(FileKek):
    """A key file whose provider can fail."""

    failure: type[Exception] | None = None

    async def unwrap(self, wrapped: Wrapped, aad: bytes) -> bytes:
        if self.failure is not None:
            raise self.failure
        return await super().unwrap(wrapped, aad)


@pytest.fixture
def kek(tmp_path: Path) -> Failing:
    """A key file of its own."""
    return Failing(tmp_path / "own" / "kek.json")


@pytest.mark.parametrize("failure", [KekUnavailable, KekRefused], ids=["sealed", "another-key"])
async def test_a_sealed_provider_is_told_while_its_keys_are_still_held(
    ledger: Ledger, kek: Failing, clock: FrozenClock, failure: type[Exception]
) -> None:
    """At once, within the lease in which work goes on; and so is its return."""
    ring = await KeyRing.open(ledger, kek, clock)
    [finding] = await of_keys(ring)
    assert (finding.name, finding.status) == ("keys", "warning")  # a key file is for development
    kek.failure = failure
    [finding] = await of_keys(ring)
    assert (finding.name, finding.status) == ("keys", "failed")
    assert await ring.opens()  # looking took nothing away
    kek.failure = None
    assert [each.status for each in await of_keys(ring)] == ["warning"]
    await ring.close()


async def test_a_log_that_is_not_as_it_was_signed_is_told(
    ledger: Ledger, clock: FrozenClock, tmp_path: Path
) -> None:
    """As 'audit verify' says it: a changed entry, and a log cut behind its checkpoint outside."""
    signer = Signer.open(tmp_path / "audit.pem", "expunge.example/acme")
    witness = Witness(tmp_path / "audit.checkpoint")
    log, sequencer = AuditLog(clock), Sequencer(ledger, signer, clock, witness)
    for count in range(3):
        await ledger.write(lambda tx, n=count: log.append(tx, None, "memory.erased", {"count": n}))
    await sequencer.run_once()
    [finding] = await of_log(ledger, signer.verifier_key, witness)
    assert finding.status == "ok"
    await ledger.write(lambda tx: tx.execute(text("DELETE FROM audit_entries WHERE leaf_index=1")))
    [finding] = await of_log(ledger, signer.verifier_key, witness)
    assert (finding.status, finding.detail) == ("failed", "Entry 1 is missing.")


async def test_where_nothing_waits_for_an_operator_that_is_said(ledger: Ledger) -> None:
    """The counterpart, an erasure that was given up, is among the faults."""
    [finding] = await of_erasures(ledger)
    assert (finding.name, finding.status) == ("erasures", "ok")


def test_layers_out_of_reach_are_one_warning_of_their_store() -> None:
    """What lies in the memory's row and what is only looked at is none of them."""
    store, _ = small_binding()
    store.layers = from_config({"history": {"reach": "side:sqlite", "path": "/x/history.db"}})
    [finding] = unreached(store)
    assert (finding.name, finding.status) == ("layers of mem0", "warning")
    assert finding.detail == (
        "Out of reach: entities, messages. Erasures that concern them end incomplete."
    )
    assert "Give Expunge the path of history.db (reach: side:sqlite)." in finding.hint
    assert "'expunge erasure retry'" in finding.hint


def test_of_a_store_whose_layers_are_all_connected_nothing_is_said() -> None:
    """The twin: bytes of files alone are no reason for a warning."""
    store, _ = small_binding()
    path = {"reach": "side:sqlite", "path": "/x/history.db"}
    index = {"reach": "side:qdrant-local", "path": "/x"}
    store.layers = from_config({"history": path, "messages": path, "entities": index})
    assert unreached(store) == []
