"""JSON read strictly and written back so that what was not changed keeps its spelling."""

import codecs
import json
import math
from typing import Any

import orjson

from proxy.problems import Problem

MAX_DEPTH = 64
MAX_DIGITS = 1000


class Number:
    """A number in its own spelling: ``1e3``, ``1.10`` and twenty digits survive."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text  # as it was written

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    @property
    def value(self) -> int | float:
        """What it is worth, to compare it: as Mem0's server, in Python, reads it."""
        whole = self.text.removeprefix("-").isdigit() and len(self.text) <= MAX_DIGITS
        return int(self.text) if whole else float(self.text)


class _Duplicate(ValueError):
    pass


class _Infinite(ValueError):
    pass


def parse(data: bytes, *, max_depth: int = MAX_DEPTH) -> Any:
    """Read one JSON value.

    Raises:
        Problem: ``malformed-body`` for anything that RFC 8259 or I-JSON (RFC 7493) does not
            allow, ``duplicate-key``, ``too-large`` if it is nested too deeply.
    """
    if data.startswith(codecs.BOM_UTF8):
        raise Problem("malformed-body", "The body starts with a byte order mark.")
    try:
        value = _DECODER.decode(data.decode("utf-8"))
    except _Duplicate:
        raise Problem("duplicate-key", "An object of the body has the same key twice.") from None
    except _Infinite:
        raise Problem(
            "malformed-body", "A number of the body is larger than a double can be (RFC 7493)."
        ) from None
    except RecursionError:
        raise Problem("too-large", "The body is nested too deeply.") from None
    except ValueError:
        raise Problem("malformed-body", "The body is not valid JSON in UTF-8.") from None
    if data.count(b"{") + data.count(b"[") > max_depth or b"\\u" in data:
        _check(value, max_depth)
    return value


def dump(value: Any) -> bytes:
    """Write a value; numbers as they were spelled."""
    return orjson.dumps(value, default=_spelled)


def _spelled(value: Any) -> orjson.Fragment:
    if isinstance(value, Number):
        return orjson.Fragment(value.text)
    raise TypeError


def _finite(text: str) -> Number:
    if not math.isfinite(float(text)):
        raise _Infinite
    return Number(text)


def _refuse(_: str) -> Any:
    raise ValueError


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Duplicate
    return found


_DECODER = json.JSONDecoder(
    parse_int=Number, parse_float=_finite, parse_constant=_refuse, object_pairs_hook=_object
)


def _check(value: Any, max_depth: int) -> None:
    stack = [(value, 1)]
    while stack:
        found, depth = stack.pop()
        if isinstance(found, str):
            _check_text(found)
        elif isinstance(found, dict | list):
            if depth > max_depth:
                raise Problem("too-large", "The body is nested too deeply.")
            if isinstance(found, dict):
                for key in found:
                    _check_text(key)
            parts = found.values() if isinstance(found, dict) else found
            stack.extend((part, depth + 1) for part in parts)


def _check_text(text: str) -> None:
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        raise Problem("malformed-body", "A string of the body holds half a surrogate pair.")
