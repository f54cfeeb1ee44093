"""Which ids of a long list were met already, in some twenty bytes for each."""

import os
from array import array
from hashlib import blake2b

_FIRST = 1024  # places; a power of two


class Seen:
    """A set that only grows and cannot be read: it keeps 64 bits of a keyed digest of each id.

    The key is new for every set: nobody can make two ids that look alike to it, and among a
    million the chance that any two do is below one in ten million.
    """

    def __init__(self) -> None:
        self._key, self._places, self._size = os.urandom(16), _empty(_FIRST), 0

    def __len__(self) -> int:
        return self._size

    def add(self, name: str) -> bool:
        """Take in an id; whether it is new."""
        digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, key=self._key)
        mark = int.from_bytes(digest.digest()) or 1
        place = self._place(mark)
        if self._places[place]:
            return False
        self._places[place] = mark
        self._size += 1
        if 4 * self._size > 3 * len(self._places):
            self._grow()
        return True

    def _place(self, mark: int) -> int:
        """Where a mark is, or would be."""
        places, last = self._places, len(self._places) - 1
        at = mark & last
        while places[at] not in (0, mark):
            at = (at + 1) & last
        return at

    def _grow(self) -> None:
        marks, self._places = self._places, _empty(2 * len(self._places))
        for mark in filter(None, marks):
            self._places[self._place(mark)] = mark


def _empty(size: int) -> "array[int]":
    return array("Q", bytes(8 * size))
