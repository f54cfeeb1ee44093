"""Ways in to the data plane as configured: signed tokens, client certificates, a sidecar."""

import base64
import hmac
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import structlog
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from joserfc.jwk import Key

from policies import load
from proxy.app.identity import callers, of_issuers, tell_doubts
from proxy.clock import FrozenClock
from proxy.config.load import loads
from proxy.gateway.exchange import Caller, RawCall
from proxy.gateway.identity.callers import Callers, names_of
from proxy.gateway.identity.identify import Authenticator
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.problems import Problem
from tests.support.issuer import ISSUER, TestIssuer, new_key, serving

HEAD = "apiVersion: expunge/v1\nkind: Config\nupstreams: [{name: m, url: 'http://127.0.0.1:1'}]\n"
_HEADER = {"alg": "RS256", "kid": "k1"}
Made = Callable[..., Callers]


def call(
    *headers: tuple[str, str], certificate: Any = None, origin: str = "http://127.0.0.1:8080"
) -> RawCall:
    """A request with these headers."""
    return RawCall("GET", "/", tuple(headers), b"", origin, "127.0.0.1", certificate)


def bearer(token: str) -> RawCall:
    """A request with a token."""
    return call(("Authorization", f"Bearer {token}"))


async def refusal(work: Awaitable[Caller]) -> str:
    """The slug of the refusal; ``in`` if there is none."""
    try:
        await work
    except Problem as problem:
        return problem.slug
    return "in"


@pytest_asyncio.fixture
async def issuer() -> AsyncIterator[TestIssuer]:
    """An issuer with one RSA key."""
    async with serving(TestIssuer([new_key("RS256", "k1")])) as running:
        yield running


@pytest.fixture
def made(ledger: Ledger, keyring: KeyRing, clock: FrozenClock, tmp_path: Path) -> Made:
    """The ways in of a configuration."""

    def make(section: str, more: str = "") -> Callers:
        text = HEAD.replace("}]", more + "}]") + section
        config = loads(text.encode(), {}, base=tmp_path).config
        return callers(config, Authenticator(ledger, keyring, clock), ledger, keyring, clock)

    return make


@pytest_asyncio.fixture
async def acme(ledger: Ledger, keyring: KeyRing) -> str:
    """A tenant."""
    return await ledger.write(lambda tx: keyring.create_tenant(tx, "acme"))


def jwt_section(source: str, **more: Any) -> str:
    """The configuration of the test's issuer."""
    one = {"issuer": ISSUER, "audience": ["expunge"], "algorithms": ["RS256"],
           "jwks_url": source, **more}  # fmt: skip
    return json.dumps({"identity": {"jwt": [one]}})[1:-1]


async def test_a_signed_token_names_tenant_roles_and_purposes(
    made: Made, issuer: TestIssuer, clock: FrozenClock, acme: str
) -> None:
    """Claims become the caller; who holds the token is only known by a pseudonym."""
    ways = made(jwt_section(issuer.url, tenant_claim="org", tenants={"Acme Corp": "acme"},
                            roles_claim="scope", purposes_claim="purposes"))  # fmt: skip
    token = issuer.sign(
        clock.now(), org="Acme Corp", scope="app support", purposes=["billing"], sub="alva"
    )
    caller = await ways.caller_of(bearer(token))
    assert (caller.tenant_id, sorted(caller.roles)) == (acme, ["app", "support"])
    assert caller.purposes == frozenset({"billing"})
    assert caller.key_id.startswith("jwt_")
    assert "alva" not in caller.key_id
    assert await ways.caller_of(call(("X-API-Key", token))) == caller
    assert issuer.asked == 1
    unknown = issuer.sign(clock.now(), org="Globex", scope="app")
    assert await refusal(ways.caller_of(bearer(unknown))) == "unauthenticated"
    roleless = issuer.sign(clock.now(), org="Acme Corp")
    assert await refusal(ways.caller_of(bearer(roleless))) == "unauthenticated"


