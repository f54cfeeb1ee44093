"""Batches: every memory stands at the declared place under the declared name, or it is a 400."""

from typing import Any

from proxy.gateway.document import Number
from proxy.gateway.exchange import Exchange
from proxy.problems import Problem
from proxy.upstreams.selectors import Slot, slots

MAX_BATCH = 1000
_IDS = frozenset({"id", "ids", "memory_id", "memory_ids", "uuid", "key"})


def batch_of(exchange: Exchange) -> list[Slot]:
    """The items of a batch.

    Raises:
        Problem: ``invalid-request`` if it names none, or could name one in another way;
            ``too-large`` beyond 1,000.
    """
    selector = exchange.route.inward.items
    if selector is None:
        return []
    found = list(slots(selector, exchange.body, 0))
    pointer = f"/{selector.name}"
    if not found or not isinstance(found[0].container, list):
        raise _refused(pointer, "The batch names no memories here.")
    if len(found) > MAX_BATCH:
        raise Problem("too-large", f"A batch has at most {MAX_BATCH} memories.")
    _check_beside(exchange, selector.name)
    for index, item in enumerate(found):
        _check_item(exchange, item.value, f"{pointer}/{index}")
    return found


def _check_beside(exchange: Exchange, own: str) -> None:
    """Nothing but plain members beside the list, none of them an id."""
    root = exchange.body[0]
    for name, value in root.items() if isinstance(root, dict) else ():
        if name != own and (isinstance(value, dict | list) or _names(exchange, name, value)):
            raise _refused(f"/{name}", "A batch names its memories in one list.")


def _check_item(exchange: Exchange, item: Any, pointer: str) -> None:
    declared = {each.name for each in exchange.route.inward.ids}
    if not isinstance(item, dict):
        raise _refused(pointer, "An item of a batch is an object.")
    if not any(isinstance(item.get(name), str | Number) for name in declared):
        raise _refused(pointer, f"An item has {' or '.join(sorted(declared))}.")
    for name, value in item.items():
        if name not in declared and _names(exchange, name, value):
            raise _refused(f"{pointer}/{name}", "An item names its memory once.")


def _names(exchange: Exchange, name: str, value: Any) -> bool:
    """Whether a member may be read as a memory's id."""
    if name.lower() in _IDS:
        return value is not None
    return isinstance(value, str) and exchange.profile.ids.fullmatch(value) is not None


def _refused(pointer: str, detail: str) -> Problem:
    error = {"pointer": pointer, "detail": detail}
    return Problem("invalid-request", "The batch is not certain.", errors=[error])
