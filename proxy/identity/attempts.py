"""Failed attempts: who guesses credentials is slowed down, on each plane."""

from proxy.problems import Problem
from proxy.throttle import Throttle


def count_refused(throttle: Throttle, peer: str, *, allowed: int, now: float) -> None:
    """Count a refused credential of an address; behind too many of them a valid one still passes.

    Raises:
        Problem: ``rate-limited``, where there were too many within a minute.
    """
    key = ("failed", peer)
    if throttle.empty(key, per_minute=allowed, now=now):
        raise Problem("rate-limited", "Too many refused credentials.", retry_after=60) from None
    throttle.take(key, per_minute=allowed, now=now)
