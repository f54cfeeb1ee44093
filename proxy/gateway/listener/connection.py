"""One client: its requests are answered one after another, in the order in which they came."""

import asyncio
import socket
from typing import Protocol, cast

from proxy.gateway.listener import heads, refusal
from proxy.gateway.listener.call import Handler
from proxy.gateway.listener.incoming import Incoming
from proxy.gateway.listener.known_heads import KnownHeads
from proxy.gateway.listener.line import Line
from proxy.gateway.listener.reading import Requests
from proxy.gateway.wire.limits import Limits
from proxy.problems import Problem

WAITING = 32  # requests that may wait for their turn; beyond them the client waits
SLICE = 8 * 1024  # bytes that are read at a time: bounds how many requests come of them


class Clients(Protocol):
    """Whoever counts the clients, and says how they are served."""

    loop: asyncio.AbstractEventLoop
    handler: Handler
    limits: Limits
    heads: KnownHeads
    linger: float
    idle: float

    def admit(self, connection: "Connection") -> bool:
        """Count a client in; False if there are too many."""

    def leave(self, connection: "Connection") -> None:
        """A client is gone and its last request is done."""


class Connection(asyncio.Protocol):
    """What the event loop tells of one client."""

    def __init__(self, server: Clients) -> None:
        self._server, self._loop = server, server.loop
        self._current: Incoming | None = None  # is being answered
        self._serving: asyncio.Task[None] | None = None  # answers one request after another
        self._turn: asyncio.Future[Incoming | None] | None = None  # while it waits for the next
        self._rest = b""  # read off the wire and not looked at, while too much waits
        self._reads = True
        self._ended = False  # the client sends no more
        self._last = False  # no further request is answered
        self._since = 0.0  # when it began to wait for a request
        self._clock: asyncio.TimerHandle | None = None

    @property
    def task(self) -> asyncio.Task[None] | None:
        """What answers a request now; None if none is answered."""
        return None if self._current is None else self._serving

    def drain(self) -> None:
        """End it as soon as the request at work is answered."""
        self._last = True
        if self._current is None:
            self._line.close()
        else:
            self._current.stays = False

    def abort(self) -> None:
        """End it now."""
        self._line.abort()

    # -- what the loop calls -----------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._line = Line(cast("asyncio.Transport", transport), self._loop)
        self._requests = Requests(
            self._line, self._server.limits, self._server.heads, self._look_again
        )
        if not self._server.admit(self):
            self._line.abort()
            return
        opened = transport.get_extra_info("socket")
        if opened is not None and opened.family in (socket.AF_INET, socket.AF_INET6):
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._wait()

    def data_received(self, data: bytes) -> None:
        if self._rest:
            self._rest += data
        else:
            self._read(data)

    def eof_received(self) -> bool:
        """The client sends no more; True keeps the connection until it has its answers."""
        self._ended = True
        if not self._rest:
            self._requests.ended()
        return self._current is not None and self._line.scheme == "http"

    def pause_writing(self) -> None:
        self._line.fill()

    def resume_writing(self) -> None:
        self._line.drain()

    def connection_lost(self, error: Exception | None) -> None:
        self._line.lost()
        self._requests.lost()
        self._rest = b""
        if self._clock is not None:
            self._clock.cancel()
        self._tell(None)
        if self._current is None:
            self._server.leave(self)

    # -- inside ------------------------------------------------------------------------------------

    def _read(self, data: bytes) -> None:
        """Look at what came, as far as there is room for what comes of it."""
        requests = self._requests
        for start in range(0, len(data), SLICE):
            if requests.deaf:
                break
            if len(requests.found) >= WAITING:
                self._rest = data[start:]
                break
            requests.feed(data[start : start + SLICE])
        self._steer()
        if self._current is None:
            self._next()

    def _look_again(self) -> None:
        """There is room again."""
        rest, self._rest = self._rest, b""
        self._read(rest)

    def _steer(self) -> None:
        """Let the client wait while too much of what it sent does."""
        reads = not self._rest and not self._requests.full
        if reads != self._reads:
            self._reads = reads
            self._line.steer(reads=reads)

    def _next(self) -> None:
        """Answer the request whose turn it is, if there is one."""
        if not self._requests.found or self._last:
            return
        found = self._requests.found.popleft()
        if isinstance(found, Problem):
            self._refuse(found)
            return
        self._current = found
        if self._serving is None:
            self._serving = self._loop.create_task(self._serve(found))
        else:
            self._tell(found)

    def _tell(self, call: Incoming | None) -> None:
        """Give what waits for the next request that request; None: there will be none."""
        turn, self._turn = self._turn, None
        if turn is not None and not turn.done():
            turn.set_result(call)

    def _refuse(self, problem: Problem, failure: BaseException | None = None) -> None:
        """Say so, and end it."""
        answer = refusal.refusal(problem, failure)
        if not self._line.closing:
            self._line.send(heads.whole(answer, "", old=False, stays=False))
            self._line.finish(self._server.linger)

    async def _serve(self, call: Incoming | None) -> None:
        """Answer requests until the client is gone: one task for all, to make one costs."""
        while call is not None:
            await self._answer(call)
            call = self._current
            if call is not None:  # it was here already: others come first
                await asyncio.sleep(0)
            elif not self._line.closing:
                self._turn = self._loop.create_future()
                call = await self._turn

    async def _answer(self, call: Incoming) -> None:
        try:
            answer = await self._server.handler(call)
            if answer is not None:
                await call.answer(answer)
            if not call.arrived:
                await call.body.drop(self._server.linger)
        except ConnectionError:
            self._line.close()
        except asyncio.CancelledError:
            self._line.abort()
            raise
        except Exception as failure:  # noqa: BLE001  (the boundary below the gateway)
            call.stays = False
            if not call.begun:
                self._refuse(refusal.failed(), failure)
        finally:
            self._current = None
            self._go_on(stays=call.stays and call.arrived)

    def _go_on(self, *, stays: bool) -> None:
        """What comes after an answer."""
        if self._line.closing:
            self._server.leave(self)
        elif not stays or self._last:
            self._requests.deaf = True
            self._line.close()
        else:
            self._wait()
            if self._rest:
                self._look_again()
            else:
                self._next()
            if self._ended and not self._rest:
                self._requests.ended()
            if self._ended and self._current is None:
                self._line.close()

    def _wait(self) -> None:
        """From now on a whole head has to come within the time."""
        self._since = self._loop.time()
        if self._clock is None:
            self._clock = self._loop.call_at(self._since + self._server.idle, self._look)

    def _look(self) -> None:
        """Whether it has waited too long; one timer for all its requests."""
        self._clock = None
        if self._current is not None:
            return  # it waits again after the answer
        if self._loop.time() >= self._since + self._server.idle:
            self._line.close()
        else:
            self._clock = self._loop.call_at(self._since + self._server.idle, self._look)
