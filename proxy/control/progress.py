"""Long work that tells how far it is: one JSON document, or lines with the counts on the way."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import orjson
from aiohttp import web

from proxy import ids
from proxy.background import spawn
from proxy.control.routing import Ask
from proxy.erasure.search.walk import Progress
from proxy.problems import Problem
from proxy.telemetry.refusals import tell_refusal

LINES = "application/x-ndjson"
Work = Callable[[Progress], Awaitable[Mapping[str, Any]]]


@dataclass(slots=True)
class Counted:
    """How far it is.

    Args:
        memories: read so far.
        pages: in how many lots.
        upstream: the store that is being read.
        stage: ``memories``, or ``rows`` while the tables beside them are read.
    """

    memories: int = 0
    pages: int = 0
    upstream: str = ""
    stage: str = "memories"


@dataclass(slots=True)
class _Told:
    """The newest counts, and whether anybody has heard them."""

    counts: Counted = field(default_factory=Counted)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, upstream: str, stage: str, items: int) -> None:
        self.counts.memories += items
        self.counts.pages += stage == "memories"
        self.counts.upstream, self.counts.stage = upstream, stage
        self.news.set()


async def answer(ask: Ask, work: Work) -> Mapping[str, Any] | web.Response:
    """The result of ``work``; as lines for a caller that accepts them.

    Lines are ``{"progress": {...}}``, as many as there is news, and last ``{"result": {...}}`` or
    ``{"problem": {...}}``. Whoever goes away before ends the work; what it did so far stays.
    """
    if LINES in ask.headers.get("Accept", ""):
        return web.Response(body=_lines(work), content_type=LINES)
    return await work(lambda *_: None)


async def _lines(work: Work) -> AsyncIterator[bytes]:
    told = _Told()
    task = spawn(_ended(work(told.tell)), name="long-work")
    try:
        while not task.done():
            news = asyncio.ensure_future(told.news.wait())
            await asyncio.wait({task, news}, return_when=asyncio.FIRST_COMPLETED)
            news.cancel()
            if told.news.is_set():
                told.news.clear()
                yield _line({"progress": asdict(told.counts)})
        yield _line(await task)
    finally:
        task.cancel()


async def _ended(work: Awaitable[Mapping[str, Any]]) -> dict[str, Any]:
    try:
        return {"result": await work}
    except Problem as problem:
        request_id = ids.new("req")
        tell_refusal(request_id, problem.slug, problem.status, problem.detail)
        return {"problem": problem.body(request_id)}


def _line(document: Mapping[str, Any]) -> bytes:
    return orjson.dumps(document) + b"\n"
