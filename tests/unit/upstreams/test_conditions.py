"""Filters of the platform over memories of the open-source server: exact, or refused by name."""

import json
from typing import Any

import pytest

from proxy.upstreams import conditions
from proxy.upstreams.conditions import MAX_SCOPES, Condition, Unsupported, between, both
from proxy.upstreams.plain_json import parse


def read(value: Any) -> Any:
    """A value as it is read off the wire."""
    return parse(json.dumps(value).encode())


def condition(filters: Any) -> Condition:
    """A filter as it comes off the wire, taken apart."""
    return conditions.condition(read(filters))


ITEMS: list[dict[str, Any]] = read([
    {
        "id": "1", "memory": "Pays the Budget in May", "user_id": "u-1", "run_id": "r-1",
        "created_at": "2026-01-10T08:00:00+00:00", "updated_at": "2026-01-10T08:00:00+00:00",
        "metadata": {"n": 1, "colour": "red", "tags": ["a", "B"], "on": True, "day": "2026-03-01"},
    },
    {
        "id": "2", "memory": "Keeps bees", "user_id": "u-1", "agent_id": "a-1",
        "created_at": "2026-02-10T08:00:00Z", "updated_at": "2026-02-11T08:00:00Z",
        "metadata": {"n": 2.5, "colour": "Reddish", "place": {"shelf": 3}, "on": 1},
    },
    {
        "id": "3", "memory": "Sails", "user_id": "u-10",
        "created_at": "2026-03-10T08:00:00", "updated_at": None,
        "metadata": {"n": "2", "colour": None, "star": "*"},
    },
    {"id": "4", "memory": "No metadata", "user_id": "u-2", "created_at": "2026-04-10T08:00:00Z"},
])  # fmt: skip

MEETING: list[Any] = [
    ({}, "1234"),
    ({"user_id": "u-1"}, "12"),
    ({"user_id": {"eq": "u-1"}}, "12"),
    ({"user_id": {"in": ["u-1", "u-2"]}}, "124"),
    ({"user_id": ["u-10"]}, "3"),
    ({"agent_id": {"ne": "a-1"}}, "134"),
    ({"user_id": {"nin": ["u-1"]}}, "34"),
    ({"user_id": "u-1", "AND": [{"user_id": "u-2"}]}, ""),
    ({"AND": [{"n": 1}, {"n": 2.5}]}, ""),
    ({"AND": [{"user_id": "u-1"}, {"OR": [{"n": 1}, {"colour": "Reddish"}]}]}, "12"),
    ({"OR": [{"user_id": "u-2"}, {"run_id": "r-1"}]}, "14"),
    ({"OR": [{"AND": [{"user_id": "u-1"}, {"n": 1}]}, {"user_id": "u-2"}]}, "14"),
    ({"NOT": [{"user_id": "u-1"}, {"user_id": "u-2"}]}, "3"),
    ({"NOT": {"colour": "red"}}, "234"),
    ({"NOT": [{"OR": [{"n": 1}, {"n": 2.5}]}]}, "34"),
    ({"NOT": [{"NOT": [{"n": 1}]}]}, "1"),
    ({"colour": "red"}, "1"),
    ({"metadata": {"colour": "red", "n": 1}}, "1"),
    ({"metadata": {"colour": "red", "n": 2}}, ""),
    ({"metadata": {"n": {"gt": 1}}}, "2"),
    ({"place.shelf": 3}, "2"),
    ({"place.shelf": 4}, ""),
    ({"colour": {"ne": "red"}}, "234"),
    ({"colour": {"nin": ["red", "Reddish"]}}, "34"),
    ({"colour": "*"}, "12"),
    ({"star": "*"}, "3"),
    ({"star": {"eq": "*"}}, "3"),
    ({"colour": {"contains": "Red"}}, "2"),
    ({"colour": {"icontains": "RED"}}, "12"),
    ({"tags": {"contains": "a"}}, "1"),
    ({"tags": {"contains": "A"}}, ""),
    ({"tags": {"icontains": "b"}}, "1"),
    ({"tags": "a"}, ""),
    ({"tags": {"contains": ""}}, ""),
    ({"keywords": {"contains": "budget"}}, ""),
    ({"keywords": {"icontains": "budget"}}, "1"),
    ({"n": {"gte": 1, "lt": 2.5}}, "1"),
    ({"n": {"lte": 2.5}}, "12"),
    ({"n": {"in": [1, "2"]}}, "13"),
    ({"n": 1.0}, "1"),
    ({"n": {"in": [25e-1]}}, "2"),
    ({"n": {"lt": 10**400}}, "12"),
    ({"on": True}, "1"),
    ({"on": 1}, "2"),
    ({"on": {"gt": 0}}, "2"),
    ({"n": "1"}, ""),
    ({"day": {"lt": "2026-03-02"}}, "1"),
    ({"created_at": {"gte": "2026-02-10T08:00:00+00:00"}}, "234"),
    ({"created_at": {"gt": "2026-02-10T09:00:00+01:00"}}, "34"),
    ({"created_at": "2026-02-10T08:00:00Z"}, "2"),
    ({"updated_at": {"lt": "2026-02-01"}}, "1"),
    ({"updated_at": {"ne": "2026-02-11T08:00:00Z"}}, "134"),
    ({"memory_ids": ["1", "4", "9"]}, "14"),
    ({"memory_ids": {"in": ["2"]}}, "2"),
]


