"""Tokens through the whole data plane: as Mem0's clients send keys, limited when they are wrong."""

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from proxy.clock import FrozenClock
from proxy.gateway.identity.callers import Callers
from proxy.gateway.identity.identify import Authenticator
from proxy.gateway.wire.limits import Limits
from proxy.identity.bearer import Bearer, Issuer
from proxy.identity.jwks import Jwks
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from tests.support.gateway import Plane
from tests.support.issuer import ISSUER, TestIssuer, new_key

LIST = "/v3/memories/"
MINE = {"filters": {"user_id": "u-1"}}
Opened = Callable[..., AbstractAsyncContextManager[Plane]]


def by_tokens(issuer: TestIssuer) -> Callable[..., Callers]:
    """Ways in with the issuer's tokens beside client keys."""

    async def fetch() -> bytes:
        return json.dumps(issuer.published()).encode()

    def make(keys: Authenticator, ledger: Ledger, keyring: KeyRing, clock: FrozenClock) -> Callers:
        one = Issuer(ISSUER, ("expunge",), ("RS256",), Jwks(fetch, clock, 600.0))
        return Callers(keys, ledger, keyring, clock, bearer=Bearer([one], clock))

    return make


async def test_a_token_reads_and_writes_as_its_tenant(opened: Opened) -> None:
    """In each header that a client may use; the other tenant's token sees nothing of it."""
    issuer = TestIssuer([new_key("RS256", "k1")])
    async with opened(ways=by_tokens(issuer)) as plane:
        token = issuer.sign(plane.clock.now())
        foreign = issuer.sign(plane.clock.now(), tenant="globex")
        body = {"messages": [{"role": "user", "content": "A pond."}], "user_id": "u-1",
                "infer": False}  # fmt: skip
        sent: list[dict[str, str]] = [
            {"Authorization": f"Token {token}"}, {"Authorization": f"Bearer {token}"},
            {"X-API-Key": token},
        ]  # fmt: skip
        for headers in sent:
            written = await plane.call(
                "POST", "/v3/memories/add/", body, tenant=None, headers=headers
            )
            assert written[0] == 200
        _, mine = await plane.call("POST", LIST, MINE, tenant=None, headers=sent[0])
        assert len(mine["results"]) == 3
        _, theirs = await plane.call(
            "POST", LIST, MINE, tenant=None, headers={"X-API-Key": foreign}
        )
        assert theirs["results"] == []


async def test_wrong_tokens_are_limited_and_right_ones_pass(opened_plain: Opened) -> None:
    """After the allowed number 429; a valid token and a valid key from there are served."""
    issuer = TestIssuer([new_key("RS256", "k1")])
    limits = Limits(failed_attempts=5)
    async with opened_plain(ways=by_tokens(issuer), limits=limits) as plane:
        wrong = {"X-API-Key": issuer.sign(plane.clock.now(), aud="other")}
        call: tuple[str, str, Any] = ("POST", LIST, MINE)
        got = [(await plane.call(*call, tenant=None, headers=wrong))[0] for _ in range(8)]
        assert got == [401] * 5 + [429] * 3
        right = {"X-API-Key": issuer.sign(plane.clock.now())}
        assert (await plane.call(*call, tenant=None, headers=right))[0] == 200
        assert (await plane.call(*call))[0] == 200
