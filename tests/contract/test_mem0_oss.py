"""Every memory route of the open-source server against the embedded store."""

from typing import Any

import httpx
import pytest

from tests.support.mem0_calls import remember, texts
from tests.support.mem0_store import RunningStore

ABSENT = "00000000-0000-4000-8000-000000000000"


async def test_add_answers_at_once(oss: httpx.AsyncClient, user: str) -> None:
    """A verbatim write gives id, text, event, actor and role of each message."""
    body = {
        "messages": [{"role": "user", "content": "red"}, {"role": "assistant", "content": "blue"}],
        "user_id": user,
        "infer": False,
        "unknown": "ignored",
    }
    results = (await oss.post("/memories", json=body)).json()["results"]
    assert [(item["memory"], item["event"], item["role"]) for item in results] == [
        ("red", "ADD", "user"),
        ("blue", "ADD", "assistant"),
    ]


@pytest.mark.parametrize("infer", [{}, {"infer": True}, {"infer": None}])
async def test_inference_needs_a_model(
    oss: httpx.AsyncClient, user: str, infer: dict[str, Any]
) -> None:
    """Extraction, which is the default, is refused with the reason where no model is set."""
    body = {"messages": [{"role": "user", "content": "red"}], "user_id": user, **infer}
    answer = await oss.post("/memories", json=body)
    assert answer.status_code == 422
    assert "No language model" in answer.json()["detail"]
    assert texts(await oss.get("/memories", params={"user_id": user})) == set()


async def test_procedural_memory_needs_a_model(oss: httpx.AsyncClient, user: str) -> None:
    """A procedural memory is a summary by the model, also without inference."""
    body = {
        "messages": [{"role": "user", "content": "red"}],
        "agent_id": user,
        "infer": False,
        "memory_type": "procedural_memory",
    }
    assert (await oss.post("/memories", json=body)).status_code == 422


@pytest.mark.parametrize(
    ("messages", "place"),
    [
        pytest.param("red", ["body", "messages"], id="text"),
        pytest.param([{"role": "user", "content": [{"type": "text", "text": "secret red"}]}],
                     ["body", "messages", 0, "content"], id="parts"),
    ],
)  # fmt: skip
async def test_invalid_messages_are_echoed(
    oss: httpx.AsyncClient, user: str, messages: Any, place: list[Any]
) -> None:
    """A refusal repeats the input, so a 422 of the store is content too."""
    answer = await oss.post("/memories", json={"messages": messages, "user_id": user})
    assert answer.status_code == 422
    (error,) = answer.json()["detail"]
    assert error["loc"] == place
    assert "red" in str(error["input"])


async def test_an_owner_is_required(oss: httpx.AsyncClient) -> None:
    """Writes, searches and bulk deletes without an owner are refused."""
    body = {"messages": [{"role": "user", "content": "red"}], "infer": False}
    assert (await oss.post("/memories", json=body)).status_code == 400
    assert (await oss.post("/search", json={"query": "red"})).status_code == 400
    assert (await oss.delete("/memories")).status_code == 400


async def test_absent_is_null_with_200(oss: httpx.AsyncClient, user: str) -> None:
    """A memory that is not there, or no longer, is ``null`` with status 200."""
    memory_id = await remember(oss, "red", user_id=user)
    assert (await oss.get(f"/memories/{memory_id}")).json()["memory"] == "red"
    await oss.delete(f"/memories/{memory_id}")
    for absent in (memory_id, ABSENT, "nonsense"):
        answer = await oss.get(f"/memories/{absent}")
        assert (answer.status_code, answer.json()) == (200, None)


async def test_a_second_delete_is_404(oss: httpx.AsyncClient, user: str) -> None:
    """Deleting twice names the id in the refusal."""
    memory_id = await remember(oss, "red", user_id=user)
    assert (await oss.delete(f"/memories/{memory_id}")).json() == {
        "message": "Memory deleted successfully"
    }
    answer = await oss.delete(f"/memories/{memory_id}")
    assert (answer.status_code, answer.json()) == (
        404,
        {"detail": f"Memory with id {memory_id} not found"},
    )


async def test_update_merges_metadata(oss: httpx.AsyncClient, user: str) -> None:
    """Metadata keys are added and nulled, never removed; identity keys are dropped."""
    memory_id = await remember(oss, "red", user_id=user, metadata={"a": 1, "b": 2})
    change = {"text": "blue", "metadata": {"b": None, "c": 3, "user_id": "thief"}}
    assert (await oss.put(f"/memories/{memory_id}", json=change)).json() == {
        "message": "Memory updated successfully!"
    }
    item = (await oss.get(f"/memories/{memory_id}")).json()
    assert (item["memory"], item["user_id"]) == ("blue", user)
    assert item["metadata"] == {"a": 1, "b": None, "c": 3}


async def test_metadata_overrides_reserved_keys(oss: httpx.AsyncClient, user: str) -> None:
    """Payloads are flat: metadata can set the time of creation and the expiry."""
    metadata = {"created_at": "2001-01-01T00:00:00+00:00", "expiration_date": "2002-02-02"}
    memory_id = await remember(oss, "red", user_id=user, metadata=metadata)
    item = (await oss.get(f"/memories/{memory_id}")).json()
    assert (item["created_at"], item["expiration_date"]) == tuple(metadata.values())
    assert texts(await oss.get("/memories", params={"user_id": user})) == set()


async def test_list_is_short_by_default_and_capped(oss: httpx.AsyncClient, user: str) -> None:
    """20 without ``top_k``, at most 1000 with it, and no second page."""
    for number in range(21):
        await remember(oss, f"Fact number {number}", user_id=user)
    assert len(texts(await oss.get("/memories", params={"user_id": user}))) == 20
    every = await oss.get("/memories", params={"user_id": user, "top_k": 1000})
    assert len(texts(every)) == 21
    refused = await oss.get("/memories", params={"user_id": user, "top_k": 1001})
    assert refused.status_code == 422


