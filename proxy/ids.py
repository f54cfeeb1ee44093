"""Time-ordered, opaque identifiers of our own rows, and the types that keep them apart."""

import os
import time
from typing import NewType

TenantId = NewType("TenantId", str)
OwnerId = NewType("OwnerId", str)
MemoryId = NewType("MemoryId", str)
EntityId = NewType("EntityId", str)
ErasureId = NewType("ErasureId", str)

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = [one + other for one in _ALPHABET for other in _ALPHABET]
_latest = [0]


def new(prefix: str) -> str:
    """Return ``<prefix>_<26 characters>``: 48 bits of milliseconds, 80 random bits (as ULID).

    Ids that a process makes within one millisecond are in the order in which it made them, each a
    random step behind the one before: the log is read in the order of its ids.
    """
    now = time.time_ns() // 1_000_000
    if now == _latest[0] >> 80:
        number = _latest[0] + 1 + int.from_bytes(os.urandom(5))
    else:
        number = now << 80 | int.from_bytes(os.urandom(10)) >> 1
    _latest[0] = number
    return _written(prefix, number)


def aged(prefix: str, milliseconds: int) -> str:
    """The least id that could have been made so many milliseconds ago."""
    return _written(prefix, (time.time_ns() // 1_000_000 - milliseconds) << 80)


def _written(prefix: str, number: int) -> str:
    pairs = [_PAIRS[(number >> shift) & 1023] for shift in range(120, -1, -10)]
    return f"{prefix}_{''.join(pairs)}"
