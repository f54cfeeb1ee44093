"""The control plane's HTTP: credentials, roles, guards, problems, idempotency."""

from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import capture_logs

from proxy.control import probes
from proxy.control.routes import ROUTES
from proxy.control.services import ControlServices
from proxy.ledger.engine import Ledger
from tests.support.control import Client, bearer, client_of


async def problem(response: Any) -> dict[str, Any]:
    """The problem+json of a response; its shape is checked."""
    assert response.content_type == "application/problem+json"
    body: dict[str, Any] = await response.json()
    assert {"type", "title", "status", "detail", "instance", "hint", "upstream"} <= body.keys()
    assert body["status"] == response.status
    assert body["type"].startswith("urn:expunge:problem:")
    return body


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Basic abc"},
        {"Authorization": "Bearer "},
    ],
    ids=["none", "unknown", "basic", "empty"],
)
async def test_calls_without_a_known_token_are_refused(
    client: Client, headers: dict[str, str]
) -> None:
    """No token, no answer."""
    response = await client.get("/v1/tenants", headers=headers)
    assert response.status == 401
    assert (await problem(response))["type"].endswith(":unauthenticated")
    assert "Bearer" in response.headers["WWW-Authenticate"]


async def test_answers_do_not_name_what_serves_them(client: Client) -> None:
    """No Server header, on success or failure."""
    for path, status in (("/healthz", 200), ("/v1/tenants", 401), ("/nowhere", 404)):
        response = await client.get(path)
        assert response.status == status
        assert "Server" not in response.headers


async def test_client_key_does_not_open_the_control_plane(
    client: Client, services: ControlServices, ledger: Ledger, tenant_id: str
) -> None:
    """A key of the data plane is no token, even with the right roles."""
    key = await ledger.write(
        lambda tx: services.client_keys.issue_key(tx, tenant_id, roles=("operator",), label="x")
    )
    assert (
        await client.get("/v1/tenants", headers={"Authorization": f"Bearer {key}"})
    ).status == 401


@pytest.mark.parametrize(
    ("role", "status"), [("operator", 200), ("app", 403), ("auditor", 403), ("privacy", 403)]
)
async def test_roles_decide(
    client: Client, services: ControlServices, role: str, status: int
) -> None:
    """Only operators manage tenants."""
    response = await client.get("/v1/tenants", headers=await bearer(services, role))
    assert response.status == status


async def test_revoked_and_expired_tokens_are_refused(
    client: Client, services: ControlServices
) -> None:
    """A removed tenant's token opens nothing any more."""
    admin = await bearer(services, "operator")
    added = await (await client.post("/v1/tenants", json={"name": "beta"}, headers=admin)).json()
    bound = await bearer(services, "operator", tenant_id=added["id"])
    assert (await client.get("/v1/policies/active", headers=bound)).status == 200
    assert (await client.delete("/v1/tenants/beta", headers=admin)).status == 200
    assert (await client.get("/v1/policies/active", headers=bound)).status == 401


async def test_tenant_life(client: Client, services: ControlServices) -> None:
    """Add, list, rotate, refuse doubles and unknown names."""
    admin = await bearer(services, "operator")
    added = await client.post("/v1/tenants", json={"name": "beta"}, headers=admin)
    assert added.status == 201
    first = (await added.json())["client_key"]
    again = await client.post("/v1/tenants", json={"name": "beta"}, headers=admin)
    assert again.status == 400
    rotated = await client.post("/v1/tenants/beta/rotate-key", json={}, headers=admin)
    assert (await rotated.json())["client_key"] != first
    listed = await (await client.get("/v1/tenants", headers=admin)).json()
    assert {"name": "beta", "keys": 1}.items() <= {
        k: v for item in listed["items"] if item["name"] == "beta" for k, v in item.items()
    }.items()
    missing = await client.post("/v1/tenants/nobody/rotate-key", json={}, headers=admin)
    assert missing.status == 404


