"""Keys of metadata are words like any other: hidden from the store, given back to readers."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.fault_store import FaultStore, added, answer
from tests.support.gateway import Plane, with_section

ADD, SEARCH = "/v3/memories/add/", "/v3/memories/search/"
MAIL, OTHER = "bo.lindt@example.org", "mette.ravn@example.org"


def body(metadata: Any, text: str = "likes rye bread") -> dict[str, Any]:
    return {
        "messages": [{"role": "user", "content": text}],
        "user_id": "u-1", "infer": False, "metadata": metadata,
    }  # fmt: skip


def sent(faults: FaultStore) -> dict[str, Any]:
    """Metadata of the last write as the store saw it, without our stamp."""
    found = faults.requests[-1].json()["metadata"]
    found.pop("expunge_w")
    return dict(found)


SHAPES = [
    pytest.param(lambda name: {name: "kiwi"}, id="top-level"),
    pytest.param(lambda name: {"contacts": {name: {"since": 2020}}}, id="nested"),
    pytest.param(lambda name: {"list": [{name: 1}, {"x": {name: [2]}}]}, id="in-a-list"),
    pytest.param(lambda name: {f"friend of {name}": True, "b": name}, id="within-a-key"),
]


@pytest.mark.parametrize("name", ["Bo Lindt", "Ines Falk", "Orla Quist"])
@pytest.mark.parametrize("shape", SHAPES)
async def test_a_name_as_a_key_is_hidden_and_restored(
    named: Plane, faults: FaultStore, shape: Callable[[str], Any], name: str
) -> None:
    """The store sees a token in place of the key; the client reads its own key again."""
    faults.script = lambda _: added()
    metadata = shape(name)
    status, _ = await named.call("POST", ADD, body(metadata))
    assert status == 200
    stored = sent(faults)
    assert name.split()[1] not in faults.requests[-1].body.decode()
    owner = faults.requests[-1].json()["user_id"]
    item = {"id": "11111111-1111-4111-8111-111111111111", "memory": "kept", "user_id": owner}
    faults.script = lambda _: answer({"results": [{**item, "metadata": stored}], "count": 1})
    _, found = await named.call("POST", "/v3/memories/", {"filters": {"user_id": "u-1"}})
    assert found["results"][0]["metadata"] == metadata


@pytest.mark.parametrize("key", ["Blue", "High Priority", "In Progress", "favourite colour", "a_b"])
async def test_a_key_that_is_no_name_stays(named: Plane, faults: FaultStore, key: str) -> None:
    """The negative twin: labels reach the store as they are."""
    faults.script = lambda _: added()
    await named.call("POST", ADD, body({key: "x", "n": {key: 1}}))
    assert sent(faults) == {key: "x", "n": {key: 1}}


@pytest.mark.parametrize(
    "key", ["juno_aster", "JunoAster", "Aster, Juno", "JUNO ASTER", "juno-aster"]
)
async def test_a_known_person_is_found_in_any_spelling_of_a_key(
    named: Plane, faults: FaultStore, key: str
) -> None:
    """Once the tenant knows a name, keys are looked up as texts are."""
    faults.script = lambda _: added()
    await named.call("POST", ADD, body({}, "We met Juno Aster in Turku."))
    await named.call("POST", ADD, body({key: "kiwi"}))
    assert "aster" not in str(sent(faults)).casefold()


async def test_filters_use_the_key_that_the_store_has(named: Plane, faults: FaultStore) -> None:
    """A search by the client's key asks by the token that stands at the store."""
    faults.script = lambda _: added()
    await named.call("POST", ADD, body({"Bo Lindt": "kiwi"}))
    (token,) = sent(faults)
    faults.script = lambda _: answer({"results": []})
    for filters in (
        {"user_id": "u-1", "Bo Lindt": "kiwi"},
        {"user_id": "u-1", "AND": [{"Bo Lindt": {"eq": "kiwi"}}]},
        {"user_id": "u-1", "metadata": {"Bo Lindt": "kiwi"}},
        {"user_id": "u-1", "metadata.Bo Lindt": "kiwi"},
    ):
        status, _ = await named.call("POST", SEARCH, {"query": "x", "filters": filters})
        assert status == 200
        assert token in faults.requests[-1].body.decode()
        assert "Lindt" not in faults.requests[-1].body.decode()


async def test_a_reader_who_may_not_see_gets_the_tokens(
    faults: FaultStore, opened_faulty: Any
) -> None:
    """Without a role that may read words, keys stay tokens as values do."""
    async with opened_faulty(
        change=lambda p: with_section(p, "read", detokenise_roles=[])
    ) as plane:
        faults.script = lambda _: added()
        await plane.call("POST", ADD, body({"Bo Lindt": "kiwi"}))
        stored = sent(faults)
        owner = faults.requests[-1].json()["user_id"]
        item = {"id": "11111111-1111-4111-8111-111111111111", "memory": "k", "user_id": owner}
        faults.script = lambda _: answer({"results": [{**item, "metadata": stored}]})
        _, found = await plane.call("POST", "/v3/memories/", {"filters": {"user_id": "u-1"}})
        assert found["results"][0]["metadata"] == stored


