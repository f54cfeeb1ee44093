"""Keys of categories: forgetting a category in a whole tenant destroys the key of its values."""

from collections.abc import Sequence

from proxy.erasure.saga.run import Run
from proxy.erasure.saga.since import SINCE
from proxy.ledger import entities, wrapped
from proxy.ledger.engine import Tx
from proxy.tokens.index import keyed

STEP = "keys"  # of the saga; its result names the keys of categories

Sealed = tuple[str, bytes, bytes]


def is_whole(run: Run) -> bool:
    """Whether nothing of the categories may stay anywhere in the tenant.

    Values of one tenant share the key of their category, so an erasure that is limited to an
    owner, a store or a part leaves it.
    """
    target = run.aim.target
    whole = run.aim.within is None and target.upstream is None and not run.brief.asked.keep
    return target.kind == "category" and run.lasting and whole


async def doomed(run: Run) -> list[str]:
    """Ids of the categories' data keys that this erasure destroys, or has destroyed.

    Once it has, a newer key of the same category is no longer its business.
    """
    if STEP in run.saga.done:
        return list(run.saga.done[STEP].get("categories", ()))
    if not is_whole(run) or await _written_since(run):
        return []
    names = await run.means.keyring.tenant(run.tenant_id)
    refs = [keyed.category_ref(names, each) for each in run.aim.target.values]
    return await run.means.ledger.read(lambda tx: _living(tx, run.tenant_id, refs))


async def _written_since(run: Run) -> bool:
    """Whether something stays that was written since: its values are under the same key."""
    async for page in run.pages(states=("kept",)):
        if any(item.reason == SINCE for item in page):
            return True
    return False


async def _living(tx: Tx, tenant_id: str, refs: Sequence[bytes]) -> list[str]:
    made = [dek for ref in refs for dek in await wrapped.deks_for(tx, tenant_id, "category", ref)]
    return [dek.id for dek in made if dek.wrapped is not None]


async def values_under(run: Run, dek_ids: Sequence[str], limit: int) -> list[Sealed]:
    """Sealed values whose keys those are, to be tried once they are destroyed."""
    if not dek_ids:
        return []
    rows = await run.means.ledger.read(
        lambda tx: entities.forms_under(tx, run.tenant_id, dek_ids, limit)
    )
    return [
        (row.dek_id, row.sealed, keyed.form_aad(row.entity_id, row.surface_ref)) for row in rows
    ]
