"""How often a request goes to the ledger; what is looked up beside detection misses nothing."""

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event

from proxy.tokens.index.spelling import Name
from tests.support.fault_store import FaultStore, answer
from tests.support.gateway import Plane

ADD, SEARCH = "/v3/memories/add/", "/v3/memories/search/"
STRANGE = "b0000000-0000-4000-8000-000000000001"
_TABLE = re.compile(r"(FROM|INTO|UPDATE) (\w+)")
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


@contextmanager
def statements(plane: Plane) -> Iterator[list[str]]:
    """The first words of what the ledger's writer is asked from now on, in order."""
    asked: list[str] = []
    engine = plane.services.ledger._writer_engine.sync_engine

    def note(_: Any, __: Any, statement: str, *more: Any) -> None:
        asked.append(" ".join(_TABLE.findall(statement)[0]))

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(engine, "before_cursor_execute", note)


INTENT = ["FROM owners", "INTO writes", "INTO write_owners"]
RECORD = ["FROM holds", "FROM memories", "FROM deks", "INTO memories", "INTO memory_owners",
          "INTO memory_refs", "FROM memory_refs", "UPDATE writes",
          "INTO audit_entries"]  # fmt: skip
NEW = ["FROM entities", "UPDATE counters", "FROM kek_epochs", "INTO deks", "INTO entities",
       "INTO entity_keys", "INTO vault", "INTO entity_owners"]  # fmt: skip
KNOWN = ["FROM entities", "FROM vault", "INTO entity_owners"]
LINKS, LINKED = ["INTO write_entities"], ["INTO memory_entities"]


def learning(*asked: str) -> list[str]:
    """What a write costs that learns or knows somebody."""
    return [INTENT[0], *asked, *INTENT[1:], *LINKS, *RECORD[:5], *LINKED, *RECORD[5:]]


@pytest.mark.parametrize(
    ("before", "said", "asked"),
    [
        pytest.param("oats", "likes rye bread", [*INTENT, *RECORD], id="plain"),
        pytest.param("at 212 555 0199", "call 212 555 0143", learning(*NEW), id="new-token"),
        pytest.param("at 212 555 0143", "call 212 555 0143", learning(*KNOWN), id="known-token"),
    ],
)
async def test_a_write_asks_the_ledger_no_more_than_it_has_to(
    plane: Plane, before: str, said: str, asked: list[str]
) -> None:
    """Whoever is new has a key, a name and a token in one go; whoever is known costs three."""
    await plane.add(before, "u-1")
    with statements(plane) as counted:
        await plane.add(said, "u-1")
    assert counted == asked


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