async def test_two_keys_that_become_one_lose_no_value(faulty: Plane, faults: FaultStore) -> None:
    """Redacted keys are numbered where they would be the same, at every level."""
    faults.script = lambda _: added()
    pair = {MAIL: "kiwi", OTHER: "rye", "4111 1111 1111 1111": 1, "5500 0000 0000 0004": 2}
    status, _ = await faulty.call("POST", ADD, body({**pair, "in": {**pair}}))
    assert status == 200
    stored = sent(faults)
    assert MAIL not in faults.requests[-1].body.decode()
    inner = stored.pop("in")
    for found in (stored, inner):
        assert sorted(map(str, found.values())) == ["1", "2", "kiwi", "rye"]


HIDDEN = [
    pytest.param(MAIL, OTHER, id="whole-key"),
    pytest.param(
        f"friend of {MAIL} since 2020", f"friend of {OTHER} since 2020", id="within-a-key"
    ),
    pytest.param("4111 1111 1111 1111", "5500 0000 0000 0004", id="number"),
]


@pytest.mark.parametrize(("key", "other"), HIDDEN)
async def test_a_redacted_key_is_one_key_for_good(
    faulty: Plane, faults: FaultStore, key: str, other: str
) -> None:
    """Alone, beside another, in an update, a batch and a filter: the same; another key never is."""
    faults.script = lambda _: added()
    await faulty.call("POST", ADD, body({key: "kiwi"}))
    (stored,) = sent(faults)
    await faulty.call("POST", ADD, body({other: "rye", key: "kiwi"}))
    assert {name for name, value in sent(faults).items() if value == "kiwi"} == {stored}
    faults.script = lambda _: answer({"message": "ok"})
    path = "/v1/memories/11111111-1111-4111-8111-111111111111/"
    await faulty.call("PUT", path, {"metadata": {other: "oats"}})
    assert set(sent(faults)).isdisjoint({stored})  # a store that merges keeps both
    await faulty.call("PUT", path, {"metadata": {key: None}})
    assert sent(faults) == {stored: None}
    await faulty.call("PUT", path, {"metadata": {stored: "as it was read"}})
    assert sent(faults) == {stored: "as it was read"}
    assert not any(part in stored for part in ("lindt", "4111", "5500", "ravn"))


async def test_another_tenants_code_is_another(faulty: Plane, faults: FaultStore) -> None:
    """Nobody can tell from a redacted key whether another tenant hides the same."""
    keys = []
    for tenant in ("acme", "globex", "acme"):
        faults.script = lambda _: added()
        await faulty.call("POST", ADD, body({MAIL: "kiwi"}), tenant=tenant)
        keys += sent(faults)
    assert keys[0] == keys[2] != keys[1]


async def test_a_filter_asks_by_the_redacted_key(faulty: Plane, faults: FaultStore) -> None:
    """A search by a redacted key names the key that the store has, and no other person's."""
    faults.script = lambda _: added()
    await faulty.call("POST", ADD, body({MAIL: "kiwi"}))
    (stored,) = sent(faults)
    faults.script = lambda _: answer({"results": []})
    for name, expected in ((MAIL, True), (OTHER, False)):
        filters = {"user_id": "u-1", "metadata": {name: "kiwi"}}
        status, _ = await faulty.call("POST", SEARCH, {"query": "x", "filters": filters})
        assert status == 200
        assert (stored in faults.requests[-1].body.decode()) is expected


async def test_a_restored_key_does_not_push_out_another(named: Plane, faults: FaultStore) -> None:
    """Where the clear key is there already, the token stays and both values are read."""
    faults.script = lambda _: added()
    await named.call("POST", ADD, body({"Bo Lindt": "kiwi"}))
    (token,) = sent(faults)
    owner = faults.requests[-1].json()["user_id"]
    item = {"id": "11111111-1111-4111-8111-111111111111", "memory": "k", "user_id": owner}
    both = {token: "kiwi", "Bo Lindt": "rye"}
    faults.script = lambda _: answer({"results": [{**item, "metadata": both}]})
    _, found = await named.call("POST", "/v3/memories/", {"filters": {"user_id": "u-1"}})
    assert found["results"][0]["metadata"] == both


async def test_an_update_replaces_the_same_key(named: Plane, faults: FaultStore) -> None:
    """Tokens are stable, so an update of a key reaches the key that the store has."""
    faults.script = lambda _: added()
    await named.call("POST", ADD, body({"Bo Lindt": "kiwi"}))
    before = list(sent(faults))
    faults.script = lambda _: answer({"message": "ok"})
    path = "/v1/memories/11111111-1111-4111-8111-111111111111/"
    await named.call("PUT", path, {"metadata": {"Bo Lindt": None}})
    assert list(sent(faults)) == before
