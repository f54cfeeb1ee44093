"""Blocked names in a text beside the items; in one that comes in pieces what may be one waits."""

import re
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from detectors.detection import Detection
from proxy.gateway.exchange import Exchange
from proxy.gateway.services import GatewayServices
from proxy.tokens.restore import RestoringStream
from proxy.tokens.surrogate import ERASED
from proxy.upstreams.selectors import slots

REACH = 80  # code points that wait while names are blocked: no name is longer
_ENDED = re.compile(r"(?:[!?\n]|\w{3}[.:])[\"'”’)\]]*\s*\Z")
Find = Callable[[str], Awaitable[Sequence[Detection] | None]]
Restore = Callable[[str], Awaitable[str]]


async def names_in(
    exchange: Exchange, services: GatewayServices, text: str
) -> Sequence[Detection] | None:
    """Blocked names in a text for the request's owners; None if the tenant blocks none at all."""
    if not await services.blocklist.blocks_names(exchange.tenant_id):
        return None
    pairs = {(owner.kind, owner.upstream_id) for owner in exchange.owners}
    rows = await services.owners.row_ids(services.ledger, exchange.names, exchange.tenant_id, pairs)
    (found,) = await services.blocklist.blocked_mentions(exchange.tenant_id, [text], rows)
    return found


async def take_names(exchange: Exchange, services: GatewayServices) -> None:
    """Take blocked names out of the texts that stand beside the items of a whole answer."""
    for selector in exchange.route.outward.text if exchange.answered else ():
        for slot in slots(selector, exchange.answer, 0):
            if isinstance(slot.value, str):
                clear = await WithheldNames(partial(names_in, exchange, services)).whole(slot.value)
                exchange.rewritten = exchange.rewritten or clear != slot.value
                slot.value = clear


class WithheldNames:
    """Takes blocked names out of a text in pieces.

    Args:
        find: blocked names in a text; None if no name is blocked at all, and nothing waits.
    """

    def __init__(self, find: Find) -> None:
        self._find = find
        self._passed, self._held = "", ""  # the end of what went on, as it came; what waits

    @property
    def unfinished(self) -> bool:
        """Whether a name may have begun in what waits: it does not end like a sentence."""
        return bool(self._held) and _ENDED.search(self._held) is None

    async def feed(self, piece: str) -> str:
        """What can be passed on after this piece; may be empty."""
        self._held += piece
        return await self._pass_on(REACH)

    async def whole(self, text: str) -> str:
        """A text of which nothing is to come."""
        return await self.feed(text) + await self.finish()

    async def finish(self) -> str:
        """The rest. Should the text go on, a name that began here loses what is still to come."""
        return await self._pass_on(0)

    async def _pass_on(self, wait: int) -> str:
        if not self._held:
            return ""
        before, whole = len(self._passed), self._passed + self._held
        found = await self._find(whole)
        cut = len(whole) if found is None else max(before, len(whole) - wait)
        spans = sorted((each.start, each.end) for each in found or ())
        for start, end in spans:
            if start < cut < end:  # it may go on: it waits as a whole
                cut = max(before, start)
        ready = _without(whole, spans, before, cut)
        self._passed, self._held = whole[max(0, cut - REACH) : cut], whole[cut:]
        return ready


def _without(text: str, spans: Sequence[tuple[int, int]], first: int, last: int) -> str:
    """``text[first:last]`` with a mark for each span in it."""
    parts, at = [], first
    for start, end in spans:
        if start < last and at < min(end, last):
            parts += [text[at : max(at, start)], ERASED]
            at = min(end, last)
    return "".join([*parts, text[at:last]])


class TextStream:
    """A text in pieces with clear words for tokens and without blocked names.

    Args:
        restore: turns a piece into its restored form.
        find: as of ``WithheldNames``.
    """

    def __init__(self, restore: Restore, find: Find) -> None:
        self._words, self._names = RestoringStream(restore), WithheldNames(find)

    @property
    def unfinished(self) -> bool:
        """Whether a name or a token may have begun in what waits."""
        return self._names.unfinished or self._words.unfinished

    async def feed(self, piece: str) -> str:
        """What can be passed on after this piece; may be empty."""
        return await self._names.feed(await self._words.feed(piece))

    async def finish(self) -> str:
        """The rest, once the text goes on with something else or has ended."""
        ready = await self._names.feed(await self._words.finish())
        return ready + await self._names.finish()
