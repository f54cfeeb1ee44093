"""Places for so many at once, which cost nothing to speak of while one is free."""

import asyncio
from collections import deque


class Places:
    """So many at once; who comes when all are taken gets the next that is given back.

    What ``asyncio.Semaphore`` does, without its three calls for whoever need not wait.
    """

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: deque[asyncio.Future[None]] = deque()

    def take(self) -> bool:
        """Take a place, if one is free."""
        if self._free == 0:
            return False
        self._free -= 1
        return True

    async def wait(self) -> None:
        """Take the next place that is given back."""
        mine = asyncio.get_running_loop().create_future()
        self._waiting.append(mine)
        try:
            await mine
        except asyncio.CancelledError:
            if not mine.cancelled():  # it was given, and nobody comes for it
                self.give()
            raise

    def give(self) -> None:
        """Give a place back."""
        while self._waiting:
            first = self._waiting.popleft()
            if not first.done():
                first.set_result(None)
                return
        self._free += 1
