"""A running ``expunge dev``: the real command in its own process, on a folder of the test."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COMMAND = [sys.executable, "-P", "-c", "from proxy.cli import main; main()"]
START_SECONDS, STOP_SECONDS, RUN_SECONDS = 180, 60, 120


@dataclass(frozen=True, slots=True)
class Dev:
    """The folder of a running ``expunge dev`` and what its dev.json says."""

    folder: Path
    data_url: str
    control_url: str
    client_key: str
    admin_token: str
    store_dir: Path
    state_dir: Path
    pid: int

    def expunge(
        self, *arguments: str, given: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command against it."""
        return expunge(*arguments, "--dev", str(self.folder), given=given)


def expunge(*arguments: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run ``expunge`` to its end, without connection settings from outside."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("EXPUNGE_")}
    return subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, check=False, input=given,
        timeout=RUN_SECONDS, env=environment,
    )  # fmt: skip


@contextmanager
def running_dev(folder: Path, *arguments: str) -> Iterator[Dev]:
    """Start ``expunge dev`` on a folder, wait until it is ready, stop it with SIGTERM."""
    log = folder.with_suffix(".log").open("a")
    process = subprocess.Popen(
        [*COMMAND, "dev", "--data-dir", str(folder), *arguments],
        stdout=log, stderr=log, env=os.environ | {"MEM0_TELEMETRY": "False"},
    )  # fmt: skip
    try:
        yield _ready(folder, process)
    finally:
        process.send_signal(signal.SIGTERM)
        code = process.wait(STOP_SECONDS)
        log.close()
    assert code == 0, f"expunge dev ended with {code}"


def _ready(folder: Path, process: "subprocess.Popen[bytes]") -> Dev:
    deadline = time.monotonic() + START_SECONDS
    while (found := _read(folder / "dev.json")).get("pid") != process.pid:
        assert process.poll() is None, folder.with_suffix(".log").read_text()
        assert time.monotonic() < deadline, "expunge dev did not become ready"
        time.sleep(0.1)
    for name in ("store_dir", "state_dir"):
        found[name] = Path(found[name])
    return Dev(folder, **found)


def _read(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text())) if path.exists() else {}
