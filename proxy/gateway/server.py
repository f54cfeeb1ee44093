"""The data plane: a request to an exchange, an answer or a problem back; it reserves no path."""

import asyncio
import re
import time
from collections import Counter
from typing import Literal

from aiohttp import web

from proxy import ids
from proxy.gateway import pipeline
from proxy.gateway.again import REPEATED, again, in_turn, over, spare
from proxy.gateway.answers.errors import problem_reply
from proxy.gateway.answers.restore import reply_of
from proxy.gateway.exchange import Caller, Exchange, RawCall, Reply
from proxy.gateway.identity.identify import identify
from proxy.gateway.listener.call import Answer, Call
from proxy.gateway.listener.over_aiohttp import AiohttpRunner
from proxy.gateway.listener.over_httptools import HttptoolsRunner
from proxy.gateway.request.opening import opened
from proxy.gateway.services import GatewayServices
from proxy.gateway.streams.streaming import flow
from proxy.gateway.wire.aside import run_aside
from proxy.gateway.wire.limits import Limits
from proxy.keys.errors import KeyDestroyed
from proxy.problems import Problem
from proxy.telemetry import get_logger, metrics

_LOG = get_logger("gateway")
Listener = Literal["aiohttp", "httptools"]
_WORD = re.compile(r"[A-Za-z0-9_.-]{0,64}")


LINGER = 2.0  # seconds in which the rest of a refused body is read and thrown away


def data_runner(gateway: "Gateway", kind: Listener, *, shutdown_timeout: float) -> web.BaseRunner:
    """Serves the data plane.

    Args:
        kind: which listener.
        shutdown_timeout: seconds that requests at work get at the end.
    """
    made = HttptoolsRunner if kind == "httptools" else AiohttpRunner
    return made(gateway.handle, gateway.limits, LINGER, shutdown_timeout=shutdown_timeout)


class Gateway:
    """The data plane: one handler takes every request."""

    def __init__(self, services: GatewayServices) -> None:
        self._services = services
        self.limits = services.limits
        self._at_work = 0
        self._of_tenants: Counter[str] = Counter()

    async def handle(self, call: Call) -> Answer | None:
        """Answer one request; every failure becomes a problem. None: it was sent in pieces.

        Raises:
            ConnectionError: the client has left.
        """
        if self._at_work >= self._services.limits.concurrent:
            problem = Problem(
                "overloaded", "Too many requests at once.", retry_after=1,
                hint="Send fewer at once, or raise limits.requests.",
            )  # fmt: skip
            return _answer(problem_reply(problem, None, named=call.named), call)
        self._at_work += 1
        try:
            return await self._handle(call)
        finally:
            self._at_work -= 1

    async def _handle(self, call: Call) -> Answer | None:
        start = time.perf_counter()
        exchange: Exchange | None = None
        decision = "allow"
        try:
            exchange = await self._opened(call)
            self._take_turn(exchange.tenant_id)
            try:
                await pipeline.run(exchange, self._services)
                if exchange.stream is not None:
                    _measure(exchange, decision, time.perf_counter() - start)
                    await flow(exchange, self._services, call)
                    return None
            finally:
                self._of_tenants[exchange.tenant_id] -= 1
            reply = await run_aside(exchange.heavy, reply_of, exchange)
            decision = "flag" if exchange.flagged else decision
        except Problem as problem:
            decision = problem.slug
            reply = problem_reply(problem, exchange, named=call.named)
        except (ConnectionError, asyncio.CancelledError):
            raise
        except KeyDestroyed:
            decision = "subject-locked"
            reply = problem_reply(_key_gone(), exchange, named=call.named)
        except Exception as failure:  # noqa: BLE001  (the boundary: never a stack trace out)
            decision = "internal"
            request_id = ids.new("req")
            _LOG.error("gateway.failed", exc_info=failure, request_id=request_id)
            reply = problem_reply(_internal(exchange), exchange, request_id, named=call.named)
        finally:
            if exchange is not None:
                over(exchange.asked, self._services)
        _measure(exchange, decision, time.perf_counter() - start)
        if exchange is not None:
            spare(exchange)
        # Without an exchange nobody knows what follows on this connection.
        return _answer(reply, call, closes=exchange is None)

    def _take_turn(self, tenant_id: str) -> None:
        """One of the tenant's turns, to be given back: no tenant takes all of them.

        Raises:
            Problem: ``overloaded``.
        """
        if self._of_tenants[tenant_id] >= self._services.limits.concurrent_of_tenant:
            raise Problem(
                "overloaded",
                "This tenant has too many requests at once.",
                hint="Send fewer at once, or raise limits.tenant_requests.",
                retry_after=1,
            )
        self._of_tenants[tenant_id] += 1

    async def _opened(self, call: Call) -> Exchange:
        """Read the request; whose it is comes first where its body is not here."""
        limits, expected = self._services.limits, call.named.get("expect", "")
        _check_head(call, limits)
        if not expected or call.version != "1.1":
            caller = None if call.arrived else await identify(_raw(call, b""), self._services)
            return await self._exchange(_raw(call, await _body(call, limits)), caller)
        _check_expected(call, expected, limits)
        exchange = await self._exchange(_raw(call, b""))
        await call.go_on()
        exchange.raw = _raw(call, await _body(call, limits))
        exchange.asked = None
        return exchange

    async def _exchange(self, raw: RawCall, caller: Caller | None = None) -> Exchange:
        services = self._services
        _check_statements(raw)
        known = await in_turn(raw, services)
        exchange = again(known, raw, services.clock.now()) if known is not None else None
        if exchange is not None:
            return exchange
        try:
            exchange = await opened(raw, caller or await identify(raw, services), services)
        finally:
            if exchange is None or exchange.route.op not in REPEATED:
                over(known, services)
        exchange.asked = known
        return exchange


