"""Reviews and notices that wait for an owner end with the owner's erasure."""

import json
from base64 import b64decode
from datetime import timedelta
from typing import Any

import pytest

from proxy.erasure.search.target import Target
from proxy.erasure.view import ErasureView
from proxy.ledger import erasures, notifications, reviews
from proxy.ledger.engine import Tx
from proxy.ledger.notifications import Notification
from proxy.ledger.reviews import Review
from proxy.rights.notices import notices
from tests.support.erasing import OPERATOR, Erasing
from tests.unit.erasure.conftest import Build

LEIF = Target(kind="owner", values=("leif",))


async def _waits(bench: Erasing) -> None:
    """A review of Leif and one of Ute, with notices to each and to a recipient about each."""
    now = bench.means.clock.now()

    async def unit(tx: Tx) -> None:
        for name in ("leif", "ute"):
            owner = await bench.owner(tx, name)
            told = {"total": 3, "categories": {"health": 2}}
            await reviews.insert(
                tx,
                Review(
                    f"rev_{name}", bench.tenant_id, owner.id, "open", told, now,
                    now + timedelta(days=30),
                ),
            )  # fmt: skip
            sent = [
                Notification(
                    f"ntc_1{name}", bench.tenant_id, None, owner.id, "review", "pending", now,
                    review_id=f"rev_{name}",
                ),
                Notification(
                    f"ntc_2{name}", bench.tenant_id, None, None, "review:crm", "by_hand", now,
                    review_id=f"rev_{name}",
                ),
                Notification(
                    f"ntc_3{name}", bench.tenant_id, "era_other", owner.id, "shared_context",
                    "pending", now,
                ),
                Notification(
                    f"ntc_4{name}", bench.tenant_id, "era_other", owner.id, "shared_context",
                    "sent", now, 1, now,
                ),
                Notification(
                    f"ntc_5{name}", bench.tenant_id, "era_other", None, "erasure:crm", "pending",
                    now,
                ),
            ]  # fmt: skip
            await notifications.add(tx, sent)

    await bench.ledger.write(unit)


async def _states(bench: Erasing, name: str) -> str:
    """State of the review, and of the notices in their order."""

    async def load(tx: Tx) -> list[str]:
        review = await reviews.get(tx, bench.tenant_id, f"rev_{name}")
        owner = await bench.owner(tx, name)
        waiting = await notifications.undelivered(tx, [owner.id], [f"rev_{name}"])
        listed = await notifications.of_owner(tx, bench.tenant_id, owner.id)
        assert review is not None
        return [
            review.state, str(review.summary["total"]),
            *(each.removeprefix("ntc_").removesuffix(name) for each in sorted(waiting)),
            *(f"shown {each.id[4]}" for each in listed),
        ]  # fmt: skip

    return ", ".join(await bench.ledger.read(load))


async def _notifications(bench: Erasing, view: ErasureView) -> dict[str, Any]:
    row = await bench.ledger.read(lambda tx: erasures.by_id(tx, view.id))
    assert row is not None
    assert row.certificate is not None
    statement = json.loads(b64decode(json.loads(row.certificate)["payload"]))
    said: dict[str, Any] = statement["predicate"]["notifications"]
    return said


OPEN = "open, 3, 1, 2, 3, shown 4, shown 3, shown 1"


async def test_they_end_with_the_owner(bench: Erasing) -> None:
    """Counted in the certificate; what others are owed still goes out, and so do Ute's."""
    await bench.remember("leif", "I restore cellos", mentions=[])
    await _waits(bench)
    view = await bench.forget(LEIF)
    assert view.state == "complete", view.body()
    assert await _notifications(bench, view) == {"owed": 0, "withdrawn": 3, "reviews_lapsed": 1}
    assert await _states(bench, "leif") == "lapsed, 0, shown 4"
    assert await _states(bench, "ute") == OPEN
    going = await bench.ledger.read(
        lambda tx: notifications.outgoing(tx, bench.means.clock.now(), [0])
    )
    assert {each.id for each in going} >= {"ntc_5leif", "ntc_5ute"}
    assert [each.id for each in await notices(bench.means, bench.tenant_id, ("user", "leif"))] in (
        [], ["ntc_4leif"],
    )  # fmt: skip


@pytest.mark.parametrize("origin", ["client", "control"])
async def test_twin_an_owner_who_goes_on_is_still_asked(bench: Erasing, origin: str) -> None:
    """A client that clears its memories, and somebody who keeps something, are not erased."""
    await bench.remember("leif", "I restore cellos", mentions=[])
    await bench.remember("leif", "I owe 40 francs to the luthier", categories=["financial"])
    await _waits(bench)
    kept = {"keep": ("financial",)} if origin == "control" else {}
    view = await bench.forget(LEIF, origin=origin, **kept)
    assert view.deleted >= 1
    assert (await _notifications(bench, view))["withdrawn"] == 0
    assert await _states(bench, "leif") == OPEN


async def test_the_erasures_own_notices_go_out(build: Build) -> None:
    """Another owner whose memory was touched is told, and the recipients of the policy."""
    bench = await build(shared="delete")
    await bench.remember("leif", "Ebba Quint restores cellos")
    await bench.remember("ute", "Ebba Quint lent me a bow")
    target = Target(kind="subject", owner="leif", values=("Ebba Quint",), entity_type="PERSON")
    await _waits(bench)
    view = await bench.forget(target)
    if view.state == "needs_clarification":
        view = await bench.service.clarify(bench.tenant_id, view.id, entity_ids=["all"],
                                           actor=OPERATOR)  # fmt: skip
    assert view.state == "complete", view.body()
    assert await _notifications(bench, view) == {"owed": 1, "withdrawn": 3, "reviews_lapsed": 1}
    owed = await bench.ledger.read(
        lambda tx: notifications.of_erasure(tx, bench.tenant_id, view.id)
    )
    assert [(each.kind, each.state) for each in owed] == [("shared_context", "pending")]
