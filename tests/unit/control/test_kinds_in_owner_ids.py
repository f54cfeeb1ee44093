"""``user:kim`` for the user kim: refused wherever an owner is named, unless an id is just that."""

from typing import Any

import pytest

from proxy.control.services import ControlServices
from tests.support.control import Client, bearer
from tests.support.erasing import Erasing

KINDS = ["user:kim", "user_id=kim", "USER: kim", "agent:bot", "agent-id=bot", "run:41", "app:desk"]
BODIES: dict[str, tuple[str, dict[str, Any], str]] = {
    "forget owner": ("/v1/erasures", {"target": {"kind": "owner", "value": "{}"}}, "/target/value"),
    "several owners": (
        "/v1/erasures", {"target": {"kind": "owner", "values": ["kim", "{}"]}}, "/target/values",
    ),
    "an entity of an owner": (
        "/v1/erasures", {"target": {"kind": "entity", "value": "Alva Brenn", "owner": "{}"}},
        "/target/owner",
    ),
    "a category of an owner": (
        "/v1/erasures", {"target": {"kind": "category", "value": "health", "owner": "{}"}},
        "/target/owner",
    ),
    "a time range": (
        "/v1/erasures", {"target": {"kind": "time_range", "from": "2026-01-01", "owner": "{}"}},
        "/target/owner",
    ),
    "in one call": ("/v1/forget", {"owner": "{}", "confirm": "confirmed"}, "/owner"),
    "a subject in one call": (
        "/v1/forget", {"subject": "Alva Brenn", "owner": "{}", "confirm": "confirmed"}, "/owner",
    ),
    "look up": ("/v1/subjects", {"owner": "{}"}, "/owner"),
    "make known": ("/v1/owners", {"owner": "{}"}, "/owner"),
    "hold": ("/v1/holds", {"owner": "{}", "code": "legal_claims"}, "/owner"),
    "block": ("/v1/blocklist", {"owner": "{}"}, "/owner"),
    "check": ("/v1/blocklist/check", {"owner": "{}", "text": "Alva Brenn called"}, "/owner"),
    "review": ("/v1/reviews", {"owner": "{}"}, "/owner"),
    "session": ("/v1/sessions/end", {"owner": "{}"}, "/owner"),
}  # fmt: skip


def filled(body: Any, owner_id: str) -> Any:
    """A body with the id in its place."""
    if isinstance(body, dict):
        return {name: filled(each, owner_id) for name, each in body.items()}
    if isinstance(body, list):
        return [filled(each, owner_id) for each in body]
    return owner_id if body == "{}" else body


async def ask(client: Client, services: ControlServices, path: str, body: Any) -> tuple[int, Any]:
    """POST as somebody who may do all of it."""
    headers = await bearer(services, "privacy", "app", "operator")
    reply = await client.post(path, json=body, headers=headers)
    return reply.status, await reply.json()


@pytest.mark.parametrize(("path", "body", "pointer"), BODIES.values(), ids=BODIES)
async def test_it_is_refused_wherever_an_owner_is_named(
    client: Client, services: ControlServices, path: str, body: Any, pointer: str
) -> None:
    """With what to write instead, and without the id."""
    status, said = await ask(client, services, path, filled(body, "user:kim"))
    assert (status, said["type"]) == (400, "urn:expunge:problem:invalid-request")
    assert [each["pointer"] for each in said["errors"]] == [pointer]
    assert "owner_kind" in said["hint"]
    assert "kim" not in str(said)


@pytest.mark.parametrize("owner_id", KINDS)
async def test_in_whatever_way_the_kind_is_written(
    client: Client, services: ControlServices, owner_id: str
) -> None:
    """A preview too: nothing found would be believed."""
    target = {"kind": "owner", "value": owner_id}
    body = {"target": target, "dry_run": True}
    assert (await ask(client, services, "/v1/erasures", body))[0] == 400


@pytest.mark.parametrize("owner_id", ["u:17", "kim:user", "username:kim", "a user:kim", "users/kim",
                                      "user-17", "agentur:bot", "user:"])  # fmt: skip
async def test_other_ids_are_what_they_are(
    client: Client, services: ControlServices, owner_id: str
) -> None:
    """Nobody has them: nothing is found, and it says so."""
    body = {"target": {"kind": "owner", "value": owner_id}, "dry_run": True}
    status, view = await ask(client, services, "/v1/erasures", body)
    assert (status, view["outcome"]) == (201, "nothing_found")


async def test_an_id_that_is_written_so_is_reached(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """As it stands once it is known, and with its kind given where only the store knows it."""
    await bench.remember("user:wren", "Wren keeps basalt", mentions=[])
    await bench.remember("agent:rook", "Rook keeps slate", mentions=[], known=False)
    asked = [
        ({"kind": "owner", "value": "user:wren"}, 201, 1),
        ({"kind": "owner", "value": "user:wren", "owner_kind": "user"}, 201, 1),
        ({"kind": "owner", "value": "agent:rook", "owner_kind": "user"}, 201, 1),
        ({"kind": "owner", "value": "agent:rook"}, 400, None),
        ({"kind": "owner", "value": "user:wren", "owner_kind": "agent"}, 201, 0),
    ]
    for target, status, found in asked:
        body = {"target": target, "dry_run": True}
        answer, view = await ask(client, services, "/v1/erasures", body)
        assert (answer, view.get("counts", {}).get("found")) == (status, found), target


async def test_the_owner_of_a_subject_has_a_kind_too(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """In one call as in two: what an agent keeps goes, not what a user of the same id keeps."""
    place = {"agent": await bench.upstream_id("desk-7", "agent")}
    await bench.store.add(place, "Notes on basalt", {})
    await bench.remember("desk-7", "Notes on slate", mentions=[])
    body = {"subject": "Wilma Trapp", "owner": "desk-7", "owner_kind": "agent",
            "confirm": "confirmed"}  # fmt: skip
    status, view = await ask(client, services, "/v1/forget", body)
    assert (status, view["counts"]["deleted"]) == (200, 1), view
    assert bench.small is not None
    assert [*bench.small.texts()] == ["Notes on slate"]
