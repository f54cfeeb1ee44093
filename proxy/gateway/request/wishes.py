"""What the data subject behind a request agreed to, as far as the request names one."""

from proxy.gateway.exchange import Exchange
from proxy.gateway.services import GatewayServices


async def read_wishes(exchange: Exchange, services: GatewayServices) -> None:
    """Look up consents and preferences of the owners that the request names."""
    if services.wishes is not None and exchange.owners:
        owners = [(owner.kind, owner.client_id) for owner in exchange.owners]
        exchange.wishes = await services.wishes(exchange.tenant_id, owners)
