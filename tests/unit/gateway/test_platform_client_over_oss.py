"""The unchanged MemoryClient in front of the open-source server's routes."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from proxy.clock import FrozenClock
from tests.support.gateway import Plane, data_plane
from tests.support.ledger import START
from tests.support.mem0_store import RunningStore

os.environ["MEM0_TELEMETRY"] = "False"
mem0_client = pytest.importorskip("mem0")

TEXT = "Likes rye bread; write to alva.brenn@example.org"


@pytest_asyncio.fixture(loop_scope="session")
async def oss(mem0: RunningStore, tmp_path: Path, sqlite_template: Path) -> AsyncIterator[Plane]:
    """A data plane that knows only the open-source server's routes at the store."""
    async with data_plane(
        tmp_path / "o", mem0.url, mem0.api_key, sqlite_template, FrozenClock(START),
        profiles=("mem0-oss", "mem0-platform-over-oss"),
    ) as plane:  # fmt: skip
        sent: list[str] = []
        for dialect in plane.services.stores["mem0"].dialects:
            _watch(getattr(dialect.transport, "_inner", dialect.transport), sent)
        plane.sent = sent  # type: ignore[attr-defined]
        yield plane


def _watch(transport: Any, sent: list[str]) -> None:
    send = transport.send

    async def watched(request: Any) -> Any:
        sent.append(request.target)
        return await send(request)

    transport.send = watched


async def test_the_client_does_all_it_does_at_the_platform(oss: Plane) -> None:
    """Ping, add, list in pages, search, get, update, history, owners, batch, deletes."""

    def work() -> dict[str, Any]:
        client = mem0_client.MemoryClient(api_key=oss.keys["acme"], host=oss.url)
        message = [{"role": "user", "content": TEXT}]
        ids = [
            client.add(message, user_id="u-1", infer=False, metadata={"n": n})["results"][0]["id"]
            for n in range(3)
        ]
        mine = {"user_id": "u-1"}
        seen = {
            "get": client.get(ids[0]),
            "page": client.get_all(filters=mine, page=1, page_size=2),
            "found": client.search("bread", filters=mine),
            "nested": client.search("bread", filters={"AND": [mine, {"n": 1}]}),
            "updated": client.update(ids[0], text="Likes oat bread"),
            "history": client.history(ids[0]),
            "users": client.users(),
            "batch": client.batch_update([{"memory_id": ids[1], "text": "Likes spelt"}]),
            "spelt": client.get(ids[1]),
            "deleted": client.delete(ids[0]),
        }
        with pytest.raises(mem0_client.exceptions.MemoryNotFoundError):
            client.get(ids[0])
        with pytest.raises(mem0_client.exceptions.ValidationError):
            client.add(message, user_id="u-1", app_id="a", infer=False)
        client.delete_all(user_id="u-1")
        return {**seen, "after": client.get_all(filters=mine)}

    seen = await asyncio.to_thread(work)
    assert seen["get"]["memory"] == TEXT
    assert seen["get"]["user_id"] == "u-1"
    assert seen["get"]["metadata"] == {"n": 0}
    assert (seen["page"]["count"], len(seen["page"]["results"])) == (3, 2)
    assert seen["page"]["next"].startswith(oss.url)
    assert {item["memory"] for item in seen["found"]["results"]} == {TEXT}
    assert [item["metadata"] for item in seen["nested"]["results"]] == [{"n": 1}]
    assert seen["updated"]["memory"] == "Likes oat bread"
    assert [row["new_memory"] for row in seen["history"]] == [TEXT, "Likes oat bread"]
    assert [owner["name"] for owner in seen["users"]["results"]] == ["u-1"]
    assert seen["spelt"]["memory"] == "Likes spelt"
    assert seen["after"]["results"] == []
    sent: list[str] = oss.sent  # type: ignore[attr-defined]
    assert sent
    assert not [target for target in sent if target.startswith(("/v1", "/v2", "/v3"))]


