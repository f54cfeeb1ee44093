"""Mem0's two SQLite tables, changed beside the connection that keeps them open."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from proxy.upstreams.layers import LayerScope, LayerUnavailable, Row, sqlite
from proxy.upstreams.layers.history import HistoryLayer
from proxy.upstreams.layers.messages import MessagesLayer, scope_part
from tests.support.mem0_library import SQLiteManager


@pytest.fixture
def live(tmp_path: Path) -> Iterator[SQLiteManager]:
    """Mem0's own manager with the file open."""
    manager = SQLiteManager(str(tmp_path / "history.db"))
    manager.add_history("m-1", None, "Orla Quist keeps bees", "ADD")
    manager.add_history("m-1", "Orla Quist keeps bees", None, "DELETE", is_deleted=1)
    manager.add_history("m-10", None, "Alva Brenn sails", "ADD")
    yield manager
    manager.close()


@pytest.fixture
def path(live: SQLiteManager) -> Path:
    """The file that the manager keeps open."""
    return Path(live.db_path)


def _holds(path: Path, content: bytes) -> bool:
    """Whether the file, or a journal or log beside it, holds the bytes."""
    return any(content in file.read_bytes() for file in path.parent.iterdir())


async def test_history_goes_by_memory_id(path: Path, live: SQLiteManager) -> None:
    """Versions of the erased memory go, those of an id that only starts alike stay."""
    layer, scope = HistoryLayer(path), LayerScope(memory_ids=("m-1",))
    assert await layer.count(scope) == 2
    assert await layer.delete(scope) == 2
    assert await layer.count(scope) == 0
    assert live.get_history("m-1") == []
    assert len(live.get_history("m-10")) == 1


async def test_history_bytes_are_gone(path: Path) -> None:
    """After a delete the text is not in the file any more, nor in a journal beside it."""
    assert _holds(path, b"keeps bees")
    await HistoryLayer(path).delete(LayerScope(memory_ids=("m-1",)))
    assert not _holds(path, b"keeps bees")


@pytest.mark.parametrize(
    ("where", "rebuilt"), [("nowhere", False), ("as a row of another", True), ("freed", True)]
)
async def test_a_large_file_is_rebuilt_only_if_the_text_is_left(
    path: Path, monkeypatch: pytest.MonkeyPatch, where: str, rebuilt: bool
) -> None:
    """Rebuilding keeps the store from writing, and overwritten rows need none."""
    monkeypatch.setattr(sqlite, "REBUILD_ALWAYS_BYTES", 0)
    with sqlite3.connect(path, isolation_level=None) as careless:
        careless.execute("PRAGMA secure_delete=OFF")
        row = "INSERT INTO history (id, memory_id, new_memory) VALUES ('x', 'm-7', ?)"
        if where != "nowhere":
            careless.execute(row, ("Orla Quist keeps bees",))
        if where == "freed":
            careless.execute("DELETE FROM history WHERE id = 'x'")
        before = careless.execute("PRAGMA schema_version").fetchone()
        await HistoryLayer(path).delete(LayerScope(memory_ids=("m-1",)))
        after = careless.execute("PRAGMA schema_version").fetchone()
    assert (before != after) is rebuilt  # VACUUM raises it
    assert _holds(path, b"keeps bees") is (where == "as a row of another")


