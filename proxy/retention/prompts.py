"""Prompts: before what they left with us ends, data subjects are asked whether it is kept.

One open review an owner, which what comes due meanwhile joins, and which ends when nothing is left
to ask about. A page of memories, its reviews and its notices are one commit: whoever goes on after
a stop asks about the rest, and about nothing twice.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from policies import Policy
from policies.prompts import asking, comes, horizon, silence_keeps_after
from proxy import ids
from proxy.erasure.proof.recipients import owed
from proxy.erasure.search.means import Means
from proxy.ledger import memories, notifications, owners, prompts, reviews, tenants
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.ledger.notifications import Notification
from proxy.ledger.reviews import EXPIRING, Review
from proxy.retention import silent
from proxy.telemetry.metrics import PROMPTS

BATCH = 200
NOTICE = "review"  # the kind of an owner's notice, and the event that recipients are told of


async def ask(means: Means, now: datetime) -> int:
    """Ask about everything whose prompt has come, tenant by tenant; gives how many memories."""
    asked = 0
    for tenant in await means.ledger.read(tenants.every):
        if tenant.state == "active":
            asked += await _of_tenant(means, tenant.id, now)
            await _lapse(means, tenant.id, now)
    return asked


def answer_by(memory: Memory) -> datetime | None:
    """Until when an answer is waited for: as long as was promised, also if it was asked late."""
    asked, prompt, end = memory.asked_at, memory.prompt_at, memory.expires_at
    if asked is None or prompt is None or end is None or asked < prompt:
        return None
    return asked + max(timedelta(0), end - prompt)


async def _of_tenant(means: Means, tenant_id: str, now: datetime) -> int:
    policy, asked, after = means.policies(tenant_id), 0, ""
    tiers, until = sorted(asking(policy)), horizon(policy, now)
    while tiers:
        look = partial(
            prompts.due, tenant_id=tenant_id, tiers=tiers, now=now, horizon=until,
            after=after, limit=BATCH,
        )  # fmt: skip
        page = await means.ledger.read(look)
        if not page:
            break
        after = page[-1].id
        come = [each for each in page if _has_come(policy, each, now)]
        if come:
            unit = partial(_ask, means=means, tenant_id=tenant_id, page=come, now=now)
            asked += (fresh := await means.ledger.write(unit))
            PROMPTS.inc(fresh)
    return asked


def _has_come(policy: Policy, memory: Memory, now: datetime) -> bool:
    end, since = memory.expires_at, memory.created_at
    at = comes(policy, memory.tier, memory.prompt_at, end, since)
    return at is not None and at <= now


async def _ask(tx: Tx, means: Means, tenant_id: str, page: Sequence[Memory], now: datetime) -> int:
    whose = await _asked_of(tx, page)
    await owners.lock(tx, {*whose.values()})
    fresh = await prompts.mark(tx, [memory.id for memory in page], now)
    groups: dict[str, list[Memory]] = defaultdict(list)
    for memory in page:
        if memory.id in fresh and memory.id in whose:
            groups[whose[memory.id]].append(memory)
    policy = means.policies(tenant_id)
    marked = {each.id: silent.told(policy, each) for each in page if each.id in fresh}
    await silent.write(tx, marked)
    known = await reviews.asking(tx, groups)
    told = [
        await _put(tx, means, tenant_id, owner_id, group, known.get(owner_id), now)
        for owner_id, group in sorted(groups.items())
    ]
    await _notify(tx, policy, told, now)
    return len(fresh)


async def _asked_of(tx: Tx, page: Sequence[Memory]) -> dict[str, str]:
    """Row id of the owner who is asked about each memory: the one under whose key it is."""
    owned = await memories.owners_of(tx, [memory.id for memory in page])
    rows = await owners.by_ids(tx, {each for listed in owned.values() for each in listed})
    by_key = {row.dek_id: row.id for row in rows if row.state != "erased"}
    return {memory.id: by_key[memory.dek_id] for memory in page if memory.dek_id in by_key}


async def _put(
    tx: Tx, means: Means, tenant_id: str, owner_id: str, group: Sequence[Memory],
    known: Review | None, now: datetime,
) -> Review:  # fmt: skip
    """Open the owner's review, or add to the one that is open."""
    event = "review.opened" if known is None else "review.extended"
    review = known or Review(
        ids.new("rev"), tenant_id, owner_id, "open", {}, now,
        min((each.expires_at for each in group if each.expires_at), default=None), reason=EXPIRING,
    )  # fmt: skip
    review = replace(review, summary=_counted(review.summary, group))
    if known is None:
        await reviews.insert(tx, review)
    else:
        await reviews.tell(tx, review.id, review.summary)
    fields = {"review": review.id, "reason": EXPIRING, "memories": len(group)}
    await means.audit.append(tx, tenant_id, event, fields)
    return review


def _counted(before: Mapping[str, Any], group: Sequence[Memory]) -> dict[str, Any]:
    """How many a review asked about, ever."""
    counts = Counter(name for memory in group for name in memory.categories)
    return {
        **before,
        "asked": before.get("asked", 0) + len(group),
        "categories": dict(Counter(before.get("categories", {})) + counts),
    }


async def _notify(tx: Tx, policy: Policy, asked: Sequence[Review], now: datetime) -> None:
    """Tell the owner, and whom the policy wants told; once, until that was read or received."""
    waiting = await notifications.waiting(tx, [review.id for review in asked])
    due = [
        notice
        for review in asked
        for notice in (
            Notification(ids.new("ntc"), review.tenant_id, None, review.owner_id, NOTICE,
                         "pending", now, review_id=review.id),
            *owed(policy, review.tenant_id, NOTICE, None, now, review_id=review.id),
        )
    ]  # fmt: skip
    fresh = [each for each in due if (each.review_id, each.kind) not in waiting]
    await notifications.add(tx, fresh)


async def _lapse(means: Means, tenant_id: str, now: datetime) -> None:
    """End the reviews whose memories have all gone, or were pinned, or are kept by silence."""
    ended = silence_keeps_after(means.policies(tenant_id), now)
    look = partial(prompts.pointless, tenant_id=tenant_id, ending_after=ended, limit=BATCH)

    async def unit(tx: Tx) -> int:
        await owners.lock(tx, [review.owner_id or "" for review in await look(tx)])
        over = await look(tx)  # nothing joins them now
        for review in over:
            await reviews.close(tx, review.id, "lapsed", now, review.summary)
            await means.audit.append(tx, tenant_id, "review.lapsed", {"review": review.id})
        return len(over)

    while await means.ledger.read(look):
        await means.ledger.write(unit)
