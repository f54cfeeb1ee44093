"""What the control plane refuses, and that it says what would be right."""

from typing import Any

import pytest

from proxy.control.services import ControlServices
from proxy.ledger import erasures
from tests.support.control import Client, bearer
from tests.support.erasing import Erasing

CALLS: dict[str, tuple[str, Any]] = {
    "erasure": ("/v1/erasures", lambda kind: {"target": {"kind": "entity", "value": "Orla Quist",
                                                         "type": kind}, "dry_run": True}),
    "blocklist": ("/v1/blocklist", lambda kind: {"names": ["Orla Quist"], "type": kind}),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS, ids=CALLS)
@pytest.mark.parametrize("kind", ["banana", "persons", "PERSON ", "e-mail", "person,location"])
async def test_an_unknown_entity_type_is_refused_with_those_there_are(
    call: str, kind: str, client: Client, services: ControlServices
) -> None:
    """It would be reported as nothing found otherwise; nothing is planned or blocked."""
    headers = await bearer(services, "privacy")
    path, body = CALLS[call]
    answer = await client.post(path, json=body(kind), headers=headers)
    problem = await answer.json()
    assert (answer.status, problem["type"]) == (400, "urn:expunge:problem:invalid-request")
    detail = problem["errors"][0]["detail"]
    assert "email_address" in detail
    assert "person" in detail
    assert kind not in detail.split(", ")
    listed = await (await client.get(path, headers=headers)).json()
    assert listed["items"] == []


@pytest.mark.parametrize("call", CALLS, ids=CALLS)
@pytest.mark.parametrize("kind", ["person", "PERSON", "Organization", "medical_condition", "term"])
async def test_known_entity_types_pass_in_any_case(
    call: str, kind: str, client: Client, services: ControlServices
) -> None:
    """As they are shown and as they are typed."""
    path, body = CALLS[call]
    answer = await client.post(path, json=body(kind), headers=await bearer(services, "privacy"))
    assert answer.status == 201


LATE = {
    "executing": "Deleting has begun; what is deleted cannot be brought back.",
    "verifying": "Deleting has begun; what is deleted cannot be brought back.",
    "incomplete": "What is left can be erased with a retry.",
    "held": "What a hold keeps goes when the hold is released.",
    "complete": "It is complete; what is deleted cannot be brought back.",
    "cancelled": "It was cancelled; nothing was deleted.",
    "refused": "It was refused; nothing was deleted.",
}
ACTS: dict[str, Any] = {
    "cancel": {},
    "refuse": {"reason": "gdpr.17.3.e_legal_claims"},
    "confirm": {"confirm": "confirmed", "token": "x"},
}


@pytest.mark.parametrize("state", LATE, ids=LATE)
@pytest.mark.parametrize("act", ACTS, ids=ACTS)
async def test_what_comes_too_late_is_told_what_the_state_is(
    act: str, state: str, bench: Erasing, client: Client, services: ControlServices
) -> None:
    """Each state has its own sentence; nothing about deleting where nothing was deleted."""
    headers = await bearer(services, "privacy")
    body = {"target": {"kind": "entity", "value": "Orla Quist"}}
    await bench.remember("u-1", "Orla Quist repairs clocks.")
    plan = await (await client.post("/v1/erasures", json=body, headers=headers)).json()
    await bench.ledger.write(lambda tx: erasures.change(tx, plan["id"], state=state))
    path = f"/v1/erasures/{plan['id']}/{act}"
    answer = await client.post(path, json=ACTS[act], headers=headers)
    problem = await answer.json()
    assert (answer.status, problem["type"]) == (409, "urn:expunge:problem:invalid-state")
    assert LATE[state] in problem["detail"]
    assert problem["hint"] == f"Its state is '{state}'."


@pytest.mark.parametrize("state", ["planned", "confirmed"])
async def test_what_has_not_begun_can_be_cancelled(
    state: str, bench: Erasing, client: Client, services: ControlServices
) -> None:
    """Also once it is confirmed; a second time it says that it was cancelled."""
    headers = await bearer(services, "privacy")
    body = {"target": {"kind": "entity", "value": "Orla Quist"}}
    await bench.remember("u-1", "Orla Quist repairs clocks.")
    plan = await (await client.post("/v1/erasures", json=body, headers=headers)).json()
    await bench.ledger.write(lambda tx: erasures.change(tx, plan["id"], state=state))
    path = f"/v1/erasures/{plan['id']}/cancel"
    assert (await client.post(path, json={}, headers=headers)).status == 200
    again = await client.post(path, json={}, headers=headers)
    assert LATE["cancelled"] in (await again.json())["detail"]
