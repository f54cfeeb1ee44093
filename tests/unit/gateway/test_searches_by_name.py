"""A search by a person's name finds what mentions the person, though the store sees tokens only."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

import policies
from proxy.clock import FrozenClock
from proxy.ledger import memories, owners
from proxy.tokens.index.spelling import Name
from tests.support.fault_store import FaultStore, added, answer
from tests.support.gateway import Plane, data_plane, with_section
from tests.support.ledger import START
from tests.support.mem0_store import RunningStore
from tests.unit.gateway.conftest import Opened, renewed

SEARCH = "/v3/memories/search/"
PEOPLE = (
    "Brita Solvang", "Conrad Ellery", "Devika Menon", "Etienne Barrault", "Folake Adeyinka",
    "Gunther Riedl", "Haruka Minami", "Ignacio Fuentes", "Johanna Kessel", "Kieran Doyle",
    "Linnea Ekdahl", "Mateusz Wrona",
)  # fmt: skip
ASKED = ("{0} {1}", "{0}", "What do I know about {0} {1}?", "Who is {0}?")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_people(
    mem0: RunningStore, tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path
) -> AsyncIterator[Plane]:
    """The data plane in front of the real Mem0, with detection of names."""
    folder, clock = tmp_path_factory.mktemp("people"), FrozenClock(START)
    async with data_plane(
        folder, mem0.url, mem0.api_key, sqlite_template, clock, tier="full"
    ) as plane:
        yield plane


@pytest_asyncio.fixture(loop_scope="session")
async def people(shared_people: Plane) -> Plane:
    """Two new tenants in front of the real Mem0; the first knows twelve people."""
    plane = await renewed(shared_people)
    for name in PEOPLE:
        await plane.add(f"{name} likes rye bread.")
    return plane


async def found(plane: Plane, query: str, *, user: str = "u-1", **more: Any) -> list[str]:
    """The texts that a search shows, in order."""
    body = {"query": query, "filters": {"user_id": user}, "top_k": 3, "threshold": 0, **more}
    status, shown = await plane.call("POST", SEARCH, body)
    assert status == 200, shown
    return [each["memory"] for each in shown["results"]]


async def test_every_person_is_found_first_however_asked_for(people: Plane) -> None:
    """By the whole name, by the first name, and in questions; no more than were asked for."""
    for name in PEOPLE:
        for asked in ASKED:
            shown = await found(people, asked.format(*name.split()))
            assert (shown[0], len(shown)) == (f"{name} likes rye bread.", 3), asked


@pytest.mark.parametrize(
    ("path", "body", "number"),
    [
        ("/search", {"user_id": "u-1"}, 12),
        ("/search", {"user_id": "u-1", "top_k": 2}, 2),
        ("/v1/memories/search/", {"user_id": "u-1", "limit": 2}, 2),
        ("/v2/memories/search/", {"filters": {"user_id": "u-1"}}, 10),
        (SEARCH, {"filters": {"user_id": "u-1"}, "top_k": 1}, 1),
    ],
)
async def test_each_dialect_keeps_its_number(
    people: Plane, path: str, body: dict[str, Any], number: int
) -> None:
    """The first is the one who was asked for; the number is the client's, or the store's own."""
    status, shown = await people.call("POST", path, {"query": "Johanna", "threshold": 0, **body})
    listed = shown["results"] if isinstance(shown, dict) else shown
    assert (status, len(listed)) == (200, number)
    assert listed[0]["memory"] == "Johanna Kessel likes rye bread."


async def test_all_who_bear_the_name_come_first(people: Plane) -> None:
    """Two people of one first name; by the whole name the one who bears it."""
    await people.add("Johanna Wiesel plays the cello.")
    both = ["Johanna Kessel likes rye bread.", "Johanna Wiesel plays the cello."]
    assert sorted((await found(people, "Johanna"))[:2]) == both
    assert (await found(people, "Johanna Wiesel"))[0] == both[1]


async def test_who_is_named_together_comes_before_who_is_named_alone(people: Plane) -> None:
    """More of those whom a search names are more of an answer."""
    await people.add("Haruka Minami met Kieran Doyle in Bergen.")
    shown = await found(people, "Did Kieran Doyle and Haruka Minami ever meet?")
    assert shown[0] == "Haruka Minami met Kieran Doyle in Bergen."
    alone = ["Haruka Minami likes rye bread.", "Kieran Doyle likes rye bread."]
    assert sorted(shown[1:]) == alone


async def test_what_else_is_a_token_is_found_as_well(people: Plane) -> None:
    """A health term, a part of an address, a nickname."""
    await people.add("Was told in May that it is asthma.")
    await people.add("Write to t.oakes@post.example about the flat.")
    await people.add("Robert Halvorsen repairs bicycles.")
    for asked, text in (
        ("asthma", "Was told in May that it is asthma."),
        ("Whose is t.oakes@post.example?", "Write to t.oakes@post.example about the flat."),
        ("Did Bob Halvorsen call?", "Robert Halvorsen repairs bicycles."),
    ):
        assert (await found(people, asked))[0] == text


async def test_items_keep_what_the_store_says_of_them(people: Plane) -> None:
    """A score is the store's: the first one may have the smaller."""
    body = {"query": "Brita", "filters": {"user_id": "u-1"}, "top_k": 12, "threshold": 0}
    _, shown = await people.call("POST", SEARCH, body)
    rest = [each["score"] for each in shown["results"][1:]]
    assert rest == sorted(rest, reverse=True)
    assert {type(each["score"]) for each in shown["results"]} == {float}


