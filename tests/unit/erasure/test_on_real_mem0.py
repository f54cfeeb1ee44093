"""The same promises on the real Mem0: its list, its search, its history, its bytes."""

from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from proxy.clock import FrozenClock
from proxy.erasure.reconcile import reconcile, reconcile_offline
from proxy.erasure.scan import scan
from proxy.erasure.search.target import Target
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.rights.holds import Holds, Keeping
from proxy.tokens.vault import Mention
from proxy.upstreams.binding import connect
from proxy.upstreams.layers import from_config
from tests.support.erasing import OPERATOR, Erasing, erasing
from tests.support.mem0_store import RunningStore, running_store


@pytest.fixture(scope="module")
def mem0(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStore]:
    """One real store for the module; every test has owners of its own."""
    with running_store(tmp_path_factory.mktemp("mem0")) as store:
        yield store


@pytest.fixture(params=["mem0-platform", "mem0-oss"])
async def bench(
    request: pytest.FixtureRequest, ledger: Ledger, keyring: KeyRing, tenant_id: str,
    clock: FrozenClock, tmp_path: Path, mem0: RunningStore,
) -> AsyncIterator[Erasing]:  # fmt: skip
    """A service over the real store, by either dialect."""
    history = {"reach": "side:sqlite", "path": str(mem0.history)}
    vectors = {"reach": "side:qdrant-local", "path": str(mem0.qdrant)}
    layers = from_config(
        {
            "history": history, "messages": history, "entities": vectors, "vectors": vectors,
            "files": {"reach": "side:files", "path": str(mem0.directory)},
        }
    )  # fmt: skip
    binding = connect("mem0", mem0.url, profiles=[request.param], key=mem0.api_key, layers=layers)
    yield await erasing(ledger, keyring, tenant_id, clock, tmp_path, [binding.store])
    await binding.close()


def bytes_with(folder: Path, needle: str) -> int:
    """How often a text stands in any file."""
    return sum(
        path.read_bytes().lower().count(needle.lower().encode())
        for path in folder.rglob("*")
        if path.is_file()
    )


async def test_a_person_leaves_no_byte_behind(bench: Erasing, mem0: RunningStore) -> None:
    """After forgetting a person, no file of the store holds the name; others' memories stay."""
    await bench.remember("u-1", "Zelda Quirrell breeds alpacas near Tromso")
    await bench.remember("u-2", "Met Zelda Quirrell at the ceramics fair", known=False)
    await bench.remember("u-2", "Keeps a diary about ceramics")
    assert bytes_with(mem0.directory, "Quirrell") > 0
    view = await bench.forget(
        Target(kind="entity", values=("Zelda Quirrell",), entity_type="PERSON")
    )
    assert view.state == "complete", view.body()
    assert view.deleted == 2
    assert bytes_with(mem0.directory, "Quirrell") == 0
    assert await bench.texts("u-2") == ["Keeps a diary about ceramics"]


async def test_what_identifies_them_in_metadata_leaves_no_byte_behind(
    bench: Erasing, mem0: RunningStore
) -> None:
    """Of a memory that is written anew: what is another's stays."""
    given = {
        "contact": "Zenobia Quarl", "phone": "+44 20 7946 0177",
        "host": {"name": "James Orimoto", "phone": "+44 20 7946 0188"},
    }  # fmt: skip
    await bench.remember("u-81", "James Orimoto met Zenobia Quarl at the fair.", metadata=given)
    assert bytes_with(mem0.directory, "7946 0177") > 0
    target = Target(kind="entity", values=("Zenobia Quarl",), entity_type="PERSON")
    view = await bench.forget(target, keep=("fair",))
    assert view.state == "complete", view.body()
    place = {"user": await bench.upstream_id("u-81")}
    (item,) = [item async for item in bench.store.crawl(place)]
    own = {name: value for name, value in item.metadata.items() if name in given}
    assert item.text == "James Orimoto met a person at the fair."
    assert own == {"host": given["host"]}
    assert bytes_with(mem0.directory, "7946 0177") == 0


