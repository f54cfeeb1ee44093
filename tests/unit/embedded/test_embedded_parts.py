"""The embedded store's own logic, without the library."""

import asyncio
import os
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import make_mocked_request

from proxy.clock import FrozenClock
from proxy.embedded import __main__ as command
from proxy.embedded.engine import StoreFailed
from proxy.embedded.events import Events
from proxy.embedded.filters import for_library
from proxy.embedded.pages import page_of
from proxy.embedded.replies import Refusal
from proxy.embedded.settings import StoreSettings, prepare_environment
from proxy.embedded.writes import platform_arguments

START = datetime(2026, 1, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({"user_id": "a"}, {"user_id": "a"}, id="plain"),
        pytest.param(
            {"user_id": "a", "AND": [{"user_id": "b"}]},
            {"user_id": "a", "AND": [{"user_id": "b"}]},
            id="nested owner is kept as the library takes it",
        ),
        pytest.param(
            {"OR": [{"user_id": "a"}, {"run_id": "r"}]},
            {"user_id": "*", "OR": [{"user_id": "a"}, {"run_id": "r"}]},
            id="none at the top",
        ),
        pytest.param({"app_id": "x"}, {"user_id": "*", "app_id": "x"}, id="app"),
        pytest.param(
            {"run_id": {"in": ["r"]}},
            {"user_id": "*", "AND": [{"AND": [{"run_id": {"in": ["r"]}}]}]},
            id="operator",
        ),
        pytest.param(
            {"AND": [{"user_id": {"in": ["a", "b"]}}, {"user_id": "a"}, {"k": {"gt": 1}}]},
            {
                "user_id": "*",
                "AND": [
                    {"AND": [{"user_id": {"in": ["a", "b"]}}]},
                    {"user_id": "a"},
                    {"k": {"gt": 1}},
                ],
            },
            id="operator within AND",
        ),
        pytest.param(
            {"AND": [{"agent_id": ["a"]}, {"run_id": None}]},
            {"user_id": "*", "AND": [{"AND": [{"agent_id": ["a"]}]}, {"AND": [{"run_id": None}]}]},
            id="no plain text within AND",
        ),
        pytest.param(
            {"user_id": "a", "metadata": {"k": 1}, "NOT": [{"metadata": {"l": 2}}]},
            {"user_id": "a", "k": 1, "NOT": [{"l": 2}]},
            id="metadata",
        ),
    ],
)
def test_filters_for_the_library(given: dict[str, Any], expected: dict[str, Any]) -> None:
    """The platform's form becomes the library's, and says the same."""
    before = repr(given)
    assert for_library(given) == expected
    assert repr(given) == before


@pytest.mark.parametrize(
    "given", [None, {}, [], "text", {"k": 1}, {"NOT": [{"user_id": "a"}]}, {"AND": "user_id"}]
)
def test_filters_that_name_nobody(given: Any) -> None:
    """Filters without an identity are refused."""
    with pytest.raises(Refusal) as refusal:
        for_library(given)
    assert refusal.value.status == 400


@pytest.mark.parametrize(
    ("query", "results", "has_next", "has_previous"),
    [
        pytest.param("", [0, 1, 2, 3, 4], False, False, id="default"),
        pytest.param("page=1&page_size=2", [0, 1], True, False, id="first"),
        pytest.param("page=2&page_size=2", [2, 3], True, True, id="middle"),
        pytest.param("page=3&page_size=2", [4], False, True, id="last"),
    ],
)
def test_pages(query: str, results: list[int], *, has_next: bool, has_previous: bool) -> None:
    """A page holds its part and says whether there is more."""
    page = page_of(range(5), make_mocked_request("GET", f"/v3/memories/?{query}"))
    assert (page["count"], list(page["results"])) == (5, results)
    assert (page["next"] is not None, page["previous"] is not None) == (has_next, has_previous)


