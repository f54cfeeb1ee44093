"""Which strings of a request could carry content: all of them but what is known to be none."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from detectors.recognisers.secret_names import secret_name
from proxy.gateway.exchange import Exchange, Text
from proxy.gateway.request.pieces import MOST_PIECES
from proxy.gateway.request.scope import places
from proxy.gateway.wire import request_headers
from proxy.gateway.wire.clean_headers import CleanHeaders
from proxy.gateway.wire.document import Leaf, leaves
from proxy.problems import Problem
from proxy.upstreams.plain_json import Number
from proxy.upstreams.selectors import Slot

FURTHEST = 30  # places by which an exponent may move the point of a telephone or card
SHORTEST_NUMBER = 7  # digits: below it neither a phone nor a card
_IDENTIFIER = re.compile(r"[a-z0-9_.:-]*")
_INERT = re.compile(r"(?i)true|false|null|none|[+-]?\d{1,6}(?:\.\d{1,6})?|")
_KNOWN_HEADERS = frozenset(
    {
        "host", "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
        "expect", "content-length", "content-type", "content-encoding", "date",
        "accept-encoding", "authorization", "x-api-key", "mem0-user-id", "cookie", "confirm",
        "proxy-authorization", "proxy-connection", "expunge-purpose", "expunge-region",
        "expunge-source", "x-http-method-override", "x-http-method", "x-method-override",
        "x-original-url", "x-rewrite-url",
        "traceparent", "forwarded", "x-real-ip",
    }
)  # fmt: skip

_LOWER = re.compile(r"[a-z0-9*+./=_-]*", re.ASCII)
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}|\*|q=[0-9.]{1,5}", re.ASCII)
_WORD = re.compile(r"\S*")
_AGENT = re.compile(r"\S*|[^/]*/\d.*")
_TECHNICAL_HEADERS = {
    "accept": _LOWER, "accept-language": _LANGUAGE, "content-language": _LANGUAGE,
    "user-agent": _AGENT, "cache-control": _LOWER,
    "pragma": _LOWER, "if-none-match": _WORD, "tracestate": _WORD, "x-mem0-client": _WORD,
    "x-mem0-source": _WORD, "x-application": _WORD, "x-mem0-caller-type": _WORD,
    "x-mem0-client-language": _WORD, "x-mem0-client-version": _WORD, "idempotency-key": _WORD,
    "x-request-id": _WORD,
}  # fmt: skip


def collect(exchange: Exchange, clean: CleanHeaders) -> None:
    """Fill ``exchange.texts`` from body, query and headers."""
    exchange.texts = [
        *_body(exchange),
        *_query(exchange),
        *_headers(exchange, clean),
    ]


def _body(exchange: Exchange) -> Iterator[Text]:
    content = _under(exchange, exchange.route.inward.content)
    queries = _under(exchange, exchange.route.inward.query)
    groups = _groups(exchange)
    for text in beneath(exchange, exchange.body, 0):
        place = text.slot.place
        if place in content and text.role != "key":
            text.role = "content"
        elif place in queries and text.role != "key":
            text.role = "query"
        text.group = groups.get(place, -1)
        _check_binary(text)
        yield text


def beneath(exchange: Exchange, holder: Any, key: Any) -> Iterator[Text]:
    """What could carry content of ``holder[key]``, in document order."""
    known = exchange.profile.known_keys
    for leaf in leaves(holder, key):
        text = _leaf(exchange, leaf, known)
        if text is not None:
            yield text


def _leaf(exchange: Exchange, leaf: Leaf, keys: frozenset[str]) -> Text | None:
    slot, value = leaf.slot, leaf.slot.value
    if leaf.is_key:
        return None if slot.key in keys else Text(slot, slot.key, "key")
    if slot.place in exchange.skipped:
        return None
    if isinstance(value, Number):
        said = written_out(value.text)
        digits = sum(char.isdigit() for char in said)
        told = digits >= SHORTEST_NUMBER or secret_name(str(slot.key)) is not None
        told = told or (isinstance(slot.container, list) and len(slot.container) <= MOST_PIECES)
        return Text(slot, said, "number") if told else None
    if value in exchange.profile.protocol_words or not value.strip():
        return None
    return Text(slot, value, "value")


def written_out(number: str) -> str:
    """A number with its digits in a row: ``4.1e6`` is ``4100000``; others as they are."""
    if "e" not in number and "E" not in number:
        return number
    written = Decimal(number)
    return format(written.normalize(), "f") if abs(written.adjusted()) <= FURTHEST else number


def _under(exchange: Exchange, selectors: Any) -> set[tuple[int, Any]]:
    return {
        leaf.slot.place
        for selector in selectors
        if selector.source == "body"
        for slot in places(exchange, selector)
        for leaf in leaves(slot.container, slot.key)
        if not leaf.is_key
    }


def _groups(exchange: Exchange) -> dict[tuple[int, Any], int]:
    """Index of the batch item that each place belongs to."""
    selector = exchange.route.inward.items
    if selector is None:
        return {}
    return {
        leaf.slot.place: index
        for index, slot in enumerate(places(exchange, selector))
        for leaf in leaves(slot.container, slot.key)
    }


_BINARY = re.compile(r"(?i)\s*data:[a-z0-9.+-]+/[a-z0-9.+-]+[;,]")


def _check_binary(text: Text) -> None:
    """Refuse what stands for content that cannot be read here.

    Raises:
        Problem: ``unsupported-coding``.
    """
    container = text.slot.container
    if text.role == "content" and isinstance(container, dict):
        kind = container.get("type")
        if kind is not None and kind != "text":
            raise Problem("unsupported-coding", "Only text content can be scanned.")
    if _BINARY.match(text.text):
        raise Problem("unsupported-coding", "Embedded data cannot be scanned.")


def _query(exchange: Exchange) -> Iterator[Text]:
    query = exchange.query
    for index, value in enumerate(query.values):
        slot = Slot(query.values, index)
        if query.names[index] not in exchange.profile.known_keys:
            yield Text(Slot(query.names, index), query.names[index], "parameter")
        if slot.place not in exchange.skipped and not _INERT.fullmatch(value):
            yield Text(slot, value, "parameter")


def _headers(exchange: Exchange, clean: CleanHeaders) -> Iterator[Text]:
    for name, value in exchange.raw.headers:
        lower = name.lower()
        if lower in _KNOWN_HEADERS or not request_headers.may_pass(lower):
            continue
        passed = request_headers.passed(lower, value)
        if request_headers.is_zone_or_locale(value):
            passed = None  # no words to scan
        for said in filter(None, (passed, request_headers.words(lower))):
            if not clean.knows((exchange.tenant_id, name, said), exchange.now):
                yield Text(Slot([said, name, value], 0), said, "header")


def is_technical(text: Text) -> bool:
    """Whether a key, parameter or header is a program's, not a person's words."""
    form = _TECHNICAL_HEADERS.get(text.slot.container[1].lower()) if text.role == "header" else None
    if form is not None and all(form.fullmatch(part.strip()) for part in _parts(text.text)):
        return True
    if text.role == "key" and secret_name(text.text) is not None:
        return True
    named = text.role in ("key", "header", "parameter")
    return named and _IDENTIFIER.fullmatch(text.text) is not None


def _parts(value: str) -> list[str]:
    """The members of a header's list and their parameters."""
    return value.replace(";", ",").split(",")
