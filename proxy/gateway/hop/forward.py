"""One hop: what goes to the store, and reading what comes back."""

import re
import time
from collections.abc import Sequence
from urllib.parse import quote

from proxy.gateway.exchange import Exchange
from proxy.gateway.hop import answer_headers, leads, refusals
from proxy.gateway.hop.decode import content_type, unpacked
from proxy.gateway.hop.told import told
from proxy.gateway.services import GatewayServices
from proxy.gateway.wire import request_headers
from proxy.gateway.wire.aside import is_heavy, run_aside
from proxy.problems import Problem
from proxy.telemetry import metrics
from proxy.upstreams import plain_json
from proxy.upstreams.profile import STREAMS
from proxy.upstreams.transport import Headers, Streaming, UpstreamReply, UpstreamRequest

VIA = "1.1 expunge"
_HOP = frozenset(
    {"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
     "upgrade", "proxy-authenticate", "proxy-authorization"}
)  # fmt: skip
_OURS = frozenset(
    {"host", "authorization", "x-api-key", "mem0-user-id", "cookie", "content-length", "expect",
     "forwarded", "x-real-ip", "confirm", "expunge-purpose", "expunge-region",
     "expunge-source", "x-http-method-override", "x-http-method", "x-method-override",
     "x-original-url", "x-rewrite-url", "accept-encoding", "content-type", "content-encoding",
     "date"}
)  # fmt: skip
_TRACE = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
_ACCEPTED = re.compile(
    r"(gzip|x-gzip|deflate|br|zstd|identity)"
    r"(?:[ \t]*;[ \t]*(q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)))?",
    re.ASCII | re.IGNORECASE,
)  # RFC 9110 §12.5.3, without the star
_UNREAD = re.compile(
    r"(?:audio|font|image|video)/[a-z0-9.-]+|application/(?:octet-stream|pdf|zip|(?:x-)?(?:gzip|tar)|zstd)"
)  # what may pass as bytes; whatever is text is read or refused
_REPLY_OURS = frozenset({"content-length"})
_OF_BYTES = _REPLY_OURS | {
    "content-encoding", "etag", "last-modified", "content-range", "accept-ranges", "content-md5",
    "digest", "content-digest", "repr-digest",
}  # fmt: skip
_TALLY = re.compile(r"(?:.*-)?(?:total|count)(?:-.*)?")  # also of items that may not be seen
# What is judged anew for every caller has no version of its own that could be asked for.
_CONDITIONS = frozenset({"if-none-match", "if-modified-since", "if-range", "range"})


async def forward(exchange: Exchange, services: GatewayServices) -> None:
    """Send the request and parse the answer; raises as ``send`` and ``read``."""
    await send(exchange, services)
    await read(exchange, services)


async def send(exchange: Exchange, services: GatewayServices) -> None:
    """Send the request; on a route that streams, the answer may be left to arrive.

    Raises:
        Problem: of the transport; ``upstream-refused`` if the store refuses our credential.
    """
    start = time.perf_counter()
    exchange.sent = True
    try:
        exchange.reply = await _send(exchange, services)
    except Problem as problem:
        exchange.sent = problem.upstream != "not_sent"
        raise
    finally:
        exchange.seconds_upstream = time.perf_counter() - start
        labels = exchange.binding.name, exchange.route.op
        metrics.labelled(metrics.UPSTREAM, *labels).observe(exchange.seconds_upstream)
    if exchange.reply.status < 200:
        raise Problem("upstream-garbled", "The store changed the protocol.", upstream="sent")
    if exchange.reply.status in (401, 403):
        if exchange.binding.passthrough is not None:
            slug = "unauthenticated" if exchange.reply.status == 401 else "forbidden"
            raise Problem(slug, "The store refused the client's own credential.", upstream="sent",
                          hint="Send one that the store accepts for this.")  # fmt: skip
        raise Problem("upstream-refused", "The store refused the proxy's request.", upstream="sent")


