"""Rows of history and messages that came back alone, as a restored history.db brings them."""

import sqlite3
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from qdrant_client import QdrantClient, models

from proxy.clock import FrozenClock
from proxy.erasure.recheck import METHODS
from proxy.erasure.reconcile import Returned, reconcile, reconcile_offline
from proxy.erasure.scan import scan
from proxy.erasure.search.side_rows import LAYERS
from proxy.erasure.search.target import Target
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.rights.holds import Holds, Keeping
from proxy.tokens.vault import Mention
from proxy.upstreams.binding import connect
from proxy.upstreams.errors import StoreUnavailable
from proxy.upstreams.layers import from_config
from tests.support.erasing import OPERATOR, Erasing, erasing, small_binding
from tests.support.mem0_store import RunningStore, running_store
from tests.support.small_store import SmallLayer

HER = Target(kind="entity", values=("Ylva Torn",), entity_type="PERSON")


@pytest.fixture(scope="module")
def mem0(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStore]:
    """One real store for the module."""
    with running_store(tmp_path_factory.mktemp("mem0-side-rows")) as store:
        yield store


@pytest.fixture
async def bench(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path,
    mem0: RunningStore,
) -> AsyncIterator[Erasing]:  # fmt: skip
    """A service over the real store, its history.db within reach; the tables begin empty."""
    _change(mem0, "DELETE FROM history")
    _change(mem0, "DELETE FROM messages")
    history = {"reach": "side:sqlite", "path": str(mem0.history)}
    vectors = {"reach": "side:qdrant-local", "path": str(mem0.qdrant)}
    layers = from_config(
        {"history": history, "messages": history, "entities": vectors, "vectors": vectors}
    )
    binding = connect("mem0", mem0.url, profiles=["mem0-oss"], key=mem0.api_key, layers=layers)
    yield await erasing(ledger, keyring, tenant_id, clock, tmp_path, [binding.store])
    await binding.close()


def _change(mem0: RunningStore, statement: str, *values: str | None) -> None:
    with sqlite3.connect(mem0.history, timeout=30) as connection:
        connection.execute(statement, values)
    connection.close()


def _version(mem0: RunningStore, memory_id: str, old: str | None, new: str) -> None:
    """Put a version into the history as a backup would."""
    _change(
        mem0,
        "INSERT INTO history (id, memory_id, old_memory, new_memory, event) "
        "VALUES (lower(hex(randomblob(16))), ?, ?, ?, 'ADD')",
        memory_id, old, new,
    )  # fmt: skip


def _message(mem0: RunningStore, scope: str, text: str) -> None:
    _change(
        mem0,
        "INSERT INTO messages (id, session_scope, role, content, created_at) "
        "VALUES (lower(hex(randomblob(16))), ?, 'user', ?, '2026-01-01')",
        scope, text,
    )  # fmt: skip


def _told(mem0: RunningStore) -> list[str]:
    with sqlite3.connect(mem0.history, timeout=30) as connection:
        rows = connection.execute(
            "SELECT old_memory FROM history UNION ALL SELECT new_memory FROM history "
            "UNION ALL SELECT content FROM messages"
        ).fetchall()
    connection.close()
    return sorted(text for (text,) in rows if text)


PLANTED = {
    "a version of the erased memory": ("gone", None, "Something she said"),
    "a version under an unknown id": ("9" * 32, None, "Ylva Torn paints boats"),
    "her first name under an unknown id": ("9" * 32, None, "Ylva paints boats"),
    "her family name under an unknown id": ("9" * 32, None, "Phoned Ms. Torn"),
    "a link under an unknown id": ("9" * 32, None, "See https://x.example/in/ylva%20torn"),
    "a version of a living memory": ("living", None, "The bakery of Ylva Torn opens at six"),
    "what a living memory said before": ("living", "Ylva Torn bakes", "The bakery opens at six"),
    "a message": ("user_id=zz", None, "Phoned Torn, Ylva"),
}


