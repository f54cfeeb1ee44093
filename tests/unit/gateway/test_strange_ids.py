"""What a store says that a write made is believed only if it reads back as that write's."""

from typing import Any

import pytest
import pytest_asyncio

from proxy.gateway.memories.pending import PendingWrites
from proxy.ledger import memories, writes
from proxy.pseudonyms import Pseudonyms
from proxy.telemetry import metrics
from proxy.tokens.blocklist import Name
from tests.support.fault_store import FaultStore, Received, answer
from tests.support.gateway import Plane

ADD, LIST, BATCH = "/v3/memories/add/", "/v3/memories/", "/v1/batch/"
FOREIGN = "b0000000-0000-4000-8000-000000000001"  # another tenant's
OTHER = "b0000000-0000-4000-8000-000000000002"  # another owner's of the same tenant
OLDER = "b0000000-0000-4000-8000-000000000003"  # of an earlier write of the same owner
NOWHERE = "b0000000-0000-4000-8000-000000000004"
MINE = "a0000000-0000-4000-8000-000000000001"
STRANGE = {
    "another-tenant": FOREIGN, "another-owner": OTHER, "another-write": OLDER, "absent": NOWHERE,
    "a-path": "../../memories", "empty": "", "a-wildcard": "*", "long": "a" * 5000, "a-number": 7,
}  # fmt: skip
KINDS = [pytest.param(each, id=name) for name, each in STRANGE.items()]


class Lying:
    """Adds what it is told to under given ids, and names others besides."""

    def __init__(self) -> None:
        self.names: list[Any] = []
        self.text, self.deleted = "likes rye bread", list[str]()
        self.pending = False
        self.kept: dict[str, Any] = {}  # of the store

    def item(self, memory_id: Any) -> dict[str, Any]:
        return {"id": memory_id, "data": {"memory": self.text}, "event": "ADD"}

    def __call__(self, request: Received) -> Any:
        if request.method == "DELETE":
            self.deleted.append(request.target)
            self.kept.pop(request.target.split("/")[-2], None)
            return answer({"message": "ok"})
        results = [self.item(each) for each in self.names]
        if request.target.startswith("/v1/event/"):
            return answer({"status": "SUCCEEDED", "results": results})
        if self.pending:
            return answer({"status": "PENDING", "event_id": "evt-9", "results": results})
        return answer({"status": "SUCCEEDED", "results": results})


def body(user: str, text: str = "likes rye bread") -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}], "user_id": user, "infer": False}


@pytest_asyncio.fixture(loop_scope="session")
async def lying(faulty: Plane, faults: FaultStore) -> Lying:
    """A store that holds memories of another tenant, another owner and an earlier write."""
    script = faults.script = Lying()
    script.kept = faults.kept
    for tenant, user, memory_id in (
        ("globex", "u-9", FOREIGN), ("acme", "u-2", OTHER), ("acme", "u-1", OLDER),
    ):  # fmt: skip
        script.names = [memory_id]
        assert (await faulty.call("POST", ADD, body(user), tenant=tenant))[0] == 200
    faults.keeps = lambda memory_id: memory_id == MINE
    return script


async def recorded(plane: Plane, tenant: str = "acme") -> dict[bytes, memories.Memory]:
    """The tenant's rows by reference."""
    found = await plane.services.ledger.read(
        lambda tx: memories.of_tenant(tx, plane.tenants[tenant])
    )
    return {row.ref: row for row in found}


async def names(plane: Plane) -> Pseudonyms:
    return await plane.services.keyring.tenant(plane.tenants["acme"])


async def ref(plane: Plane, memory_id: Any) -> bytes:
    return memories.ref(await names(plane), "mem0", str(memory_id))


def counted() -> float:
    return float(metrics.STRANGE_IDS._value.get())


@pytest.mark.parametrize("strange", KINDS)
async def test_an_id_that_is_not_the_writes_is_not_recorded(
    faulty: Plane, lying: Lying, strange: Any
) -> None:
    """Beside the memory that was made, nothing is recorded, shown or deleted; it is counted."""
    rows, others, before = await recorded(faulty), await recorded(faulty, "globex"), counted()
    lying.names = [MINE, strange]
    status, found = await faulty.call("POST", ADD, body("u-1"))
    assert (status, [each["id"] for each in found["results"]]) == (200, [MINE])
    assert counted() == before + 1
    now = await recorded(faulty)
    assert now.keys() - rows.keys() == {await ref(faulty, MINE)}
    assert {key: now[key] for key in rows} == rows
    assert await recorded(faulty, "globex") == others
    assert lying.deleted == []


@pytest.mark.parametrize("strange", KINDS)
async def test_only_its_own_is_deleted_for_an_erased_name(
    faulty: Plane, lying: Lying, strange: Any
) -> None:
    """An answer that puts an erased person's name beside a strange id deletes nothing of others."""
    blocklist, tenant = faulty.services.blocklist, faulty.tenants["acme"]
    await faulty.services.ledger.write(
        lambda tx: blocklist.add(tx, tenant, [Name("Orla Quist")])  # type: ignore[attr-defined]
    )
    rows = await recorded(faulty)
    lying.names, lying.text = [MINE, strange], "Orla Quist likes rye bread"
    status, found = await faulty.call("POST", ADD, body("u-1"))
    assert (status, found["results"]) == (200, [])
    assert lying.deleted == [f"/v1/memories/{MINE}/"]
    assert await recorded(faulty) == rows


