"""The body of one request while it arrives: kept until it is taken, never more than a little."""

import asyncio
from collections.abc import AsyncIterator, Callable

HELD = 64 * 1024  # bytes that may wait to be taken; beyond them the client waits


class Body:
    """What has arrived of a body.

    Args:
        relieved: told when what waited, and was too much, is taken.
    """

    __slots__ = ("_dropped", "_failure", "_held", "_relieved", "_waiter", "arrived")

    def __init__(self, relieved: Callable[[], None]) -> None:
        self._relieved = relieved
        self._held: bytes | bytearray = b""
        self._waiter: asyncio.Future[None] | None = None
        self._failure: Exception | None = None
        self._dropped = False
        self.arrived = False

    @property
    def full(self) -> bool:
        """Whether the client should wait."""
        return len(self._held) > HELD

    def add(self, piece: bytes) -> None:
        """Keep a piece."""
        if self._dropped:
            return
        if not self._held:
            self._held = piece
        elif isinstance(self._held, bytearray):
            self._held += piece
        else:
            self._held = bytearray(self._held) + piece
        self._wake()

    def end(self) -> None:
        """All of it is here."""
        self.arrived = True
        self._wake()

    def fail(self, failure: Exception) -> None:
        """No more of it comes, and whoever waits for it hears why."""
        if not self.arrived:
            self._failure = failure
            self._wake()

    def taken(self) -> bytes:
        """What is here and was not taken before."""
        held, full = self._held, self.full
        self._held = b""
        if full:
            self._relieved()
        return bytes(held)

    async def pieces(self) -> AsyncIterator[bytes]:
        """What is here and what comes; raises what it failed with."""
        while True:
            if self._held:
                yield self.taken()
            elif self.arrived:
                return
            elif self._failure is not None:
                raise self._failure
            else:
                await self._more()

    async def drop(self, seconds: float) -> None:
        """Throw away what is here and what comes, for so long."""
        self._dropped = True
        self.taken()
        try:
            async with asyncio.timeout(seconds):
                while not self.arrived and self._failure is None:
                    await self._more()
        except TimeoutError:
            pass

    async def _more(self) -> None:
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
