"""``expunge dev`` stopped and started again on the same folder, also after a kill."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from mem0 import MemoryClient
from qdrant_client import QdrantClient, models

from tests.support.dev import COMMAND, Dev, expunge, running_dev

pytestmark = pytest.mark.slow


def connect(dev: Dev) -> MemoryClient:
    """The unchanged client of Mem0."""
    return MemoryClient(api_key=dev.client_key, host=dev.data_url)


def come_back_in_files(folder: Path, name: str) -> None:
    """Put a name into the entity index of a store that is stopped, as a backup would."""
    client = QdrantClient(path=str(folder / "store" / "qdrant"))
    size = client.get_collection("memories_entities").config.params.vectors.size
    row = "10000000-0000-4000-8000-000000000000"
    payload = {"data": name, "user_id": "somebody"}
    points = [models.PointStruct(id=row, vector=[1.0] * size, payload=payload)]
    client.upsert("memories_entities", points)
    client.close()


@pytest.mark.timeout(900)  # three starts
def test_second_start_finds_its_data(tmp_path: Path) -> None:
    """Same keys and memories, what was forgotten stays so; without its ledger it ends at once."""
    folder = tmp_path / "data"
    with running_dev(folder, "--tier", "fast") as first:
        client = connect(first)
        for text in ("The gate squeaks on Mondays.", "Orla Quist oils the gate."):
            client.add([{"role": "user", "content": text}], user_id="u-1", infer=False)
        gone = first.expunge("forget", "entity", "Orla Quist", "--confirm", "confirmed")
        assert gone.returncode == 0, gone.stdout + gone.stderr
    assert not (folder / "dev.json").exists()
    come_back_in_files(folder, "Orla Quist")
    again = expunge("reconcile", "--offline", "--dev", str(folder), "--json")
    assert again.returncode == 0, again.stderr
    done = json.loads(again.stdout)
    assert (done["by_row"], done["erased"], done["left"]) == (1, 1, [])
    with running_dev(folder, "--tier", "fast") as second:
        assert (second.client_key, second.admin_token) == (first.client_key, first.admin_token)
        found = connect(second).get_all(filters={"user_id": "u-1"})["results"]
        assert [item["memory"] for item in found] == ["The gate squeaks on Mondays."]
        blocked = second.expunge("blocklist", "check", "ORLA QUIST again")
        assert blocked.stdout.strip() == "blocked"
    for part in (folder / "expunge").glob("ledger.db*"):
        part.unlink()
    third = expunge("dev", "--data-dir", str(folder), "--tier", "structured")
    assert third.returncode == 1
    assert "expunge db accept" in third.stderr
    assert not (folder / "dev.json").exists()


def test_chosen_ports_are_taken(tmp_path: Path, unused_tcp_port_factory: object) -> None:
    """--data-port and --control-port decide the addresses."""
    ports = unused_tcp_port_factory(), unused_tcp_port_factory()  # type: ignore[operator]
    with running_dev(
        tmp_path / "data", "--tier", "structured",
        "--data-port", str(ports[0]), "--control-port", str(ports[1]),
    ) as dev:  # fmt: skip
        assert dev.data_url == f"http://127.0.0.1:{ports[0]}"
        assert dev.control_url == f"http://127.0.0.1:{ports[1]}"


def test_killed_dev_leaves_no_store_behind_and_starts_again(tmp_path: Path) -> None:
    """After kill -9 the store ends with its parent, and the next start works."""
    folder = tmp_path / "data"
    with (
        pytest.raises(AssertionError, match="ended with -9"),
        running_dev(folder, "--tier", "structured") as dev,
    ):
        os.kill(dev.pid, signal.SIGKILL)
    assert (folder / "dev.json").exists()
    with running_dev(folder, "--tier", "structured") as again:
        assert again.pid != dev.pid
        assert again.expunge("tenant", "list").returncode == 0


def test_occupied_port_is_said_plainly(tmp_path: Path) -> None:
    """A taken port: exit 1, no stack trace, no dev.json."""
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        run = subprocess.run(
            [*COMMAND, "dev", "--data-dir", str(tmp_path / "data"), "--data-port", str(port)],
            capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
    assert run.returncode == 1
    assert "Traceback" not in run.stderr
    assert not (tmp_path / "data" / "dev.json").exists()


def test_commands_without_a_running_dev_say_so(tmp_path: Path) -> None:
    """--dev on a folder where nothing runs is a usage error."""
    run = expunge("tenant", "list", "--dev", str(tmp_path))
    assert run.returncode == 2
    assert "dev.json" in run.stderr