REFUSED: dict[str, Callable[[TestIssuer, FrozenClock], str]] = {
    "expired beyond the skew": lambda i, c: i.sign(c.now() - timedelta(seconds=91)),
    "not yet valid": lambda i, c: i.sign(c.now(), nbf=int(c.now().timestamp()) + 31),
    "issued in the future": lambda i, c: i.sign(c.now() + timedelta(seconds=31)),
    "no expiry": lambda i, c: i.sign(c.now(), without=("exp",)),
    "expiry as text": lambda i, c: i.sign(c.now(), exp=str(int(c.now().timestamp()) + 60)),
    "expiry as truth value": lambda i, c: i.sign(c.now(), exp=True),
    "expiry without end": lambda i, c: i.sign(c.now(), exp=10**400),
    "other issuer": lambda i, c: i.sign(c.now(), iss="https://login.example.com"),
    "issuer missing": lambda i, c: i.sign(c.now(), without=("iss",)),
    "issuer as list": lambda i, c: i.sign(c.now(), iss=[ISSUER]),
    "other audience": lambda i, c: i.sign(c.now(), aud=["expunge-admin"]),
    "audience missing": lambda i, c: i.sign(c.now(), without=("aud",)),
    "tenant missing": lambda i, c: i.sign(c.now(), without=("tenant",)),
    "tenant as list": lambda i, c: i.sign(c.now(), tenant=["acme"]),
    "tenant unknown": lambda i, c: i.sign(c.now(), tenant="globex"),
    "algorithm not pinned": lambda i, c: i.sign(c.now(), algorithm="RS512"),
    "padding not pinned": lambda i, c: i.sign(c.now(), algorithm="PS256"),
    "foreign key under our id": lambda i, c: i.sign(c.now(), key=new_key("RS256", "k1")),
    "unknown key id": lambda i, c: i.sign(c.now(), header={"kid": "k9"}),
    "key id as number": lambda i, c: _raw(i, c, {"alg": "RS256", "kid": 1}),
    "critical header": lambda i, c: _raw(i, c, _HEADER | {"crit": ["exp"], "exp": 1}),
    "signature cut": lambda i, c: i.sign(c.now())[:-8],
    "signature missing": lambda i, c: i.sign(c.now()).rpartition(".")[0] + ".",
    "claims exchanged": lambda i, c: _exchanged(i.sign(c.now())),
    "unsigned": lambda i, c: _unsigned(i.sign(c.now()), "none"),
    "unsigned, other case": lambda i, c: _unsigned(i.sign(c.now()), "NoNe"),
    "unsigned, called RS256": lambda i, c: _unsigned(i.sign(c.now()), "RS256"),
    "public key as secret": lambda i, c: _confused(i, c, "HS256"),
    "secret signature called RS256": lambda i, c: _confused(i, c, "RS256"),
    "key in the header": lambda i, c: _own_key(i, c),
    "too long": lambda i, c: i.sign(c.now(), more="x" * 9000),
}


def _part(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def _unsigned(token: str, algorithm: str) -> str:
    return f"{_part({'alg': algorithm, 'kid': 'k1'})}.{token.split('.')[1]}."


def _raw(issuer: TestIssuer, clock: FrozenClock, header: dict[str, Any]) -> str:
    """Well signed, under a header that no library would write."""
    signed = f"{_part(header)}.{issuer.sign(clock.now()).split('.')[1]}"
    key: Any = issuer.keys[0]
    signature = key.private_key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
    return f"{signed}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def _exchanged(token: str) -> str:
    head, body, signature = token.split(".")
    claims = json.loads(base64.urlsafe_b64decode(body + "=="))
    return f"{head}.{_part(claims | {'tenant': 'globex'})}.{signature}"


def _confused(issuer: TestIssuer, clock: FrozenClock, called: str) -> str:
    """Signed with the published key as if it were a shared secret (RFC 8725 §2.1)."""
    key: Any = issuer.keys[0]
    signed = f"{_part(_HEADER | {'alg': called})}.{issuer.sign(clock.now()).split('.')[1]}"
    signature = hmac.digest(key.as_pem(private=False), signed.encode(), "sha256")
    return f"{signed}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def _own_key(issuer: TestIssuer, clock: FrozenClock) -> str:
    key = new_key("RS256", "k1")
    return issuer.sign(clock.now(), key=key, header={"jwk": key.as_dict(private=False)})


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED)
async def test_a_token_with_one_fault_opens_nothing(
    make: Callable[[TestIssuer, FrozenClock], str],
    made: Made, issuer: TestIssuer, clock: FrozenClock, acme: str,
) -> None:  # fmt: skip
    """Each is refused with the words of a wrong key; the same token without the fault passes."""
    ways = made(jwt_section(issuer.url))
    with pytest.raises(Problem) as refused:
        await ways.caller_of(bearer(make(issuer, clock)))
    assert (refused.value.slug, refused.value.detail) == (
        "unauthenticated", "The request carries no valid client key.",
    )  # fmt: skip
    assert (await ways.caller_of(bearer(issuer.sign(clock.now())))).tenant_id == acme


