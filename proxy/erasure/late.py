"""What is found after the confirmation: it joins under the rules of the plan, or has to be asked.

So does what a store holds that did not answer when the plan was made. Items that wait are judged
anew whenever their store is read.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from proxy.erasure import away
from proxy.erasure.alike import with_owners
from proxy.erasure.assess import assess
from proxy.erasure.brief import Brief, payload_of, seal
from proxy.erasure.compose import Draft, compose
from proxy.erasure.ending import unhide
from proxy.erasure.found import Hunt
from proxy.erasure.plan import Tally, decide, group_of
from proxy.erasure.planning import ASKABLE
from proxy.erasure.rules import rules_of
from proxy.erasure.run import GONE, LATE, Run
from proxy.erasure.stage import STATES
from proxy.ledger import erasures, owners, reach
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import CHANGED, WAITING, PlanItem

ASKED = away.ASKED  # the reason of what waits for an answer


@dataclass(frozen=True, slots=True)
class Judged:
    """What a look at the stores changes in the plan.

    Args:
        fresh: items that the plan did not hold.
        settled: items that waited, as they are now.
        spared: items that waited and do not concern whom is forgotten, or do so no longer.
        questions: what has to be asked first.
        roles: items that joined, by the part that whom is forgotten plays in them.
    """

    fresh: Sequence[PlanItem] = ()
    settled: Sequence[PlanItem] = ()
    spared: Sequence[PlanItem] = ()
    questions: Sequence[dict[str, Any]] = ()
    roles: Mapping[str, int] = field(default_factory=dict)

    @property
    def going(self) -> int:
        """How many memories have to go now."""
        return sum(item.state in erasures.PENDING for item in (*self.fresh, *self.settled))


async def judge(run: Run, found: Hunt) -> Judged:
    """Decide on what a look found, under the rules of the plan; nothing is changed."""
    drafts = await _drafts(run, found)
    waiting = await _waiting(run, found.away)
    known = await _known(run, drafts)
    start = await run.means.ledger.read(lambda tx: erasures.size(tx, run.erasure.id))
    open_ = _unanswered(run)
    fresh: list[PlanItem] = []
    settled: list[PlanItem] = []
    asked, joined = Tally(), Tally()
    for draft in drafts:
        key = draft.found.upstream, draft.found.ref
        before = waiting.pop(key, None)
        goes = draft.decided.action in GONE
        asks = goes and group_of(draft.decided.relation) in open_
        if before is not None:
            settled.append(_settled(run, draft, before, asks=asks))
        elif key not in known and (goes or key[0] in run.unread) and not _rewritten(run, draft):
            fresh.append(_item(run, draft, start + len(fresh), asks=asks))
        else:
            continue
        if asks:
            asked.add(draft.decided)
        elif before is None or before.state == WAITING:
            joined.add(draft.decided)
    settings = {name: getattr(run.policy.erasure, name) for name in open_}
    return Judged(fresh, settled, list(waiting.values()), asked.questions(settings), joined.roles)


async def _drafts(run: Run, found: Hunt) -> list[Draft]:
    decided = decide(await assess(run.means, run.aim, found), rules_of(run.policy, run.aim))
    return await compose(run.means, run.aim, found, decided)


async def _waiting(run: Run, unread: Collection[str]) -> dict[tuple[str, bytes], PlanItem]:
    """Items that wait and whose store was read."""
    items = await run.items(states=(WAITING, CHANGED))
    return {(item.upstream, item.ref): item for item in items if item.upstream not in unread}


async def _known(run: Run, drafts: Sequence[Draft]) -> set[tuple[str, bytes]]:
    known: set[tuple[str, bytes]] = set()
    for upstream in {each.found.upstream for each in drafts}:
        refs = [each.found.ref for each in drafts if each.found.upstream == upstream]
        known |= {(upstream, ref) for ref in await run.planned(upstream, refs)}
    return known


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


async def join(tx: Tx, run: Run, judged: Judged) -> None:
    """Record what a look changed: new items are hidden, what stays is readable again."""
    items = [*judged.fresh, *judged.settled]
    await erasures.put_items(tx, judged.fresh)
    for item in judged.settled:
        await erasures.put_back(tx, item)
    await _spare(tx, run, judged.spared)
    kept = [item for item in judged.settled if item.state in {"kept", "held"}]
    await unhide(tx, run.tenant_id, [item.memory_id for item in kept])
    going = [item for item in items if item not in kept]
    await reach.move(tx, [item.memory_id for item in going if item.memory_id], "erasing")
    questions = [dict(each) for each in judged.questions]
    await erasures.change(tx, run.erasure.id, questions=questions)
    if not judged.going:
        return
    for holder in run.aim.ended:  # a write that is not recorded yet may have made one of these
        if holder.row is not None:
            await owners.raise_epoch(tx, holder.row.id)
    await run.audit(tx, "erasure.extended", {"items": judged.going})


async def _spare(tx: Tx, run: Run, items: Sequence[PlanItem]) -> None:
    """Let stay what no look found to be concerned; what was never judged leaves the plan."""
    unjudged = [item.seq for item in items if item.state == WAITING]
    await erasures.drop_seqs(tx, run.erasure.id, unjudged)
    changed = [item.seq for item in items if item.state == CHANGED]
    await erasures.set_items(tx, run.erasure.id, changed, state="kept")
    await unhide(tx, run.tenant_id, [item.memory_id for item in items])


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
