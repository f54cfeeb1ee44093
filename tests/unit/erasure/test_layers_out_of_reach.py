"""What waits for a connector is told apart from what failed, in erasures, doctor and alerts."""

import base64
import json
import re
from datetime import timedelta
from pathlib import Path

import pytest

from proxy.app import gauges
from proxy.app.diagnosis import of_erasures
from proxy.clock import FrozenClock
from proxy.erasure.search.target import Target
from proxy.keys.ring import KeyRing
from proxy.ledger import jobs
from proxy.ledger.engine import Ledger
from proxy.telemetry.metrics import ERASURES
from tests.support.erasing import OPERATOR, Erasing, erasing, small_binding
from tests.support.small_store import SmallLayer

OWNER = Target(kind="owner", values=("u-1",))
ALERTS = Path(__file__).parents[3] / "deploy/alerts.yaml"


@pytest.fixture
async def blind(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path
) -> Erasing:
    """A store of whose layers only the memories can be reached, and that keeps its history."""
    store, small = small_binding()
    store.layers, small.keeps_history = {}, True
    return await erasing(ledger, keyring, tenant_id, clock, tmp_path, [store], small=small)


def critical() -> str:
    """The expression of the alert that wakes somebody."""
    text = ALERTS.read_text("utf-8")
    rule = text.partition("alert: ExpungeErasureIncomplete")[2].partition("for:")[0]
    return rule.partition("expr:")[2]


def counted() -> float:
    """What that expression comes to now: its series, told apart by their labels, in sum."""
    [(name, matchers)] = re.findall(r"(expunge_\w+)\{([^}]*)\}", critical())
    wanted = re.findall(r'(\w+)(=~|!~|=|!=)"([^"]*)"', matchers)

    def fits(labels: dict[str, str]) -> bool:
        return all(
            bool(re.fullmatch(value, labels[label])) is not sign.startswith("!")
            for label, sign, value in wanted
        )

    series = (each for family in ERASURES.collect() for each in family.samples)
    return sum(each.value for each in series if each.name == name and fits(each.labels))


async def job_state(bench: Erasing, erasure_id: str) -> str:
    job = await bench.ledger.read(lambda tx: jobs.of_erasure(tx, erasure_id))
    assert job is not None
    return job.state


@pytest.mark.parametrize("target", ["owner", "memory"])
@pytest.mark.parametrize("origin", ["client", "control"])
async def test_it_waits_for_a_connector(blind: Erasing, target: str, origin: str) -> None:
    """Incomplete, with every layer named; nobody is called, and nothing is tried for nothing."""
    memory_id = await blind.remember("u-1", "Likes jasmine tea", mentions=[])
    wanted = OWNER if target == "owner" else Target(kind="memory", values=(memory_id,))
    done = await blind.forget(wanted, origin=origin)
    assert (done.state, done.outcome, done.deleted) == ("incomplete", "out_of_reach", 1)
    left = {each.layer: each.reason for each in done.layers if each.status == "residual"}
    assert left["history"] == "no_route_deletes_it"
    assert left["entities"] == "out_of_reach"
    bundle = await blind.service.certificate(blind.tenant_id, done.id)
    said = json.loads(base64.b64decode(json.loads(bundle.dsse)["payload"]))["predicate"]
    assert (said["state"], said["outcome"]) == ("incomplete", "out_of_reach")
    assert await job_state(blind, done.id) == "done"
    assert await blind.service.run_due() == 0
    [finding] = await of_erasures(blind.ledger)
    assert (finding.status, finding.detail) == (
        "ok", "None waits for an operator. 1 ended with layers out of reach.",
    )  # fmt: skip
    assert (await blind.forget(wanted, origin=origin)).state == "incomplete"  # of nothing any more
    await gauges.refresh(blind.ledger, None)
    assert counted() == 0


async def test_with_the_connector_a_retry_ends_it(blind: Erasing) -> None:
    await blind.remember("u-1", "Likes jasmine tea", mentions=[])
    done = await blind.forget(OWNER)
    assert blind.small is not None
    blind.small.history.clear()
    blind.store.layers = {name: SmallLayer(name) for name in ("entities", "history", "messages")}
    again = await blind.service.retry(blind.tenant_id, done.id, actor=OPERATOR)
    assert (again.state, again.outcome) == ("complete", "erased")


@pytest.mark.parametrize("failing", ["a memory comes back", "a connected layer keeps rows"])
async def test_what_failed_besides_is_not_hidden_by_it(
    blind: Erasing, clock: FrozenClock, failing: str
) -> None:
    """The other layers are as much out of reach; this one waits for somebody, who is called."""
    memory_id = await blind.remember("u-1", "Likes jasmine tea", mentions=[])
    assert blind.small is not None
    if failing == "a memory comes back":
        blind.small.lagging.add(memory_id)
    else:
        blind.store.layers = {"messages": SmallLayer("messages", {memory_id: "x"}, stubborn=True)}
    done = await blind.forget(OWNER)
    for _ in range(12):
        clock.advance(timedelta(minutes=10))
        await blind.service.run_due()
    view = await blind.service.get(blind.tenant_id, done.id)
    assert (view.state, view.outcome) == ("incomplete", "incomplete")
    assert await job_state(blind, done.id) == "needs_operator"
    [finding] = await of_erasures(blind.ledger)
    assert (finding.status, finding.detail) == (
        "warning", "1 wait for an operator (needs_operator).",
    )  # fmt: skip
    await gauges.refresh(blind.ledger, None)
    assert counted() == 1
