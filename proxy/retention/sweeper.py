"""The sweeper: what has outlived its period leaves through the same door as everything else.

So does what was held for review too long, and what an owner has too much of. Before that it asks
those whose memories end soon, so that nothing of theirs leaves unasked.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce

from proxy.erasure.search.find import open_rows
from proxy.erasure.search.means import Means
from proxy.erasure.search.places import holder
from proxy.erasure.search.target import Actor, Target
from proxy.erasure.service import ErasureService
from proxy.ledger import counters, holds, reach, tenants
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.problems import Problem
from proxy.retention import silent
from proxy.retention.asked import fate_of
from proxy.retention.beyond import excess, unreviewed
from proxy.retention.clockwatch import ClockWatch
from proxy.retention.prompts import ask
from proxy.retention.unmentioned import end_unmentioned
from proxy.telemetry import get_logger

BATCH = 200
LAST = "sweeper/last"
EPHEMERAL = "ephemeral"
SWEEPER = Actor("sweeper", "sweeper")
EXPIRED, UNREVIEWED, EXCESS = "retention", "quarantine_ended", "over_budget"
SWEPT = "retention.swept"

log = get_logger("retention")


@dataclass(frozen=True, slots=True)
class SweepResult:
    """What a sweep did: memories erased, left for later, kept by holds; and whether it dared.

    ``asked`` are memories about which their data subjects were asked for the first time.
    """

    erased: int = 0
    waiting: int = 0
    held: int = 0
    incomplete: int = 0
    suspended: bool = False
    asked: int = 0


class Sweeper:
    """Erases what has expired; does nothing while the clock cannot be trusted.

    Args:
        means: the erasure engine's collaborators.
        erasure: the door.
    """

    def __init__(self, means: Means, erasure: ErasureService) -> None:
        self._means, self._erasure = means, erasure
        self._watch = ClockWatch(means.clock)

    async def run_once(self, *, trust_clock: bool = False) -> SweepResult:
        """Erase everything whose time has come.

        Args:
            trust_clock: an operator has looked at the clock: go on after a jump.
        """
        last = await self._means.ledger.read(lambda tx: counters.value_of(tx, LAST))
        if not self._watch.trusted(last) and not trust_clock:
            log.error("retention.sweep_suspended", reason_code="clock_jump")
            return SweepResult(suspended=True)
        now = self._means.clock.now()
        asked = SweepResult(asked=await ask(self._means, now))
        result = reduce(_sum, [asked, await self._sweep(now), await self._sweep_beyond(now)])
        await end_unmentioned(self._means, now)
        await self._remember()
        self._watch.accept()
        return result

    async def end_session(self, tenant_id: str, kind: str, owner_id: str) -> int:
        """End a session: its ephemeral memories are unreadable now and erased by the next sweep."""
        names = await self._means.keyring.tenant(tenant_id)
        found = await holder(self._means, tenant_id, names, kind, owner_id)
        if found.row is None:
            return 0
        row_id, now = found.row.id, self._means.clock.now()
        return await self._means.ledger.write(
            lambda tx: reach.end_session(tx, tenant_id, row_id, EPHEMERAL, now)
        )

    async def _sweep(self, now: datetime) -> SweepResult:
        total, after = SweepResult(), ""
        while True:
            page = await self._page(now, after)
            if not page:
                return total
            after = page[-1].id
            total = _sum(total, await self._erase(page, now))

    async def _sweep_beyond(self, now: datetime) -> SweepResult:
        """What has to go though its period has not ended, tenant by tenant."""
        total, means = SweepResult(), self._means
        for tenant in await means.ledger.read(tenants.every):
            if tenant.state != "active":
                continue
            async for page in unreviewed(means, tenant.id, now):
                total = _sum(total, await self._erase_due(page, UNREVIEWED))
            async for page in excess(means, tenant.id, now):
                total = _sum(total, await self._erase_due(page, EXCESS))
        return total

    async def _page(self, now: datetime, after: str) -> list[Memory]:
        return await self._means.ledger.read(
            lambda tx: reach.ended(tx, now, after=after, limit=BATCH)
        )

    async def _erase(self, page: Sequence[Memory], now: datetime) -> SweepResult:
        due = [memory for memory in page if self._is_due(memory, now)]
        waiting = SweepResult(waiting=len(page) - len(due))
        gone = {memory.id for memory in due}
        await self._see_to([memory for memory in page if memory.id not in gone], now)
        return _sum(waiting, await self._erase_due(due, EXPIRED))

    async def _erase_due(self, due: Sequence[Memory], reason: str) -> SweepResult:
        held = await self._held(due)
        result = SweepResult(held=len(held))
        groups: dict[tuple[str, str], list[Memory]] = defaultdict(list)
        for memory in due:
            if memory.id not in held:
                groups[memory.tenant_id, memory.upstream].append(memory)
        for (tenant_id, upstream), group in groups.items():
            result = _sum(result, await self._forget(tenant_id, upstream, group, reason))
        return result

    async def _see_to(self, staying: Sequence[Memory], now: datetime) -> None:
        """Mark what silence keeps, and have asked about what it kept and keeps no more."""
        policies = self._means.policies
        changes = {m.id: silent.changed(policies(m.tenant_id), m, now) for m in staying}
        if any(changes.values()):
            await self._means.ledger.write(lambda tx: silent.write(tx, changes))

    def _is_due(self, memory: Memory, now: datetime) -> bool:
        policy = self._means.policies(memory.tenant_id)
        end = fate_of(policy, memory)
        return end.erased_at is not None and end.erased_at <= now

    async def _held(self, due: Sequence[Memory]) -> set[str]:
        async def load(tx: Tx) -> set[str]:
            owned = await reach.owners(tx, [memory.id for memory in due])
            owner_ids = {owner for listed in owned.values() for owner in listed}
            found = [
                hold
                for tenant_id in {memory.tenant_id for memory in due}
                for hold in await holds.in_force(
                    tx, tenant_id, memory_ids=owned, owner_ids=owner_ids
                )
            ]
            owners = {hold.owner_id for hold in found}
            by_owner = {each for each, listed in owned.items() if not owners.isdisjoint(listed)}
            return by_owner | {hold.memory_id for hold in found if hold.memory_id}

        return await self._means.ledger.read(load)

    async def _forget(
        self, tenant_id: str, upstream: str, group: Sequence[Memory], reason: str
    ) -> SweepResult:
        opened = await self._means.ledger.read(
            lambda tx: open_rows(tx, self._means, tenant_id, group)
        )
        values = tuple(one.memory_id for one in opened)
        if not values:
            return SweepResult()
        try:
            view = await self._erasure.forget(
                tenant_id,
                Target(kind="memory", values=values, upstream=upstream),
                actor=SWEEPER,
                origin="sweeper",
                choices={"include": "direct"},
                reason=reason,
            )
        except Problem as problem:
            log.warning("retention.sweep_failed", slug=problem.slug, count=len(values))
            return SweepResult(incomplete=len(values))
        await self._tell(tenant_id, {"erasure": view.id, "reason": reason, "count": view.deleted})
        done = view.state == "complete"
        return SweepResult(erased=view.deleted, incomplete=0 if done else len(values))

    async def _tell(self, tenant_id: str, fields: dict[str, str | int]) -> None:
        """Say in the audit log why memories left, not only that they did."""
        await self._means.ledger.write(
            lambda tx: self._means.audit.append(tx, tenant_id, SWEPT, fields)
        )

    async def _remember(self) -> None:
        now = int(self._means.clock.now().timestamp())

        async def unit(tx: Tx) -> None:
            before = await counters.value_of(tx, LAST)
            await counters.raise_by(tx, LAST, now - before)

        await self._means.ledger.write(unit)


def _sum(one: SweepResult, other: SweepResult) -> SweepResult:
    return SweepResult(
        one.erased + other.erased,
        one.waiting + other.waiting,
        one.held + other.held,
        one.incomplete + other.incomplete,
        one.suspended or other.suspended,
        one.asked + other.asked,
    )
