"""Blocked names in a text that a store sends in pieces, wherever it is cut."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from detectors.detection import Detection
from proxy.gateway.answers.withhold import REACH, WithheldNames
from proxy.tokens.index.spelling import Name
from tests.support.fault_store import FaultStore, answer
from tests.support.gateway import Plane
from tests.unit.gateway.test_streams import before_streams, event, fetch, known, said, sending

TEXT = "Today I met Alva Brenn at the well. " + "We spoke of bees and bread for hours. " * 4
CLEAN = TEXT.replace("Alva Brenn", "[erased]")


@pytest_asyncio.fixture(loop_scope="session")
async def blocking(
    faults: FaultStore, tmp_path: Path, sqlite_template: Path
) -> AsyncIterator[Plane]:
    """A data plane whose store streams and which blocks one name."""
    async with before_streams(faults, tmp_path, sqlite_template) as plane:
        services = plane.services
        await services.ledger.write(
            lambda tx: services.blocklist.add(  # type: ignore[attr-defined]
                tx, plane.tenants["acme"], [Name("Alva Brenn")]
            )
        )
        yield plane


async def read(plane: Plane, faults: FaultStore, *deltas: str) -> str:
    """What a reader of a stream of these deltas gets."""
    faults.script = sending(*(event({"delta": each}) for each in deltas), b"data: [DONE]\n\n")
    _, found = await fetch(plane, "/events?user_id=u-1")
    assert found.endswith(b"data: [DONE]\n\n")
    return said(found)


async def test_a_name_in_two_deltas_is_taken_out(blocking: Plane, faults: FaultStore) -> None:
    """Wherever the text is cut, the reader gets the mark and all the rest of the text."""
    at = TEXT.index("Alva")
    for cut in range(at - 2, at + len("Alva Brenn") + 3):
        assert await read(blocking, faults, TEXT[:cut], TEXT[cut:]) == CLEAN
    assert await read(blocking, faults, *TEXT) == CLEAN
    assert await read(blocking, faults, "It was Al", "va Brenn") == "It was [erased]"


@pytest.mark.parametrize(
    ("text", "shown"),
    [(TEXT, CLEAN), ("Alva Brenn", "[erased]"), ("Alva Brennan came", "Alva Brennan came")],
)
async def test_a_name_beside_the_items_of_a_whole_answer_is_taken_out(
    blocking: Plane, faults: FaultStore, text: str, shown: str
) -> None:
    """A store may answer with one document where it could have streamed."""
    faults.script = lambda _: answer({"delta": text, "results": []})
    for _ in range(2):
        response, found = await fetch(blocking, "/events?user_id=u-1")
        assert response.status == 200
        assert json.loads(found) == {"delta": shown, "results": []}


OTHERS = ["Alva Brennan", "Malva Brenn", "Alva. Now Lund", "Orla Quist"]


@pytest.mark.parametrize("other", OTHERS)
async def test_another_name_stays(blocking: Plane, faults: FaultStore, other: str) -> None:
    """Longer words and other people are nobody's business, whole or in pieces."""
    text = TEXT.replace("Alva Brenn", other)
    assert await read(blocking, faults, *text) == text
    assert await read(blocking, faults, text[:20], text[20:]) == text


STEP = {"step": "one"}
BETWEEN = [
    pytest.param(["It was Al", STEP, "va Brenn so"], [STEP, "It was [erased] so"], id="in a word"),
    pytest.param(["It was Alva", STEP, " Brenn."], [STEP, "It was [erased]."], id="between words"),
    pytest.param(["It was Al", STEP, STEP], ["It was Al", STEP, STEP], id="no more text"),
    pytest.param(["It was Alba.", STEP, "Va"], ["It was Alba.", STEP, "Va"], id="a sentence ended"),
    pytest.param(["It was A.", STEP, " Alva Brenn"], [STEP, "It was A. [erased]"], id="an initial"),
]  # fmt: skip


@pytest.mark.parametrize(("sent", "shown"), BETWEEN)
async def test_an_event_between_lets_no_part_of_a_name_through(
    blocking: Plane, faults: FaultStore, sent: list[Any], shown: list[Any]
) -> None:
    """It waits where a name may have begun, until the text goes on or has ended."""
    said_ = [{"delta": each} if isinstance(each, str) else each for each in sent]
    faults.script = sending(*map(event, said_), b"data: [DONE]\n\n")
    _, found = await fetch(blocking, "/events?user_id=u-1")
    lines = [each.removeprefix(b"data: ") for each in found.split(b"\n\n") if each]
    assert lines.pop() == b"[DONE]"
    got = [each.get("delta", each) for each in map(json.loads, lines)]
    assert [each for each in got if each != ""] == shown


async def test_no_more_than_some_events_wait(blocking: Plane, faults: FaultStore) -> None:
    """Behind them nothing waits; the beginning of a name still does."""
    steps = [event({"step": str(number)}) for number in range(40)]
    faults.script = sending(event({"delta": "It was Al"}), *steps, event({"delta": "va Brenn"}))
    _, found = await fetch(blocking, "/events?user_id=u-1")
    assert said(found) == "It was [erased]"
    assert found.count(b"step") == 40


async def test_lines_that_are_the_text_are_looked_at_too(
    blocking: Plane, faults: FaultStore
) -> None:
    """Where the profile says that the data is the text."""
    faults.script = sending(b"data: It was Al\n\n", b"data: va Brenn.\n\n", b"data: [DONE]\n\n")
    _, found = await fetch(blocking, "/words?user_id=u-1")
    parts = [line[6:] for line in found.decode().splitlines() if line.startswith("data: ")]
    assert "".join(parts) == "It was [erased].[DONE]"


async def test_a_name_behind_a_token_is_taken_out(blocking: Plane, faults: FaultStore) -> None:
    """Words that come back for tokens are looked at like any others."""
    text, _ = await known(blocking, faults)
    found = await read(blocking, faults, text[:9], text[9:] + " of Al", "va Brenn")
    assert found == "mail ines.falk@example.org of [erased]"


async def test_another_tenants_stream_does_not_wait(blocking: Plane, faults: FaultStore) -> None:
    """Who blocks nobody gets each event as the store sent it."""
    raw = event({"delta": "It was Al"}) + event({"delta": "va Brenn"})
    faults.script = sending(raw)
    headers = {"Authorization": f"Token {blocking.keys['globex']}"}
    async with blocking.http.get(blocking.url + "/events?user_id=u-1", headers=headers) as response:
        assert await response.read() == raw


async def test_no_more_waits_than_a_name_may_be_long() -> None:
    """However long the text, the tail that waits is bounded, and nothing is lost."""

    async def find(text: str) -> list[Detection]:
        at = text.find("xyz")
        return [] if at < 0 else [Detection("PERSON", at, at + 3, 1.0, "blocklist", "xyz")]

    names, out, fed = WithheldNames(find), "", ""
    for number in range(400):
        piece = f"{number} " if number % 50 else "xyz "
        fed += piece
        out += await names.feed(piece)
        assert len(fed.replace("xyz", "[erased]")) - len(out) <= REACH + 3 * len("[erased]")
    out += await names.finish()
    assert out == fed.replace("xyz", "[erased]")
    assert json.dumps(out).count("[erased]") == 8
