"""Signed tokens (JWT) on the control plane: the data plane's module, with roles and tenants."""

import base64
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio
from joserfc.jwk import Key

from proxy.clock import FrozenClock
from proxy.control.credentials import Credentials
from proxy.control.services import ControlServices
from proxy.identity.bearer import Bearer, Issuer
from proxy.identity.jwks import Jwks
from proxy.keys.ring import KeyRing
from proxy.ledger import tenants
from proxy.ledger.engine import Ledger
from tests.support.control import Client, client_of
from tests.support.issuer import ISSUER, TestIssuer, new_key

ERASURES, TENANTS, HOLDS = "/v1/erasures", "/v1/tenants", "/v1/holds"
STAFF = "expunge-staff"
Sign = Callable[..., dict[str, str]]


@pytest.fixture(scope="module")
def issuer() -> TestIssuer:
    """An issuer with one RSA key."""
    return TestIssuer([new_key("RS256", "k1")])


@pytest.fixture
def credentials(services: ControlServices, issuer: TestIssuer, clock: FrozenClock) -> Credentials:
    """What takes the issuer's tokens too; five wrong ones a minute."""

    async def fetch() -> bytes:
        return json.dumps(issuer.published()).encode()

    one = Issuer(
        ISSUER, ("expunge",), ("RS256",), Jwks(fetch, clock, 600.0), all_tenants=STAFF,
        tenant_claim="org", tenants={"Acme Corp": "acme", "Globex": "globex"}, roles_claim="roles",
    )  # fmt: skip
    return Credentials(
        services.ledger, services.keyring, clock, bearer=Bearer([one], clock), failed_attempts=5
    )


@pytest_asyncio.fixture
async def signed(services: ControlServices, credentials: Credentials) -> AsyncIterator[Client]:
    """A control plane with them."""
    async with client_of(replace(services, credentials=credentials)) as client:
        yield client


@pytest.fixture
def sign(issuer: TestIssuer, clock: FrozenClock) -> Sign:
    """The header with a token of the installation's operators, but for what is said otherwise."""

    def make(at: timedelta = timedelta(0), **said: Any) -> dict[str, str]:
        claims = {"org": STAFF, "roles": ["operator"], **said}
        return {"Authorization": f"Bearer {issuer.sign(clock.now() + at, **claims)}"}

    return make


async def got(client: Client, path: str, headers: dict[str, str]) -> tuple[int, str]:
    """Status and slug of an answer."""
    reply = await client.get(path, headers=headers)
    body = await reply.json()
    return reply.status, str(body.get("type", "")).rpartition(":")[2] if reply.status >= 400 else ""


@pytest.mark.parametrize(
    ("roles", "path", "status"),
    [
        (["operator"], TENANTS, 200),
        (["privacy"], TENANTS, 403),
        (["auditor"], HOLDS, 200),
        (["app"], HOLDS, 403),
        ("operator auditor", HOLDS, 200),
        ("openid profile operator", TENANTS, 200),
        (["admin"], TENANTS, 403),
        ([], TENANTS, 403),
        ("", TENANTS, 403),
        (["Operator"], TENANTS, 403),
        ({"operator": True}, TENANTS, 403),
        (7, TENANTS, 403),
    ],
)
async def test_roles_are_those_of_the_claim(
    signed: Client, sign: Sign, roles: Any, path: str, status: int
) -> None:
    """As roles.md has them; without one that fits, 403 that names those that would."""
    headers = {**sign(roles=roles), "Expunge-Tenant": "acme"}
    slug = "forbidden" if status == 403 else ""
    assert await got(signed, path, headers) == (status, slug)


async def test_without_the_claim_there_is_no_role(signed: Client, sign: Sign) -> None:
    """Not even ``app``, which an agent's token has on the data plane."""
    reply = await signed.get(ERASURES, headers=sign(without=("roles",)))
    assert reply.status == 403
    told = "This needs one of the roles: app, auditor, operator, privacy."
    assert (await reply.json())["detail"] == told


def wrong_ones(sign: Sign, other: Key, clock: FrozenClock) -> dict[str, dict[str, str]]:
    """Tokens of which each is wrong in one thing."""
    hmac = new_key("HS256", "k1")
    part = base64.urlsafe_b64encode(b'{"alg":"none","kid":"k1"}').rstrip(b"=").decode()
    good = sign()["Authorization"].removeprefix("Bearer ")
    unsigned = f"{part}.{good.split('.')[1]}."
    return {
        "shared-secret": sign(key=hmac, algorithm="HS256"),
        "not-configured": sign(algorithm="RS512"),
        "none": {"Authorization": f"Bearer {unsigned}"},
        "another-key": sign(key=other),
        "expired": sign(timedelta(seconds=-91)),
        "not-yet": sign(timedelta(seconds=31)),
        "no-end": sign(without=("exp",)),
        "audience": sign(aud="elsewhere"),
        "no-audience": sign(without=("aud",)),
        "issuer": sign(iss="https://login.example.net"),
        "no-tenant": sign(without=("org",)),
        "unlisted-tenant": sign(org="Initech"),
        "tenant-not-there": sign(org="Globex"),
        "all-tenants-in-a-list": sign(org=[STAFF]),
        "cut": {"Authorization": f"Bearer {good[:-4]}"},
    }


