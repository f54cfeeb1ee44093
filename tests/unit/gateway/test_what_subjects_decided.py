"""What data subjects decided holds on every route of both dialects, also beside other owners."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event

import policies
from proxy.rights.wishes import Wishes
from tests.support.erasing import OPERATOR
from tests.support.fault_store import FaultStore, Received, answer
from tests.support.gateway import Plane
from tests.unit.gateway.conftest import Opened

TEA, ILL = "I like green tea in the morning", "I was diagnosed with diabetes last year"
CONSENTS = "[long_term, home_address, biometric, political_religious, health]"
POLICY = f"""
consent: {{names: {CONSENTS}, required: {{health: {{consent: [health], without: reject}}}}}}
read: {{purposes: {{closed: {{deny: [all]}}}}}}
"""
Route = tuple[str, str, Any]  # method, path, body; {{id}}, {{field}} and {{owner}} are filled in
FILTER: Any = {"filters": {"{field}": "{owner}"}}
LISTS: list[Route] = [
    ("POST", "/v3/memories/", FILTER),
    ("POST", "/v2/memories/", FILTER),
    ("GET", "/v1/memories/?{field}={owner}", None),
    ("GET", "/memories?{field}={owner}", None),
    ("POST", "/v3/memories/search/", {"query": "{query}", **FILTER}),
    ("POST", "/v2/memories/search/", {"query": "{query}", **FILTER}),
    ("POST", "/v1/memories/search/", {"query": "{query}", "{field}": "{owner}"}),
    ("POST", "/search", {"query": "{query}", "{field}": "{owner}"}),
]
BY_ID: list[Route] = [
    ("GET", "/v1/memories/{id}/", None),
    ("GET", "/v1/memories/{id}/history/", None),
    ("GET", "/memories/{id}", None),
    ("GET", "/memories/{id}/history", None),
]
UPDATES: list[Route] = [
    ("PUT", "/v1/memories/{id}/", {"text": "{text}"}),
    ("PUT", "/v1/batch/", {"memories": [{"memory_id": "{id}", "text": "{text}"}]}),
    ("PUT", "/memories/{id}", {"text": "{text}"}),
]
SAID = {"messages": [{"role": "user", "content": "{text}"}], "infer": False}
WRITES: list[Route] = [
    ("POST", "/v3/memories/add/", SAID),
    ("POST", "/v1/memories/", SAID),
    ("POST", "/memories", SAID),
]
OWNERS: list[Route] = [("GET", "/v1/entities/", None), ("GET", "/entities", None)]
DELETES: list[Route] = [
    ("DELETE", "/v1/memories/{id}/", None),
    ("DELETE", "/v1/batch/", {"memories": [{"memory_id": "{id}"}]}),
    ("DELETE", "/v1/memories/?{field}={owner}", None),
    ("DELETE", "/v2/entities/user/{owner}/", None),
    ("DELETE", "/memories/{id}", None),
    ("DELETE", "/memories?{field}={owner}", None),
    ("DELETE", "/entities/user/{owner}", None),
]
PLAIN: list[Route] = [("GET", "/v1/ping/", None), ("POST", "/reset", None)]
SOME_ID = "a0000000-0000-4000-8000-000000000001"
DENIED = "urn:expunge:problem:purpose-denied"


def changed(sections: str) -> Any:
    """Puts a policy with these sections (YAML) over the default one in its place."""
    head = "apiVersion: expunge/v1\nkind: Policy\nname: tested\n"
    return lambda _: policies.load_text((head + sections).encode(), "tested.yaml")


def filled(part: Any, known: dict[str, str]) -> Any:
    """A body or a path with what is known put in."""
    if isinstance(part, dict):
        return {filled(name, known): filled(value, known) for name, value in part.items()}
    if isinstance(part, list):
        return [filled(each, known) for each in part]
    return part.format(**known) if isinstance(part, str) else part


async def ask(
    plane: Plane, route: Route, purpose: str | None = None, **known: str
) -> tuple[int, Any]:
    """Status and answer of one route for the user u-1, unless another owner is named."""
    method, path, body = route
    given = {"field": "user_id", "owner": "u-1", "text": TEA, "query": "green tea"} | known
    sent = filled(body, given)
    if route in WRITES:
        sent |= {given["field"]: given["owner"]}
    headers = {"expunge-purpose": purpose} if purpose else {}
    return await plane.call(method, path.format(**given), sent, headers=headers)


async def remember(plane: Plane, text: str = TEA, user: str = "u-1", **more: Any) -> dict[str, str]:
    """Store one memory; its id, and a query that finds it."""
    return {"id": await plane.add(text, user, **more), "query": text}


def wishes(plane: Plane) -> Wishes:
    """The decisions of data subjects."""
    return Wishes(plane.services.erasure._means)  # type: ignore[attr-defined]


async def wish(plane: Plane, settings: dict[str, Any], user: str = "u-1") -> None:
    """Record settings of a user who is known."""
    await wishes(plane).prefer(plane.tenants["acme"], ("user", user), settings, actor=OPERATOR)


async def agree(plane: Plane, name: str = "health") -> str:
    """Record a consent of u-1, known or not."""
    tenant, user = plane.tenants["acme"], ("user", "u-1")
    await wishes(plane).register(tenant, user, actor=OPERATOR)
    return await wishes(plane).consent(tenant, user, name, actor=OPERATOR)


async def stored(plane: Plane) -> list[str]:
    """What the store holds of the tenant's owners, by its own word."""
    _, answer = await plane.call("GET", "/entities")
    found = {}
    for owner in answer:
        _, listed = await plane.call("GET", f"/memories?{owner['type']}_id={owner['id']}")
        for item in listed["results"]:
            raw = await plane.services.stores["mem0"].store.get(item["id"])
            assert raw is not None
            found[item["id"]] = raw.text
    return sorted(found.values())


