"""What is found wrong before anything starts, and what is tried without a running service."""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from proxy.app.checkup import checkup
from proxy.app.preflight import SHORTEST_CLIENT_KEY, absent_layers, closed_purposes, refused
from proxy.clock import FrozenClock
from proxy.config.load import Loaded, loads
from proxy.gateway.identity.identify import Authenticator
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.ledger.tenants import set_state
from proxy.problems import Problem

HEAD = "apiVersion: expunge/v1\nkind: Config\nstate_dir: state\ndetection: {tier: structured}\n"
STORE = "upstreams: [{name: m, url: 'http://127.0.0.1:1', profiles: [mem0-oss]}]\n"


def given(text: str, base: Path) -> Loaded:
    """A configuration with more in it, its files beside it."""
    (base / "short").write_text("x" * 15)
    (base / "key").write_text("x" * 16)
    (base / "token").write_text("x" * 24)
    (base / "history.db").write_bytes(b"")
    return loads((HEAD + text).encode(), {}, source="expunge.yaml", base=base)


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        (STORE + "tenants: [{name: a, keys: [{env: EXPUNGE_UNSET}]}]\n",
         "tenants.0.keys.0", "env:EXPUNGE_UNSET is missing or empty"),
        (STORE + "tenants: [{name: a, keys: [{file: key}, {file: short}]}]\n",
         "tenants.0.keys.1", "has 15 characters, at least 16 are needed"),
        (STORE + "tokens: [{name: a, secret: {file: key}, roles: [app]}]\n",
         "tokens.0.secret", "has 16 characters, at least 24 are needed"),
        (STORE + "policy: builtin/nosuch\n", "policy", "nosuch"),
        (STORE + "detection: {recognisers: nosuch.yaml}\n", "detection.recognisers", "no such"),
        (STORE + "listen: {tls: {certificate: nosuch, key: key}}\n",
         "listen.tls.certificate", "no such file"),
        (STORE.replace("mem0-oss", "nosuch"), "upstreams.0.profiles.0", "read"),
        (STORE.replace("]}]", "], layers: {history: {reach: 'side:nosuch'}}}]"),
         "upstreams.0.layers.history", "reach must be"),
        (STORE + "keys: {provider: env, secret: {env: EXPUNGE_UNSET}}\n",
         "keys.secret", "missing or empty"),
    ],
    ids=["unset", "short-key", "short-token", "policy", "recognisers", "tls", "profile", "layer",
         "kek"],
)  # fmt: skip
def test_what_serve_refuses_is_found_with_its_place(
    tmp_path: Path, text: str, path: str, message: str
) -> None:
    """One issue, at the setting's line, in words."""
    if "recognisers" in text:
        text = text.replace("detection: {", "detection: {tier: structured, ")
        loaded = loads((HEAD.replace("detection: {tier: structured}\n", "") + text).encode(), {},
                       source="expunge.yaml", base=tmp_path)  # fmt: skip
    else:
        loaded = given(text, tmp_path)
    (issue,) = refused(loaded)
    assert (issue.path, issue.source) == (path, "expunge.yaml")
    assert issue.line > 0
    assert message in issue.message


def test_a_whole_configuration_has_no_issues(tmp_path: Path) -> None:
    """The negative twin: everything set, long enough and there."""
    layers = (
        ", mem0-platform-over-oss], layers: {history: {reach: 'side:sqlite', path: history.db}}}]"
    )
    text = STORE.replace("]}]", layers) + (
        "tenants: [{name: a, keys: [{file: key}]}]\n"
        "tokens: [{name: a, secret: {file: token}, roles: [app]}]\n"
    )
    loaded = given(text, tmp_path)
    assert refused(loaded) == []
    assert absent_layers(loaded) == []
    (tmp_path / "history.db").unlink()
    (issue,) = absent_layers(loaded)
    assert (issue.path, issue.line) == ("upstreams.0.layers.history.path", 5)


