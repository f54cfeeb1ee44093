"""Generated scenarios of the residue bench: who is to be forgotten, what must go, what must stay.

Every memory carries a word of its own that occurs nowhere else, so that whatever is left of it is
found in answers and in bytes, and whatever was lost of the others is missed.
"""

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

SEED = 20260105
TOPICS = (
    "keeps bees behind the old mill", "sings alto in the harbour choir", "restores wooden canoes",
    "bakes rye bread on Fridays", "collects maps of lighthouses", "paints doors of small shops",
    "plays chess by letter", "grows quinces against a wall", "repairs clocks in the evening",
    "sails a red dinghy in May", "knits socks for the whole street", "walks the dunes at dawn",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory to write.

    Args:
        owner: under whose user id.
        text: its words.
        word: the canary in it (in its metadata for those that name nobody in their text).
        goes: whether nothing of it may be left.
        tagged: whether an application that records ids per person would have recorded this one.
        sources: positions of the memories it was made from; declared to the store.
        update: a text that replaces it later; both have the canary.
        metadata: given with it.
        early: its own client deletes it before anybody asks for an erasure.
        inferred: the store's model takes part: raw messages and rows of entities are made too.
    """

    owner: str
    text: str
    word: str
    goes: bool
    tagged: bool = False
    sources: tuple[int, ...] = ()
    update: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    early: bool = False
    inferred: bool = False


@dataclass(frozen=True, slots=True)
class Scenario:
    """A handful of memories and the person or owner who asks to be forgotten."""

    name: str
    kind: str
    target: dict[str, Any]
    needles: tuple[str, ...]  # names that may not remain anywhere
    memories: tuple[Memory, ...]
    owners: tuple[str, ...]


class Words:
    """Invented names and canaries, each given out once."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        heads, tails = (
            ["B", "D", "F", "G", "H", "J", "K", "L", "M", "N", "P", "R", "S", "T", "V", "Z"],
            ["a", "e", "i", "o", "u"],
        )
        syllables = [h + t.lower() for h, t in itertools.product(heads, tails)]
        given = [a + b.lower() + c for a, b in itertools.product(syllables, repeat=2)
                 for c in ("ra", "lin", "na")]  # fmt: skip
        self._given = self._shuffled(given)
        self._family = self._shuffled(
            [a + b.lower() + c for a, b in itertools.product(syllables, repeat=2)
             for c in ("quist", "brandt", "holm")]
        )  # fmt: skip
        self._canaries = self._shuffled(
            [a.lower() + b.lower() + c for a, b in itertools.product(syllables, repeat=2)
             for c in ("wick", "moor", "thorpe")]
        )  # fmt: skip

    def _shuffled(self, words: list[str]) -> Iterator[str]:
        self._random.shuffle(words)
        return iter(words)

    def given(self) -> str:
        """A given name."""
        return next(self._given)

    def family(self) -> str:
        """A family name."""
        return next(self._family)

    def canary(self) -> str:
        """A word for one memory."""
        return next(self._canaries)

    def topic(self) -> str:
        """Something somebody does."""
        return self._random.choice(TOPICS)


def generate(count: int, seed: int = SEED) -> list[Scenario]:
    """``count`` scenarios, all kinds in turn."""
    words = Words(seed)
    kinds = itertools.cycle(KINDS.items())
    return [_scenario(number, *next(kinds), words) for number in range(count)]


def _scenario(
    number: int, kind: str, make: "Callable[[Cast], list[Memory]]", words: Words
) -> Scenario:
    cast = Cast(f"{kind}-{number:03d}", words)
    memories = make(cast)
    stays = [cast.plain(cast.other, goes=False), cast.plain(cast.other, goes=False)]
    owners = dict.fromkeys(each.owner for each in [*memories, *stays])
    return Scenario(
        cast.name, kind, cast.target, tuple(cast.needles), (*memories, *stays), tuple(owners)
    )


class Cast:
    """The people of one scenario and how sentences about them are made."""

    def __init__(self, name: str, words: Words) -> None:
        self.name, self.words = name, words
        self.given, self.family = words.given(), words.family()
        self.person = f"{self.given} {self.family}"
        self.own, self.other = f"{name}-own", f"{name}-other"
        self.target: dict[str, Any] = {"kind": "entity", "value": self.person, "type": "PERSON"}
        self.needles = [self.person, self.given, self.family]

    def plain(self, owner: str, *, goes: bool, tagged: bool = False, **more: Any) -> Memory:
        """A memory that names nobody."""
        word = self.words.canary()
        return Memory(owner, f"Word {word}: {self.words.topic()}", word, goes, tagged, **more)

    def named(self, owner: str, name: str, *, goes: bool = True, **more: Any) -> Memory:
        """A memory that names somebody."""
        word = self.words.canary()
        more.setdefault("tagged", goes)
        return Memory(owner, f"{name} {self.words.topic()}, word {word}", word, goes, **more)

    def whole_owner(self) -> None:
        """Ask for an owner instead of a name."""
        self.target, self.needles = {"kind": "owner", "value": self.own}, []


