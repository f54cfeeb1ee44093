"""A worker that cannot serve says why in a sentence."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from proxy.app import worker
from proxy.problems import Problem


async def _sealed(*_: Any) -> None:
    raise Problem("keys-sealed", "The key file cannot be read.", hint="Look for it.")


def test_it_says_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """No traceback: the problem, its hint, and its exit code."""
    telemetry = SimpleNamespace(level="error", format="json")
    loaded = SimpleNamespace(config=SimpleNamespace(telemetry=telemetry))
    monkeypatch.setattr(worker, "load", lambda *_: loaded)
    monkeypatch.setattr(worker.telemetry, "configure", lambda **_: None)
    monkeypatch.setattr(worker, "_run", _sealed)
    numbers = ["--number", "0", "--count", "2", "--data", "3"]
    asked = ["worker", "--config", "x.yaml", "--folder", str(tmp_path), *numbers]
    monkeypatch.setattr(sys, "argv", asked)
    with pytest.raises(SystemExit) as ended:
        worker.main()
    problem = Problem("keys-sealed", "")
    assert ended.value.code == problem.exit_code
    assert capsys.readouterr().err == (
        f"{problem.kind.title}: The key file cannot be read.\n  Look for it.\n"
    )