@pytest.mark.parametrize("algorithm", ["RS512", "PS256", "ES256", "EdDSA", "Ed25519"])
async def test_each_pinned_algorithm_is_checked(
    algorithm: str, made: Made, clock: FrozenClock, acme: str
) -> None:
    """With its own kind of key; the neighbour's token is refused."""
    async with serving(TestIssuer([new_key(algorithm, "k1")])) as issuer:
        ways = made(jwt_section(issuer.url, algorithms=[algorithm]))
        token = issuer.sign(clock.now(), algorithm=algorithm)
        assert (await ways.caller_of(bearer(token))).tenant_id == acme
        foreign = issuer.sign(clock.now(), key=new_key(algorithm, "k1"), algorithm=algorithm)
        assert await refusal(ways.caller_of(bearer(foreign))) == "unauthenticated"


async def test_clocks_may_differ_a_little(
    made: Made, issuer: TestIssuer, clock: FrozenClock, acme: str
) -> None:
    """Within the skew a token is good before it was issued and after it ended."""
    ways = made(jwt_section(issuer.url))
    for seconds in (-89, 29):
        token = issuer.sign(clock.now() + timedelta(seconds=seconds))
        assert (await ways.caller_of(bearer(token))).tenant_id == acme, seconds


async def test_a_remembered_token_ends_when_it_expires(
    made: Made, issuer: TestIssuer, clock: FrozenClock, acme: str
) -> None:
    """The cache never outlives the token."""
    ways = made(jwt_section(issuer.url, skew="PT0S"))
    token = issuer.sign(clock.now() - timedelta(seconds=58))
    assert (await ways.caller_of(bearer(token))).tenant_id == acme
    clock.advance(timedelta(seconds=2))
    assert await refusal(ways.caller_of(bearer(token))) == "unauthenticated"


async def test_new_keys_are_found_and_old_ones_forgotten(
    made: Made, issuer: TestIssuer, clock: FrozenClock, acme: str
) -> None:
    """An unknown key id reads the set again, at most every half minute; a removed key ends."""
    ways = made(jwt_section(issuer.url))
    old = issuer.sign(clock.now())
    assert (await ways.caller_of(bearer(old))).tenant_id == acme
    retired, fresh = issuer.keys[0], new_key("RS256", "k2")
    issuer.keys = [fresh]
    new = issuer.sign(clock.now())
    assert await refusal(ways.caller_of(bearer(new))) == "unauthenticated"  # asked just now
    clock.advance(timedelta(seconds=30))
    assert (await ways.caller_of(bearer(new))).tenant_id == acme
    assert issuer.asked == 2
    late = issuer.sign(clock.now(), key=retired)
    for _ in range(50):
        assert await refusal(ways.caller_of(bearer(late))) == "unauthenticated"
    assert issuer.asked == 2


async def test_an_issuer_that_is_away_fails_closed_or_lives_on_its_last_keys(
    made: Made, issuer: TestIssuer, clock: FrozenClock, acme: str
) -> None:
    """Without keys: 503, asked at most every five seconds; with keys of less than a day: they."""
    ways = made(jwt_section(issuer.url))
    issuer.status = 500
    for _ in range(3):
        token = issuer.sign(clock.now())
        assert await refusal(ways.caller_of(bearer(token))) == "identity-unavailable"
    assert issuer.asked == 1
    issuer.status = 200
    clock.advance(timedelta(seconds=5))
    assert (await ways.caller_of(bearer(issuer.sign(clock.now())))).tenant_id == acme
    issuer.status = 500
    clock.advance(timedelta(hours=23))
    assert (await ways.caller_of(bearer(issuer.sign(clock.now())))).tenant_id == acme
    clock.advance(timedelta(hours=2))
    token = issuer.sign(clock.now())
    assert await refusal(ways.caller_of(bearer(token))) == "identity-unavailable"


def _set(*keys: dict[str, Any]) -> bytes:
    return json.dumps({"keys": keys}).encode()


def _public(key: Key, **more: Any) -> dict[str, Any]:
    return dict(key.as_dict(private=False)) | more


