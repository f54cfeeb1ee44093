"""An issuer of tokens for tests: real keys, a real key set over HTTP on loopback."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from aiohttp import web
from joserfc import jws, jwt
from joserfc.jwk import ECKey, Key, OctKey, OKPKey, RSAKey

ISSUER = "https://login.example.org"
ALGORITHMS = ("RS256", "RS512", "PS256", "ES256", "EdDSA", "Ed25519", "HS256", "none")


def new_key(algorithm: str, kid: str | None) -> Key:
    """A private key for an algorithm."""
    parameters: Any = {} if kid is None else {"kid": kid}
    if algorithm.startswith(("RS", "PS")):
        return RSAKey.generate_key(2048, parameters)
    if algorithm.startswith("ES"):
        return ECKey.generate_key("P-256", parameters)
    if algorithm.startswith("Ed"):
        return OKPKey.generate_key("Ed25519", parameters)
    return OctKey.generate_key(256, parameters)


@dataclass
class TestIssuer:
    """Signs tokens and publishes keys; counts who asks."""

    __test__ = False
    keys: list[Key] = field(default_factory=list)
    url: str = ""
    asked: int = 0
    status: int = 200
    raw: bytes | None = None

    def published(self) -> dict[str, Any]:
        """The public key set."""
        return {"keys": [key.as_dict(private=False) for key in self.keys]}

    def sign(
        self,
        now: datetime,
        *,
        key: Key | None = None,
        algorithm: str = "RS256",
        header: dict[str, Any] | None = None,
        without: tuple[str, ...] = (),
        **claims: Any,
    ) -> str:
        """A token that is good for a minute, but for what is said otherwise."""
        at = int(now.timestamp())
        said = {"iss": ISSUER, "aud": "expunge", "iat": at, "exp": at + 60, "sub": "agent-1",
                "tenant": "acme", **claims}  # fmt: skip
        signer = key or self.keys[0]
        head = {"alg": algorithm, "kid": signer.kid, **(header or {})}
        body = {name: value for name, value in said.items() if name not in without}
        registry = jws.JWSRegistry(algorithms=list(ALGORITHMS), strict_check_header=False)
        return jwt.encode({k: v for k, v in head.items() if v is not None}, body, signer,
                          registry=registry)  # fmt: skip


@asynccontextmanager
async def serving(issuer: TestIssuer) -> AsyncIterator[TestIssuer]:
    """Publish the issuer's keys on loopback."""

    async def keys(_: web.Request) -> web.Response:
        issuer.asked += 1
        if issuer.raw is not None:
            return web.Response(body=issuer.raw, status=issuer.status)
        return web.json_response(issuer.published(), status=issuer.status)

    app = web.Application()
    app.router.add_get("/keys", keys)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    issuer.url = f"http://127.0.0.1:{runner.addresses[0][1]}/keys"
    try:
        yield issuer
    finally:
        await runner.cleanup()