@pytest.mark.parametrize("purpose", ["closed", "marketting"])
async def test_a_purpose_that_is_closed_or_mistyped_is_refused_everywhere(
    opened: Opened, purpose: str
) -> None:
    """An empty list or a memory that is not found would look like lost data."""
    async with opened(change=changed(POLICY)) as plane:
        known = await remember(plane)
        for route in (*LISTS, *BY_ID, *UPDATES, *WRITES, *OWNERS, *DELETES, *PLAIN):
            status, answer = await ask(plane, route, purpose, **known)
            assert (status, answer["type"], answer["rules"]) == (
                403, DENIED, [f"read.purposes.{purpose}"],
            ), route  # fmt: skip
        assert await stored(plane) == [TEA]


@pytest.mark.parametrize(
    ("settings", "purpose"),
    [({"denied_purposes": ["analytics"]}, "analytics"), ({"sharing": False}, "share")],
    ids=["objection", "opt-out"],
)
async def test_an_objection_holds_on_every_route(
    opened: Opened, settings: dict[str, Any], purpose: str
) -> None:
    """From the moment it is recorded; for another purpose, and of another user, all goes on."""
    async with opened(change=changed(POLICY)) as plane:
        known, other = await remember(plane), await remember(plane, user="u-2")
        for route in (*LISTS, *BY_ID):
            assert TEA in str(await ask(plane, route, purpose, **known)), route
        await wish(plane, settings)
        for route in (*LISTS, *BY_ID, *UPDATES, *WRITES):
            status, answer = await ask(plane, route, purpose, **known)
            assert (status, answer.get("type")) == (403, DENIED), route
            if route in (*LISTS, *BY_ID):
                assert TEA in str(await ask(plane, route, "assistant", **known)), route
                assert TEA in str(await ask(plane, route, purpose, owner="u-2", **other)), route
        for route in OWNERS:
            for stated, listed in ((purpose, ["u-2"]), ("assistant", ["u-1", "u-2"])):
                _, answer = await ask(plane, route, stated)
                found = answer["results"] if isinstance(answer, dict) else answer
                assert sorted(each.get("name", each["id"]) for each in found) == listed, route


