"""A lost request of before an erasure that reaches the store long after it: taken back on sight.

An answer of the store said that the write had failed, or none came, and nothing of it was there.
What it wrote anew bears its stamp (see ``adopt``); an update does not, but it holds a token of
somebody erased where the ledger has seen other words.
"""

from collections.abc import Sequence

from proxy.erasure.saga.withdrawal import withdraw
from proxy.gateway.answers.said import all_said
from proxy.gateway.exchange import Exchange
from proxy.gateway.memories.settle import RECREATED
from proxy.gateway.memories.sighting import Seen
from proxy.gateway.services import GatewayServices, committed
from proxy.ledger import holds, memories, reach
from proxy.ledger.engine import Tx
from proxy.telemetry import get_logger, metrics
from proxy.upstreams.errors import StoreError

_LOG = get_logger("gateway")


async def take_back(exchange: Exchange, services: GatewayServices, found: Sequence[Seen]) -> None:
    """Hide what came too late among memories that the ledger knows; delete what no hold keeps.

    What cannot be deleted now is deleted by the next read that shows it, or by ``reconcile``.
    """
    anew = [
        seen for seen in found
        if memories.says_anew(exchange.names, seen.memory, seen.item.text)
    ]  # fmt: skip
    if not anew:
        return  # as it mostly is: nothing was changed behind the ledger's back
    stored = await all_said(exchange, [(seen.raw, seen.item) for seen in anew])
    told = await services.vault.erased_in(exchange.tenant_id, stored)
    late = [seen for seen, erased in zip(anew, told, strict=True) if erased]
    for seen in late:
        seen.reason = "erased"
    if doomed := await _not_held(exchange, services, late):
        await _delete(exchange, services, doomed)


async def _not_held(
    exchange: Exchange, services: GatewayServices, late: Sequence[Seen]
) -> list[str]:
    """The store's ids of those that no legal hold keeps."""
    rows = {seen.memory.id: seen.item.memory_id for seen in late if seen.memory is not None}
    if not rows:
        return []

    async def held(tx: Tx) -> dict[str, str]:
        owned = await reach.owners(tx, rows)
        return await holds.held(
            tx, exchange.tenant_id, {each: owned.get(each, []) for each in rows}
        )

    codes = await services.ledger.read(held)
    return [memory_id for row_id, memory_id in rows.items() if row_id not in codes]


async def _delete(exchange: Exchange, services: GatewayServices, doomed: Sequence[str]) -> None:
    store = exchange.binding.store
    try:
        left = await withdraw(store, doomed, buffers=False)
    except StoreError:
        _LOG.warning("late.not_deleted", upstream=store.name, count=len(doomed))
        return
    metrics.RECREATIONS.inc(len(doomed))
    told = {"upstream": store.name, "count": len(doomed), "rows_left": left}
    await committed(
        services.ledger,
        lambda tx: services.audit.append(tx, exchange.tenant_id, RECREATED, told),
    )