@pytest.mark.parametrize("planted", PLANTED.values(), ids=PLANTED)
async def test_a_row_alone_is_seen_and_goes(
    bench: Erasing, mem0: RunningStore, planted: tuple[str, str | None, str]
) -> None:
    """Recheck, scan and reconcile see it, reconcile takes it away, and what is innocent stays."""
    gone = await bench.remember("u-1", "Ylva Torn paints boats")
    living = await bench.remember("u-1", "The bakery opens at six", mentions=[])
    await bench.remember("u-2", "Likes tea", mentions=[])
    await bench.remember("u-2", "Ylva bakes", known=False)  # nobody knows that she is meant
    view = await bench.forget(HER)
    assert view.state == "complete", view.body()
    _version(mem0, living, None, "Ylva Tornquist opened a bakery")
    _message(mem0, "user_id=zz", "Met Ylvara Torn")
    before = _told(mem0)
    clean = await bench.service.recheck(bench.tenant_id, view.reference, actor=OPERATOR)
    assert (clean.still_absent, clean.body()["not_looked_at"]) == (True, {})
    methods = clean.body()["methods"]
    assert sorted(methods) == [f"mem0/{name}" for name in sorted(METHODS)]
    assert "listing of every owner" in methods["mem0/memory"]
    assert "names in two halves" in methods["mem0/messages"]
    assert all("listing of every owner" not in methods[f"mem0/{each}"] for each in LAYERS)

    where, old, text = planted
    if where.startswith("user_id"):
        _message(mem0, where, text)
    else:
        _version(mem0, {"gone": gone, "living": living}.get(where, where), old, text)
    seen = await bench.service.recheck(bench.tenant_id, view.reference, actor=OPERATOR)
    assert (seen.still_absent, seen.returned, seen.rows.total()) == (False, 1, 1)
    report = (await scan(bench.means, bench.tenant_id)).body()
    rows = [report["side_rows_of_erased"], report["side_rows_naming_someone_blocked"]]
    assert sum(sum(each.values()) for each in rows) == 1
    looked = await _reconcile(bench, dry_run=True)
    assert (looked.by_row, looked.erased, looked.complete) == (1, 0, False)
    done = await _reconcile(bench)
    assert (done.by_row, done.erased, done.complete) == (1, 1, True)
    assert [each for each in _told(mem0) if each != "The bakery opens at six"] == [
        each for each in before if each != "The bakery opens at six"
    ]
    again = await bench.service.recheck(bench.tenant_id, view.reference, actor=OPERATOR)
    assert again.still_absent
    assert await bench.texts("u-1") == ["The bakery opens at six"]


@pytest.mark.parametrize("held", ["u-1", "u-2"], ids=["held", "twin: another is held"])
async def test_rows_of_an_erased_owner_who_is_held_stay(
    bench: Erasing, mem0: RunningStore, held: str
) -> None:
    """A backup brought memory, version and message back; the hold keeps all, and it is told."""
    gone = await bench.remember("u-1", "I paint boats", mentions=[])
    await bench.remember("u-2", "I bake", mentions=[])
    view = await bench.forget(Target(kind="owner", values=("u-1",)))
    assert view.state == "complete", view.body()
    await bench.remember("u-1", "I sell boats", known=False)
    _version(mem0, gone, None, "I paint boats")
    _message(mem0, f"user_id={await bench.upstream_id('u-1')}", "My boat is sold")
    holds = Holds(bench.means, bench.service)
    await holds.hold(
        bench.tenant_id, actor=OPERATOR, keeping=Keeping("legal_claims"), owner=("user", held)
    )
    stays = held == "u-1"
    looked = await _reconcile(bench, dry_run=True)
    assert (looked.held, looked.by_row, looked.complete) == (
        3 if stays else 0,
        0 if stays else 2,
        False,
    )
    seen = await bench.service.recheck(bench.tenant_id, view.reference, actor=OPERATOR)
    assert seen.rows == {"history": 1, "messages": 1}, "it is there, held or not"
    for _ in range(2):
        done = await _reconcile(bench)
        if stays:
            assert (done.held, done.erased, done.complete) == (3, 0, False)
            assert {"I paint boats", "My boat is sold"} <= {*_told(mem0)}
            assert await bench.texts("u-1") == ["I sell boats"]
    if not stays:
        assert (done.held, done.found, done.complete) == (0, 0, True)
        assert not {"I paint boats", "My boat is sold"} & {*_told(mem0)}
        assert await bench.texts("u-1") == []


HALVES = {
    "end and beginning": (["I met Ylva", "Torn was late"], []),
    "longer messages": (["Yesterday I met Ylva", "Torn by the river, and we talked"], []),
    "with a message of another between": (["I met Ylva", "/u-9 Hi", "Torn was late"], ["Hi"]),
    "twin: another family name": (["I met Ylva", "Tornquist was late"], None),
    "twin: not at the edges": (["Ylva met us", "the sail was Torn"], None),
    "twin: another conversation": (["I met Ylva", "/u-9 Torn was late"], None),
}


