"""Every call of the real SDK against the embedded store."""

from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from typing import Any

import httpx
import pytest
from mem0 import exceptions
from mem0.exceptions import MemoryNotFoundError, ValidationError

from tests.support.mem0_library import MemoryClient
from tests.support.mem0_store import RunningStore

Sdk = Callable[..., Awaitable[Any]]
ABSENT = "00000000-0000-4000-8000-000000000000"


async def _add(sdk: Sdk, text: str, **fields: Any) -> str:
    answer = await sdk("add", text, infer=False, **fields)
    return str(answer["results"][0]["id"])


def _found(answer: dict[str, Any]) -> set[str]:
    return {item["memory"] for item in answer["results"]}


async def test_construction_pings(store: RunningStore) -> None:
    """The SDK accepts the store and learns organisation and project from the ping."""
    client = MemoryClient(api_key=store.api_key, host=store.url)
    assert (client.org_id, client.project_id) == ("embedded", "embedded")
    assert client.user_email == "embedded@example.org"


async def test_ping_has_all_four_members(platform: httpx.AsyncClient) -> None:
    """Other SDKs want the status and the e-mail as well."""
    answer = (await platform.get("/v1/ping/")).json()
    assert answer.keys() == {"status", "org_id", "project_id", "user_email"}
    assert answer["status"] == "ok"


async def test_a_wrong_key_is_refused(store: RunningStore) -> None:
    """Construction fails with the store's own sentence."""
    with pytest.raises(ValueError, match="API key is missing or not valid"):
        MemoryClient(api_key="wrong", host=store.url)


async def test_add_verbatim(sdk: Sdk, user: str) -> None:
    """Without inference every message is stored at once, one memory each, system turns left out."""
    messages = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "I keep bees."},
        {"role": "assistant", "content": "How many hives?"},
    ]
    answer = await sdk("add", messages, user_id=user, infer=False, metadata={"a": {"b": 1}})
    assert answer["status"] == "SUCCEEDED"
    assert [item["data"]["memory"] for item in answer["results"]] == [
        "I keep bees.",
        "How many hives?",
    ]
    assert {item["event"] for item in answer["results"]} == {"ADD"}
    item = await sdk("get", answer["results"][0]["id"])
    assert (item["user_id"], item["metadata"]) == (user, {"a": {"b": 1}})


async def test_inference_needs_a_model(sdk: Sdk, user: str) -> None:
    """Without a language model extraction is refused with the reason, and nothing is stored."""
    with pytest.raises(ValidationError, match="No language model is configured"):
        await sdk("add", "I keep bees.", user_id=user)
    assert (await sdk("get_all", filters={"user_id": user}))["count"] == 0


async def test_get_of_an_absent_memory(sdk: Sdk) -> None:
    """An unknown id is not found."""
    with pytest.raises(MemoryNotFoundError, match="Memory not found"):
        await sdk("get", ABSENT)


async def test_ids_must_be_uuids(sdk: Sdk) -> None:
    """An id of another form is refused, however it is encoded."""
    for odd in ("nonsense", "a/b?c", "*"):
        with pytest.raises(ValidationError, match="valid UUID"):
            await sdk("get", odd)


async def test_every_page_once(sdk: Sdk, user: str) -> None:
    """Pages cover everything once, newest first, with links to their neighbours."""
    ids = [await _add(sdk, f"Fact number {number}", user_id=user) for number in range(5)]
    pages = [
        await sdk("get_all", filters={"user_id": user}, page=page, page_size=2)
        for page in (1, 2, 3)
    ]
    assert [item["id"] for page in pages for item in page["results"]] == ids[::-1]
    assert {page["count"] for page in pages} == {5}
    assert [bool(page["next"]) for page in pages] == [True, True, False]
    assert [bool(page["previous"]) for page in pages] == [False, True, True]