@pytest.mark.parametrize(
    "query", ["page=0", "page=-1", "page=x", "page_size=0", "page=9", "page=²"]
)
def test_pages_that_are_none(query: str) -> None:
    """What is no page, or beyond the last, is refused."""
    with pytest.raises(Refusal):
        page_of(range(5), make_mocked_request("GET", f"/v3/memories/?{query}"))


def test_an_empty_list_has_a_first_page() -> None:
    """Nothing found is an empty page, not an error."""
    assert page_of([], make_mocked_request("GET", "/v3/memories/"))["results"] == []


async def test_an_event_follows_its_work() -> None:
    """An event is pending until the work ends, and then says how and when."""
    clock = FrozenClock(START)
    events = Events(clock)
    works: dict[str, Future[list[str]]] = {name: Future() for name in ("good", "bad")}
    found = {name: events.follow("ADD", work) for name, work in works.items()}
    assert {event.status for event in found.values()} == {"PENDING"}
    works["good"].set_result(["m-1"])
    works["bad"].set_exception(StoreFailed())
    for _ in range(10):
        await asyncio.sleep(0)
    assert (found["good"].status, found["good"].memory_ids) == ("SUCCEEDED", ("m-1",))
    assert (found["bad"].status, found["bad"].memory_ids) == ("FAILED", ())
    assert found["bad"].described()["error"] == "The operation failed."
    assert found["good"].described()["completed_at"] == START.isoformat()


def test_old_events_are_dropped() -> None:
    """The memory that events take is bounded."""
    events = Events(FrozenClock(START), limit=2)
    made = [events.completed("ADD", []) for _ in range(3)]
    assert events.get(made[0].id) is None
    assert events.latest() == [made[2], made[1]]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        pytest.param({}, 400, id="nothing"),
        pytest.param({"messages": "text", "user_id": "a"}, 400, id="text"),
        pytest.param({"messages": [{}], "app_id": "x"}, 400, id="app alone"),
        pytest.param({"messages": [{}], "user_id": "a", "metadata": "m"}, 400, id="metadata"),
        pytest.param({"messages": [{}], "user_id": "a", "timestamp": "t"}, 400, id="timestamp"),
        pytest.param({"messages": [{}], "user_id": "a", "timestamp": 1e99}, 400, id="far future"),
    ],
)
def test_writes_that_are_refused(body: dict[str, Any], status: int) -> None:
    """What cannot be written is refused before the library sees it."""
    with pytest.raises(Refusal) as refusal:
        platform_arguments(body)
    assert refusal.value.status == status


def test_the_environment_is_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before Mem0 is imported its telemetry is off, its files are ours, foreign keys are gone."""
    for name in ("MEM0_TELEMETRY", "MEM0_DIR", "OPENAI_API_KEY", "OPENROUTER_API_KEY"):
        monkeypatch.setenv(name, "somebody-else")
    prepare_environment(StoreSettings(tmp_path / "store"))
    assert os.environ["MEM0_TELEMETRY"] == "False"
    assert os.environ["MEM0_DIR"] == str(tmp_path / "store" / "mem0")
    assert not {"OPENAI_API_KEY", "OPENROUTER_API_KEY"} & os.environ.keys()
    assert (tmp_path / "store").stat().st_mode & 0o077 == 0


def test_keys_are_random_and_not_shown(tmp_path: Path) -> None:
    """Two stores have different keys, and no representation shows one."""
    first, second = StoreSettings(tmp_path), StoreSettings(tmp_path)
    assert first.api_key != second.api_key
    assert first.api_key not in repr(first)


def test_half_an_endpoint_is_a_usage_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An endpoint without a model is refused before anything starts."""
    with pytest.raises(SystemExit) as stopped:
        command.main(["--data-dir", str(tmp_path), "--llm-url", "http://127.0.0.1:1/v1"])
    assert stopped.value.code == 2
    assert "go together" in capsys.readouterr().err
