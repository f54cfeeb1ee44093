"""A reader who may see few items of one answer sees all of them on the pages of a list."""

from collections.abc import Callable, Sequence
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from proxy.gateway.wire.query import parse
from tests.support.fault_store import FaultStore, answer
from tests.support.gateway import PROFILES, Plane, with_section
from tests.unit.gateway.conftest import Opened

OVER = "mem0-platform-over-oss"  # the platform's routes in front of a server without them
LIST = "/v3/memories/"
MINE = {"filters": {"user_id": "u-1"}}
NOTES = sorted(f"Note {number} is about rye." for number in range(14))
FEW: Callable[..., Any] = partial(with_section, section="read", max_items=5)

SIZES = {
    # id: what the client asks for, what the store is asked for
    "too large": ("page=2&page_size=8", "page=2&page_size=5"),
    "as large as may be": ("page_size=5", "page_size=5"),
    "smaller": ("page=1&page_size=4", "page=1&page_size=4"),
    "none said": ("page=2", "page=2&page_size=5"),
    "nothing said": ("", "page_size=5"),
    "no number": ("page_size=many", "page_size=many"),
    "no such number": ("page_size=-8", "page_size=-8"),
}


async def pages(plane: Plane, size: str) -> list[str]:
    """The texts of every page, one after the other, by number until there are no more."""
    found: list[str] = []
    for number in range(1, 9):
        status, shown = await plane.call("POST", f"{LIST}?page={number}{size}", MINE)
        if status == 404:
            return sorted(found)
        assert (status, shown["count"]) == (200, 14)
        found += [each["memory"] for each in shown["results"]]
    raise AssertionError(found)


@pytest.mark.parametrize("size", ["&page_size=8", "&page_size=100", "&page_size=3", ""])
@pytest.mark.parametrize("profiles", [PROFILES, ("mem0-oss", OVER)], ids=["platform", "over-oss"])
async def test_every_item_stands_on_one_page(
    opened: Opened, profiles: Sequence[str], size: str
) -> None:
    """However long a page the client wants: one of more items than it may see is made shorter."""
    async with opened(change=FEW, profiles=profiles) as plane:
        for note in NOTES:
            await plane.add(note)
        assert await pages(plane, size) == NOTES


async def test_links_lead_from_page_to_page(opened: Opened) -> None:
    """They are the store's, whose pages are as long as what may be seen."""
    async with opened(change=FEW) as plane:
        for note in NOTES:
            await plane.add(note)
        found: list[str] = []
        link: str | None = f"{LIST}?page_size=8"
        while link is not None:
            _, shown = await plane.call("POST", link[link.index(LIST) :], MINE)
            found += [each["memory"] for each in shown["results"]]
            link = shown["next"]
    assert sorted(found) == NOTES


@pytest.mark.parametrize(("said", "asked"), SIZES.values(), ids=SIZES)
async def test_the_store_is_asked_for_no_more_than_may_be_seen(
    opened_plain: Opened, faults: FaultStore, said: str, asked: str
) -> None:
    """The rest of the query keeps its bytes; what is no number is the store's to refuse."""
    faults.script = lambda _: answer({"count": 0, "results": []})
    async with opened_plain(change=FEW) as plane:
        status, _ = await plane.call("POST", f"{LIST}?{said}", MINE)
    assert (status, [each.target for each in faults.requests]) == (200, [f"{LIST}?{asked}"])


async def test_a_policy_that_shows_more_changes_no_query(
    opened_plain: Opened, faults: FaultStore
) -> None:
    """The default shows a thousand."""
    faults.script = lambda _: answer({"count": 0, "results": []})
    async with opened_plain() as plane:
        for query in ("", "?page=3", "?page=3&page_size=200"):
            await plane.call("POST", LIST + query, MINE)
    assert [each.target for each in faults.requests] == [
        LIST, f"{LIST}?page=3", f"{LIST}?page=3&page_size=200",
    ]  # fmt: skip


async def test_a_size_in_the_body_is_a_number_there(
    opened_plain: Opened, faults: FaultStore, tmp_path: Path
) -> None:
    """Where a profile says that it stands there."""
    text = resources.files("proxy.upstreams").joinpath("profiles/mem0-platform.yaml").read_text()
    path = tmp_path / "own.yaml"
    path.write_text(text.replace('limit: "query:page_size"', "limit: $.page_size"))
    faults.script = lambda _: answer({"count": 0, "results": []})
    async with opened_plain(change=FEW, profiles=[str(path)]) as plane:
        for size in ({"page_size": 8}, {"page_size": 4}, {}):
            status, found = await plane.call("POST", LIST, {**MINE, **size})
            assert status == 200, found
    assert [each.json()["page_size"] for each in faults.requests] == [5, 4, 5]


async def test_two_sizes_are_refused(opened_plain: Opened, faults: FaultStore) -> None:
    """Which of them the store takes is not certain."""
    async with opened_plain(change=FEW) as plane:
        status, shown = await plane.call("POST", f"{LIST}?page_size=8&page_size=2", MINE)
    assert (status, shown["type"]) == (400, "urn:expunge:problem:invalid-request")
    assert faults.requests == []


def test_a_parameter_that_is_added_stands_behind_the_others() -> None:
    """Those keep their spelling."""
    query = parse("a=%41&b=1")
    query.values[query.add("page size")] = "5 0"
    assert query.spell() == "a=%41&b=1&page+size=5+0"