async def test_next_is_an_absolute_link(sdk: Sdk, user: str, platform: httpx.AsyncClient) -> None:
    """Following ``next`` as it stands gives the next page."""
    for number in range(3):
        await _add(sdk, f"Fact number {number}", user_id=user)
    first = await sdk("get_all", filters={"user_id": user}, page=1, page_size=2)
    second = (await platform.post(first["next"], json={"filters": {"user_id": user}})).json()
    assert len(second["results"]) == 1
    assert second["next"] is None


async def test_a_page_beyond_the_end(sdk: Sdk, user: str) -> None:
    """A page that does not exist is not found."""
    with pytest.raises(MemoryNotFoundError, match="Invalid page"):
        await sdk("get_all", filters={"user_id": user}, page=3, page_size=2)


FILTERS: list[Any] = [
    pytest.param(lambda u: {"user_id": u}, {"red", "blue"}, id="user"),
    pytest.param(lambda u: {"AND": [{"user_id": u}]}, {"red", "blue"}, id="and"),
    pytest.param(lambda u: {"AND": [{"user_id": u}, {"run_id": "r1"}]}, {"red"}, id="and run"),
    pytest.param(
        lambda u: {"OR": [{"user_id": u}, {"user_id": u + "-other"}]},
        {"red", "blue", "green"},
        id="or",
    ),
    pytest.param(
        lambda u: {"user_id": {"in": [u, u + "-other"]}}, {"red", "blue", "green"}, id="in"
    ),
    pytest.param(lambda u: {"user_id": u, "metadata": {"colour": "r"}}, {"red"}, id="metadata"),
    pytest.param(lambda u: {"user_id": u, "colour": "r"}, {"red"}, id="flat metadata"),
    pytest.param(lambda u: {"user_id": u, "NOT": [{"colour": "r"}]}, {"blue"}, id="not"),
    pytest.param(lambda u: {"app_id": u + "-app"}, {"blue"}, id="app"),
]


@pytest.mark.parametrize(("filters", "expected"), FILTERS)
@pytest.mark.parametrize("method", ["get_all", "search"])
async def test_filters(
    sdk: Sdk, user: str, method: str, filters: Callable[[str], Any], expected: set[str]
) -> None:
    """The platform's filter forms select the same in lists and searches."""
    await _add(sdk, "red", user_id=user, run_id="r1", metadata={"colour": "r"})
    await _add(sdk, "blue", user_id=user, app_id=f"{user}-app", metadata={"colour": "b"})
    await _add(sdk, "green", user_id=f"{user}-other", metadata={"colour": "g"})
    arguments = {"query": "colour", "threshold": 0.0} if method == "search" else {}
    answer = await sdk(method, filters=filters(user), **arguments)
    assert _found(answer) == expected


@pytest.mark.parametrize(
    "filters",
    [
        pytest.param({}, id="empty"),
        pytest.param({"colour": "r"}, id="no identity"),
        pytest.param({"NOT": [{"user_id": "u"}]}, id="only what is not"),
    ],
)
async def test_filters_without_an_identity(sdk: Sdk, filters: dict[str, Any]) -> None:
    """Nobody is everybody only when asked for."""
    with pytest.raises(ValidationError, match="at least one of user_id"):
        await sdk("get_all", filters=filters)


async def test_unsupported_options_are_refused(sdk: Sdk, user: str) -> None:
    """An option that would narrow the result is not silently ignored."""
    with pytest.raises(ValidationError, match="does not support: categories"):
        await sdk("get_all", filters={"user_id": user}, categories=["health"])


async def test_search_ranks_by_meaning(sdk: Sdk, user: str) -> None:
    """The packaged encoder brings the related memory first; ``top_k`` limits."""
    await _add(sdk, "The invoices are due on Friday", user_id=user)
    await _add(sdk, "We got married in June", user_id=user)
    answer = await sdk("search", "wedding", filters={"user_id": user}, top_k=1)
    assert _found(answer) == {"We got married in June"}
    assert answer["results"][0]["score"] > 0.3


