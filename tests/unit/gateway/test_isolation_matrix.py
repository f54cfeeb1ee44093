"""Every route of the profiles, every way to name an owner: nothing of another tenant.

The rows are made from the profiles: a new route has rows at once, or the check on it fails.
"""

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import pytest_asyncio

from proxy.clock import FrozenClock
from proxy.upstreams.profile import Profile, Route, load_profile
from tests.support.fault_store import MEMORY_ID, FaultStore, Received, answer
from tests.support.gateway import Plane, data_plane
from tests.support.ledger import START
from tests.unit.gateway.conftest import renewed

PROFILES = [load_profile(name) for name in ("mem0-platform", "mem0-oss")]
OVER = "mem0-platform-over-oss"  # the platform's routes, in front of a store that has none of them
FOREIGN, ABSENT = "secret of theirs", "99999999-9999-4999-8999-999999999999"
FOREIGN_COUNT = 812_093_517_264  # long enough that no random request id contains it
NAMES: dict[str, Any] = {
    "theirs": "u-1", "look-alike": "u‐1", "full-width": "ｕ-1", "prefix": "u-10", "shorter": "u-",
    "upper": "U-1", "padded": " u-1 ", "percent": "%", "underscore": "u__", "sql": "' OR '1'='1",
    "upstream": "{upstream}", "wildcard": "*", "wildcard-inside": "u*", "empty": "", "null": None,
    "list": ["u-1"], "operator": {"ne": "x"}, "nul": "u-1\x00", "invisible": "u\u200b-1",
    "number": 1, "true": True,
}  # fmt: skip
FILTERS: dict[str, Any] = {
    "absent": None, "empty": {}, "only-metadata": {"colour": "red"}, "null": {"user_id": None},
    "and": {"AND": [{"user_id": "u-1"}]}, "or": {"OR": [{"user_id": "u-1"}, {"user_id": "u-2"}]},
    "not": {"NOT": [{"user_id": "u-9"}]}, "in": {"user_id": {"in": ["u-1", "u-2"]}},
    "nin": {"user_id": {"nin": ["u-9"]}}, "ne": {"user_id": {"ne": "u-9"}},
    "contains": {"user_id": {"contains": "u"}}, "wildcard": {"user_id": "*"},
    "wildcard-agent": {"user_id": "u-1", "agent_id": "*"},
    "overridden": {"user_id": "u-1", "AND": [{"user_id": "{upstream}"}]},
    "nested": {"AND": [{"OR": [{"user_id": "{upstream}"}, {"NOT": [{"agent_id": "x"}]}]}]},
    "metadata": {"user_id": "u-1", "metadata": {"user_id": "{upstream}"}},
    "dotted": {"user_id": "u-1", "metadata.user_id": "{upstream}"},
    "stamp": {"user_id": "u-1", "expunge_w": "x"}, "upstream": {"user_id": "{upstream}"},
    "dollar": {"$or": [{"user_id": "{upstream}"}]},
    "in-foreign": {"user_id": {"in": ["u-1", "{upstream}"]}},
    "in-wildcard": {"user_id": {"in": ["u-1", "*"]}},
    "in-look-alike": {"user_id": {"in": ["u‐1", "u-10"]}},
    "in-empty": {"user_id": {"in": []}}, "eq": {"user_id": {"eq": "u-1"}},
    "prefix-in-and": {"AND": [{"user_id": "u-10"}, {"user_id": {"ne": "u-1"}}]},
    "not-self": {"user_id": "u-1", "NOT": [{"user_id": "u-1"}]},
    "not-foreign": {"user_id": "u-1", "NOT": {"user_id": {"ne": "{upstream}"}}},
    "and-in-or": {"OR": [{"AND": [{"user_id": "u-1"}, {"n": 1}]}, {"user_id": "u-10"}]},
    "or-with-anybody": {"OR": [{"user_id": "u-1"}, {"n": {"gte": 0}}]},
    "or-with-nothing": {"OR": [{"user_id": "u-1"}, {}]},
    "ids": {"user_id": "u-1", "memory_ids": [MEMORY_ID]},
    "ids-in": {"user_id": "u-1", "memory_ids": {"in": [MEMORY_ID]}},
    "ids-alone": {"memory_ids": [MEMORY_ID]},
    "or-ids": {"OR": [{"user_id": "u-1"}, {"memory_ids": [MEMORY_ID]}]},
    "metadata-eq": {"user_id": "u-1", "metadata": {"note": FOREIGN}},
    "metadata-star": {"user_id": "u-1", "metadata": {"note": "*"}},
    "metadata-ne": {"user_id": "u-1", "note": {"ne": "x"}},
    "metadata-nin": {"user_id": "u-1", "note": {"nin": ["x"]}},
    "metadata-contains": {"user_id": "u-1", "note": {"contains": "theirs"}},
    "metadata-icontains": {"user_id": "u-1", "metadata": {"note": {"icontains": "THEIRS"}}},
    "metadata-owner-ne": {"user_id": "u-1", "metadata": {"user_id": {"ne": "x"}}},
    "metadata-nested": {"user_id": "u-1", "metadata": {"a": {"user_id": "{upstream}"}}},
    "compared": {"user_id": "u-1", "n": {"gt": 0, "lte": 9}},
    "created": {"user_id": "u-1", "created_at": {"gte": "2000-01-01"}},
    "keywords": {"user_id": "u-1", "keywords": {"icontains": "SECRET"}},
    "keywords-alone": {"keywords": {"contains": "secret"}},
    "not-keywords": {"user_id": "u-1", "NOT": [{"keywords": {"contains": "nowhere"}}]},
    "unknown-operator": {"user_id": "u-1", "n": {"regex": ".*"}},
    "lower-case": {"user_id": "u-1", "or": [{"user_id": "{upstream}"}]},
}  # fmt: skip
STAR_OF_METADATA = "=metadata-star"  # the platform documents it: any value that is not null


