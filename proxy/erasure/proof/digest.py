"""Whether the plan on record is the one that was confirmed."""

from proxy.erasure.plans import plan
from proxy.erasure.plans.planning import ITEMS
from proxy.erasure.search.away import unread
from proxy.ledger import erasures
from proxy.ledger.engine import Ledger, Tx
from proxy.ledger.erasures import Erasure


async def digest_matches(ledger: Ledger, erasure: Erasure) -> bool:
    """Whether the recorded plan is still the one that was confirmed, without what joined it."""
    away, first = unread(erasure), erasure.details.get(ITEMS)

    async def recorded(tx: Tx) -> plan.Digesting:
        digesting = plan.Digesting()
        async for part in erasures.in_order(tx, erasure.id, first=first):
            digesting.add(
                (each.upstream, each.ref, each.relation, erasures.meant(each.action, each.reason))
                for each in part
                if each.upstream not in away
            )
        return digesting

    found = (await ledger.read(recorded)).end(
        scope=erasure.scope,
        target=(erasure.target_ref or b"").hex(),
        policy_digest=erasure.policy_digest or "",
        away=sorted(away),
    )
    return found == erasure.plan_digest