NAMES = (
    "shared-secret", "not-configured", "none", "another-key", "expired", "not-yet", "no-end",
    "audience", "no-audience", "issuer", "no-tenant", "unlisted-tenant", "tenant-not-there",
    "all-tenants-in-a-list", "cut",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
async def test_a_wrong_token_opens_nothing(
    signed: Client, sign: Sign, clock: FrozenClock, name: str
) -> None:
    """401, the same words for each; its right twin passes."""
    wrong = wrong_ones(sign, new_key("RS256", "k1"), clock)
    assert tuple(wrong) == NAMES
    reply = await signed.get(TENANTS, headers=wrong[name])
    assert reply.status == 401
    assert (await reply.json())["detail"] == "The bearer token is not known."
    assert await got(signed, TENANTS, sign()) == (200, "")


@pytest.mark.parametrize("at", [timedelta(seconds=-89), timedelta(seconds=29)])
async def test_clocks_may_differ(signed: Client, sign: Sign, at: timedelta) -> None:
    """By the configured skew, here 30 seconds."""
    assert await got(signed, TENANTS, sign(at)) == (200, "")


async def test_a_tenants_token_stays_within_it(
    signed: Client, sign: Sign, ledger: Ledger, keyring: KeyRing, tenant_id: str
) -> None:
    """Another tenant is as absent as one that is not there; what is everybody's is closed."""
    await ledger.write(lambda tx: keyring.create_tenant(tx, "globex"))
    mine = sign(org="Acme Corp")
    assert await got(signed, ERASURES, mine) == (200, "")
    assert await got(signed, ERASURES, {**mine, "Expunge-Tenant": "acme"}) == (200, "")
    for name in ("globex", "initech", STAFF):
        headers = {**mine, "Expunge-Tenant": name}
        assert await got(signed, ERASURES, headers) == (404, "not-found")
    assert await got(signed, TENANTS, mine) == (403, "forbidden")
    await ledger.write(lambda tx: tenants.set_state(tx, tenant_id, "closed"))
    assert await got(signed, ERASURES, mine) == (401, "unauthenticated")


async def test_a_key_that_is_new_is_read_and_an_old_one_is_forgotten(
    signed: Client, sign: Sign, issuer: TestIssuer, clock: FrozenClock
) -> None:
    """The issuer rotates its keys; nobody restarts anything."""
    assert await got(signed, TENANTS, sign()) == (200, "")
    former, new = issuer.keys[0], new_key("RS256", "k2")
    issuer.keys[:] = [new]
    try:
        clock.advance(timedelta(seconds=31))
        assert await got(signed, TENANTS, sign(key=new)) == (200, "")
        assert await got(signed, TENANTS, sign(key=former)) == (401, "unauthenticated")
    finally:
        issuer.keys[:] = [former]


async def test_guessing_is_slowed_down_and_right_ones_pass(
    signed: Client, sign: Sign, services: ControlServices
) -> None:
    """After the allowed number 429, for signed tokens and others alike; a missing one is none."""
    wrong = [sign(aud="elsewhere"), {"Authorization": "Bearer xpc_guess"}] * 4
    assert [(await got(signed, TENANTS, {}))[0] for _ in range(7)] == [401] * 7
    assert [(await got(signed, TENANTS, each))[0] for each in wrong] == [401] * 5 + [429] * 3
    assert await got(signed, TENANTS, sign()) == (200, "")
    token = await services.credentials.issue(None, ["operator"], "test")
    assert (await got(signed, TENANTS, {"Authorization": f"Bearer {token}"}))[0] == 200


async def test_who_acted_is_a_pseudonym(
    credentials: Credentials, issuer: TestIssuer, clock: FrozenClock, keyring: KeyRing
) -> None:
    """The same each time, another for another holder, and no word of the claim."""
    names = await keyring.installation()
    actors = []
    for holder in ("odalys.venn@example.org", "odalys.venn@example.org", "brisa.okun@example.org"):
        token = issuer.sign(clock.now(), org=STAFF, roles=["operator"], sub=holder)
        actors.append((await credentials.authenticate(token)).key_id)
        assert actors[-1] == f"jwt_{names.text('actor', ISSUER, holder)}"
        assert holder.partition(".")[0] not in actors[-1]
    assert (actors[0] == actors[1], actors[0] == actors[2]) == (True, False)