@dataclass(frozen=True)
class Row:
    """One request that could reach somebody else's."""

    route: Route
    way: str
    method: str
    path: str
    body: Any = None
    over: bool = False  # the store behind is the open-source server

    @property
    def name(self) -> str:
        return f"{self.route.match} {self.way}{' over oss' if self.over else ''}"


def covered(profile: Profile) -> list[Route]:
    """The routes that answer from the store."""
    return [route for route in profile.routes if route.op != "deny"]


def base(route: Route) -> dict[str, Any]:
    """A body that is complete but for the owner."""
    texts = {"messages": [{"role": "user", "content": "x"}], "query": "x", "text": "x"}
    names = {each.steps[0] for each in (*route.inward.content, *route.inward.query) if each.steps}
    return {str(name): value for name, value in texts.items() if name in names}


def path_of(route: Route, owner: str = "u-1") -> str:
    values = {"id": MEMORY_ID, "event": MEMORY_ID, "kind": "user", "owner": quote(owner, safe="")}
    return route.path(**values)


def by_owner(route: Route) -> Iterator[Row]:
    """Owner fields in query, body and path, by every kind of value."""
    method = min(route.methods)
    for place in route.inward.owner:
        field, source = place.selector.name, place.selector.source
        for way, value in NAMES.items():
            text = value if isinstance(value, str) else json.dumps(value)
            label = f"{source}:{field}={way}"
            if source == "query":
                target = f"{path_of(route)}?{field}={quote(text)}"
                yield Row(route, label, method, target)
            elif source == "path" and text:
                yield Row(route, label, method, path_of(route, text))
            elif source == "body":
                yield Row(route, label, method, path_of(route), {**base(route), field: value})


