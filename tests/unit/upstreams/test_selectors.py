"""The short ways through a document find what the long way finds."""

from typing import Any

import pytest

from proxy.upstreams.selectors import first, holds, parse, parse_any, slots

ITEM: dict[str, Any] = {
    "id": "m-1", "null": None, "empty": {}, "deep": {"a": {"b": 1}, "none": None}, "list": [1, 2],
}  # fmt: skip
WAYS = ["@", "@.id", "@.null", "@.absent", "@.empty.a", "@.deep.a.b", "@.deep.none", "@.deep.a.b.c",
        "@.list", "@.list[1]", "@.list[7]", "@.list[*]", "@.list.a", "@.deep[*]"]  # fmt: skip


def everything(way: str, value: Any) -> list[Any]:
    """All values by the general way."""
    return [slot.value for slot in slots(parse(way), [value], 0)]


@pytest.mark.parametrize("value", [ITEM, [], "text", None, {}], ids=str)
@pytest.mark.parametrize("way", WAYS)
def test_first_is_the_first_of_all(way: str, value: Any) -> None:
    """The first value that is not null, or none."""
    present = [each for each in everything(way, value) if each is not None]
    assert first(parse_any(way), value) == (present[0] if present else None)


@pytest.mark.parametrize("value", [ITEM, [], "text", None, {}], ids=str)
@pytest.mark.parametrize("way", WAYS)
def test_what_is_there_is_held(way: str, value: Any) -> None:
    """Never false where something is, null included; for plain members never true without."""
    there = bool(everything(way, value))
    assert holds(parse(way), value) or not there
    if parse(way).members:
        assert holds(parse(way), value) == there


def test_alternatives_come_in_order() -> None:
    """An absent or null one gives way to the next."""
    assert first(parse_any("@.absent|@.null|@.deep.a.b|@.id"), ITEM) == 1
