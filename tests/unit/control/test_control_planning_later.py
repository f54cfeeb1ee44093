"""Requests that could not be planned when they came, and those that name what does not exist."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from proxy.clock import FrozenClock
from proxy.control.services import ControlServices
from proxy.erasure.plans import planning
from proxy.erasure.search.target import Actor, Target
from proxy.erasure.service import ErasureService
from proxy.problems import Problem
from tests.support.control import Client, bearer
from tests.support.erasing import Erasing
from tests.support.small_store import reply

OWNER = {"kind": "owner", "value": "u-1"}


@pytest.fixture
async def bench(bench: Erasing) -> Erasing:
    """The engine, with one memory in the store."""
    await bench.remember("u-1", "The ferry leaves at nine.")
    return bench


async def ask(client: Client, headers: dict[str, str], path: str, body: Any = None) -> Any:
    """POST and give status and JSON."""
    answer = await client.post(path, json=body or {}, headers=headers)
    return answer.status, await answer.json()


async def received(client: Client, headers: dict[str, str]) -> dict[str, Any]:
    """The one erasure that is listed."""
    listed = await (await client.get("/v1/erasures", headers=headers)).json()
    (view,) = listed["items"]
    return dict(view)


def away(bench: Erasing) -> None:
    """Let the store refuse everything."""
    assert bench.small is not None
    bench.small.fault = lambda _verb, _subject: reply({"detail": "down"}, 503)


def back(bench: Erasing) -> None:
    """Let the store answer again."""
    assert bench.small is not None
    bench.small.fault = lambda _verb, _subject: None


async def test_a_request_while_the_store_is_away_is_named_and_planned_by_retry(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """The answer names the reference and the command; when the store is back, that plans it."""
    headers = await bearer(services, "privacy")
    away(bench)
    status, problem = await ask(client, headers, "/v1/erasures", {"target": OWNER})
    view = await received(client, headers)
    assert (status, view["state"]) == (502, "received")
    assert view["reference"] in problem["detail"]
    assert f"erasure retry {view['reference']}" in problem["hint"]
    path = f"/v1/erasures/{view['reference']}"
    assert (await ask(client, headers, f"{path}/retry"))[0] == 502
    back(bench)
    status, plan = await ask(client, headers, f"{path}/retry")
    assert (status, plan["state"], plan["counts"]["found"]) == (200, "planned", 1)
    word = {"confirm": "confirmed", "token": plan["token"]}
    assert (await ask(client, headers, f"{path}/confirm", word))[0] == 200
    for _ in range(200):
        if (await received(client, headers))["state"] == "complete":
            break
        await asyncio.sleep(0.02)
    assert await bench.texts("u-1") == []


async def test_the_worker_plans_it_too(
    client: Client, services: ControlServices, bench: Erasing, clock: FrozenClock
) -> None:
    """Not at once, for its receiver may still be at it; then it waits for a confirmation."""
    headers = await bearer(services, "privacy")
    away(bench)
    await ask(client, headers, "/v1/erasures", {"target": OWNER})
    back(bench)
    assert await bench.service.plan_received() == 0
    clock.advance(timedelta(minutes=6))
    assert await bench.service.plan_received() == 1
    view = await received(client, headers)
    assert (view["state"], view["counts"]["found"]) == ("planned", 1)
    assert await bench.service.plan_received() == 0
    assert len(await bench.texts("u-1")) == 1


async def test_one_that_is_broken_stops_no_other(
    client: Client, services: ControlServices, bench: Erasing, clock: FrozenClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Whatever is wrong with a request, those behind it are planned."""
    headers = await bearer(services, "privacy")
    away(bench)
    for value in ("u-2", "u-1", "u-3"):
        await ask(client, headers, "/v1/erasures", {"target": {**OWNER, "value": value}})
    back(bench)
    clock.advance(timedelta(minutes=6))
    clarify, broken = bench.service.clarify, list[str]()

    async def breaking(tenant_id: str, erasure_id: str, **asked: Any) -> Any:
        if len(broken) < 1:
            broken.append(erasure_id)
            raise KeyError("app")
        return await clarify(tenant_id, erasure_id, **asked)

    monkeypatch.setattr(bench.service, "clarify", breaking)
    assert await bench.service.plan_received() == 2
    listed = (await (await client.get("/v1/erasures", headers=headers)).json())["items"]
    states = {view["id"]: view["state"] for view in listed}
    assert states.pop(broken[0]) == "received"
    assert "received" not in states.values()