async def test_the_shortest_client_key_is_the_data_planes(
    ledger: Ledger, keyring: KeyRing, clock: FrozenClock, tenant_id: str
) -> None:
    """What preflight lets through the data plane takes, and what it refuses that refuses."""
    keys = Authenticator(ledger, keyring, clock)

    async def issue(length: int) -> str:
        return await ledger.write(
            lambda tx: keys.issue_key(tx, tenant_id, roles=("app",), label="x", key="k" * length)
        )

    assert await issue(SHORTEST_CLIENT_KEY) == "k" * SHORTEST_CLIENT_KEY
    with pytest.raises(Problem):
        await issue(SHORTEST_CLIENT_KEY - 1)


@pytest.fixture
async def store() -> AsyncIterator[TestServer]:
    """A store that knows one credential and has no memories."""

    async def answer(request: web.Request) -> web.Response:
        good = request.headers.get("X-API-Key") == "x" * 16
        return web.json_response([] if good else {"detail": "no"}, status=200 if good else 401)

    app = web.Application()
    app.router.add_route("*", "/{any:.*}", answer)
    async with TestServer(app) as server:
        yield server


async def looked(text: str, base: Path) -> dict[str, tuple[str, str]]:
    """The findings of a check-up by name: status, and detail with hint."""
    found = await checkup(given(text, base).config)
    return {each["name"]: (each["status"], each["detail"] + each["hint"]) for each in found}


async def test_checkup_needs_no_service_and_makes_nothing(
    tmp_path: Path, store: TestServer
) -> None:
    """A store that answers, layers as configured, and no state folder afterwards."""
    layers = "], credential: {file: key}, layers: {history: {reach: 'side:sqlite', path: nosuch}}}]"
    text = STORE.replace("http://127.0.0.1:1", str(store.make_url(""))).replace("]}]", layers)
    found = await looked(text, tmp_path)
    assert found["policy builtin/gdpr-default"][0] == "ok"
    assert found["ledger"][0] == found["keys"][0] == "warning"
    assert found["store m"][0] == "ok"
    assert found["layer m/history"][0] == "failed"
    assert str(tmp_path / "nosuch") in found["layer m/history"][1]
    status, said = found["layers of m"]
    assert status == "warning"
    assert said.startswith("Out of reach: entities, messages. Erasures that concern them end")
    assert not (tmp_path / "state").exists()


