"""Needles in text, in bytes and in whole directories."""

import io
import json
import pickle
import sqlite3
from pathlib import Path

import pytest

from proxy.upstreams.layers import LayerScope, LayerUnavailable, files
from proxy.upstreams.layers.files import FilesLayer
from proxy.upstreams.layers.grep import ByteNeedles
from proxy.upstreams.layers.needles import Needles

WORDS = [
    ("Ann", "Ann's tea", 1), ("Ann", "Anna and the channel", 0), ("Ann", "ANN; ann.", 2),
    ("Ann", "Mary-Ann", 1), ("u-1", "owner u-1.", 1), ("u-1", "owner u-10 and xu-1", 0),
    ("TKT-100", "TKT-100, TKT-1000, TKT-100-2", 1),
    ("smith@example.org", "alice.smith@example.org", 0),
    ("smith@example.org", "write smith@example.org.", 1),
    ("Zoë", "ZOË Zoe\u0308", 2), ("Zo", "Zoë", 0), ("山田", "山田さんは元気", 1),
    ("Person_7f3a2c", "Person_7f3a2c_2", 0), ("Person_7f3a2c", "«Person_7f3a2c»", 1),
    ("Straße 5", "STRASSE 5", 1),
]  # fmt: skip


@pytest.mark.parametrize(("needle", "text", "expected"), WORDS)
def test_whole_words_in_text(needle: str, text: str, expected: int) -> None:
    """A needle matches in any case as itself, never as a part of a longer word."""
    assert Needles([needle]).count(text) == expected
    assert Needles([needle]).found_in(text) is (expected > 0)


@pytest.mark.parametrize(("needle", "text", "expected"), [row for row in WORDS
                                                          if row[0] != "Straße 5"])  # fmt: skip
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_whole_words_in_bytes(needle: str, text: str, expected: int, encoding: str) -> None:
    """The same holds in the bytes of every encoding that databases and logs use."""
    assert ByteNeedles([needle]).count_bytes(text.encode(encoding)) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(json.dumps({"t": "Zoë Löv"}).encode(), 1, id="json escapes"),
        pytest.param(json.dumps({"t": "Zoë Löv"}).upper().encode(), 1, id="json upper hex"),
        pytest.param(b"GET /x?q=Zo%C3%AB%20L%C3%B6v", 1, id="percent"),
        pytest.param(pickle.dumps({"data": "Zoë Löv"}), 1, id="pickle"),
        pytest.param(pickle.dumps({"data": "Zoë Löv" + "." * 90}), 1, id="length byte a letter"),
        pytest.param("metZoë LövADD".encode(), 1, id="columns touching"),
        pytest.param("Zoë Lövgren".encode(), 0, id="longer name"),
        pytest.param("xzoë löv".encode(), 0, id="tail of a word"),
        pytest.param(b"", 0, id="nothing"),
    ],
)
def test_forms_in_bytes(content: bytes, expected: int) -> None:
    """Escaped, pickled and unseparated forms are found; other words are not."""
    assert ByteNeedles(["Zoë Löv"]).count_bytes(content) == expected


