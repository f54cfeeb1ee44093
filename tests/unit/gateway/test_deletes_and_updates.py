"""Deletes are erasures, updates are writes; both obey the policy."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
import pytest_asyncio

import policies
from proxy.gateway.identity.callers import Callers, Grant, Sidecar
from proxy.gateway.identity.identify import Authenticator
from proxy.ledger import erasures, health, memories
from tests.support.fault_store import MEMORY_ID, FaultStore, added, answer
from tests.support.gateway import Plane, with_section

LIST = "/v3/memories/"
MINE = {"filters": {"user_id": "u-1"}}
Opened = Callable[..., AbstractAsyncContextManager[Plane]]


async def listed(plane: Plane, tenant: str = "acme") -> list[str]:
    """Texts of the owner's memories."""
    _, answer = await plane.call("POST", LIST, MINE, tenant=tenant)
    return sorted(item["memory"] for item in answer["results"])


async def test_a_deleted_memory_takes_what_derives_from_it(plane: Plane) -> None:
    """The cascade is transitive; what merely stands beside it stays."""
    turn = await plane.add("turn")
    fact = await plane.add("fact", metadata={"expunge": {"derived_from": [turn]}})
    await plane.add("summary", metadata={"expunge": {"derived_from": [fact]}})
    await plane.add("beside")
    status, answer = await plane.call("DELETE", f"/v1/memories/{turn}/")
    assert (status, answer) == (200, {"message": "Memory deleted successfully!"})
    assert await listed(plane) == ["beside"]
    again = await plane.call("DELETE", f"/v1/memories/{turn}/")
    absent = await plane.call("DELETE", "/v1/memories/99999999-9999-4999-8999-999999999999/")
    assert again == absent
    assert again[0] == 404


async def test_an_owner_that_deleted_everything_may_go_on(plane: Plane) -> None:
    """A client's delete_all blocks nobody: the same user starts anew."""
    await plane.add("old")
    await plane.add("other", "u-2")
    assert (await plane.call("DELETE", "/v1/memories/?user_id=u-1"))[0] == 200
    assert await listed(plane) == []
    await plane.add("new")
    assert await listed(plane) == ["new"]


async def test_two_owners_delete_only_what_belongs_to_both(plane: Plane) -> None:
    """user and run together name the memories of that run of that user."""
    await plane.add("both", run_id="r-1")
    await plane.add("user only")
    assert (await plane.call("DELETE", "/v1/memories/?user_id=u-1&run_id=r-1"))[0] == 200
    assert await listed(plane) == ["user only"]


SAME = "User prefers dark mode in the editor of the office laptop."


@pytest.mark.parametrize(
    ("mine", "others", "deleted"),
    [
        pytest.param({"user": "u-1", "agent_id": "a-1"}, {"user": "u-2", "agent_id": "a-1"},
                     "user_id=u-1", id="another-user-of-the-agent"),
        pytest.param({"user": "u-1", "run_id": "r-1"}, {"user": "u-2", "run_id": "r-1"},
                     "user_id=u-1", id="another-user-of-the-run"),
        pytest.param({"user": "u-1", "agent_id": "a-1"}, {"user": "u-1"},
                     "agent_id=a-1", id="the-user-without-the-agent"),
        pytest.param({"user": "u-1", "run_id": "r-1"}, {"user": "u-1", "run_id": "r-2"},
                     "run_id=r-1", id="another-run-of-the-user"),
    ],
)  # fmt: skip
async def test_equal_words_of_another_owner_are_no_residue(
    plane: Plane, mine: dict[str, str], others: dict[str, str], deleted: str
) -> None:
    """Many say the same, and share an agent or a run: theirs stays, and the deletion is over."""
    await plane.add(SAME, **mine)
    stays = await plane.add(SAME, **others)
    assert (await plane.call("DELETE", f"/v1/memories/?{deleted}"))[0] == 200
    status, found = await plane.call("POST", LIST, {"filters": {"user_id": others["user"]}})
    assert (status, [each["id"] for each in found["results"]]) == (200, [stays])


