"""The platform's dialect over the open-source server: bounds, odd answers, what is really asked."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import pytest

from proxy.problems import Problem
from proxy.upstreams.translate import CANDIDATES, LIST_LIMIT, PlatformOverOss
from proxy.upstreams.transport import UpstreamReply, UpstreamRequest

ME = {"user_id": "u-1"}
LIST, SEARCH = "/v3/memories/", "/v3/memories/search/"


@dataclass
class Server:
    """A transport that answers as it is told and notes what it was asked."""

    script: Callable[[UpstreamRequest], tuple[int, Any]]
    asked: list[UpstreamRequest] = field(default_factory=list)

    async def send(self, request: UpstreamRequest) -> UpstreamReply:
        self.asked.append(request)
        status, body = self.script(request)
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return UpstreamReply(status, (("Content-Type", "application/json"),), content)

    async def close(self) -> None:
        """Nothing is open."""


def call(server: Server, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    """Status and body of one request of the platform's dialect."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode() if body else b""
    request = UpstreamRequest(method, path, (), content)
    said = asyncio.run(PlatformOverOss(server).send(request))
    return said.status, json.loads(said.body)


def items(number: int, **more: Any) -> list[dict[str, Any]]:
    """Memories of one owner, the best first."""
    return [
        {"id": f"m-{n}", "memory": "x", **ME, "metadata": {"n": n}, "score": 1 - n / 10_000, **more}
        for n in range(number)
    ]


def ranked(number: int) -> Server:
    """A server that finds so many memories, and gives the best of them."""

    def script(request: UpstreamRequest) -> tuple[int, Any]:
        query = dict(parse_qsl(request.target.partition("?")[2]))
        wanted = json.loads(request.body)["top_k"] if request.body else int(query["top_k"])
        return 200, {"results": items(number)[:wanted]}

    return Server(script)


TRACED = (
    ("X-Request-Id", "req-17"),
    ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
    ("tracestate", "vendor=17"),
)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v3/memories/add/", {"messages": [{"role": "user", "content": "x"}], **ME}),
        ("POST", LIST, {"filters": {"OR": [ME, {"user_id": "u-2"}]}}),
        ("POST", SEARCH, {"query": "x", "filters": ME}),
        ("PUT", "/v1/memories/m-1/", {"text": "y"}),
        ("GET", "/v1/ping/", None),
    ],
)
def test_a_trace_goes_on_to_the_server(method: str, path: str, body: Any) -> None:
    """With every request that is made of one, and no other header of the client's."""
    server = Server(lambda _: (200, {"results": []}))
    content = json.dumps(body).encode() if body else b""
    request = UpstreamRequest(method, path, (*TRACED, ("X-Mark", "17")), content)
    asyncio.run(PlatformOverOss(server).send(request))
    assert server.asked
    for asked in server.asked:
        assert set(TRACED) <= set(asked.headers)
        assert "X-Mark" not in dict(asked.headers)


def test_a_search_asks_for_more_until_the_limit_is_met() -> None:
    """The matches may stand far below: they are found, the best first, and not one too many."""
    server = ranked(CANDIDATES - 1)
    body = {"query": "x", "top_k": 2, "filters": {**ME, "n": {"gte": 500}}}
    status, found = call(server, "POST", SEARCH, body)
    assert status == 200
    assert [item["id"] for item in found["results"]] == ["m-500", "m-501"]
    assert [json.loads(each.body)["top_k"] for each in server.asked] == [16, CANDIDATES]


def test_a_search_that_reads_too_much_is_refused() -> None:
    """Above the bound nobody can say that nothing was left out."""
    body = {"query": "x", "top_k": 2, "filters": {**ME, "n": {"gte": 2000}}}
    status, found = call(ranked(CANDIDATES), "POST", SEARCH, body)
    assert (status, str(CANDIDATES) in found["detail"]) == (400, True)
    status, found = call(ranked(CANDIDATES - 1), "POST", SEARCH, body)
    assert (status, found["results"]) == (200, [])


def test_a_list_as_long_as_the_servers_is_refused() -> None:
    """The server gives no second page: what a longer list leaves out is unknown."""
    assert call(ranked(LIST_LIMIT), "POST", LIST, {"filters": ME})[0] == 400
    status, found = call(ranked(LIST_LIMIT - 1), "POST", LIST, {"filters": ME})
    assert (status, found["count"]) == (200, LIST_LIMIT - 1)


def with_expired(number: int, living: int) -> Server:
    """A server where the last few of so many are alive; it drops the others behind its cut."""
    dead = {"expiration_date": "2020-01-01"}
    ranks = [
        {**item, **(dead if n < number - living else {})} for n, item in enumerate(items(number))
    ]

    def script(request: UpstreamRequest) -> tuple[int, Any]:
        said = json.loads(request.body or b"{}") | dict(parse_qsl(request.target.partition("?")[2]))
        cut = ranks[: 4 * int(said["top_k"])]
        shown = [
            item for item in cut
            if str(said.get("show_expired")).lower() == "true" or "expiration_date" not in item
        ]  # fmt: skip
        return 200, {"results": shown[: int(said["top_k"])]}

    return Server(script)