def meeting(filters: dict[str, Any]) -> str:
    """Ids of the memories that meet a filter."""
    found = condition(filters)
    return "".join(item["id"] for item in ITEMS if found.test(item))


@pytest.mark.parametrize(("filters", "ids"), MEETING, ids=lambda each: str(each))
def test_exactly_what_meets_the_filter_is_found(filters: dict[str, Any], ids: str) -> None:
    """Every operator of the platform, groups, nesting, missing and null fields, other types."""
    assert meeting(filters) == ids


@pytest.mark.parametrize(("filters", "ids"), MEETING, ids=lambda each: str(each))
def test_what_the_server_is_asked_for_holds_all_that_meets_it(
    filters: dict[str, Any], ids: str
) -> None:
    """Owners and equal texts never leave out what meets the filter; if whole, they add nothing."""
    found = condition(filters)

    def asked(item: dict[str, Any]) -> bool:
        metadata = item.get("metadata") or {}
        equal = all(metadata.get(key) == text for key, text in (found.equal or {}).items())
        owned = any(all(item.get(k) == v for k, v in s.items()) for s in found.scopes)
        return equal and owned

    shown = "".join(item["id"] for item in ITEMS if asked(item))
    assert set(ids) <= set(shown)
    if found.whole:
        assert shown == ids


REFUSED: list[Any] = [
    ({"n": {"between": [1, 2]}}, "between"),
    ({"n": {"gt": 1, "exists": True}}, "exists"),
    ({"n": {}}, "n cannot be compared"),
    ({"metadata": {"place": {"shelf": 3}}}, "shelf"),
    ({"metadata": "red"}, "metadata"),
    ({"n": {"gt": "many"}}, "gt"),
    ({"n": {"gt": True}}, "gt"),
    ({"n": {"gt": None}}, "gt"),
    ({"n": None}, "null"),
    ({"n": [None]}, "in"),
    ({"n": []}, "n with in"),
    ({"n": {"in": "x"}}, "in"),
    ({"n": {"eq": {"a": 1}}}, "eq"),
    ({"colour": {"contains": 1}}, "contains"),
    ({"categories": {"in": ["x"]}}, "categories"),
    ({"app_id": "a"}, "app_id"),
    ({"timestamp": {"gt": 1}}, "timestamp"),
    ({"expiration_date": "2026-01-01"}, "expiration_date"),
    ({"metadata": {"role": "user"}}, "role"),
    ({"keywords": "bees"}, "keywords"),
    ({"keywords": {"gt": "bees"}}, "keywords"),
    ({"created_at": {"gte": "soon"}}, "created_at"),
    ({"created_at": {"contains": "2026-01-01"}}, "created_at"),
    ({"memory_ids": {"ne": "1"}}, "memory_ids"),
    ({"user_id": "*"}, "user_id"),
    ({"user_id": {"in": ["u-1", "*"]}}, "user_id"),
    ({"user_id": {"contains": "u"}}, "contains"),
    ({"user_id": 1}, "user_id"),
    ({"OR": []}, "OR"),
    ({"AND": "x"}, "AND"),
    ({"NOT": ["x"]}, "object"),
    ([], "object"),
    ({"NOT": [{"n": {"regex": "x"}}]}, "regex"),
    ({"OR": [{"user_id": "u-1"}, {"n": {"regex": "x"}}]}, "regex"),
    ({"user_id": {"in": [f"u-{n}" for n in range(MAX_SCOPES + 1)]}}, "owners"),
]


@pytest.mark.parametrize(("filters", "named"), REFUSED, ids=lambda each: str(each)[:60])
def test_what_cannot_be_evaluated_is_refused_by_name(filters: Any, named: str) -> None:
    """Wherever it stands: in a group, under NOT, in a branch that another would satisfy."""
    with pytest.raises(Unsupported, match=named):
        condition(filters)


SCOPES: list[Any] = [
    ({"n": 1}, [{}]),
    ({"user_id": "a"}, [{"user_id": "a"}]),
    ({"user_id": "a", "AND": [{"run_id": "r"}]}, [{"user_id": "a", "run_id": "r"}]),
    ({"user_id": "a", "AND": [{"user_id": "b"}]}, []),
    ({"OR": [{"user_id": "a"}, {"n": 1}]}, [{"user_id": "a"}, {}]),
    ({"NOT": [{"user_id": "a"}]}, [{}]),
    ({"user_id": {"ne": "a"}}, [{}]),
    (
        {"user_id": {"in": ["a", "b"]}, "agent_id": "x"},
        [{"user_id": "a", "agent_id": "x"}, {"user_id": "b", "agent_id": "x"}],
    ),
]


@pytest.mark.parametrize(("filters", "scopes"), SCOPES, ids=lambda each: str(each)[:60])
def test_owners_are_asked_for_one_by_one(filters: Any, scopes: list[Any]) -> None:
    """Each scope names one owner of a kind; what names nobody positively is seen as everybody."""
    assert list(condition(filters).scopes) == scopes


def test_a_span_of_days_holds_its_last_day() -> None:
    """``end_date`` is on or before; a moment counts to the moment."""
    days = both(condition({"user_id": "u-1"}), between("2026-01-10", "2026-02-10"))
    assert [item["id"] for item in ITEMS if days.test(item)] == ["1", "2"]
    until = between(None, "2026-02-10T07:00:00Z")
    assert [item["id"] for item in ITEMS if until.test(item)] == ["1"]
    with pytest.raises(Unsupported, match="start_date"):
        between("soon", None)