async def test_deletes_of_the_same_owner_take_their_turns(plane: Plane) -> None:
    """Whoever asks at the same time hears that it is done, and nothing waits for anybody."""
    for text in ("one", "two", "three"):
        await plane.add(text)
    asked = [plane.call("DELETE", "/v1/memories/?user_id=u-1") for _ in range(4)]
    assert [status for status, _ in await asyncio.gather(*asked)] == [200] * 4
    assert await listed(plane) == []
    tenant = plane.tenants["acme"]
    found = await plane.services.ledger.read(lambda tx: erasures.of_tenant(tx, tenant, limit=10))
    assert [each.state for each in found] == ["incomplete"] * 4  # no connector to its history


async def test_deletes_may_need_a_confirmation(opened: Opened) -> None:
    """By policy the header `confirm: confirmed` has to come along."""
    change = partial(with_section, section="erasure", client_deletes="confirm")
    async with opened(change=change) as plane:
        memory_id = await plane.add("kept")
        path = f"/v1/memories/{memory_id}/"
        for headers in ({}, {"confirm": "yes"}):
            status, answer = await plane.call("DELETE", path, headers=headers)
            assert (status, answer["type"]) == (409, "urn:expunge:problem:confirmation-required")
        assert await listed(plane) == ["kept"]
        status, _ = await plane.call("DELETE", path, headers={"confirm": "confirmed"})
        assert status == 200
        assert await listed(plane) == []


async def test_deletes_may_be_refused(opened: Opened) -> None:
    """By policy clients delete nothing."""
    change = partial(with_section, section="erasure", client_deletes="refuse")
    async with opened(change=change) as plane:
        memory_id = await plane.add("kept")
        for path in (
            f"/v1/memories/{memory_id}/",
            "/v1/memories/?user_id=u-1",
            "/memories?user_id=u-1",
        ):
            status, answer = await plane.call("DELETE", path)
            assert (status, answer["type"]) == (403, "urn:expunge:problem:forbidden")
        assert await listed(plane) == ["kept"]


GRACE = (
    b"apiVersion: expunge/v1\nkind: Policy\nname: patient\nextends: builtin/gdpr-default\n"
    b"erasure: {grace: P7D}\n"
)


@pytest.mark.parametrize("path", ["/v1/memories/{}/", "/memories/{}", "/memories?user_id=u-1"])
async def test_a_clients_delete_does_not_wait_for_a_grace_window(opened: Opened, path: str) -> None:
    """It is answered as deleted, is gone at the store, and takes nothing that comes later."""
    async with opened(change=lambda _: policies.load_text(GRACE, "patient.yaml")) as plane:
        memory_id = await plane.add("old")
        assert (await plane.call("DELETE", path.format(memory_id)))[0] == 200
        assert await plane.services.stores["mem0"].store.get(memory_id) is None
        await plane.add("new")
        plane.clock.advance(timedelta(days=8))
        await plane.services.erasure.run_due()
        assert await listed(plane) == ["new"]


BUILTIN = ["gdpr-default", "never-forget", "health-strict", "dev-observe"]


@pytest.mark.parametrize("name", BUILTIN)
async def test_every_builtin_policy_refuses_a_reset(opened: Opened, name: str) -> None:
    """Nobody deletes everything by one call, unless a policy of the operator's own says so."""
    async with opened(change=lambda _: policies.load(f"builtin/{name}")) as plane:
        await plane.add("kept")
        status, answer = await plane.call("POST", "/reset")
        assert (status, answer["type"]) == (403, "urn:expunge:problem:forbidden")
        assert "erasure.reset" in answer["hint"]
        assert await listed(plane) == ["kept"]


async def test_reset_reaches_the_tenant_only(opened: Opened) -> None:
    """Where the policy allows it, the other tenant's memories stay."""
    change = partial(with_section, section="erasure", reset="erase")
    async with opened(change=change) as plane:
        await plane.add("mine")
        await plane.add("theirs", tenant="globex")
        status, _ = await plane.call("POST", "/reset")
        assert status == 200
        assert await listed(plane) == []
        assert await listed(plane, "globex") == ["theirs"]


async def row(plane: Plane, memory_id: str) -> memories.Memory:
    """The ledger's row."""
    names = await plane.services.keyring.tenant(plane.tenants["acme"])
    ref = memories.ref(names, "mem0", memory_id)
    found = await plane.services.ledger.read(
        lambda tx: memories.by_refs(tx, plane.tenants["acme"], "mem0", [ref])
    )
    return found[ref]