def by_filter(route: Route) -> Iterator[Row]:
    """Filters of every shape, and owner fields where the route takes none."""
    method, where = min(route.methods), route.inward.filters
    if where is not None:
        for way, value in FILTERS.items():
            body = {**base(route), **({} if value is None else {where.name: value})}
            yield Row(route, f"filter={way}", method, path_of(route), body)
    declared = {(place.selector.source, place.selector.name) for place in route.inward.owner}
    for field in ("user_id", "agent_id", "run_id"):
        if ("query", field) not in declared:
            yield Row(route, f"stray-query:{field}", method, f"{path_of(route)}?{field}=u-1")
        if ("body", field) not in declared and method != "GET":
            body = {**base(route), field: "u-1"}
            yield Row(route, f"stray-body:{field}", method, path_of(route), body)
    yield Row(route, "nothing", method, path_of(route), None if method == "GET" else base(route))


def by_id(route: Route) -> Iterator[Row]:
    """Ids of the other tenant in path and body."""
    method = min(route.methods)
    if "{id}" in route.template or "{event}" in route.template:
        yield Row(route, "id", method, path_of(route), None if method == "GET" else {"text": "x"})
    if route.inward.items is not None:
        item = {"memory_id": MEMORY_ID, "text": "x"}
        yield Row(route, "batch", method, path_of(route), {"memories": [item]})
    elif route.inward.ids:
        body = {"memory_id": MEMORY_ID, "feedback": "POSITIVE"}
        yield Row(route, "body-id", method, path_of(route), body)


def beside(route: Route) -> Iterator[Row]:
    """Conditions beside the filter, which narrow what an owner that is named has."""
    if route.inward.narrow and route.inward.filters is not None:
        for way in [way for way in FILTERS if way.startswith("metadata-")]:
            body = {**base(route), "filters": {"user_id": "u-1"}, "metadata": FILTERS[way]}
            body["metadata"] = body["metadata"].get("metadata", {"user_id": "{upstream}"})
            yield Row(route, f"beside={way}", min(route.methods), path_of(route), body)


NATIVE = [
    row
    for profile in PROFILES
    for route in covered(profile)
    for row in (*by_owner(route), *by_filter(route), *beside(route), *by_id(route))
]
ROWS = [*NATIVE, *(replace(row, over=True) for row in NATIVE if row.route in PROFILES[0].routes)]


def leaking(upstream: str) -> Any:
    """A store that answers every question with what is somebody else's."""
    item = {
        "id": MEMORY_ID, "memory_id": MEMORY_ID, "memory": FOREIGN, "data": {"memory": FOREIGN},
        "old_memory": FOREIGN, "new_memory": FOREIGN, "user_id": upstream, "name": upstream,
        "type": "user", "total_memories": 7, "metadata": {"note": FOREIGN},
    }  # fmt: skip

    def script(asked: Received) -> Any:
        path = asked.target.partition("?")[0].rstrip("/")
        if ABSENT in path:
            return answer(None) if path.startswith("/memories") else answer({"error": "x"}, 404)
        if path.endswith("/history") or path == "/entities":
            return answer([item])
        if asked.method == "GET" and path.rpartition("/")[2] == MEMORY_ID and "event" not in path:
            return answer(item)
        return answer(
            {
                "count": FOREIGN_COUNT,
                "total": FOREIGN_COUNT,
                "results": [item],
                "status": "SUCCEEDED",
            }
        )

    return script


DELETES = frozenset({"delete", "batch_delete", "delete_owner", "reset"})


def emptied(asked: Received) -> Any:
    """A store in which nothing is left."""
    if asked.method == "GET" and asked.target.startswith("/memories/"):
        return answer(None)
    listing = asked.method == "POST" or asked.target.startswith(("/memories", "/v1/entities"))
    return answer(
        {"count": 0, "results": []} if listing else {"error": "x"}, 200 if listing else 404
    )


def filled(value: Any, upstream: str) -> Any:
    """The other tenant's own id at the store, where a row wants it."""
    return json.loads(json.dumps(value).replace("{upstream}", upstream))