WORDS = [
    ("Will", "Will called about the car", ["It will rain in June", "He will come"]),
    ("Art", "Art called about the car", ["Art is expensive", "She paints modern art"]),
    ("Grace", "Grace met me at noon", ["Say grace before dinner"]),
]


@pytest.mark.parametrize(("name", "text", "others"), WORDS, ids=[row[0] for row in WORDS])
async def test_the_word_in_what_stays_is_no_residue(
    bench: Erasing, name: str, text: str, others: list[str]
) -> None:
    """A name that is a word too: complete, though the word stands in files in other forms."""
    owner = f"u-{name}"
    await bench.remember(owner, text, mentions=[Mention("PERSON", name)])
    for other in others:
        await bench.remember(owner, other, mentions=[])
        await bench.remember(f"{owner}-2", other, mentions=[])
    view = await bench.forget(Target(kind="entity", values=(name,), entity_type="PERSON"))
    assert view.state == "complete", view.body()
    assert sorted(await bench.texts(owner)) == sorted(others)


async def test_the_name_of_an_entity_of_another_tenant_is_no_residue(
    bench: Erasing, mem0: RunningStore, ledger: Ledger, keyring: KeyRing
) -> None:
    """The store keeps the name alone as well, once a text is updated; their text says it too."""
    await ledger.write(lambda tx: keyring.create_tenant(tx, "other"))
    theirs = (await bench.store.add({"user": "bolt-1"}, "I work for Norvane in Bergen.", {}))[0]
    async with httpx.AsyncClient(base_url=mem0.url, headers=mem0.oss_headers) as client:
        changed = await client.put(
            f"/memories/{theirs}", json={"text": "I work for Brackwell in Bergen."}
        )
        assert changed.status_code == 200
    await bench.remember("u-70", "I applied to Brackwell last week.",
                         mentions=[Mention("ORGANIZATION", "Brackwell")])  # fmt: skip
    view = await bench.forget(
        Target(kind="entity", values=("Brackwell",), entity_type="ORGANIZATION")
    )
    assert view.state == "complete", view.body()
    assert await bench.texts("u-70") == []
    kept = await bench.store.get(theirs)
    assert kept is not None
    assert kept.text == "I work for Brackwell in Bergen."


LEFT = [
    ("Ole Lund", "Ole Lund called", ["Moved to Lund in 2020.", "Studied at Lund University."]),
    ("Joost Bakker", "Joost Bakker rang", ["De bakker is dicht."]),
    ("Uwe Klein", "Uwe Klein called", ["Das Haus ist klein."]),
    ("Kasimir Feld", "Kasimir Feld called",
     ["We met in Kasimir Feld Street.", "Ein Feld liegt brach."]),
    ("Rose Hill", "Rose Hill called",
     ["We walked up Rose Hill Street.", "A rose on the hill.", "Hill walking is fun."]),
    ("Visa", "Visa hired me", ["My visa expires in May.", "He needs a visa for China."]),
    ("Apple", "Bought Apple stock",
     ["Eats an apple a day.", "Apple pie is best warm.", "Fiona Apple sings well."]),
    ("Bill Short", "Bill Short is my boss", ["The bill is short."]),
    ("Will Power", "Will Power left early", ["It takes will power to stop."]),
    ("Olive Green", "Olive Green rows", ["Green olives are tasty.", "The sofa is olive green."]),
    ("Grace Church", "Grace Church rang", ["We meet at the grace church on Sunday."]),
    ("Marina Santos", "Marina Santos canta aqui", ["Marina dos Santos teaches."]),
    ("Ludwiga van Beethoff", "Ludwiga van Beethoff plays", ["Ludwiga Beethoff hums."]),
    ("Kim Min", "Kim Min sings", ["Kim Min-ji paints."]),
    ("Jean Falkner", "Jean Falkner swims", ["Jean-Luc Falkner paints."]),
    ("Teresa Cruzado", "Teresa Cruzado is here", ["Ma. Teresa Cruzado paints."]),
    ("Anne Frank", "Anne Frank wrote", ["Anne, Frank and Otto came."]),
]  # fmt: skip
FIRMS = frozenset({"Visa", "Apple"})