UNUSABLE = {
    "no JSON": b"{", "no set": b"[]", "empty": _set(), "too large": b" " * 300_000 + _set(),
    "shared secret": _set(dict(new_key("HS256", "k1").as_dict(private=True))),
    "for encryption": _set(_public(new_key("RS256", "k1"), use="enc")),
    "small": _set({"kty": "RSA", "kid": "k1", "n": "u" * 171, "e": "AQAB"}),
    "number as id": _set({"kty": "RSA", "kid": 1, "n": 1, "e": 1}),
}  # fmt: skip


@pytest.mark.parametrize("raw", UNUSABLE.values(), ids=UNUSABLE)
async def test_a_set_without_a_usable_key_is_none(
    raw: bytes, made: Made, issuer: TestIssuer, clock: FrozenClock, acme: str
) -> None:
    """Secrets, keys for encryption and small ones are not held; with a good one beside, that is."""
    issuer.raw = raw
    ways = made(jwt_section(issuer.url))
    token = issuer.sign(clock.now())
    assert await refusal(ways.caller_of(bearer(token))) == "identity-unavailable"
    issuer.raw = None
    clock.advance(timedelta(seconds=5))
    assert (await ways.caller_of(bearer(token))).tenant_id == acme


async def test_a_key_set_may_be_a_file_and_keys_without_id(
    made: Made, clock: FrozenClock, acme: str, tmp_path: Path
) -> None:
    """One key needs no id; two without the token naming one are ambiguous and refused."""
    issuer = TestIssuer([new_key("RS256", "k1")])
    path = tmp_path / "keys.json"
    path.write_text(json.dumps(issuer.published()))
    section = jwt_section("", jwks_file="keys.json").replace('"jwks_url": "", ', "")
    nameless = issuer.sign(clock.now(), header={"kid": None})
    assert (await made(section).caller_of(bearer(nameless))).tenant_id == acme
    issuer.keys.append(new_key("RS256", "k2"))
    path.write_text(json.dumps(issuer.published()))
    assert await refusal(made(section).caller_of(bearer(nameless))) == "unauthenticated"


FITTING: dict[str, tuple[list[str | None], dict[str, str], bool]] = {
    "the other type": (["RS256", "ES256"], {}, True),
    "the other type, of no id": (["RS256", None], {}, True),
    "a key for another algorithm": (["RS256", "RS256"], {"alg": "RS512"}, True),
    "no key of the type": (["ES256", "EdDSA"], {}, False),
    "two of the type": (["RS256", "RS256"], {}, False),
    "two that say the algorithm": (["RS256", "RS256"], {"alg": "RS256"}, False),
}


@pytest.mark.parametrize("case", FITTING)
async def test_a_token_without_key_id_takes_the_one_key_that_fits(
    made: Made, clock: FrozenClock, acme: str, tmp_path: Path, case: str
) -> None:
    """By type, curve and stated algorithm; where none or several fit, it is refused."""
    kinds, more, good = FITTING[case]
    issuer = TestIssuer(
        [new_key(kind or "ES256", kind and f"k{n}") for n, kind in enumerate(kinds)]
    )
    published = issuer.published()
    published["keys"][-1] |= more
    (tmp_path / "keys.json").write_text(json.dumps(published))
    section = jwt_section("", jwks_file="keys.json").replace('"jwks_url": "", ', "")
    signer = issuer.keys[0] if kinds[0] == "RS256" else new_key("RS256", None)
    nameless = issuer.sign(clock.now(), key=signer, header={"kid": None})
    if good:
        assert (await made(section).caller_of(bearer(nameless))).tenant_id == acme
    else:
        assert await refusal(made(section).caller_of(bearer(nameless))) == "unauthenticated"


async def test_keys_without_id_do_not_hide_one_another(
    made: Made, clock: FrozenClock, acme: str, tmp_path: Path
) -> None:
    """Two without an id are two keys, not the later one."""
    issuer = TestIssuer([new_key("RS256", None), new_key("ES256", None)])
    (tmp_path / "keys.json").write_text(json.dumps(issuer.published()))
    section = jwt_section("", jwks_file="keys.json").replace('"jwks_url": "", ', "")
    token = issuer.sign(clock.now(), header={"kid": None})
    assert (await made(section).caller_of(bearer(token))).tenant_id == acme