@pytest.mark.parametrize("path", ["/v1/memories/{}/", "/memories/{}"])
async def test_an_update_is_scanned_like_a_write(plane: Plane, path: str) -> None:
    """The new text is tokenised, retagged, and restored for the client."""
    memory_id = await plane.add("likes rye bread")
    text = "write to alva.brenn@example.org"
    status, _ = await plane.call("PUT", path.format(memory_id), {"text": text})
    assert status == 200
    item = await plane.services.stores["mem0"].store.get(memory_id)
    assert item is not None
    assert "alva.brenn" not in item.text
    assert await listed(plane) == [text]
    assert "pii:email_address" in (await row(plane, memory_id)).tags


async def test_an_update_of_metadata_keeps_retention(plane: Plane) -> None:
    """Tags and expiry of the text stay when only metadata changes."""
    memory_id = await plane.add("write to alva.brenn@example.org")
    before = await row(plane, memory_id)
    await plane.call("PUT", f"/v1/memories/{memory_id}/", {"metadata": {"colour": "red"}})
    after = await row(plane, memory_id)
    assert set(before.tags) <= set(after.tags)
    assert (after.tier, after.expires_at) == (before.tier, before.expires_at)


async def test_an_update_does_not_outlive_its_sources(plane: Plane) -> None:
    """The inherited expiry holds for the new text too."""
    turn = await plane.add("turn")
    ends = plane.clock.now() + timedelta(days=2)
    found = await row(plane, turn)
    await plane.services.ledger.write(
        lambda tx: memories.change(tx, found.id, expires_at=ends, categories=["health"])
    )
    fact = await plane.add("fact", metadata={"expunge": {"derived_from": [turn]}})
    await plane.call("PUT", f"/v1/memories/{fact}/", {"text": "another fact"})
    after = await row(plane, fact)
    assert after.expires_at == ends
    assert "health" in after.categories


async def test_only_roles_that_may_see_get_clear_words(plane: Plane) -> None:
    """Another role reads the token; what is stored is the same."""
    await plane.add("write to alva.brenn@example.org")
    services = plane.services
    auth = services.auth
    assert isinstance(auth, Authenticator)
    key = await services.ledger.write(
        lambda tx: auth.issue_key(tx, plane.tenants["acme"], roles=("auditor",))
    )
    headers = {"Authorization": f"Bearer {key}"}
    _, answer = await plane.call("POST", LIST, MINE, tenant=None, headers=headers)
    (item,) = answer["results"]
    assert "alva.brenn" not in item["memory"]
    assert "Email_" in item["memory"]


async def test_the_same_person_has_the_same_token_in_one_tenant_only(plane: Plane) -> None:
    """Tokens are stable within a tenant and differ between tenants."""
    store = plane.services.stores["mem0"].store
    texts = []
    for tenant in ("acme", "acme", "globex"):
        item = await store.get(await plane.add("mail alva.brenn@example.org", tenant=tenant))
        assert item is not None
        texts.append(item.text)
    assert texts[0] == texts[1] != texts[2]
    assert all(text.startswith("mail Email_") for text in texts)


async def test_searches_are_tokenised_the_same_way(plane: Plane) -> None:
    """The store is asked for the token, so the memory is found."""
    await plane.add("mail alva.brenn@example.org about the kiln")
    body = {"query": "alva.brenn@example.org", "filters": {"user_id": "u-1"}}
    _, answer = await plane.call("POST", "/v3/memories/search/", body)
    assert [item["memory"] for item in answer["results"]] == [
        "mail alva.brenn@example.org about the kiln"
    ]


async def test_keep_form_leaves_owner_ids_alone(opened: Opened) -> None:
    """One tenant in front of an existing store: its ids stay, its old memories are seen."""
    async with opened(owner_form="keep") as plane:
        store = plane.services.stores["mem0"].store
        await store.add({"user": "kept-1"}, "from before", {})
        await plane.add("from now", "kept-1")
        _, answer = await plane.call("POST", LIST, {"filters": {"user_id": "kept-1"}})
        assert sorted(item["memory"] for item in answer["results"]) == ["from before", "from now"]
        assert {item.owners["user"] async for item in store.crawl({"user": "kept-1"})} == {"kept-1"}


@pytest_asyncio.fixture(loop_scope="session")
async def single(opened: Opened) -> AsyncIterator[Plane]:
    """A sidecar for one tenant, which needs no credential."""
    async with opened(ways=partial(Callers, sidecar=Sidecar(Grant("acme")))) as plane:
        yield plane


