"""Bodies: whatever legal coding they come in, decoded within limits; everything else refused."""

import zlib
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import brotli
import zstandard

from proxy.gateway.exchange import Exchange
from proxy.gateway.services import GatewayServices
from proxy.gateway.wire import document
from proxy.gateway.wire.aside import is_heavy, run_aside
from proxy.gateway.wire.decoding_limits import DecodeLimits
from proxy.problems import Problem
from proxy.upstreams import plain_json

MAX_CODINGS = 3
JSON = "application/json"
_CHARSETS = ("utf-8", "utf8", "us-ascii")
LIGHT = 4 * 1024  # packed bytes that are unpacked at once
_STEP = 1 << 10  # packed bytes at a time: bounds what one step can unpack to
_BURST = 1 << 16
_GZIP_FIELDS = 0x1E  # flags of header checksum, extra field, file name, comment (RFC 1952 §2.3.1)
_RUN, _BLOCK = 4, 1 << 17  # a block of one repeated byte, packed and unpacked (RFC 8878 §3.1.1.2)


class _Undecodable(Exception):
    pass


def _bomb(allowed: int) -> Problem:
    return Problem(
        "too-large",
        f"The body unpacks to more than {allowed} bytes.",
        hint="Send it less packed, or raise limits.unpacked and limits.ratio.",
    )


class _Machine(Protocol):
    def feed(self, data: bytes) -> bytes: ...
    def finished(self) -> bool: ...
    def is_bare(self) -> bool: ...


class Unpacked(NamedTuple):
    """A body, and whether its packing had no place for anything else."""

    plain: bytes
    bare: bool


class _Zlib:
    """gzip (members in a row too) or deflate in its zlib form."""

    def __init__(self, bits: int, *, members: bool) -> None:
        self._bits, self._members = bits, members
        self._head, self._single = b"", True
        self._stream = zlib.decompressobj(bits)

    def feed(self, data: bytes) -> bytes:
        self._head = self._head or data[:4]
        out = self._stream.decompress(data)
        while self._stream.eof and self._stream.unused_data:
            if not self._members:
                raise _Undecodable
            self._single = False
            rest = self._stream.unused_data
            self._stream = zlib.decompressobj(self._bits)
            out += self._stream.decompress(rest)
        return out

    def finished(self) -> bool:
        return self._stream.eof

    def is_bare(self) -> bool:
        return not self._members or (self._single and not self._head[3] & _GZIP_FIELDS)


class _Brotli:
    """A byte of it may unpack to megabytes, so it is asked for a piece at a time.

    Blocks of metadata may stand between those of data, and nobody tells (RFC 7932 §9.2).
    """

    def __init__(self, allowed: int) -> None:
        self._stream: Any = brotli.Decompressor()
        self._allowed = allowed

    def feed(self, data: bytes) -> bytes:
        pieces = [self._piece(data)]
        size = len(pieces[0])
        while pieces[-1] and not self._stream.is_finished() and size <= self._allowed:
            pieces.append(self._piece(b""))  # it takes all it is given before it is asked for all
            size += len(pieces[-1])
        return b"".join(pieces)

    def _piece(self, data: bytes) -> bytes:
        return bytes(self._stream.process(data, output_buffer_limit=_BURST))

    def finished(self) -> bool:
        return bool(self._stream.is_finished())

    def is_bare(self) -> bool:
        return False


