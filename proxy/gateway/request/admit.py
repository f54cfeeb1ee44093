"""Whether a request is let in: its purpose, and how often somebody may read."""

from policies.decision import NO_PREFERENCES
from proxy.gateway.exchange import Exchange
from proxy.gateway.request.refused import refuse_closed
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


async def check_purpose(exchange: Exchange, services: GatewayServices) -> None:
    """Refuse a purpose that the policy does not know or has closed, on every route.

    Raises:
        Problem: ``purpose-denied``.
    """
    await refuse_closed(exchange, services, NO_PREFERENCES)


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
