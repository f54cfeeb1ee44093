"""What the bare store lets one owner do to another: each is a reason for Expunge."""

from typing import Any

import httpx
import pytest

from tests.support.mem0_calls import remember, texts

Pair = tuple[str, str]


@pytest.fixture
async def pair(oss: httpx.AsyncClient, user: str) -> Pair:
    """Two owners with one memory each."""
    alva, orla = f"{user}-alva", f"{user}-orla"
    await remember(oss, "Alva sails", user_id=alva)
    await remember(oss, "Orla keeps bees", user_id=orla)
    return alva, orla


async def _search(client: httpx.AsyncClient, filters: dict[str, Any]) -> set[str]:
    body = {"query": "sails bees", "filters": filters, "threshold": 0.0, "top_k": 1000}
    return texts(await client.post("/search", json=body))


@pytest.mark.parametrize("identity", ["user_id", "agent_id", "run_id"])
async def test_a_star_reads_everybody(oss: httpx.AsyncClient, pair: Pair, identity: str) -> None:
    """``*`` as an id is a wildcard, even for a kind of owner the memories do not have."""
    both = {"Alva sails", "Orla keeps bees"}
    assert await _search(oss, {identity: "*"}) >= both
    listed = await oss.get("/memories", params={identity: "*", "top_k": 1000})
    assert texts(listed) >= both


async def test_a_star_reads_everybody_on_the_platform_routes(
    platform: httpx.AsyncClient, pair: Pair
) -> None:
    """The wildcard works in the other dialect too."""
    answer = await platform.post(
        "/v3/memories/", json={"filters": {"user_id": "*"}}, params={"page_size": 1000}
    )
    assert texts(answer) >= {"Alva sails", "Orla keeps bees"}


@pytest.mark.parametrize(
    ("identity", "path"),
    [
        pytest.param("user_id", None, id="user"),
        pytest.param("run_id", None, id="a kind nobody has"),
        pytest.param(None, "/entities/user/*", id="in the path"),
    ],
)
async def test_a_star_deletes_everybody(
    oss: httpx.AsyncClient, pair: Pair, identity: str | None, path: str | None
) -> None:
    """One delete with ``*`` empties the store."""
    request = {"params": {identity: "*"}} if identity else {}
    await oss.request("DELETE", path or "/memories", **request)  # type: ignore[arg-type]
    assert (await oss.get("/memories")).json()["results"] == []


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        pytest.param(("user_id", "AND"), "Orla keeps bees", id="inner last"),
        pytest.param(("AND", "user_id"), "Alva sails", id="inner first"),
    ],
)
@pytest.mark.parametrize("dialect", ["oss", "platform"])
async def test_a_nested_owner_overrides(
    oss: httpx.AsyncClient,
    platform: httpx.AsyncClient,
    pair: Pair,
    order: Pair,
    expected: str,
    dialect: str,
) -> None:
    """An ``AND`` with another owner reads that owner's memories; the key order decides."""
    alva, orla = pair
    parts: dict[str, Any] = {"user_id": alva, "AND": [{"user_id": orla}]}
    filters = {key: parts[key] for key in order}
    body = {"query": "sails bees", "filters": filters, "threshold": 0.0}
    if dialect == "oss":
        assert texts(await oss.post("/search", json=body)) == {expected}
    else:
        assert texts(await platform.post("/v3/memories/search/", json=body)) == {expected}


async def test_a_nested_owner_in_a_list_is_a_true_and(
    platform: httpx.AsyncClient, pair: Pair
) -> None:
    """In lists the same filter matches nobody."""
    alva, orla = pair
    filters = {"user_id": alva, "AND": [{"user_id": orla}]}
    assert texts(await platform.post("/v3/memories/", json={"filters": filters})) == set()


async def test_an_or_does_not_widen(oss: httpx.AsyncClient, pair: Pair) -> None:
    """``OR`` with another owner stays within the first."""
    alva, orla = pair
    assert await _search(oss, {"user_id": alva, "OR": [{"user_id": orla}]}) == set()
    assert await _search(oss, {"user_id": alva, "NOT": [{"user_id": orla}]}) == {"Alva sails"}


async def test_an_or_of_wildcards_on_the_platform_routes(
    platform: httpx.AsyncClient, pair: Pair
) -> None:
    """One branch of an ``OR`` may be a wildcard, which returns everybody's rows."""
    filters = {"OR": [{"user_id": pair[0]}, {"agent_id": "*"}]}
    answer = await platform.post("/v3/memories/", json={"filters": filters})
    assert "Alva sails" in texts(answer)


async def test_ids_have_no_owner(oss: httpx.AsyncClient, pair: Pair) -> None:
    """Whoever knows an id reads, follows, changes and deletes the memory."""
    memory_id = await remember(oss, "Orla moved to Turku", user_id=pair[1])
    path = f"/memories/{memory_id}"
    assert (await oss.get(path)).json()["user_id"] == pair[1]
    assert len((await oss.get(f"{path}/history")).json()) == 1
    assert (await oss.put(path, json={"text": "changed by a stranger"})).status_code == 200
    assert (await oss.delete(path)).status_code == 200


async def test_top_level_ids_overwrite_the_filters(oss: httpx.AsyncClient, pair: Pair) -> None:
    """Of two owners in one search the one beside the filters counts."""
    body = {"query": "sails bees", "user_id": pair[1], "filters": {"user_id": pair[0]},
            "threshold": 0.0}  # fmt: skip
    assert texts(await oss.post("/search", json=body)) == {"Orla keeps bees"}


async def test_a_list_of_ids_is_read_as_text(oss: httpx.AsyncClient, pair: Pair) -> None:
    """A list of one owner finds nothing and is not refused."""
    assert await _search(oss, {"user_id": [pair[0]]}) == set()


@pytest.mark.parametrize("filters", [{}, {"user_id": None}, {"user_id": ["a", "b"]}])
async def test_owners_that_are_refused(oss: httpx.AsyncClient, filters: dict[str, Any]) -> None:
    """No owner, an empty one and a list of several are not answered."""
    answer = await oss.post("/search", json={"query": "red", "filters": filters})
    assert answer.status_code in {400, 502}


async def test_ids_are_trimmed_and_case_sensitive(oss: httpx.AsyncClient, user: str) -> None:
    """White space around an id does not make another owner; its letter case does."""
    await remember(oss, "red", user_id=f"  {user} ")
    assert await _search(oss, {"user_id": user}) == {"red"}
    assert await _search(oss, {"user_id": user.upper()}) == set()


async def test_a_star_can_be_an_owner(oss: httpx.AsyncClient) -> None:
    """Nothing stops a write under the wildcard itself."""
    memory_id = await remember(oss, "red", user_id="*")
    assert (await oss.get(f"/memories/{memory_id}")).json()["user_id"] == "*"


async def test_reset_spares_nobody(oss: httpx.AsyncClient, pair: Pair) -> None:
    """One call deletes everything, the history too."""
    memory_id = await remember(oss, "red", user_id=pair[0])
    assert (await oss.post("/reset")).json() == {"message": "All memories reset"}
    assert (await oss.get("/memories")).json()["results"] == []
    assert (await oss.get(f"/memories/{memory_id}/history")).json() == []
