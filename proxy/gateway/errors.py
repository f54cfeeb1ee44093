"""Problems as a client of the store can read them."""

import json

from proxy import ids
from proxy.gateway.exchange import Exchange, Reply
from proxy.gateway.forward import VIA
from proxy.problems import Problem


def problem_reply(problem: Problem, exchange: Exchange | None, request_id: str = "") -> Reply:
    """An RFC 9457 body, with the member in which the store's SDK looks for the message too.

    Args:
        request_id: as the log has it; absent: a new one.
    """
    body = problem.body(request_id or ids.new("req"))
    if exchange is not None and exchange.profile.error_field not in body:
        body[exchange.profile.error_field] = problem.detail
    if exchange is not None and exchange.sent and problem.upstream == "not_sent":
        body["upstream"] = "unknown"
    headers = [("Content-Type", _type(exchange)), ("Via", VIA)]
    if problem.retry_after is not None:
        headers.append(("Retry-After", str(problem.retry_after)))
    if problem.slug == "unauthenticated":
        headers.append(("WWW-Authenticate", "Token"))
    return Reply(problem.status, tuple(headers), json.dumps(body).encode())


def _type(exchange: Exchange | None) -> str:
    """Mem0's Python client reads ``detail`` from plain JSON only, else it shows the bytes."""
    by_mem0 = exchange is not None and exchange.raw.header("x-mem0-client")
    return "application/json" if by_mem0 else "application/problem+json"