@pytest.mark.parametrize("strange", KINDS)
async def test_an_event_names_only_what_its_write_made(
    faulty: Plane, lying: Lying, strange: Any
) -> None:
    """Neither the pending answer nor the event shows it, whoever looks first."""
    rows, lying.pending, lying.names = await recorded(faulty), True, [strange]
    status, found = await faulty.call("POST", ADD, {**body("u-1"), "infer": True})
    assert (status, found["results"], found["event_id"]) == (200, [], "evt-9")
    status, found = await faulty.call("GET", "/v1/event/evt-9/")
    assert (status, found["results"]) == (200, [])
    await PendingWrites(faulty.services).run_once()
    assert await recorded(faulty) == rows
    assert lying.deleted == []


@pytest.mark.parametrize("strange", KINDS)
async def test_the_poller_believes_no_more(faulty: Plane, lying: Lying, strange: Any) -> None:
    """A write that is settled in the background is judged the same way."""
    rows, lying.pending, lying.names = await recorded(faulty), True, [strange]
    await faulty.call("POST", ADD, {**body("u-1"), "infer": True})
    before = counted()
    await PendingWrites(faulty.services).run_once()
    assert counted() == before + 1
    assert await recorded(faulty) == rows
    assert lying.deleted == []


BATCHES = [
    pytest.param({"message": f"updated {FOREIGN}"}, id="in-words"),
    pytest.param({"message": "ok", "ids": [OLDER, OTHER]}, id="a-list-of-ids"),
    pytest.param({"message": "ok", "memories": [{"text": "secret"}]}, id="items-without-ids"),
    pytest.param({"message": "ok", "more": {"memory_id": OTHER, "text": "secret"}}, id="deeper"),
]


@pytest.mark.parametrize("said", BATCHES)
async def test_a_batch_update_is_about_what_was_asked_for(
    faulty: Plane, faults: FaultStore, lying: Lying, said: dict[str, Any]
) -> None:
    """Only the addressed memories are renewed; of the answer only plain words are left."""
    rows = await recorded(faulty)
    faults.script = lambda _: answer(said)
    sent = {"memories": [{"memory_id": OLDER, "text": "likes oat bread"}]}
    status, found = await faulty.call("PUT", BATCH, sent)
    assert status == 200
    for hidden in (FOREIGN, OTHER, "secret"):
        assert hidden not in str(found)
    now = await recorded(faulty)
    assert {key for key in rows if now[key] != rows[key]} == {await ref(faulty, OLDER)}
    assert now.keys() == rows.keys()


async def test_a_batch_update_that_says_nothing_of_others_passes(
    faulty: Plane, faults: FaultStore, lying: Lying
) -> None:
    """The negative twin: the store's own words, the addressed id among them."""
    said = {"message": f"Updated {OLDER}"}
    faults.script = lambda _: answer(said)
    sent = {"memories": [{"memory_id": OLDER, "text": "likes oat bread"}]}
    assert await faulty.call("PUT", BATCH, sent) == (200, said)


async def test_an_update_answered_with_another_memory_is_garbled(
    faulty: Plane, faults: FaultStore, lying: Lying
) -> None:
    """The answer is not shown; the addressed memory is renewed, no other."""
    rows = await recorded(faulty)
    faults.script = lambda _: answer({"id": FOREIGN, "memory": "secret"})
    status, found = await faulty.call("PUT", f"/v1/memories/{OLDER}/", {"text": "likes oat bread"})
    assert (status, found["type"]) == (502, "urn:expunge:problem:upstream-garbled")
    now = await recorded(faulty)
    assert {key for key in rows if now[key] != rows[key]} == {await ref(faulty, OLDER)}


async def test_a_memory_that_cannot_be_read_back_leaves_the_write_open(
    faulty: Plane, faults: FaultStore, lying: Lying
) -> None:
    """A store that does not show what it wrote is not believed; the reconciler looks again."""
    rows = await recorded(faulty)

    def refusing(request: Received) -> Any:
        if request.method == "GET":
            return answer({"detail": "later"}, 500)
        return answer({"status": "SUCCEEDED", "results": [{"id": NOWHERE}]})

    faults.script = refusing
    faults.keeps = lambda _: False
    status, found = await faulty.call("POST", ADD, body("u-1"))
    assert (status, found["upstream"]) == (502, "sent")
    assert await recorded(faulty) == rows
    found_open = await faulty.services.ledger.read(
        lambda tx: writes.open_writes(tx, before=faulty.clock.now())
    )
    assert [w.state for w in found_open if w.tenant_id == faulty.tenants["acme"]] == ["unknown"]
