"""Rates: how often a tenant, one of its owners, or a purpose may read."""

from proxy.gateway.exchange import Exchange
from proxy.gateway.services import GatewayServices

READS = frozenset({"search", "list", "get", "history", "owners"})


async def admit(exchange: Exchange, services: GatewayServices) -> None:
    """Count a read against the policy's rates of the tenant and of the stated purpose.

    Raises:
        Problem: ``rate-limited``.
    """
    if exchange.route.op not in READS:
        return
    rates = exchange.policy.read.rates
    purpose = exchange.purpose
    _take(exchange, services, ("tenant",), rates.tenant)
    if purpose:
        _take(exchange, services, ("purpose", purpose), rates.purpose)


async def admit_owner(exchange: Exchange, services: GatewayServices) -> None:
    """Count a read against the rate of each owner it names; as ``admit``."""
    if exchange.route.op in READS:
        for owner in exchange.owners:
            _take(
                exchange, services, ("owner", owner.upstream_id), exchange.policy.read.rates.owner
            )


def _take(
    exchange: Exchange, services: GatewayServices, key: tuple[str, ...], limit: int | None
) -> None:
    if limit is not None:
        services.throttle.take(
            (exchange.tenant_id, *key), per_minute=limit, now=services.clock.monotonic()
        )
