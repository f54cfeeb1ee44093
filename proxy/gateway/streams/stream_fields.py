"""What server-sent events say beside their data: names, ids, comments, fields that nobody reads."""

import re

from proxy.gateway.exchange import Exchange
from proxy.gateway.hop.answer_headers import is_ordinary
from proxy.gateway.request.detect import scan, tier_of
from proxy.gateway.services import GatewayServices
from proxy.gateway.streams.events import Event, Framing, field

REMEMBERED = 200  # values that were judged
_PULSES = frozenset(
    {"", "ping", "pong", "heartbeat", "hb", "keepalive", "keep-alive", "keep alive", "connected",
     "open", "ok", "start", "end", "done", "processing"}
)  # fmt: skip
# As programs name things: a word in capitals at its start is a name, unless it is a common one.
_HUMPS = r"[a-z]+(?:[A-Z][a-z]+)*"
_OF_PROGRAM = re.compile(rf"{_HUMPS}(?:[_.:/-]{_HUMPS})*[_.:/-]?[0-9]{{0,6}}")
_WAIT = re.compile(r"[0-9]{1,9}")
_MARKS = re.compile(r"[^A-Za-z]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Fields:
    """Judges the lines of one stream that are no data; a name is asked about once."""

    def __init__(self, exchange: Exchange, services: GatewayServices, framing: Framing) -> None:
        self._exchange, self._services, self._framing = exchange, services, framing
        self._judged: dict[str, bool] = {}

    async def clean(self, event: Event) -> Event:
        """The event with those lines only that may be read; its data is for others to judge."""
        if not event.beside:
            return event
        kept = [await self._line(line) for line in event.beside]
        if tuple(kept) == event.beside:
            return event
        return self._framing.with_beside(event, kept)

    async def _line(self, line: str) -> str | None:
        """What goes on of a line; None if nothing does."""
        name, value = field(line)
        if not name:  # a comment: it keeps a connection alive, whatever it says
            return line if value.strip().lower() in _PULSES else ":"
        if name == "retry":
            return line if _WAIT.fullmatch(value) else None
        return line if name in ("id", "event") and await self._may_be_read(value) else None

    async def _may_be_read(self, value: str) -> bool:
        words = _HUMP.sub(" ", value)
        if is_ordinary(words):
            return True
        if not _OF_PROGRAM.fullmatch(value):
            return False
        if value not in self._judged:
            if len(self._judged) >= REMEMBERED:
                self._judged.clear()
            self._judged[value] = not await self._personal(
                [value, _MARKS.sub(" ", words).strip().title()]
            )
        return self._judged[value]

    async def _personal(self, spellings: list[str]) -> bool:
        """Whether anything personal is found in a value as it is, or as words of their own."""
        exchange, services = self._exchange, self._services
        read = await services.vault.restore_many(exchange.tenant_id, spellings)
        pairs = {(owner.kind, owner.upstream_id) for owner in exchange.owners}
        rows = await services.owners.row_ids(
            services.ledger, exchange.names, exchange.tenant_id, pairs
        )
        texts = [each.text for each in read]
        found = await scan(services, exchange.tenant_id, texts, rows, tier=tier_of(exchange))
        return any(
            each.entity_type != "DATE_TIME"
            for analysis, known in found
            for each in (*analysis.detections, *known)
        )
