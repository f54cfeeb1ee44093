"""Filters: rewritten so that they name only the tenant's owners, or refused."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from proxy.problems import Problem
from proxy.upstreams.plain_json import Number

GROUPS = frozenset({"AND", "OR", "NOT"})
_MANY = frozenset({"in", "nin"})
_ONE = frozenset({"eq", "ne"})
_POSITIVE = frozenset({"eq", "in"})

Mapper = Callable[[str, Any, str], str]
Constraints = dict[str, frozenset[str]]


@dataclass(slots=True)
class Rewriting:
    """What a filter is rewritten with.

    Args:
        kinds: the store's owner field names → kind.
        hidden: metadata names that no filter may use.
        to_upstream: (kind, client's id, JSON pointer) → the store's id; refuses what is no id.
        places: every place an owner id was found at; the caller scans none of them.
    """

    kinds: Mapping[str, str]
    hidden: frozenset[str]
    to_upstream: Mapper
    places: set[tuple[int, Any]] = field(default_factory=set)


def rewrite(holder: Any, key: Any, how: Rewriting) -> Constraints:
    """Rewrite the filter at ``holder[key]`` in place.

    Returns:
        What it demands of every result: kind → the store's ids, empty if it demands no owner.

    Raises:
        Problem: ``invalid-request`` for anything whose effect is not certain.
    """
    tree = holder[key]
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise _refused("/filters", "A filter is an object.")
    found = _node(tree, "/filters", how)
    _hoist(tree, how.kinds)
    return found


def check_narrowing(value: Any, how: Rewriting) -> None:
    """Conditions beside the filter: they may narrow a result, not say whose it is.

    Raises:
        Problem: ``invalid-request``.
    """
    if value is not None and not isinstance(value, dict):
        raise _refused("/metadata", "A condition is an object.")
    _plain("metadata", value, "/metadata", how)


def _node(tree: dict[str, Any], pointer: str, how: Rewriting) -> Constraints:
    demanded: Constraints = {}
    for name in list(tree):
        here = f"{pointer}/{name}" if name in GROUPS or name in how.kinds else pointer
        if name in how.kinds:
            _demand(demanded, how.kinds[name], _identity(tree, name, here, how), here)
        elif name in GROUPS:
            for kind, ids in _group(name, tree[name], here, how).items():
                _demand(demanded, kind, ids, here)
        else:
            _plain(name, tree[name], pointer, how)
    return demanded


def _group(name: str, parts: Any, pointer: str, how: Rewriting) -> Constraints:
    listed = [parts] if isinstance(parts, dict) else parts
    if not isinstance(listed, list) or not all(isinstance(part, dict) for part in listed):
        raise _refused(pointer, "A group holds a list of filters.")
    found = [_node(part, f"{pointer}/{index}", how) for index, part in enumerate(listed)]
    if name == "AND":
        together: Constraints = {}
        for part in found:
            for kind, ids in part.items():
                _demand(together, kind, ids, pointer)
        return together
    return _either(found) if name == "OR" else {}


def _either(branches: list[Constraints]) -> Constraints:
    """What holds whichever branch does; branches over different kinds count by any of them."""
    if not branches or not all(branches):
        return {}
    kinds = {kind for branch in branches for kind in branch}
    common = {kind for kind in kinds if all(kind in branch for branch in branches)}
    if common:
        return {kind: frozenset().union(*(b[kind] for b in branches)) for kind in common}
    return {"": frozenset().union(*(ids for branch in branches for ids in branch.values()))}


def _demand(found: Constraints, kind: str, ids: frozenset[str] | None, pointer: str) -> None:
    if ids is None:
        return
    if kind in found and found[kind] != ids:
        raise _refused(pointer, "An owner is named twice, with different ids.")
    found[kind] = ids


def _identity(
    tree: dict[str, Any], name: str, pointer: str, how: Rewriting
) -> frozenset[str] | None:
    """Map the ids of one owner field; None if it only excludes."""
    kind = how.kinds[name]
    if isinstance(tree[name], list):
        tree[name] = {"in": tree[name]}
    if not isinstance(tree[name], dict):
        return frozenset({_id(tree, name, kind, pointer, how)})
    value = tree[name]
    if len(value) != 1 or not value.keys() <= _ONE | _MANY:
        raise _refused(pointer, "An owner id is compared with eq, ne, in or nin.")
    (operator,) = value
    if operator in _MANY:
        ids = _ids(value[operator], kind, pointer, how)
    else:
        ids = frozenset({_id(value, operator, kind, pointer, how)})
    if operator in _POSITIVE and len(ids) == 1:
        (tree[name],) = ids  # the plain form is what every store takes
        how.places.add((id(tree), name))
    return ids if operator in _POSITIVE else None


def _ids(values: Any, kind: str, pointer: str, how: Rewriting) -> frozenset[str]:
    if not isinstance(values, list) or not values:
        raise _refused(pointer, "A list of owner ids is not empty.")
    return frozenset(_id(values, index, kind, pointer, how) for index in range(len(values)))


def _id(container: Any, key: Any, kind: str, pointer: str, how: Rewriting) -> str:
    value = container[key]
    if not isinstance(value, str | Number):
        raise _refused(pointer, "An owner id is a string.")
    container[key] = how.to_upstream(kind, value, pointer)
    how.places.add((id(container), key))
    return str(container[key])


def _plain(name: str, value: Any, pointer: str, how: Rewriting) -> None:
    last = name.rsplit(".", 1)[-1]
    if last in how.kinds or last in how.hidden or name.startswith("$") or name.upper() in GROUPS:
        raise _refused(pointer, "This filter key is not available here.")
    stack = [value]
    while stack:
        found = stack.pop()
        if isinstance(found, dict):
            for key, inner in found.items():
                _plain(key, None, pointer, how) if key.upper() != "NOT" else None
                stack.append(inner)
        elif isinstance(found, list):
            stack.extend(found)


def _hoist(tree: dict[str, Any], kinds: Mapping[str, str]) -> None:
    """Put owner ids that stand in the root's AND beside it: some stores look only there."""
    parts = tree.get("AND")
    if not isinstance(parts, list):
        return
    for part in parts:
        for name in [name for name in part if name in kinds and isinstance(part[name], str)]:
            tree.setdefault(name, part[name])
            if tree[name] == part[name]:
                del part[name]
    kept = [part for part in parts if part]
    if kept:
        tree["AND"] = kept
    else:
        del tree["AND"]


def _refused(pointer: str, detail: str) -> Problem:
    error = {"pointer": pointer, "detail": detail}
    return Problem("invalid-request", "The filter is not allowed.", errors=[error])
