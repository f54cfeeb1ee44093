"""Batches: every memory stands where the profile says, under that name, or it is a 400.

Whatever the profile's selectors are (a list of objects, of ids, deep in the body, an id inside an
object), the body is walked along them: nothing beside the way may be read as a memory's id.
"""

from collections.abc import Sequence
from typing import Any

from proxy.gateway.exchange import Exchange
from proxy.problems import Problem
from proxy.upstreams.plain_json import Number
from proxy.upstreams.selectors import Slot, Step, slots

MAX_BATCH = 1000
BATCHES = frozenset({"batch_update", "batch_delete"})
_IDS = frozenset({"id", "ids", "memory_id", "memory_ids", "uuid", "key"})
Way = tuple[Step, ...]


def batch_of(exchange: Exchange) -> list[Slot]:
    """The items of a batch; where the profile knows no items, the ids themselves.

    Raises:
        Problem: ``invalid-request`` if it has no list of them (an empty one is one), or could name
            one in another way; ``too-large`` beyond 1,000.
    """
    inward = exchange.route.inward
    selectors = [inward.items] if inward.items is not None else inward.ids
    found = [slot for each in selectors for slot in slots(each, exchange.body, 0)]
    if len(found) > MAX_BATCH:
        raise Problem("too-large", f"A batch has at most {MAX_BATCH} memories.")
    for name, value in zip(exchange.query.names, exchange.query.values, strict=True):
        if _names(exchange, name, value):
            raise _refused(f"/{name}", "A batch names its memories in its body.")
    ways = _ways(exchange)
    named = _walk(exchange, exchange.body[0], ways, "", inside=False)
    if not named and not any(_is_empty_list(exchange.body[0], way) for way in ways):
        raise _refused("/", "The batch names no memories here.")
    return found


def groups_of(exchange: Exchange) -> dict[str, list[int]]:
    """For each memory that a request names the batch items about it; -1: it is no batch."""
    inward = exchange.route.inward
    groups: dict[str, list[int]] = {each: [] for each in exchange.targets}
    if inward.items is None:
        return {each: [-1] for each in groups}
    for index, item in enumerate(slots(inward.items, exchange.body, 0)):
        for place in (each for ids in inward.ids for each in slots(ids, item.container, item.key)):
            groups.setdefault(str(place.value), []).append(index)
    return groups


def _ways(exchange: Exchange) -> list[Way]:
    """The steps from the root to every id."""
    inward = exchange.route.inward
    start: Way = inward.items.steps if inward.items is not None else ()
    return [(start if each.relative else ()) + each.steps for each in inward.ids]


def _is_empty_list(value: Any, way: Way) -> bool:
    """Whether the list on a way is there, and names nothing."""
    for step in way:
        if step is None:
            return isinstance(value, list) and not value
        value = value.get(step) if isinstance(value, dict) else None
    return False


def _walk(
    exchange: Exchange, value: Any, ways: Sequence[Way], pointer: str, *, inside: bool
) -> int:
    """How many ids a part of the body names.

    Args:
        inside: the part belongs to one memory of the list, which may hold other things as well.
    """
    if () in ways:
        if not isinstance(value, str | Number):
            raise _refused(pointer, "A memory is named by its id.")
        if isinstance(value, str) and not value.strip():
            raise _refused(pointer, "A memory's id is not empty.")
        return 1
    if any(way[0] is None for way in ways):
        return _listed(exchange, value, [way[1:] for way in ways], pointer)
    if not isinstance(value, dict):
        raise _refused(pointer or "/", "An object stands here.")
    found = 0
    for name, part in value.items():
        here, onward = f"{pointer}/{name}", [way[1:] for way in ways if way[0] == name]
        if onward:
            found += _walk(exchange, part, onward, here, inside=inside)
        elif _names(exchange, name, part) or (not inside and isinstance(part, dict | list)):
            raise _refused(here, "A batch names each memory once, at one place.")
    return found


def _listed(exchange: Exchange, value: Any, ways: Sequence[Way], pointer: str) -> int:
    if not isinstance(value, list):
        raise _refused(pointer or "/", "A list of memories stands here.")
    counts = [
        _walk(exchange, part, ways, f"{pointer}/{index}", inside=True)
        for index, part in enumerate(value)
    ]
    if 0 in counts:
        raise _refused(f"{pointer}/{counts.index(0)}", "Each part of a batch names its memory.")
    return sum(counts)


def _names(exchange: Exchange, name: str, value: Any) -> bool:
    """Whether a member may be read as a memory's id."""
    if name.lower() in _IDS:
        return value is not None
    return isinstance(value, str) and exchange.profile.ids.fullmatch(value) is not None


def _refused(pointer: str, detail: str) -> Problem:
    error = {"pointer": pointer, "detail": detail}
    return Problem("invalid-request", "The batch is not certain.", errors=[error])