async def test_run_is_named_differently(sdk: Sdk, user: str) -> None:
    """A run is ``session_id`` in lists and lookups and ``run_id`` in search results."""
    memory_id = await _add(sdk, "red", user_id=user, run_id="r1")
    assert (await sdk("get", memory_id))["session_id"] == "r1"
    listed = await sdk("get_all", filters={"user_id": user})
    assert listed["results"][0]["session_id"] == "r1"
    found = await sdk("search", "red", filters={"user_id": user})
    assert found["results"][0]["run_id"] == "r1"


async def test_timestamp_is_the_creation_time(sdk: Sdk, user: str) -> None:
    """A write may say when it happened."""
    memory_id = await _add(sdk, "red", user_id=user, timestamp=1_700_000_000)
    assert (await sdk("get", memory_id))["created_at"] == "2023-11-14T22:13:20+00:00"


async def test_update(sdk: Sdk, user: str) -> None:
    """Text and metadata change, the owner does not; the answer is the memory."""
    memory_id = await _add(sdk, "lives in Porto", user_id=user, metadata={"a": 1})
    answer = await sdk(
        "update", memory_id, text="lives in Turku", metadata={"b": 2, "user_id": "x"}
    )
    assert answer["memory"] == "lives in Turku"
    assert (answer["user_id"], answer["metadata"]) == (user, {"a": 1, "b": 2})


async def test_update_of_an_absent_memory(sdk: Sdk) -> None:
    """An unknown id is not found."""
    with pytest.raises(MemoryNotFoundError):
        await sdk("update", ABSENT, text="x")


async def test_expiry_hides_only(sdk: Sdk, user: str) -> None:
    """An expired memory leaves lists and searches, and stays readable by id."""
    memory_id = await _add(sdk, "red", user_id=user, expiration_date="2020-01-01")
    assert (await sdk("get_all", filters={"user_id": user}))["count"] == 0
    assert _found(await sdk("search", "red", filters={"user_id": user})) == set()
    assert (await sdk("get", memory_id))["memory"] == "red"
    assert (await sdk("get_all", filters={"user_id": user}, show_expired=True))["count"] == 1
    await sdk("update", memory_id, expiration_date=None)
    assert (await sdk("get_all", filters={"user_id": user}))["count"] == 1


async def test_expiry_includes_its_day(sdk: Sdk, user: str) -> None:
    """A memory that expires tomorrow is visible."""
    tomorrow = (date.today() + timedelta(days=1)).isoformat()  # noqa: DTZ011
    await _add(sdk, "red", user_id=user, expiration_date=tomorrow)
    assert (await sdk("get_all", filters={"user_id": user}))["count"] == 1


async def test_delete(sdk: Sdk, user: str) -> None:
    """A deleted memory is not found, and cannot be deleted twice."""
    memory_id = await _add(sdk, "red", user_id=user)
    assert await sdk("delete", memory_id) == {"message": "Memory deleted successfully!"}
    for method in ("get", "delete"):
        with pytest.raises(MemoryNotFoundError):
            await sdk(method, memory_id)


async def test_delete_linked(sdk: Sdk, user: str) -> None:
    """The library keeps no chain of superseded memories, so the cascade is empty."""
    memory_id = await _add(sdk, "red", user_id=user)
    assert (await sdk("delete", memory_id, delete_linked=True))["cascade_count"] == 0


async def test_delete_all(sdk: Sdk, user: str) -> None:
    """Everything of the user goes, nobody else's; the answer names an event that ends."""
    for number in range(3):
        await _add(sdk, f"Fact number {number}", user_id=user)
    await _add(sdk, "other", user_id=f"{user}-other")
    answer = await sdk("delete_all", user_id=user)
    assert answer["message"].startswith("Delete in progress")
    assert (await sdk("get_all", filters={"user_id": user}))["count"] == 0
    assert (await sdk("get_all", filters={"user_id": f"{user}-other"}))["count"] == 1


async def test_delete_all_of_an_app(sdk: Sdk, user: str) -> None:
    """An app, which the library does not know, is deleted by its metadata."""
    await _add(sdk, "red", user_id=user, app_id=f"{user}-app")
    await _add(sdk, "blue", user_id=user)
    await sdk("delete_all", app_id=f"{user}-app")
    assert _found(await sdk("get_all", filters={"user_id": user})) == {"blue"}