@pytest.mark.parametrize("store", ["oss", "plane"])
async def test_an_event_of_an_add_is_found_by_whose_it_is(
    store: str, oss: Plane, plane: Plane
) -> None:
    """Done since it was answered: its memories as the reader may see them, nobody else's."""
    asked_of = {"oss": oss, "plane": plane}[store]
    messages = [{"role": "user", "content": text} for text in (TEXT, "Has a pond")]
    body = {"messages": messages, "user_id": "u-1", "infer": False}
    status, added = await asked_of.call("POST", "/v3/memories/add/", body)
    assert (status, added["status"]) == (200, "SUCCEEDED")
    path = f"/v1/event/{added['event_id']}/"
    status, event = await asked_of.call("GET", path)
    assert (status, event["status"], event["id"]) == (200, "SUCCEEDED", added["event_id"])
    shown = sorted((each["id"], each["data"]["memory"], each["event"]) for each in event["results"])
    assert shown == sorted((r["id"], r["data"]["memory"], r["event"]) for r in added["results"])
    other = await asked_of.add("Likes oats")
    for tenant, asked in (("globex", path), ("acme", f"/v1/event/{other}/")):
        status, found = await asked_of.call("GET", asked, tenant=tenant)
        assert (status, found["detail"]) == (404, "Event not found!")
    assert await asked_of.call("GET", f"{path}?memory_ids={other}") == (200, event)
    gone = added["results"][0]["id"]
    assert (await asked_of.call("DELETE", f"/v1/memories/{gone}/"))[0] == 200
    status, event = await asked_of.call("GET", path)
    assert (status, [r["id"] for r in event["results"]]) == (200, [added["results"][1]["id"]])


async def test_an_empty_batch_and_a_version_are_as_at_the_platform(oss: Plane) -> None:
    """Nothing is changed, and what once chose the path has no effect; no error is raised."""

    def work() -> dict[str, Any]:
        client = mem0_client.MemoryClient(api_key=oss.keys["acme"], host=oss.url)
        mine: dict[str, Any] = {"filters": {"user_id": "u-1"}, "version": "v2"}
        added = client.add(TEXT, user_id="u-1", infer=False, version="v2")["results"][0]["id"]
        return {
            "updated": client.batch_update([]),
            "deleted": client.batch_delete([]),
            "listed": [each["id"] for each in client.get_all(**mine)["results"]] == [added],
            "found": [each["id"] for each in client.search("bread", **mine)["results"]] == [added],
        }

    assert await asyncio.to_thread(work) == {
        "updated": {"message": "Successfully updated 0 memories"},
        "deleted": {"message": "Successfully deleted 0 memories"},
        "listed": True,
        "found": True,
    }


NOTES: dict[str, dict[str, Any]] = {
    "red": {"n": 1, "colour": "red", "tags": ["a", "b"]},
    "dark": {"n": 2.5, "colour": "dark red", "place": {"shelf": 3}},
    "none": {"n": 10},
    "agent": {"n": 3, "colour": "red"},
    "other": {"n": 1, "colour": "red"},
}
OWNED = {"agent": {"user_id": "u-1", "agent_id": "a-1"}, "other": {"user_id": "u-10"}}
ME = {"user_id": "u-1"}

FILTERS: list[Any] = [
    (ME, "red dark none agent"),
    ({"AND": [ME]}, "red dark none agent"),
    ({**ME, "agent_id": "a-1"}, "agent"),
    ({"user_id": {"in": ["u-1", "u-10"]}}, "red dark none agent other"),
    ({"OR": [{"user_id": "u-10"}, {"agent_id": "a-1"}]}, "agent other"),
    ({"OR": [{**ME, "n": 1}, {"user_id": "u-10"}]}, "red other"),
    ({**ME, "colour": "red"}, "red agent"),
    ({**ME, "metadata": {"colour": "red"}}, "red agent"),
    ({"AND": [ME, {"n": 1}]}, "red"),
    ({"AND": [ME, {"n": 1}, {"n": 10}]}, ""),
    ({"AND": [ME, {"OR": [{"n": 1}, {"n": 10}]}]}, "red none"),
    ({**ME, "NOT": [{"colour": "red"}]}, "dark none"),
    ({**ME, "NOT": {"agent_id": "a-1"}}, "red dark none"),
    ({**ME, "agent_id": {"ne": "a-1"}}, "red dark none"),
    ({**ME, "colour": "*"}, "red dark agent"),
    ({**ME, "colour": {"ne": "red"}}, "dark none"),
    ({**ME, "colour": {"in": ["red", "blue"]}}, "red agent"),
    ({**ME, "colour": {"nin": ["red"]}}, "dark none"),
    ({**ME, "n": {"gt": 1, "lte": 3}}, "dark agent"),
    ({**ME, "metadata": {"n": {"gte": 3}}}, "none agent"),
    ({**ME, "colour": {"contains": "dark"}}, "dark"),
    ({**ME, "colour": {"icontains": "RED"}}, "red dark agent"),
    ({**ME, "tags": {"contains": "a"}}, "red"),
    ({**ME, "place.shelf": 3}, "dark"),
    ({**ME, "keywords": {"icontains": "NOTE DARK"}}, "dark"),
    ({**ME, "created_at": {"gte": "2000-01-01"}}, "red dark none agent"),
    ({**ME, "created_at": {"lt": "2000-01-01T00:00:00Z"}}, ""),
]


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def noted(
    mem0: RunningStore, tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path
) -> AsyncIterator[Plane]:
    """Notes of three owners at the open-source server, written by the platform's dialect."""
    async with data_plane(
        tmp_path_factory.mktemp("noted"), mem0.url, mem0.api_key, sqlite_template,
        FrozenClock(START), profiles=("mem0-oss", "mem0-platform-over-oss"),
    ) as plane:  # fmt: skip
        for name, metadata in NOTES.items():
            owners = OWNED.get(name, ME)
            sent: dict[str, Any] = {**owners, "metadata": metadata}
            await plane.add(f"Note {name}", sent.pop("user_id"), **sent)
        await plane.add("Note theirs", "u-1", tenant="globex", metadata={"colour": "red"})
        yield plane


