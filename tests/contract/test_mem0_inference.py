"""Extraction through a scripted model: what is made, what is kept, and what comes back."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest

from proxy.upstreams.layers import LayerScope, from_config
from tests.support.mem0_calls import remember, texts
from tests.support.mem0_library import MemoryClient
from tests.support.mem0_store import RunningStore, llm_arguments, running_store
from tests.support.scripted_llm import ScriptedModel, scripted_llm


@pytest.fixture(scope="module")
def endpoint() -> Iterator[ScriptedModel]:
    """A model that turns each new sentence into a fact."""
    with scripted_llm() as running:
        yield running


@pytest.fixture(scope="module")
def inferring(
    tmp_path_factory: pytest.TempPathFactory, endpoint: ScriptedModel
) -> Iterator[RunningStore]:
    """A store that extracts with it."""
    directory = tmp_path_factory.mktemp("inferring")
    with running_store(directory, *llm_arguments(endpoint.url)) as running:
        yield running


@pytest.fixture
def model(endpoint: ScriptedModel) -> ScriptedModel:
    """The model in its usual behaviour, with nothing asked yet."""
    endpoint.copies_context, endpoint.status = False, 200
    endpoint.prompts.clear()
    return endpoint


@pytest.fixture
async def client(inferring: RunningStore, model: ScriptedModel) -> AsyncIterator[httpx.AsyncClient]:
    """A caller of the open-source server's routes."""
    async with httpx.AsyncClient(
        base_url=inferring.url, headers=inferring.oss_headers, timeout=60
    ) as caller:
        yield caller


async def _tell(client: httpx.AsyncClient, text: str, **fields: Any) -> list[dict[str, Any]]:
    body = {"messages": [{"role": "user", "content": text}], **fields}
    answer = await client.post("/memories", json=body)
    answer.raise_for_status()
    results: list[dict[str, Any]] = answer.json()["results"]
    return results


def _event(sdk: MemoryClient, event_id: str) -> dict[str, Any]:
    """The event once it has ended; the store answers in order, so it does not take long."""
    for _ in range(100):
        event: dict[str, Any] = sdk.client.get(f"/v1/event/{event_id}/").json()
        if event["status"] != "PENDING":
            break
    return event


def _messages(store: RunningStore) -> Any:
    given = {"reach": "side:sqlite", "path": store.history}
    return from_config({"messages": given})["messages"]


async def test_facts_are_only_added(client: httpx.AsyncClient, user: str) -> None:
    """One write makes several memories; a contradiction leaves the old one in place."""
    made = await _tell(client, "I live in Porto. I keep bees.", user_id=user, metadata={"m": 1})
    assert [(item["memory"], item["event"]) for item in made] == [
        ("I live in Porto.", "ADD"),
        ("I keep bees.", "ADD"),
    ]
    (newer,) = await _tell(client, "I live in Turku.", user_id=user)
    assert newer["event"] == "ADD"
    listed = (await client.get("/memories", params={"user_id": user})).json()["results"]
    assert len(listed) == 3
    assert [item.get("metadata") for item in listed].count({"m": 1}) == 2


async def test_the_same_fact_again_makes_nothing(client: httpx.AsyncClient, user: str) -> None:
    """A repeated fact is dropped silently; the raw message is kept all the same."""
    await _tell(client, "I keep bees.", user_id=user)
    assert await _tell(client, "I keep bees.", user_id=user) == []


async def test_the_sdk_gets_an_event(inferring: RunningStore, user: str) -> None:
    """The platform's route accepts and names an event, whose results come later."""
    sdk = MemoryClient(api_key=inferring.api_key, host=inferring.url)
    answer = sdk.add("I keep bees.", user_id=user)
    assert answer.keys() == {"event_id", "status"}
    assert answer["status"] == "PENDING"
    event = _event(sdk, answer["event_id"])
    assert event["status"] == "SUCCEEDED"
    assert [item["data"]["memory"] for item in event["results"]] == ["I keep bees."]
    assert event["payload"] is None


async def test_a_duplicate_succeeds_with_no_result(inferring: RunningStore, user: str) -> None:
    """``SUCCEEDED`` does not mean that anything was stored."""
    sdk = MemoryClient(api_key=inferring.api_key, host=inferring.url)
    for expected in (1, 0):
        answer = sdk.add("I keep bees.", user_id=user)
        event = _event(sdk, answer["event_id"])
        assert (event["status"], len(event["results"])) == ("SUCCEEDED", expected)


