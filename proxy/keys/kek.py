"""What a key provider must do: hold a key outside the database, in destroyable versions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

Assurance = Literal["local-kek", "external-kek-trimmed", "external-kek-pending"]


@dataclass(frozen=True, slots=True)
class Wrapped:
    """Bytes that only the provider's key version ``key_ref`` opens."""

    key_ref: str
    blob: bytes


@dataclass(frozen=True, slots=True)
class Trim:
    """How well older versions are gone; ``final_at`` if the provider only schedules it."""

    assurance: Assurance
    final_at: datetime | None = None


class Kek(Protocol):
    """A key-encryption key at a provider. All methods raise ``KekUnavailable`` when it is away."""

    provider: str

    async def wrap(self, plaintext: bytes, aad: bytes) -> Wrapped:
        """Wrap under the current version."""
        ...

    async def unwrap(self, wrapped: Wrapped, aad: bytes) -> bytes:
        """Open; raises ``KekRefused`` if the version is gone or ``aad`` differs."""
        ...

    async def rotate(self) -> str:
        """Make a new current version and return its name."""
        ...

    async def trim(self, keep: str, older: Sequence[str]) -> Trim:
        """Destroy the versions ``older`` than ``keep``, as far as this provider can."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...
