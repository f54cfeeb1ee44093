"""Client keys: scope, overlap of a rotation, expiry, last use, revocation of one."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from policies import load
from proxy.clock import FrozenClock
from proxy.control.services import ControlServices
from proxy.gateway.exchange import Caller
from proxy.gateway.identity.identify import Authenticator
from proxy.ledger import credentials, tenants
from proxy.ledger.engine import Tx
from proxy.problems import Problem
from tests.support.control import Client, bearer

KEYS = "/v1/tenants/acme/keys"


@pytest.fixture
async def client(client: Client, services: ControlServices) -> Client:
    """An operator's client, with the tenant ``acme``."""
    client.session.headers.update(await bearer(services, "operator"))
    await client.post("/v1/tenants", json={"name": "acme"})
    return client


async def opens(services: ControlServices, key: str) -> Caller | None:
    """Who a key is, on another worker that remembers nothing."""
    means = services.means
    auth = Authenticator(means.ledger, means.keyring, means.clock)
    try:
        return await auth.tenant_for((("X-API-Key", key),))
    except Problem:
        return None


async def written(services: ControlServices) -> None:
    """What was begun beside the requests is in the ledger: its writer takes one after another."""

    async def nothing(_: Any) -> None:
        return None

    await asyncio.sleep(0)
    await services.ledger.write(nothing)


async def new_key(client: Client, path: str = KEYS, **body: Any) -> str:
    """A key that is made over the control plane."""
    reply = await client.post(path, json=body)
    assert reply.status in {200, 201}, await reply.text()
    found: str = (await reply.json())["client_key"]
    return found


async def test_no_key_bears_the_label_of_those_in_the_configuration(client: Client) -> None:
    """The next start would revoke it."""
    refused = await client.post(KEYS, json={"label": "config"})
    assert (refused.status, (await refused.json())["type"]) == (
        400, "urn:expunge:problem:invalid-request")  # fmt: skip
    assert (await (await client.get(KEYS)).json())["items"] == []


async def test_a_revoked_key_of_the_configuration_is_told_of(
    client: Client, services: ControlServices
) -> None:
    """Who rotates or revokes it must take it out of the file too."""
    means = services.means

    async def configured(key: str) -> None:
        auth = Authenticator(means.ledger, means.keyring, means.clock)
        tenant = await means.ledger.read(lambda tx: tenants.by_name(tx, "acme"))
        assert tenant is not None
        await means.ledger.write(
            lambda tx: auth.issue_key(tx, tenant.id, label=credentials.CONFIGURED, key=key)
        )

    await configured("k" * 20)
    rotated = await (await client.post("/v1/tenants/acme/rotate-key", json={})).json()
    assert rotated["configured"] == 1
    await configured("l" * 20)
    items = (await (await client.get(KEYS)).json())["items"]
    ids = {item["label"]: item["id"] for item in items if item["state"] == "active"}
    for label, count in (("config", 1), ("rotated", 0)):
        found = await (await client.delete(f"{KEYS}/{ids[label]}")).json()
        assert (found["revoked"], found["configured"]) == (1, count)


async def test_a_key_is_limited_to_its_scope_and_time(
    client: Client, services: ControlServices, clock: FrozenClock
) -> None:
    """Roles, operations, purposes and the end are the key's own; the key is never listed."""
    key = await new_key(client, label="reader", roles=["app", "privacy"], operations=["read"],
                        purposes=["support"], expires_in="P1D")  # fmt: skip
    caller = await opens(services, key)
    assert caller is not None
    assert caller.roles == frozenset({"app", "privacy"})
    assert (caller.operations, caller.purposes) == (frozenset({"read"}), frozenset({"support"}))
    text = await (await client.get(KEYS)).text()
    assert key not in text
    assert '"operations":["read"]' in text
    clock.advance(timedelta(days=1))
    assert await opens(services, key) is None
    states = [item["state"] for item in (await (await client.get(KEYS)).json())["items"]]
    assert states[-1] == "expired"


async def test_a_new_key_is_told_with_its_id(client: Client) -> None:
    """Once, with what the list shows of it: who adds a key can revoke it."""
    rotate = "/v1/tenants/acme/rotate-key"
    for path, body in ((KEYS, {"roles": ["auditor"], "expires_in": "P1D"}), (rotate, {})):
        told = await (await client.post(path, json=body)).json()
        listed = (await (await client.get(KEYS)).json())["items"][-1]
        assert (told["tenant"], told["name"]) == ("acme", "acme")
        assert {name: told[name] for name in listed} == listed
        assert told["roles"] == body.get("roles", ["app"])
        assert (await client.delete(f"{KEYS}/{told['id']}")).status == 200
    first = await (await client.post("/v1/tenants", json={"name": "globex"})).json()
    [listed] = (await (await client.get("/v1/tenants/globex/keys")).json())["items"]
    assert first["key_id"] == listed["id"]


async def test_a_rotation_may_overlap(
    client: Client, services: ControlServices, clock: FrozenClock
) -> None:
    """The former key ends after the overlap, the new one has its scope; without: at once."""
    rotate = "/v1/tenants/acme/rotate-key"
    former = await new_key(client, operations=["read", "write"])
    fresh = await new_key(client, rotate, overlap="PT1H")
    caller = await opens(services, fresh)
    assert caller is not None
    assert caller.operations == frozenset({"read", "write"})
    clock.advance(timedelta(minutes=59))
    assert await opens(services, former) is not None
    clock.advance(timedelta(minutes=1))
    assert await opens(services, former) is None
    assert await opens(services, fresh) is not None
    last = await new_key(client, rotate)
    assert await opens(services, fresh) is None
    assert await opens(services, last) is not None


