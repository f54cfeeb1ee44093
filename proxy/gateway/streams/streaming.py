"""Answers that come as streams: each event is looked at before it goes on, and none waits."""

import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from proxy import ids
from proxy.gateway.answers.restore import clear, restore
from proxy.gateway.answers.withhold import TextStream, names_in
from proxy.gateway.exchange import Exchange
from proxy.gateway.hop.forward import check_secret, reply_headers
from proxy.gateway.listener.call import Call
from proxy.gateway.memories.items import count_items, filter_items
from proxy.gateway.services import GatewayServices
from proxy.gateway.streams.events import Event, Framing, JsonLines, ServerSent, garbled
from proxy.gateway.streams.stream_fields import Fields
from proxy.gateway.wire.aside import is_heavy, run_aside
from proxy.problems import Problem
from proxy.telemetry import get_logger
from proxy.upstreams import plain_json
from proxy.upstreams.selectors import Selector, Step, slots

_LOG = get_logger("gateway")
_FRAMINGS: Mapping[str, Callable[[], Framing]] = {"sse": ServerSent, "ndjson": JsonLines}
LONGEST_SECRET = 4096  # bytes of a credential that may stand across two pieces
MOST_BEHIND = 32  # events that wait behind a text
_SENTINEL = re.compile(
    r"\[?(?:|DONE|END|EOF|EOS|STOP|PING|PONG|ERROR|CANCELLED|START|COMPLETE|FINISHED|HEARTBEAT)\]?"
)  # a mark of the stream, and nobody's name in capitals


async def flow(exchange: Exchange, services: GatewayServices, call: Call) -> None:
    """Pass a stream on, event by event, to its end.

    A stream that cannot be read any more ends with an event that says so, and without the mark
    of a complete answer.
    """
    stream, mode = exchange.stream, exchange.route.streams
    if stream is None:
        raise RuntimeError("a stream was to flow that was not opened")
    try:
        await _begin(exchange, call, whole=mode == "bytes")
        pieces = _unread(exchange) if mode == "bytes" else _inspected(exchange, services, mode)
        async for piece in pieces:
            await call.write(piece)
        await call.end()
    except Problem as problem:
        request_id = ids.new("req")
        _LOG.warning("gateway.stream_ended", slug=problem.slug, request_id=request_id)
        await call.write(_last_words(mode, problem.body(request_id)))
        call.cut()
    finally:
        stream.close()


async def _begin(exchange: Exchange, call: Call, *, whole: bool) -> None:
    reply = exchange.reply
    if reply is None:
        raise RuntimeError("a stream has no head")
    headers = reply_headers(exchange, reply, rewritten=not whole)
    if whole and (length := reply.header("content-length")):
        headers = (*headers, ("Content-Length", length))
    await call.begin(reply.status, headers)


def _last_words(mode: str, body: Mapping[str, Any]) -> bytes:
    if mode == "sse":
        return f"event: error\ndata: {json.dumps(body)}\n\n".encode()
    return json.dumps({"error": body}).encode() + b"\n" if mode == "ndjson" else b""


async def _unread(exchange: Exchange) -> AsyncIterator[bytes]:
    """Bytes as they come; they end before our credential for the store would be told."""
    before = b""
    async for chunk in exchange.stream.chunks():  # type: ignore[union-attr]
        check_secret(exchange, before + chunk)
        yield chunk
        before = (before + chunk)[-LONGEST_SECRET:]


async def _inspected(
    exchange: Exchange, services: GatewayServices, mode: str
) -> AsyncIterator[bytes]:
    framing = _FRAMINGS[mode]()
    inspector = Inspector(exchange, services, framing, plain=mode == "sse")
    async for chunk in exchange.stream.chunks():  # type: ignore[union-attr]
        for event in framing.feed(chunk):
            check_secret(exchange, event.raw)
            for piece in await inspector.pass_on(event):
                yield piece
    for event in framing.rest():
        check_secret(exchange, event.raw)
        for piece in await inspector.pass_on(event):
            yield piece
    for piece in await inspector.flush():
        yield piece


