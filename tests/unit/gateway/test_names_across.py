"""Blocked names that go on from one string to the next, and as the id of an owner."""

from typing import Any

import pytest

from proxy.tokens.index.spelling import Name
from tests.support.fault_store import FaultStore, added
from tests.support.gateway import Plane

ADD = "/v3/memories/add/"


def body(*said: str, metadata: Any = None, **owner: str) -> dict[str, Any]:
    messages = [{"role": "user", "content": text} for text in said or ("likes rye bread",)]
    owners = owner or {"user_id": "u-1"}
    return {"messages": messages, **owners, "infer": False, "metadata": metadata or {}}


STOPPED = {
    # id: a write that names Sten Lode, the same kind of write that does not
    "fields": (
        body(metadata={"first": "Sten", "last": "Lode"}),
        body(metadata={"first": "Sten", "last": "Lund"}),
    ),
    "nested fields, other order": (
        body(metadata={"contact": {"lastName": "Lode", "firstName": "Sten"}}),
        body(metadata={"contact": {"lastName": "Lode"}, "other": {"firstName": "Sten"}}),
    ),
    "fields with an initial": (
        body(metadata={"first_name": "Sten", "middle_name": "M.", "last_name": "Lode"}),
        body(metadata={"first_name": "Sten", "town": "Lode"}),
    ),
    "messages": (body("I am Sten", "Lode is my surname"), body("I am Sten.", "Lode is a town")),
    "messages, not in a row": (
        body("x", "It was Sten", "Lode who came"), body("It was Sten", "not him", "Lode who came"),
    ),
    "JSON in a message": (
        body('{"first":"Sten","last":"Lode"}'), body('{"first":"Sten","last":"Lund"}'),
    ),
    "an owner": (body(user_id="Sten Lode"), body(user_id="Sten Lund")),
    "an owner's slug": (body(user_id="sten-lode"), body(user_id="sten-lodestar")),
    "an agent": (body(user_id="u-1", agent_id="sten.lode"), body(user_id="u-1", agent_id="sten")),
    "a run": (body(user_id="u-1", run_id="call-sten-lode-3"), body(user_id="u-1", run_id="call-3")),
}  # fmt: skip


@pytest.mark.parametrize(("named", "other"), STOPPED.values(), ids=STOPPED.keys())
async def test_a_name_in_parts_is_stopped(
    faulty: Plane, faults: FaultStore, named: dict[str, Any], other: dict[str, Any]
) -> None:
    """Nothing of the one is forwarded; its twin is."""
    services = faulty.services
    await services.ledger.write(
        lambda tx: services.blocklist.add(  # type: ignore[attr-defined]
            tx, faulty.tenants["acme"], [Name("Sten Lode")]
        )
    )
    faults.script = lambda _: added()
    status, answer = await faulty.call("POST", ADD, named)
    assert (status, answer["type"]) == (422, "urn:expunge:problem:write-rejected")
    assert faults.requests == []
    status, _ = await faulty.call("POST", ADD, other)
    assert status == 200
