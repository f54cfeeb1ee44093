"""What is found after the confirmation: it joins under the rules of the plan, or has to be asked.

So does what a store holds that did not answer when the plan was made. Items that wait are judged
anew whenever their store is read. A look may find more than fits into memory: it is judged lot by
lot, and what it comes to waits in the ledger until all was read.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from proxy.erasure.plans.assess import assess
from proxy.erasure.plans.brief import Brief, payload_of, seal
from proxy.erasure.plans.compose import Draft, compose
from proxy.erasure.plans.plan import Tally, decide, group_of
from proxy.erasure.plans.planning import ASKABLE
from proxy.erasure.plans.rules import rules_of
from proxy.erasure.plans.stage import STATES, Staging
from proxy.erasure.requests.ending import unhide
from proxy.erasure.saga import verify
from proxy.erasure.saga.run import GONE, LATE, PAGE, Run
from proxy.erasure.saga.since import SINCE, written_since
from proxy.erasure.search import away
from proxy.erasure.search.alike import with_owners
from proxy.erasure.search.find import by_upstream
from proxy.erasure.search.found import Found, Hunt
from proxy.erasure.search.recorded import Spill
from proxy.erasure.search.resolve import Aim
from proxy.ledger import erasures, owners, reach
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import CHANGED, PENDING, UNSETTLED, WAITING, PlanItem

ASKED = away.ASKED  # the reason of what waits for an answer
SPARED = ("kept", "held")


class Judged(Staging):
    """What a look at the stores changes in the plan: items that are new, or waited.

    Args:
        silent: stores that are not read.
        start: the number of the first item that is new.
    """

    def __init__(self, run: Run, silent: frozenset[str], start: int) -> None:
        super().__init__(run.means)
        self._run, self._unread = run, run.unread
        self._open, self._next = _unanswered(run), start
        self._asked, self._joined = Tally(), Tally()
        self.away, self.seen, self.going = silent, 0, 0

    @property
    def read(self) -> list[str]:
        """The stores that were read."""
        return [store.name for store in self._run.stores if store.name not in self.away]

    @property
    def roles(self) -> Mapping[str, int]:
        """Items that joined, by the part that whom is forgotten plays in them."""
        return self._joined.roles

    @property
    def spill(self) -> Spill:
        """Where a hunt hands over what it has finished with."""
        return Spill(self._take_some, self._is_settled)

    async def _take_some(self, found: Sequence[Found]) -> None:
        await self.take({one.key: one for one in found})

    async def take(self, found: Mapping[str, Found]) -> None:
        """Decide on what was found, under the rules of the plan; the plan stays as it is."""
        read = {key: one for key, one in found.items() if one.upstream not in self.away}
        decided = {each.found.key: each for each in await _drafts(self._run, Hunt(read))}
        items: list[PlanItem] = []
        for upstream, listed in by_upstream([each.found for each in decided.values()]).items():
            refs = [one.ref for one in listed]
            waiting = {item.ref: item for item in await self._waiting(upstream, refs)}
            settled = await self._is_settled(upstream, refs)
            new = [decided[one.key] for one in listed if one.ref not in settled]
            shown = {draft.found.ref: (draft.found.row, draft.found.item) for draft in new}
            late = await written_since(self._run, upstream, shown)
            judged = (
                self._stays(draft) if draft.found.ref in late
                else self._judge(draft, waiting.get(draft.found.ref))
                for draft in new
            )  # fmt: skip
            items += filter(None, judged)
        if items:
            await self.hold([replace(item, erasure_id=self.id) for item in items])

    async def _waiting(self, upstream: str, refs: Sequence[bytes]) -> list[PlanItem]:
        parts = reach.chunks(refs)
        pages = [
            await self._run.items(states=UNSETTLED, upstream=upstream, refs=part) for part in parts
        ]
        return [item for page in pages for item in page]

    async def _is_settled(self, upstream: str, refs: Sequence[bytes]) -> set[bytes]:
        """Memories of which the plan says what becomes of them, or this look has said so."""
        known = await self._run.planned(upstream, refs, settled=True)
        return {*known, *await self.known(upstream, refs)}

    def _stays(self, draft: Draft) -> PlanItem:
        """The item of a memory that the owner has written since."""
        kept = replace(draft.decided, action="keep", reason=SINCE)
        self._next += 1
        return _item(self._run, replace(draft, decided=kept), self._next - 1, asks=False)

    def _judge(self, draft: Draft, before: PlanItem | None) -> PlanItem | None:
        """The item that a memory is from now on; None if it is no part of the plan."""
        goes, unread = draft.decided.action in GONE, draft.found.upstream in self._unread
        if before is None and (not (goes or unread) or _rewritten(self._run, draft)):
            return None
        asks = goes and group_of(draft.decided.relation) in self._open
        if before is None:
            item = _item(self._run, draft, self._next, asks=asks)
            self._next += 1
        else:
            item = _settled(self._run, draft, before, asks=asks)
        if asks:
            self._asked.add(draft.decided)
        elif before is None or before.state == WAITING:
            self._joined.add(draft.decided)
        self.going += item.state in PENDING
        return item

    async def join(self, tx: Tx) -> None:
        """Record what a look changed: new items are hidden, what stays is readable again."""
        run = self._run
        await self._spare(tx)
        async for rows in erasures.memory_ids(tx, self.id, states=SPARED):
            await unhide(tx, run.tenant_id, rows)
        async for rows in erasures.memory_ids(tx, self.id, states=(*PENDING, *UNSETTLED)):
            await reach.move(tx, rows, "erasing")
        await erasures.adopt(tx, self.id, run.erasure.id)
        settings = {name: getattr(run.policy.erasure, name) for name in self._open}
        await erasures.change(tx, run.erasure.id, questions=self._asked.questions(settings))
        if not self.going:
            return
        for holder in run.aim.ended:  # a write that is not recorded yet may have made one of these
            if holder.row is not None:
                await owners.raise_epoch(tx, holder.row.id)
        await run.audit(tx, "erasure.extended", {"items": self.going})

    async def _spare(self, tx: Tx) -> None:
        """Let stay what waited and was not found to be concerned; nobody had judged some of it."""
        key = self._run.erasure.id
        while items := await erasures.unjudged(tx, key, self.id, self.read, PAGE):
            unjudged = [item.seq for item in items if item.state == WAITING]
            await erasures.drop_seqs(tx, key, unjudged)
            changed = [item.seq for item in items if item.state == CHANGED]
            await erasures.set_items(tx, key, changed, state="kept")
            await unhide(tx, self._run.tenant_id, [item.memory_id for item in items])


async def look(run: Run) -> Judged:
    """Read the stores that answer anew, and judge what they show.

    Raises:
        StoreUnavailable, StoreUnknown: no store answers.
    """
    start = await run.means.ledger.read(lambda tx: erasures.size(tx, run.erasure.id))

    async def read(aim: Aim) -> Judged:
        judged = Judged(run, aim.away, start)
        try:
            found = await verify.again(run, aim, judged.spill)
            await judged.take(found.found)
        except BaseException:
            await judged.drop()
            raise
        judged.seen = found.seen
        return judged

    return await away.despite(run.means, run.aim, read)


async def _drafts(run: Run, found: Hunt) -> list[Draft]:
    decided = decide(await assess(run.means, run.aim, found), rules_of(run.policy, run.aim))
    return await compose(run.means, run.aim, found, decided)


def _rewritten(run: Run, draft: Draft) -> bool:
    """Whether this is one of our own rewritten memories, seen again."""
    item = draft.found.item
    wrote = item is not None and run.wrote(draft.found.upstream, item)
    return wrote and not draft.found.spans


def _unanswered(run: Run) -> frozenset[str]:
    """Relations of which the policy says ``ask`` and nobody has said what is to happen."""
    chosen = run.aim.asked.choices or {}
    section = run.policy.erasure
    return frozenset(
        name for name in ASKABLE if getattr(section, name) == "ask" and name not in chosen
    )


def _item(run: Run, draft: Draft, seq: int, *, asks: bool) -> PlanItem:
    found, decided = draft.found, draft.decided
    state, reason = (WAITING, ASKED) if asks else ("planned", LATE)
    if decided.action in STATES:
        state, reason = STATES[decided.action], decided.reason or LATE
    sealed = payload_of(draft).seal(run.brief.key, run.erasure.id, seq)
    return PlanItem(
        run.erasure.id, seq, found.upstream, found.ref, sealed,
        found.row.id if found.row else None, decided.relation, decided.action, state, reason,
        decided.depth,
    )  # fmt: skip


def _settled(run: Run, draft: Draft, before: PlanItem, *, asks: bool) -> PlanItem:
    """An item that waited, with its text and judgement of today.

    One whose text was changed after the confirmation goes on only by the action that was confirmed.
    """
    if before.state == WAITING:
        return _item(run, draft, before.seq, asks=asks)
    if draft.decided.action != before.action:
        return replace(before, state="kept") if draft.decided.action == "keep" else before
    sealed = payload_of(draft).seal(run.brief.key, run.erasure.id, before.seq)
    return replace(before, sealed=sealed, state="planned")


# -- owners ----------------------------------------------------------------------------------------


async def widened(run: Run) -> Run:
    """The run with the stores that do not answer now, and with the owners that others add.

    A store that was not read for the plan may hold owners whose id is the name: they go like all
    such owners. Where it may be the name, somebody is asked first, and the store is not read
    before.

    Raises:
        StoreUnavailable, StoreUnknown: no store answers.
    """
    silent = await away.silent(run.stores)
    aim = replace(run.aim, away=silent)
    fresh = {store.name for store in run.stores} & run.unread - silent
    if not fresh:
        return replace(run, aim=aim)
    found = await away.despite(run.means, aim, partial(with_owners, run.means))
    if found.candidates:
        asked = frozenset(fresh)
        listed = [{**each.body(), "hint": ""} for each in found.candidates]
        await run.commit(lambda tx: erasures.change(tx, run.erasure.id, candidates=listed))
        return replace(run, aim=replace(aim, away=silent | asked), asked=asked)
    if run.erasure.candidates:
        await run.commit(lambda tx: erasures.change(tx, run.erasure.id, candidates=[]))
    if (found.wholes, found.spared) != (aim.wholes, aim.spared):
        brief = Brief.of(found, run.brief.key)
        await run.commit(lambda tx: _reseal(tx, run, brief))
        run = replace(run, brief=brief)
    return replace(run, aim=found)


async def _reseal(tx: Tx, run: Run, brief: Brief) -> None:
    sealed = await seal(run.means, tx, run.erasure.id, run.tenant_id, brief)
    await erasures.change(tx, run.erasure.id, sealed_request=sealed[1])


async def still_away(run: Run, names: Collection[str]) -> bool:
    """Whether none of these stores can be read now."""
    stores: Mapping[str, Any] = run.means.stores
    for name in {*names} - run.aim.away:
        if name in stores and await away.answers(stores[name]):
            return False
    return True