async def test_a_static_tenant_needs_no_credential(single: Plane) -> None:
    """Every request belongs to the one tenant that is configured."""
    status, answer = await single.call("POST", LIST, MINE, tenant=None)
    assert (status, answer["results"]) == (200, [])


async def test_revoked_and_expired_keys_open_nothing(plane: Plane) -> None:
    """Both look like a wrong key, from the moment on."""
    services, tenant = plane.services, plane.tenants["acme"]
    auth = services.auth
    assert isinstance(auth, Authenticator)
    ends = plane.clock.now() + timedelta(hours=1)
    key = await services.ledger.write(lambda tx: auth.issue_key(tx, tenant, expires_at=ends))
    headers = {"X-API-Key": key}
    assert (await plane.call("POST", LIST, MINE, tenant=None, headers=headers))[0] == 200
    plane.clock.advance(timedelta(hours=1))
    assert (await plane.call("POST", LIST, MINE, tenant=None, headers=headers))[0] == 401


async def test_reads_are_limited(opened: Opened) -> None:
    """Above the policy's rate an owner has to wait; another owner has not."""
    from policies.schema.read import Rates

    change = partial(with_section, section="read", rates=Rates(owner=3))
    async with opened(change=change) as plane:
        for _ in range(3):
            assert (await plane.call("POST", LIST, MINE))[0] == 200
        status, answer = await plane.call("POST", LIST, MINE)
        assert (status, answer["type"]) == (429, "urn:expunge:problem:rate-limited")
        other = {"filters": {"user_id": "u-2"}}
        assert (await plane.call("POST", LIST, other))[0] == 200
        plane.clock.advance(timedelta(minutes=1))
        assert (await plane.call("POST", LIST, MINE))[0] == 200


async def test_answers_have_a_cap(opened: Opened) -> None:
    """No more items than the policy allows leave in one answer."""
    async with opened(change=partial(with_section, section="read", max_items=2)) as plane:
        for number in range(3):
            await plane.add(f"note {number}")
        assert len(await listed(plane)) == 2


DELETES = [
    ("DELETE", f"/v1/memories/{MEMORY_ID}/", None),
    ("DELETE", f"/memories/{MEMORY_ID}", None),
    ("DELETE", "/v1/memories/?user_id=u-1", None),
    ("DELETE", "/memories?user_id=u-1", None),
    ("DELETE", "/v1/memories/?user_id=u-1&run_id=r-1", None),
    ("DELETE", "/v2/entities/user/u-1/", None),
    ("DELETE", "/v1/batch/", {"memories": [{"memory_id": MEMORY_ID}]}),
]


@pytest.mark.parametrize("known", [True, False], ids=["recorded", "never seen"])
@pytest.mark.parametrize(("method", "path", "body"), DELETES)
async def test_what_cannot_be_recorded_is_not_begun(
    faulty: Plane, faults: FaultStore, monkeypatch: pytest.MonkeyPatch, method: str, path: str,
    body: Any, known: bool,
) -> None:  # fmt: skip
    """503 while the ledger's disk is full, and the store hears nothing; later it goes on."""
    if known:
        faults.script = lambda _: added()
        await faulty.add("likes rye bread")
    faults.script = lambda _: answer({"results": []})
    faults.requests.clear()
    faults.read_backs.clear()
    whole = health._free
    monkeypatch.setattr(health, "_free", lambda _: health.LEAST - 1)
    status, found = await faulty.call(method, path, body)
    assert (status, found["type"]) == (503, "urn:expunge:problem:ledger-unavailable")
    assert found["upstream"] == "not_sent"
    assert (faults.requests, faults.read_backs) == ([], [])
    monkeypatch.setattr(health, "_free", whole)
    status, found = await faulty.call(method, path, body)
    assert found.get("type") != "urn:expunge:problem:ledger-unavailable"
    assert faults.requests or faults.read_backs


async def test_a_delete_with_a_locked_ledger_sends_nothing(
    opened_plain: Opened, faults: FaultStore
) -> None:
    """Another process holds the lock; once it is free the memory is deleted."""
    async with opened_plain() as plane:
        path = plane.services.ledger.path
        assert path is not None
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        status, found = await plane.call("DELETE", f"/v1/memories/{MEMORY_ID}/")
        other.execute("ROLLBACK")
        other.close()
        assert (status, found["type"]) == (503, "urn:expunge:problem:ledger-unavailable")
        assert (faults.requests, faults.read_backs) == ([], [])
