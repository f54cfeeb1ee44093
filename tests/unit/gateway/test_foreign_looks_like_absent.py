"""Two tenants in one store: neither sees, changes, deletes or counts what is the other's."""

import itertools
from typing import Any

import pytest

from proxy.upstreams.store import Item
from tests.support.gateway import Plane

LIST, SEARCH = "/v3/memories/", "/v3/memories/search/"
ABSENT = "99999999-9999-4999-8999-999999999999"


async def stored(plane: Plane, memory_id: str) -> Item | None:
    """A memory as the store has it."""
    return await plane.services.stores["mem0"].store.get(memory_id)


async def text_of(plane: Plane, memory_id: str) -> str:
    """A memory's text at the store."""
    item = await stored(plane, memory_id)
    return "" if item is None else item.text


BY_ID = [
    pytest.param("GET", "/v1/memories/{}/", None, id="get"),
    pytest.param("GET", "/v1/memories/{}/history/", None, id="history"),
    pytest.param("PUT", "/v1/memories/{}/", {"text": "stolen"}, id="update"),
    pytest.param("PUT", "/v1/memories/{}/", {"metadata": {"a": 1}}, id="update-metadata"),
    pytest.param("DELETE", "/v1/memories/{}/", None, id="delete"),
    pytest.param("DELETE", "/v1/memories/{}/?delete_linked=true", None, id="delete-linked"),
    pytest.param("GET", "/memories/{}", None, id="oss-get"),
    pytest.param("GET", "/memories/{}/history", None, id="oss-history"),
    pytest.param("PUT", "/memories/{}", {"text": "stolen"}, id="oss-update"),
    pytest.param("DELETE", "/memories/{}", None, id="oss-delete"),
    pytest.param("POST", "/v1/feedback/", {"memory_id": "{}", "feedback": "POSITIVE"}, id="note"),
]


def filled(value: Any, memory_id: str) -> Any:
    if isinstance(value, str):
        return value.replace("{}", memory_id)
    if isinstance(value, dict):
        return {key: filled(part, memory_id) for key, part in value.items()}
    return value


@pytest.mark.parametrize(("method", "path", "body"), BY_ID)
async def test_an_id_of_another_tenant_is_absent(
    plane: Plane, method: str, path: str, body: Any
) -> None:
    """Same status and same bytes as for an id that never was; the memory stays as it is."""
    theirs = await plane.add("theirs alone", "u-1", tenant="globex")
    foreign = await plane.call(method, filled(path, theirs), filled(body, theirs))
    absent = await plane.call(method, filled(path, ABSENT), filled(body, ABSENT))
    assert foreign == absent
    assert await text_of(plane, theirs) == "theirs alone"
    own = await plane.call("GET", f"/v1/memories/{theirs}/", tenant="globex")
    assert own[0] == 200


@pytest.mark.parametrize(
    ("method", "path", "body"), [c for c in BY_ID if "delete" not in str(c.id)]
)
async def test_an_id_that_the_ledger_lost_is_still_foreign(
    plane: Plane, method: str, path: str, body: Any
) -> None:
    """An item written beside the proxy belongs to nobody's tenant, whatever its id."""
    store = plane.services.stores["mem0"].store
    (loose,) = await store.add({"user": "u-1"}, "written beside the proxy", {})
    foreign = await plane.call(method, filled(path, loose), filled(body, loose))
    absent = await plane.call(method, filled(path, ABSENT), filled(body, ABSENT))
    assert foreign == absent
    assert await text_of(plane, loose) == "written beside the proxy"


def ids_of(answer: Any) -> set[str]:
    items = answer["results"] if isinstance(answer, dict) else answer
    return {item["id"] for item in items}