@pytest.mark.parametrize("filters", [ME, {**ME, "n": {"gte": 0}}])
def test_living_memories_behind_many_expired_ones_are_found(filters: dict[str, Any]) -> None:
    """A short answer of the server is not taken for all there is."""
    server = with_expired(CANDIDATES - 1, 3)
    body = {"query": "x", "top_k": 2, "filters": filters}
    _, found = call(server, "POST", SEARCH, body)
    assert [item["id"] for item in found["results"]] == ["m-996", "m-997"]
    _, found = call(server, "POST", SEARCH, {**body, "show_expired": True})
    assert [item["id"] for item in found["results"]] == ["m-0", "m-1"]
    _, found = call(server, "POST", LIST, {"filters": filters})
    assert found["count"] == 3


def test_living_memories_that_may_stand_beyond_the_bound_are_a_refusal() -> None:
    """Nobody can say then that none was left out."""
    server = with_expired(5 * LIST_LIMIT, 3)
    assert call(server, "POST", LIST, {"filters": ME})[0] == 400
    assert call(server, "POST", SEARCH, {"query": "x", "top_k": 2, "filters": ME})[0] == 400


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [({"limit": 2, "top_k": 5}, None), ({"limit": 2, "top_k": 2}, 2), ({"limit": 2}, 2),
     ({"limit": 2, "top_k": None}, 2), ({"top_k": 5, "limit": None}, 5), ({}, 10)],
)  # fmt: skip
@pytest.mark.parametrize("route", ["/v1/memories/search/", "/v2/memories/search/"])
def test_a_limit_is_never_passed_over(
    route: str, numbers: dict[str, Any], expected: int | None
) -> None:
    """Two numbers that differ are refused; either name counts alone."""
    status, found = call(ranked(50), "POST", route, {"query": "x", "filters": ME, **numbers})
    assert status == (400 if expected is None else 200)
    assert expected is None or len(found) == expected


def test_equal_texts_and_one_owner_are_left_to_the_server() -> None:
    """A filter that every vector store reads alike costs one request with the client's limit."""
    server = ranked(3)
    filters = {"AND": [ME, {"metadata": {"colour": "red"}}]}
    call(server, "POST", SEARCH, {"query": "x", "top_k": 5, "filters": filters})
    (asked,) = server.asked
    assert json.loads(asked.body)["filters"] == {**ME, "colour": "red"}
    assert json.loads(asked.body)["top_k"] == 5


@pytest.mark.parametrize(
    "filters",
    [
        {**ME, "colour": "*"},
        {**ME, "n": {"gt": 1}},
        {"OR": [ME, {"agent_id": "a"}]},
        {**ME, "NOT": [{"colour": "red"}]},
        {**ME, "a.b": "red"},
    ],
    ids=str,
)
def test_the_server_is_told_owners_and_equal_texts_only(filters: dict[str, Any]) -> None:
    """No operator, group or wildcard of the client reaches a vector store."""
    server = ranked(3)
    call(server, "POST", SEARCH, {"query": "x", "filters": filters})
    for asked in server.asked:
        told = json.loads(asked.body)["filters"]
        assert told in (ME, {"agent_id": "a"})


@pytest.mark.parametrize(("path", "more"), [(LIST, {}), (SEARCH, {"query": "x"})])
def test_what_the_server_gives_beyond_the_filter_is_left_out(path: str, more: Any) -> None:
    """A vector store that passes over the owner or a text changes no result."""
    strange = [*items(1, user_id="u-10"), *items(1, metadata={"colour": "blue"})]
    server = Server(lambda _: (200, {"results": strange}))
    _, found = call(server, "POST", path, {**more, "filters": {**ME, "colour": "red"}})
    assert found["results"] == []


def test_a_filter_that_nobody_can_meet_asks_nothing() -> None:
    """Two ids of one kind in an AND."""
    server = ranked(3)
    body = {"filters": {**ME, "AND": [{"user_id": "u-2"}]}}
    assert call(server, "POST", LIST, body)[1]["results"] == []
    assert server.asked == []


@pytest.mark.parametrize("filters", [None, {}, {"n": 1}, {"NOT": [ME]}, {"OR": [ME, {"n": 1}]}])
@pytest.mark.parametrize("path", [LIST, SEARCH])
def test_nobody_is_asked_about_everybody(path: str, filters: Any) -> None:
    """A filter whose reach no owner bounds is refused here too, before the server hears of it."""
    server = ranked(3)
    body = {"filters": filters, **({"query": "x"} if path == SEARCH else {})}
    status, found = call(server, "POST", path, body)
    assert (status, "owner" in found["detail"]) == (400, True)
    assert server.asked == []


STRANGE: list[Any] = [[], {}, {"results": None}, {"results": {}}, {"results": ["x"]}, None, "x"]