async def test_doctor_tries_the_issuers(issuer: TestIssuer, tmp_path: Path) -> None:
    """Readable with how many keys, or failed with the settings to look at."""

    async def tried(section: str) -> tuple[str, str]:
        config = loads((HEAD + section).encode(), {}, base=tmp_path).config
        (found,) = await of_issuers(config)
        assert found.name == f"issuer {ISSUER}"
        return found.status, found.detail

    assert await tried(jwt_section(issuer.url)) == ("ok", "1 usable key.")
    issuer.status = 404
    assert (await tried(jwt_section(issuer.url)))[0] == "failed"
    no_file = jwt_section("", jwks_file="absent.json").replace('"jwks_url": "", ', "")
    assert (await tried(no_file))[0] == "failed"


async def test_client_keys_stay_beside_tokens(
    made: Made, issuer: TestIssuer, clock: FrozenClock, acme: str, ledger: Ledger, keyring: KeyRing
) -> None:
    """A key is no token: both ways are open, and nothing opens neither."""
    auth = Authenticator(ledger, keyring, clock)
    key = await ledger.write(
        lambda tx: auth.issue_key(tx, acme, operations=("read",), purposes=("support",))
    )
    ways = made(jwt_section(issuer.url))
    caller = await ways.caller_of(call(("X-API-Key", key)))
    assert (caller.tenant_id, caller.operations) == (acme, frozenset({"read"}))
    assert caller.purposes == frozenset({"support"})
    assert await refusal(ways.caller_of(call())) == "unauthenticated"
    two = call(("X-API-Key", key), ("Authorization", f"Bearer {issuer.sign(clock.now())}"))
    assert await refusal(ways.caller_of(two)) == "unauthenticated"


CERTIFICATES = """
listen: {tls: {certificate: c, key: c, client_ca: c}}
identity:
  certificates:
    - {name: "uri:spiffe://acme/agent", tenant: acme, roles: [app, auditor]}
    - {name: "dns:agent.globex.example.org", tenant: globex}
    - {name: "cn:old agent", tenant: acme, purposes: [billing]}
"""


def shown(common: str, *alternatives: tuple[str, str]) -> dict[str, Any]:
    """A certificate as the TLS layer gives it."""
    return {"subject": ((("commonName", common),),), "subjectAltName": alternatives}


async def test_a_certificate_names_its_holder(
    made: Made, acme: str, ledger: Ledger, keyring: KeyRing, clock: FrozenClock
) -> None:
    """By exactly one configured name; with names of two tenants or a foreign key, refused."""
    globex = await ledger.write(lambda tx: keyring.create_tenant(tx, "globex"))
    ways = made(CERTIFICATES)
    agent = shown("x", ("URI", "spiffe://acme/agent"), ("DNS", "else.example.org"))
    caller = await ways.caller_of(call(certificate=agent))
    assert (caller.tenant_id, sorted(caller.roles)) == (acme, ["app", "auditor"])
    assert caller.key_id.startswith("crt_")
    old = await ways.caller_of(call(certificate=shown("old agent")))
    assert (old.tenant_id, old.purposes) == (acme, frozenset({"billing"}))
    both = shown("old agent", ("DNS", "agent.globex.example.org"))
    for nobody in (
        both, shown("agent"), shown("Old Agent"), shown("old agent "), None,
        shown("x", ("DNS", "spiffe://acme/agent")), shown("uri:spiffe://acme/agent"),
        shown("x", ("DNS", "sub.agent.globex.example.org")),
    ):  # fmt: skip
        assert await refusal(ways.caller_of(call(certificate=nobody))) == "unauthenticated", nobody
    auth = Authenticator(ledger, keyring, clock)
    key = await ledger.write(lambda tx: auth.issue_key(tx, globex))
    foreign = call(("X-API-Key", key), certificate=agent)
    assert await refusal(ways.caller_of(foreign)) == "unauthenticated"
    wrong = call(("X-API-Key", "exk_wrong_wrong_wrong"), certificate=agent)
    assert await refusal(ways.caller_of(wrong)) == "unauthenticated"
    own = await ledger.write(lambda tx: auth.issue_key(tx, acme))
    assert (await ways.caller_of(call(("X-API-Key", own), certificate=agent))).tenant_id == acme


def test_names_of_no_certificate() -> None:
    """Without TLS there are no names."""
    assert names_of(None) == names_of({}) == frozenset()


