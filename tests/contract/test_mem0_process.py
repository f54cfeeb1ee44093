"""The embedded store as a process: who may open a directory, and how it ends."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.mem0_store import RunningStore

ROOT = Path(__file__).resolve().parents[2]


def _command(directory: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "proxy.embedded", "--data-dir", str(directory), *arguments]


def test_a_directory_is_opened_once(store: RunningStore) -> None:
    """A second store on the same data ends with a sentence that says why."""
    second = subprocess.run(
        _command(store.directory),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert second.returncode == 1
    assert second.stdout == ""
    assert second.stderr == "Another process has this store open. Stop it first.\n"


@pytest.mark.parametrize("by", ["input", "interrupt"])
def test_it_ends_in_good_order(tmp_path: Path, by: str) -> None:
    """The end of standard input and an interrupt end it with 0, its files closed."""
    arguments = ["--stop-with-input"] if by == "input" else []
    with subprocess.Popen(
        _command(tmp_path, *arguments), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline().startswith(b'{"url": "http://127.0.0.1:')
        if by == "input":
            process.stdin.close()
        else:
            process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
