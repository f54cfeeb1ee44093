"""Framing of streams: server-sent events and lines of JSON, taken apart and put together again."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from proxy.problems import Problem

LARGEST = 1 << 20  # bytes of one event
_END = re.compile(rb"\n\n|\r\r|\r\n\r\n|\n\r\n")
_LINE = re.compile(r"\r\n|\n|\r")
_SPACE = " \t\r\n"  # RFC 8259 §2
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Event:
    """One event as it came, terminator included; ``data`` is None for comments and heartbeats."""

    raw: bytes
    data: str | None
    beside: tuple[str, ...] = ()  # lines that are no data


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

    def spell_alone(self, event: Event, data: str) -> bytes:
        """An event of the same name with this data and nothing else."""
        ...

    def with_beside(self, event: Event, lines: Sequence[str | None]) -> Event:
        """The event with other lines in the places of those that are no data; None takes one out.

        Without any line left its bytes are empty.
        """
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
        if len(raw) > LARGEST:
            raise garbled()
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            raise garbled() from None
        return Event(raw, self._data(text), self._beside(text))

    def _data(self, text: str) -> str | None:
        raise RuntimeError("each framing reads its own data")

    def _beside(self, text: str) -> tuple[str, ...]:
        return ()


class ServerSent(_Cutting):
    """``text/event-stream`` (WHATWG HTML, server-sent events)."""

    def __init__(self) -> None:
        super().__init__(_END)

    def _data(self, text: str) -> str | None:
        lines = [field(line)[1] for line in _LINE.split(text) if field(line)[0] == "data"]
        return "\n".join(lines) if lines else None

    def _beside(self, text: str) -> tuple[str, ...]:
        return tuple(line for line in _LINE.split(text) if line and field(line)[0] != "data")

    def spell(self, event: Event, data: str) -> bytes:
        text, newline = _opened(event)
        lines, written = [], False
        for line in _LINE.split(text):
            if field(line)[0] != "data":
                lines.append(line)
            elif not written:
                lines += [f"data: {part}" for part in data.split("\n")]
                written = True
        return newline.join(lines).encode("utf-8")

    def spell_alone(self, event: Event, data: str) -> bytes:
        _, newline = _opened(event)
        lines = [line for line in event.beside if field(line)[0] == "event"]
        lines += [f"data: {part}" for part in data.split("\n")]
        return newline.join([*lines, "", ""]).encode("utf-8")

    def with_beside(self, event: Event, lines: Sequence[str | None]) -> Event:
        text, newline = _opened(event)
        new = iter(lines)
        put = [
            next(new) if line and field(line)[0] != "data" else line for line in _LINE.split(text)
        ]
        left = [line for line in put if line is not None]
        raw = newline.join(left).encode("utf-8") if any(left) else b""
        return Event(raw, event.data, tuple(line for line in lines if line is not None))


def _opened(event: Event) -> tuple[str, str]:
    """Its text, and how its lines end."""
    text = event.raw.decode("utf-8")
    return text, found[0] if (found := _LINE.search(text)) else "\n"


def field(line: str) -> tuple[str, str]:
    """Name and value of a line; a comment has no name."""
    name, _, value = line.removeprefix(_BOM).partition(":")
    return name, value.removeprefix(" ")


class JsonLines(_Cutting):
    """One JSON value on each line; empty lines are heartbeats."""

    def __init__(self) -> None:
        super().__init__(re.compile(rb"\n"))

    def _data(self, text: str) -> str | None:
        return text.strip("\r\n") if text.strip(_SPACE) else None

    def spell(self, event: Event, data: str) -> bytes:
        after = event.raw[len(event.raw.rstrip(b"\r\n")) :]
        return data.encode("utf-8") + after

    spell_alone = spell

    def with_beside(self, event: Event, lines: Sequence[str | None]) -> Event:
        return event  # a line has nothing beside its value


def garbled() -> Problem:
    """The problem of a stream that cannot be read."""
    return Problem("upstream-garbled", "The store's stream cannot be read.", upstream="sent")
