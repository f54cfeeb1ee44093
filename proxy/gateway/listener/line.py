"""The way to one client: who it is, and bytes to it no faster than it reads."""

import asyncio
from collections.abc import Mapping
from typing import Any


class Line:
    """A connection as those see it who answer on it."""

    __slots__ = ("_loop", "_room", "_transport", "certificate", "peer", "scheme")

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._room: asyncio.Future[None] | None = None  # while the client does not read
        known = transport.get_extra_info
        address = known("peername")
        self.peer: str = address[0] if isinstance(address, tuple) else ""
        self.scheme = "https" if known("sslcontext") is not None else "http"
        self.certificate: Mapping[str, Any] | None = known("peercert")

    @property
    def closing(self) -> bool:
        """Whether nothing more can be sent."""
        return self._transport.is_closing()

    def send(self, data: bytes) -> None:
        """Send, or keep to be sent.

        Raises:
            ConnectionResetError: the client has left.
        """
        if self._transport.is_closing():
            raise ConnectionResetError
        self._transport.write(data)

    async def drained(self) -> None:
        """Wait while too much is kept; raises as ``send``."""
        if self._room is not None:
            await self._room

    def fill(self) -> None:
        """The client does not read."""
        self._room = self._loop.create_future()

    def drain(self) -> None:
        """The client reads again."""
        room, self._room = self._room, None
        if room is not None and not room.done():
            room.set_result(None)

    def lost(self) -> None:
        """The client has left."""
        room, self._room = self._room, None
        if room is not None and not room.done():
            room.set_exception(ConnectionResetError())
            room.exception()  # perhaps nobody waits

    def steer(self, *, reads: bool) -> None:
        """Let bytes come in, or wait."""
        if not self._transport.is_closing():
            (self._transport.resume_reading if reads else self._transport.pause_reading)()

    def close(self) -> None:
        """End it when all is sent."""
        self._transport.close()

    def finish(self, seconds: float) -> None:
        """End our side, and all of it when the client does, or after so long.

        Who is still sending would lose our last answer if the connection just ended.
        """
        if not self._transport.can_write_eof():
            self._transport.close()
            return
        self._transport.write_eof()
        self._loop.call_later(seconds, self._transport.abort)

    def abort(self) -> None:
        """End it at once."""
        self._transport.abort()
