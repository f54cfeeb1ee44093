"""Lists are asked with states that there are and cursors that an answer gave; else it is a 400."""

from typing import Any

import pytest

from proxy.control.services import ControlServices
from tests.support.control import Client, bearer
from tests.support.erasing import Erasing

STATES = (
    "received, needs_clarification, planned, confirmed, executing, verifying, complete, "
    "incomplete, held, cancelled, refused"
)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/v1/erasures?state=bogus", f"state is one of: {STATES}."),
        ("/v1/erasures?state=", f"state is one of: {STATES}."),
        ("/v1/erasures?state=nothing_found", f"state is one of: {STATES}."),
        ("/v1/reviews?state=closed", "state is one of: open, answered, lapsed."),
        ("/v1/erasures?cursor=zzz", "The cursor is none that an answer gave."),
        ("/v1/erasures?cursor=DEL-2026-0001", "The cursor is none that an answer gave."),
        (f"/v1/erasures?cursor=rev_{'0' * 26}", "The cursor is none that an answer gave."),
        ("/v1/reviews?cursor=zzz", "The cursor is none that an answer gave."),
        ("/v1/quarantine?cursor=zzz", "The cursor is none that an answer gave."),
    ],
)
async def test_what_is_none_is_refused(
    client: Client, services: ControlServices, bench: Erasing, path: str, told: str
) -> None:
    """The problem says what may be asked."""
    assert bench.tenant_id
    reply = await client.get(path, headers=await bearer(services, "privacy"))
    body: dict[str, Any] = await reply.json()
    assert (reply.status, body["type"]) == (400, "urn:expunge:problem:invalid-request")
    assert body["detail"] == told


@pytest.mark.parametrize(
    "path",
    [
        *(f"/v1/erasures?state={each}" for each in STATES.split(", ")),
        *(f"/v1/reviews?state={each}" for each in ("open", "answered", "lapsed")),
        f"/v1/erasures?cursor=era_{'0' * 26}",
        f"/v1/reviews?cursor=rev_{'0' * 26}",
        f"/v1/quarantine?cursor=mem_{'0' * 26}",
    ],
)
async def test_twin_what_there_is_is_answered(
    client: Client, services: ControlServices, bench: Erasing, path: str
) -> None:
    """An empty list is an answer."""
    assert bench.tenant_id
    reply = await client.get(path, headers=await bearer(services, "privacy"))
    assert (reply.status, (await reply.json())["items"]) == (200, [])
