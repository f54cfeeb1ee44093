"""The parts of a JSON document: how many there are, which hold words, where they stand."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from proxy.problems import Problem
from proxy.upstreams.plain_json import MAX_DIGITS, Number
from proxy.upstreams.selectors import Slot

_DIGITS_ALIKE = bytes.maketrans(b"123456789", b"0" * 9)
_TOO_LONG = b"0" * (MAX_DIGITS + 1)


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