async def test_nothing_of_another_owner_or_tenant_helps(people: Plane) -> None:
    """Whom only others know is nobody here."""
    await people.add("Petra Novotna teaches the piano.", user="u-2")
    await people.add("Petra Novotna teaches the piano.", tenant="globex")
    for asked in ("Petra Novotna", "Petra"):
        assert "Petra" not in str(await found(people, asked, top_k=50))
    assert await found(people, "Petra", user="u-2") == ["Petra Novotna teaches the piano."]


async def test_who_may_not_be_read_is_not_found(people: Plane) -> None:
    """A restricted memory, and one that names somebody who was erased and is blocked."""
    services, tenant = people.services, people.tenants["acme"]
    memory_id = await people.add("Petra Novotna teaches the piano.")
    assert (await found(people, "Petra"))[0] == "Petra Novotna teaches the piano."
    names = await services.keyring.tenant(tenant)
    ref = memories.ref(names, "mem0", memory_id)

    async def restrict(tx: Any) -> None:
        [row] = (await memories.by_refs(tx, tenant, "mem0", [ref])).values()
        await memories.change(tx, row.id, state="restricted")

    await services.ledger.write(restrict)
    await services.ledger.write(
        lambda tx: services.blocklist.add(tx, tenant, [Name("Brita Solvang")])  # type: ignore[attr-defined]
    )
    for asked in ("Petra", "Petra Novotna", "Brita Solvang", "Brita"):
        shown = str(await found(people, asked, top_k=50))
        assert ("Petra" in shown, "Brita" in shown, "Conrad" in shown) == (False, False, True)


async def test_an_erased_person_is_not_found(people: Plane) -> None:
    """The key of the person is gone: nothing leads from the name to a memory any more."""
    services, tenant = people.services, people.tenants["acme"]
    [named] = await services.vault.named(tenant, [("PERSON", "Conrad Ellery")])
    await services.ledger.write(
        lambda tx: services.vault.erase(tx, tenant, sorted(named))  # type: ignore[attr-defined]
    )
    pairs = await services.ledger.read(lambda tx: owners.of_tenant(tx, tenant))
    said = [("PERSON", "Conrad Ellery"), ("PERSON", "Ellery")]
    assert await services.vault.mentioned(tenant, said, [row.id for row in pairs]) == [{}, {}]
    assert "Conrad" not in str(await found(people, "Conrad Ellery", top_k=50))


async def test_a_reader_gets_no_more_than_the_policy_lets_one_see(opened: Opened) -> None:
    """``read.max_items`` holds after the order was made."""
    change = lambda found: with_section(found, "read", max_items=2)  # noqa: E731
    async with opened(tier="full", change=change) as plane:
        for name in PEOPLE[:5]:
            await plane.add(f"{name} likes rye bread.")
        shown = await found(plane, "Etienne", top_k=4)
    assert (shown[0], len(shown)) == ("Etienne Barrault likes rye bread.", 2)