async def test_an_owner_of_a_kind_that_the_store_does_not_know_has_nothing_there(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """Mem0's own server knows no app."""
    headers = await bearer(services, "privacy")
    target = {**OWNER, "value": "notes", "owner_kind": "app"}
    status, view = await ask(client, headers, "/v1/erasures", {"target": target})
    assert (status, view["outcome"]) == (201, "nothing_found"), view


async def test_what_a_dead_process_left_is_planned_soon(
    client: Client, services: ControlServices, bench: Erasing, clock: FrozenClock
) -> None:
    """Its receiver is gone; what was received since the start may still be at work."""
    headers = await bearer(services, "privacy")
    away(bench)
    await ask(client, headers, "/v1/erasures", {"target": OWNER})
    back(bench)
    clock.advance(timedelta(seconds=1))
    again = ErasureService(bench.means)
    clock.advance(timedelta(seconds=9))
    assert await again.plan_received() == 0
    assert await bench.service.plan_received() == 0
    away(bench)
    await ask(client, headers, "/v1/erasures", {"target": {**OWNER, "value": "u-2"}})
    back(bench)
    clock.advance(timedelta(seconds=1))
    assert await again.plan_received() == 1
    listed = await (await client.get("/v1/erasures", headers=headers)).json()
    assert [each["state"] for each in listed["items"]] == ["received", "planned"]


async def asked_by_client(bench: Erasing) -> Any:
    """A client's delete of an owner."""
    target = Target(kind="owner", values=("u-1",))
    actor = Actor("app", "key_1")
    return await bench.service.forget(bench.tenant_id, target, actor=actor, origin="client")


class KilledError(BaseException):
    """The process ends here."""


async def left_by_a_client(bench: Erasing, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client's delete whose process died before anybody was answered."""

    async def die(*_: Any, **__: Any) -> None:
        raise KilledError

    with monkeypatch.context() as patched:
        patched.setattr(planning, "make", die)
        with pytest.raises(KilledError):
            await asked_by_client(bench)


async def test_a_clients_delete_that_is_refused_leaves_nothing_open(
    client: Client, services: ControlServices, bench: Erasing, clock: FrozenClock
) -> None:
    """The store is away: it is told what a client can do, and what it repeats is one erasure."""
    headers = await bearer(services, "privacy")
    away(bench)
    with pytest.raises(Problem) as told:
        await asked_by_client(bench)
    assert (told.value.slug, told.value.upstream) == ("upstream-unreachable", "not_sent")
    assert told.value.detail == "The store could not be read to the end, so nothing was deleted."
    assert told.value.hint == "Repeat the delete when the store answers."
    assert (await received(client, headers))["state"] == "cancelled"
    back(bench)
    clock.advance(timedelta(minutes=6))
    assert await bench.service.plan_received() == 0
    assert len(await bench.texts("u-1")) == 1
    assert (await asked_by_client(bench)).state == "complete"
    assert await bench.texts("u-1") == []


async def test_a_clients_delete_that_nobody_answered_is_carried_out(
    client: Client, services: ControlServices, bench: Erasing, clock: FrozenClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """It stays listed as received; while the store is away nothing changes, then all is gone."""
    headers = await bearer(services, "privacy")
    await left_by_a_client(bench, monkeypatch)
    away(bench)
    assert (await received(client, headers))["state"] == "received"
    clock.advance(timedelta(minutes=6))
    assert await bench.service.plan_received() == 0
    assert (await received(client, headers))["state"] == "received"
    back(bench)
    assert await bench.service.plan_received() == 1
    assert (await received(client, headers))["state"] == "complete"
    assert await bench.texts("u-1") == []


async def test_a_clients_late_delete_does_not_take_what_came_after_it(
    client: Client, services: ControlServices, bench: Erasing, clock: FrozenClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Written since: it is dropped, for nobody was told that it is done, and nothing hangs."""
    headers = await bearer(services, "privacy")
    await left_by_a_client(bench, monkeypatch)
    clock.advance(timedelta(minutes=6))
    await bench.remember("u-1", "The next ferry leaves at ten.")
    assert await bench.service.plan_received() == 1
    assert (await received(client, headers))["state"] == "cancelled"
    assert len(await bench.texts("u-1")) == 2


async def test_a_finished_one_is_not_retried(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """Retry of a complete erasure is refused."""
    headers = await bearer(services, "privacy")
    done = (await ask(client, headers, "/v1/forget", {"owner": "u-1", "confirm": "confirmed"}))[1]
    assert done["tenant"]
    assert (await ask(client, headers, f"/v1/erasures/{done['id']}/retry"))[0] == 409


@pytest.mark.parametrize(("name", "status"), [("health", 201), ("healthy", 400), ("other", 400)])
async def test_only_known_categories_can_be_forgotten(
    client: Client, services: ControlServices, name: str, status: int
) -> None:
    """Any other word, and that for what is in none, is refused with the list; none is recorded."""
    headers = await bearer(services, "privacy")
    target = {"kind": "category", "value": name}
    got, body = await ask(client, headers, "/v1/erasures", {"target": target, "dry_run": True})
    assert got == status
    if status == 400:
        assert "health" in body["errors"][0]["detail"]
