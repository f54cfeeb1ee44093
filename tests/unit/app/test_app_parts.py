"""The parts the application is made of: listeners, repeated work, policies, credentials, keys."""

import asyncio
import base64
import os
import shutil
import sqlite3
import ssl
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from structlog.testing import capture_logs

from proxy.app.build import Task, ledger_url
from proxy.app.credentials import Configured
from proxy.app.diagnosis import of_ledger, of_policies
from proxy.app.kek import open_kek
from proxy.app.listeners import Listener, bind, context, url, waiting_runner
from proxy.app.policies import Policies
from proxy.app.readiness import Readiness
from proxy.app.secrets import read
from proxy.app.workers import repeat
from proxy.background import spawn
from proxy.clock import FrozenClock
from proxy.config import Config, Secret
from proxy.config.load import loads
from proxy.config.types import Address
from proxy.control.credentials import Credentials
from proxy.gateway.identity.identify import Authenticator
from proxy.keys.epochs import LEASE_S, RETRY_S
from proxy.keys.errors import KekUnavailable
from proxy.keys.file import FileKek
from proxy.keys.kek import Wrapped
from proxy.keys.ring import KeyRing
from proxy.ledger import credentials, health, tenants
from proxy.ledger.engine import Ledger
from proxy.problems import Problem
from tests.support.certificates import authority

ANY = Address(host="127.0.0.1", port=0)
HEAD = "apiVersion: expunge/v1\nkind: Config\nupstreams: [{name: m, url: 'http://127.0.0.1:1'}]\n"


def config(extra: str, base: Path) -> Config:
    """A configuration with one upstream and more."""
    return loads((HEAD + extra).encode(), {}, base=base).config


async def test_listener_answers_while_starting_and_switches_without_a_gap() -> None:
    """First 503 with Retry-After, alive; then the real application on the same port."""
    bound = bind(ANY)
    listener = Listener(bound, None)
    base = url(bound, tls=False)

    async def hello(_: web.Request) -> web.Response:
        return web.Response(text="hello")

    app = web.Application()
    app.router.add_get("/x", hello)
    async with aiohttp.ClientSession() as session:
        await listener.serve(waiting_runner(lambda path: path == "/healthz"))
        early = await session.get(f"{base}/x")
        body = await early.json(content_type="application/problem+json")
        assert (early.status, body["type"]) == (503, "urn:expunge:problem:starting")
        assert (early.headers["Retry-After"], body["upstream"]) == ("2", "not_sent")
        assert (await session.get(f"{base}/healthz")).status == 200
        await listener.serve(web.AppRunner(app))
        assert await (await session.get(f"{base}/x")).text() == "hello"
        await listener.close()
        with pytest.raises(aiohttp.ClientConnectionError):
            await session.get(f"{base}/x")


def test_taken_port_is_an_error() -> None:
    """Binding twice fails instead of sharing, and names the address."""
    first = bind(ANY)
    port = first.getsockname()[1]
    with first, pytest.raises(OSError, match=rf"in use: 127\.0\.0\.1:{port}"):
        bind(Address(host="127.0.0.1", port=port))


def test_plain_http_has_no_context_and_broken_certificates_fail(tmp_path: Path) -> None:
    """TLS is off without the section, and never half on."""
    assert context(None) is None
    (tmp_path / "c").write_text("no certificate")
    section = "listen: {tls: {certificate: c, key: c}}\n"
    with pytest.raises(ssl.SSLError):
        context(config(section, tmp_path).listen.tls)


def test_certificates_are_asked_for_where_it_is_said(tmp_path: Path) -> None:
    """By both planes with an authority, by the data plane alone if the control plane need not."""
    made = authority(tmp_path).issue("server")
    section = (
        f"listen: {{tls: {{certificate: {made.certificate}, key: {made.key}, "
        f"client_ca: {tmp_path / 'test-ca.pem'}}}}}\n"
    )
    tls = config(section, tmp_path).listen.tls
    asking, open_ = context(tls), context(tls, asks=False)
    assert asking is not None
    assert open_ is not None
    assert (asking.verify_mode, open_.verify_mode) == (ssl.CERT_REQUIRED, ssl.CERT_NONE)