@pytest.mark.parametrize("route", DELETES, ids=lambda route: " ".join(route[:2]))
async def test_an_objection_does_not_keep_a_memory(opened: Opened, route: Route) -> None:
    """Who objected to a purpose can be forgotten by whoever has just this purpose."""
    async with opened(change=changed(POLICY)) as plane:
        known = await remember(plane)
        await wish(plane, {"denied_purposes": ["analytics"]})
        status, _ = await ask(plane, route, "analytics", **known)
        assert (status, await stored(plane)) == (200, [])


@pytest.mark.parametrize("route", LISTS, ids=lambda route: " ".join(route[:2]))
async def test_a_list_of_an_agent_leaves_out_who_objected(opened: Opened, route: Route) -> None:
    """The wishes of each item's owners count, not only of the owner who was asked for."""
    async with opened(change=changed(POLICY)) as plane:
        await remember(plane, "I like rye bread", agent_id="ag")
        await remember(plane, "I like oat bread", "u-2", agent_id="ag")
        await wish(plane, {"denied_purposes": ["analytics"]})
        for purpose, texts in (
            ("analytics", ["I like oat bread"]),
            ("assistant", ["I like oat bread", "I like rye bread"]),
        ):
            given = {"field": "agent_id", "owner": "ag", "query": "bread"}
            status, answer = await ask(plane, route, purpose, **given)
            found = answer["results"] if isinstance(answer, dict) else answer
            assert (status, sorted(item["memory"] for item in found)) == (200, texts)


@pytest.mark.parametrize("route", UPDATES, ids=lambda route: " ".join(route[:2]))
async def test_what_a_subject_refused_is_not_written_by_an_update(
    opened: Opened, route: Route
) -> None:
    """Types are redacted, categories rejected; another user's update is as it was."""
    sections = "write: {entities: [{id: mail, when: {entities: [EMAIL_ADDRESS]}, action: tag}]}\n"
    text, ill = "write to alva.brenn@example.org", "I was diagnosed with epilepsy"
    async with opened(change=changed(sections), tier="full") as plane:
        known, other = await remember(plane), await remember(plane, user="u-2")
        await wish(plane, {"refused_types": ["EMAIL_ADDRESS"], "refused_categories": ["health"]})
        assert (await ask(plane, route, text=text, **known))[0] == 200
        assert (await ask(plane, route, text=text, **other))[0] == 200
        status, answer = await ask(plane, route, text=ill, **known)
        assert (status, answer["rules"][-1]) == (422, "preference.refused_categories")
        assert await stored(plane) == ["write to [email_address]", text]


BESIDE = [{}, {"run_id": "r-1"}, {"agent_id": "ag"}, {"run_id": "r-1", "agent_id": "ag"}]


@pytest.mark.parametrize("beside", BESIDE, ids=lambda each: "+".join(["user", *each]))
async def test_a_consent_counts_on_every_route(opened: Opened, beside: dict[str, str]) -> None:
    """It is the user's, whoever else owns the memory; withdrawn, nothing is shown any more."""
    async with opened(change=changed(POLICY), tier="full") as plane:
        said = {**SAID, "messages": [{"role": "user", "content": ILL}], "user_id": "u-1", **beside}
        for method, path, _ in WRITES:
            assert (await plane.call(method, path, said))[0] == 422, "without the consent"
        given = await agree(plane)
        known = await remember(plane, ILL, **beside)
        for route in (*LISTS, *BY_ID):
            assert ILL in str(await ask(plane, route, **known)), route
        for route in UPDATES:
            status, _ = await ask(plane, route, text=ILL + ".", **known)
            assert status == 200, route
        await wishes(plane).withdraw(plane.tenants["acme"], given, actor=OPERATOR)
        for route in (*LISTS, *BY_ID):
            assert ILL not in str(await ask(plane, route, **known)), route
        for route in UPDATES:
            _, answer = await ask(plane, route, text=ILL, **known)
            assert "not found" in str(answer) or "0 memories" in str(answer), route


