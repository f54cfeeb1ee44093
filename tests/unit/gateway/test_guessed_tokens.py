"""A token is what it stands for only in the memories of those whose words it hides."""

from typing import Any

import pytest

from tests.support.fault_store import FaultStore, added
from tests.support.gateway import Plane

PHONE = "212 555 0143"
SAID = f"call me at {PHONE}"
AGENT = {"agent_id": "desk"}


async def token_of(plane: Plane, memory_id: str) -> str:
    """The token as the store has it."""
    item = await plane.services.stores["mem0"].store.get(memory_id)
    assert item is not None
    assert PHONE not in item.text
    return item.text.split()[-1]


async def read_all(plane: Plane, memory_id: str, user: str) -> dict[str, str]:
    """The memory's text by each way to read it."""
    by_owner = {"filters": {"user_id": user}}
    asked = {
        "get": ("GET", f"/v1/memories/{memory_id}/", None),
        "history": ("GET", f"/v1/memories/{memory_id}/history/", None),
        "list": ("POST", "/v3/memories/", by_owner),
        "search": ("POST", "/v3/memories/search/", {"query": "call me", **by_owner}),
        "open-source get": ("GET", f"/memories/{memory_id}", None),
        "open-source history": ("GET", f"/memories/{memory_id}/history", None),
    }
    return {name: str((await plane.call(*call))[1]) for name, call in asked.items()}


WRITERS = [
    pytest.param("u-2", {}, False, id="another owner guesses it"),
    pytest.param("u-1", {}, True, id="its owner repeats it"),
    pytest.param("u-3", AGENT, True, id="an agent of both repeats it"),
]


@pytest.mark.parametrize(("user", "more", "restored"), WRITERS)
async def test_a_token_in_a_text_is_restored_for_its_owners_only(
    plane: Plane, user: str, more: dict[str, Any], restored: bool
) -> None:
    """Whoever writes down a token that hides words of somebody else reads the token."""
    token = await token_of(plane, await plane.add(SAID, "u-1", **AGENT))
    planted = await plane.add(f"call me at {token}", user, **more)
    for way, said in (await read_all(plane, planted, user)).items():
        assert (PHONE in said, token in said) == (restored, not restored), way


async def test_what_hides_ones_own_words_is_restored_by_every_way(plane: Plane) -> None:
    """The twin of all: the words that were written come back."""
    written = await plane.add(SAID, "u-1")
    for way, said in (await read_all(plane, written, "u-1")).items():
        assert PHONE in said, way


async def test_a_guessed_token_is_not_restored_in_the_answer_to_its_write(plane: Plane) -> None:
    """Nor in what an update answers; the words of the writer are."""
    token = await token_of(plane, await plane.add(SAID, "u-1"))
    body = {"messages": [{"role": "user", "content": f"{token} and 212 555 0199"}]}
    status, made = await plane.call(
        "POST", "/v3/memories/add/", {**body, "user_id": "u-2", "infer": False}
    )
    assert status == 200
    assert (PHONE in str(made), "212 555 0199" in str(made)) == (False, True)
    memory_id = made["results"][0]["id"]
    _, changed = await plane.call(
        "PUT", f"/v1/memories/{memory_id}/", {"text": f"{token} or 212 555 0188"}
    )
    assert (PHONE in str(changed), "212 555 0188" in str(changed)) == (False, True)


async def test_many_guesses_draw_no_name(plane: Plane) -> None:
    """Thousands of neighbours of a token, and the token itself, in one memory of somebody else."""
    token = await token_of(plane, await plane.add(SAID, "u-1"))
    word, code = token.split("_")
    near = [f"{word}_{(int(code, 16) + step) % 16**6:06x}" for step in range(-300, 300)]
    memory_id = await plane.add(" ".join(near), "u-2")
    _, shown = await plane.call("GET", f"/v1/memories/{memory_id}/")
    assert shown["memory"] == " ".join(near)


FRAMES = [
    "My friend {} likes coffee.", "User has a colleague called {}.", "My sister {} is ill.",
    "{} moved to Oslo in May.", "name: {}",
]  # fmt: skip


@pytest.mark.parametrize("frame", FRAMES)
async def test_a_token_that_is_written_back_is_nobodys_name(
    named: Plane, faults: FaultStore, frame: str
) -> None:
    """What works on tokens repeats them, and the store has them as they were."""
    faults.script = lambda _: added()

    async def stored(text: str) -> str:
        body = {"messages": [{"role": "user", "content": text}], "user_id": "u-1", "infer": False}
        status, _ = await named.call("POST", "/v3/memories/add/", body)
        assert status == 200
        return str(faults.requests[-1].json()["messages"][0]["content"])

    token = (await stored("My friend Odile Novak likes tea.")).split()[2]
    assert token.startswith("Person_")
    assert await stored(frame.format(token)) == frame.format(token)
    assert "Novak" not in await stored(frame.format("Odile Novak"))  # the twin: a name is hidden