OWN_ID, THEIR_ID = "u-1", "u-1"  # the same words name different people in different tenants
NAMINGS: list[tuple[str, Any]] = [
    ("plain", {"user_id": OWN_ID}),
    ("and", {"AND": [{"user_id": OWN_ID}]}),
    ("or", {"OR": [{"user_id": OWN_ID}, {"user_id": "u-10"}]}),
    ("in", {"user_id": {"in": [OWN_ID, "u-10"]}}),
    ("list", {"user_id": [OWN_ID]}),
    ("eq", {"user_id": {"eq": OWN_ID}}),
    ("nested", {"AND": [{"OR": [{"user_id": OWN_ID}]}, {"NOT": [{"user_id": "u-2"}]}]}),
    ("not too", {"user_id": OWN_ID, "NOT": [{"user_id": "nobody"}]}),
    ("or agent", {"OR": [{"user_id": OWN_ID}, {"agent_id": "a-1"}]}),
    ("prefix", {"user_id": "u-10"}),
    ("case", {"user_id": "U-1"}),
    ("percent", {"user_id": "%"}),
    ("sql", {"user_id": "' OR 1=1 --"}),
    ("look-alike", {"user_id": "u‐1"}),
    ("upstream form", {"user_id": "{theirs}"}),
]
REFUSED: list[tuple[str, Any]] = [
    ("nothing", None),
    ("empty", {}),
    ("padded", {"user_id": " u-1 "}),
    ("null", {"user_id": None}),
    ("blank", {"user_id": ""}),
    ("wildcard", {"user_id": "*"}),
    ("wildcard inside", {"user_id": "u*"}),
    ("wildcard agent", {"user_id": OWN_ID, "agent_id": "*"}),
    ("wildcard branch", {"OR": [{"user_id": OWN_ID}, {"agent_id": "*"}]}),
    ("open branch", {"OR": [{"user_id": OWN_ID}, {"colour": "red"}]}),
    ("only not", {"NOT": [{"user_id": "nobody"}]}),
    ("only metadata", {"colour": "red"}),
    ("twice", {"user_id": OWN_ID, "AND": [{"user_id": "u-2"}]}),
    ("not equal", {"user_id": {"ne": "nobody"}}),
    ("contains", {"user_id": {"contains": ""}}),
    ("greater", {"user_id": {"gt": ""}}),
    ("dollar", {"$or": [{"user_id": OWN_ID}], "user_id": OWN_ID}),
    ("lower-case group", {"or": [{"user_id": "u-2"}], "user_id": OWN_ID}),
    ("in metadata", {"user_id": OWN_ID, "metadata": {"user_id": "u-2"}}),
    ("dotted", {"user_id": OWN_ID, "metadata.user_id": "u-2"}),
    ("stamp", {"user_id": OWN_ID, "expunge_w": {"contains": "wrt"}}),
    ("empty list", {"user_id": {"in": []}}),
    ("list with wildcard", {"user_id": {"in": ["*"]}}),
    ("number list", {"user_id": {"in": [None]}}),
    ("text", "user_id"),
]


@pytest.mark.parametrize("path", [LIST, SEARCH, "/search"])
@pytest.mark.parametrize("filters", [n[1] for n in NAMINGS], ids=[n[0] for n in NAMINGS])
async def test_no_filter_leaves_the_tenant(plane: Plane, path: str, filters: Any) -> None:
    """Whatever way an owner is named, only the tenant's own items come back."""
    own = {await plane.add("likes rye bread", user) for user in ("u-1", "u-2")}
    theirs = await plane.add("likes rye bread too", THEIR_ID, tenant="globex")
    item = await stored(plane, theirs)
    assert item is not None
    upstream = item.owners["user"]
    if filters == {"user_id": "{theirs}"}:
        filters = {"user_id": upstream}
    status, answer = await plane.call("POST", path, {"query": "rye bread", "filters": filters})
    if path == "/search" and status == 400:
        assert "type" not in answer, "only the store itself may refuse this"
        return
    assert status == 200
    assert ids_of(answer) <= own
    if "OR" not in str(filters) and "u-1" in str(filters) and "u-10" not in str(filters):
        assert ids_of(answer), "the tenant's own item is found"


@pytest.mark.parametrize("path", [LIST, SEARCH, "/search"])
@pytest.mark.parametrize("filters", [n[1] for n in REFUSED], ids=[n[0] for n in REFUSED])
async def test_an_uncertain_filter_is_refused(
    faulty: Plane, faults: Any, path: str, filters: Any
) -> None:
    """What might reach beyond the named owner is a 400, and the store is not asked."""
    status, answer = await faulty.call("POST", path, {"query": "x", "filters": filters})
    assert (status, answer["type"]) == (400, "urn:expunge:problem:invalid-request")
    assert faults.requests == []


QUERIES = list(
    itertools.product(
        ("GET", "DELETE"),
        ("/v1/memories/", "/memories"),
        ("", "?user_id=", "?user_id=*", "?user_id=%2A", "?user_id=a&user_id=b", "?user_id=u%00",
         "?filters=%7B%27user_id%27%3A+%27u-2%27%7D"),
    )
)  # fmt: skip


