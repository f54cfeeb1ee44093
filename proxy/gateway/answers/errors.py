"""Problems as a client of the store can read them."""

import json
from collections.abc import Mapping
from types import MappingProxyType

from proxy.gateway.exchange import Exchange, Reply
from proxy.gateway.hop import refusals
from proxy.gateway.hop.forward import VIA
from proxy.gateway.hop.told import told
from proxy.problems import Problem


def problem_reply(
    problem: Problem,
    exchange: Exchange | None,
    request_id: str = "",
    *,
    named: Mapping[str, str] = MappingProxyType({}),
) -> Reply:
    """An RFC 9457 body, with the member in which the store's SDK looks for the message too.

    Args:
        request_id: as the log has it; absent: a new one, and the log has it from here.
        named: headers of the request by their names in lower case, where they were understood.
    """
    body = problem.body(request_id or told(problem, problem.status, exchange))
    if exchange is not None and exchange.profile.error_field not in body:
        body[exchange.profile.error_field] = problem.told
    if exchange is not None and exchange.sent and problem.upstream == "not_sent":
        body["upstream"] = "unknown"
    headers = [("Content-Type", refusals.media_type(named)), ("Via", VIA)]
    if problem.retry_after is not None:
        headers.append(("Retry-After", str(problem.retry_after)))
    if problem.slug == "unauthenticated":
        headers.append(("WWW-Authenticate", "Token"))
    return Reply(problem.status, tuple(headers), json.dumps(body).encode())