def names(items: list[dict[str, Any]]) -> str:
    """Which notes these are, in the order of NOTES."""
    found = [item["memory"].split()[1] for item in items]
    return " ".join(sorted(found, key=[*NOTES, "theirs"].index))


@pytest.mark.parametrize(("filters", "expected"), FILTERS, ids=lambda each: str(each))
async def test_lists_and_searches_find_exactly_what_meets_the_filter(
    noted: Plane, filters: dict[str, Any], expected: str
) -> None:
    """Every operator, in the routes of every version; never another tenant's."""
    status, listed = await noted.call("POST", "/v3/memories/", {"filters": filters})
    assert (status, names(listed.get("results", []))) == (200, expected), listed
    assert listed["count"] == len(expected.split())
    asked = {"query": "note", "threshold": 0.0, "filters": filters}
    for version in (1, 2, 3):
        status, found = await noted.call("POST", f"/v{version}/memories/search/", asked)
        assert status == 200, found
        assert names(found["results"] if version == 3 else found) == expected


OPTIONS: list[Any] = [
    ("/v3/memories/?page=2&page_size=3", {}, "red"),
    ("/v3/memories/", {"metadata": {"colour": "red"}}, "red agent"),
    ("/v3/memories/", {"start_date": "2000-01-01", "end_date": "2000-01-02"}, ""),
    ("/v3/memories/", {"start_date": "2000-01-01"}, "red dark none agent"),
    ("/v3/memories/", {"rerank": False, "categories": [], "fields": None}, "red dark none agent"),
    ("/v3/memories/", {"version": "v3", "output_format": "v1.1"}, "red dark none agent"),
    ("/v3/memories/search/", {"query": "note", "threshold": 1}, ""),
    ("/v3/memories/search/", {"query": "note", "enable_graph": False}, "red dark none agent"),
    ("/v3/memories/search/", {"query": "note", "metadata": {"n": 10}}, "none"),
    ("/v2/memories/search/", {"query": "note", "version": "v2"}, "red dark none agent"),
    ("/v3/memories/", {"version": "v2"}, "red dark none agent"),
    ("/v3/memories/search/", {"query": "note", "version": "v1"}, "red dark none agent"),
]


@pytest.mark.parametrize(("path", "more", "expected"), OPTIONS, ids=lambda each: str(each))
async def test_options_beside_the_filter_are_translated(
    noted: Plane, path: str, more: dict[str, Any], expected: str
) -> None:
    """Pages, days, metadata, the lowest score; switches that are off ask for nothing."""
    status, found = await noted.call("POST", path, {"filters": ME, "threshold": 0.0, **more}
                                     if "search" in path else {"filters": ME, **more})  # fmt: skip
    assert status == 200, found
    assert names(found["results"] if isinstance(found, dict) else found) == expected


async def test_a_limit_counts_what_meets_the_filter(noted: Plane) -> None:
    """``top_k`` is filled with matches however far down they rank; v1 calls it ``limit``."""
    filters = {**ME, "n": {"gte": 3}}
    asked = {"query": "note red", "threshold": 0.0, "filters": filters, "top_k": 1}
    _, found = await noted.call("POST", "/v3/memories/search/", asked)
    assert len(found["results"]) == 1
    assert found["results"][0]["metadata"]["n"] in (3, 10)
    asked = {"query": "note", "threshold": 0.0, "filters": ME, "limit": 2}
    _, found = await noted.call("POST", "/v1/memories/search/", asked)
    assert len(found) == 2


