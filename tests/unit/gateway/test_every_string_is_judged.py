"""Whatever member of an answer holds a blocked name or a forbidden matter, it is not shown."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from detectors.detection import Analysis, CategoryScore
from proxy.tokens.index.spelling import Name
from tests.support.fault_store import MEMORY_ID, FaultStore, added, answer
from tests.support.gateway import Plane

ADD, LIST, SEARCH = "/v3/memories/add/", "/v3/memories/", "/v3/memories/search/"
HISTORY = f"/v1/memories/{MEMORY_ID}/history/"
ONE = f"/v1/memories/{MEMORY_ID}/"
NAME = "Orla Quist"
SAID = f"{NAME} came for soup"
HEALTH = "takes metformin twice a day"

Seed = Callable[[], Awaitable[dict[str, Any]]]


@pytest.fixture
def seeded(faulty: Plane, faults: FaultStore) -> Seed:
    """Writes one memory of u-1 and gives it as the store shows it, under the store's owner id."""

    async def seed() -> dict[str, Any]:
        faults.script = lambda _: added(text="drinks tea")
        body = {"messages": [{"role": "user", "content": "drinks tea"}], "user_id": "u-1",
                "infer": False}  # fmt: skip
        status, said = await faulty.call("POST", ADD, body)
        assert status == 200, said
        owner = faults.requests[-1].json()["user_id"]
        return {"id": MEMORY_ID, "memory": "drinks tea", "user_id": owner, "metadata": {}}

    return seed


async def block(plane: Plane) -> None:
    """Block the name in the first tenant."""
    tenant = plane.tenants["acme"]
    await plane.services.ledger.write(
        lambda tx: plane.services.blocklist.add(tx, tenant, [Name(NAME)])  # type: ignore[attr-defined]
    )


WHERE = [
    pytest.param(lambda said: {"structured_attributes": {"note": said}}, id="structured"),
    pytest.param(lambda said: {"structured_data": [[{"x": {"y": said}}]]}, id="deep"),
    pytest.param(lambda said: {"content": [{"resource": {"text": said}}]}, id="content"),
    pytest.param(lambda said: {"summary": said}, id="plain-member"),
    pytest.param(lambda said: {"categories": ["food", said]}, id="list"),
    pytest.param(lambda said: {"structured_attributes": {said: 1}}, id="key"),
    pytest.param(lambda said: {"input": [{"role": "user", "content": said}]}, id="input"),
]
ROUTES = [
    pytest.param("POST", LIST, {"filters": {"user_id": "u-1"}}, id="list"),
    pytest.param("POST", SEARCH, {"query": "tea", "filters": {"user_id": "u-1"}}, id="search"),
    pytest.param("GET", "/v1/memories/?user_id=u-1", None, id="old-list"),
    pytest.param("GET", ONE, None, id="get"),
    pytest.param("GET", HISTORY, None, id="history"),
]


def _shaped(path: str, item: dict[str, Any]) -> Any:
    if path == ONE:
        return item
    if path == HISTORY:
        row = {key: value for key, value in item.items() if key not in ("memory", "id")}
        return [{**row, "id": "h", "memory_id": MEMORY_ID, "old_memory": "tea",
                 "new_memory": "drinks tea"}]  # fmt: skip
    return [item] if path.startswith("/v1/") else {"results": [item], "count": 1}


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize(("method", "path", "body"), ROUTES)
async def test_a_blocked_name_in_any_member_hides_the_item(
    faulty: Plane, faults: FaultStore, seeded: Seed, where: Any, method: str, path: str, body: Any
) -> None:
    """On each route; the same member with other words is shown (the negative twin)."""
    item = await seeded()
    await block(faulty)
    seen = []
    for words in (SAID, "somebody came for soup"):
        whole = _shaped(path, {**item, **where(words)})
        faults.script = lambda _, whole=whole: answer(whole)
        _, shown = await faulty.call(method, path, body)
        seen.append("came for soup" in str(shown))
    assert seen == [False, True]