async def test_a_sidecar_serves_its_agent_and_no_browser(made: Made, acme: str) -> None:
    """One tenant for every request on loopback; pages of other origins or names are refused."""
    ways = made("identity: {static: {tenant: acme, purposes: [support]}}")
    caller = await ways.caller_of(call(("Authorization", "Token anything")))
    assert (caller.tenant_id, caller.purposes) == (acme, frozenset({"support"}))
    page = call(("Origin", "https://evil.example.org"))
    with pytest.raises(Problem) as told:
        await ways.caller_of(page)
    assert (told.value.slug, told.value.status) == ("forbidden", 403)
    assert told.value.detail == "With identity.static no request with an Origin is answered."
    rebound = call(origin="http://evil.example.org:8080")
    with pytest.raises(Problem) as told:
        await ways.caller_of(rebound)
    assert (told.value.slug, told.value.status) == ("forbidden", 403)
    assert told.value.detail == "The Host header names another machine than this one."
    assert "identity.static.beyond_loopback" in told.value.hint
    open_ = made("listen: {data: '0.0.0.0:8080'}\n"
                 "identity: {static: {tenant: acme, beyond_loopback: true}}")  # fmt: skip
    named = call(origin="http://expunge.example.org:8080")
    assert (await open_.caller_of(named)).tenant_id == acme


async def test_the_start_tells_who_is_let_in_for_nothing(
    ledger: Ledger, acme: str, tmp_path: Path
) -> None:
    """One line for each place, without names; what is in order is not mentioned."""
    section = CERTIFICATES.replace("globex\n", "absent\n")
    config = loads((HEAD + section).encode(), {}, base=tmp_path).config
    with structlog.testing.capture_logs() as lines:
        await tell_doubts(config, ledger, lambda _: load("builtin/gdpr-default"))
    assert [(line["event"], line["log_level"], line["kind"]) for line in lines] == [
        ("identity.in_doubt", "warning", "identity.certificates.1"),
        ("identity.in_doubt", "warning", "identity.certificates.2"),
    ]


async def test_a_sidecar_of_no_tenant_opens_nothing(made: Made) -> None:
    """The tenant must exist; no key is blamed, for none is looked at."""
    ways = made("identity: {static: {tenant: nobody}}")
    with pytest.raises(Problem) as told:
        await ways.caller_of(call())
    assert told.value.slug == "unauthenticated"
    assert told.value.detail == "The tenant that this sidecar serves is not active."


async def test_a_plane_takes_the_tokens_of_its_issuers_alone(
    made: Made, issuer: TestIssuer, clock: FrozenClock, acme: str
) -> None:
    """What stands for all tenants on the control plane opens none on the data plane."""
    token = bearer(issuer.sign(clock.now(), roles=["operator"]))
    whole = bearer(issuer.sign(clock.now(), roles=["operator"], tenant="staff"))
    kept = await made(jwt_section(issuer.url)).caller_of(token)
    assert kept.tenant_id == acme
    more: dict[str, Any] = {"roles_claim": "roles", "all_tenants": "staff"}
    for planes, expected in ((["control"], "unauthenticated"), (["data", "control"], "in")):
        ways = made(jwt_section(issuer.url, planes=planes, **more))
        assert await refusal(ways.caller_of(token)) == expected
        assert await refusal(ways.caller_of(whole)) == "unauthenticated"


async def test_beside_a_certificate_the_stores_credential_is_no_wrong_key(
    made: Made, acme: str
) -> None:
    """What is passed on says nothing here; a wrong key of ours is still refused."""
    ways = made(
        "listen: {tls: {certificate: c, key: k, client_ca: a}}\n"
        "identity: {certificates: [{name: 'cn:agent', tenant: acme}]}\n"
    )
    passing = made(
        "listen: {tls: {certificate: c, key: k, client_ca: a}}\n"
        "identity: {certificates: [{name: 'cn:agent', tenant: acme}]}\n",
        more=", credential: {env: KEY}, passthrough: authorization",
    )
    shown = {"subject": ((("commonName", "agent"),),)}
    theirs, wrong = ("Authorization", "Token m0-of-the-client"), ("X-API-Key", "wrong")
    assert (await passing.caller_of(call(theirs, certificate=shown))).tenant_id == acme
    assert await refusal(passing.caller_of(call(theirs, wrong, certificate=shown))) == (
        "unauthenticated"
    )
    assert await refusal(ways.caller_of(call(theirs, certificate=shown))) == "unauthenticated"
