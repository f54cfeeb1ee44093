"""``expunge adopt``, ``scan``, ``reconcile``: work on a whole store."""

from pathlib import Path
from typing import Any

import click

from proxy.cli.connection import Connection, connected
from proxy.cli.output import emit, json_option, note, notes, table
from proxy.cli.scan_page import page
from proxy.problems import EXIT_INCOMPLETE, EXIT_OK

_upstream = click.option("--upstream", help="Name of the store; absent: all.")


def _show(done: dict[str, Any], as_json: bool) -> None:
    if as_json:
        emit(done)
        return
    table(("what", "count"), [[name, _cell(value)] for name, value in done.items()])


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError:
        raise click.UsageError(f"{path} cannot be written") from None
    note(f"Written: {path}")


def _cell(value: Any) -> Any:
    if isinstance(value, dict):
        return ", ".join(f"{key} {count}" for key, count in value.items()) or "none"
    return ", ".join(map(str, value)) or "none" if isinstance(value, list) else value


@click.command()
@_upstream
@json_option
@connected
def adopt(connection: Connection, upstream: str | None, as_json: bool) -> None:
    """Index what a store held before Expunge, so that it can be found and forgotten.

    Running it again goes on where it stopped.

    \b
    Example:
      expunge adopt --upstream mem0
    """
    with notes.status("Reading the store …"):
        done = connection.post("/v1/stores/adopt", {"upstream": upstream})
    _show(done, as_json)


@click.command()
@_upstream
@click.option("--html", "path", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Also write the report as a page for people.")  # fmt: skip
@json_option
@connected
def scan(connection: Connection, upstream: str | None, path: Path | None, as_json: bool) -> int:
    """Report on a store in counts: personal data, special categories, expired, blocked, residue.

    Exit 4 if something of whom was erased or blocked is there ('came_back').

    \b
    Example:
      expunge scan --html scan.html
      expunge scan --json
    """
    with notes.status("Reading the store …"):
        done = connection.post("/v1/stores/scan", {"upstream": upstream})
    _show(done, as_json)
    if path is not None:
        _write(path, page(done))
    return EXIT_INCOMPLETE if done["came_back"] else EXIT_OK


@click.command()
@click.option("--preview", is_flag=True, help="Only say what came back.")
@json_option
@connected
def reconcile(connection: Connection, preview: bool, as_json: bool) -> int:
    """Erase again what a restored backup brought back; exit 4 if something is left.

    \b
    Example:
      expunge reconcile --preview
    """
    with notes.status("Reading the store …"):
        done = connection.post("/v1/stores/reconcile", {"dry_run": preview})
    _show(done, as_json)
    return EXIT_OK if done["complete"] else EXIT_INCOMPLETE
