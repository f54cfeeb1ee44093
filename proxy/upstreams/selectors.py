"""Selectors: an RFC 9535 subset that says where in a message something is."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Source = Literal["body", "query", "path", "header"]
Step = str | int | None  # None is the wildcard

_STEP = re.compile(r"\.([A-Za-z_][A-Za-z0-9_-]*)|\[(\*|\d+)\]")
_PLACE = re.compile(r"(query|path|header):([A-Za-z_][A-Za-z0-9_-]*)")


class SelectorError(ValueError):
    """The selector is not written in the supported subset."""


@dataclass(frozen=True, slots=True)
class Selector:
    """One place: steps into the body, or the name of a query, path or header value."""

    source: Source
    steps: tuple[Step, ...]
    relative: bool = False  # it starts at the current item
    members: tuple[str, ...] = field(init=False, default=())  # the steps, if all are names

    def __post_init__(self) -> None:
        names = tuple(step for step in self.steps if isinstance(step, str))
        object.__setattr__(self, "members", names if len(names) == len(self.steps) else ())

    @property
    def name(self) -> str:
        """The last member name on the way."""
        return next((step for step in reversed(self.steps) if isinstance(step, str)), "")


@dataclass(slots=True)
class Slot:
    """A value where it stands, so that it can be replaced in place."""

    container: Any
    key: Any

    @property
    def value(self) -> Any:
        return self.container[self.key]

    @value.setter
    def value(self, new: Any) -> None:
        self.container[self.key] = new

    @property
    def place(self) -> tuple[int, Any]:
        """Identity of the place while the message lives."""
        return id(self.container), self.key


def parse(text: str) -> Selector:
    """Compile one selector.

    Args:
        text: ``$.a[*].b`` or ``@.a`` for the body, ``query:a``, ``path:a``, ``header:a``.

    Raises:
        SelectorError: not in the subset.
    """
    placed = _PLACE.fullmatch(text)
    if placed:
        source: Any = placed[1]
        return Selector(source, (placed[2],))
    if text[:1] not in ("$", "@"):
        raise SelectorError("a selector starts with $, @, query:, path: or header:")
    return Selector("body", tuple(_steps(text)), text[0] == "@")


def _steps(text: str) -> Iterator[Step]:
    position = 1
    while position < len(text):
        found = _STEP.match(text, position)
        if found is None:
            raise SelectorError("a step is .name, [*] or [n]")
        name, index = found.groups()
        yield name or (None if index == "*" else int(index))
        position = found.end()


def parse_any(text: str) -> tuple[Selector, ...]:
    """Compile alternatives separated by ``|``: the first that matches counts."""
    return tuple(parse(part.strip()) for part in text.split("|"))


def slots(selector: Selector, holder: Any, key: Any) -> Iterator[Slot]:
    """Places that the steps reach, starting with the value at ``holder[key]``."""
    found = [(holder, key)]
    for step in selector.steps:
        found = [place for at, name in found for place in _enter(at[name], step)]
    return iter([Slot(at, name) for at, name in found])


def _enter(value: Any, step: Step) -> Sequence[tuple[Any, Any]]:
    if step is None:
        if isinstance(value, dict):
            return [(value, key) for key in value]
        return [(value, index) for index in range(_length(value))]
    if isinstance(step, str):
        here = isinstance(value, dict) and step in value
    else:
        here = step < _length(value)
    return ((value, step),) if here else ()


def _length(value: Any) -> int:
    return len(value) if isinstance(value, list) else 0


def first(alternatives: tuple[Selector, ...], value: Any) -> Any:
    """The first value that is present and not null, or None."""
    for selector in alternatives:
        if selector.members:
            found = value
            for name in selector.members:  # as _below, without a call: it is done often
                found = found.get(name) if isinstance(found, dict) else None
            if found is not None:
                return found
            continue
        for slot in slots(selector, [value], 0):
            if slot.value is not None:
                return slot.value
    return None


def _below(value: Any, members: Sequence[str]) -> Any:
    for name in members:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def holds(selector: Selector, value: Any) -> bool:
    """Whether a selector may point to something in a value; False if it certainly does not."""
    if not selector.members:
        return True
    if len(selector.members) == 1:
        return isinstance(value, dict) and selector.members[0] in value
    parent = _below(value, selector.members[:-1])
    return isinstance(parent, dict) and selector.members[-1] in parent
