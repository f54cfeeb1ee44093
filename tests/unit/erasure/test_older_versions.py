"""What no memory says any more, but an older version of one still does."""

import sqlite3
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from proxy.clock import FrozenClock
from proxy.erasure.plans.plan import Edge, Finding, Rules, decide
from proxy.erasure.reconcile import reconcile
from proxy.erasure.search.target import Target
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.tokens.vault import Mention
from proxy.upstreams.binding import connect
from proxy.upstreams.errors import StoreUnavailable
from proxy.upstreams.layers import from_config
from tests.support.erasing import OPERATOR, Erasing, erasing
from tests.support.mem0_store import RunningStore, running_store

FORMER, NOW = "Otmar Fisk has my key", "The neighbour has my key"
ILL, WELL, ALSO_ILL = (
    "Takes sertraline for depression", "Walks in the park on Sundays",
    "Was diagnosed with diabetes last year",
)  # fmt: skip
BOUGHT, LENT, SOLD = "Bought a blue bicycle", "Lent the blue bicycle", "Sold the blue bicycle"


@pytest.fixture(scope="module")
def mem0(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStore]:
    """One real store for the module."""
    with running_store(tmp_path_factory.mktemp("mem0-versions")) as store:
        yield store


async def _bench(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path,
    mem0: RunningStore, *, connected: bool,
) -> AsyncIterator[Erasing]:  # fmt: skip
    history = {"reach": "side:sqlite", "path": str(mem0.history)}
    vectors = {"reach": "side:qdrant-local", "path": str(mem0.qdrant)}
    sides = {"entities": vectors, "vectors": vectors, "messages": history}
    if connected:
        sides |= {
            "history": history,
            "files": {"reach": "side:files", "path": str(mem0.directory)},
        }
    layers = from_config(sides)
    binding = connect("mem0", mem0.url, profiles=["mem0-oss"], key=mem0.api_key, layers=layers)
    yield await erasing(ledger, keyring, tenant_id, clock, tmp_path, [binding.store])
    await binding.close()


@pytest.fixture
async def bench(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path,
    mem0: RunningStore,
) -> AsyncIterator[Erasing]:  # fmt: skip
    """A service over the real store, its history.db within reach."""
    async for made in _bench(ledger, keyring, tenant_id, clock, tmp_path, mem0, connected=True):
        yield made


@pytest.fixture
async def remote(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path,
    mem0: RunningStore,
) -> AsyncIterator[Erasing]:  # fmt: skip
    """The same where only the store's own history API can be asked."""
    async for made in _bench(ledger, keyring, tenant_id, clock, tmp_path, mem0, connected=False):
        yield made


async def _change(mem0: RunningStore, memory_id: str, text: str) -> None:
    """Update a memory in the store itself: the ledger keeps what it knew, or knows nothing."""
    async with httpx.AsyncClient(base_url=mem0.url, headers=mem0.oss_headers) as client:
        answer = await client.put(f"/memories/{memory_id}", json={"text": text})
        assert answer.status_code == 200, answer.text


def _date(mem0: RunningStore, memory_id: str, *moments: str) -> None:
    """Say when a memory and each of its versions were made, as the store would have."""
    with sqlite3.connect(mem0.history) as connection:
        rows = connection.execute(
            "SELECT rowid FROM history WHERE memory_id = ? ORDER BY rowid", (memory_id,)
        ).fetchall()
        for (rowid,), moment in zip(rows, moments, strict=True):
            connection.execute(
                "UPDATE history SET created_at = ?, updated_at = ? WHERE rowid = ?",
                (moments[0], moment, rowid),
            )
    connection.close()


def _range(since: str, until: str, **limits: Any) -> Target:
    first, end = (datetime.fromisoformat(each).replace(tzinfo=UTC) for each in (since, until))
    return Target(kind="time_range", since=first, until=end, **limits)


async def _bicycle(bench: Erasing, mem0: RunningStore, owner: str, *, known: bool = True) -> str:
    """A memory made in January 2020 that was changed in March and in June."""
    made = await bench.remember(owner, BOUGHT, known=known, mentions=[])
    await _change(mem0, made, LENT)
    await _change(mem0, made, SOLD)
    _date(mem0, made, "2020-01-05T08:00:00+00:00", "2020-03-10T08:00:00+00:00",
          "2020-06-01T08:00:00+00:00")  # fmt: skip
    return made


