"""Limits: sizes, times, rates; each with a default and a name."""

from collections import OrderedDict
from dataclasses import dataclass, field

from proxy.gateway.wire.decoding_limits import DecodeLimits
from proxy.problems import Problem

TRACKED = 10_000
REPLY = DecodeLimits(size=64 * 1024 * 1024, ratio=1000)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may take.

    Args:
        body: packed bytes of a request's body.
        values: values of a request's body: members, elements and what holds them.
        text: characters that are scanned at once: all texts of a request, or one of an answer.
        decode: limits of unpacking a request.
        decode_reply: limits of unpacking an answer.
        body_seconds: how long a client may take to send its body.
        headers: number of header lines.
        line: bytes of the request line and of one header.
        concurrent: requests at once.
        concurrent_of_tenant: requests of one tenant at once.
        connections: clients connected at once.
        idle_seconds: how long a connection may be without a whole head of a request.
        failed_attempts: refused credentials of one address per minute.
    """

    body: int = 4 * 1024 * 1024
    values: int = 50_000
    text: int = 200_000
    decode: DecodeLimits = field(default_factory=DecodeLimits)
    decode_reply: DecodeLimits = REPLY
    body_seconds: float = 30.0
    headers: int = 100
    line: int = 16 * 1024
    concurrent: int = 1000
    concurrent_of_tenant: int = 500
    connections: int = 10_000
    idle_seconds: float = 75.0
    failed_attempts: int = 30


class Throttle:
    """Token buckets by key; the oldest are dropped when there are too many."""

    def __init__(self) -> None:
        self._buckets: OrderedDict[tuple[str, ...], tuple[float, float]] = OrderedDict()

    def take(self, key: tuple[str, ...], *, per_minute: int, now: float, cost: float = 1) -> None:
        """Take from a bucket that holds ``per_minute`` and refills evenly.

        Raises:
            Problem: ``rate-limited`` with the seconds after which it has enough again.
        """
        level, since = self._level(key, per_minute, now)
        if level < cost:
            wait = int((cost - level) * 60 / per_minute) + 1
            raise Problem("rate-limited", "Too many requests.", retry_after=wait)
        self._buckets[key] = (level - cost, since)
        self._buckets.move_to_end(key)
        if len(self._buckets) > TRACKED:
            self._buckets.popitem(last=False)

    def empty(self, key: tuple[str, ...], *, per_minute: int, now: float) -> bool:
        """Whether nothing is left in a bucket."""
        return self._level(key, per_minute, now)[0] < 1

    def _level(self, key: tuple[str, ...], per_minute: int, now: float) -> tuple[float, float]:
        level, since = self._buckets.get(key, (float(per_minute), now))
        return min(float(per_minute), level + (now - since) * per_minute / 60), now
