"""What agent frameworks do with Mem0's client, at the real Mem0 and through the data plane.

The calls are those of the packages themselves: LlamaIndex's ``llama-index-memory-mem0`` 2.1.0
(``Mem0Memory.put``, ``set`` and ``get``), and LangChain's way of Mem0's guide, where a chain
searches before the model is asked and adds both turns afterwards.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from proxy.clock import FrozenClock
from tests.support.gateway import Plane, data_plane
from tests.support.ledger import START
from tests.support.mem0_library import MemoryClient
from tests.support.mem0_store import RunningStore, llm_arguments, running_store
from tests.support.scripted_llm import ScriptedModel, scripted_llm

Turn = tuple[str, str]
PLAIN = [
    ("I keep bees behind the mill.", "How many hives are there?"),
    ("There are seven hives of bees.", "That is a fine number."),
]
MAIL = "alva.brenn@example.org"
PERSONAL = [(f"Write to {MAIL} about the bees.", "I made a note of it.")]


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    """A model that turns each new sentence into a fact."""
    with scripted_llm() as running:
        yield running


@pytest.fixture(scope="module")
def inferring(
    tmp_path_factory: pytest.TempPathFactory, model: ScriptedModel
) -> Iterator[RunningStore]:
    """A store that extracts with it."""
    folder = tmp_path_factory.mktemp("frameworks")
    with running_store(folder, *llm_arguments(model.url)) as running:
        yield running


@pytest.fixture
async def plane(
    inferring: RunningStore, tmp_path: Path, sqlite_template: Path
) -> AsyncIterator[Plane]:
    """The data plane in front of it."""
    async with data_plane(
        tmp_path / "plane", inferring.url, inferring.api_key, sqlite_template, FrozenClock(START)
    ) as found:
        yield found


def chain(client: MemoryClient, owner: str, turns: list[Turn]) -> list[str]:
    """LangChain: the context that the model is shown for each turn, and for a last question."""
    shown = []
    for asked, answered in turns:
        found = client.search(asked, filters={"user_id": owner})
        shown.append(" ".join(each["memory"] for each in found["results"]))
        interaction = [
            {"role": "user", "content": asked},
            {"role": "assistant", "content": answered},
        ]
        finish(client, client.add(interaction, user_id=owner))
    found = client.search("bees", filters={"user_id": owner})
    return [*shown, " ".join(sorted(each["memory"] for each in found["results"]))]


def chat_engine(client: MemoryClient, owner: str, turns: list[Turn]) -> list[str]:
    """LlamaIndex: each message is put, and the system message got before the next."""
    shown, history = [], []
    for turn in turns:
        for role, content in zip(("user", "assistant"), turn, strict=True):
            message = {"role": role, "content": content}
            added = client.add(messages=[message], user_id=owner, run_id="chat-1")
            finish(client, added)
            history.append(f"{role}: {content}")
        asked = "\n".join([*history[-5:], "user: what about the bees?"])
        found = client.search(query=asked, filters={"user_id": owner, "run_id": "chat-1"})
        shown.append("\n".join(sorted(preference(each) for each in found.get("results", []))))
    return shown


def preference(item: dict[str, Any]) -> str:
    """An item as LlamaIndex writes it into the system message."""
    categories = item.get("categories")
    memory = str(item.get("memory", ""))
    return memory if categories is None else f"[{', '.join(categories)}] : {memory}"


def finish(client: MemoryClient, added: dict[str, Any]) -> None:
    """Wait until what was accepted is stored."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        event = client.client.get(f"/v1/event/{added['event_id']}/").json()
        if event["status"] in ("SUCCEEDED", "FAILED"):
            assert event["status"] == "SUCCEEDED"
            return
        time.sleep(0.02)
    pytest.fail(f"not finished {event}")


WAYS = [pytest.param(chain, id="langchain"), pytest.param(chat_engine, id="llama-index")]
Way = Callable[[MemoryClient, str, list[Turn]], list[str]]


async def run(way: Way, url: str, key: str, owner: str, turns: list[Turn]) -> list[str]:
    """What a framework shows its model."""
    client = await asyncio.to_thread(lambda: MemoryClient(api_key=key, host=url))
    try:
        return await asyncio.to_thread(way, client, owner, turns)
    finally:
        client.client.close()


@pytest.mark.parametrize("way", WAYS)
async def test_a_framework_shows_its_model_the_same(
    inferring: RunningStore, plane: Plane, way: Way
) -> None:
    """Where policy is silent the context through the proxy is the one without."""
    owner = f"plain-{way.__name__}"
    direct = await run(way, inferring.url, inferring.api_key, owner, PLAIN)
    through = await run(way, plane.url, plane.keys["acme"], owner, PLAIN)
    assert "seven hives" in direct[-1]
    assert through == direct


@pytest.mark.parametrize("way", WAYS)
async def test_a_framework_reads_back_what_the_store_never_saw(
    inferring: RunningStore, plane: Plane, model: ScriptedModel, way: Way
) -> None:
    """The one difference is what policy made: the store and its model get a token for the mail."""
    model.prompts.clear()
    shown = await run(way, plane.url, plane.keys["acme"], f"mail-{way.__name__}", PERSONAL)
    assert MAIL in shown[-1]
    assert model.prompts
    assert not any(MAIL in prompt for prompt in model.prompts)
    files = [path for path in inferring.directory.rglob("*") if path.is_file()]
    assert not any(MAIL.encode() in path.read_bytes() for path in files)
