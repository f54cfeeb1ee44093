"""Filters of Mem0's platform, evaluated here over memories as its open-source server shows them.

The server's lists take owner ids only, and what its searches make of a filter depends on the vector
store behind it: one reads ``*`` as "no condition", another compares numbers as text. So a filter is
taken apart here: the owners say what to ask the server for, the test says what of it is meant.
Whatever is not understood is refused by name; no part of a filter is ever passed over.

The meaning is that of the platform's documentation: ``*`` is any value that is not null, ``ne``
holds for what is missing, ``keywords`` looks at the text.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from typing import Any

from proxy.upstreams.plain_json import Number

OWNERS = ("user_id", "agent_id", "run_id")
MAX_SCOPES = 16
ANYTHING = "*"
_GROUPS = frozenset({"AND", "OR", "NOT"})
_TIMES = frozenset({"created_at", "updated_at"})
_NOT_HERE = frozenset(
    {"app_id", "categories", "timestamp", "feedback", "memory_id", "memory", "score"}
)
OF_THE_SERVER = frozenset(
    {
        "id",
        "data",
        "hash",
        "role",
        "actor_id",
        "attributed_to",
        "expiration_date",
        "text_lemmatized",
    }
)  # it keeps metadata beside these names, so nobody's metadata can have them
_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "gt": lambda found, value: bool(found > value),
    "gte": lambda found, value: bool(found >= value),
    "lt": lambda found, value: bool(found < value),
    "lte": lambda found, value: bool(found <= value),
}
OPERATORS = frozenset({"eq", "ne", "in", "nin", "contains", "icontains", *_ORDERS})

Item = Mapping[str, Any]
Test = Callable[[Item], bool]
Scope = Mapping[str, str]  # owner field → the one id that it has


class Unsupported(ValueError):
    """A filter says what cannot be done here; the message names it."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A filter, taken apart.

    Args:
        test: whether a memory, as the server shows it, meets it.
        scopes: whatever meets it belongs to the owners of one of these; one that names nobody is
            everybody, none at all is nobody.
        equal: metadata that has exactly this text in whatever meets it.
        whole: ``scopes`` and ``equal`` say all that it says.
    """

    test: Test
    scopes: tuple[Scope, ...] = ({},)
    equal: Mapping[str, str] | None = None
    whole: bool = False


def condition(filters: Any) -> Condition:
    """Take a filter apart.

    Raises:
        Unsupported: any part of it cannot be evaluated here.
    """
    if not isinstance(filters, Mapping):
        raise Unsupported("A filter is an object.")
    return _all([_entry(name, value) for name, value in filters.items()])


def between(start: Any, end: Any) -> Condition:
    """Created on or after the one and on or before the other; None is no limit.

    Raises:
        Unsupported: one of them is no date.
    """
    limits = [("gte", "start_date", start), ("lte", "end_date", end)]
    return _all([_limit(*limit) for limit in limits if limit[2] is not None])


def _limit(operator: str, name: str, value: Any) -> Condition:
    moment = _moment(value)
    if moment is None:
        raise Unsupported(f"{name} must be a date.")
    if operator == "lte" and len(value) == len("2026-01-31"):
        moment = moment.replace(hour=23, minute=59, second=59, microsecond=999_999)
    return Condition(_time("created_at", operator, moment))


def both(one: Condition, other: Condition) -> Condition:
    """What meets both."""
    return _all([one, other])


def _entry(name: str, value: Any) -> Condition:
    if name in _GROUPS:
        return _group(name, value)
    if name in OWNERS:
        return _owner(name, value)
    if name in _NOT_HERE:
        raise _unfiltered(name)
    if name in _TIMES:
        return _all([_timed(name, *each) for each in _operations(name, value)])
    if name == "keywords":
        return _keywords(value)
    if name == "memory_ids":
        return _ids(value)
    if name == "metadata":
        return _metadata(value)
    return _field(name, value)


def _unfiltered(name: str) -> Unsupported:
    return Unsupported(f"The open-source server cannot filter by {name}.")


def _group(name: str, value: Any) -> Condition:
    parts = [value] if isinstance(value, Mapping) else value
    if not isinstance(parts, Sequence) or isinstance(parts, str) or not parts:
        raise Unsupported(f"{name} must be a list of filters.")
    found = [condition(part) for part in parts]
    if name == "AND":
        return _all(found)
    tests = [each.test for each in found]
    if name == "NOT":
        return Condition(lambda item: not any(test(item) for test in tests))
    scopes = _few(scope for each in found for scope in each.scopes)
    whole = all(each.whole and not each.equal for each in found)
    return Condition(lambda item: any(test(item) for test in tests), scopes, whole=whole)


def _all(parts: Sequence[Condition]) -> Condition:
    tests = [part.test for part in parts]
    equal: dict[str, str] = {}
    certain = True
    for part in parts:
        for name, text in (part.equal or {}).items():
            certain = certain and equal.setdefault(name, text) == text
    scopes = _few(_together(choice) for choice in _products(parts))
    whole = certain and all(part.whole for part in parts)
    return Condition(lambda item: all(test(item) for test in tests), scopes, equal, whole)


def _products(parts: Sequence[Condition]) -> Iterable[tuple[Scope, ...]]:
    number = 1
    for part in parts:
        number *= len(part.scopes)
        if number > MAX_SCOPES:
            raise _many()
    return product(*(part.scopes for part in parts))


def _together(scopes: Sequence[Scope]) -> Scope | None:
    """One owner of each kind, or None if two are named: nothing belongs to both."""
    found: dict[str, str] = {}
    for scope in scopes:
        for name, value in scope.items():
            if found.setdefault(name, value) != value:
                return None
    return found


def _few(scopes: Iterable[Scope | None]) -> tuple[Scope, ...]:
    found: list[Scope] = []
    for scope in scopes:
        if scope is not None and scope not in found:
            found.append(scope)
    if len(found) > MAX_SCOPES:
        raise _many()
    return tuple(found)


def _many() -> Unsupported:
    return Unsupported(f"A filter may name at most {MAX_SCOPES} owners.")


def _owner(name: str, value: Any) -> Condition:
    """Owner ids; those with ``ne`` and ``nin`` say nothing of whose memories to ask for."""
    parts = []
    for operator, given in _operations(name, value):
        if operator not in ("eq", "ne", "in", "nin"):
            raise Unsupported(f"{name} cannot be compared with {operator}.")
        wanted = _values(name, operator, given)
        if not all(isinstance(each, str) for each in wanted) or ANYTHING in wanted:
            raise Unsupported(f"{name} must be a string that is no wildcard.")
        positive = operator in ("eq", "in")
        scopes: tuple[Scope, ...] = tuple({name: each} for each in wanted) if positive else ({},)
        test = _at((name,), _test(name, operator, given))
        parts.append(Condition(test, _few(scopes), whole=positive))
    return _all(parts)


def _metadata(value: Any) -> Condition:
    if not isinstance(value, Mapping):
        raise Unsupported("metadata must be an object.")
    return _all([_field(name, inner) for name, inner in value.items()])


def _field(name: str, value: Any) -> Condition:
    """A field of the metadata; ``a.b`` is the field b of the object a."""
    path = ("metadata", *name.split("."))
    if path[1] in OF_THE_SERVER:
        raise _unfiltered(name)
    if value == ANYTHING:
        return Condition(_at(path, lambda found: found is not None))
    parts = []
    for operator, given in _operations(name, value):
        exact = operator == "eq" and isinstance(given, str) and name.isidentifier()
        exact = exact and given != ANYTHING
        equal = {name: given} if exact else None
        parts.append(Condition(_at(path, _test(name, operator, given)), equal=equal, whole=exact))
    return _all(parts)


def _keywords(value: Any) -> Condition:
    found = _operations("keywords", value) if isinstance(value, Mapping) else []
    if not found or any(operator not in ("contains", "icontains") for operator, _ in found):
        raise Unsupported("keywords must be compared with contains or icontains.")
    return _all([Condition(_at(("memory",), _test("keywords", *each))) for each in found])


def _ids(value: Any) -> Condition:
    found = _operations("memory_ids", value)
    if any(operator not in ("in", "eq") for operator, _ in found):
        raise Unsupported("memory_ids must be a list of ids.")
    return _all([Condition(_at(("id",), _test("memory_ids", *each))) for each in found])


def _timed(name: str, operator: str, value: Any) -> Condition:
    moment = _moment(value)
    if moment is None or operator not in ("eq", "ne", *_ORDERS):
        raise Unsupported(f"{name} must be compared with a date, by eq, ne, gt, gte, lt or lte.")
    return Condition(_time(name, operator, moment))


def _time(name: str, operator: str, moment: datetime) -> Test:
    def meets(found: Any) -> bool:
        at = _moment(found)
        if operator in ("eq", "ne"):
            return (at == moment) is (operator == "eq")
        return at is not None and _ORDERS[operator](at, moment)

    return _at((name,), meets)


def _operations(name: str, value: Any) -> list[tuple[str, Any]]:
    """Operators and what they compare with; a plain value is ``eq``, a list is ``in``."""
    if isinstance(value, Mapping):
        unknown = [operator for operator in value if operator not in OPERATORS]
        if unknown or not value:
            said = f"the operator {unknown[0]}" if unknown else "an empty object"
            raise Unsupported(f"{name} cannot be compared with {said}.")
        return list(value.items())
    return [("in" if isinstance(value, list) else "eq", value)]


def _values(name: str, operator: str, value: Any) -> list[Any]:
    if operator in ("in", "nin"):
        if not isinstance(value, list) or not value:
            raise Unsupported(f"{name} with {operator} must be a list that is not empty.")
        return value
    return [value]


def _test(name: str, operator: str, value: Any) -> Callable[[Any], bool]:
    """The comparison of one value that was found (None if it is missing).

    Raises:
        Unsupported: the operator cannot compare with this.
    """
    wanted = _values(name, operator, value)
    if any(each is None or isinstance(each, Mapping | list) for each in wanted):
        raise Unsupported(f"{name} with {operator} cannot be null, a list or an object.")
    if operator in ("eq", "in"):
        return lambda found: any(_same(found, each) for each in wanted)
    if operator in ("ne", "nin"):
        return lambda found: not any(_same(found, each) for each in wanted)
    if operator in ("contains", "icontains"):
        if not isinstance(value, str):
            raise Unsupported(f"{name} with {operator} must be a string.")
        return lambda found: _contains(found, value, fold=operator == "icontains")
    return _ordered(name, operator, value)


def _same(found: Any, value: Any) -> bool:
    """Equal, and of one type: true is not 1, and 1 is not "1"."""
    if isinstance(found, Number) and isinstance(value, Number):
        return found.value == value.value
    return isinstance(found, str | bool) and type(found) is type(value) and found == value


def _contains(found: Any, value: str, *, fold: bool) -> bool:
    """A part of a text, or a whole member of a list."""

    def plain(text: Any) -> Any:
        return text.casefold() if fold and isinstance(text, str) else text

    if isinstance(found, str):
        return plain(value) in plain(found)
    return isinstance(found, list) and plain(value) in [plain(each) for each in found]


def _ordered(name: str, operator: str, value: Any) -> Callable[[Any], bool]:
    order, moment = _ORDERS[operator], _moment(value)
    if moment is not None:
        return lambda found: (at := _moment(found)) is not None and order(at, moment)
    if not isinstance(value, Number):
        raise Unsupported(f"{name} with {operator} must be a number or a date.")
    limit = value.value
    return lambda found: isinstance(found, Number) and order(found.value, limit)


def _moment(value: Any) -> datetime | None:
    """The moment that a text names (without a zone: UTC), or None."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found


def _at(path: Sequence[str], test: Callable[[Any], bool]) -> Test:
    def meets(item: Item) -> bool:
        found: Any = item
        for name in path:
            found = found.get(name) if isinstance(found, Mapping) else None
        return test(found)

    return meets