async def test_bound_token_cannot_leave_its_tenant(
    client: Client, services: ControlServices, tenant_id: str
) -> None:
    """A token of one tenant is told that others do not exist."""
    admin = await bearer(services, "operator")
    await client.post("/v1/tenants", json={"name": "other"}, headers=admin)
    bound = await bearer(services, "operator", tenant_id=tenant_id)
    assert (await client.get("/v1/policies/active", headers=bound)).status == 200
    foreign = await client.get("/v1/policies/active", headers=bound | {"Expunge-Tenant": "other"})
    absent = await client.get("/v1/policies/active", headers=bound | {"Expunge-Tenant": "absent"})
    assert foreign.status == absent.status == 404
    assert (await client.get("/v1/tenants", headers=bound)).status == 403


async def test_tenant_must_be_named_when_there_are_several(
    client: Client, services: ControlServices, tenant_id: str
) -> None:
    """One tenant is meant without saying so; of two, none is."""
    admin = await bearer(services, "operator")
    assert (await client.get("/v1/policies/active", headers=admin)).status == 200
    await client.post("/v1/tenants", json={"name": "other"}, headers=admin)
    assert (await client.get("/v1/policies/active", headers=admin)).status == 400
    named = await client.get("/v1/policies/active", headers=admin | {"Expunge-Tenant": "other"})
    assert named.status == 200


@pytest.mark.parametrize(
    ("body", "content_type", "slug"),
    [
        (b"{", "application/json", "malformed-body"),
        (b'{"name": "\xff"}', "application/json", "malformed-body"),
        (b"[]", "application/json", "invalid-request"),
        (b"{}", "application/json", "invalid-request"),
        (b'{"name": "x", "more": 1}', "application/json", "invalid-request"),
        (b'{"name": "Not Valid"}', "application/json", "invalid-request"),
        (b'{"name": "x"}', "text/plain", "unsupported-coding"),
        (b'{"name": "' + b"x" * (1 << 20) + b'"}', "application/json", "too-large"),
    ],
    ids=["cut", "utf-8", "list", "empty", "unknown member", "pattern", "text", "large"],
)
async def test_bad_bodies_are_explained(
    client: Client, services: ControlServices, body: bytes, content_type: str, slug: str
) -> None:
    """Each kind of bad body has its own problem."""
    headers = await bearer(services, "operator") | {"Content-Type": content_type}
    response = await client.post("/v1/tenants", data=body, headers=headers)
    assert (await problem(response))["type"].endswith(f":{slug}")


async def test_input_is_not_repeated_in_problems(client: Client, services: ControlServices) -> None:
    """What a caller sent does not come back in an error."""
    headers = await bearer(services, "operator")
    response = await client.post("/v1/tenants", json={"name": "Canary Quist"}, headers=headers)
    assert "Canary" not in (await response.text())


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "expunge.example.org"}, 200),
        ({"Host": "evil.example.com"}, 403),
        ({"Host": "127.0.0.1.evil.example.com"}, 403),
        ({"Origin": "https://console.example.org"}, 200),
        ({"Origin": "https://evil.example.com"}, 403),
        ({"Origin": "null"}, 403),
    ],
    ids=lambda value: str(value),
)
async def test_foreign_hosts_and_origins_are_refused(
    client: Client, headers: dict[str, str], status: int
) -> None:
    """DNS rebinding and foreign pages get nothing, not even liveness."""
    assert (await client.get("/healthz", headers=headers)).status == status


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nowhere", 404), ("GET", "/v1/tenants/x", 405), ("POST", "/healthz", 405)],
)
async def test_unknown_routes_are_problems(
    client: Client, method: str, path: str, status: int
) -> None:
    """Also the framework's own errors have our shape."""
    response = await client.request(method, path)
    assert response.status == status
    await problem(response)


async def test_unknown_query_parameters_are_refused(
    client: Client, services: ControlServices
) -> None:
    """A misspelt parameter is not ignored."""
    headers = await bearer(services, "operator")
    assert (await client.get("/v1/tenants?limt=1", headers=headers)).status == 400


async def test_idempotency_key_acts_once(client: Client, services: ControlServices) -> None:
    """The same request with the same key gets the same answer; another body is refused."""
    headers = await bearer(services, "operator") | {"Idempotency-Key": "k-1"}
    first = await client.post("/v1/tenants", json={"name": "beta"}, headers=headers)
    second = await client.post("/v1/tenants", json={"name": "beta"}, headers=headers)
    assert (first.status, await first.json()) == (second.status, await second.json())
    other = await client.post("/v1/tenants", json={"name": "else"}, headers=headers)
    assert other.status == 400