async def test_delete_all_without_anything(sdk: Sdk) -> None:
    """The SDK sends a delete of everything; it is refused."""
    with pytest.raises(ValidationError, match="At least one of"):
        await sdk("delete_all")


async def test_delete_all_with_filters_as_text(sdk: Sdk, user: str) -> None:
    """The SDK sends filters as a Python representation; that is refused, not guessed."""
    await _add(sdk, "red", user_id=user)
    with pytest.raises(ValidationError, match="Only user_id"):
        await sdk("delete_all", filters={"user_id": user})
    assert (await sdk("get_all", filters={"user_id": user}))["count"] == 1


async def test_events_end(sdk: Sdk, user: str, platform: httpx.AsyncClient) -> None:
    """An event is looked up by id; it shows no request and no deleted result."""
    answer = await sdk("add", "red", user_id=user, infer=False)
    event = (await platform.get(f"/v1/event/{answer['event_id']}/")).json()
    assert (event["event_type"], event["status"], event["payload"]) == ("ADD", "SUCCEEDED", None)
    assert [item["data"]["memory"] for item in event["results"]] == ["red"]
    await sdk("delete", answer["results"][0]["id"])
    assert (await platform.get(f"/v1/event/{answer['event_id']}/")).json()["results"] == []
    assert (await platform.get(f"/v1/event/{ABSENT}/")).status_code == 404
    listed = (await platform.get("/v1/events/")).json()
    assert answer["event_id"] in {item["id"] for item in listed["results"]}


async def test_history(sdk: Sdk, user: str) -> None:
    """Every version is listed, and stays listed after the delete."""
    memory_id = await _add(sdk, "lives in Porto", user_id=user)
    await sdk("update", memory_id, text="lives in Turku")
    await sdk("delete", memory_id)
    entries = await sdk("history", memory_id)
    assert [(entry["event"], entry["old_memory"], entry["new_memory"]) for entry in entries] == [
        ("ADD", None, "lives in Porto"),
        ("UPDATE", "lives in Porto", "lives in Turku"),
        ("DELETE", "lives in Turku", None),
    ]


async def test_users_and_delete_users(sdk: Sdk, user: str) -> None:
    """Owners are listed with their kind; deleting one deletes its memories."""
    odd = f"{user}/a?b%2F"
    await _add(sdk, "red", user_id=odd, agent_id=f"{user}-agent", app_id=f"{user}-app")
    found = await sdk("users")
    assert {(item["type"], item["name"]) for item in found["results"]} >= {
        ("user", odd),
        ("agent", f"{user}-agent"),
        ("app", f"{user}-app"),
    }
    assert found["total_users"] >= 1
    assert await sdk("delete_users", user_id=odd) == {"message": "Entity deleted successfully."}
    assert (await sdk("get_all", filters={"user_id": odd}))["count"] == 0


async def test_batches(sdk: Sdk, user: str) -> None:
    """Up to 1000 memories change or go in one call; the delete has a body."""
    ids = [await _add(sdk, f"Fact number {number}", user_id=user) for number in range(3)]
    changes = [{"memory_id": memory_id, "text": f"New {memory_id}"} for memory_id in ids[:2]]
    answer = await sdk("batch_update", changes)
    assert answer == {"message": "Successfully updated 2 memories"}
    assert (await sdk("get", ids[0]))["memory"] == f"New {ids[0]}"
    batch = [{"memory_id": memory_id} for memory_id in (*ids[1:], ABSENT)]
    assert await sdk("batch_delete", batch) == {"message": "Successfully deleted 2 memories"}
    assert (await sdk("get_all", filters={"user_id": user}))["count"] == 1