async def test_a_failing_model(
    inferring: RunningStore, client: httpx.AsyncClient, model: ScriptedModel, user: str
) -> None:
    """A refusing model is a failed event there and a bad gateway here; nothing is stored."""
    model.status = 400
    sdk = MemoryClient(api_key=inferring.api_key, host=inferring.url)
    answer = sdk.add("I keep bees.", user_id=user)
    event = _event(sdk, answer["event_id"])
    assert (event["status"], event["results"]) == ("FAILED", [])
    body = {"messages": [{"role": "user", "content": "I keep bees."}], "user_id": user}
    assert (await client.post("/memories", json=body)).status_code == 502
    assert texts(await client.get("/memories", params={"user_id": user})) == set()


async def test_an_extracted_fact_has_entity_rows(
    inferring: RunningStore, client: httpx.AsyncClient, user: str
) -> None:
    """Names in extracted facts get rows; two owners never share one."""
    (mine,) = await _tell(client, "Anna Holmquist lives in Uppsala.", user_id=user)
    await _tell(client, "Anna Holmquist sails.", user_id=f"{user}-orla")
    given = {"reach": "side:qdrant-local", "path": inferring.qdrant}
    entities = from_config({"entities": given})["entities"]
    assert await entities.count(LayerScope(memory_ids=(mine["id"],))) == 2
    await client.delete("/memories", params={"user_id": user})
    assert await entities.count(LayerScope(owners=(("user", user),))) == 0
    assert await entities.count(LayerScope(owners=(("user", f"{user}-orla"),))) >= 1


async def test_raw_messages_survive_every_delete(
    inferring: RunningStore, client: httpx.AsyncClient, model: ScriptedModel, user: str
) -> None:
    """The last raw messages stay in a table no route shows, and go to the model again."""
    await _tell(client, "Anna Holmquist lives in Uppsala.", user_id=user)
    await client.delete("/memories", params={"user_id": user})
    scope = LayerScope(owners=(("user", user),))
    assert await _messages(inferring).count(scope) == 1
    await _tell(client, "Nice weather.", user_id=user)
    assert "Holmquist" in model.prompts[-1]
    assert await _messages(inferring).delete(scope) == 2
    await _tell(client, "Rain again.", user_id=user)
    assert "Holmquist" not in model.prompts[-1]


async def test_a_deleted_fact_comes_back(
    inferring: RunningStore, client: httpx.AsyncClient, model: ScriptedModel, user: str
) -> None:
    """A model that copies from the earlier messages stores the deleted fact anew."""
    await _tell(client, "Anna Holmquist lives in Uppsala.", user_id=user)
    await client.delete("/memories", params={"user_id": user})
    model.copies_context = True
    made = await _tell(client, "Nice weather.", user_id=user)
    assert "Anna Holmquist lives in Uppsala." in {item["memory"] for item in made}


async def test_it_does_not_come_back_without_the_messages(
    inferring: RunningStore, client: httpx.AsyncClient, model: ScriptedModel, user: str
) -> None:
    """The same model has nothing to copy once the messages layer is cleared."""
    await _tell(client, "Anna Holmquist lives in Uppsala.", user_id=user)
    await client.delete("/memories", params={"user_id": user})
    await _messages(inferring).delete(LayerScope(owners=(("user", user),)))
    model.copies_context = True
    made = await _tell(client, "Nice weather.", user_id=user)
    assert {item["memory"] for item in made} == {"Nice weather."}


async def test_verbatim_writes_leave_no_messages(
    inferring: RunningStore, client: httpx.AsyncClient, user: str
) -> None:
    """Only inference fills the buffer."""
    await remember(client, "Anna Holmquist lives in Uppsala.", user_id=user)
    assert await _messages(inferring).count(LayerScope(owners=(("user", user),))) == 0


async def test_the_model_sees_similar_memories(
    client: httpx.AsyncClient, model: ScriptedModel, user: str
) -> None:
    """Older memories of the scope, expired ones too, are in the prompt of a new write."""
    await remember(
        client, "Anna Holmquist lives in Uppsala.", user_id=user, expiration_date="2020-01-01"
    )
    await _tell(client, "Where does Holmquist live?", user_id=user)
    assert "Anna Holmquist lives in Uppsala." in model.prompts[-1]