async def test_failures_show_nothing(client: Client, services: ControlServices) -> None:
    """An unexpected exception is a request id, never its text."""

    async def broken(_: Any, __: Any) -> Any:
        raise RuntimeError("Canary Quist")

    routes = [replace(route, handler=broken) for route in probes.ROUTES]
    async with client_of(services, routes) as failing:
        response = await failing.get("/healthz")
        assert response.status == 500
        assert "Canary" not in await response.text()
        assert (await problem(response))["instance"].startswith("req_")


async def test_policy_check_lists_every_fault(client: Client, services: ControlServices) -> None:
    """A broken policy is an answer with places, not an error."""
    headers = await bearer(services, "privacy")
    good = "apiVersion: expunge/v1\nkind: Policy\nname: mine\n"
    answer = await (
        await client.post("/v1/policies/check", json={"policy": good}, headers=headers)
    ).json()
    assert answer["valid"] is True
    bad = good + "wirte: {}\n"
    answer = await (
        await client.post("/v1/policies/check", json={"policy": bad}, headers=headers)
    ).json()
    assert answer["valid"] is False
    assert answer["errors"][0]["line"] == 4


async def test_explain_uses_the_tenants_policy(
    client: Client, services: ControlServices, tenant_id: str
) -> None:
    """An e-mail address is found and does not stay in the text."""
    headers = await bearer(services, "privacy")
    body = {"text": "Write to alva.brenn@example.org"}
    answer = await (await client.post("/v1/policies/explain", json=body, headers=headers)).json()
    assert [d["entity_type"] for d in answer["detections"]] == ["EMAIL_ADDRESS"]
    assert "alva.brenn@" not in answer["text"]


async def test_metrics_and_readiness(client: Client) -> None:
    """Probes need no credential."""
    assert "expunge_requests" in await (await client.get("/metrics")).text()
    assert (await (await client.get("/readyz")).json())["ready"] is True


async def test_openapi_names_every_route(client: Client) -> None:
    """What is served is described."""
    described = await (await client.get("/openapi.json")).json()
    listed = {op["operationId"] for verbs in described["paths"].values() for op in verbs.values()}
    assert listed == {route.name for route in ROUTES}


async def test_blocklist_life(client: Client, services: ControlServices, tenant_id: str) -> None:
    """A blocked name is found in another case, and no more after consent."""
    headers = await bearer(services, "privacy")
    added = await client.post("/v1/blocklist", json={"names": ["Alva Brenn"]}, headers=headers)
    assert added.status == 201
    group = (await added.json())["id"]

    async def blocked() -> bool:
        body = {"text": "Then ALVA BRENN called."}
        answer = await client.post("/v1/blocklist/check", json=body, headers=headers)
        return bool((await answer.json())["blocked"])

    assert await blocked()
    listed = await (await client.get("/v1/blocklist", headers=headers)).json()
    (item,) = listed["items"]
    assert (item["id"], item["erasure_id"], item["reference"]) == (group, None, None)
    assert item["forms"] == {"initials": 1, "joined": 2, "name": 1}
    path = f"/v1/blocklist/{group}"
    lifted = await client.delete(path, json={"consent": "C-1"}, headers=headers)
    assert lifted.status == 200
    assert not await blocked()
    assert (await client.delete(path, json={"consent": "C-1"}, headers=headers)).status == 404


async def test_a_refusal_is_found_in_the_log_by_its_id(
    client: Client, services: ControlServices, tenant_id: str
) -> None:
    """With the route's template, never with what stood in the path; a route that is none, bare."""
    headers = await bearer(services, "operator", tenant_id=tenant_id)
    with capture_logs() as told:
        unknown = await problem(await client.get("/v1/erasures/alva-brenn", headers=headers))
        nowhere = await problem(await client.get("/alva-brenn", headers=headers))
    assert "alva-brenn" not in str(told)
    lines = {each["request_id"]: each for each in told if each["event"] == "request.refused"}
    line = lines[unknown["instance"]]
    assert (line["slug"], line["status"], line["log_level"]) == ("not-found", 404, "info")
    assert (line["method"], line["route"]) == ("GET", "/v1/erasures/{id}")
    assert line["tenant_id"] == tenant_id
    assert not {"method", "route", "tenant_id"} & lines[nowhere["instance"]].keys()