def _layer(view: object, name: str) -> dict[str, object]:
    return next(each for each in view.body()["layers"] if each["layer"] == name)  # type: ignore[attr-defined]


@pytest.mark.parametrize("known", [True, False], ids=["in the ledger", "strange to the ledger"])
async def test_only_the_old_version_goes(bench: Erasing, mem0: RunningStore, known: bool) -> None:
    """The memory's text of today stays, the rows that name him go, and nothing is residual."""
    owner = f"u-{known}"
    changed = await bench.remember(owner, FORMER, known=known, mentions=[])
    other = await bench.remember(owner, "Met Otmar Fiskerud once", known=known, mentions=[])
    await _change(mem0, changed, NOW)
    await _change(mem0, other, "Met somebody once")
    target = Target(kind="entity", values=("Otmar Fisk",), entity_type="PERSON")
    view = await bench.forget(target)
    assert view.state == "complete", view.body()
    found = _layer(view, "history")
    assert (found["found"], found["erased"], found["residual"]) == (2, 2, 0)
    assert sorted(await bench.texts(owner)) == ["Met somebody once", NOW]
    assert await bench.store.history(changed) == [NOW]
    assert "Met Otmar Fiskerud once" in await bench.store.history(other)


async def test_a_memory_deleted_long_ago_leaves_no_version(
    bench: Erasing, mem0: RunningStore
) -> None:
    """Versions of a memory that neither the ledger nor the store knows any more go as well."""
    gone = await bench.remember("u-7", "Ylva Torn paints boats", known=False)
    async with httpx.AsyncClient(base_url=mem0.url, headers=mem0.oss_headers) as client:
        await client.delete(f"/memories/{gone}")
    view = await bench.forget(Target(kind="entity", values=("Ylva Torn",), entity_type="PERSON"))
    assert view.state == "complete", view.body()
    assert await bench.store.history(gone) == []


async def test_an_owner_whom_anothers_memory_once_named(bench: Erasing, mem0: RunningStore) -> None:
    """A data subject's owner goes, and so does the old version of somebody else's memory."""
    await bench.remember("otmar", "I keep goats on the hill farm")
    theirs = await bench.remember("u-9", "Otmar Fisk keeps goats", mentions=[])
    await _change(mem0, theirs, "Somebody keeps goats")
    target = Target(kind="subject", owner="otmar", values=("Otmar Fisk",), entity_type="PERSON")
    view = await bench.forget(target)
    assert view.state == "complete", view.body()
    assert await bench.texts("otmar") == []
    assert await bench.texts("u-9") == ["Somebody keeps goats"]
    assert await bench.store.history(theirs) == ["Somebody keeps goats"]


@pytest.mark.parametrize("owner", ["u-21", "u-22"], ids=["who knows him", "twin: a stranger"])
async def test_an_older_version_that_bears_a_bare_name(
    bench: Erasing, mem0: RunningStore, owner: str
) -> None:
    """It goes where the whole name is told; a stranger keeps it, today's rows too."""
    name, known = ("Ivo", "Ivo Brandal") if owner == "u-21" else ("Jaro", "Jaro Melnik")
    teller = "u-21" if owner == "u-21" else "u-23"
    person = [Mention("PERSON", known)]
    await bench.remember(teller, f"{known} paints boats", mentions=person)
    changed = await bench.remember(owner, f"{name} likes tea", mentions=[])
    today = await bench.remember(owner, f"{name} likes rye bread", mentions=[])
    await _change(mem0, changed, "Somebody likes tea")
    view = await bench.forget(Target(kind="entity", values=(known,), entity_type="PERSON"))
    assert view.state == "complete", view.body()
    stays = owner != teller
    assert any(name in text for text in await bench.store.history(changed)) is stays
    assert any(name in text for text in await bench.store.history(today)) is stays


