"""JSON read strictly and written back so that what was not changed keeps its spelling."""

import codecs
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from proxy.problems import Problem
from proxy.upstreams.selectors import Slot

MAX_DEPTH = 64
MAX_DIGITS = 1000
_DIGITS_ALIKE = bytes.maketrans(b"123456789", b"0" * 9)
_TOO_LONG = b"0" * (MAX_DIGITS + 1)


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


class _Duplicate(ValueError):
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
    except RecursionError:
        raise Problem("too-large", "The body is nested too deeply.") from None
    except ValueError:
        raise Problem("malformed-body", "The body is not valid JSON in UTF-8.") from None
    if data.count(b"{") + data.count(b"[") > max_depth or b"\\u" in data:
        _check(value, max_depth)
    return value


def check_size(data: bytes, most: int) -> None:
    """Count the values of a document before they are built, by the signs between them.

    Raises:
        Problem: ``too-large`` for more than ``most`` values, or a number of too many digits.
    """
    if count_values(data) <= most and not _has_long_number(data):
        return
    bare = _without_strings(data)  # signs and digits within strings are none
    if count_values(bare) > most:
        raise Problem(
            "too-large",
            f"The body holds more than {most} values.",
            hint="Split the request, or raise limits.values in the configuration.",
        )
    if _has_long_number(bare):
        raise Problem("too-large", f"A number of the body has more than {MAX_DIGITS} digits.")


def count_values(data: bytes) -> int:
    """How many values a document holds at most: signs within strings count as well."""
    return 1 + sum(map(data.count, (b",", b"[", b"{")))


def _has_long_number(data: bytes) -> bool:
    return len(data) > MAX_DIGITS and _TOO_LONG in data.translate(_DIGITS_ALIKE)


def _without_strings(data: bytes) -> bytes:
    """What stands between the strings; plain searches, for a pattern would take seconds."""
    unescaped = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    parts = unescaped.split(b'"')
    unended = parts[-1:] if len(parts) % 2 == 0 else []
    return b'"'.join([*parts[::2], *unended])


def dump(value: Any) -> bytes:
    """Write a value; numbers as they were spelled."""
    return orjson.dumps(value, default=_spelled)


def _spelled(value: Any) -> orjson.Fragment:
    if isinstance(value, Number):
        return orjson.Fragment(value.text)
    raise TypeError


def _finite(text: str) -> Number:
    if not math.isfinite(float(text)):
        raise ValueError
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


@dataclass(frozen=True, slots=True)
class Leaf:
    """A string or number in a document, or the key of a member."""

    slot: Slot
    is_key: bool = False


def leaves(holder: Any, key: Any) -> Iterator[Leaf]:
    """Every string, number and member name below ``holder[key]``, in document order."""
    stack = [Leaf(Slot(holder, key))]
    while stack:
        leaf = stack.pop()
        value = leaf.slot.value
        if leaf.is_key or isinstance(value, str | Number):
            yield leaf
        elif isinstance(value, dict):
            for name in reversed(value):
                stack += [Leaf(Slot(value, name)), Leaf(Slot(value, name), is_key=True)]
        elif isinstance(value, list):
            stack += [Leaf(Slot(value, index)) for index in reversed(range(len(value)))]


def rename(container: dict[str, Any], old: str, new: str) -> bool:
    """Give a member another name, in its place; False if that name is taken."""
    if new in container:
        return False
    items = [(new if key == old else key, value) for key, value in container.items()]
    container.clear()
    container.update(items)
    return True
