"""The client's own credential for the store, where the configuration has it passed on."""

from collections.abc import Callable
from typing import Any

import pytest

from proxy.clock import FrozenClock
from proxy.gateway.identity.callers import Callers, Grant, Sidecar
from proxy.gateway.identity.identify import Authenticator, offered
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from tests.support.fault_store import FaultStore, added, answer
from tests.support.gateway import Plane
from tests.unit.gateway.conftest import Opened

ADD, SEARCH = "/v3/memories/add/", "/v3/memories/search/"
BODY = {"messages": [{"role": "user", "content": "The kettle is blue."}], "user_id": "u-pc",
        "infer": False}  # fmt: skip
OWN = "Token store-key"
THEIRS = "Token m0-of-the-client"
WAYS = {"authorization": "x-api-key", "x-api-key": "authorization"}


def passing(name: str) -> Callable[..., Callers]:
    """Client keys, in the header that is left."""

    def make(keys: Authenticator, ledger: Ledger, keyring: KeyRing, clock: FrozenClock) -> Callers:
        return Callers(keys, ledger, keyring, clock, passed=name)

    return make


def sidecar(keys: Authenticator, ledger: Ledger, keyring: KeyRing, clock: FrozenClock) -> Callers:
    """One tenant for every request."""
    return Callers(keys, ledger, keyring, clock, sidecar=Sidecar(Grant("acme")),
                   passed="authorization")  # fmt: skip


def both(plane: Plane, passed: str, theirs: str = THEIRS) -> dict[str, str]:
    """Expunge's key in one header, the store's in the other."""
    return {WAYS[passed]: f"Bearer {plane.keys['acme']}" if passed == "x-api-key"
            else plane.keys["acme"], passed: theirs}  # fmt: skip


async def call(plane: Plane, headers: dict[str, str], path: str = ADD) -> tuple[int, Any]:
    """A write, or a search, with these headers."""
    body = BODY if path == ADD else {"query": "kettle", "filters": {"user_id": "u-pc"}}
    return await plane.call("POST", path, body, tenant=None, headers=headers)


@pytest.mark.parametrize("transport", ["httptools", "aiohttp"])
@pytest.mark.parametrize("passed", WAYS)
async def test_the_store_gets_the_clients_and_never_ours_or_the_clients_key(
    opened_plain: Opened, faults: FaultStore, passed: str, transport: str
) -> None:
    """Byte for byte as it was sent; reads and writes alike."""
    way = {"ways": passing(passed), "passthrough": passed, "transport": transport}
    async with opened_plain(**way) as plane:
        faults.script = lambda request: (
            added() if request.target.startswith(ADD) else answer({"results": []})
        )
        for path in (ADD, SEARCH, SEARCH):
            assert (await call(plane, both(plane, passed), path))[0] == 200
        assert len(faults.requests) == 3
        for request in faults.requests:
            assert request.values(passed) == [THEIRS]
            assert request.values(WAYS[passed]) == []
            told = str(request.headers)
            assert plane.keys["acme"] not in told
            assert "store-key" not in told


async def test_without_the_setting_the_store_gets_ours_alone(
    opened_plain: Opened, faults: FaultStore
) -> None:
    """The negative twin: the client's credential ends here."""
    async with opened_plain() as plane:
        faults.script = lambda _: added()
        assert (await call(plane, {"Authorization": f"Token {plane.keys['acme']}"}))[0] == 200
        (request,) = faults.requests
        assert (request.values("authorization"), request.values("x-api-key")) == ([OWN], [])


@pytest.mark.parametrize(
    "theirs", [{}, {"authorization": ""}, {"authorization": "  "}], ids=["none", "empty", "blank"]
)
async def test_ours_is_never_sent_in_its_place(
    opened_plain: Opened, faults: FaultStore, theirs: dict[str, str]
) -> None:
    """Without one of its own a client is told to send it; the store hears nothing."""
    way = {"ways": passing("authorization"), "passthrough": "authorization"}
    async with opened_plain(**way) as plane:
        status, problem = await call(plane, {"x-api-key": plane.keys["acme"], **theirs})
        assert (status, problem["upstream"]) == (401, "not_sent")
        told = "The store wants one credential of the client's own, in authorization."
        assert problem["detail"] == told
        assert faults.requests == []


