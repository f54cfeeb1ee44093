"""Plans larger than memory: items are decided in lots and wait, sealed, in the ledger."""

from collections import defaultdict
from collections.abc import Awaitable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from proxy import ids
from proxy.erasure.plans.brief import Payload, payload_of
from proxy.erasure.plans.compose import Draft
from proxy.erasure.plans.plan import DOUBTFUL, IDENTIFIERS, Decided, Tally
from proxy.erasure.search.means import Means
from proxy.ledger import erasures
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import PlanItem
from proxy.problems import Problem

SPARED = frozenset({"keep", "hold"})
UNREAD = "unread"  # the reason of what is recorded in a store that did not answer
STATES = {"hold": "held", "keep": "kept"}
STALE_MS = 24 * 60 * 60 * 1000
SHOWN = 20
PAGE = 500


@dataclass(frozen=True, slots=True)
class Seal:
    """For which erasure, and under which key, the items of a plan are sealed."""

    erasure_id: str
    key: bytes = field(repr=False)


@dataclass(slots=True)
class Breadth:
    """How far a plan reaches into one store, without the ids of what goes."""

    going: int = 0
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
        self.going += 1
        self.touched.update(owners)


class Staging:
    """Items that wait, sealed, in the ledger until they join a plan."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self.id, self.size = ids.new(erasures.STAGE), 0

    async def hold(self, items: Sequence[PlanItem]) -> None:
        """Put items into the ledger, beside those that are there."""
        if not self.size:
            await self._means.ledger.write(_drop_stale)
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


class Stage(Staging):
    """The items of one plan while it is made: counted, and in the ledger once they are many."""

    def __init__(self, means: Means, seal: Seal) -> None:
        super().__init__(means)
        self._seal = seal
        self.tally, self.first = Tally(), list[Draft]()
        self.breadths: dict[str, Breadth] = defaultdict(Breadth)

    def note(self, drafts: Iterable[Draft]) -> None:
        """Count items, and remember some to be shown."""
        for draft in drafts:
            if draft.decided.reason == UNREAD:
                continue
            self.tally.add(draft.decided)
            if draft.unclear:
                self.tally.counted.update((DOUBTFUL, IDENTIFIERS))
            self.breadths[draft.found.upstream].add(draft)
            if len(self.first) < SHOWN:
                self.first.append(draft)

    async def put(self, drafts: Sequence[Draft]) -> None:
        """Put items into the ledger, behind those that are there."""
        await self.hold(list(items_of(drafts, self._seal, self.id, start=self.size)))

    async def memory_ids(self, upstream: str) -> list[str]:
        """The store's ids of what goes and is in the ledger."""
        found: list[str] = []
        after = -1

        def page(tx: Tx) -> Awaitable[list[PlanItem]]:
            return erasures.items(tx, self.id, upstream=upstream, after=after, limit=PAGE)

        while items := await self._means.ledger.read(page):
            after = items[-1].seq
            going = [
                replace(i, erasure_id=self._seal.erasure_id)
                for i in items
                if i.action not in SPARED
            ]
            found += [Payload.unseal(self._seal.key, each).memory_id for each in going]
        return found


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
            _state(draft.decided),
            draft.decided.reason,
            draft.decided.depth,
        )
        for seq, draft in enumerate(drafts, start)
    )


def _state(decided: Decided) -> str:
    if decided.reason == UNREAD:
        return erasures.WAITING
    return STATES.get(decided.action, "planned")
