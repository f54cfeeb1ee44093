"""Facts that a store's model draws from a chat: which of them an erasure takes, and which stay."""

import asyncio
import base64
import json
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from proxy.clock import FrozenClock
from proxy.erasure.proof.certificate import DRAWN, SHORT_NAMES
from proxy.erasure.search.target import Actor, Target
from proxy.erasure.view import ErasureView
from proxy.gateway.memories.pending import PendingWrites
from proxy.gateway.unsettled import Unsettled
from proxy.ledger import memories
from proxy.upstreams.layers import from_config
from tests.support.gateway import Plane, data_plane
from tests.support.ledger import START
from tests.support.mem0_store import RunningStore, llm_arguments, running_store
from tests.support.scripted_llm import ScriptedModel, scripted_llm
from tests.unit.gateway.conftest import renewed

CHAT = {
    "I prefer aisle seats on planes.": "User prefers aisle seats on planes",
    "My dog is called Miso.": "User has a dog named Miso",
    "I live in Utrecht.": "User lives in Utrecht",
    "I am allergic to walnuts.": "I am allergic to walnuts.",
    "By the way, Ferdinand Oakes joined our team.": "User's team was joined by Ferdinand Oakes",
    "I prefer tea over coffee.": "User prefers tea over coffee",
    "I grow roses in my garden.": "User has a garden with roses",
}
SIX = [fact for fact in CHAT.values() if "Oakes" not in fact]
OAKES = Target(kind="entity", values=("Ferdinand Oakes",), entity_type="PERSON")
THWAITE = Target(kind="entity", values=("Rosalind Thwaite",), entity_type="PERSON")
HEALTH = Target(kind="category", values=("health",))
JOINED = "Ferdinand Oakes joined our team, he is from Bergen."
NAMES = re.compile("Ferdinand Oakes|Rosalind Thwaite|Miso|Bergen|Utrecht")
MINE = {"filters": {"user_id": "u-1"}}
COLLEAGUE = "User's new colleague is from Bergen"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[ScriptedModel]:
    """A model that says each sentence in its own words."""
    with scripted_llm() as running:
        yield running


@pytest.fixture
def model(endpoint: ScriptedModel) -> ScriptedModel:
    """The model as it says the chat."""
    endpoint.rephrased.clear()
    rephrase(endpoint, CHAT | {"Thanks, noted that.": ""})
    return endpoint


def rephrase(model: ScriptedModel, facts: dict[str, str]) -> None:
    """Let the model say sentences in other words; of names it sees tokens, which it repeats."""
    for said, fact in facts.items():
        form, told = re.escape(said), fact
        for number, name in enumerate(NAMES.findall(said)):
            form = form.replace(re.escape(name), f"(?P<n{number}>.+)", 1)
            told = told.replace(name, rf"\g<n{number}>")
        model.rephrased[form] = told


@pytest.fixture(scope="module")
def store(
    endpoint: ScriptedModel, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningStore]:
    """A Mem0 that draws facts with it."""
    folder = tmp_path_factory.mktemp("drawing")
    with running_store(folder, *llm_arguments(endpoint.url)) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def shared_drawing(
    store: RunningStore, tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path
) -> AsyncIterator[Plane]:
    """A data plane before it, with detection of names and categories."""
    folder, clock = tmp_path_factory.mktemp("drawing-plane"), FrozenClock(START)
    history = {"reach": "side:sqlite", "path": str(store.history)}
    entities = {"reach": "side:qdrant-local", "path": str(store.qdrant)}
    layers = from_config({"history": history, "messages": history, "entities": entities})
    async with data_plane(
        folder, store.url, store.api_key, sqlite_template, clock, tier="full", layers=layers
    ) as plane:
        yield plane


@pytest_asyncio.fixture(loop_scope="session")
async def drawing(shared_drawing: Plane, model: ScriptedModel) -> Plane:
    """Two new tenants in front of it."""
    return await renewed(shared_drawing)


def chat(*said: str) -> list[dict[str, str]]:
    """Messages of a user, each of them answered."""
    answer = {"role": "assistant", "content": "Thanks, noted that."}
    return [each for text in said for each in ({"role": "user", "content": text}, answer)]


async def tell(plane: Plane, messages: Sequence[dict[str, str]], **more: Any) -> list[str]:
    """Add with the open-source server's dialect, which answers when the facts are drawn."""
    body = {"messages": list(messages), "user_id": "u-1", **more}
    status, answer = await plane.call("POST", "/memories", body)
    assert status == 200, answer
    return [item["memory"] for item in answer["results"]]


async def forget(plane: Plane, target: Target, **request: Any) -> ErasureView:
    """Erase as an operator asks for it."""
    view = await plane.services.erasure.forget(
        plane.tenants["acme"], target, actor=Actor("operator", "op-1"), origin="control", **request
    )
    assert view.state == "complete"
    return view