class Inspector:
    """Looks at one event after another: what may not be read goes, words come back.

    Args:
        plain: whether data may be text that is no JSON.
    """

    def __init__(
        self, exchange: Exchange, services: GatewayServices, framing: Framing, *, plain: bool
    ) -> None:
        self._exchange, self._services, self._framing = exchange, services, framing
        self._plain, self._shown = plain, 0
        self._sees = bool(exchange.caller.roles & set(exchange.policy.read.detokenise_roles))
        self._texts = {
            each: TextStream(self._restored, partial(names_in, exchange, services))
            for each in exchange.route.outward.text
        }
        self._fields = Fields(exchange, services, framing)
        self._latest: dict[Selector, tuple[Event, Any]] = {}
        self._behind: list[tuple[Event, Any]] = []

    async def pass_on(self, event: Event) -> list[bytes]:
        """What goes to the client for an event, in order."""
        event = await self._fields.clean(event)
        if event.data is None:
            return [event.raw] if event.raw else []
        value = await self._parsed(event.data)
        if isinstance(value, _Plain) and _SENTINEL.fullmatch(value.text):
            return [*await self.flush(), event.raw]
        if self._interrupts(value) and len(self._behind) < MOST_BEHIND:
            self._behind.append((event, value))
            return []
        before = [*await self._flush_all_but(value), *await self._let_go()]
        changed = await self._join_texts(event, value)
        return [*before, *await self._judged(event, value, changed=changed)]

    async def flush(self) -> list[bytes]:
        """What was held back: the stream has ended."""
        return [*await self._flush_all_but(None), *await self._let_go()]

    def _interrupts(self, value: Any) -> bool:
        """Whether an event comes where a name or a token has begun and does not go on with it."""
        if any(True for each in self._texts for _ in _texts(each, value)):
            return False
        return any(self._texts[each].unfinished for each in self._latest)

    async def _let_go(self) -> list[bytes]:
        """The events that waited behind a text."""
        waited, self._behind = self._behind, []
        return [piece for each in waited for piece in await self._judged(*each, changed=False)]

    async def _judged(self, event: Event, value: Any, *, changed: bool) -> list[bytes]:
        if not await self._look_at(value):
            return []
        if not (changed or self._exchange.rewritten):
            return [event.raw]
        return [self._framing.spell(event, self._spelled(self._exchange.answer[0]))]

    async def _parsed(self, data: str) -> Any:
        raw = data.encode("utf-8")
        try:
            return await run_aside(is_heavy(raw), plain_json.parse, raw)
        except Problem:
            whole = any(not selector.steps for selector in self._texts)
            if self._plain and (whole or _SENTINEL.fullmatch(data)):
                return _Plain(data)
            raise garbled() from None

    def _spelled(self, value: Any) -> str:
        return value.text if isinstance(value, _Plain) else plain_json.dump(value).decode("utf-8")

    async def _restored(self, text: str) -> str:
        if not self._sees:
            return text
        (found,) = await clear(self._exchange, self._services, [text])
        return str(found.text)

    async def _join_texts(self, event: Event, value: Any) -> bool:
        """A text that goes on from event to event: a token in two pieces is one token."""
        changed = False
        for selector, stream in self._texts.items():
            for slot in _texts(selector, value):
                self._latest[selector] = event, _alone(selector.steps, value)
                ready = await stream.feed(slot.value)
                changed |= ready != slot.value
                slot.value = ready
        return changed

    async def _flush_all_but(self, value: Any) -> list[bytes]:
        """The rest of each text that this event does not go on with."""
        pieces = []
        for selector, stream in self._texts.items():
            if selector not in self._latest or any(True for _ in _texts(selector, value)):
                continue
            if value is not None and stream.unfinished:
                continue
            event, shape = self._latest.pop(selector)
            rest = await stream.finish()
            if rest:
                alone = _filled(selector, shape, rest)
                pieces.append(self._framing.spell_alone(event, self._spelled(alone)))
        return pieces

    async def _look_at(self, value: Any) -> bool:
        """Judge and restore a value in place; False if nothing of it may be shown."""
        exchange = self._exchange
        if isinstance(value, _Plain):
            exchange.answer, exchange.rewritten = [value], False
            return True
        reply = exchange.reply
        exchange.answer, exchange.answered, exchange.rewritten = [value], True, False
        await filter_items(exchange, self._services)
        if exchange.reply is not reply:
            exchange.reply = reply
            return False
        self._shown += count_items(exchange)
        if self._shown > exchange.policy.read.max_items:
            return False
        await restore(exchange, self._services)
        return True


class _Plain:
    """Data that is no JSON, in a place of its own."""

    def __init__(self, text: str) -> None:
        self.text = text


class _PlainSlot:
    def __init__(self, plain: _Plain) -> None:
        self._plain = plain

    @property
    def value(self) -> str:
        return self._plain.text

    @value.setter
    def value(self, new: str) -> None:
        self._plain.text = new


def _alone(steps: Sequence[Step], value: Any) -> Any:
    """What holds the last text that steps reach, with nothing else in it; None without one."""
    if not steps:
        return value if isinstance(value, str | _Plain) else None
    for slot in reversed(list(slots(Selector("body", tuple(steps[:1])), [value], 0))):
        below = _alone(steps[1:], slot.value)
        if below is not None and isinstance(slot.key, str):
            return {slot.key: below}
        if below is not None:
            return [*([None] * slot.key if steps[0] is not None else ()), below]
    return None


def _filled(selector: Selector, shape: Any, text: str) -> Any:
    """The shape of ``_alone`` with its text."""
    if isinstance(shape, _Plain):
        return _Plain(text)
    holder = [shape]
    for slot in slots(selector, holder, 0):
        slot.value = text
    return holder[0]


def _texts(selector: Selector, value: Any) -> list[Any]:
    """Places of text that a selector reaches in an event."""
    if isinstance(value, _Plain):
        whole = not selector.steps and not _SENTINEL.fullmatch(value.text)
        return [_PlainSlot(value)] if whole else []
    holder = [value]
    return [slot for slot in slots(selector, holder, 0) if isinstance(slot.value, str)]
