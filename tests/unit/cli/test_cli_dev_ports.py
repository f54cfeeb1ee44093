"""Ports of ``expunge dev`` that are taken are named before anything is loaded."""

import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from proxy.cli.dev import dev
from proxy.cli.failures import explain
from proxy.config import AddressTaken


@pytest.mark.parametrize("option", ["data", "control"])
def test_a_taken_port_names_the_address_and_the_option(option: str, tmp_path: Path) -> None:
    """At once, with exit 1; no store is started and no credential made."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        run = CliRunner().invoke(dev, ["--data-dir", str(tmp_path), f"--{option}-port", str(port)])
    assert run.exit_code == 1
    assert f"127.0.0.1:{port} is taken" in run.output
    assert f"--{option}-port" in run.output
    assert not (tmp_path / "expunge").exists()


def test_serve_names_the_settings(capsys: pytest.CaptureFixture[str]) -> None:
    """Where the ports are in the file, the file's settings are the hint."""
    explain(AddressTaken("127.0.0.1:8080"))
    said = capsys.readouterr().err
    assert "127.0.0.1:8080" in said
    assert "listen.data" in said