@pytest_asyncio.fixture(loop_scope="session")
async def knows(named: Plane, faults: FaultStore) -> Plane:
    """A tenant in front of the store of faults that knows three memories, one of a person."""
    for number, text in enumerate(("Brita Solvang likes rye.", "Has a dog.", "Runs on Sundays.")):
        memory_id = f"{number}0000000-0000-4000-8000-000000000000"
        faults.script = lambda _, i=memory_id, t=text: added(i, t)  # type: ignore[misc]
        await named.add(text)
    faults.requests.clear()
    faults.script = lambda _: answer({"results": []})
    return named


ASKED_FOR = {
    # id: the query, what else the client says, what the store is asked for
    "somebody known": ("Brita", {"top_k": 2}, [{"top_k": 3}]),
    "in the store's other word": ("Brita", {"limit": 2}, [{"limit": 3}]),
    "in both": ("Brita", {"limit": 2, "top_k": 2}, [{"limit": 3, "top_k": 3}]),
    "more than there are": ("Brita", {"top_k": 9}, [{"top_k": 9}]),
    "far more than there are": ("Brita", {"top_k": 50000}, [{"top_k": 50000}]),
    "no number": ("Brita", {}, [{}]),
    "two numbers": ("Brita", {"limit": 1, "top_k": 2}, [{"limit": 1, "top_k": 2}]),
    "no such number": ("Brita", {"top_k": "2"}, [{"top_k": "2"}]),
    "each item costs": ("Brita", {"top_k": 2, "rerank": True}, [{"top_k": 2, "rerank": True}]),
    "somebody unknown": ("Kieran", {"top_k": 2}, [{"top_k": 2}]),
    "nobody": ("Which bread?", {"top_k": 2}, [{"top_k": 2}]),
}


@pytest.mark.parametrize(("query", "said", "asked"), ASKED_FOR.values(), ids=ASKED_FOR.keys())
async def test_the_store_is_asked_for_more_only_where_somebody_known_is_named(
    knows: Plane, faults: FaultStore, query: str, said: dict[str, Any], asked: list[Any]
) -> None:
    """For as many as the ledger knows under the owner; never for what costs more by the item."""
    await knows.call("POST", SEARCH, {"query": query, "filters": {"user_id": "u-1"}, **said})
    bodies = [each.json() for each in faults.requests]
    assert [{k: v for k, v in b.items() if k not in ("query", "filters")} for b in bodies] == asked


async def test_whom_another_owner_or_tenant_knows_is_nobody_here(
    knows: Plane, faults: FaultStore
) -> None:
    """The store is asked for as many as the client wants."""
    body = {"query": "Brita Solvang", "top_k": 2}
    await knows.call("POST", SEARCH, {**body, "filters": {"user_id": "u-2"}})
    await knows.call("POST", SEARCH, {**body, "filters": {"user_id": "u-1"}}, tenant="globex")
    assert [each.json()["top_k"] for each in faults.requests] == [2, 2]


async def test_a_store_that_refuses_so_many_is_asked_for_fewer(
    knows: Plane, faults: FaultStore
) -> None:
    """The client hears what the store says to what the client asked."""

    def script(received: Any) -> Any:
        few = received.json()["top_k"] < 3
        return answer({"results": []}) if few else answer({"detail": "too many"}, 422)

    faults.script = script
    body = {"query": "Brita", "filters": {"user_id": "u-1"}, "top_k": 2}
    assert await knows.call("POST", SEARCH, body) == (200, {"results": []})
    assert [each.json()["top_k"] for each in faults.requests] == [3, 2]


async def test_without_tokens_nothing_changes(faults: FaultStore, opened_faulty: Opened) -> None:
    """A policy that leaves names as they are leaves the number as well."""
    plain = policies.load("builtin/dev-observe")
    async with opened_faulty(change=lambda _: plain) as plane:
        for number in range(2):
            memory_id = f"{number}0000000-0000-4000-8000-000000000000"
            faults.script = lambda _, i=memory_id: added(i, "Brita Solvang.")  # type: ignore[misc]
            await plane.add("Brita Solvang.")
        faults.requests.clear()
        await plane.call(
            "POST", SEARCH, {"query": "Brita", "filters": {"user_id": "u-1"}, "top_k": 1}
        )
        assert [each.json()["top_k"] for each in faults.requests] == [1]