async def test_a_credential_for_the_store_opens_nothing_here(
    opened_plain: Opened, faults: FaultStore
) -> None:
    """Not even if it is Expunge's own key: the header says for whom it is."""
    way = {"ways": passing("authorization"), "passthrough": "authorization"}
    async with opened_plain(**way) as plane:
        key = plane.keys["acme"]
        for headers in ({"authorization": f"Token {key}"}, {"authorization": THEIRS},
                        {"authorization": f"Token {key}", "x-api-key": "wrong"}):  # fmt: skip
            status, problem = await call(plane, headers)
            assert (status, problem["detail"]) == (
                401, "The request carries no valid client key.",
            )  # fmt: skip
        assert faults.requests == []


async def test_a_sidecars_agent_needs_nothing_but_the_stores(
    opened_plain: Opened, faults: FaultStore
) -> None:
    """An unchanged client with the store's own key."""
    async with opened_plain(ways=sidecar, passthrough="authorization") as plane:
        faults.script = lambda _: added()
        assert (await call(plane, {"authorization": THEIRS}))[0] == 200
        (request,) = faults.requests
        assert request.values("authorization") == [THEIRS]


@pytest.mark.parametrize(("status", "slug"), [(401, "unauthenticated"), (403, "forbidden")])
async def test_that_the_store_refuses_it_is_told_as_such(
    opened_plain: Opened, faults: FaultStore, status: int, slug: str
) -> None:
    """It is the client's to mend, and no word of the store's is shown."""
    way = {"ways": passing("authorization"), "passthrough": "authorization"}
    async with opened_plain(**way) as plane:
        faults.script = lambda _: answer({"detail": "no key m0-of-the-client"}, status)
        got, problem = await call(plane, both(plane, "authorization"))
        assert (got, problem["type"]) == (status, f"urn:expunge:problem:{slug}")
        assert problem["detail"] == "The store refused the client's own credential."
        assert "m0-of-the-client" not in str(problem)


async def test_an_erasure_has_a_credential_of_its_own(
    opened_plain: Opened, faults: FaultStore, capfd: pytest.CaptureFixture[str]
) -> None:
    """A client's delete is one: the store hears ours; the client's is in no log."""
    way = {"ways": passing("authorization"), "passthrough": "authorization"}
    async with opened_plain(**way) as plane:
        memory_id = "44444444-2222-4222-8222-222222222222"
        faults.script = lambda _: added(memory_id)
        headers = both(plane, "authorization")
        assert (await call(plane, headers))[0] == 200
        faults.requests.clear()
        faults.script = lambda _: answer({"message": "ok"})
        path = f"/v1/memories/{memory_id}/"
        await plane.call("DELETE", path, tenant=None, headers=headers)
        assert faults.requests
        assert {v for each in faults.requests for v in each.values("authorization")} == {OWN}
        printed = capfd.readouterr()
        assert "m0-of-the-client" not in printed.out + printed.err


@pytest.mark.parametrize(
    ("headers", "passed", "expected"),
    [
        ((("Authorization", "Token a"), ("X-API-Key", "b")), None, ""),
        ((("Authorization", "Token a"), ("X-API-Key", "b")), "authorization", "b"),
        ((("Authorization", "Token a"), ("X-API-Key", "b")), "x-api-key", "a"),
        ((("AUTHORIZATION", "Token a"),), "authorization", ""),
        ((("X-API-Key", "b"), ("x-api-key", "c")), "authorization", ""),
    ],
)
def test_what_is_passed_on_says_nothing_here(
    headers: tuple[tuple[str, str], ...], passed: str | None, expected: str
) -> None:
    """Of the two headers the other one is ours."""
    assert offered(headers, passed) == expected