@pytest.mark.parametrize(("name", "text", "others"), LEFT, ids=[row[0] for row in LEFT])
async def test_what_an_erasure_leaves_stays_when_reconciled(
    bench: Erasing, name: str, text: str, others: list[str]
) -> None:
    """A store keeps texts in small letters and stems as well: they are no texts of their own."""
    owner = f"u-left-{len(name) * len(text)}"
    kind = "ORGANIZATION" if name in FIRMS else "PERSON"
    await bench.remember(owner, text, mentions=[Mention(kind, name)])
    for other in others:
        await bench.remember(owner, other, mentions=[])
    view = await bench.forget(Target(kind="entity", values=(name,), entity_type=kind))
    assert (view.state, view.deleted) == ("complete", 1), view.body()
    hits = await bench.means.blocklist.blocked_mentions(bench.tenant_id, others)
    assert [text for text, found in zip(others, hits, strict=True) if found] == []
    assert sorted(await bench.texts(owner)) == sorted(others)
    back = await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR)
    assert back.found == 0, back.body()
    assert sorted(await bench.texts(owner)) == sorted(others)


async def test_an_owner_of_many_memories_goes_beyond_every_cap(bench: Erasing) -> None:
    """All pages count: 230 memories, 120 of them unknown to the ledger."""
    for number in range(230):
        await bench.remember(
            "u-3", f"Note number {number} on lighthouses", known=number < 110, mentions=[]
        )
    view = await bench.forget(Target(kind="owner", values=("u-3",)))
    assert view.state == "complete", view.body()
    assert view.deleted == 230
    assert await bench.texts("u-3") == []


@pytest.mark.parametrize("blank", ["  ", "\n", "\u00a0"], ids=["spaces", "line", "no-break"])
async def test_a_blank_memory_goes_like_any_other(bench: Erasing, blank: str) -> None:
    """There is nothing to search for then, and the store refuses to: no reason to fail."""
    await bench.remember("u-blank", blank, mentions=[])
    await bench.remember("u-blank", "Likes jasmine tea", mentions=[])
    view = await bench.forget(Target(kind="owner", values=("u-blank",)))
    assert view.state == "complete", view.body()
    assert await bench.texts("u-blank") == []


@pytest.mark.parametrize("kind", ["owner", "owner, past the proxy", "memory"])
async def test_what_is_held_stays_in_every_layer(bench: Erasing, kind: str) -> None:
    """A hold is no residue: the erasure ends as held, and complete once the hold is lifted."""
    kind, _, past = kind.partition(",")
    held = await bench.remember("u-held", "Paid the invoice of May", mentions=[])
    other = await bench.remember("u-held", "Plays the cello", mentions=[], known=not past)
    holds = Holds(bench.means, bench.service)
    which = {"owner": ("user", "u-held")} if kind == "owner" else {"memory_id": held}
    placed = await holds.hold(
        bench.tenant_id, actor=OPERATOR, keeping=Keeping("legal_claims"), **which
    )
    view = await bench.forget(Target(kind="owner", values=("u-held",)))
    assert view.state == "held", view.body()
    kept = {held, other} if kind == "owner" else {held}
    store = bench.means.stores["mem0"]
    assert {each for each in (held, other) if await store.get(each)} == kept
    back = await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR)
    still = await reconcile_offline(bench.means, bench.tenant_id)
    assert (back.by_row, back.erased, still.by_row, still.erased) == (0, 0, 0, 0)
    assert not (await scan(bench.means, bench.tenant_id)).came_back
    assert {each for each in (held, other) if await store.get(each)} == kept
    await holds.lift(bench.tenant_id, placed, actor=OPERATOR)
    found = await bench.service.get(bench.tenant_id, view.id)
    assert found.state == "complete", found.body()
    assert await bench.texts("u-held") == []


