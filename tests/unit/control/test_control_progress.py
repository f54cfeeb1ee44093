"""Long work over a whole store: one answer, or lines that tell how far it is."""

import json
from typing import Any

import pytest

from proxy.control.progress import LINES
from proxy.control.services import ControlServices
from proxy.erasure.search.target import Target
from tests.support.control import Client, bearer
from tests.support.erasing import Erasing
from tests.support.small_store import reply

PATHS = {
    "adopt": ("/v1/stores/adopt", "seen"),
    "scan": ("/v1/stores/scan", "memories"),
    "reconcile": ("/v1/stores/reconcile", "looked_at"),
}


@pytest.fixture
async def headers(services: ControlServices) -> dict[str, str]:
    """An operator who wants lines."""
    return await bearer(services, "operator") | {"Accept": LINES}


async def planted(bench: Erasing, owners: int = 3) -> None:
    """Memories from before Expunge, a few of each owner."""
    for n in range(owners):
        await bench.remember(f"u-{n}", "Plays the cello", mentions=[])
        for m in range(3):
            await bench.remember(f"u-{n}", f"Planted note {m}", known=False)


@pytest.mark.parametrize("work", PATHS, ids=PATHS)
async def test_lines_tell_how_far_it_is_and_end_with_the_result(
    work: str, bench: Erasing, client: Client, headers: dict[str, str]
) -> None:
    """Counts only grow, the last line is what a caller without lines gets as its answer."""
    await planted(bench)
    path, counted = PATHS[work]
    async with client.post(path, json={}, headers=headers) as answer:
        assert (answer.status, answer.content_type) == (200, LINES)
        lines: list[dict[str, Any]] = [json.loads(line) async for line in answer.content]
    told = [line["progress"] for line in lines[:-1]]
    assert told
    assert [each["memories"] for each in told] == sorted(each["memories"] for each in told)
    assert (told[-1]["memories"], told[-1]["pages"], told[-1]["upstream"]) == (12, 3, "mem0")
    assert lines[-1]["result"][counted] == 12
    plain = {name: value for name, value in headers.items() if name != "Accept"}
    async with client.post(path, json={}, headers=plain) as whole:
        assert (await whole.json())[counted] == 12


async def test_a_store_that_goes_away_ends_the_lines_with_the_problem(
    bench: Erasing, client: Client, headers: dict[str, str]
) -> None:
    """What was indexed stays; the same call goes on where it stood."""
    await planted(bench)
    assert bench.small is not None
    lists: list[str] = []

    def away(verb: str, subject: str) -> Any:
        lists.append(verb)
        return reply({}, 503) if verb == "list" and lists.count("list") > 2 else None

    bench.small.fault = away
    async with client.post("/v1/stores/adopt", json={}, headers=headers) as answer:
        lines = [json.loads(line) async for line in answer.content]
    assert answer.status == 200
    assert lines[-1]["problem"]["type"].endswith("upstream-unreachable")
    bench.small.fault = lambda verb, subject: None
    async with client.post("/v1/stores/adopt", json={}, headers=headers) as answer:
        done = [json.loads(line) async for line in answer.content][-1]["result"]
    assert done["seen"] == 12
    assert 0 < done["adopted"] < 9
    assert done["adopted"] + done["known"] == 12


async def test_an_unknown_store_is_refused_before_any_line(
    client: Client, headers: dict[str, str]
) -> None:
    """With the status of any other refusal."""
    async with client.post("/v1/stores/scan", json={"upstream": "x"}, headers=headers) as answer:
        assert answer.status == 404


async def test_lines_are_never_repeated_for_an_idempotency_key(
    bench: Erasing, client: Client, headers: dict[str, str]
) -> None:
    """The work is done again: its lines are gone when they are sent."""
    await planted(bench, 1)
    for _ in range(2):
        given = headers | {"Idempotency-Key": "k"}
        async with client.post("/v1/stores/scan", json={}, headers=given) as answer:
            lines = [json.loads(line) async for line in answer.content]
        assert lines[-1]["result"]["memories"] == 4


async def test_a_recheck_tells_how_far_it_is(
    bench: Erasing, client: Client, headers: dict[str, str]
) -> None:
    """An erasure that nobody knows is refused before any line."""
    await planted(bench)
    view = await bench.forget(Target(kind="owner", values=("u-0",)))
    path = f"/v1/erasures/{view.reference}/recheck"
    async with client.post(path, json={}, headers=headers) as answer:
        lines = [json.loads(line) async for line in answer.content]
    assert lines[-2]["progress"]["memories"] == 8
    assert lines[-1]["result"]["still_absent"] is True
    absent = "/v1/erasures/DEL-2026-9999/recheck"
    async with client.post(absent, json={}, headers=headers) as answer:
        assert answer.status == 404
