"""Framing of streams: server-sent events and lines of JSON, taken apart and put together again."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from proxy.problems import Problem

LARGEST = 1 << 20  # bytes of one event
_END = re.compile(rb"\n\n|\r\r|\r\n\r\n|\n\r\n")
_LINE = re.compile(r"\r\n|\n|\r")
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Event:
    """One event as it came, terminator included; ``data`` is None for comments and heartbeats."""

    raw: bytes
    data: str | None


class Framing(Protocol):
    """Cuts a stream into events."""

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """Events that are complete now.

        Raises:
            Problem: ``upstream-garbled`` if one is too large or no UTF-8.
        """
        ...

    def rest(self) -> Iterator[Event]:
        """What the stream ended with, if it ended within an event."""
        ...

    def spell(self, event: Event, data: str) -> bytes:
        """The event with other data; everything else of it stays as it is."""
        ...


class _Cutting:
    """Keeps what is not complete yet."""

    def __init__(self, end: re.Pattern[bytes]) -> None:
        self._end, self._kept = end, b""

    def feed(self, chunk: bytes) -> Iterator[Event]:
        self._kept += chunk
        start = 0
        for found in self._end.finditer(self._kept):
            yield self._event(self._kept[start : found.end()])
            start = found.end()
        self._kept = self._kept[start:]
        if len(self._kept) > LARGEST:
            raise garbled()

    def rest(self) -> Iterator[Event]:
        kept, self._kept = self._kept, b""
        if kept:
            yield self._event(kept)

    def _event(self, raw: bytes) -> Event:
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            raise garbled() from None
        return Event(raw, self._data(text))

    def _data(self, text: str) -> str | None:
        raise RuntimeError("each framing reads its own data")


class ServerSent(_Cutting):
    """``text/event-stream`` (WHATWG HTML, server-sent events)."""

    def __init__(self) -> None:
        super().__init__(_END)

    def _data(self, text: str) -> str | None:
        lines = [_field(line)[1] for line in _LINE.split(text) if _field(line)[0] == "data"]
        return "\n".join(lines) if lines else None

    def spell(self, event: Event, data: str) -> bytes:
        text = event.raw.decode("utf-8")
        newline = found[0] if (found := _LINE.search(text)) else "\n"
        lines, written = [], False
        for line in _LINE.split(text):
            if _field(line)[0] != "data":
                lines.append(line)
            elif not written:
                lines += [f"data: {part}" for part in data.split("\n")]
                written = True
        return newline.join(lines).encode("utf-8")


def _field(line: str) -> tuple[str, str]:
    name, _, value = line.removeprefix(_BOM).partition(":")
    return name, value.removeprefix(" ")


class JsonLines(_Cutting):
    """One JSON value on each line; empty lines are heartbeats."""

    def __init__(self) -> None:
        super().__init__(re.compile(rb"\n"))

    def _data(self, text: str) -> str | None:
        return text.strip("\r\n") or None

    def spell(self, event: Event, data: str) -> bytes:
        after = event.raw[len(event.raw.rstrip(b"\r\n")) :]
        return data.encode("utf-8") + after


def garbled() -> Problem:
    """The problem of a stream that cannot be read."""
    return Problem("upstream-garbled", "The store's stream cannot be read.", upstream="sent")
