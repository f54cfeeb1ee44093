"""What is put on hold after the confirmation: it stays, as if the plan had found it so."""

from collections import defaultdict
from collections.abc import Sequence
from functools import partial

from proxy.erasure.plans.owned import known_by, with_told
from proxy.erasure.requests.ending import unhide
from proxy.erasure.saga.run import GONE, Run
from proxy.ledger import erasures, holds, reach
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import PlanItem


async def keep(run: Run) -> None:
    """Take out of what is still to go whatever a hold in force keeps (GDPR Art. 17(3))."""
    if not await run.means.ledger.read(lambda tx: holds.of_tenant(tx, run.tenant_id)):
        return
    async for page in run.pages(states=erasures.PENDING, actions=GONE):
        await run.commit(partial(_keep, run=run, page=page))


async def _keep(tx: Tx, *, run: Run, page: Sequence[PlanItem]) -> None:
    owned = await reach.owners(tx, [item.memory_id for item in page if item.memory_id])
    told = {known_by(item): run.payload(item).owners for item in page}
    whose = await with_told(tx, run.tenant_id, run.aim.names, owned, told)
    codes = await holds.held(tx, run.tenant_id, whose)
    if not codes:
        return
    alike: dict[str, list[int]] = defaultdict(list)
    for item in page:
        if known_by(item) in codes:
            alike[erasures.deferred(item.action, codes[known_by(item)])].append(item.seq)
    for reason, seqs in alike.items():
        await erasures.set_items(
            tx, run.erasure.id, seqs, action="hold", state="held", reason=reason
        )
    await unhide(tx, run.tenant_id, [i.memory_id for i in page if known_by(i) in codes])
    await run.audit(tx, "erasure.held", {"items": len(codes)})
    run.extents.clear()