async def _send(exchange: Exchange, services: GatewayServices) -> UpstreamReply:
    """Send once; on a route that streams, the body may be left to arrive."""
    transport, streams = exchange.dialect.transport, exchange.route.streams
    if not streams:
        asked = exchange.asked
        known = asked.request if asked is not None else None
        return await transport.send(known or outgoing(exchange))
    if not isinstance(transport, Streaming):
        raise Problem("route-not-covered", "This store's transport cannot stream.")
    stream = await transport.stream(outgoing(exchange))
    head = UpstreamReply(stream.status, stream.headers, b"")
    packed = head.header("content-encoding").lower() not in ("", "identity")
    if stream.status < 300 and _flows(_media(head), streams):
        if packed and streams != "bytes":
            stream.close()
            raise Problem("upstream-garbled", "The store's stream is packed.", upstream="sent")
        exchange.stream = stream
        return head
    try:
        body = await stream.whole(services.limits.decode_reply.size)
    finally:
        stream.close()
    return UpstreamReply(stream.status, stream.headers, body)


def _flows(media: str, streams: str) -> bool:
    """Whether an answer of this type is a stream as its route says; else it is read as a whole."""
    return bool(_UNREAD.fullmatch(media)) if streams == "bytes" else media in STREAMS[streams]


def _media(reply: UpstreamReply) -> str:
    return reply.header("content-type").partition(";")[0].strip().lower()


def _is_json(media: str) -> bool:
    """Whether a body of this type can be understood here; a store may leave the type out."""
    return media in ("", "application/json", "text/json") or (
        media.startswith("application/") and media.endswith("+json")
    )


async def read(exchange: Exchange, services: GatewayServices) -> None:
    """Parse the answer's body.

    Raises:
        Problem: ``upstream-garbled``.
    """
    reply = exchange.reply
    if reply is None or not reply.body:
        return
    if reply.status >= 500:
        _withhold(exchange, reply)
        return
    if not _is_json(_media(reply)):
        raise Problem("upstream-garbled", "The store's answer is not JSON.", upstream="sent")
    try:
        codings = reply.header("content-encoding")
        plain, bare = await unpacked(reply.body, codings, services.limits.decode_reply)
        exchange.heavy = is_heavy(plain)
        exchange.answer = [await run_aside(exchange.heavy, plain_json.parse, plain)]
        exchange.answered, exchange.rewritten = True, not bare
    except Problem:
        raise Problem(
            "upstream-garbled", "The store's answer is not valid JSON.", upstream="sent"
        ) from None
    check_secret(exchange, plain)
    if reply.status < 300:
        return
    if not await run_aside(exchange.heavy, refusals.is_plain, exchange, exchange.answer[0]):
        exchange.answer, exchange.rewritten = [refusals.withheld(exchange)], True


def check_secret(exchange: Exchange, said: bytes) -> None:
    """Whether an answer may be shown at all.

    Raises:
        Problem: ``upstream-garbled`` if our credential for the store stands in it.
    """
    if exchange.dialect.tells_secret(said):
        raise Problem(
            "upstream-garbled", "The store's answer holds its credential.", upstream="sent"
        )


def _withhold(exchange: Exchange, reply: UpstreamReply) -> None:
    """A failing store's words are its own: they may quote requests of others. The status stays."""
    problem = Problem("upstream-failed", "The store failed.", upstream="sent")
    body = problem.body(told(problem, reply.status, exchange)) | {"status": reply.status}
    body.setdefault(exchange.profile.error_field, problem.detail)
    kept = [pair for pair in reply.headers if pair[0].lower() != "content-type"]
    headers = (*kept, ("Content-Type", refusals.media_type(exchange.raw.named)))
    exchange.reply = UpstreamReply(reply.status, headers, plain_json.dump(body))
    exchange.answer, exchange.answered, exchange.rewritten = [body], True, True


def outgoing(exchange: Exchange) -> UpstreamRequest:
    """The request as it goes to the store: what came packed goes plain.

    A packed body is written anew even if nothing in it changed, for the packing has places of its
    own for words (RFC 1952 §2.3: file name, comment; RFC 8878 §3.1.2: skippable frames).
    """
    body = exchange.raw.body
    if exchange.changed or exchange.raw.header("content-encoding"):
        body = plain_json.dump(exchange.body[0]) if exchange.has_body else b""
    return UpstreamRequest(
        exchange.raw.method, _target(exchange), _headers(exchange), body, passed_on(exchange)
    )