@pytest.mark.parametrize(("method", "path", "query"), QUERIES)
async def test_an_uncertain_query_is_refused(
    faulty: Plane, faults: Any, method: str, path: str, query: str
) -> None:
    """No owner, a wildcard, two owners: refused in the query string too."""
    status, _ = await faulty.call(method, path + query)
    assert status == 400
    assert faults.requests == []


async def test_deleting_an_owner_leaves_the_other_tenants_namesake(plane: Plane) -> None:
    """delete_all and entity delete reach the tenant's own owner only."""
    theirs = await plane.add("theirs alone", "u-7", tenant="globex")
    for path in (
        "/v1/memories/?user_id=u-7", "/memories?user_id=u-7", "/v2/entities/user/u-7/",
        "/v1/entities/user/u-7/", "/entities/user/u-7",
    ):  # fmt: skip
        mine = await plane.add("mine alone", "u-7")
        status, _ = await plane.call("DELETE", path)
        assert status == 200
        assert await stored(plane, mine) is None
        assert await stored(plane, theirs) is not None


async def test_owners_of_other_tenants_are_not_listed_or_counted(plane: Plane) -> None:
    """Names and totals are those of the tenant alone."""
    await plane.add("one", "u-1")
    await plane.add("two", "u-2", tenant="globex")
    for path in ("/v1/entities/", "/entities"):
        status, answer = await plane.call("GET", path)
        found = answer["results"] if isinstance(answer, dict) else answer
        assert status == 200
        assert [owner.get("name", owner["id"]) for owner in found] == ["u-1"]
        if isinstance(answer, dict):
            assert answer["count"] == answer["total_users"] == 1


async def test_counts_are_the_tenants_own(plane: Plane) -> None:
    """The number beside a list counts only what is in the tenant's own list."""
    for tenant in ("acme", "globex", "globex"):
        await plane.add("a note", "u-1", tenant=tenant)
    status, answer = await plane.call("POST", LIST, {"filters": {"user_id": "u-1"}})
    assert (status, answer["count"], len(answer["results"])) == (200, 1, 1)


async def test_metadata_cannot_claim_an_owner(plane: Plane) -> None:
    """Owner fields in metadata do not reach the store, on write and on update."""
    memory_id = await plane.add("mine", metadata={"user_id": "u-2", "agent_id": "x", "a": 1})
    await plane.call("PUT", f"/v1/memories/{memory_id}/", {"metadata": {"user_id": "u-2", "b": 2}})
    item = await stored(plane, memory_id)
    assert item is not None
    assert not {"user_id", "agent_id"} & item.metadata.keys()
    assert set(item.owners) == {"user"}
    _, answer = await plane.call("GET", f"/v1/memories/{memory_id}/")
    assert (answer["user_id"], answer["metadata"]) == ("u-1", {"a": 1, "b": 2})


async def test_a_client_key_does_not_open_the_store(plane: Plane, mem0: Any) -> None:
    """Whoever goes around the proxy has no credential."""
    async with plane.http.get(
        f"{mem0.url}/v1/memories/?user_id=x",
        headers={"Authorization": f"Token {plane.keys['acme']}"},
    ) as response:
        assert response.status == 401


@pytest.mark.parametrize("path", [LIST, SEARCH, "/v2/memories/", "/v1/memories/search/"])
@pytest.mark.parametrize(
    "metadata",
    [{"user_id": "*"}, {"agent_id": "x"}, {"a": {"user_id": "*"}}, {"OR": []}, ["x"], "user_id"],
    ids=str,
)
async def test_conditions_beside_the_filter_name_no_owner(
    faulty: Plane, faults: Any, path: str, metadata: Any
) -> None:
    """The store takes `metadata` as part of the filter: owner fields in it are refused."""
    body = {"query": "x", "filters": {"user_id": "u-1"}, "metadata": metadata}
    status, answer = await faulty.call("POST", path, body)
    assert (status, answer["type"]) == (400, "urn:expunge:problem:invalid-request")
    assert faults.requests == []


async def test_a_store_that_answers_beyond_the_question_tells_nothing(
    faulty: Plane, faults: Any
) -> None:
    """Foreign items, the total and the links of such an answer do not reach the client."""
    from tests.support.fault_store import answer as reply

    item = {"id": "22222222-2222-4222-8222-222222222222", "memory": "x", "user_id": "someone"}
    faults.script = lambda _: reply(
        {"count": 812, "next": "http://s/v3/memories/?page=2", "previous": None, "results": [item]}
    )
    status, answer = await faulty.call("POST", LIST, {"filters": {"user_id": "u-1"}})
    assert status == 200
    assert answer == {"count": 0, "next": None, "previous": None, "results": []}