async def left(plane: Plane) -> list[str]:
    """Texts that the owner still reads."""
    _, answer = await plane.call("POST", "/v3/memories/", MINE)
    return sorted(item["memory"] for item in answer["results"])


async def test_who_is_named_in_one_message_takes_no_fact_of_the_others(drawing: Plane) -> None:
    """Of seven facts of a chat one names him: six stay, in doubt but for the one to the letter."""
    assert sorted(await tell(drawing, chat(*CHAT))) == sorted(CHAT.values())
    view = await forget(drawing, OAKES)
    assert (view.counts["found"], view.deleted) == (1, 1)
    assert (view.counts["doubtful"], view.counts["drawn_beside"]) == (5, 5)
    assert await left(drawing) == sorted(SIX)
    bundle = await drawing.services.erasure.certificate(drawing.tenants["acme"], view.id)
    said = json.loads(base64.b64decode(json.loads(bundle.dsse)["payload"]))["predicate"]
    assert said["doubtful_mentions"] == 5
    assert DRAWN in said["claim"]["not_covered"]
    assert SHORT_NAMES not in said["claim"]["not_covered"]


async def test_what_is_in_doubt_goes_where_somebody_says_so(drawing: Plane) -> None:
    """All that the model drew from the chat; not what the user said to the letter."""
    await tell(drawing, chat(*CHAT))
    await forget(drawing, OAKES, choices={"doubtful": "delete"})
    assert await left(drawing) == [CHAT["I am allergic to walnuts."]]


async def test_one_topic_takes_no_fact_of_the_others(drawing: Plane, model: ScriptedModel) -> None:
    """What was said of asthma is forgotten, in whatever words; trains and Bergen stay."""
    said = "I have asthma and use an inhaler."
    rephrase(model, {said: "User's asthma is treated with an inhaler"})
    await tell(drawing, chat("I prefer trains to planes.", "I live in Bergen.", said))
    assert (await forget(drawing, HEALTH)).deleted == 1
    assert await left(drawing) == ["I prefer trains to planes.", "User lives in Bergen"]


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        (JOINED, COLLEAGUE),
        (JOINED, "User recently got reinforcement at work"),  # no word of any message
        ("By the way, I met Ferdinand Oakes and we talked about sailing.", "User likes sailing"),
    ],
    ids=["a word", "no word", "of what was said beside him"],
)
async def test_a_fact_in_other_words_goes_with_its_message(
    drawing: Plane, model: ScriptedModel, said: str, fact: str
) -> None:
    """It names nobody, and may stem from what was said of him."""
    rephrase(model, {said: fact})
    await tell(drawing, chat("I prefer tea over coffee.", said, "I live in Utrecht."))
    assert (await forget(drawing, OAKES)).deleted == 1
    assert await left(drawing) == [CHAT["I live in Utrecht."], CHAT["I prefer tea over coffee."]]


async def test_a_fact_that_may_stem_from_either_message_goes(
    drawing: Plane, model: ScriptedModel
) -> None:
    """Two messages say where somebody is from; nobody can tell which of them was meant."""
    said = ["I come from Bergen as well.", JOINED, "I grow roses in my garden."]
    rephrase(model, {said[0]: "User comes from Bergen", JOINED: COLLEAGUE})
    await tell(drawing, chat(*said))
    assert (await forget(drawing, OAKES)).deleted == 2
    assert await left(drawing) == [CHAT["I grow roses in my garden."]]


async def test_under_redact_nothing_of_the_others_is_touched(drawing: Plane) -> None:
    """What is only mixed is rewritten; what stems from other messages is not even found."""
    await tell(drawing, chat(*CHAT))
    view = await forget(drawing, OAKES, choices={"mixed": "redact"})
    assert (view.counts["found"], view.deleted) == (1, 1)
    assert await left(drawing) == sorted(SIX)


async def test_under_redact_what_stems_from_his_message_goes(
    drawing: Plane, model: ScriptedModel
) -> None:
    """No clause of it can be rewritten, for it names nobody."""
    rephrase(model, {JOINED: COLLEAGUE})
    await tell(drawing, chat("I prefer tea over coffee.", JOINED, "Ferdinand Oakes sails."))
    view = await forget(drawing, OAKES, choices={"mixed": "redact"})
    assert (view.counts["found"], view.deleted) == (2, 2)
    assert await left(drawing) == [CHAT["I prefer tea over coffee."]]


async def test_two_people_in_two_messages(drawing: Plane, model: ScriptedModel) -> None:
    """Each takes the facts of the message that speaks of them."""
    said = ["My boss Rosalind Thwaite owns a yacht.", "My friend Ferdinand Oakes breeds llamas."]
    rephrase(model, {said[0]: "User's boss has a yacht", said[1]: "User's friend breeds llamas"})
    await tell(drawing, chat(*said, "I live in Utrecht."))
    assert (await forget(drawing, OAKES)).deleted == 1
    assert await left(drawing) == ["User lives in Utrecht", "User's boss has a yacht"]
    assert (await forget(drawing, THWAITE)).deleted == 1
    assert await left(drawing) == ["User lives in Utrecht"]


