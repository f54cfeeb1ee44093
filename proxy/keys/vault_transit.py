"""Key provider ``vault-transit``: a key of OpenBao's or Vault's Transit engine.

``trim`` makes old versions unusable for good (``min_available_version`` cannot be lowered), which
raising ``min_decryption_version`` alone would not.
"""

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import Any

import aiohttp

from proxy.keys.errors import KekRefused, KekUnavailable
from proxy.keys.kek import Trim, Wrapped

TIMEOUT_S = 3.0
_PREFIX = "vault:v"


class TransitKek:
    """One Transit key, used by this installation only.

    Args:
        address: base URL of the server.
        token: called for each request, so that a renewed token is picked up.
        key: name of the key, type ``aes256-gcm96``; made on first use if the token may.
        mount: mount path of the Transit engine.
        namespace: Vault Enterprise or OpenBao namespace, if any.
    """

    provider = "vault-transit"

    def __init__(
        self,
        address: str,
        token: Callable[[], str],
        key: str,
        *,
        mount: str = "transit",
        namespace: str | None = None,
    ) -> None:
        self._base = f"{address.rstrip('/')}/v1/{mount}"
        self._token, self._key, self._namespace = token, key, namespace
        self._session: aiohttp.ClientSession | None = None

    async def wrap(self, plaintext: bytes, aad: bytes) -> Wrapped:
        body = {"plaintext": _encode(plaintext), "associated_data": _encode(aad)}
        data = await self._call("POST", f"encrypt/{self._key}", body)
        ciphertext = str(data["ciphertext"])
        return Wrapped(_version(ciphertext), ciphertext.encode())

    async def unwrap(self, wrapped: Wrapped, aad: bytes) -> bytes:
        body = {"ciphertext": wrapped.blob.decode(), "associated_data": _encode(aad)}
        data = await self._call("POST", f"decrypt/{self._key}", body)
        try:
            return base64.b64decode(str(data["plaintext"]), validate=True)
        except (KeyError, binascii.Error):
            raise KekUnavailable("the key server's answer cannot be read") from None

    async def rotate(self) -> str:
        await self._call("POST", f"keys/{self._key}/rotate", {})
        return str((await self._describe())["latest_version"])

    async def trim(self, keep: str, older: Sequence[str]) -> Trim:
        version = int(keep)
        limits = {"min_decryption_version": version, "min_encryption_version": version}
        await self._call("POST", f"keys/{self._key}/config", limits)
        await self._call("POST", f"keys/{self._key}/trim", {"min_available_version": version})
        if int((await self._describe()).get("min_available_version", 0)) < version:
            raise KekUnavailable("the key server did not trim the key")
        return Trim("external-kek-trimmed")

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _describe(self) -> dict[str, Any]:
        return await self._call("GET", f"keys/{self._key}", None)

    async def _call(self, method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        try:
            async with self._client().request(
                method, f"{self._base}/{path}", json=body, headers=self._headers()
            ) as reply:
                answer = await reply.json(content_type=None) if reply.status != 204 else {}
        except (aiohttp.ClientError, TimeoutError, ValueError, OSError):
            raise KekUnavailable("the key server cannot be reached") from None
        return _data(reply.status, answer)

    def _client(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(TIMEOUT_S))
        return self._session

    def _headers(self) -> dict[str, str]:
        headers = {"X-Vault-Token": self._token(), "X-Vault-Request": "true"}
        return headers | ({"X-Vault-Namespace": self._namespace} if self._namespace else {})


def _data(status: int, answer: Any) -> dict[str, Any]:
    """The answer's data; 400 and 404 are refusals, anything else means that nothing is known."""
    if status in (400, 404):
        raise KekRefused("the key server refuses")
    if status not in (200, 204) or not isinstance(answer, dict):
        raise KekUnavailable("the key server does not answer properly")
    data = answer.get("data")
    return data if isinstance(data, dict) else {}


def _version(ciphertext: str) -> str:
    version, _, rest = ciphertext.removeprefix(_PREFIX).partition(":")
    if not ciphertext.startswith(_PREFIX) or not version.isdecimal() or not rest:
        raise KekUnavailable("the key server's answer cannot be read")
    return version


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode()