@pytest.mark.parametrize("block", [7, 64, 1000])
def test_blocks_do_not_hide_or_double_matches(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the block size, each occurrence is counted once."""
    monkeypatch.setattr("proxy.upstreams.layers.grep.BLOCK_BYTES", block)
    content = b"".join(b"%d Orla Quist, " % number + b"." * number for number in range(120))
    assert ByteNeedles(["Orla Quist"]).count(io.BytesIO(content)) == 120


def test_no_needles_find_nothing() -> None:
    """Blank needles are no needles."""
    assert ByteNeedles(["", " "]).count_bytes(b"anything at all") == 0
    assert not Needles(["", " "])
    assert Needles([]).count("anything") == 0


async def test_files_by_name(tmp_path: Path) -> None:
    """Every file with a match is named with its count; links are not followed."""
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "app.log").write_text("Orla Quist\norla quist", "utf-8")
    (tmp_path / "clean.txt").write_text("nobody", "utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "logs" / "app.log")
    layer, scope = FilesLayer(tmp_path), LayerScope(needles=("Orla Quist",))
    assert await layer.per_file(scope) == {"logs/app.log": 2}
    assert await layer.count(scope) == 2
    assert await layer.delete(scope) == 0


async def test_a_value_scattered_over_pages_is_found(tmp_path: Path) -> None:
    """A long value lies on several pages, split anywhere; it is still found in its row."""
    path = tmp_path / "a.sqlite"
    text = ("x" * 1017 + " Orla Quist ") * 60
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA page_size=512")
        connection.execute("CREATE TABLE t (a TEXT, b BLOB)")
        connection.execute("INSERT INTO t VALUES (?, ?)", (text, text.encode()))
    connection.close()
    assert ByteNeedles(["Orla Quist"]).count_bytes(path.read_bytes()) < 120
    assert await FilesLayer(tmp_path).count(LayerScope(needles=("Orla Quist",))) == 120


async def test_text_of_touching_columns_is_found(tmp_path: Path) -> None:
    """Two columns lie side by side in the file without a separator."""
    with sqlite3.connect(tmp_path / "a.sqlite") as connection:
        connection.execute("CREATE TABLE t (a TEXT, b TEXT, c TEXT)")
        connection.execute("INSERT INTO t VALUES ('saw ann', 'bob', 'left')")
    connection.close()
    assert await FilesLayer(tmp_path).count(LayerScope(needles=("Bob", "Ann"))) == 2


async def test_deleted_pages_are_looked_at(tmp_path: Path) -> None:
    """A row deleted without overwriting is found although no table has it."""
    with sqlite3.connect(tmp_path / "a.sqlite", isolation_level=None) as connection:
        connection.execute("PRAGMA secure_delete=OFF")
        connection.execute("CREATE TABLE t (a TEXT)")
        connection.execute("INSERT INTO t VALUES ('met Orla Quist there')")
        connection.execute("DELETE FROM t")
    connection.close()
    assert await FilesLayer(tmp_path).count(LayerScope(needles=("Orla Quist",))) == 1


async def test_a_missing_directory_is_unreachable(tmp_path: Path) -> None:
    """No directory is not the same as no match."""
    with pytest.raises(LayerUnavailable) as failure:
        await FilesLayer(tmp_path / "absent").count(LayerScope(needles=("Orla",)))
    assert failure.value.reason_code == "unreachable"


TOLD = [
    pytest.param("Tells that Orla Quist rows home", 0, id="within a longer text"),
    pytest.param("Tells that Orla Quist rows home. Orla Quist rows", 1, id="beside one as well"),
    pytest.param("Tells that Orla Quist rows. Rows home", 1, id="in another one"),
    pytest.param("Orla Quist rows", 1, id="alone"),
]


@pytest.mark.parametrize(("text", "expected"), TOLD)
def test_what_lies_within_a_text_that_stays_does_not_count(text: str, expected: int) -> None:
    """Only there: each other occurrence is one."""
    told = ["Tells that Orla Quist rows home"]
    assert Needles(["Orla Quist rows"], told).count(text) == expected
    for encoding in ("utf-8", "utf-16-le"):
        found = ByteNeedles(["Orla Quist rows"], told).count_bytes(text.encode(encoding))
        assert found == expected


@pytest.mark.parametrize("block", [7, 64, 1000])
def test_blocks_do_not_hide_what_lies_within(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the block size, a longer text is known as a whole."""
    monkeypatch.setattr("proxy.upstreams.layers.grep.BLOCK_BYTES", block)
    content = b"".join(b"%d Tells that Orla Quist rows home. Orla Quist, " % n for n in range(120))
    needles = ByteNeedles(["Orla Quist"], ["Tells that Orla Quist rows home"])
    assert needles.count(io.BytesIO(content)) == 120


@pytest.mark.parametrize("kind", ["", " WITHOUT ROWID"])
def test_a_table_is_read_to_its_end_in_parts(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Whoever writes to the file waits for one part only; here it has two rows."""
    monkeypatch.setattr(files, "ROWS", 2)
    written = [(f"n{number}", f"Note {number}") for number in range(5)]
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE notes (id TEXT PRIMARY KEY, said TEXT){kind}")
    connection.executemany("INSERT INTO notes VALUES (?, ?)", written)
    asked: list[str] = []
    connection.set_trace_callback(asked.append)
    assert list(files._rows("notes", connection)) == written
    assert sum("LIMIT 2" in each for each in asked) == (0 if kind else 4)
    connection.close()
