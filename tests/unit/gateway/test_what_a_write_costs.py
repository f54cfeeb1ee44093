"""How often a request goes to the ledger; what is looked up beside detection misses nothing."""

from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from proxy.tokens.index.spelling import Name
from tests.support.fault_store import FaultStore, answer
from tests.support.gateway import Plane

ADD, SEARCH = "/v3/memories/add/", "/v3/memories/search/"
STRANGE = "b0000000-0000-4000-8000-000000000001"
MANY = [{"role": "user", "content": f"the ferry of pier {n} is late"} for n in range(5)]


def watched(plane: Plane, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many transactions the ledger is asked for from now on."""
    found: Counter[str] = Counter()
    ledger = plane.services.ledger

    def counting(name: str) -> Callable[[Any], Awaitable[Any]]:
        real = getattr(ledger, name)

        async def call(unit: Any) -> Any:
            found[name] += 1
            return await real(unit)

        return call

    for name in ("write", "read"):
        monkeypatch.setattr(ledger, name, counting(name))
    return found


@pytest.mark.parametrize(
    ("messages", "reads"),
    [
        pytest.param([{"role": "user", "content": "likes rye bread"}], 1, id="plain"),
        pytest.param([{"role": "user", "content": "call me at 212 555 0143"}], 2, id="new-token"),
        pytest.param(MANY, 1, id="several-memories"),
    ],
)
async def test_a_write_commits_its_intent_and_its_result(
    plane: Plane, monkeypatch: pytest.MonkeyPatch, messages: list[dict[str, str]], reads: int
) -> None:
    """Nothing else is committed; read are wishes, and whether whom it names was erased since."""
    await plane.add("the first of the owner", "u-1")
    counted = watched(plane, monkeypatch)
    body = {"messages": messages, "user_id": "u-1", "infer": False}
    status, answer = await plane.call("POST", ADD, body)
    assert (status, len(answer["results"])) == (200, len(messages))
    assert all(each["content"] in str(answer) for each in messages), "the writer's own words"
    assert counted["write"] == 2
    assert counted["read"] <= reads


@pytest.mark.parametrize(("strange", "commits"), [(True, 3), (False, 2)])
async def test_an_id_that_is_not_the_writes_costs_more(
    faulty: Plane,
    faults: FaultStore,
    monkeypatch: pytest.MonkeyPatch,
    strange: bool,
    commits: int,
) -> None:
    """What is strange is committed to the audit log on top."""
    made = [{"id": STRANGE, "memory": "x"}] if strange else []
    body = {"messages": [{"role": "user", "content": "x"}], "user_id": "u-1", "infer": False}
    await faulty.call("POST", "/memories", body)
    faults.script, faults.keeps = (lambda _: answer({"results": made})), (lambda _: False)
    counted = watched(faulty, monkeypatch)
    await faulty.call("POST", "/memories", body)
    assert counted["write"] == commits


async def test_items_from_beside_the_proxy_are_indexed_in_one_commit(
    plane: Plane, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer full of unknown items is recorded at once; asked again it costs nothing."""
    known = await plane.add("likes oat bread")
    store = plane.services.stores["mem0"].store
    item = await store.get(known)
    assert item is not None
    for number in range(6):
        await store.add(item.owners, f"likes rye bread number {number}", {})
    ask = {"query": "rye bread", "filters": {"user_id": "u-1"}, "top_k": 10}
    counted = watched(plane, monkeypatch)
    for commits in (1, 0):
        counted.clear()
        status, answer = await plane.call("POST", SEARCH, ask)
        assert (status, len(answer["results"])) == (200, 7)
        assert counted["write"] == commits


@pytest.mark.parametrize("blocks", [True, False])
async def test_who_is_blocked_while_detection_runs_is_blocked(
    named: Plane, faults: FaultStore, monkeypatch: pytest.MonkeyPatch, blocks: bool
) -> None:
    """The blocklist is asked after detection: an erasure that ends meanwhile counts."""
    plane, services = named, named.services
    real = plane.detectors.analyse

    async def analyse(texts: Any, **more: Any) -> Any:
        found = await real(texts, **more)
        if blocks:
            tenant_id, name = plane.tenants["acme"], Name("Orla Quist", "PERSON")
            await services.ledger.write(lambda tx: services.blocklist.add(tx, tenant_id, [name]))
        return found

    monkeypatch.setattr(plane.detectors, "analyse", analyse)
    text = "Orla Quist takes the early ferry"
    body = {"messages": [{"role": "user", "content": text}], "user_id": "u-1", "infer": False}
    status, _ = await plane.call("POST", "/memories", body)
    assert (status == 422) is blocks
    assert bool(faults.requests) is not blocks