@pytest.mark.parametrize("said", STRANGE, ids=str)
@pytest.mark.parametrize("path", [LIST, SEARCH, "/v3/memories/add/"])
def test_an_answer_in_another_shape_is_the_stores_fault(path: str, said: Any) -> None:
    """Neither an empty success nor a crash."""
    body = {
        LIST: {"filters": ME}, SEARCH: {"query": "x", "filters": ME},
        "/v3/memories/add/": {"messages": [{"role": "user", "content": "x"}], **ME},
    }[path]  # fmt: skip
    with pytest.raises(Problem) as raised:
        call(Server(lambda _: (200, said)), "POST", path, body)
    assert raised.value.slug == "upstream-garbled"


def test_a_number_that_no_double_holds_is_refused_with_its_reason() -> None:
    """It is valid JSON: to say that it is not would send people looking for a comma."""
    server = ranked(3)
    status, found = call(server, "POST", LIST, b'{"filters":{"user_id":"u-1","n":1e999}}')
    assert (status, "double" in found["detail"]) == (400, True)
    assert call(server, "POST", LIST, b'{"filters":{"user_id":"u-1","n":1e308}}')[0] == 200


ADDS: list[Any] = [
    ({**ME}, ME),
    ({"filters": ME}, ME),
    ({"filters": {"AND": [ME, {"run_id": "r"}]}}, {**ME, "run_id": "r"}),
    ({**ME, "custom_instructions": "Short."}, {**ME, "prompt": "Short."}),
    ({**ME, "timestamp": 0}, {**ME, "metadata": {"created_at": "1970-01-01T00:00:00+00:00"}}),
    ({**ME, "async_mode": True, "version": "v2", "output_format": "v1.1", "org_id": "o"}, ME),
]


@pytest.mark.parametrize(("more", "told"), ADDS, ids=str)
def test_an_add_is_told_in_the_servers_words(more: Any, told: Any) -> None:
    """Owners from the filters, instructions, the time of the memory."""
    server = Server(lambda _: (200, {"results": []}))
    messages = {"messages": [{"role": "user", "content": "x"}]}
    assert call(server, "POST", "/v3/memories/add/", {**messages, **more})[0] == 200
    assert json.loads(server.asked[0].body) == {**messages, **told}


def test_a_cleared_expiry_is_told() -> None:
    """``expiration_date: null`` clears it; other nulls say nothing."""
    server = Server(lambda asked: (200, {"id": "m", "memory": "x"}))
    call(server, "PUT", "/v1/memories/m/", {"expiration_date": None, "text": None})
    assert json.loads(server.asked[0].body) == {"expiration_date": None}
    status, found = call(server, "PUT", "/v1/memories/m/", {"timestamp": 1})
    assert (status, "timestamp" in found["detail"]) == (400, True)


BATCH = {"memories": [{"memory_id": f"m-{n}", "text": "x"} for n in range(3)]}


def failing(*statuses: int) -> Server:
    """A server that answers one request after the other so."""
    left = list(statuses)

    def script(_: UpstreamRequest) -> tuple[int, Any]:
        status = left.pop(0)
        return status, {"detail": "x"} if status > 299 else {"message": "Updated"}

    return Server(script)


@pytest.mark.parametrize(
    ("statuses", "status", "said"),
    [
        ((200, 200, 200), 200, "updated 3"),
        ((200, 404, 200), 200, "updated 2"),
        ((404, 404, 404), 200, "updated 0"),
        ((400,), 400, "x"),
        ((200, 400), 502, "in part"),
        ((404, 422), 422, "x"),
    ],
    ids=str,
)
def test_a_batch_says_what_was_done(statuses: Any, status: int, said: str) -> None:
    """Absent memories are passed over; a refusal after a change is no refusal of the whole."""
    found = call(failing(*statuses), "PUT", "/v1/batch/", BATCH)
    assert found[0] == status
    assert said in json.dumps(found[1])


def test_a_batch_with_a_member_that_is_not_known_changes_nothing() -> None:
    """Every part is looked at before the first is sent."""
    server = failing(200, 200)
    parts = [{"memory_id": "m-1", "text": "x"}, {"memory_id": "m-2", "immutable": True}]
    status, found = call(server, "PUT", "/v1/batch/", {"memories": parts})
    assert (status, "immutable" in found["detail"], server.asked) == (400, True, [])


@pytest.mark.parametrize("name", ["role", "data", "created_at", "user_id", "expiration_date"])
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v3/memories/add/", {"messages": [{"role": "user", "content": "x"}], **ME}),
        ("PUT", "/v1/memories/m/", {}),
    ],
)
def test_metadata_that_the_server_would_mix_up_is_refused(
    name: str, method: str, path: str, body: Any
) -> None:
    """It keeps metadata beside its own members: no note becomes an owner or a date."""
    server = ranked(0)
    status, found = call(server, method, path, {**body, "metadata": {name: "x"}})
    assert (status, name in found["detail"], server.asked) == (400, True, [])