@pytest.mark.parametrize("length", [30, 3_000, 30_000])
async def test_long_texts_of_a_large_file_are_overwritten(
    path: Path, live: SQLiteManager, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    """Also where a text lies scattered over pages."""
    monkeypatch.setattr(sqlite, "REBUILD_ALWAYS_BYTES", 0)
    said = " ".join(f"Orla said {n}." for n in range(length // 10))
    live.add_history("m-1", "Orla Quist keeps bees", said, "UPDATE")
    live.add_history("m-1", said, None, "DELETE")
    for n in range(200):
        live.add_history(f"m-{n + 20}", None, f"Note {n} of the day", "ADD")
    pieces = [f"said {n}. Orla".encode() for n in range(length // 10 - 1)]
    assert any(_holds(path, piece) for piece in pieces)
    await HistoryLayer(path).delete(LayerScope(memory_ids=("m-1",)))
    assert [piece for piece in pieces if _holds(path, piece)] == []
    assert len(live.get_history("m-219")) == 1


async def test_rows_deleted_without_overwriting_are_scrubbed(path: Path) -> None:
    """What the owner of the file deleted without secure_delete is gone after our next delete."""
    with sqlite3.connect(path, isolation_level=None) as careless:
        careless.execute("PRAGMA secure_delete=OFF")
        careless.execute("DELETE FROM history WHERE memory_id = 'm-1'")
    careless.close()
    assert _holds(path, b"keeps bees")
    assert await HistoryLayer(path).delete(LayerScope(memory_ids=("m-absent",))) == 0
    assert not _holds(path, b"keeps bees")


async def test_write_ahead_log_is_emptied(path: Path, live: SQLiteManager) -> None:
    """In WAL mode the text does not stay behind in the log."""
    live.connection.execute("PRAGMA journal_mode=WAL")
    live.add_history("m-2", None, "Orla Quist moved to Turku", "ADD")
    await HistoryLayer(path).delete(LayerScope(memory_ids=("m-2",)))
    assert not _holds(path, b"moved to Turku")


async def test_a_locked_file_is_busy_and_nothing_is_deleted(
    path: Path, live: SQLiteManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the store holds a write lock, the layer says busy instead of pretending."""
    monkeypatch.setattr("proxy.upstreams.layers.sqlite.BUSY_SECONDS", 0.05)
    live.connection.execute("BEGIN EXCLUSIVE")
    with pytest.raises(LayerUnavailable) as failure:
        await HistoryLayer(path).delete(LayerScope(memory_ids=("m-1",)))
    live.connection.execute("ROLLBACK")
    assert failure.value.reason_code == "busy"
    assert len(live.get_history("m-1")) == 2


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(None, "unreachable", id="no file"),
        pytest.param(b"this is not a database, it only sits there" * 50, "unreadable", id="other"),
    ],
)
async def test_what_is_no_history_file(tmp_path: Path, content: bytes | None, reason: str) -> None:
    """A wrong path is named as such, never counted as empty."""
    path = tmp_path / "other.db"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(LayerUnavailable) as failure:
        await HistoryLayer(path).count(LayerScope(memory_ids=("m-1",)))
    assert failure.value.reason_code == reason


async def test_history_without_its_table(tmp_path: Path) -> None:
    """A SQLite file of something else is unreadable, not empty."""
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE notes (text)")
    other.close()
    with pytest.raises(LayerUnavailable) as failure:
        await HistoryLayer(path).count(LayerScope(memory_ids=("m-1",)))
    assert failure.value.reason_code == "unreadable"


async def test_more_ids_than_sqlite_takes_as_parameters(path: Path) -> None:
    """An erasure of 40 000 memories is one statement."""
    ids = tuple(f"other-{number}" for number in range(40_000))
    assert await HistoryLayer(path).delete(LayerScope(memory_ids=(*ids, "m-1"))) == 2


MESSAGE_SCOPES = (
    "user_id=acme/7", "agent_id=bot&user_id=acme/7", "run_id=r1&user_id=acme/7",
    "user_id=acme/70", "agent_id=acme/7", "user_id=a%26b%3Dc%25",
)  # fmt: skip


@pytest.mark.parametrize(
    ("owner", "expected"),
    [
        pytest.param(("user", "acme/7"), 3, id="every scope of the user"),
        pytest.param(("user_id", "acme/7"), 3, id="kind as Mem0 names it"),
        pytest.param(("user", "acme/70"), 1, id="longer id"),
        pytest.param(("agent", "acme/7"), 1, id="agent of the same name"),
        pytest.param(("user", "a&b=c%"), 1, id="escaped"),
        pytest.param(("run", "r1"), 1, id="run"),
        pytest.param(("user", "acme"), 0, id="prefix"),
    ],
)
@pytest.mark.parametrize("field", ["owners", "within"])
async def test_messages_go_by_owner(
    path: Path, live: SQLiteManager, owner: tuple[str, str], expected: int, field: str
) -> None:
    """Buffered messages of exactly this owner go, whether it is erased wholly or in part."""
    for scope in MESSAGE_SCOPES:
        live.save_messages([{"role": "user", "content": "Orla Quist keeps bees"}], scope)
    layer = MessagesLayer(path)
    wanted = LayerScope(**{field: (owner,)})
    assert await layer.count(wanted) == expected
    assert await layer.delete(wanted) == expected
    assert await layer.count(wanted) == 0
    users = (("user", "acme/7"), ("user", "acme/70"), ("user", "a&b=c%"))
    everybody = LayerScope(owners=(*users, ("agent", "acme/7")))
    assert await layer.count(everybody) == len(MESSAGE_SCOPES) - expected


def test_scope_part_is_what_mem0_builds() -> None:
    """Our spelling of a scope is the library's own, special characters included."""
    from mem0.memory.main import _build_session_scope

    assert scope_part("user", "a&b=c%/ü") == _build_session_scope({"user_id": "a&b=c%/ü"})


async def test_single_versions_go_by_what_they_say(path: Path, live: SQLiteManager) -> None:
    """A row goes as a whole or loses the text before it; the version after it stays."""
    live.add_history("m-2", None, "Orla Quist has a key", "ADD")
    live.add_history("m-2", "Orla Quist has a key", "Nobody has a key", "UPDATE")
    layer = HistoryLayer(path)
    entries = await layer.entries(0, 100)
    told = {entry.position: entry for entry in entries if entry.memory_id == "m-2"}
    made, changed = (told[position] for position in sorted(told))
    assert changed.texts == {
        "old_memory": "Orla Quist has a key",
        "new_memory": "Nobody has a key",
    }
    scope = LayerScope(
        rows=(Row("history", made.id), Row("history", changed.id, "old_memory"), Row("other", "x"))
    )
    assert await layer.count(scope) == 2
    assert await layer.delete(scope) == 2
    assert await layer.count(scope) == 0
    assert [row["new_memory"] for row in live.get_history("m-2")] == ["Nobody has a key"]
    assert len(live.get_history("m-10")) == 1
    assert not _holds(path, b"has a key\x00Orla")


async def test_entries_are_read_in_pages(path: Path) -> None:
    """Reading on after the last position meets every row once."""
    layer, seen, after = HistoryLayer(path), [], 0
    while page := await layer.entries(after, 2):
        after = page[-1].position
        seen += page
    assert [entry.memory_id for entry in seen] == ["m-1", "m-1", "m-10"]


async def test_single_messages_name_their_owners(path: Path, live: SQLiteManager) -> None:
    """A raw message goes alone, by its own id, and says under whom it was kept."""
    scopes = (("user", "a=1"), ("user", "b"))
    for number, (kind, owner) in enumerate(scopes):
        said = [{"role": "user", "content": f"Orla Quist said {number}"}]
        live.save_messages(said, scope_part(kind, owner))
    layer = MessagesLayer(path)
    entries = await layer.entries(0, 100)
    assert [entry.owners for entry in entries] == [(("user", "a=1"),), (("user", "b"),)]
    scope = LayerScope(rows=(Row("messages", entries[0].id),))
    assert await layer.count(scope) == 1
    assert await layer.delete(scope) == 1
    assert [entry.id for entry in await layer.entries(0, 100)] == [entries[1].id]