@pytest.mark.parametrize(("messages", "left"), HALVES.values(), ids=HALVES)
async def test_halves_of_a_name_in_two_messages_go(
    bench: Erasing, mem0: RunningStore, messages: list[str], left: list[str] | None
) -> None:
    """One message ends with the given name, the next of the conversation begins with the other."""
    await bench.remember("u-1", "Ylva Torn paints boats", mentions=[Mention("PERSON", "Ylva Torn")])
    await bench.remember("u-5", "The bakery opens at six", mentions=[])
    for other in ("Ylva Brask", "Odd Torn"):  # so that neither word alone is hers
        await bench.remember("u-9", f"{other} bakes", mentions=[Mention("PERSON", other)])
    for each in messages:
        owner, text = each[1:].split(" ", 1) if each[0] == "/" else ("u-5", each)
        _message(mem0, f"user_id={await bench.upstream_id(owner)}", text)
    view = await bench.forget(HER)
    assert view.state == "complete", view.body()
    given = [each.removeprefix("/u-9 ") for each in messages]
    assert sorted({*given} & {*_told(mem0)}) == sorted(given if left is None else left)


async def test_messages_under_a_chosen_owner_are_seen(bench: Erasing, mem0: RunningStore) -> None:
    """They name nobody: the owner was taken as a whole because it was chosen; another's stay."""
    await bench.remember("user:ylva_torn", "I paint boats", mentions=[])
    await bench.remember("ylva-torn-2", "I bake", mentions=[])
    asked = await bench.forget(HER)
    assert [each.hint for each in asked.candidates] == ["user:ylva_torn", "ylva-torn-2"]
    view = await bench.service.clarify(
        bench.tenant_id, asked.id, owners=["user:ylva_torn"], actor=OPERATOR
    )
    view = await bench.service.confirm(
        bench.tenant_id, view.id, word="confirmed", token=view.token, actor=OPERATOR
    )
    done = await bench.service.run(bench.tenant_id, view.id)
    assert done.state == "complete", done.body()
    assert await bench.texts("ylva-torn-2") == ["I bake"]
    assert await bench.texts("user:ylva_torn") == []
    _message(mem0, f"user_id={await bench.upstream_id('ylva-torn-2')}", "I sell cakes")
    clean = await bench.service.recheck(bench.tenant_id, done.id, actor=OPERATOR)
    assert clean.still_absent
    assert (await scan(bench.means, bench.tenant_id)).came_back == 0
    _message(mem0, f"user_id={await bench.upstream_id('user:ylva_torn')}", "I sell boats")
    seen = await bench.service.recheck(bench.tenant_id, done.id, actor=OPERATOR)
    assert (seen.returned, seen.rows) == (1, {"messages": 1})
    assert (await scan(bench.means, bench.tenant_id)).came_back == 1
    assert (await _reconcile(bench)).erased == 1
    assert [each for each in _told(mem0) if each.startswith("I sell")] == ["I sell cakes"]


async def _reconcile(bench: Erasing, **options: bool) -> Returned:
    return await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR, **options)


async def test_rows_of_another_tenant_are_none_of_ours(
    bench: Erasing, mem0: RunningStore, ledger: Ledger, keyring: KeyRing
) -> None:
    """Beside another tenant, a row of nobody's known owner is neither counted nor deleted."""
    await bench.remember("u-1", "Ylva Torn paints boats")
    view = await bench.forget(HER)
    await ledger.write(lambda tx: keyring.create_tenant(tx, "other"))
    _version(mem0, "8" * 32, None, "Ylva Torn paints boats")
    _message(mem0, "user_id=theirs", "Ylva Torn paints boats")
    seen = await bench.service.recheck(bench.tenant_id, view.reference, actor=OPERATOR)
    assert seen.still_absent
    assert (await _reconcile(bench)).by_row == 0
    assert _told(mem0) == ["Ylva Torn paints boats", "Ylva Torn paints boats"]


async def test_a_layer_nobody_gave_is_named(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path,
    mem0: RunningStore,
) -> None:  # fmt: skip
    """Without a connector the looks say which layers they did not look at."""
    binding = connect("mem0", mem0.url, profiles=["mem0-oss"], key=mem0.api_key)
    bench = await erasing(ledger, keyring, tenant_id, clock, tmp_path, [binding.store])
    report = (await scan(bench.means, bench.tenant_id)).body()
    unread = ("mem0/entities", "mem0/history", "mem0/messages")
    assert report["not_looked_at"] == dict.fromkeys(unread, "no connector")
    await bench.remember("u-1", "Ylva Torn paints boats")
    view = await bench.forget(HER)
    seen = (await bench.service.recheck(bench.tenant_id, view.reference, actor=OPERATOR)).body()
    assert list(seen["methods"]) == ["mem0/memory"]
    assert seen["not_looked_at"] == report["not_looked_at"]
    await binding.close()


