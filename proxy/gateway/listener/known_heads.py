"""Heads of requests that came a moment ago, as they were read then."""

import asyncio

from proxy.gateway.listener.incoming import Head

SECONDS = 1.0  # after which nothing is kept: heads hold credentials
MOST = 512
LONGEST = 4 * 1024  # bytes of a head that is kept


class KnownHeads:
    """What heads say, by their bytes, of all connections of a listener."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._known: dict[bytes, Head] = {}

    def find(self, raw: bytes) -> Head | None:
        """What a head says, if it came before; ``raw`` ends with its empty line."""
        return self._known.get(raw)

    def keep(self, raw: bytes, head: Head) -> None:
        """Know what was read, for the rest of this second."""
        if len(raw) > LONGEST or len(self._known) >= MOST:
            return
        if not self._known:
            self._loop.call_later(SECONDS, self._known.clear)
        self._known[raw] = head
