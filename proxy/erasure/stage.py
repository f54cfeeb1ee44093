"""Plans larger than memory: items are decided in lots and wait, sealed, in the ledger."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from proxy import ids
from proxy.erasure.brief import payload_of
from proxy.erasure.compose import Draft
from proxy.erasure.means import Means
from proxy.erasure.plan import Tally
from proxy.ledger import erasures
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import PlanItem
from proxy.problems import Problem

SPARED = frozenset({"keep", "hold"})
STATES = {"hold": "held", "keep": "kept"}
STALE_MS = 24 * 60 * 60 * 1000
SHOWN = 20


@dataclass(frozen=True, slots=True)
class Seal:
    """For which erasure, and under which key, the items of a plan are sealed."""

    erasure_id: str
    key: bytes = field(repr=False)


class StoreIds:
    """Ids of a store in the bytes of their letters, in the order in which they came."""

    def __init__(self) -> None:
        self._letters, self._lengths = bytearray(), array("I")

    def append(self, memory_id: str) -> None:
        """Take in one more."""
        written = memory_id.encode("utf-8", "surrogatepass")
        self._letters += written
        self._lengths.append(len(written))

    def __len__(self) -> int:
        return len(self._lengths)

    def __iter__(self) -> Iterator[str]:
        at = 0
        for length in self._lengths:
            yield self._letters[at : at + length].decode("utf-8", "surrogatepass")
            at += length


@dataclass(slots=True)
class Breadth:
    """How far a plan reaches into one store: of each memory only what its layers are asked with."""

    memory_ids: StoreIds = field(default_factory=StoreIds)  # of what goes
    touched: set[tuple[str, str]] = field(default_factory=set)  # owners of what goes
    spared: set[bytes] = field(default_factory=set)  # pseudonyms of what stays
    keepers: set[tuple[str, str]] = field(default_factory=set)  # owners of what stays

    def add(self, draft: Draft) -> None:
        """Take in one item."""
        owners = draft.found.item.owners.items() if draft.found.item else ()
        if draft.decided.action in SPARED:
            self.spared.add(draft.found.ref)
            self.keepers.update(owners)
            return
        self.memory_ids.append(draft.found.memory_id)
        self.touched.update(owners)


class Stage:
    """The items of one plan while it is made: counted, and in the ledger once they are many."""

    def __init__(self, means: Means, seal: Seal) -> None:
        self._means, self._seal = means, seal
        self.id, self.size = ids.new(erasures.STAGE), 0
        self.tally, self.first = Tally(), list[Draft]()
        self.breadths: dict[str, Breadth] = defaultdict(Breadth)

    def note(self, drafts: Iterable[Draft]) -> None:
        """Count items, and remember some to be shown."""
        for draft in drafts:
            self.tally.add(draft.decided)
            self.breadths[draft.found.upstream].add(draft)
            if len(self.first) < SHOWN:
                self.first.append(draft)

    async def put(self, drafts: Sequence[Draft]) -> None:
        """Put items into the ledger, behind those that are there."""
        if not self.size:
            await self._means.ledger.write(_drop_stale)
        items = list(items_of(drafts, self._seal, self.id, start=self.size))
        await self._means.ledger.write(lambda tx: erasures.put_items(tx, items))
        self.size += len(items)

    async def known(self, upstream: str, refs: Sequence[bytes]) -> set[bytes]:
        """Which memories are in the ledger already."""
        return set(
            await self._means.ledger.read(lambda tx: erasures.planned(tx, self.id, upstream, refs))
        )

    async def drop(self) -> None:
        """Take out of the ledger what no erasure has adopted, unless the ledger is away."""
        if self.size:
            with suppress(Problem):  # then it goes as a killed process's does
                await self._means.ledger.write(lambda tx: erasures.drop_items(tx, self.id))


async def _drop_stale(tx: Tx) -> None:
    await erasures.drop_stages(tx, ids.aged(erasures.STAGE, STALE_MS))


def items_of(
    drafts: Iterable[Draft], seal: Seal, under: str, *, start: int = 0
) -> Iterator[PlanItem]:
    """Rows of a plan, their payloads sealed one after the other.

    Args:
        under: the erasure or the stage whose rows they are.
        start: the number of the first.
    """
    return (
        PlanItem(
            under,
            seq,
            draft.found.upstream,
            draft.found.ref,
            payload_of(draft).seal(seal.key, seal.erasure_id, seq),
            draft.found.row.id if draft.found.row else None,
            draft.decided.relation,
            draft.decided.action,
            STATES.get(draft.decided.action, "planned"),
            draft.decided.reason,
            draft.decided.depth,
        )
        for seq, draft in enumerate(drafts, start)
    )
