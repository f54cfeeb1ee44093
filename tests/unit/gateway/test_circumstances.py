"""What a request says beside its texts reaches the policy: inference, wishes, holds."""

import ast
import inspect
from dataclasses import fields
from typing import Any

import pytest

import policies
from proxy.gateway.request import decide
from proxy.ledger import held, memories
from proxy.rights.wishes import Wishes
from tests.support.erasing import OPERATOR
from tests.support.fault_store import FaultStore, added
from tests.support.gateway import Plane
from tests.support.holding import ORDER
from tests.unit.gateway.conftest import Opened

ADD, ADD_OSS = "/v3/memories/add/", "/memories"
MEMORY = "44444444-2222-4222-8222-{:012d}"
NOT_OF_A_REQUEST = {"content_at"}  # a write's content is of now


def policy(sections: str) -> Any:
    """Puts a policy with these sections (YAML) in the place of the default one."""
    head = "apiVersion: expunge/v1\nkind: Policy\nname: tested\n"
    return lambda _: policies.load_text((head + sections).encode(), "tested.yaml")


def said(text: str, **more: Any) -> dict[str, Any]:
    """A write of one message."""
    return {"messages": [{"role": "user", "content": text}], "user_id": "u-1", **more}


def test_the_gateway_fills_in_every_circumstance() -> None:
    """A condition on what no request ever states would be a field without an effect."""
    tree = ast.parse(inspect.getsource(decide._context))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    given = {word.arg for call in calls for word in call.keywords}
    assert {field.name for field in fields(policies.Context)} - given == NOT_OF_A_REQUEST


@pytest.mark.parametrize("path", [ADD, ADD_OSS])
@pytest.mark.parametrize(
    ("infer", "status"),
    [({}, 422), ({"infer": True}, 422), ({"infer": None}, 422), ({"infer": False}, 200)],
    ids=["unsaid", "true", "null", "false"],
)
async def test_a_rule_knows_whether_the_store_infers(
    path: str, infer: dict[str, Any], status: int, opened_plain: Opened, faults: FaultStore
) -> None:
    """Both dialects draw facts from a text unless told not to."""
    rule = "write: {texts: [{id: no-inference, when: {infer: true}, action: reject}]}\n"
    faults.script = lambda _: added(MEMORY.format(1))
    async with opened_plain(change=policy(rule)) as plane:
        found, answer = await plane.call("POST", path, said("likes rye bread", **infer))
        assert found == status, answer
        assert len(faults.requests) == (status == 200)


@pytest.mark.parametrize("path", [ADD, ADD_OSS])
@pytest.mark.parametrize(("text", "kept_whole"), [(ORDER, True), ("likes rye bread", False)],
                         ids=["held", "plain"])  # fmt: skip
async def test_no_model_of_the_store_reads_what_is_held(
    path: str, text: str, kept_whole: bool, faulty: Plane, faults: FaultStore
) -> None:
    """The store is told to keep the text as it is, so that it colours no other memory."""
    faults.script = lambda _: added(MEMORY.format(2))
    await faulty.call("POST", path, said(text))
    (request,) = faults.requests
    assert (request.json().get("infer") is False) is kept_whole


async def test_the_client_learns_how_much_is_held(plane: Plane) -> None:
    """Of two messages one is held: the other is shown, the held one is only counted."""
    body = said("likes rye bread", infer=False)
    body["messages"].append({"role": "user", "content": ORDER})
    headers = {"Authorization": f"Token {plane.keys['acme']}"}
    async with plane.http.post(plane.url + ADD, json=body, headers=headers) as response:
        answer = await response.json()
        assert response.headers["Expunge-Held"] == "1"
    assert [item["data"]["memory"] for item in answer["results"]] == ["likes rye bread"]
    tenant = plane.tenants["acme"]
    rows = await plane.services.ledger.read(lambda tx: memories.of_tenant(tx, tenant))
    assert sorted((row.state, held.holding(row.tags)) for row in rows) == [
        ("live", ()), (held.STATE, ("poisoning",)),
    ]  # fmt: skip
    async with plane.http.post(
        plane.url + ADD, json=said("likes oat bread", infer=False), headers=headers
    ) as response:
        assert "Expunge-Held" not in response.headers


@pytest.mark.parametrize(
    ("wished", "forever"), [("the one it is about", True), ("another", False)], ids=str
)
async def test_somebody_is_always_to_be_remembered(
    plane: Plane, wished: str, forever: bool
) -> None:
    """An exception counts for what is about that entity, within the bound, from the next write."""
    services, tenant = plane.services, plane.tenants["acme"]
    means = services.erasure._means  # type: ignore[attr-defined]
    mail = {"the one it is about": "alva.brenn@example.org", "another": "orla.quist@example.org"}
    for address in mail.values():
        await plane.add(f"writes to {address}")
    (named,) = await services.vault.named(tenant, [("EMAIL_ADDRESS", mail[wished])])
    wish = {"exceptions": sorted(named), "maximum": None}
    await Wishes(means).prefer(tenant, ("user", "u-1"), wish, actor=OPERATOR)
    await plane.add("has news from alva.brenn@example.org")
    rows = await services.ledger.read(lambda tx: memories.of_tenant(tx, tenant))
    ends = [row.expires_at for row in sorted(rows, key=lambda row: row.id)]
    assert ends[0] is not None, "without the wish it ends"
    assert (ends[-1] is None) is forever


async def test_only_a_name_in_full_is_somebody(plane: Plane) -> None:
    """Another address of the same host is nobody known; another tenant knows nobody."""
    await plane.add("writes to alva.brenn@example.org")
    vault = plane.services.vault
    asked = [("EMAIL_ADDRESS", "alva.brenn@example.org"), ("EMAIL_ADDRESS", "alva@example.org")]
    mine = await vault.named(plane.tenants["acme"], asked)
    assert [len(found) for found in mine] == [1, 0]
    theirs = await vault.named(plane.tenants["globex"], asked)
    assert theirs == [frozenset(), frozenset()]
