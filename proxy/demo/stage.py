"""The demo's processes: a bare embedded Mem0 and one behind Expunge, each in its own folder."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_START_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Side:
    """One running store: where a client connects, with which key, and where its files are."""

    name: str
    url: str
    key: str
    store_files: Path
    own_files: Path | None = None
    dev_dir: Path | None = None


def command(*arguments: str) -> list[str]:
    """The command line of ``expunge`` in this environment."""
    return [sys.executable, "-P", "-c", "from proxy.cli import main; main()", *arguments]


def expunge(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run one ``expunge`` command to its end and return its output."""
    return subprocess.run(command(*arguments), capture_output=True, text=True, check=False)  # noqa: S603


@contextmanager
def bare(folder: Path) -> Iterator[Side]:
    """A bare Mem0 on loopback."""
    arguments = [
        sys.executable,
        "-P",
        "-m",
        "proxy.embedded",
        "--data-dir",
        str(folder),
        "--port",
        "0",
    ]
    with _running(arguments, folder.with_suffix(".log"), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None  # noqa: S101  (asked for above)
        ready = json.loads(process.stdout.readline())
        yield Side("bare Mem0", ready["url"], ready["api_key"], folder)


@contextmanager
def behind_expunge(folder: Path) -> Iterator[Side]:
    """The same Mem0 behind Expunge, as ``expunge dev`` starts it."""
    with _running(command("dev", "--data-dir", str(folder)), folder.with_suffix(".log")) as process:
        dev = _await_json(folder / "dev.json", process)
        yield Side(
            "behind Expunge",
            dev["data_url"],
            dev["client_key"],
            Path(dev["store_dir"]),
            Path(dev["state_dir"]),
            folder,
        )


@contextmanager
def _running(
    arguments: Sequence[str], log: Path, stdout: int | None = None
) -> Iterator["subprocess.Popen[str]"]:
    environment = os.environ | {"MEM0_TELEMETRY": "False"}
    with log.open("w") as sink:
        process = subprocess.Popen(  # noqa: S603
            arguments, stdout=stdout or sink, stderr=sink, text=True, env=environment
        )
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


def _await_json(path: Path, process: "subprocess.Popen[str]") -> dict[str, Any]:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if path.exists():
            return dict(json.loads(path.read_text()))
        time.sleep(0.1)
    raise RuntimeError("expunge dev did not become ready; see its log in the demo's folder")