def _owner(cast: Cast) -> list[Memory]:
    cast.whole_owner()
    changed = cast.plain(cast.own, goes=True, tagged=True)
    return [
        *(cast.plain(cast.own, goes=True, tagged=True) for _ in range(3)),
        replace(changed, update=f"{changed.text}, and again"),
    ]


def _mentions(cast: Cast) -> list[Memory]:
    return [
        cast.named(cast.own, cast.person),
        cast.named(cast.other, f"Had lunch with {cast.person}, who"),
        cast.named(cast.other, f"{cast.given}'s cousin", tagged=False),
    ]


def _summaries(cast: Cast) -> list[Memory]:
    fact = cast.named(cast.own, cast.person)
    daily, weekly, profile = (cast.words.canary() for _ in range(3))
    return [
        fact,
        Memory(cast.own, f"Day {daily}: {cast.words.topic()}", daily, True, sources=(0,)),
        Memory(cast.own, f"Week {weekly}: {cast.words.topic()}", weekly, True, sources=(1,)),
        Memory(cast.own, f"Profile {profile}: {cast.words.topic()}", profile, True, sources=(2,)),
    ]


def _metadata(cast: Cast) -> list[Memory]:
    told = cast.plain(cast.own, goes=True, metadata={"told_by": cast.person})
    return [cast.named(cast.own, cast.person), told]


def _updates(cast: Cast) -> list[Memory]:
    first = cast.named(cast.own, cast.person)
    return [
        replace(first, update=f"{first.text}, and fishes"),
        cast.named(cast.other, cast.person),
    ]


def _untagged(cast: Cast) -> list[Memory]:
    word = cast.words.canary()
    text = f"Summary {word}: {cast.family}, {cast.given} {cast.words.topic()}"
    return [cast.named(cast.own, cast.person), Memory(cast.other, text, word, True)]


def _namesakes(cast: Cast) -> list[Memory]:
    return [
        cast.named(cast.own, cast.person),
        cast.named(cast.other, f"{cast.words.given()} {cast.family}", goes=False),
        cast.named(cast.other, f"{cast.given} {cast.words.family()}", goes=False),
    ]


def _addresses(cast: Cast) -> list[Memory]:
    local = cast.given.lower()
    address = f"{local}@example.org"
    cast.target = {"kind": "entity", "value": address, "type": "EMAIL_ADDRESS"}
    cast.needles = [address]
    return [
        cast.named(cast.own, f"{address}"),
        cast.named(cast.other, f"Write to {address.upper()}, who"),
        cast.named(cast.other, f"{local}.{cast.family.lower()}@example.org", goes=False),
        cast.named(cast.other, f"{address}.example", goes=False),
    ]


def _subject(cast: Cast) -> list[Memory]:
    cast.target = {
        "kind": "subject", "value": cast.person, "type": "PERSON", "owner": cast.own,
    }  # fmt: skip
    return [
        cast.plain(cast.own, goes=True, tagged=True),
        cast.named(cast.own, cast.person),
        cast.named(cast.other, f"Borrowed a ladder from {cast.person}, who"),
    ]


def _early(cast: Cast) -> list[Memory]:
    cast.whole_owner()
    return [
        cast.plain(cast.own, goes=True, tagged=True),
        cast.plain(cast.own, goes=True, tagged=True, early=True),
    ]


def _told(cast: Cast) -> list[Memory]:
    somebody = f"{cast.words.given()} {cast.words.family()}"
    return [
        cast.named(cast.own, cast.person, inferred=True),
        cast.named(cast.other, f"Had lunch with {cast.person}, who", inferred=True),
        cast.named(cast.other, somebody, goes=False, inferred=True),
    ]


def _told_owner(cast: Cast) -> list[Memory]:
    cast.whole_owner()
    friend = f"{cast.words.given()} {cast.words.family()}"
    return [
        cast.named(cast.own, friend, inferred=True, tagged=True),
        cast.plain(cast.own, goes=True, tagged=True, inferred=True),
        cast.named(cast.other, friend, goes=False, inferred=True),
    ]


KINDS: dict[str, Callable[[Cast], list[Memory]]] = {
    "owner": _owner,
    "mentions": _mentions,
    "summaries": _summaries,
    "metadata": _metadata,
    "updates": _updates,
    "untagged": _untagged,
    "namesakes": _namesakes,
    "addresses": _addresses,
    "subject": _subject,
    "deleted_before": _early,
    "told": _told,
    "told_owner": _told_owner,
}