async def test_a_batch_too_large(sdk: Sdk) -> None:
    """More than 1000 are refused."""
    with pytest.raises(ValidationError, match="Maximum of 1000"):
        await sdk("batch_delete", [{"memory_id": ABSENT}] * 1001)


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("feedback", {"memory_id": ABSENT, "feedback": "POSITIVE"}),
        ("create_memory_export", {"schema": "{}"}),
        ("get_memory_export", {"memory_export_id": ABSENT}),
        ("get_summary", {"filters": {"user_id": "u"}}),
        ("get_webhooks", {"project_id": "embedded"}),
        ("create_webhook", {"url": "http://127.0.0.1/", "name": "n", "project_id": "embedded",
                            "event_types": ["memory_add"]}),
        ("delete_webhook", {"webhook_id": 1}),
        ("get_profile", {"entity_id": "u"}),
        ("generate_profile", {"entity_id": "u"}),
        ("get_profile_settings", {}),
    ],
)  # fmt: skip
async def test_what_is_not_offered(sdk: Sdk, method: str, arguments: dict[str, Any]) -> None:
    """Further copies of the data are not made; the caller is told so."""
    with pytest.raises(exceptions.MemoryError, match="does not offer this operation"):
        await sdk(method, **arguments)


async def test_reset_deletes_owner_by_owner(sdk: Sdk, user: str) -> None:
    """The SDK's reset lists all owners and deletes each."""
    await _add(sdk, "red", user_id=user, agent_id=f"{user}-agent")
    await sdk("reset")
    assert (await sdk("users"))["count"] == 0


async def test_old_routes(platform: httpx.AsyncClient, user: str) -> None:
    """Routes of older SDKs answer with bare arrays and take identities at the top level."""
    body = {"messages": [{"role": "user", "content": "red"}], "user_id": user, "infer": False}
    added = (await platform.post("/v1/memories/", json=body)).json()
    assert added["results"][0]["data"]["memory"] == "red"
    listed = (await platform.get("/v1/memories/", params={"user_id": user})).json()
    assert [item["memory"] for item in listed] == ["red"]
    second = (await platform.post("/v2/memories/", json={"filters": {"user_id": user}})).json()
    assert [item["memory"] for item in second] == ["red"]
    for version, scope in (("v1", {"user_id": user}), ("v2", {"filters": {"user_id": user}})):
        found = (
            await platform.post(f"/{version}/memories/search/", json={"query": "red", **scope})
        ).json()
        assert [item["memory"] for item in found] == ["red"]


@pytest.mark.parametrize(
    ("credential", "status"),
    [
        pytest.param({"Authorization": "Token {key}"}, 200, id="token"),
        pytest.param({"Authorization": "Bearer {key}"}, 401, id="bearer"),
        pytest.param({"X-API-Key": "{key}"}, 401, id="other dialect"),
        pytest.param({"Authorization": "Token {key}x"}, 401, id="wrong"),
        pytest.param({}, 401, id="none"),
    ],
)
def test_credentials(store: RunningStore, credential: dict[str, str], status: int) -> None:
    """Platform routes want the platform's form of credential."""
    headers = {name: value.format(key=store.api_key) for name, value in credential.items()}
    assert httpx.get(f"{store.url}/v1/ping/", headers=headers).status_code == status


@pytest.mark.parametrize(
    ("content", "status"),
    [
        pytest.param(b"{", 400, id="no JSON"),
        pytest.param(b"[]", 400, id="no object"),
        pytest.param(b'{"messages": []}', 400, id="no messages"),
        pytest.param(b'{"messages": [{"role": "user", "content": "x"}]}', 400, id="no owner"),
    ],
)
async def test_bad_bodies(platform: httpx.AsyncClient, content: bytes, status: int) -> None:
    """What cannot be stored is refused with a JSON ``detail``."""
    answer = await platform.post("/v3/memories/add/", content=content)
    assert answer.status_code == status
    assert isinstance(answer.json()["detail"], str)


async def test_unknown_routes(platform: httpx.AsyncClient) -> None:
    """An unknown path and an unknown method are refused in JSON."""
    assert (await platform.get("/v9/nothing/")).json() == {
        "detail": "The API key is missing or not valid."
    }
    assert (await platform.get("/v3/nothing/")).json() == {"detail": "Not Found"}
    assert (await platform.patch("/v1/memories/")).json() == {"detail": "Method Not Allowed"}