async def test_the_unscoped_list_shows_a_second_copy(oss: httpx.AsyncClient, user: str) -> None:
    """Listing everybody shows the lemmatised text among the metadata."""
    memory_id = await remember(oss, "Three bees were singing", user_id=user)
    rows = (await oss.get("/memories")).json()["results"]
    (row,) = (row for row in rows if row["id"] == memory_id)
    assert row["metadata"]["text_lemmatized"] == "bee sing singing"


async def test_search(oss: httpx.AsyncClient, user: str) -> None:
    """Identities in the filters or beside them; metadata narrows."""
    await remember(oss, "We got married in June", user_id=user, metadata={"year": 2020})
    await remember(oss, "Wedding of a friend", user_id=user, metadata={"year": 2021})
    for scope in ({"user_id": user}, {"filters": {"user_id": user}}):
        found = await oss.post("/search", json={"query": "wedding", **scope})
        assert len(texts(found)) == 2
    narrow = {"query": "wedding", "filters": {"user_id": user, "year": {"gte": 2021}}}
    assert texts(await oss.post("/search", json=narrow)) == {"Wedding of a friend"}
    one = await oss.post("/search", json={"query": "wedding", "user_id": user, "top_k": 1})
    assert len(texts(one)) == 1


async def test_bulk_delete_of_nobody_succeeds(oss: httpx.AsyncClient, user: str) -> None:
    """The answer of a bulk delete proves nothing."""
    answer = await oss.delete("/memories", params={"user_id": user})
    assert (answer.status_code, answer.json()) == (
        200,
        {"message": "All relevant memories deleted"},
    )


async def test_bulk_delete_drains_more_than_a_page(oss: httpx.AsyncClient, user: str) -> None:
    """More than 1000 memories of one owner go with one call."""
    body = {
        "messages": [{"role": "user", "content": f"Fact number {n}"} for n in range(1010)],
        "user_id": user,
        "infer": False,
    }
    assert len((await oss.post("/memories", json=body, timeout=120)).json()["results"]) == 1010
    await oss.delete("/memories", params={"user_id": user}, timeout=120)
    left = await oss.get("/memories", params={"user_id": user, "show_expired": True})
    assert texts(left) == set()


async def test_owners(oss: httpx.AsyncClient, user: str) -> None:
    """Owners are listed with counts; the id of one to delete is in the path."""
    odd = f"{user}/a?b"
    await remember(oss, "red", user_id=odd)
    await remember(oss, "blue", user_id=odd, run_id=f"{user}-run")
    listed = {(item["type"], item["id"]): item for item in (await oss.get("/entities")).json()}
    assert listed["user", odd]["total_memories"] == 2
    assert listed["run", f"{user}-run"]["total_memories"] == 1
    path = f"/entities/user/{odd.replace('/', '%2F').replace('?', '%3F')}"
    assert (await oss.delete(path)).json() == {"message": "Entity deleted"}
    assert texts(await oss.get("/memories", params={"user_id": odd})) == set()
    assert (await oss.delete("/entities/app/x")).status_code == 422


async def test_an_odd_owner_id_is_a_server_error_in_lists(oss: httpx.AsyncClient) -> None:
    """An id with white space is refused in writes and searches, and breaks lists."""
    body = {"messages": [{"role": "user", "content": "red"}], "infer": False, "user_id": "a b"}
    assert (await oss.post("/memories", json=body)).status_code == 400
    search = {"query": "red", "filters": {"user_id": "a b"}}
    assert (await oss.post("/search", json=search)).status_code == 400
    answer = await oss.get("/memories", params={"user_id": "a b"})
    assert answer.status_code == 502
    assert answer.json().keys() == {"detail", "code", "request_id"}
    assert answer.json()["request_id"] == answer.headers["X-Request-ID"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/configure"), ("POST", "/configure"), ("GET", "/configure/providers"),
        ("POST", "/generate-instructions"), ("GET", "/requests"), ("GET", "/api-keys"),
        ("POST", "/auth/login"), ("DELETE", "/api-keys/1"),
    ],
)  # fmt: skip
async def test_what_is_not_offered(oss: httpx.AsyncClient, method: str, path: str) -> None:
    """Accounts and configuration are not part of the store; the caller is told so."""
    answer = await oss.request(method, path)
    assert answer.status_code == 501
    assert "does not offer" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("credential", "status"),
    [
        pytest.param({"X-API-Key": "{key}"}, 200, id="key"),
        pytest.param({"Authorization": "Bearer {key}"}, 200, id="bearer"),
        pytest.param({"Authorization": "Token {key}"}, 401, id="other dialect"),
        pytest.param({"X-API-Key": "wrong"}, 401, id="wrong"),
        pytest.param({}, 401, id="none"),
    ],
)
async def test_credentials(store: RunningStore, credential: dict[str, str], status: int) -> None:
    """The server's routes want the server's form of credential."""
    headers = {name: value.format(key=store.api_key) for name, value in credential.items()}
    async with httpx.AsyncClient(base_url=store.url, headers=headers) as client:
        assert (await client.get("/entities")).status_code == status


async def test_invalid_json(oss: httpx.AsyncClient) -> None:
    """A body that is no JSON is refused with its place."""
    answer = await oss.post("/memories", content=b"{oops")
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["type"] == "json_invalid"


async def test_no_trailing_slashes(oss: httpx.AsyncClient) -> None:
    """The dialects are disjoint: the other one's spelling is unknown here."""
    assert (await oss.get("/memories/")).status_code == 404
    assert (await oss.get("/nothing")).json() == {"detail": "Not Found"}
