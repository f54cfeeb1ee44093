"""Which installation a command speaks to: what the command line says beats the environment."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from proxy.cli.connection import Given, connectable

ELSEWHERE = {"EXPUNGE_URL": "http://elsewhere.example", "EXPUNGE_TOKEN": "other"}


@click.command()
@connectable
def command(given: Given) -> None:
    """Say whom it would ask, and as whom."""
    connection = given.connect()
    click.echo(f"{connection.url} {connection.token}")


@pytest.fixture
def dev(tmp_path: Path) -> str:
    """A folder as a running ``expunge dev`` leaves it."""
    told = {"control_url": "http://dev.example", "admin_token": "of-dev"}
    (tmp_path / "dev.json").write_text(json.dumps(told))
    return str(tmp_path)


def asked(*arguments: str, **environment: str) -> str:
    """What the command says."""
    return CliRunner(env=environment).invoke(command, arguments).output.strip()


def test_a_folder_on_the_command_line_beats_the_environments_url(dev: str) -> None:
    """A confirmed erasure must not reach another installation than the one that is named."""
    assert asked("--dev", dev, **ELSEWHERE) == "http://dev.example of-dev"
    assert asked("--dev", dev, "--token", "mine", **ELSEWHERE) == "http://dev.example mine"


def test_a_url_on_the_command_line_beats_the_environments_folder(dev: str) -> None:
    """The same the other way round."""
    said = asked("--url", "http://here.example", "--token", "mine", EXPUNGE_DEV=dev)
    assert said == "http://here.example mine"


def test_two_installations_are_refused(dev: str) -> None:
    """Nobody can say which of the two is meant."""
    said = asked("--dev", dev, "--url", "http://here.example", "--token", "mine")
    assert "two installations" in said


def test_the_environment_alone_is_used(dev: str) -> None:
    """Its URL before its folder."""
    assert asked(EXPUNGE_DEV=dev) == "http://dev.example of-dev"
    assert asked(EXPUNGE_DEV=dev, **ELSEWHERE) == "http://elsewhere.example other"