async def test_without_a_connector_the_history_is_named(
    remote: Erasing, mem0: RunningStore
) -> None:
    """Where only the API shows the old version, the memory is planned and the layer is named."""
    changed = await remote.remember("u-11", "Edda Lunt fixes clocks", mentions=[])
    plain = await remote.remember("u-11", "Collects stamps of lighthouses", mentions=[])
    await _change(mem0, changed, "Somebody fixes clocks")
    view = await remote.forget(Target(kind="entity", values=("Edda Lunt",), entity_type="PERSON"))
    assert view.state == "incomplete", view.body()
    assert _layer(view, "history")["status"] == "residual"
    assert sorted(await remote.texts("u-11")) == [
        "Collects stamps of lighthouses", "Somebody fixes clocks",
    ]  # fmt: skip
    assert await remote.store.get(plain) is not None
    assert await remote.store.get(changed) is None


@pytest.mark.parametrize(
    ("finding", "action", "cascades"),
    [
        (Finding("a", direct=True, former=True), "regenerate", False),
        (Finding("a", direct=True, former=True, held="litigation"), "hold", False),
        (Finding("a", direct=True), "delete", True),
    ],
    ids=["written anew", "held", "twin: it names him today"],
)
def test_what_a_former_mention_decides(finding: Finding, action: str, cascades: bool) -> None:
    """A memory that only once named somebody is written anew; nothing that derives from it goes."""
    child = Finding("b", edges=(Edge("a", "primary"),))
    decided = decide([finding, child], Rules())
    assert decided[0].action == action
    assert (len(decided) > 1) is cascades


async def test_the_same_words_of_another_owner(bench: Erasing) -> None:
    """What two owners said in the same words is erased for one of them and nobody is blamed."""
    await bench.remember("u-21", "Keeps the bakery open on Sundays", mentions=[])
    await bench.remember("u-22", "Keeps the bakery open on Sundays", mentions=[])
    view = await bench.forget(Target(kind="owner", values=("u-21",)))
    assert view.state == "complete", view.body()
    assert await bench.texts("u-21") == []
    assert await bench.texts("u-22") == ["Keeps the bakery open on Sundays"]


async def test_an_owner_named_like_the_person_leaves_the_list(bench: Erasing) -> None:
    """On the real store the owner is not listed any more, nor is any byte of the name there."""
    bench.store.owner_form = "keep"  # then what other tests left in the history may be hers
    await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR, orphans=True)
    await bench.remember("runa-helle", "Keeps a canoe in the shed", mentions=[])
    await bench.remember("u-31", "Runa Helle keeps a canoe", mentions=[])
    await bench.remember("runa-hellesen", "Keeps a kayak in the shed", mentions=[])
    view = await bench.forget(Target(kind="entity", values=("Runa Helle",), entity_type="PERSON"))
    assert view.state == "complete", view.body()
    listed = {name for _, name in await bench.store.list_owners()}
    assert "runa-helle" not in listed
    assert "runa-hellesen" in listed
    assert set(await bench.texts("runa-hellesen")) == {"Keeps a kayak in the shed"}


@pytest.mark.parametrize("known", [True, False], ids=["in the ledger", "strange to the ledger"])
async def test_an_older_version_of_a_category_goes(
    bench: Erasing, mem0: RunningStore, known: bool
) -> None:
    """Rows of the category go from the owner asked for; the text of today and other rows stay."""
    owner, other = f"u-41-{known}", f"u-42-{known}"
    changed = await bench.remember(owner, ILL, known=known, mentions=[])
    plain = await bench.remember(owner, BOUGHT, known=known, mentions=[])
    theirs = await bench.remember(other, ILL, known=known, mentions=[])
    for memory_id, text in ((changed, WELL), (plain, SOLD), (theirs, WELL)):
        await _change(mem0, memory_id, text)
    view = await bench.forget(Target(kind="category", values=("health",), owner=owner))
    assert view.state == "complete", view.body()
    found = _layer(view, "history")
    assert (found["found"], found["erased"], found["residual"]) == (2, 2, 0)
    assert sorted(await bench.texts(owner)) == [SOLD, WELL]
    assert await bench.store.history(changed) == [WELL]
    assert sorted(await bench.store.history(plain)) == [BOUGHT, BOUGHT, SOLD]
    assert sorted(await bench.store.history(theirs)) == [ILL, ILL, WELL]