SPLIT = {
    "end and beginning": (["I met Ylva", "Torn was late"], 2),
    "twin: another family name": (["I met Ylva", "Tornquist was late"], 0),
    "twin: another conversation": (["I met Ylva", "/zy Torn was late"], 0),
}


@pytest.mark.parametrize(("messages", "count"), SPLIT.values(), ids=SPLIT)
async def test_halves_that_come_back_are_seen(
    bench: Erasing, mem0: RunningStore, messages: list[str], count: int
) -> None:
    """A restored buffer names somebody over two messages: recheck and reconcile know."""
    await bench.remember("u-1", "Ylva Torn paints boats")
    view = await bench.forget(HER)
    for each in messages:
        scope, text = each[1:].split(" ", 1) if each[0] == "/" else ("zz", each)
        _message(mem0, f"user_id={scope}", text)
    seen = await bench.service.recheck(bench.tenant_id, view.reference, actor=OPERATOR)
    assert (seen.returned, seen.rows.total()) == (count, count)
    assert (await _reconcile(bench)).erased == count
    assert {each.removeprefix("/zy ") for each in messages} - {*_told(mem0)} == (
        set(messages) if count else set()
    )


ROW = "10000000-0000-4000-8000-00000000000"


async def test_rows_of_vectors_and_names_come_back_alone(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path,
) -> None:  # fmt: skip
    """Collections put back beside a store that shows none of it: seen, and taken away."""
    path = tmp_path / "qdrant"
    client = QdrantClient(path=str(path))
    size = models.VectorParams(size=2, distance=models.Distance.COSINE)
    for name in ("memories", "memories_entities"):
        client.create_collection(name, size)
    vectors = {"reach": "side:qdrant-local", "path": str(path)}
    layers = from_config({"entities": vectors, "vectors": vectors})
    store, small = small_binding("mem0", **layers)
    bench = await erasing(ledger, keyring, tenant_id, clock, tmp_path, [store], small=small)
    erased = await bench.remember("u-1", "Ylva Torn paints boats")
    await bench.remember("u-2", "The bakery opens at six", mentions=[])
    view = await bench.forget(HER)
    (owner,) = [await bench.upstream_id("u-2")]
    said = {"memories": ["Ylva Torn paints boats", "Ylva Tornquist bakes", "She paints boats"],
            "memories_entities": ["Ylva Torn", "Ylva Tornquist"]}  # fmt: skip
    for name, texts in said.items():
        keys = [f"{ROW}{n}" for n in range(len(texts))]
        keys = [*keys[:2], erased] if len(keys) == 3 else keys
        rows = [
            models.PointStruct(id=key, vector=[1, 0], payload={"data": text, "user_id": owner})
            for key, text in zip(keys, texts, strict=True)
        ]
        client.upsert(name, rows)
    seen = await bench.service.recheck(bench.tenant_id, view.reference, actor=OPERATOR)
    assert (seen.returned, seen.rows) == (3, {"embedding": 2, "entities": 1})
    report = (await scan(bench.means, bench.tenant_id)).body()
    assert report["side_rows_of_erased"] == {"embedding": 1}
    assert report["side_rows_naming_someone_blocked"] == {"embedding": 1, "entities": 1}
    held = await _reconcile(bench)
    assert (held.by_row, held.erased, held.complete) == (3, 0, False)
    still = await reconcile_offline(bench.means, bench.tenant_id)
    for each in (held, still):
        assert [(left.layer, left.rows, left.reason) for left in each.left] == [
            ("embedding", 2, "held_by_the_store"), ("entities", 1, "held_by_the_store"),
        ]  # fmt: skip
        assert all("expunge reconcile --offline" in left.action for left in each.left)
    client.close()
    small.fault = lambda verb, subject: StoreUnavailable()
    seen_first = await reconcile_offline(bench.means, bench.tenant_id, dry_run=True)
    assert (seen_first.by_row, seen_first.erased, seen_first.complete) == (3, 0, False)
    done = await reconcile_offline(bench.means, bench.tenant_id)
    assert (done.by_row, done.erased, done.left, done.complete) == (3, 3, [], True)
    small.fault = lambda verb, subject: None
    left = QdrantClient(path=str(path))
    kept = [point.payload["data"] for name in said for point in left.scroll(name, limit=9)[0]]
    left.close()
    assert kept == ["Ylva Tornquist bakes", "Ylva Tornquist"]
    again = await bench.service.recheck(bench.tenant_id, view.reference, actor=OPERATOR)
    assert again.still_absent