def passed_on(exchange: Exchange) -> tuple[str, str] | None:
    """The client's own credential for the store; None where the store gets ours.

    Raises:
        Problem: ``unauthenticated`` if it gets the client's and there is none, or more than one:
            ours is never sent in its place.
    """
    name = exchange.binding.passthrough
    if name is None or exchange.caller.internal:
        return None
    found = [pair for pair in exchange.raw.headers if pair[0].lower() == name and pair[1].strip()]
    if len(found) != 1:
        raise Problem(
            "unauthenticated", f"The store wants one credential of the client's own, in {name}.",
            hint=f"Send what the store gave you in {name}, and your Expunge key in the other of "
            "authorization and x-api-key.",
        )  # fmt: skip
    return found[0]


def _target(exchange: Exchange) -> str:
    path = exchange.raw.target.partition("?")[0]
    if "owner" in exchange.variables:
        spelled = {name: quote(value, safe="") for name, value in exchange.variables.items()}
        path = exchange.route.path(**spelled)
    query = exchange.query.spell()
    return f"{path}?{query}" if query else path


def _headers(exchange: Exchange) -> Headers:
    drop = hop_headers(exchange.raw.headers)
    if exchange.route.outward.items is not None:
        drop |= _CONDITIONS
    kept = [
        (pair[0], passed)
        for pair in exchange.raw.headers
        if (lower := pair[0].lower()) not in _OURS
        and lower not in drop
        and not lower.startswith("x-forwarded-")
        and request_headers.may_pass(lower)
        and pair not in exchange.dropped_headers
        and (lower != "traceparent" or _TRACE.fullmatch(pair[1]))
        and (passed := request_headers.passed(lower, pair[1])) is not None
    ]
    if plain := content_type(exchange.raw.header("content-type")):
        kept.append(("Content-Type", plain))
    accepted = exchange.raw.header("accept-encoding")
    if exchange.route.streams in ("sse", "ndjson"):
        kept.append(("Accept-Encoding", "identity"))
    elif accepted:
        kept.append(("Accept-Encoding", _acceptable(accepted)))
    return _with_us(kept)


def _with_us(kept: Sequence[tuple[str, str]]) -> Headers:
    """The headers with us behind whoever was between before (RFC 9110 §7.6.3)."""
    before = [value for name, value in kept if name.lower() == "via"]
    rest = [pair for pair in kept if pair[0].lower() != "via"] if before else kept
    return (*rest, ("Via", ", ".join([*before, VIA])))


def hop_headers(headers: Headers) -> frozenset[str]:
    """Names that end at this hop (RFC 9110 §7.6.1), those that Connection lists included."""
    said = [value for name, value in headers if name.lower() == "connection"]
    listed = {token.strip().lower() for value in said for token in value.split(",")}
    return _HOP | (listed - {"content-type", "content-encoding", ""}) if listed else _HOP


def _acceptable(accepted: str) -> str:
    """The codings that the client takes and that can be read here, with their weights."""
    found = [_ACCEPTED.fullmatch(part.strip()) for part in accepted.split(",")]
    known = [";".join(filter(None, each.groups())) for each in found if each is not None]
    return ", ".join(known) or "identity"


def reply_headers(exchange: Exchange, reply: UpstreamReply, *, rewritten: bool) -> Headers:
    """The store's headers as they go on to the client."""
    ours = _OF_BYTES if rewritten else _REPLY_OURS
    kept, listed = [], False
    judged = exchange.route.outward.items is not None
    for pair in reply.headers:
        name = pair[0].lower()
        listed = listed or name == "connection"
        if exchange.dialect.tells_secret(": ".join(pair)):
            continue
        if name in leads.NAMES:
            place = leads.led(exchange, name, pair[1])
            kept += [] if place is None else [(pair[0], place)]
        elif name in ours or name in _HOP or (judged and _TALLY.fullmatch(name)):
            continue
        elif answer_headers.may_be_read(exchange, name, pair[1]):
            kept.append((pair[0], answer_headers.as_read(name, pair[1])))
    if listed:
        drop = hop_headers(reply.headers)
        kept = [pair for pair in kept if pair[0].lower() not in drop]
    return _with_us(kept)
