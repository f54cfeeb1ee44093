"""What the control plane refuses, and that it says what would be right."""

from typing import Any

import pytest

from proxy.control.services import ControlServices
from tests.support.control import Client, bearer

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
