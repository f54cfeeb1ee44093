"""A configured classifier in front of a store: its opinion counts, and without it nothing goes."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web

from proxy.app.classifier import Classified, Endpoint
from proxy.ledger import memories
from tests.support.fault_store import FaultStore, Received, Script, added, answer, fault_store
from tests.support.gateway import InProcess, Plane
from tests.unit.gateway.conftest import Opened

ADD, SEARCH = "/v3/memories/add/", "/v3/memories/search/"
TEXT = "The kiln at the pottery was ordered by alva.brenn@example.org"
BODY = {"messages": [{"role": "user", "content": TEXT}], "user_id": "u-1", "infer": False}


class Packaged(InProcess):
    """The packaged patterns, loaded."""

    ready = True


@pytest_asyncio.fixture(loop_scope="session")
async def endpoint() -> AsyncIterator[FaultStore]:
    """A scripted endpoint."""
    async with fault_store() as store:
        yield store


def says(**scores: float) -> Any:
    """An endpoint that gives every text these scores."""

    def script(request: Received) -> web.Response:
        asked = json.loads(request.json()["messages"][1]["content"])
        content = json.dumps({"results": [scores] * len(asked)})
        return answer({"choices": [{"message": {"content": content}}]})

    return script


def keeps(memory_id: str) -> Script:
    """A store that keeps what it is sent under this id."""
    return lambda _: added(memory_id)


def classify(plane: Plane, url: str, monkeypatch: pytest.MonkeyPatch) -> Classified:
    """Put a classifier over the detectors of a plane."""
    made = Classified(Packaged(), Endpoint(url, "m-1", deadline=60.0), "fast")
    monkeypatch.setattr(plane.detectors, "analyse", made.analyse)
    return made


async def categories(plane: Plane) -> set[str]:
    """Categories of all that the tenant keeps."""
    tenant = plane.tenants["acme"]
    kept = await plane.services.ledger.read(lambda tx: memories.of_tenant(tx, tenant))
    return {name for memory in kept for name in memory.categories}


async def test_its_opinion_decides_about_a_write(
    faulty: Plane, faults: FaultStore, endpoint: FaultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it calls health is kept as health; it reads no word that was detected."""
    for number, (score, expected) in enumerate(((0.1, False), (0.9, True))):
        memory_id = f"2222222{number}-2222-4222-8222-222222222222"
        faults.script = keeps(memory_id)
        endpoint.script = says(health=score)
        made = classify(faulty, endpoint.url, monkeypatch)
        assert (await faulty.call("POST", ADD, BODY))[0] == 200
        await made.close()
        assert ("health" in await categories(faulty)) is expected
    assert endpoint.requests
    assert all(b"alva.brenn" not in request.body for request in endpoint.requests)


@pytest.mark.parametrize("fault", ["absent", "error", "nonsense"])
async def test_without_its_answer_nothing_is_sent(
    fault: str,
    faulty: Plane,
    faults: FaultStore,
    endpoint: FaultStore,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """503 with a reason, no request at the store, no word of the text in answer or log."""
    bad = {"error": answer({"error": TEXT}, 500), "nonsense": answer({"choices": [TEXT]})}
    endpoint.script = lambda _: bad[fault]
    url = "http://127.0.0.1:9" if fault == "absent" else endpoint.url
    made = classify(faulty, url, monkeypatch)
    status, problem = await faulty.call("POST", ADD, BODY)
    await made.close()
    assert (status, problem["upstream"]) == (503, "not_sent")
    assert problem["type"].endswith("detection-unavailable")
    told = "Detection is not running: the classifier gave no answer that can be used."
    assert problem["detail"] == told
    assert faults.requests == []
    printed = capfd.readouterr()
    for said in (json.dumps(problem), printed.out, printed.err):
        assert "alva.brenn" not in said
        assert "pottery" not in said


async def test_its_absence_is_over_when_it_is_back(
    faulty: Plane, faults: FaultStore, endpoint: FaultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next write asks again and goes through."""
    faults.script = keeps("33333333-2222-4222-8222-222222222222")
    endpoint.script = lambda _: answer({}, 500)
    made = classify(faulty, endpoint.url, monkeypatch)
    assert (await faulty.call("POST", ADD, BODY))[0] == 503
    endpoint.script = says(financial=0.9)
    assert (await faulty.call("POST", ADD, BODY))[0] == 200
    await made.close()
    assert "financial" in await categories(faulty)


async def test_it_sees_what_is_remembered_and_nothing_else(
    opened_plain: Opened, faults: FaultStore, endpoint: FaultStore
) -> None:
    """Texts, metadata and queries; no header, no key, no parameter and no number."""
    faults.script = keeps("66666666-2222-4222-8222-222222222222")
    endpoint.script = says(health=0.1)
    made = Classified(Packaged(), Endpoint(endpoint.url, "m-1", deadline=60.0), "fast")
    headers = {"User-Agent": "Quiet Agent", "X-Note": "from the harbour"}
    body = BODY | {"metadata": {"Some Place": "the quay", "ref no": 46123456}}
    async with opened_plain(second=lambda _: made) as plane:
        path = f"{ADD}?note=after%20dinner"
        assert (await plane.call("POST", path, body, headers=headers))[0] == 200
        query = {"query": "what did the kiln cost", "filters": {"user_id": "u-1"}}
        assert (await plane.call("POST", SEARCH, query, headers=headers))[0] == 200
        seen = set(plane.detectors.seen)
    await made.close()
    asked = [json.loads(each.json()["messages"][1]["content"]) for each in endpoint.requests]
    masked = "The kiln at the pottery was ordered by [email_address]"
    assert {text for texts in asked for text in texts} == {
        masked, "the quay", "what did the kiln cost",
    }  # fmt: skip
    assert {"Quiet Agent", "from the harbour", "Some Place", "after dinner"} <= seen
