"""How failures end a command: a sentence and a hint on standard error, and an exit code."""

import json
from collections.abc import Mapping
from typing import Any

import click

from policies.errors import PolicyError
from proxy.config import AddressTaken, ConfigError
from proxy.problems import EXIT_ERROR, EXIT_INVALID, SLUGS, Problem


class Refused(Exception):
    """The control plane answered with a problem."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        super().__init__(str(body.get("title", "refused")))
        self.body = dict(body)

    @property
    def slug(self) -> str:
        """The last part of the problem's type."""
        return str(self.body.get("type", "")).rpartition(":")[2]


class Unreachable(Exception):
    """The control plane cannot be reached; ``hint`` says what may help."""

    def __init__(self, detail: str, hint: str = "Is it running? See --url, --dev.") -> None:
        super().__init__(detail)
        self.hint = hint


def exit_code_of(error: Exception) -> int:
    """The exit code a failure ends the command with."""
    match error:
        case Problem():
            return error.exit_code
        case Refused():
            return SLUGS[error.slug].exit_code if error.slug in SLUGS else EXIT_ERROR
        case PolicyError() | ConfigError():
            return EXIT_INVALID
        case _:
            return EXIT_ERROR


def explain(error: Exception) -> None:
    """Say what happened and what to do, on standard error; never text of foreign exceptions."""
    match error:
        case Problem():
            _say(error.kind.title, error.detail, error.hint, error.errors)
        case Refused():
            body = error.body
            errors = body.get("errors", ())
            _say(body.get("title", ""), body.get("detail", ""), body.get("hint", ""), errors)
        case PolicyError():
            _lines("The policy is not valid:", map(str, error.errors))
        case ConfigError():
            _lines("The configuration is not valid:", map(str, error.issues))
        case Unreachable():
            _say("Expunge cannot be reached", str(error), error.hint, ())
        case AddressTaken():
            hint = "Stop what listens there, or change listen.data and listen.control."
            _say("The address is taken", str(error.address), hint, ())
        case OSError():
            _say("A file or address cannot be used", error.strerror or type(error).__name__, "", ())
        case _:
            _say("Internal error", type(error).__name__, "Report it with the command.", ())


def _say(title: str, detail: str, hint: str, errors: Any) -> None:
    click.secho(f"{title}: {detail}", fg="red", err=True)
    for line in (f"{item.get('pointer', '')}: {item.get('detail', '')}" for item in errors):
        if not detail.endswith(line):  # a service's detail ends with the first of its errors
            click.echo(f"  {line}", err=True)
    if hint:
        click.echo(f"  {hint}", err=True)


def _lines(title: str, lines: Any) -> None:
    click.secho(title, fg="red", err=True)
    for line in lines:
        click.echo(f"  {line}", err=True)


def problem_of(raw: bytes, status: int) -> Refused:
    """The problem in an answer; an unreadable one becomes a general problem."""
    try:
        body = json.loads(raw)
    except ValueError:
        body = None
    if not isinstance(body, dict) or "type" not in body:
        body = {"title": "Unexpected answer", "detail": f"status {status}", "status": status,
                "hint": "Is this address the control plane of Expunge?"}  # fmt: skip
    return Refused(body)
