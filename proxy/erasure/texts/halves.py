"""A name whose halves stand at the end of one stored message and at the beginning of the next."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from proxy.upstreams.layers.base import Entry, Owners

WORDS = 5

Judge = Callable[[Sequence[str]], Awaitable[list[bool]]]


@dataclass(slots=True)
class Conversations:
    """The message of each conversation that was read last, by the owners it is kept under."""

    last: dict[Owners, Entry] = field(default_factory=dict)

    def neighbours(self, page: Sequence[Entry]) -> list[tuple[Entry, Entry]]:
        """Messages right behind each other; a version of a memory is none."""
        found = []
        for entry in page:
            if entry.memory_id is None and entry.owners:
                if entry.owners in self.last:
                    found.append((self.last[entry.owners], entry))
                self.last[entry.owners] = entry
        return found


async def in_halves(
    conversations: Conversations, page: Sequence[Entry], judge: Judge
) -> list[Entry]:
    """Messages that only together with their neighbour name whom ``judge`` looks for.

    Args:
        judge: which texts certainly name whom is forgotten.
    """
    pairs = conversations.neighbours(page)
    ends = [(_words(first)[-WORDS:], _words(second)[:WORDS]) for first, second in pairs]
    apart = await judge([" ".join(words) for end in ends for words in end])
    together = await judge([" ".join([*end, *begin]) for end, begin in ends])
    alone = zip(apart[::2], apart[1::2], strict=True)
    split = [both and not any(each) for both, each in zip(together, alone, strict=True)]
    return [entry for pair, named in zip(pairs, split, strict=True) if named for entry in pair]


def _words(entry: Entry) -> list[str]:
    return entry.texts.get(entry.main, "").split()
