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