def _check_head(call: Call, limits: Limits) -> None:
    """Refuse what would make it another protocol, or framed in another way.

    Raises:
        Problem: as the refusal is called.
    """
    named = call.named
    if call.version not in ("1.1", "1.0"):
        raise Problem("invalid-request", "The HTTP version is not supported.")
    if len(call.headers) > limits.headers:
        raise Problem("too-large", "The request has too many headers.", hint="See limits.headers.")
    if named.get("upgrade"):
        raise Problem("route-not-covered", "Protocol upgrades are not covered.")
    coding = named.get("transfer-encoding", "").lower()
    if coding and call.version == "1.0":
        raise Problem("invalid-request", "HTTP/1.0 knows no transfer coding.")
    if coding not in ("", "chunked"):
        raise Problem("unsupported-coding", "The transfer coding is not supported.")


def _raw(call: Call, body: bytes) -> RawCall:
    named = call.named
    origin = f"{call.scheme}://{named.get('host', '')}"
    return RawCall(
        call.method, call.target, call.headers, body, origin, call.peer, call.certificate, named
    )


def _check_expected(call: Call, expected: str, limits: Limits) -> None:
    """Whether a body that is held back may be asked for (RFC 9110 §10.1.1).

    Raises:
        Problem: ``expectation-failed`` if anything else is expected, ``too-large``.
    """
    if expected.lower() != "100-continue":
        raise Problem("expectation-failed", "The request expects what is not known here.")
    if call.length > limits.body:
        raise _oversized(f"{call.length} bytes", limits.body)


def _check_statements(raw: RawCall) -> None:
    """What a client states about a request are words of a policy, not free text."""
    for name in ("expunge-purpose", "expunge-region", "expunge-source"):
        said = raw.header(name)
        if said and not _WORD.fullmatch(said):
            raise Problem("invalid-request", f"The header {name} is not one plain word.")


async def _body(call: Call, limits: Limits) -> bytes:
    """The packed body.

    Raises:
        Problem: ``too-large`` beyond the limit, ``request-timeout`` if it takes too long.
    """
    if call.length > limits.body:
        raise _oversized(f"{call.length} bytes", limits.body)
    if call.arrived:  # nothing to wait for
        whole = call.taken()
        if len(whole) > limits.body:
            raise _oversized(f"{len(whole)} bytes", limits.body)
        return whole
    chunks: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(limits.body_seconds):
            async for chunk in call.pieces():
                size += len(chunk)
                if size > limits.body:
                    raise _oversized(f"more than {limits.body} bytes", limits.body)
                chunks.append(chunk)
    except TimeoutError:
        raise Problem(
            "request-timeout",
            f"The body did not arrive within {limits.body_seconds:g} seconds.",
            hint="Send it faster, or raise limits.body_time.",
        ) from None
    return b"".join(chunks)


def _oversized(received: str, allowed: int) -> Problem:
    return Problem(
        "too-large",
        f"The body has {received}; {allowed} are allowed.",
        hint="Split the request, or raise limits.body in the configuration.",
    )


def _key_gone() -> Problem:
    return Problem("subject-locked", "A key that is needed was destroyed meanwhile.")


def _internal(exchange: Exchange | None) -> Problem:
    sent = exchange is not None and exchange.sent
    return Problem("internal", "Something went wrong.", upstream="unknown" if sent else "not_sent")


def _measure(exchange: Exchange | None, decision: str, seconds: float) -> None:
    upstream = exchange.binding.name if exchange else "none"
    operation = exchange.route.op if exchange else "none"
    metrics.labelled(metrics.REQUESTS, upstream, operation, decision).inc()
    if decision != "allow":
        metrics.REFUSALS.labels(decision).inc()
    if exchange is not None:
        spent = seconds - exchange.seconds_upstream
        metrics.labelled(metrics.OVERHEAD, operation).observe(spent)


def _answer(reply: Reply, call: Call, *, closes: bool = False) -> Answer:
    bodiless = call.method == "HEAD"
    bare = reply.status in (204, 304) or (bodiless and not reply.body)
    if bodiless and not bare:  # the length is that of the body
        kept = tuple(pair for pair in reply.headers if pair[0].lower() != "content-length")
        reply = Reply(reply.status, kept, reply.body)
    unread = reply.status in (400, 408, 413) and not call.arrived
    return Answer(reply, closes=closes or unread, bare=bare)
