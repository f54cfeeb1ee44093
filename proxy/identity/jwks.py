"""The public keys of a token issuer: kept for a while, read again for a key that is not known."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import aiohttp
import orjson
from joserfc.errors import JoseError
from joserfc.jwk import JWKRegistry, Key, RSAKey
from joserfc.jws import JWSRegistry

from proxy.background import spawn
from proxy.clock import Clock
from proxy.problems import Problem
from proxy.telemetry import get_logger

Fetch = Callable[[], Awaitable[bytes]]
UNKNOWN_EVERY = 30.0  # seconds between two reads for key ids that are not known
FIRST_EVERY = 5.0  # the same while no keys are held
LONGEST = 86_400.0  # seconds for which keys are good although the issuer cannot be reached
LARGEST = 256 * 1024
_SECONDS = 5.0
_SMALLEST_RSA = 2048
_TYPES = frozenset({"RSA", "EC", "OKP"})  # never "oct": a shared secret is not a public key
_CURVES = {"EdDSA": ("Ed25519", "Ed448")}  # of the algorithm whose name does not tell
_log = get_logger("identity")


class JwksUnavailable(Exception):
    """The keys could not be read."""


def from_file(path: Path) -> Fetch:
    """Read a key set from a file."""

    async def fetch() -> bytes:
        try:
            return await asyncio.to_thread(path.read_bytes)
        except OSError:
            raise JwksUnavailable from None

    return fetch


def from_url(url: str, ca: Path | None = None) -> Fetch:
    """Read a key set over HTTPS: without proxies of the environment, redirects or cookies."""
    context = ssl.create_default_context(cafile=None if ca is None else str(ca))

    async def fetch() -> bytes:
        try:
            async with (
                aiohttp.ClientSession(
                    trust_env=False, timeout=aiohttp.ClientTimeout(total=_SECONDS)
                ) as session,
                session.get(url, ssl=context, allow_redirects=False) as reply,
            ):
                if reply.status != 200:
                    raise JwksUnavailable
                body = await reply.content.read(LARGEST + 1)
                while len(body) <= LARGEST and (more := await reply.content.read(LARGEST)):
                    body += more
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError):
            raise JwksUnavailable from None
        return body

    return fetch


def read(raw: bytes) -> list[tuple[str | None, Key]]:
    """The usable keys of a JWK set (RFC 7517), each with its id if it has one.

    Raises:
        JwksUnavailable: it is no key set, or holds no usable key.
    """
    try:
        entries = orjson.loads(raw)["keys"] if len(raw) <= LARGEST else []
        found = [(_id_of(one), _key(one)) for one in entries if _for_signatures(one)]
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        raise JwksUnavailable from None
    usable = [(kid, key) for kid, key in found if key is not None]
    if not usable:
        raise JwksUnavailable
    return usable


def _id_of(entry: Mapping[str, object]) -> str | None:
    return str(entry["kid"]) if entry.get("kid") else None


def _for_signatures(entry: Mapping[str, object]) -> bool:
    return entry.get("kty") in _TYPES and entry.get("use", "sig") == "sig"


def _key(entry: dict[str, object]) -> Key | None:
    try:
        key: Key = JWKRegistry.import_key(entry)  # type: ignore[arg-type]
    except (JoseError, ValueError, TypeError):
        return None
    if isinstance(key, RSAKey) and key.public_key.key_size < _SMALLEST_RSA:
        return None
    return key


def _fits(key: Key, algorithm: str) -> bool:
    """Whether a key is for an algorithm: by its type, its curve and what its ``alg`` says."""
    known = JWSRegistry.algorithms.get(algorithm)
    if known is None or known.key_type != key.key_type:
        return False
    curves = _CURVES.get(algorithm, (getattr(known, "curve", None),))
    return key.get("alg") in (None, algorithm) and key.get("crv") in curves


class Jwks:
    """Keys of one issuer.

    Args:
        fetch: reads the key set; raises ``JwksUnavailable``.
        refresh: age in seconds at which the set is read again, beside the requests.
    """

    def __init__(self, fetch: Fetch, clock: Clock, refresh: float) -> None:
        self._fetch, self._clock, self._refresh = fetch, clock, refresh
        self._keys: list[tuple[str | None, Key]] = []
        self._read_at = self._tried_at = float("-inf")
        self._reading = asyncio.Lock()

    async def find(self, kid: str | None, algorithm: str) -> Key | None:
        """The key with this id, for this algorithm; without an id, the only one that fits it.

        An id is optional (RFC 7515 §4.1.4); of several keys none is tried in turn.

        Raises:
            Problem: ``identity-unavailable`` when no keys could be read, or none for a day.
        """
        age = self._clock.monotonic() - self._read_at
        if age > LONGEST:
            await self._renew(FIRST_EVERY)
        elif age > self._refresh:
            _ = spawn(self._renew(UNKNOWN_EVERY), name="jwks")
        if self._clock.monotonic() - self._read_at > LONGEST:
            raise Problem("identity-unavailable", "The keys of the token's issuer cannot be read.",
                          retry_after=int(FIRST_EVERY))  # fmt: skip
        if kid is not None and not any(name == kid for name, _ in self._keys):
            await self._renew(UNKNOWN_EVERY)
        fitting = [key for name, key in self._keys if kid in (None, name) and _fits(key, algorithm)]
        return fitting[0] if len(fitting) == 1 else None

    async def _renew(self, every: float) -> None:
        """Read the set again, unless that was tried just now; the last good one stays."""
        async with self._reading:
            now = self._clock.monotonic()
            if now - self._tried_at < every:
                return
            self._tried_at = now
            try:
                self._keys = read(await self._fetch())
            except JwksUnavailable:
                _log.warning("identity.jwks_failed")
                return
            self._read_at = now