async def test_a_second_rotation_does_not_prolong(
    client: Client, services: ControlServices, clock: FrozenClock
) -> None:
    """What ends in an hour ends in an hour, whatever overlap is asked for later."""
    former = await new_key(client)
    await new_key(client, "/v1/tenants/acme/rotate-key", overlap="PT1H")
    await new_key(client, "/v1/tenants/acme/rotate-key", overlap="P9D")
    clock.advance(timedelta(hours=1))
    assert await opens(services, former) is None


async def test_one_key_is_revoked(client: Client, services: ControlServices) -> None:
    """By its id; the other stays, and a foreign or unknown id is absent."""
    kept, lost = await new_key(client, label="kept"), await new_key(client, label="lost")
    items = (await (await client.get(KEYS)).json())["items"]
    key_id = next(item["id"] for item in items if item["label"] == "lost")
    await client.post("/v1/tenants", json={"name": "globex"})
    assert (await client.delete(f"/v1/tenants/globex/keys/{key_id}")).status == 404
    assert await opens(services, lost) is not None
    assert (await client.delete(f"{KEYS}/{key_id}")).status == 200
    assert await opens(services, lost) is None
    assert await opens(services, kept) is not None
    assert (await client.delete(f"{KEYS}/key_absent")).status == 404


async def test_last_use_is_written_now_and_then(
    client: Client, services: ControlServices, clock: FrozenClock
) -> None:
    """A hundred requests are one write; five minutes later there is another."""
    key = await new_key(client, label="busy")
    means = services.means
    auth = Authenticator(means.ledger, means.keyring, means.clock)
    seen = []
    for _ in range(2):
        for _ in range(100):
            await auth.tenant_for((("X-API-Key", key),))
        await written(services)
        items = (await (await client.get(KEYS)).json())["items"]
        seen.append(next(item["last_used_at"] for item in items if item["label"] == "busy"))
        clock.advance(timedelta(minutes=4))
    assert seen[0] is not None
    assert seen[0] == seen[1]
    clock.advance(timedelta(minutes=2))
    await auth.tenant_for((("X-API-Key", key),))
    await written(services)
    items = (await (await client.get(KEYS)).json())["items"]
    assert next(i["last_used_at"] for i in items if i["label"] == "busy") > seen[0]


async def test_a_removed_tenant_is_closed_and_a_new_key_opens_it(
    client: Client, services: ControlServices
) -> None:
    """Closed for every way in, but what it keeps can still be forgotten."""
    await client.delete("/v1/tenants/acme")
    listed = (await (await client.get("/v1/tenants")).json())["items"]
    assert {item["name"]: item["state"] for item in listed}["acme"] == "closed"
    key = await new_key(client)
    assert await opens(services, key) is not None


@pytest.mark.parametrize(
    ("body", "said"),
    [({"operations": ["admin"]}, "'read', 'write' or 'delete'"), ({"roles": []}, "at least 1"),
     ({"roles": ["app", "admin"]}, "'app', 'operator', 'privacy' or 'auditor'"),
     ({"expires_in": "PT0.5M"}, "duration"), ({"purposes": ["a b"]}, "pattern"),
     ({"purposes": ["support", "billing"]},
      "read.purposes does not list billing; it lists assistant, support, marketing, ")],
    ids=["operation", "no role", "role", "duration", "words", "purpose"],
)  # fmt: skip
async def test_a_wrong_scope_is_refused(client: Client, body: dict[str, Any], said: str) -> None:
    """Nothing is issued, and what could be is named."""
    before = len((await (await client.get(KEYS)).json())["items"])
    refused = await client.post(KEYS, json=body)
    assert (refused.status, said in await refused.text()) == (400, True), await refused.text()
    assert len((await (await client.get(KEYS)).json())["items"]) == before


async def test_any_purpose_is_taken_where_the_policy_takes_any(
    client: Client, services: ControlServices
) -> None:
    """As the data plane does."""
    observe = load("builtin/dev-observe")
    object.__setattr__(services, "policies", lambda _: observe)
    caller = await opens(services, await new_key(client, purposes=["billing"]))
    assert caller is not None
    assert caller.purposes == frozenset({"billing"})


async def test_the_self_tests_tenant_is_nobodys(client: Client, services: ControlServices) -> None:
    """It cannot be made, keyed or removed over the control plane, and is no tenant to choose."""
    name = "expunge-self-test"
    assert (await client.post("/v1/tenants", json={"name": name})).status == 400

    async def unit(tx: Tx) -> None:
        tenant_id = await services.keyring.create_tenant(tx, name)
        await tenants.set_state(tx, tenant_id, tenants.INTERNAL)

    await services.ledger.write(unit)
    for method, path in (("POST", "/keys"), ("POST", "/rotate-key"), ("DELETE", "")):
        reply = await client.request(method, f"/v1/tenants/{name}{path}", json={})
        assert (path, reply.status) == (path, 404)
    privacy = await bearer(services, "privacy")  # there is one other tenant: it needs no name
    assert (await client.get("/v1/blocklist", headers=privacy)).status == 200


async def test_a_tenants_token_manages_no_keys(
    client: Client, services: ControlServices, tenant_id: str
) -> None:
    """Only a token of the installation does."""
    headers = await bearer(services, "operator", tenant_id=tenant_id)
    for method, path in (("GET", KEYS), ("POST", KEYS), ("DELETE", f"{KEYS}/key_1"),
                         ("POST", "/v1/tenants/acme/rotate-key")):  # fmt: skip
        assert (await client.request(method, path, json={}, headers=headers)).status == 403