async def test_repeated_work_survives_its_failures() -> None:
    """A failing turn is followed by another; cancelling ends it."""
    turns, thrice = 0, asyncio.Event()

    async def work() -> None:
        nonlocal turns
        turns += 1
        if turns == 3:
            thrice.set()
        raise Problem("ledger-unavailable", "gone") if turns == 1 else RuntimeError("also")

    task = asyncio.ensure_future(repeat(Task("test", timedelta(0), work), after_failure=0.0))
    await asyncio.wait_for(thrice.wait(), 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_policies_follow_their_files_per_tenant(tmp_path: Path) -> None:
    """A change is taken over and told; a fault keeps the last good one and is shown."""
    path = tmp_path / "mine.yaml"
    text = "apiVersion: expunge/v1\nkind: Policy\nname: mine\n"
    path.write_text(text)
    told: list[tuple[str, Mapping[str, Any]]] = []
    policies = Policies(
        "builtin/gdpr-default", {"t1": str(path)}, lambda *event: told.append(event)
    )
    assert (policies("t1").name, policies("t2").name) == ("mine", "gdpr-default")
    before = policies("t1").digest
    path.write_text(text + "retention: {automatic: false}\n")
    await policies.look()
    await policies.look()
    assert policies("t1").digest != before
    good = policies("t1").digest
    assert told == [("policy.activated", {"policy_digest": good})]
    path.write_text(text + "  \nretnetion: {}\n")
    with capture_logs() as lines:
        await policies.look()
        await policies.look()
    assert lines == [
        {"event": "policy.rejected", "log_level": "error", "component": "expunge.policies",
         "line": 5, "column": 1, "policy_digest": good, "count": 1}
    ]  # fmt: skip
    report = policies.report()[str(path)]
    assert report["digest"] == good
    assert told[1:] == [("policy.rejected", {"policy_digest": good, "count": 1})]
    assert "retnetion" in report["error"]


async def test_a_policy_that_only_observes_is_told(tmp_path: Path) -> None:
    """At the start and when it becomes active, in the log and beside its digest."""
    path = tmp_path / "mine.yaml"
    text = "apiVersion: expunge/v1\nkind: Policy\nname: mine\n"
    path.write_text(text)
    with capture_logs() as lines:
        policies = Policies("builtin/dev-observe", {"t1": str(path)}, lambda *_: None)
        report = policies.report()
        first, mine = report["builtin/dev-observe"], report[str(path)]
        path.write_text(text + "extends: builtin/dev-observe\n")
        await policies.look()
        await policies.look()
    assert (first["observes"], mine["observes"]) == (True, False)
    told = [line["policy_digest"] for line in lines if line["event"] == "policy.observes"]
    assert told == [first["digest"], policies("t1").digest]
    found = {each.name: each.status for each in of_policies(policies.report())}
    assert set(found.values()) == {"warning"}
    assert of_policies({"a": mine})[0].status == "ok"


async def test_configured_keys_exist_and_removed_ones_are_revoked(
    ledger: Ledger, keyring: KeyRing, clock: FrozenClock, tmp_path: Path
) -> None:
    """Keys by reference open the data plane; out of the configuration, they open nothing."""
    for name in ("a", "b"):
        (tmp_path / name).write_text(name * 30)
    auth = Authenticator(ledger, keyring, clock)
    configured = Configured(ledger, keyring, clock)

    async def opens(key: str) -> bool:
        clock.advance(timedelta(seconds=30))  # past the cache
        try:
            await auth.tenant_for((("X-API-Key", key),))
        except Problem:
            return False
        return True

    both = "tenants: [{name: acme-2, keys: [{file: a}, {file: b}], policy: builtin/never-forget}]\n"
    sources = await configured.tenants(config(both, tmp_path), auth)
    assert list(sources.values()) == ["builtin/never-forget"]
    assert await opens("a" * 30)
    assert await opens("b" * 30)
    one = "tenants: [{name: acme-2, keys: [{file: b}]}]\n"
    await configured.tenants(config(one, tmp_path), auth)
    assert not await opens("a" * 30)
    assert await opens("b" * 30)
    await configured.tenants(config(both, tmp_path), auth)  # a change that was taken back
    assert await opens("a" * 30)


async def test_what_an_operator_revoked_stays_revoked_and_the_start_goes_on(
    ledger: Ledger, keyring: KeyRing, clock: FrozenClock, tmp_path: Path
) -> None:
    """A key in the configuration does not open again for standing there, not even put in anew."""
    for name in ("a", "b"):
        (tmp_path / name).write_text(name * 30)
    auth, configured = Authenticator(ledger, keyring, clock), Configured(ledger, keyring, clock)
    given = config("tenants: [{name: north, keys: [{file: a}, {file: b}]}]\n", tmp_path)
    await configured.tenants(given, auth)
    caller = await auth.tenant_for((("X-API-Key", "a" * 30),))
    await ledger.write(lambda tx: credentials.revoke(tx, caller.key_id, clock.now()))
    none = config("tenants: [{name: north, keys: [{file: b}]}]\n", tmp_path)
    for each in (given, none, given):
        with capture_logs() as told:
            await configured.tenants(each, auth)
        clock.advance(timedelta(seconds=30))  # past the cache
        assert [line["count"] for line in told] == ([1] if each is given else [])
        with pytest.raises(Problem, match="unauthenticated"):
            await auth.tenant_for((("X-API-Key", "a" * 30),))
        assert (await auth.tenant_for((("X-API-Key", "b" * 30),))).tenant_id == caller.tenant_id


async def test_a_key_that_is_revoked_while_it_is_out_stays_revoked(
    ledger: Ledger, keyring: KeyRing, clock: FrozenClock, tmp_path: Path
) -> None:
    """An old configuration that is restored does not undo what an operator did meanwhile."""
    (tmp_path / "a").write_text("a" * 30)
    auth, configured = Authenticator(ledger, keyring, clock), Configured(ledger, keyring, clock)
    given = config("tenants: [{name: north, keys: [{file: a}]}]\n", tmp_path)
    await configured.tenants(given, auth)
    caller = await auth.tenant_for((("X-API-Key", "a" * 30),))
    await configured.tenants(config("tenants: [{name: north}]\n", tmp_path), auth)
    assert not await ledger.write(lambda tx: credentials.revoke(tx, caller.key_id, clock.now()))
    await configured.tenants(given, auth)
    clock.advance(timedelta(seconds=30))  # past the cache
    with pytest.raises(Problem, match="unauthenticated"):
        await auth.tenant_for((("X-API-Key", "a" * 30),))


async def test_a_sidecar_of_no_tenant_does_not_start(
    ledger: Ledger, keyring: KeyRing, clock: FrozenClock, tmp_path: Path
) -> None:
    """Neither of one that never was nor of one that was closed; one of the file or made by hand."""
    auth = Authenticator(ledger, keyring, clock)
    made = Configured(ledger, keyring, clock).tenants
    sidecar = "identity: {static: {tenant: acme-3}}\n"
    with pytest.raises(Problem) as refused:
        await made(config(sidecar, tmp_path), auth)
    assert refused.value.slug == "invalid-config"
    assert refused.value.detail == "There is no tenant acme-3 for identity.static."
    await made(config(sidecar + "tenants: [{name: acme-3}]\n", tmp_path), auth)
    await made(config(sidecar, tmp_path), auth)  # as one that was made by command
    there = await ledger.read(lambda tx: tenants.by_name(tx, "acme-3"))
    assert there is not None
    await ledger.write(lambda tx: tenants.set_state(tx, there.id, "closed"))
    with pytest.raises(Problem, match="invalid-config"):
        await made(config(sidecar, tmp_path), auth)


async def test_configured_tokens_open_the_control_plane(
    ledger: Ledger, keyring: KeyRing, clock: FrozenClock, tmp_path: Path
) -> None:
    """Roles as configured; taken out, it is refused; a short one is a mistake."""
    (tmp_path / "t").write_text("t" * 30)
    (tmp_path / "short").write_text("short")
    control = Credentials(ledger, keyring, clock)
    configured = Configured(ledger, keyring, clock)
    tokens = "tokens: [{name: desk, secret: {file: t}, roles: [privacy, auditor]}]\n"
    await configured.tokens(config(tokens, tmp_path), control)
    caller = await control.authenticate("t" * 30)
    assert (caller.roles, caller.tenant_id) == (frozenset({"privacy", "auditor"}), None)
    await configured.tokens(config("", tmp_path), control)
    with pytest.raises(Problem, match="unauthenticated"):
        await control.authenticate("t" * 30)
    for bad in ("secret: {file: short}", "secret: {file: absent}"):
        wrong = f"tokens: [{{name: desk, {bad}, roles: [app]}}]\n"
        with pytest.raises(Problem, match="invalid-config"):
            await configured.tokens(config(wrong, tmp_path), control)


async def test_configured_credentials_are_as_the_configuration_says_now(
    ledger: Ledger, keyring: KeyRing, clock: FrozenClock, tmp_path: Path
) -> None:
    """Other roles, another tenant, none, or no tenant at all: what stood there before is over."""
    (tmp_path / "t").write_text("t" * 30)
    control, auth = Credentials(ledger, keyring, clock), Authenticator(ledger, keyring, clock)
    configured = Configured(ledger, keyring, clock)
    given = config("tenants: [{name: north}, {name: south}]\n", tmp_path)
    await configured.tenants(given, auth)
    north, south = [t.id for t in await ledger.read(tenants.every) if t.name in ("north", "south")]

    async def caller(token: str) -> tuple[frozenset[str], str | None]:
        await configured.tokens(config(f"tokens: [{token}]\n", tmp_path), control)
        found = await control.authenticate("t" * 30)
        return found.roles, found.tenant_id

    desk = "{{name: desk, secret: {{file: t}}, roles: [{}]{}}}".format
    assert await caller(desk("privacy, auditor", ", tenant: north")) == (
        frozenset({"privacy", "auditor"}), north)  # fmt: skip
    assert await caller(desk("auditor", ", tenant: north")) == (frozenset({"auditor"}), north)
    assert await caller(desk("auditor", ", tenant: south")) == (frozenset({"auditor"}), south)
    assert await caller(desk("auditor", "")) == (frozenset({"auditor"}), None)
    assert await caller(desk("auditor", ", tenant: north")) == (frozenset({"auditor"}), north)
    await configured.tokens(config("", tmp_path), control)
    with pytest.raises(Problem, match="unauthenticated"):
        await control.authenticate("t" * 30)


async def test_a_configured_key_follows_its_tenant(
    ledger: Ledger, keyring: KeyRing, clock: FrozenClock, tmp_path: Path
) -> None:
    """Moved to another tenant it opens that one; with its tenant taken out, nothing."""
    for name in ("a", "b"):
        (tmp_path / name).write_text(name * 30)
    auth, configured = Authenticator(ledger, keyring, clock), Configured(ledger, keyring, clock)

    async def opened(said: str) -> list[str | None]:
        await configured.tenants(config(f"tenants: [{said}]\n", tmp_path), auth)
        clock.advance(timedelta(seconds=30))  # past the cache
        names = {each.id: each.name for each in await ledger.read(tenants.every)}
        found: list[str | None] = []
        for key in ("a" * 30, "b" * 30):
            try:
                found.append(names[(await auth.tenant_for((("X-API-Key", key),))).tenant_id])
            except Problem:
                found.append(None)
        return found

    north, south = "{{name: north, keys: [{}]}}".format, "{{name: south, keys: [{}]}}".format
    assert await opened(f"{north('{file: a}')}, {south('{file: b}')}") == ["north", "south"]
    assert await opened(f"{north('{file: b}')}, {south('{file: a}')}") == ["south", "north"]
    assert await opened(south("{file: a}")) == ["south", None]


async def test_one_credential_in_two_places_is_a_mistake(
    ledger: Ledger, keyring: KeyRing, clock: FrozenClock, tmp_path: Path
) -> None:
    """Which of two tenants or of two sets of roles is meant, nobody guesses."""
    (tmp_path / "a").write_text("a" * 30)
    configured = Configured(ledger, keyring, clock)
    keys = "tenants: [{name: north, keys: [{file: a}]}, {name: south, keys: [{file: a}]}]\n"
    with pytest.raises(Problem, match="invalid-config"):
        await configured.tenants(config(keys, tmp_path), Authenticator(ledger, keyring, clock))
    token = "{{name: {}, secret: {{file: a}}, roles: [{}]}}".format
    tokens = f"tokens: [{token('desk', 'auditor')}, {token('two', 'operator')}]\n"
    with pytest.raises(Problem, match="invalid-config"):
        await configured.tokens(config(tokens, tmp_path), Credentials(ledger, keyring, clock))


async def test_readiness_names_what_stands_in_the_way(ledger: Ledger) -> None:
    """Every part counts; draining is not ready."""
    policies = {"builtin/gdpr-default": {"digest": "sha256:0"}}
    loaded, opens = False, True

    async def keys() -> bool:
        return opens

    readiness = Readiness(ledger, lambda: loaded, lambda: policies, keys)
    report = await readiness.report()
    assert (report["ready"], report["parts"]["detectors"]) == (False, False)
    loaded = True
    assert (await readiness.report())["ready"] is True
    readiness.draining = True
    assert (await readiness.report())["parts"]["accepting"] is False
    readiness.draining, opens = False, False
    report = await readiness.report()
    assert (report["ready"], report["parts"]["keys"]) == (False, False)
    opens = True
    readiness.beside = {"store": lambda: False}
    report = await readiness.report()
    assert (report["ready"], report["parts"]["store"]) == (False, False)
    readiness.beside = {}
    await ledger.close()
    assert (await readiness.report())["parts"]["ledger"] is False


class Sealable(FileKek):
    """A key file whose provider can be sealed; it notes how often it was asked."""

    sealed, asked = False, 0

    async def unwrap(self, wrapped: Wrapped, aad: bytes) -> bytes:
        self.asked += 1
        if self.sealed:
            raise KekUnavailable
        return await super().unwrap(wrapped, aad)


async def test_keys_that_fail_in_use_are_not_ready_from_then_on(
    ledger: Ledger, clock: FrozenClock, tmp_path: Path
) -> None:
    """Whoever fails first tells; nobody waits for the provider again to say so."""
    kek = Sealable(tmp_path / "kek.json")
    ring = await KeyRing.open(ledger, kek, clock)
    readiness = Readiness(ledger, lambda: True, lambda: {"p": {"digest": "sha256:0"}}, ring.opens)
    kek.sealed = True
    assert (await readiness.report())["parts"]["keys"] is True  # for what is held still opens
    clock.advance(timedelta(seconds=LEASE_S))
    with pytest.raises(Problem, match="keys-sealed"):
        await ledger.write(lambda tx: ring.create_tenant(tx, "acme"))
    asked = kek.asked
    report = await readiness.report()
    assert (report["ready"], report["parts"]["keys"], kek.asked) == (False, False, asked)
    kek.sealed = False
    clock.advance(timedelta(seconds=RETRY_S))
    assert (await readiness.report())["ready"] is True


async def _keys_open() -> bool:
    return True


@pytest.mark.parametrize(("proves", "ends"), [(True, True), (False, False)])
async def test_only_who_proves_the_ledger_ends_what_is_remembered_of_it(
    ledger: Ledger, proves: bool, ends: bool
) -> None:
    """Workers look at each other every second: a commit each would end all reads that repeat."""
    if ledger.path is None:
        return
    readiness = Readiness(ledger, lambda: True, lambda: {"p": {"digest": "sha256:0"}}, _keys_open)
    before = ledger.recall.present()
    assert (await readiness.report(proves=proves))["ready"] is True
    await asyncio.sleep(0)
    assert (ledger.recall.present() != before) is ends


async def test_a_ledger_that_takes_no_change_is_not_ready(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Locked by another process, or on a full disk; and the loop goes on meanwhile."""
    readiness = Readiness(ledger, lambda: True, lambda: {"p": {"digest": "sha256:0"}}, _keys_open)
    assert (await readiness.report())["ready"] is True
    if ledger.path is None:
        return
    other = sqlite3.connect(ledger.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    turns = 0

    async def turn() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0.01)

    turning = spawn(turn(), name="turns")
    with capture_logs() as told:
        report = await readiness.report()
        assert (await readiness.report())["ready"] is False
    turning.cancel()
    [line] = told  # once for as long as it lasts
    assert (line["event"], line["log_level"], line["reason_code"]) == (
        "ledger.unavailable", "warning",
        "it_took_no_change_within_2_seconds_somebody_holds_its_lock",
    )  # fmt: skip
    [finding] = await of_ledger(ledger)
    assert (finding.status, finding.detail) == (
        "failed",
        "Every write is refused. It took no change within 2 seconds: somebody holds its lock.",
    )  # fmt: skip
    assert (report["ready"], report["parts"]["ledger"]) == (False, False)
    assert turns > 3
    other.execute("ROLLBACK")
    other.close()
    async with asyncio.timeout(60):
        while not (await readiness.report())["ready"]:  # noqa: ASYNC110  # no event tells
            await asyncio.sleep(0.05)
    usage = shutil.disk_usage(ledger.path.parent)
    full = usage._replace(free=health.LEAST - 1)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    assert (await readiness.report())["parts"]["ledger"] is False
    [finding] = await of_ledger(ledger)
    assert (finding.name, finding.status) == ("ledger", "failed")
    assert finding.detail == "Every write is refused. The disk is full."
    assert finding.hint.startswith("Make room on its disk")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full._replace(free=health.LEAST))
    assert (await readiness.report())["parts"]["ledger"] is True
    assert [each.status for each in await of_ledger(ledger)] == ["ok"]


@pytest.mark.parametrize(
    ("section", "provider"),
    [
        ("", "file"),
        ("keys: {provider: env, secret: {file: kek}}\n", "env"),
        ("keys: {provider: vault-transit, address: 'http://127.0.0.1:1', token: {file: kek}, "
         "key: expunge}\n", "vault-transit"),
        ("keys: {provider: aws-kms, key: k, region: eu-central-1}\n", "aws-kms"),
    ],
    ids=["file", "env", "vault", "aws"],
)  # fmt: skip
async def test_key_providers_are_chosen(section: str, provider: str, tmp_path: Path) -> None:
    """The configuration names the provider."""
    (tmp_path / "kek").write_text(base64.b64encode(os.urandom(32)).decode())
    kek = open_kek(config(section, tmp_path))
    assert kek.provider == provider
    await kek.close()


def test_ledger_url_and_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite in the state folder unless a URL, or a secret with one, is given."""
    assert ledger_url(config("state_dir: s\n", tmp_path)).endswith("/s/ledger.db")
    monkeypatch.setenv("CANARY_URL", "postgresql+asyncpg://u:p@h/d")
    secret = "ledger: {url_secret: {env: CANARY_URL}}\n"
    assert ledger_url(config(secret, tmp_path)) == "postgresql+asyncpg://u:p@h/d"
    with pytest.raises(Problem) as caught:
        read(Secret(env="CANARY_ABSENT"))
    assert "CANARY_ABSENT" in caught.value.detail