@pytest.mark.parametrize(
    ("text", "gone"),
    [("Ylva Torn paints boats", True), ("Ylva Tornquist bakes", False)],
    ids=["hers", "a namesake's"],
)
async def test_a_vector_that_no_list_shows_goes_by_its_id(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path,
    text: str, gone: bool, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Its file is held by the store, which still has the memory: so the store deletes it."""
    path = tmp_path / "qdrant"
    client = QdrantClient(path=str(path))
    size = models.VectorParams(size=2, distance=models.Distance.COSINE)
    client.create_collection("memories", size)
    layers = from_config({"vectors": {"reach": "side:qdrant-local", "path": str(path)}})
    others = {name: SmallLayer(name) for name in ("history", "messages", "entities")}
    store, small = small_binding("mem0", **{**layers, **others})
    bench = await erasing(ledger, keyring, tenant_id, clock, tmp_path, [store], small=small)
    await bench.remember("u-1", "Ylva Torn sings")
    await bench.remember("u-2", "The bakery opens at six", mentions=[])
    await bench.forget(HER)
    owner = await bench.upstream_id("u-2")
    row = small.plant(text, user_id=owner)
    payload = {"data": text, "user_id": owner}
    client.upsert("memories", [models.PointStruct(id=row, vector=[1, 0], payload=payload)])
    listed = type(small)._scoped
    monkeypatch.setattr(
        small, "_scoped", lambda body: [r for r in listed(small, body) if r["id"] != row]
    )
    deleted = type(small)._delete

    def with_its_vector(memory_id: str) -> object:
        client.delete("memories", [memory_id])
        return deleted(small, memory_id)

    monkeypatch.setattr(small, "_delete", with_its_vector)
    done = await _reconcile(bench)
    client.close()
    assert (done.by_row, done.complete, len(done.references)) == (gone, True, gone)
    assert (row in small.rows) is not gone


@pytest.mark.parametrize("held", ["u-1", "u-2"], ids=["held", "twin: another is held"])
@pytest.mark.parametrize("erased", ["owner", "memory"])
async def test_offline_vectors_under_a_hold_stay(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path,
    held: str, erased: str,
) -> None:  # fmt: skip
    """The store is stopped: its files are judged by the same holds."""
    path = tmp_path / "qdrant"
    size = models.VectorParams(size=2, distance=models.Distance.COSINE)
    layers = from_config({"vectors": {"reach": "side:qdrant-local", "path": str(path)}})
    others = {name: SmallLayer(name) for name in ("history", "messages", "entities")}
    store, small = small_binding("mem0", **{**layers, **others})
    client = QdrantClient(path=str(path))
    client.create_collection("memories", size)
    client.close()
    bench = await erasing(ledger, keyring, tenant_id, clock, tmp_path, [store], small=small)
    row = await bench.remember("u-1", "I paint boats", mentions=[])
    await bench.remember("u-2", "I bake", mentions=[])
    owner = await bench.upstream_id("u-1")
    if erased == "memory":
        await bench.remember("u-1", "I sail", mentions=[])
    target = {"owner": ("u-1",), "memory": (row,)}[erased]
    await bench.forget(Target(kind=erased, values=target))  # type: ignore[arg-type]
    back = small.plant("I paint boats", user_id=owner)
    client = QdrantClient(path=str(path))
    payload = {"data": "I paint boats", "user_id": owner}
    client.upsert("memories", [models.PointStruct(id=row, vector=[1, 0], payload=payload)])
    client.close()
    await Holds(bench.means, bench.service).hold(
        tenant_id, actor=OPERATOR, keeping=Keeping("legal_claims"), owner=("user", held)
    )
    del small.rows[back]
    done = await reconcile_offline(bench.means, tenant_id)
    stays = held == "u-1"
    assert (done.held, done.erased, done.complete) == ((1, 0, False) if stays else (0, 1, True))
    left = QdrantClient(path=str(path))
    assert len(left.scroll("memories", limit=9)[0]) == stays
    left.close()