async def test_an_erased_text_that_is_written_again_is_named(bench: Erasing) -> None:
    """It is a statement of today, so it stays; the old certificate says that it is there again."""
    memory_id = await bench.remember("u-again", "Keeps three hens in the yard", mentions=[])
    view = await bench.forget(Target(kind="memory", values=(memory_id,)))
    assert view.state == "complete", view.body()
    first = await bench.service.recheck(bench.tenant_id, view.id, actor=OPERATOR)
    await bench.remember("u-again", "keeps three hens in the yard.", known=False)
    seen = await bench.service.recheck(bench.tenant_id, view.id, actor=OPERATOR)
    assert [(each.written_again, each.still_absent) for each in (first, seen)] == [
        (0, True), (1, False),
    ]  # fmt: skip
    back = await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR)
    assert (back.by_text, back.written_again) == (0, 1)
    assert await bench.texts("u-again") == ["keeps three hens in the yard."]
    await bench.forget(Target(kind="owner", values=("u-again",)))


async def test_a_namesake_whom_only_the_store_knows_keeps_every_row(
    bench: Erasing, mem0: RunningStore
) -> None:
    """Memories, versions and vectors of who was not chosen are no return, and no byte of them goes.

    Their own name stands in all of them.
    """
    bench.store.owner_form = "keep"
    said = "My name is Gunda Lill and I carve spoons"
    await bench.remember("gunda-lill-2", said, known=False)
    await bench.remember("gunda-lill-1", "I repair accordions", known=False)
    await bench.remember("u-8", "Met Gunda Lill at the quay", mentions=[])
    target = Target(
        kind="entity", values=("Gunda Lill",), entity_type="PERSON", owners=("gunda-lill-1",)
    )
    kept = bytes_with(mem0.directory, "carve spoons")
    assert kept > 1
    view = await bench.forget(target)
    assert view.state == "complete", view.body()
    assert bytes_with(mem0.directory, "accordions") == bytes_with(mem0.directory, "the quay") == 0
    for dry_run in (True, False):
        back = await reconcile(
            bench.means, bench.service, bench.tenant_id, actor=OPERATOR, dry_run=dry_run
        )
        assert back.found == 0, back.body()
    assert (await bench.service.recheck(bench.tenant_id, view.id, actor=OPERATOR)).still_absent
    assert bytes_with(mem0.directory, "carve spoons") == kept
    assert await bench.texts("gunda-lill-2") == [said]
    await bench.forget(Target(kind="owner", values=("gunda-lill-2",)))


KEPT = "Works as a ropemaker at Quillmark"
MIXED = "Works at Quillmark and earns 8123 euro a month"
KEEPING = {
    # id: how it is asked for
    "owner": {"kind": "owner", "values": ("{owner}",)},
    "time_range": {"kind": "time_range", "owner": "{owner}", "since": True},
    "subject": {"kind": "subject", "values": ("Zelda Quirrell",), "owner": "{owner}"},
}


@pytest.mark.parametrize("kind", KEEPING)
async def test_what_is_kept_stays_and_nothing_else(
    bench: Erasing, mem0: RunningStore, kind: str
) -> None:
    """The employer stays, in a memory of its own; no file has the rest, nor all of it later."""
    owner = f"u-kept-{kind}-{bench.store.profile.name}"
    asked = {name: owner if value == "{owner}" else value for name, value in KEEPING[kind].items()}
    if kind == "owner":
        asked["values"] = (owner,)
    if "since" in asked:
        asked["since"] = bench.means.clock.now() - timedelta(hours=1)
    target = Target(**asked)
    kept = await bench.remember(owner, KEPT, mentions=[])
    await bench.remember(owner, MIXED, mentions=[])
    await bench.remember(owner, "Has asthma and owns a tandem", mentions=[])
    view = await bench.forget(target, keep=("employer",))
    assert (view.state, view.outcome) == ("complete", "partial"), view.body()
    assert sorted(await bench.texts(owner)) == [KEPT, "Works at Quillmark."]
    assert (await bench.store.get(kept)) is not None
    assert (bytes_with(mem0.directory, "8123 euro"), bytes_with(mem0.directory, "tandem")) == (0, 0)
    rest = await bench.forget(target)
    assert (rest.state, rest.outcome) == ("complete", "erased"), rest.body()
    assert await bench.texts(owner) == []
    assert bytes_with(mem0.directory, "Quillmark") == 0