async def test_checkup_names_every_failure(
    tmp_path: Path, store: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refused credential, a broken policy and a damaged key: all told, none stops the others."""
    (tmp_path / "policy.yaml").write_text("kind: Nothing\n")
    monkeypatch.setenv("CANARY_KEK", "damaged")
    text = STORE.replace("http://127.0.0.1:1", str(store.make_url("")))
    text = text.replace("]}]", "], credential: {file: token}}]") + (
        f"policy: {tmp_path}/policy.yaml\nkeys: {{provider: env, secret: {{env: CANARY_KEK}}}}\n"
    )
    found = await looked(text, tmp_path)
    assert found[f"policy {tmp_path}/policy.yaml"][0] == "failed"
    assert found["keys"][0] == "failed"
    assert found["store m"][0] == "failed"


async def test_checkup_warns_of_a_policy_that_only_observes(tmp_path: Path) -> None:
    """What is found would reach the store in clear."""
    found = await looked(STORE + "tenants: [{name: a, policy: builtin/dev-observe}]\n", tmp_path)
    assert found["policy builtin/gdpr-default"][0] == "ok"
    assert found["policy builtin/dev-observe"][0] == "warning"
    assert "It only observes" in found["policy builtin/dev-observe"][1]


@pytest.mark.parametrize(
    ("identity", "status", "said"),
    [
        ("static: {tenant: acme, purposes: [support]}", "ok", "It opens the tenant acme."),
        ("static: {tenant: acne}", "failed", "There is no tenant acne.Name it under tenants. "
         "Did you mean acme?"),
        ("static: {tenant: acme, purposes: [billing]}", "warning",
         "No request can have this purpose: read.purposes does not list billing; it lists "
         "assistant, support, marketing, analytics, share, training."),
        ("static: {tenant: open, purposes: [billing]}", "ok", "It opens the tenant open."),
        ("static: {tenant: kept}", "ok", "It opens the tenant kept."),
        ("static: {tenant: closed}", "failed", "There is no tenant closed."),
    ],
)  # fmt: skip
async def test_checkup_looks_whom_the_configuration_lets_in(
    tmp_path: Path, clock: FrozenClock, identity: str, status: str, said: str
) -> None:
    """Tenants of the file and of the ledger, and purposes of the policy that governs each."""
    from proxy.app.kek import open_kek

    text = STORE + "tenants: [{name: acme}, {name: open, policy: builtin/dev-observe}]\n"
    loaded = given(text, tmp_path)
    made = await Ledger.open(f"sqlite+aiosqlite:///{tmp_path}/state/ledger.db")
    ring = await KeyRing.open(made, open_kek(loaded.config), clock)
    for name in ("kept", "closed"):
        made_id = await made.write(partial(ring.create_tenant, name=name))
        if name == "closed":
            await made.write(partial(set_state, tenant_id=made_id, state="closed"))
    await ring.close()
    await made.close()
    found = await looked(text + f"identity: {{{identity}}}\n", tmp_path)
    assert found["identity.static"][0] == status
    assert found["identity.static"][1].startswith(said)


async def test_a_certificates_or_a_tokens_tenant_may_still_come(tmp_path: Path) -> None:
    """It is told, as a warning, with its place."""
    issuer = "{issuer: i, audience: [a], algorithms: [RS256], jwks_file: key, tenants: {A: away}}"
    found = await looked(
        STORE + "tenants: [{name: acme}]\nlisten: {tls: {certificate: key, key: key, "
        "client_ca: key}}\nidentity:\n  certificates: [{name: 'cn:a', tenant: acme}, "
        f"{{name: 'cn:b', tenant: away}}]\n  jwt: [{issuer}]\n", tmp_path,
    )  # fmt: skip
    assert found["identity.certificates.0"][0] == "ok"
    for place in ("identity.certificates.1", "identity.jwt.0.tenants"):
        assert found[place] == ("warning", "There is no tenant away.Name it under tenants.")


async def test_checkup_reads_the_ledger_that_is_there(
    tmp_path: Path, store: TestServer, clock: FrozenClock
) -> None:
    """Its pragmas and its keys, as a service left them."""
    from proxy.app.kek import open_kek

    loaded = given(STORE, tmp_path)
    made = await Ledger.open(f"sqlite+aiosqlite:///{tmp_path}/state/ledger.db")
    ring = await KeyRing.open(made, open_kek(loaded.config), clock)
    await ring.close()
    await made.close()
    found = await looked(STORE, tmp_path)
    assert found["ledger"][0] == "ok"
    assert "secure_delete on" in found["ledger"][1]
    assert found["keys"] == ("warning", found["keys"][1])
    assert "epoch 1 of 1" in found["keys"][1]


CERTIFIED = (
    "listen: {tls: {certificate: crt, key: key, client_ca: ca}}\n"
    "identity: {certificates: [{name: 'cn:agent', tenant: a, purposes: [support, resale]}]}\n"
)
LISTS = (
    "apiVersion: expunge/v1\nkind: Policy\nname: lists\n"
    "read: {purposes: {support: {}, resale: {}}}\n"
)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("identity: {static: {tenant: a, purposes: [resale]}}\n", "identity.static.purposes"),
        (CERTIFIED, "identity.certificates.0.purposes"),
    ],
    ids=["sidecar", "certificate"],
)
def test_purposes_that_no_policy_lists_are_found(tmp_path: Path, text: str, place: str) -> None:
    """By the policy of the way in's tenant: its own, else the installation's."""
    tenant = "tenants: [{name: a}]\n"
    (issue,) = closed_purposes(given(STORE + tenant + text, tmp_path))
    assert (issue.path, issue.source) == (place, "expunge.yaml")
    assert issue.line > 0
    assert issue.message == (
        "no request can have this purpose: read.purposes does not list resale; it lists "
        "assistant, support, marketing, analytics, share, training"
    )
    (tmp_path / "lists.yaml").write_text(LISTS)
    own = f"tenants: [{{name: a, policy: {tmp_path / 'lists.yaml'}}}]\n"
    assert closed_purposes(given(STORE + own + text, tmp_path)) == []
    installations = f"policy: {tmp_path / 'lists.yaml'}\n"
    assert closed_purposes(given(STORE + tenant + installations + text, tmp_path)) == []