PRONOUNS = ["He moved from Bergen.", "The new colleague breeds llamas.", "Er wohnt in Bergen."]


@pytest.mark.parametrize("said", PRONOUNS)
@pytest.mark.parametrize("to_the_letter", [True, False])
async def test_a_message_with_a_pronoun_is_about_whom_was_named_before(
    drawing: Plane, model: ScriptedModel, said: str, to_the_letter: bool
) -> None:
    """Whether or not the store keeps it as it was said."""
    if not to_the_letter:
        rephrase(model, {said: f"It is known: {said.split()[-1]}"})
    await tell(
        drawing,
        chat("I live in Utrecht.", "Ferdinand Oakes joined our team.", said, "I prefer tea."),
    )
    assert (await forget(drawing, OAKES)).deleted == 2
    assert await left(drawing) == ["I prefer tea.", "User lives in Utrecht"]


async def test_who_is_named_afterwards_was_meant_before(
    drawing: Plane, model: ScriptedModel
) -> None:
    """``His name is``: the message before spoke of him."""
    said = ["I live in Utrecht.", "My new colleague breeds llamas.", "His name is Ferdinand Oakes."]
    rephrase(model, {said[1]: "User knows somebody with llamas", said[2]: ""})
    await tell(drawing, chat(*said))
    assert (await forget(drawing, OAKES)).deleted == 1
    assert await left(drawing) == ["User lives in Utrecht"]


async def test_a_fact_that_names_somebody_is_about_them_whatever_its_message(
    drawing: Plane, model: ScriptedModel
) -> None:
    """The model took his token from an earlier write, as Mem0 shows it such."""
    await tell(drawing, chat("Ferdinand Oakes joined our team.", "I live in Utrecht."))
    token = re.findall(r"user: (.+) joined our team", model.prompts[-1])[-1]
    rephrase(model, {"I grow roses.": f"User grows roses with {token}"})
    await tell(drawing, chat("I grow roses.", "I prefer tea over coffee."))
    assert await mentioning(drawing, "Ferdinand Oakes") == [
        "Ferdinand Oakes joined our team.", "User grows roses with Ferdinand Oakes",
    ]  # fmt: skip


async def mentioning(plane: Plane, name: str) -> list[str]:
    """Texts of the memories that are about somebody by the ledger."""
    tenant = plane.tenants["acme"]
    names = await plane.services.keyring.tenant(tenant)
    (found,) = await plane.services.vault.named(tenant, [("PERSON", name)])
    rows = await plane.services.ledger.read(lambda tx: memories.of_entities(tx, found))
    _, answer = await plane.call("POST", "/v3/memories/", MINE)
    refs = {memories.ref(names, "mem0", item["id"]): item["memory"] for item in answer["results"]}
    return sorted(refs[row.ref] for row in rows)


async def add_later(plane: Plane, *said: str) -> None:
    """Add with the platform's dialect: the store answers before it draws anything."""
    body = {"messages": chat(*said), "user_id": "u-1"}
    status, answer = await plane.call("POST", "/v3/memories/add/", body)
    assert (status, answer["status"]) == (200, "PENDING")


async def settled(plane: Plane) -> None:
    """Wait until no write is open."""
    pending = PendingWrites(plane.services)
    async with asyncio.timeout(120):
        while await pending.run_once():  # noqa: ASYNC110  (another process is waited for)
            await asyncio.sleep(0.05)


async def test_a_write_that_ends_later_is_told_apart_too(drawing: Plane) -> None:
    """Its texts wait in memory, and are let go when it is settled."""
    await add_later(drawing, *CHAT)
    assert len(drawing.services.unsettled.writes) == 1
    await settled(drawing)
    assert drawing.services.unsettled.writes == []
    assert (await forget(drawing, OAKES)).deleted == 1
    assert await left(drawing) == sorted(SIX)


async def test_a_read_before_the_poller_tells_them_apart(drawing: Plane) -> None:
    """Items with the stamp of an open write are settled on sight."""
    await add_later(drawing, *CHAT)
    async with asyncio.timeout(120):
        while len(await left(drawing)) < len(CHAT):  # noqa: ASYNC110  (another process)
            await asyncio.sleep(0.05)
    assert (await forget(drawing, OAKES)).deleted == 1
    assert await left(drawing) == sorted(SIX)


async def test_after_a_restart_the_whole_write_goes(drawing: Plane) -> None:
    """Nobody knows any more what was said: each fact may stem from what was said of him."""
    await add_later(drawing, *CHAT)
    again = replace(drawing, services=replace(drawing.services, unsettled=Unsettled()))
    await settled(again)
    assert (await forget(drawing, OAKES)).deleted == len(CHAT) - 1
    assert await left(drawing) == ["I am allergic to walnuts."], "it is a message to the letter"