async def test_a_category_in_the_whole_tenant(bench: Erasing, mem0: RunningStore) -> None:
    """Every owner's older versions go; what a memory says today is judged with the memory."""
    changed = await bench.remember("u-43", ILL, mentions=[])
    await _change(mem0, changed, WELL)
    kept = await bench.remember("u-44", ALSO_ILL, mentions=[])
    other = await bench.forget(Target(kind="category", values=("political_religious",)))
    assert other.outcome == "nothing_found", other.body()
    assert ILL in await bench.store.history(changed)
    view = await bench.forget(Target(kind="category", values=("health",)))
    assert view.state == "complete", view.body()
    assert await bench.store.history(changed) == [WELL]
    assert await bench.texts("u-44") == await bench.store.history(kept) == [ALSO_ILL]


@pytest.mark.parametrize(
    ("since", "until", "left"),
    [
        ("2020-03-01", "2020-04-01", [BOUGHT, SOLD]),
        ("2020-01-01", "2020-02-01", [LENT, LENT, SOLD]),
        ("2020-06-01", "2020-07-01", [BOUGHT, BOUGHT, LENT]),
        ("2020-04-01", "2020-05-01", [BOUGHT, BOUGHT, LENT, LENT, SOLD]),
    ],
    ids=["the version between", "the first one", "the last one", "twin: none is of then"],
)
@pytest.mark.parametrize("known", [True, False], ids=["in the ledger", "strange to the ledger"])
async def test_a_version_made_in_a_time_range_goes(
    bench: Erasing, mem0: RunningStore, since: str, until: str, left: list[str], known: bool
) -> None:
    """Rows of that time go, and their text from the row after; the text of today stays."""
    owner, other = f"u-51-{since}-{known}", f"u-52-{since}-{known}"
    mine = await _bicycle(bench, mem0, owner, known=known)
    theirs = await _bicycle(bench, mem0, other, known=known)
    view = await bench.forget(_range(since, until, owner=owner))
    assert view.state == "complete", view.body()
    assert await bench.texts(owner) == [SOLD]
    assert sorted(await bench.store.history(mine)) == left
    assert len(await bench.store.history(theirs)) == 5


@pytest.mark.parametrize(
    ("target", "named"),
    [
        (Target(kind="category", values=("health",), owner="u-61"), True),
        (Target(kind="category", values=("political_religious",), owner="u-61"), False),
        (_range("2020-03-01", "2020-04-01", owner="u-61"), True),
        (_range("2020-04-01", "2020-05-01", owner="u-61"), False),
    ],
    ids=["of the category", "twin: of another one", "of that time", "twin: of another time"],
)
async def test_without_a_connector_no_kind_is_silently_complete(
    remote: Erasing, mem0: RunningStore, target: Target, *, named: bool
) -> None:
    """Where only the API shows such a version, the history is residual, and only then."""
    changed = await remote.remember("u-61", ILL, mentions=[])
    await _change(mem0, changed, WELL)
    _date(mem0, changed, "2020-01-05T08:00:00+00:00", "2020-03-10T08:00:00+00:00")
    plain = await remote.remember("u-61", BOUGHT, mentions=[])
    view = await remote.forget(target)
    assert (await remote.store.get(changed) is None) is named
    assert await remote.store.get(plain) is not None
    assert WELL in await remote.texts("u-61")
    if named:
        assert view.state == "incomplete", view.body()
        assert _layer(view, "history")["status"] == "residual"
    else:
        assert view.outcome == "nothing_found", view.body()


async def test_a_store_that_goes_away_is_told_and_waited_for(
    bench: Erasing, mem0: RunningStore, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can say then which versions are old: incomplete, and complete once it is back."""
    await bench.remember("u-71", ALSO_ILL, categories=["health"], mentions=[])
    changed = await bench.remember("u-71", ILL, mentions=[])
    await _change(mem0, changed, WELL)

    async def down(*_: object) -> bool:
        monkeypatch.setattr(bench.store, "get", down)
        raise StoreUnavailable

    monkeypatch.setattr(bench.store, "delete", down)
    view = await bench.forget(Target(kind="category", values=("health",), owner="u-71"))
    assert (view.state, view.certificate_ready) == ("incomplete", False), view.body()
    monkeypatch.undo()
    clock.advance(timedelta(minutes=15))
    await bench.service.run_due()
    again = await bench.service.get(bench.tenant_id, view.reference)
    assert again.state == "complete", again.body()
    assert await bench.store.history(changed) == [WELL]
