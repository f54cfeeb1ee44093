"""How much a packed body may unpack to."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DecodeLimits:
    """Bytes of a decoded body at most, and how many times its packed size.

    Args:
        size: unpacked bytes.
        ratio: unpacked bytes for each packed one.
        free: up to this many unpacked bytes the ratio does not matter.
    """

    size: int = 8 * 1024 * 1024
    ratio: int = 200
    free: int = 64 * 1024
