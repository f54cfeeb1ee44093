"""The beginning of an exchange: which route a call takes, and what stands for it there."""

from proxy.gateway.exchange import Caller, Exchange, RawCall
from proxy.gateway.hop.forward import passed_on
from proxy.gateway.identity.identify import permit
from proxy.gateway.request.match import match
from proxy.gateway.services import GatewayServices
from proxy.gateway.wire import query


async def opened(raw: RawCall, caller: Caller, services: GatewayServices) -> Exchange:
    """The exchange of a known caller.

    Raises:
        Problem: ``route-not-covered``, ``forbidden`` or ``purpose-denied``; ``unauthenticated``
            without the credential that the store wants of the client.
    """
    found = match(raw.method, raw.target, services)
    permit(caller, raw, found.route)
    exchange = Exchange(
        raw=raw,
        caller=caller,
        names=await services.keyring.tenant(caller.tenant_id),
        policy=services.policies(caller.tenant_id),
        binding=found.binding,
        dialect=found.dialect,
        route=found.route,
        variables=found.variables,
        query=query.parse(found.query),
        now=services.clock.now(),
    )
    passed_on(exchange)
    return exchange
