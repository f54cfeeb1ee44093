"""A batch names its memories at one place; whatever could name one otherwise is refused."""

from typing import Any

import pytest

from tests.support.fault_store import MEMORY_ID, FaultStore, added, answer
from tests.support.gateway import Plane

BATCH = "/v1/batch/"
THEIRS = "22222222-2222-4222-8222-222222222222"
OWN = {"memory_id": MEMORY_ID, "text": "likes oat bread"}

STRANGE = [
    pytest.param([{"memory_id": THEIRS, "text": "x"}], id="bare-list"),
    pytest.param({"memories": [{"id": THEIRS, "text": "x"}]}, id="other-name"),
    pytest.param({"memories": {"memory_id": THEIRS, "text": "x"}}, id="no-list"),
    pytest.param({"items": [{"memory_id": THEIRS, "text": "x"}]}, id="other-place"),
    pytest.param({"memories": [OWN, {"id": THEIRS, "text": "x"}]}, id="mixed"),
    pytest.param({"memories": [{**OWN, "id": THEIRS}]}, id="two-names"),
    pytest.param({"memories": [{**OWN, "target": THEIRS}]}, id="an-id-elsewhere"),
    pytest.param({"memories": [OWN], "items": [{"memory_id": THEIRS}]}, id="two-lists"),
    pytest.param({"memories": [OWN], "memory_id": THEIRS}, id="beside"),
    pytest.param({"memories": [OWN], "more": THEIRS}, id="an-id-beside"),
    pytest.param({"memories": [THEIRS]}, id="plain"),
    pytest.param({"memories": [OWN, [OWN]]}, id="nested"),
    pytest.param({"memories": [{**OWN, "memory_id": None}]}, id="null"),
    pytest.param({"memories": []}, id="empty"),
    pytest.param({}, id="nothing"),
]


async def _own(plane: Plane, faults: FaultStore) -> None:
    faults.script = lambda _: added(text="likes rye bread")
    await plane.add("likes rye bread")
    faults.requests.clear()
    faults.script = lambda _: answer({"message": "Successfully updated 1 memories"})


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
@pytest.mark.parametrize("body", STRANGE)
async def test_a_batch_in_another_shape_reaches_no_store(
    faulty: Plane, faults: FaultStore, method: str, body: Any
) -> None:
    """Neither an update nor a delete of anybody's memory."""
    await _own(faulty, faults)
    status, problem = await faulty.call(method, BATCH, body)
    assert (status, problem["type"]) == (400, "urn:expunge:problem:invalid-request")
    assert faults.requests == []


PLAIN = [
    pytest.param({"memories": [OWN]}, id="one"),
    pytest.param({"memories": [OWN], "org_id": "o", "version": "v2"}, id="words-beside"),
    pytest.param({"memories": [{**OWN, "metadata": {"id": THEIRS}}]}, id="id-in-metadata"),
]


@pytest.mark.parametrize("body", PLAIN)
async def test_a_batch_as_the_client_sends_it_is_served(
    faulty: Plane, faults: FaultStore, body: Any
) -> None:
    """The negative twin: the declared shape goes through."""
    await _own(faulty, faults)
    status, problem = await faulty.call("PUT", BATCH, body)
    assert status == 200, problem
    assert faults.requests[0].json()["memories"][0]["memory_id"] == MEMORY_ID
