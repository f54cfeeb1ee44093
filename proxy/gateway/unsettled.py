"""Texts of the writes that the store finishes later, until they are settled: in memory alone."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence

WRITES = 1000
CHARACTERS = 4_000_000


class Unsettled:
    """What each open write said, as the store got it; the oldest go where there are too many.

    Args:
        most: characters of all of them together.
    """

    def __init__(self, most: int = CHARACTERS) -> None:
        self._texts: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._most = most
        self._length = 0

    def hold(self, write_id: str, texts: Sequence[str]) -> None:
        """Hold the texts of a write, in the order of its plan's parts."""
        self.drop([write_id])
        self._texts[write_id] = tuple(texts)
        self._length += sum(map(len, texts))
        while self._length > self._most or len(self._texts) > WRITES:
            self.drop([next(iter(self._texts))])

    def of(self, write_id: str) -> tuple[str, ...]:
        """What the write said; empty if that is not held here."""
        return self._texts.get(write_id, ())

    @property
    def writes(self) -> list[str]:
        """Ids of the writes whose texts are held."""
        return list(self._texts)

    def drop(self, write_ids: Iterable[str]) -> None:
        """Hold these no longer."""
        for each in write_ids:
            self._length -= sum(map(len, self._texts.pop(each, ())))
