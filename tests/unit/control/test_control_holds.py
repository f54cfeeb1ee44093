"""Holds and restrictions by owner id over the control plane's API, and the look-up beside them."""

from typing import Any

import pytest

from proxy.control.services import ControlServices
from proxy.erasure.search.target import Target
from proxy.ledger import owners
from proxy.upstreams.errors import StoreUnavailable
from tests.support.control import Client, bearer
from tests.support.erasing import Erasing


@pytest.fixture
async def bench(bench: Erasing) -> Erasing:
    """The engine, with two memories of one owner."""
    await bench.remember("u-1", "Plays the cello", mentions=[])
    await bench.remember("u-1", "The ferry leaves at nine.", mentions=[])
    return bench


async def ask(client: Client, headers: dict[str, str], path: str, body: Any = None) -> Any:
    """POST and give status and JSON."""
    reply = await client.post(path, json=body or {}, headers=headers)
    return reply.status, await reply.json()


async def hold(client: Client, headers: dict[str, str], owner: str, **more: str) -> tuple[int, Any]:
    """Put an owner on hold by their id."""
    body = {"owner": owner, "code": "legal_claims", **more}
    return await ask(client, headers, "/v1/holds", body)


async def test_a_look_up_changes_nothing_and_asks_no_store(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """Whom the ledger does not know is not found, also while the store is away; a hold asks it."""
    await bench.remember("u-77", "Plays the cello", known=False)
    headers = await bearer(services, "privacy")
    assert bench.small is not None
    asked, before = len(bench.small.calls), await services.ledger.read(known(bench))
    bench.small.fault = lambda verb, subject: StoreUnavailable()
    for owner in ("u-77", "u-78"):
        assert await ask(client, headers, "/v1/subjects", {"owner": owner}) == (
            200, {"items": [], "erasures": []},
        )  # fmt: skip
    assert len(bench.small.calls) == asked
    status, body = await hold(client, headers, "u-77")
    assert (status, body["type"]) == (502, "urn:expunge:problem:upstream-unreachable")
    assert await services.ledger.read(known(bench)) == before
    assert (await hold(client, headers, "u-1"))[0] == 201, "whom the ledger knows needs no store"


def known(bench: Erasing) -> Any:
    """Row ids of the owners in the ledger."""

    async def load(tx: Any) -> list[str]:
        states = ("active", "erasing", "erased")
        return [row.id for row in await owners.of_tenant(tx, bench.tenant_id, states=states)]

    return load


@pytest.mark.parametrize("owner", ["*", "u-1 ", " ", "u\u200b1"])
@pytest.mark.parametrize("kind", ["hold", "restriction"])
async def test_what_is_no_owner_id_is_asked_of_no_store(
    client: Client, services: ControlServices, bench: Erasing, owner: str, kind: str
) -> None:
    """A wildcard would show everybody's memories; nothing is placed."""
    headers = await bearer(services, "privacy")
    assert bench.small is not None
    asked = len(bench.small.calls)
    body = {"owner": owner, "code": "legal_claims", "kind": kind}
    status, told = await ask(client, headers, "/v1/holds", body)
    assert (status, told["type"]) == (400, "urn:expunge:problem:invalid-request")
    assert len(bench.small.calls) == asked
    assert (await (await client.get("/v1/holds", headers=headers)).json())["items"] == []


async def test_a_hold_tells_how_much_it_has_hold_of(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """What is there, written past the proxy or not, and how much of it is erased already."""
    headers = await bearer(services, "privacy")
    gone = await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    await bench.forget(Target(kind="memory", values=(gone,)))
    await bench.remember("u-1", "Rain on Friday", known=False)
    told = {"memories": 3, "erased": 1, "unreachable": []}
    status, held = await hold(client, headers, "u-1")
    assert (status, held) == (201, told | {"id": held["id"]})
    ref = (await ask(client, headers, "/v1/subjects", {"owner": "u-1"}))[1]["items"][0]["ref"]
    for path in ("holds", "restriction"):
        code = {"code": "legal_claims"}
        _, held = await ask(client, headers, f"/v1/subjects/{ref}/{path}", code)
        assert held == told | {"id": held["id"]}, path
    assert bench.small is not None
    bench.small.fault = lambda verb, subject: StoreUnavailable()
    _, held = await hold(client, headers, "u-1")
    assert held == {"id": held["id"], "memories": 2, "erased": 1, "unreachable": ["mem0"]}


async def test_a_hold_of_one_memory_tells_whether_it_is_there(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """One that the store lost is not said to be kept; another owner's is not found."""
    headers = await bearer(services, "privacy")
    kept, lost = [await bench.remember("u-2", text, mentions=[]) for text in ("Rain", "Snow")]
    assert bench.small is not None
    del bench.small.rows[lost]
    for memory, there in ((kept, 1), (lost, 0)):
        status, held = await hold(client, headers, "u-2", memory=memory)
        assert (status, held["memories"], held["erased"]) == (201, there, 0)
    assert (await hold(client, headers, "u-1", memory=kept))[0] == 404
    assert (await hold(client, headers, "u-2", memory="no-such"))[0] == 404


async def test_nothing_is_held_where_all_is_erased(
    client: Client, services: ControlServices, bench: Erasing
) -> None:
    """The refusal says so, with the number; an owner whose memories alone are gone can be held."""
    headers = await bearer(services, "privacy")
    only = await bench.remember("u-2", "Rain on Friday", mentions=[])
    await bench.forget(Target(kind="memory", values=(only,)))
    status, held = await hold(client, headers, "u-2")
    assert (status, held["memories"], held["erased"]) == (201, 0, 1)
    await bench.forget(Target(kind="owner", values=("u-1",)))
    status, told = await hold(client, headers, "u-1")
    assert (status, told["type"]) == (404, "urn:expunge:problem:not-found")
    assert told["detail"].endswith("memories that are erased already: 2.")