LIST, SEARCH = "/v3/memories/", "/v3/memories/search/"
REFUSED: list[Any] = [
    *[(path, {"filters": {**ME, **more}}, said) for path in (LIST, SEARCH) for more, said in (
        ({"app_id": "a"}, "app_id"), ({"categories": {"in": ["x"]}}, "categories"),
        ({"n": {"between": [1, 2]}}, "between"), ({"n": {"gt": "many"}}, "n with gt"),
        ({"n": None}, "n with eq"), ({"metadata": {"place": {"shelf": 3}}}, "shelf"),
        ({"timestamp": {"gt": 1}}, "timestamp"), ({"keywords": "x"}, "keywords"),
        ({"feedback": "POSITIVE"}, "feedback"), ({"NOT": [{"n": {"regex": "x"}}]}, "regex"),
        ({"OR": []}, "OR"),
    )],
    *[(path, {"filters": ME, name: value}, name) for path in (LIST, SEARCH) for name, value in (
        ("categories", ["x"]), ("fields", ["memory"]), ("rerank", True), ("keywords", "x"),
        ("enable_graph", True), ("latest_only", True), ("keyword_search", True), ("version", "v9"),
        ("output_format", "v1.0"), ("reference_date", "2026-01-01"), ("something", "x"),
        ("app_id", "a"), ("show_expired", "maybe"), ("filter_memories", True),
    )],
    (LIST, {"filters": ME, "start_date": "soon"}, "start_date"),
    (LIST + "?page=0", {"filters": ME}, "page"),
    (LIST + "?page_size=0", {"filters": ME}, "page_size"),
    (LIST + "?page=1&page=2", {"filters": ME}, "page"),
    (LIST + "?colour=red", {"filters": ME}, "colour"),
    (LIST, {"filters": ME, "top_k": 3}, "top_k"),
    (LIST, {"filters": {"user_id": {"in": [f"u-{n}" for n in range(20)]}}}, "owners"),
    (SEARCH, {"filters": ME, "top_k": 5000}, "top_k"),
    (SEARCH, {"filters": ME, "top_k": "x"}, "top_k"),
    (SEARCH, {"filters": ME, "threshold": 2}, "threshold"),
    (SEARCH, {"filters": ME, "query": 1}, "query"),
    ("/v1/memories/search/", {"filters": ME, "output_format": "v1.1"}, "output_format"),
    *[("/v3/memories/add/", {"messages": [{"role": "user", "content": "x"}], **ME, name: value},
       name) for name, value in (
        ("app_id", "a"), ("enable_graph", True), ("immutable", True), ("includes", "x"),
        ("excludes", "x"), ("custom_categories", [{"a": "b"}]), ("structured_data_schema", "x"),
        ("agent_custom_instructions", "x"), ("output_format", "v1.0"), ("timestamp", "soon"),
        ("prompt_profile_id", "x"), ("timezone", "UTC"), ("something", 1),
    )],
    ("/v3/memories/add/", {"messages": [{"role": "user", "content": "x"}],
                           "filters": {**ME, "n": 1}}, "filters"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "body", "said"), REFUSED, ids=lambda each: str(each)[:70])
async def test_what_the_server_cannot_do_is_refused_by_name(
    noted: Plane, path: str, body: dict[str, Any], said: str
) -> None:
    """A clear 400 instead of an answer that is only nearly right."""
    sent = {"query": "note", **body} if path.endswith("search/") else body
    status, answer = await noted.call("POST", path, sent)
    assert status == 400, answer
    assert said in answer["detail"], answer


DELETES = ["/v1/memories/?app_id=notes", "/v1/memories/?user_id=u-1&app_id=notes",
           "/v2/entities/app/notes/", "/v1/entities/app/notes/"]  # fmt: skip


@pytest.mark.parametrize("path", DELETES)
async def test_an_owner_that_the_server_does_not_know_is_refused_by_name(
    noted: Plane, path: str
) -> None:
    """A delete by one too: it deletes nothing of anybody."""
    status, answer = await noted.call("DELETE", path)
    assert status == 400, answer
    assert "app_id" in answer["detail"], answer
    status, left = await noted.call("POST", LIST, {"filters": ME})
    assert status == 200
    assert left["results"]


@pytest.mark.parametrize("route", [("POST", "/v2/memories/"), ("GET", "/v1/memories/")])
async def test_pages_of_routes_that_have_none_are_refused(
    noted: Plane, plane: Plane, route: tuple[str, str]
) -> None:
    """At either store: an answer in pages is no list, and its items could not be judged."""
    method, path = route
    query, body = ("", {"filters": ME}) if method == "POST" else ("user_id=u-1&", None)
    for each in (noted, plane):
        status, found = await each.call(method, f"{path}?{query}page=1&page_size=2", body)
        assert (status, found["errors"][0]["pointer"]) == (400, "/page")
        assert (await each.call(method, f"{path}?{query}", body))[0] == 200