async def test_of_an_agent_alone_the_agent_must_have_a_consent(opened: Opened) -> None:
    """Where no user is named all owners count."""
    async with opened(change=changed(POLICY), tier="full") as plane:
        await agree(plane)
        said = {**SAID, "messages": [{"role": "user", "content": ILL}]}
        for method, path, _ in WRITES:
            assert (await plane.call(method, path, said | {"agent_id": "ag"}))[0] == 422
            assert (await plane.call(method, path, said | {"user_id": "u-2"}))[0] == 422
            assert (await plane.call(method, path, said | {"user_id": "u-1"}))[0] == 200


class Later:
    """The platform: it keeps what it is told and answers a write with an event."""

    def __init__(self) -> None:
        self.item: dict[str, Any] = {}

    def __call__(self, request: Received) -> Any:
        if request.target.startswith("/v1/event/"):
            results = [{"id": self.item["id"], "data": {"memory": self.item["memory"]}}]
            return answer({"status": "SUCCEEDED", "results": results})
        if request.method == "GET":
            return answer(self.item)
        body = request.json()
        self.item = {name: body[name] for name in ("user_id", "agent_id", "metadata")}
        self.item |= {"id": SOME_ID, "memory": body["messages"][0]["content"]}
        return answer({"status": "PENDING", "event_id": "evt-1"})


async def test_an_event_is_not_shown_against_an_objection(
    faulty: Plane, faults: FaultStore
) -> None:
    """What an asynchronous write made is its user's, whoever asks for the event."""
    faults.script, look = Later(), ("GET", "/v1/event/evt-1/", None)
    said = {"messages": [{"role": "user", "content": TEA}], "user_id": "u-1", "agent_id": "ag"}
    assert (await faulty.call("POST", "/v3/memories/add/", said))[0] == 200
    assert TEA in str(await ask(faulty, look, "analytics"))
    await wish(faulty, {"denied_purposes": ["analytics"]})
    status, found = await ask(faulty, look, "analytics")
    assert (status, found["type"]) == (403, DENIED)
    assert TEA in str(await ask(faulty, look, "assistant"))


RULES = """
write:
  default_action: allow
  entities:
    - {id: runs, when: {entities: [EMAIL_ADDRESS], owners: ["run:*"]}, action: redact}
    - {id: desk, when: {entities: [EMAIL_ADDRESS], owners: ["agent:desk"]}, action: redact}
    - {id: rest, when: {entities: [EMAIL_ADDRESS]}, action: tag}
  texts:
    - {id: locked, when: {owners: ["run:locked"]}, action: reject}
    - {id: hidden, when: {owners: ["agent:vault"], operations: [read]}, action: reject}
"""
MAIL, MASKED = "write to alva.brenn@example.org", "write to [email_address]"


@pytest.mark.parametrize(
    ("owners", "expected"),
    [
        pytest.param({"user_id": "u-1"}, MAIL, id="user"),
        pytest.param({"run_id": "r-1"}, MASKED, id="run"),
        pytest.param({"user_id": "u-1", "run_id": "r-1"}, MASKED, id="user+run"),
        pytest.param({"agent_id": "desk"}, MASKED, id="agent"),
        pytest.param({"user_id": "u-1", "agent_id": "desk"}, MASKED, id="user+agent"),
        pytest.param({"user_id": "desk", "agent_id": "ag"}, MAIL, id="another-agent"),
    ],
)
@pytest.mark.parametrize("write", WRITES, ids=lambda route: route[1])
async def test_a_rule_sees_every_owner_of_a_write(
    opened: Opened, owners: dict[str, str], expected: str, write: Route
) -> None:
    """On a write the owners that are named, on an update those of the memory."""
    async with opened(change=changed(RULES)) as plane:
        body = {**SAID, "messages": [{"role": "user", "content": MAIL}], **owners}
        status, answer = await plane.call(write[0], write[1], body)
        assert (status, await stored(plane)) == (200, [expected])
        memory_id = answer["results"][0]["id"]
        for route in UPDATES:
            status, _ = await ask(plane, route, id=memory_id, text=f"now {MAIL}")
            assert (status, await stored(plane)) == (200, [f"now {expected}"]), route


