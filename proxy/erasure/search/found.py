"""What an erasure finds: a memory that it looks at, and all of them together."""

from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from proxy import ids
from proxy.erasure.texts.mentions import Span
from proxy.erasure.texts.telling import Telling
from proxy.ledger.memories import PRESENT, Memory
from proxy.upstreams.store import Item

Scope = tuple[str, str, str]  # store, kind of owner, the store's id of it
PERSONAL = frozenset({"user", "run"})


@dataclass(slots=True)
class Found:
    """One memory of a store that the erasure looks at."""

    upstream: str
    memory_id: str
    ref: bytes
    row: Memory | None = None
    item: Item | None = None
    text: str = ""  # with tokens restored, metadata included
    spans: list[Span] = field(default_factory=list)
    direct: bool = False
    near: bool = False
    alike: bool = False  # says in other words what an erased one says
    others: bool = False  # whoever bears one of the names in it bears another name beside it
    word: bool = False  # the names in it are words or places there
    unsure: bool = False  # whom a name in it means cannot be told, or what it says at all
    bare: bool = False  # it only bears a first or family name, which anybody may be called
    former: bool = False  # it names nobody any more, but an older version of it did
    called: tuple[str, ...] = ()  # short names that mean whom is forgotten under its owner
    strange: bool = False  # the ledger had never heard of it
    telling: Telling | None = None  # what of it is to be kept, where anything is
    key: str = field(init=False)  # unique within an erasure

    def __post_init__(self) -> None:
        self.key = key_of(self.upstream, self.ref)

    @property
    def place(self) -> tuple[Any, ...]:
        """Its store and all its owners: who shares it may have said both."""
        owners = sorted(self.item.owners.items()) if self.item else []
        return (self.upstream, *owners)

    @property
    def scopes(self) -> list[Scope]:
        """Whose words it is among: a user's, a run's; an agent's only where it is nobody else's."""
        owners = sorted(self.item.owners.items()) if self.item else []
        personal = [pair for pair in owners if pair[0] in PERSONAL]
        return [(self.upstream, *pair) for pair in personal or owners]


def key_of(upstream: str, ref: bytes) -> str:
    """What a memory is called within an erasure."""
    return f"{upstream}/{ref.hex()}"


ROW_ID = len(ids.aged("mem", 0))  # letters of one


class RowIds:
    """Row ids of memories in the bytes of their letters, to be struck out one by one.

    Args:
        given: all of them; a set of strings would take five times as much.
    """

    def __init__(self, given: Collection[str] = ()) -> None:
        self._letters = "".join(sorted(given)).encode()
        self._left = bytearray(b"\1" * len(given))

    def __iter__(self) -> Iterator[str]:
        return (self._at(n).decode() for n in range(len(self._left)) if self._left[n])

    def strike(self, row_id: str) -> bool:
        """Take one out; whether it was in."""
        at = self._found(row_id)
        if at is None:
            return False
        self._left[at] = 0
        return True

    def _found(self, row_id: str) -> int | None:
        wanted = row_id.encode()
        at = bisect_left(range(len(self._left)), wanted, key=self._at)
        there = at < len(self._left) and self._at(at) == wanted and self._left[at]
        return at if there else None

    def _at(self, number: int) -> bytes:
        return self._letters[number * ROW_ID : (number + 1) * ROW_ID]


@dataclass(slots=True)
class Hunt:
    """What was found, and what was looked at."""

    found: dict[str, Found] = field(default_factory=dict)
    pages: int = 0
    seen: int = 0
    texts: dict[str, Found] = field(default_factory=dict)  # looked at, not (yet) concerned
    changed: dict[str, Found] = field(default_factory=dict)  # no names asked: has older versions
    recorded: RowIds = field(default_factory=RowIds)  # concerned, not met in a store yet
    named: frozenset[str] = frozenset()  # those of them that only a name links
    compared: set[str] = field(default_factory=set)  # keys of findings of earlier lots
    linked: set[str] = field(default_factory=set)  # keys of findings with provenance
    doubtful: set[str] = field(default_factory=set)  # keys: may mean a namesake, so they stay
    bare: dict[str, Found] = field(default_factory=dict)  # those whose bare name nobody explains
    told: set[Scope] = field(default_factory=set)  # where somebody is told of by the whole name
    beside: frozenset[str] = frozenset()  # rows: drawn from writes that mention it, maybe of it
    drawn: set[str] = field(default_factory=set)  # keys of those of them that are in doubt
    described: set[str] = field(default_factory=set)  # keys: in doubt, as somebody's relative
    away: frozenset[str] = frozenset()  # stores that do not answer
    waiting: dict[str, Found] = field(default_factory=dict)  # recorded in one of those, not read

    def add(self, one: Found) -> Found:
        """Keep a finding, merged with what is known of the same memory."""
        if one.upstream in self.away:
            return self.waiting.setdefault(one.key, one)
        known = self.found.setdefault(one.key, one)
        if known is not one:
            known.row = known.row or one.row
            known.item, known.text = one.item or known.item, one.text or known.text
            known.spans = one.spans or known.spans
            known.direct, known.near = known.direct or one.direct, known.near or one.near
            known.alike = known.alike or one.alike
        return known

    def take(self, one: Found) -> Found:
        """Keep one that was only looked at, or in doubt, as one that is concerned."""
        one.direct = True
        self.doubtful.discard(one.key)
        self.bare.pop(one.key, None)
        return self.add(self.texts.pop(one.key, one))

    def leave(self, one: Found) -> bool:
        """Let a memory stay that only a name links, where the text names somebody else by it."""
        if not (one.others or one.word) or one.row is None or one.row.id not in self.named:
            return False
        self.found.pop(one.key, None)
        self.doubtful |= set() if one.word else {one.key}
        return True

    def doubt(self, one: Found) -> None:
        """Count a memory that stays because nobody can say whom it names, or what it says.

        Or whether it was drawn from what a message said of whom is forgotten.
        """
        drawn = one.row is not None and one.row.id in self.beside
        if (one.unsure or drawn) and not one.direct:
            self.doubtful.add(one.key)
            self.drawn |= {one.key} if drawn else set()

    def met(self, one: Found) -> bool:
        """Whether the ledger takes a memory for concerned that a store now shows."""
        if one.row is None or not self.recorded.strike(one.row.id):
            return False
        return one.row.state in PRESENT

    def let_go(self, most: int) -> None:
        """Forget what was looked at and is not concerned, once it is much."""
        if len(self.texts) + len(self.changed) >= most:
            self.texts.clear()
            self.changed.clear()

    def lot(self) -> "Hunt":
        """What was looked at since findings were compared the last time."""
        found = {key: one for key, one in self.found.items() if key not in self.compared}
        return Hunt(found, texts=self.texts)

    def rows(self) -> dict[str, Found]:
        """Findings by the row id of their memory."""
        return {one.row.id: one for one in self.found.values() if one.row}