class _Zstd:
    """Four bytes of it may unpack to a block of 128 KiB, so it gets as few as may still fit."""

    def __init__(self, allowed: int) -> None:
        self._stream = zstandard.ZstdDecompressor(max_window_size=1 << 23).decompressobj()
        self._left = allowed

    def feed(self, data: bytes) -> bytes:
        pieces, start = [], 0
        while start < len(data) and self._left >= 0:
            step = _RUN * (1 + self._left // _BLOCK)
            pieces.append(self._stream.decompress(data[start : start + step]))
            if self._stream.eof and (self._stream.unused_data or start + step < len(data)):
                raise _Undecodable
            self._left -= len(pieces[-1])
            start += step
        return b"".join(pieces)

    def finished(self) -> bool:
        return self._stream.eof

    def is_bare(self) -> bool:
        return self.finished()  # frames that are to be skipped were refused


_MACHINES: dict[str, Callable[[int], _Machine]] = {  # made with what it may unpack to
    "gzip": lambda _: _Zlib(31, members=True),
    "x-gzip": lambda _: _Zlib(31, members=True),
    "deflate": lambda _: _Zlib(15, members=False),
    "br": _Brotli,
    "zstd": _Zstd,
}


def unpack(body: bytes, codings: str, limits: DecodeLimits) -> Unpacked:
    """Undo the content codings of a message (RFC 9110 §8.4), last applied first.

    Raises:
        Problem: ``unsupported-coding`` for an unknown or too long chain, ``malformed-body`` if
            the bytes are not what the label says, ``too-large`` beyond the limits.
    """
    chain = [name.strip().lower() for name in codings.split(",") if name.strip()]
    applied = [name for name in chain if name != "identity"]
    if len(chain) > MAX_CODINGS or any(name not in _MACHINES for name in applied):
        raise Problem("unsupported-coding", "The content coding is not supported.")
    bare = True
    for name in reversed(applied):
        body, fine = _undo(name, body, limits)
        bare = bare and fine
    return Unpacked(body, bare)


def _undo(name: str, body: bytes, limits: DecodeLimits) -> Unpacked:
    allowed = min(limits.size, max(limits.free, len(body) * limits.ratio))
    machine = _MACHINES[name](allowed)
    pieces: list[bytes] = []
    size = 0
    try:
        for start in range(0, len(body), _STEP):
            piece = machine.feed(body[start : start + _STEP])
            size += len(piece)
            if size > allowed:
                raise _bomb(allowed)
            pieces.append(piece)
        complete = machine.finished()
    except (zlib.error, brotli.error, zstandard.ZstdError, _Undecodable):
        complete = False
    if not complete:
        raise Problem("malformed-body", "The body is not in the coding that its label says.")
    return Unpacked(b"".join(pieces), machine.is_bare())


async def decode(exchange: Exchange, services: GatewayServices) -> None:
    """Unpack and parse the request's body."""
    raw = exchange.raw
    if not raw.body:
        return
    if not content_type(raw.header("content-type")):
        raise Problem(
            "unsupported-coding",
            "The content type is not application/json, or has more than charset=utf-8.",
        )
    plain, _ = await unpacked(raw.body, raw.header("content-encoding"), services.limits.decode)
    if plain:
        exchange.heavy = is_heavy(plain)
        exchange.body = [await run_aside(exchange.heavy, _value, plain, services.limits.values)]
        exchange.has_body = True


def _value(plain: bytes, most: int) -> Any:
    document.check_size(plain, most)
    return plain_json.parse(plain)


async def unpacked(body: bytes, codings: str, limits: DecodeLimits) -> Unpacked:
    """As ``unpack``, beside the event loop if it may take long."""
    return await run_aside(bool(codings) and len(body) > LIGHT, unpack, body, codings, limits)


def content_type(value: str) -> str:
    """The type of a JSON body in our spelling (RFC 8259 §11); empty if it is another or says more.

    A subtype of ``+json`` is free text, and so is any parameter but a known charset.
    """
    media, *parameters = (part.strip().lower() for part in value.split(";"))
    pairs = [part.partition("=") for part in parameters if part]
    charsets = [charset.strip(" \"'") for name, _, charset in pairs if name.strip() == "charset"]
    known = len(charsets) == len(pairs) and all(each in _CHARSETS for each in charsets)
    if media != JSON or not known:
        return ""
    return f"{JSON}; charset=utf-8" if charsets and charsets[0] != "us-ascii" else JSON