async def test_a_rule_may_refuse_one_run_of_a_user(opened: Opened) -> None:
    """The user's other runs go on."""
    async with opened(change=changed(RULES)) as plane:
        body = {**SAID, "messages": [{"role": "user", "content": TEA}], "user_id": "u-1"}
        for method, path, _ in WRITES:
            status, answer = await plane.call(method, path, body | {"run_id": "locked"})
            assert (status, answer["rules"]) == (422, ["locked"])
            assert (await plane.call(method, path, body | {"run_id": "open"}))[0] == 200


async def test_a_rule_for_reads_sees_every_owner_of_an_item(opened: Opened) -> None:
    """By the user's name too, on every route; the user's other memory is shown."""
    async with opened(change=changed(RULES)) as plane:
        hidden = await remember(plane, "I like rye bread", agent_id="vault")
        shown = await remember(plane, "I like oat bread", agent_id="ag")
        for route in LISTS:
            _, answer = await ask(plane, route, query="rye bread, oat bread")
            found = answer["results"] if isinstance(answer, dict) else answer
            assert [item["memory"] for item in found] == ["I like oat bread"], route
        for route in BY_ID:
            assert "rye bread" not in str(await ask(plane, route, **hidden)), route
            assert "oat bread" in str(await ask(plane, route, **shown)), route


@contextmanager
def asked(plane: Plane) -> Iterator[list[str]]:
    """What the ledger's readers and its writer are asked from now on."""
    found: list[str] = []
    engines = [plane.services.ledger._reader_engine, plane.services.ledger._writer_engine]

    def note(_: Any, __: Any, statement: str, *more: Any) -> None:
        found.append(statement)

    for engine in engines:
        event.listen(engine.sync_engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        for engine in engines:
            event.remove(engine.sync_engine, "before_cursor_execute", note)


@pytest.mark.parametrize("decided", [False, True])
async def test_where_nobody_decided_anything_nothing_is_asked(
    opened: Opened, decided: bool
) -> None:
    """After a commit a read asks for its items again, and for nobody's wishes or owners."""
    async with opened() as plane:
        await remember(plane)
        await ask(plane, LISTS[0])
        if decided:
            await wish(plane, {"denied_purposes": ["analytics"]})
        for route in (*LISTS[:4], *BY_ID[:1]):
            known = await remember(plane, f"I like tea number {route[1]}")
            with asked(plane) as statements:
                assert (await ask(plane, route, **known))[0] == 200
            told = [each for each in statements if "preferences" in each or "memory_owners" in each]
            assert bool(told) is decided, route


async def test_a_rule_for_reads_sees_the_readers_region(opened: Opened) -> None:
    """As the request states it; where it states none the rule does not apply."""
    rule = "{id: abroad, when: {regions: [US], operations: [read]}, action: reject}"
    async with opened(change=changed(f"write: {{texts: [{rule}]}}\n")) as plane:
        await remember(plane, TEA)
        for region, count in ((None, 1), ("EU", 1), ("US", 0)):
            headers = {"Expunge-Region": region} if region else {}
            body = {"filters": {"user_id": "u-1"}}
            _, answer = await plane.call("POST", "/v3/memories/", body, headers=headers)
            assert len(answer["results"]) == count, region