async def test_both_texts_of_a_history_row_are_judged(
    faulty: Plane, faults: FaultStore, seeded: Seed
) -> None:
    """A name in the newer text hides the row although the older one is harmless."""
    item = await seeded()
    await block(faulty)
    for new, count in ((SAID, 0), ("drinks coffee", 1)):
        row = {"memory_id": MEMORY_ID, "old_memory": "tea", "new_memory": new,
               "user_id": item["user_id"]}  # fmt: skip
        faults.script = lambda _, row=row: answer([row])
        _, shown = await faulty.call("GET", HISTORY)
        assert len(shown) == count


@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
@pytest.mark.parametrize("where", WHERE[:5])
async def test_an_item_is_judged_by_all_that_it_says(
    faulty: Plane,
    faults: FaultStore,
    seeded: Seed,
    where: Any,
    known: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Health in a member that the profile does not name is health for a stated purpose."""
    real = faulty.detectors.analyse

    async def with_classifier(texts: Any, **how: Any) -> list[Analysis]:
        """The tier without models knows no matters: one is told by its word."""
        return [
            replace(each, categories=(CategoryScore("health", 1.0),))
            if "metformin" in text
            else each
            for text, each in zip(texts, await real(texts, **how), strict=True)
        ]

    item = await seeded()
    monkeypatch.setattr(faulty.detectors, "analyse", with_classifier)
    other = {**item, "id": MEMORY_ID.replace("1", "7")}
    body = {"query": "tea", "filters": {"user_id": "u-1"}}
    seen = []
    for memory_id, words in (("7", HEALTH), ("8", "likes rye bread with salted butter")):
        one = {**other, "id": MEMORY_ID.replace("1", memory_id), **where(words)}
        one |= {"id": MEMORY_ID} if known else {}
        faults.script = lambda _, one=one: answer({"results": [one]})
        headers = {"expunge-purpose": "marketing"}
        _, shown = await faulty.call("POST", SEARCH, body, headers=headers)
        seen.append(len(shown["results"]))
    assert seen == [0, 1]


BESIDE = [
    pytest.param({"relations": [{"source": NAME, "target": "soup"}]}, False, id="blocked"),
    pytest.param({"relations": [{"source": "somebody", "target": "soup"}]}, True, id="free"),
    pytest.param({"answer": f"{SAID} and soup"}, False, id="blocked-text"),
    pytest.param({"answer": "there was soup"}, True, id="free-text"),
]


@pytest.mark.parametrize(("member", "stays"), BESIDE)
async def test_what_stands_beside_the_items_is_judged_too(
    faulty: Plane, faults: FaultStore, seeded: Seed, member: dict[str, Any], stays: bool
) -> None:
    """A member of the whole answer that says what may not be read is left out."""
    item = await seeded()
    await block(faulty)
    faults.script = lambda _: answer({"results": [item], **member})
    _, shown = await faulty.call("POST", SEARCH, {"query": "x", "filters": {"user_id": "u-1"}})
    assert len(shown["results"]) == 1
    assert bool(member.keys() & shown.keys()) is stays


async def test_where_an_item_was_taken_out_nothing_is_told_beside_the_rest(
    faulty: Plane, faults: FaultStore, seeded: Seed
) -> None:
    """Nobody knows to which item a relation belongs."""
    item = await seeded()
    strange = {**item, "id": MEMORY_ID.replace("1", "9"), "user_id": "somebody-elses"}
    relations = {"relations": [{"source": "soup", "target": "spoon"}]}
    faults.script = lambda _: answer({"results": [item, strange], **relations})
    _, shown = await faulty.call("POST", SEARCH, {"query": "x", "filters": {"user_id": "u-1"}})
    assert (len(shown["results"]), "relations" in shown) == (1, False)


ELSEWHERE = [
    pytest.param(lambda item: {"memories": [item]}, False, id="another-list"),
    pytest.param(lambda item: {"page": {"first": {"item": item}}}, False, id="deep"),
    pytest.param(lambda item: {"more": [[{**item, "memory": ""}]]}, False, id="without-a-text"),
    pytest.param(lambda item: {"page": {"id": item["id"], "of": "soup"}}, True, id="no-item"),
]


@pytest.mark.parametrize(("member", "stays"), ELSEWHERE)
async def test_items_in_another_place_are_left_out(
    faulty: Plane, faults: FaultStore, seeded: Seed, member: Any, stays: bool
) -> None:
    """Nobody asked whose they are; what is no memory stays."""
    item = await seeded()
    other = {**item, "id": MEMORY_ID.replace("1", "9"), "memory": "soup", "user_id": "elses"}
    faults.script = lambda _: answer({"results": [item], **member(other)})
    _, shown = await faulty.call("POST", SEARCH, {"query": "x", "filters": {"user_id": "u-1"}})
    assert len(shown["results"]) == 1
    assert ("soup" in str(shown), "elses" in str(shown)) == (stays, False)


async def test_a_members_name_is_judged_as_well(
    faulty: Plane, faults: FaultStore, seeded: Seed
) -> None:
    """A blocked name as the name of a member beside the items; a plain one stays."""
    item = await seeded()
    await block(faulty)
    faults.script = lambda _: answer({"results": [item], NAME: 1, "total_pages": 1})
    _, shown = await faulty.call("POST", SEARCH, {"query": "x", "filters": {"user_id": "u-1"}})
    assert shown.keys() & {NAME, "total_pages"} == {"total_pages"}


@pytest.mark.parametrize(
    ("relation", "stays"),
    [({"source": "soup", "user_id": "elses"}, False), ({"source": "soup"}, True)],
    ids=["of-a-foreign-owner", "of-nobody"],
)
async def test_what_names_a_foreign_owner_is_left_out(
    faulty: Plane, faults: FaultStore, seeded: Seed, relation: dict[str, Any], stays: bool
) -> None:
    """Also where it has no id and is no memory."""
    item = await seeded()
    faults.script = lambda _: answer({"results": [item], "relations": [relation]})
    _, shown = await faulty.call("POST", SEARCH, {"query": "x", "filters": {"user_id": "u-1"}})
    assert ("relations" in shown) is stays


@pytest.mark.parametrize(("method", "path", "body"), ROUTES[:4])
async def test_an_item_within_an_item_is_left_out(
    faulty: Plane, faults: FaultStore, seeded: Seed, method: str, path: str, body: Any
) -> None:
    """The item stays, and so do objects in the metadata that its writer gave it."""
    item = await seeded()
    other = {**item, "id": MEMORY_ID.replace("1", "9"), "memory": "soup", "user_id": "elses"}
    own = {"metadata": {"refs": [{"id": MEMORY_ID, "memory": "a note"}]}}
    faults.script = lambda _: answer(_shaped(path, {**item, **own, "related": [other]}))
    _, shown = await faulty.call(method, path, body)
    assert ("drinks tea" in str(shown), "a note" in str(shown)) == (True, True)
    assert ("soup" in str(shown), "related" in str(shown)) == (False, False)


async def test_a_list_of_owners_holds_nothing_but_owners(
    faulty: Plane, faults: FaultStore, seeded: Seed
) -> None:
    """A bare id in the list is nobody whom the caller may know."""
    item = await seeded()
    mine = {"id": item["user_id"], "name": item["user_id"], "type": "user", "total_memories": 1}
    faults.script = lambda _: answer({"results": ["abcdefgh-" + "a" * 26, mine]})
    _, shown = await faulty.call("GET", "/v1/entities/")
    assert [each["name"] for each in shown["results"]] == ["u-1"]


async def test_a_link_with_a_foreign_owner_is_left_out(
    faulty: Plane, faults: FaultStore, seeded: Seed
) -> None:
    """A link to the next page of the caller's own memories stays, with the caller's id."""
    item = await seeded()
    pages = []
    for owner in (item["user_id"], item["user_id"][:9] + "a" * 26):
        link = f"{faults.url}/v3/memories/?page=2&user_id={owner}"
        faults.script = lambda _, link=link: answer({"results": [item], "next": link})
        _, shown = await faulty.call("POST", LIST, {"filters": {"user_id": "u-1"}})
        pages.append(shown["next"])
    assert pages[0].endswith("/v3/memories/?page=2&user_id=u-1")
    assert pages[1] is None
