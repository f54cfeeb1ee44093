"""Key provider ``env``: key versions in an environment variable, set by the operator."""

from collections.abc import Callable, Sequence

from proxy.keys import aead
from proxy.keys.errors import KekUnavailable
from proxy.keys.file import Versions, open_with, parse_key
from proxy.keys.kek import Trim, Wrapped


class EnvKek:
    """Keys as ``1:base64,2:base64``, or one key in base64, which is version 1; the highest wraps.

    The variable cannot be changed from here: to rotate, the operator adds a version, and to
    destroy, takes the older ones out once a rotation has moved everything. Until then a probe
    still opens the old epoch, and it does not count as destroyed.

    Args:
        value: gives the variable's value, on each use.
    """

    provider = "env"

    def __init__(self, value: Callable[[], str]) -> None:
        self._value = value

    async def wrap(self, plaintext: bytes, aad: bytes) -> Wrapped:
        versions = self._versions()
        newest = max(versions)
        return Wrapped(str(newest), aead.seal(versions[newest], plaintext, aad))

    async def unwrap(self, wrapped: Wrapped, aad: bytes) -> bytes:
        return open_with(self._versions(), wrapped, aad)

    async def rotate(self) -> str:
        return str(max(self._versions()))

    async def trim(self, keep: str, older: Sequence[str]) -> Trim:
        return Trim("local-kek")

    async def close(self) -> None:
        return None

    def _versions(self) -> Versions:
        parts = [part.strip() for part in self._value().split(",") if part.strip()]
        pairs = [part.rpartition(":") for part in parts]
        if not pairs or not all((number or "1").isdecimal() for number, _, _ in pairs):
            raise KekUnavailable("the key variable is not set as number:key")
        return {int(number or 1): parse_key(key) for number, _, key in pairs}
