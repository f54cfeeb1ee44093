"""Look-ups in a thread of their own, in turns: nobody waits for all of a long call."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from weakref import WeakKeyDictionary

SHORT = 128  # characters: looked through before a thread would have answered
PIECE = 4_000  # characters looked through in one turn; a longer text has one turn of its own
_THREAD = ThreadPoolExecutor(1, thread_name_prefix="look-ups")  # more would fight for the GIL

Found = TypeVar("Found")


class Turns:
    """Who is next: one tenant after the other, and of a tenant one call after the other."""

    def __init__(self) -> None:
        self._rows: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._taken = False

    async def take(self, tenant_id: str) -> None:
        """Wait for the next turn; whoever has it must ``give`` it."""
        if not self._taken:
            self._taken = True
            return
        mine = asyncio.get_running_loop().create_future()
        self._rows.setdefault(tenant_id, deque()).append(mine)
        try:
            await mine
        except asyncio.CancelledError:
            if not mine.cancelled():
                self.give()  # it came just as the caller went
            raise

    def give(self) -> None:
        """Pass the turn on."""
        while self._rows:
            tenant_id, row = self._rows.popitem(last=False)
            first = row.popleft()
            if row:
                self._rows[tenant_id] = row  # behind all others
            if not first.done():
                first.set_result(None)
                return
        self._taken = False


_TURNS: WeakKeyDictionary[asyncio.AbstractEventLoop, Turns] = WeakKeyDictionary()


async def in_turns(
    tenant_id: str, texts: Sequence[str], look: Callable[[list[str]], list[Found]]
) -> list[Found]:
    """What ``look`` finds in each text; between two pieces others get their turn.

    A caller that is cancelled wastes at most the piece that is looked through just then.
    """
    if sum(map(len, texts)) <= SHORT:
        return look(list(texts))
    loop = asyncio.get_running_loop()
    turns = _TURNS.setdefault(loop, Turns())
    found: list[Found] = []
    for piece in portions(texts, PIECE):
        await turns.take(tenant_id)
        try:
            found += await loop.run_in_executor(_THREAD, look, piece)
        finally:
            turns.give()
    return found


def portions(texts: Sequence[str], most: int) -> Iterator[list[str]]:
    """Texts in a row with at most so many characters together; a longer one is alone."""
    piece: list[str] = []
    length = 0
    for text in texts:
        if piece and length + len(text) > most:
            yield piece
            piece, length = [], 0
        piece.append(text)
        length += len(text)
    if piece:
        yield piece