async def upstream_id(plane: Plane) -> str:
    """What the other tenant's u-1 is called at the store."""
    from proxy.ledger import owners

    names = await plane.services.keyring.tenant(plane.tenants["globex"])
    return owners.upstream_id(names, "opaque", "user", "u-1")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def shared_over(
    shared_faults: FaultStore, tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path
) -> AsyncIterator[Plane]:
    """The platform's dialect in front of a store of faults that has the open-source routes."""
    async with data_plane(
        tmp_path_factory.mktemp("over"), shared_faults.url, "store-key", sqlite_template,
        FrozenClock(START), profiles=("mem0-oss", OVER),
    ) as plane:  # fmt: skip
        yield plane


@pytest.fixture
def shared_of(shared_faulty: Plane, shared_over: Plane) -> dict[bool, Plane]:
    """By whether the open-source server is behind."""
    return {False: shared_faulty, True: shared_over}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
async def test_nothing_of_another_tenant_comes_back(
    shared_of: dict[bool, Plane], faults: FaultStore, row: Row
) -> None:
    """Whatever the store says: no foreign text, id, owner or number; no foreign owner is named."""
    faulty = await renewed(shared_of[row.over])
    theirs = await upstream_id(faulty)
    deletes = row.route.op in DELETES
    faults.script = emptied if deletes else leaking(theirs)
    path = row.path.replace(quote("{upstream}", safe=""), theirs)
    status, found = await faulty.call(row.method, path, filled(row.body, theirs))
    shown = json.dumps(found) if not isinstance(found, bytes) else found.decode()
    if row.route.op not in ("write", "batch_update", "pass"):  # what was made is the writer's
        for leak in (FOREIGN, theirs, str(FOREIGN_COUNT), MEMORY_ID):
            assert leak not in shown, (status, shown)
    for request in faults.requests:
        assert theirs not in request.target + request.body.decode(), "a foreign owner was named"
        starred = row.way.endswith(STAR_OF_METADATA) and not row.over
        assert starred or '"*"' not in request.body.decode()
        assert "=*" not in request.target
        assert "%2A" not in request.target


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.way in ("id", "batch", "body-id")], ids=lambda row: row.name
)
async def test_foreign_and_absent_ids_get_the_same_answer(
    shared_of: dict[bool, Plane], faults: FaultStore, row: Row
) -> None:
    """Status, headers that tell, and bytes are those of an id that never was."""
    faulty = await renewed(shared_of[row.over])
    faults.script = leaking(await upstream_id(faulty))
    foreign = await faulty.call(row.method, row.path, row.body)
    absent_body = json.loads(json.dumps(row.body).replace(MEMORY_ID, ABSENT))
    absent = await faulty.call(row.method, row.path.replace(MEMORY_ID, ABSENT), absent_body)
    for _, found in (foreign, absent):
        if isinstance(found, dict):
            found.pop("instance", None)
    assert foreign == absent


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_every_route_has_rows_for_each_way_it_can_name_an_owner(profile: Profile) -> None:
    """A route that is added without rows is noticed here."""
    for route in covered(profile):
        ways = {row.way for row in ROWS if row.route is route}
        for place in route.inward.owner:
            start = f"{place.selector.source}:{place.selector.name}="
            made = sum(way.startswith(start) for way in ways)
            assert made >= len(NAMES) - 1, f"{route.match} has too few rows for {start}"
        if route.inward.filters is not None:
            assert {f"filter={way}" for way in FILTERS} <= ways
        if "{id}" in route.template or route.inward.ids:
            assert ways & {"id", "batch", "body-id"}
        assert "nothing" in ways


def test_the_matrix_is_as_large_as_it_was() -> None:
    """Rows do not vanish unnoticed."""
    assert len(ROWS) > 1_800
    assert len({row.name for row in ROWS}) == len(ROWS)
