"""What the log is told of a refusal: our id of it, what it is, and which route it was."""

from proxy import ids
from proxy.gateway.exchange import Exchange
from proxy.problems import Problem
from proxy.telemetry.refusals import tell_refusal


def told(problem: Problem, status: int, exchange: Exchange | None) -> str:
    """Log an answer that is a problem; gives the id by which it is found there."""
    request_id = ids.new("req")
    where: dict[str, str] = {}
    if exchange is not None:
        route = exchange.route
        where = {
            "method": exchange.raw.method, "route": route.template, "operation": route.op,
            "upstream": exchange.binding.name, "tenant_id": exchange.tenant_id,
        }  # fmt: skip
    tell_refusal(request_id, problem.slug, status, problem.detail, **where)
    return request_id
