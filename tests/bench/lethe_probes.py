"""The eight probes against lethe-delete, run with its packages by ``eight_probes.py``.

Started as a script: ``python lethe_probes.py POSTGRESQL_URL DATA_FOLDER``. Prints one JSON object:
probe → whether what it promises held, and what was seen.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
from lethe import Lethe
from lethe.audit import AuditLog
from lethe.connectors.pgvector import PgVectorConnector
from lethe.ledger import Ledger
from lethe.signing import Signer

Found = tuple[bool, str]


class Tool:
    """The tool over two tables of one database, each probe in tables of its own."""

    def __init__(self, url: str, number: int) -> None:
        self.open = psycopg.connect(url)
        self.table, self.second = f"probe_{number}", f"probe_{number}_b"
        for name in (self.table, self.second):
            self.run(f"CREATE TABLE {name} (id text PRIMARY KEY, body text, user_id text)")
        for name in ("lethe_provenance", "lethe_audit", "lethe_retained_ids"):
            self.run(f"DROP TABLE IF EXISTS {name}")
        self.ledger, self.audit = Ledger(self.open), AuditLog(self.open)
        self.ledger.init_schema()
        self.audit.init_schema()
        self.stores: dict[str, Any] = {"one": PgVectorConnector(self.open)}
        self.tool = Lethe(
            ledger=self.ledger, audit=self.audit, signer=Signer.generate(),
            connectors=self.stores, salt="a salt of sixteen characters or more",
        )  # fmt: skip

    def run(self, statement: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """One statement, committed; its rows."""
        with self.open.cursor() as cursor:
            cursor.execute(statement, values)
            rows = cursor.fetchall() if cursor.description else []
        self.open.commit()
        return rows

    def write(self, record: str, body: str, *subjects: str, store: str = "one") -> None:
        """A record tagged for each of its subjects."""
        table = self.table if store == "one" else self.second
        owner = subjects[0] if subjects else "nobody"
        self.run(f"INSERT INTO {table} VALUES (%s, %s, %s)", (record, body, owner))
        for subject in subjects:
            self.tool.tag(subject, store, table, record)

    def left(self, table: str | None = None) -> list[str]:
        """Texts that are still there."""
        return [row[0] for row in self.run(f"SELECT body FROM {table or self.table}")]

    def forget(self, subject: str) -> Any:
        """The certificate, or None where there is none."""
        try:
            return self.tool.forget(subject)
        except Exception:  # noqa: BLE001  (whatever it raises, there is no certificate)
            self.open.rollback()
            return None


class Away:
    """A store that is down."""

    name = "two"

    def delete(self, namespace: str, record_ids: list[str]) -> int:
        """Never answers."""
        raise ConnectionError

    def verify(self, namespace: str, record_ids: list[str]) -> bool:
        """Never answers."""
        raise ConnectionError


def other_form_of_the_id(tool: Tool, _: Path) -> Found:
    """Asked for under the same address in another case."""
    tool.write("r1", "Likes jasmine tea", "alva@example.org")
    tool.forget("Alva@Example.org")
    return not tool.left(), f"{len(tool.left())} of 1 rows left"


def shared_by_two(tool: Tool, _: Path) -> Found:
    """One record of two people: the other keeps hers and can still get a clean certificate."""
    tool.write("r1", "Alva and Tomas plan a trip", "alva", "tomas")
    tool.forget("alva")
    kept = len(tool.left())
    later = tool.forget("tomas")
    clean = later is not None and later.payload["all_verified"]
    return kept == 1 and clean, f"{kept} of 1 kept; the other's certificate is clean: {clean}"


def store_down_midway(tool: Tool, _: Path) -> Found:
    """A second store is down, then back: the retry's certificate counts both."""
    tool.write("r1", "In the first store", "alva")
    tool.write("r2", "In the second store", "alva", store="two")
    tool.stores["two"] = tool.tool.connectors["two"] = Away()
    first = tool.forget("alva")
    tool.stores["two"] = tool.tool.connectors["two"] = PgVectorConnector(tool.open)
    second = tool.forget("alva")
    verified = second is not None and second.payload["all_verified"]
    counted = 0 if second is None else second.payload["records_deleted"]
    return verified and counted == 2, (
        f"certificate at first: {first is not None}; after the retry all verified: {verified}, "
        f"{counted} of 2 records counted"
    )


def written_again(tool: Tool, _: Path) -> Found:
    """The erased person cannot be written again."""
    tool.write("r1", "Likes jasmine tea", "alva")
    tool.forget("alva")
    try:
        tool.write("r2", "Likes jasmine tea", "alva")
    except Exception:  # noqa: BLE001  (a refusal of any kind counts)
        return True, "refused"
    return False, "accepted"


def untagged_summary(tool: Tool, _: Path) -> Found:
    """A summary that names her and was tagged for nobody goes, or the certificate says it stays."""
    tool.write("r1", "Alva Brenn moved to Turku", "alva")
    tool.write("r2", "Summary: Alva Brenn moved")
    found = tool.forget("alva")
    claimed = found is not None and found.payload["all_verified"]
    return not (tool.left() and claimed), f"{len(tool.left())} left; all verified: {claimed}"


def personal_record_id(tool: Tool, _: Path) -> Found:
    """A record id that is itself personal is not kept in clear."""
    tool.write("alva@example.org-0", "Likes jasmine tea", "alva")
    rows = tool.run("SELECT record_id FROM lethe_provenance")
    shown = any("alva@example.org" in row[0] for row in rows)
    return not shown, f"in clear in the tool's own table: {shown}"


def tail_cut(tool: Tool, _: Path) -> Found:
    """The audit's last entry is cut: verification without a pinned head says so."""
    tool.write("r1", "Likes jasmine tea", "alva")
    tool.forget("alva")
    tool.run("DELETE FROM lethe_audit WHERE seq = (SELECT max(seq) FROM lethe_audit)")
    holds = bool(tool.audit.verify_chain())
    return not holds, f"the cut log verifies: {holds}"


def bytes_on_disk(tool: Tool, data: Path) -> Found:
    """Bytes of the erased text in the files: none, or said in the certificate."""
    canary = "quillfeather-" + os.urandom(4).hex()
    tool.write("r1", f"Likes {canary}", "alva")
    found = tool.forget("alva")
    tool.run("CHECKPOINT")
    left = sum(canary.encode() in path.read_bytes() for path in data.rglob("*") if path.is_file())
    claimed = found is not None and found.payload["all_verified"]
    return not (left and claimed), f"in {left} files; all verified: {claimed}"


PROBES: tuple[Callable[[Tool, Path], Found], ...] = (
    other_form_of_the_id, shared_by_two, store_down_midway, written_again, untagged_summary,
    personal_record_id, tail_cut, bytes_on_disk,
)  # fmt: skip


def main(url: str, data: Path) -> None:
    """Run all and print."""
    found = {}
    for number, probe in enumerate(PROBES, start=1):
        held, seen = probe(Tool(url, number), data)
        found[str(number)] = {"probe": probe.__name__, "held": held, "seen": seen}
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
