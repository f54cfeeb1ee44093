"""What the bare store makes of filters: reasons to evaluate them in front of it."""

from typing import Any

import httpx
import pytest

from tests.support.mem0_calls import remember, texts

STRANGE = [
    pytest.param({"colour": "*"}, {"red", "blue", "plain"}, {"red", "blue"}, id="star"),
    pytest.param({"AND": [{"n": 1}, {"n": 2}]}, {"blue"}, set(), id="and-of-one-field"),
]


@pytest.mark.parametrize(("filters", "given", "meant"), STRANGE)
async def test_a_search_gives_more_than_its_filter_says(
    oss: httpx.AsyncClient, user: str, filters: dict[str, Any], given: set[str], meant: set[str]
) -> None:
    """A star is no condition, and of two conditions on one field the last counts."""
    await remember(oss, "red", user_id=user, metadata={"colour": "r", "n": 1})
    await remember(oss, "blue", user_id=user, metadata={"colour": "b", "n": 2})
    await remember(oss, "plain", user_id=user)
    body = {"query": "colour", "filters": {"user_id": user, **filters}, "threshold": 0.0}
    found = texts(await oss.post("/search", json=body))
    assert found == given
    assert found > meant


async def test_a_list_knows_no_filter_at_all(oss: httpx.AsyncClient, user: str) -> None:
    """Parameters that are no owner are left out without a word."""
    await remember(oss, "red", user_id=user, metadata={"colour": "r"})
    await remember(oss, "blue", user_id=user, metadata={"colour": "b"})
    listed = await oss.get("/memories", params={"user_id": user, "colour": "r"})
    assert texts(listed) == {"red", "blue"}


WRONG = [
    pytest.param({"n": 1.1}, id="fraction"),
    pytest.param({"n": None}, id="null"),
    pytest.param({"n": {"ne": 1.5}}, id="ne"),
    pytest.param({"AND": [{"n": {"nin": [1.5]}}]}, id="nin-of-fractions"),
    pytest.param({"AND": [{"n": {"nin": ["a", 2]}}]}, id="nin-of-two-kinds"),
    pytest.param({"n": {"in": "a"}}, id="in-of-no-list"),
    pytest.param({"NOT": [{"n": {"contains": 3}}]}, id="contains"),
    pytest.param({"n": {"gt": "a"}}, id="gt-of-a-word"),
]


@pytest.mark.parametrize("filters", WRONG)
async def test_a_value_of_the_wrong_type_is_named_in_plain_words(
    oss: httpx.AsyncClient, user: str, filters: dict[str, Any]
) -> None:
    """400 as Mem0 answers, without the classes of its vector store; nothing of it is repeated."""
    await remember(oss, "red", user_id=user, metadata={"n": 1})
    answer = await oss.post("/search", json={"query": "c", "filters": {"user_id": user, **filters}})
    assert answer.status_code == 400
    assert answer.json()["detail"].startswith("A filter value is of the wrong type: ")
    assert "pydantic" not in answer.text


@pytest.mark.parametrize(
    "filters", [{"AND": [{"n": {"nin": [2]}}]}, {"n": {"gt": 0.5}}, {"n": 1}, {"n": {"in": [1]}}]
)
async def test_a_value_of_the_right_type_finds(
    oss: httpx.AsyncClient, user: str, filters: dict[str, Any]
) -> None:
    """The twins: whole numbers are equal or not, fractions only less or greater."""
    await remember(oss, "red", user_id=user, metadata={"n": 1})
    await remember(oss, "blue", user_id=user, metadata={"n": 0})
    body = {"query": "colour", "filters": {"user_id": user, **filters}, "threshold": 0.0}
    found = texts(await oss.post("/search", json=body))
    assert found == ({"red", "blue"} if "AND" in filters else {"red"})
