"""``expunge adopt``, ``scan``, ``reconcile``: work on a whole store."""

import asyncio
import os
from pathlib import Path
from typing import Any

import click

from proxy.cli.connection import (
    Connection,
    Given,
    connectable,
    connected,
    dev_configuration,
)
from proxy.cli.output import counted, emit, json_option, note, notes, table
from proxy.cli.progress import Reading, name_unreachable, name_unread
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
        return counted(value)
    return ", ".join(map(str, value)) or "none" if isinstance(value, list) else value


@click.command()
@_upstream
@json_option
@connected
def adopt(connection: Connection, upstream: str | None, as_json: bool) -> int:
    """Index what a store held before Expunge, so that it can be found and forgotten.

    How far it is stands on standard error, a line a second (JSON lines with --json). Interrupted,
    it goes on where it stopped when it is run again. Exit 4 if one of several stores could not be
    read to its end.

    \b
    Example:
      expunge adopt --upstream mem0
    """
    told = Reading(as_json=as_json)
    done = connection.follow("/v1/stores/adopt", {"upstream": upstream}, told)
    _show(done, as_json)
    return EXIT_INCOMPLETE if name_unreachable(done) else EXIT_OK


@click.command()
@_upstream
@click.option("--html", "path", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Also write the report as a page for people.")  # fmt: skip
@json_option
@connected
def scan(connection: Connection, upstream: str | None, path: Path | None, as_json: bool) -> int:
    """Report on a store in counts: personal data, special categories, expired, blocked, residue.

    Exit 4 if something of whom was erased or blocked is there ('came_back'), or if one of several
    stores could not be read to its end ('unreachable').

    \b
    Example:
      expunge scan --html scan.html
      expunge scan --json
    """
    told = Reading(as_json=as_json)
    done = connection.follow("/v1/stores/scan", {"upstream": upstream}, told)
    _show(done if as_json else {**done, "not_looked_at": [*done["not_looked_at"]]}, as_json)
    if not as_json:
        name_unread(done)
    if path is not None:
        _write(path, page(done))
    unreachable = name_unreachable(done)
    return EXIT_INCOMPLETE if done["came_back"] or unreachable else EXIT_OK


@click.command()
@click.option("--preview", is_flag=True, help="Only say what came back.")
@click.option(
    "--orphans",
    is_flag=True,
    help="Also delete versions of memories that neither the store nor any tenant's ledger knows.",
)
@click.option(
    "--offline",
    is_flag=True,
    help="The store is stopped: look at its files alone, without the service.",
)
@click.option(
    "--config",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The configuration file, with --offline (--dev DIR names that of 'expunge dev').",
)
@json_option
@connectable
def reconcile(
    given: Given, preview: bool, orphans: bool, offline: bool, path: Path | None, as_json: bool
) -> int:  # fmt: skip
    """Erase again what a restored backup brought back; exit 4 if something is left.

    One of several stores that cannot be read to its end is named ('unreachable'): exit 4 as well.
    What a legal hold keeps is counted ('held') and stays until the hold is released: exit 4 too.

    What an embedded store holds in its files (an embedded Qdrant) nobody else can change while it
    runs. Where such rows are left, 'left' says so: stop the store, run this with --offline, start
    the store again.

    A history names no owner. What the store deleted before Expunge knew it can be anybody's, so an
    erasure of an owner leaves it and ends incomplete; --orphans clears it, whoever's it was.
    --preview counts it ('by_orphan').

    \b
    Examples:
      expunge reconcile --preview
      expunge reconcile --orphans
      expunge reconcile --offline --config expunge.yaml
    """
    if offline and orphans:
        raise click.UsageError("--orphans asks the store, so it goes without --offline")
    if offline:
        with notes.status("Reading the files …"):
            done = _offline(given, path, preview)
    else:
        told = Reading(as_json=as_json)
        asked = {"dry_run": preview} | ({"orphans": True} if orphans else {})
        done = given.connect().follow("/v1/stores/reconcile", asked, told)
    apart = {"left", "rewritten"}
    _show({name: value for name, value in done.items() if as_json or name not in apart}, as_json)
    for each in done["rewritten"]:
        note(f"{each['memories']} old texts that {each['reference']} had rewritten are back. They "
             "go as a whole; what was kept of them stays in the rewritten memories, where the "
             "store still has those.")  # fmt: skip
    if done.get("held"):
        note(f"Kept under a legal hold: {done['held']}. They go when it is released.")
    for each in done["left"]:
        note(f"{each['upstream']}: {each['rows']} rows of {each['layer']} are left. "
             f"{each['action']}")  # fmt: skip
    name_unreachable(done)
    return EXIT_OK if done["complete"] else EXIT_INCOMPLETE


def _offline(given: Given, path: Path | None, preview: bool) -> dict[str, Any]:
    """Reconcile in this process, with the ledger and the files that a configuration names."""
    from proxy.app.offline import reconcile_files
    from proxy.config import load

    if path is None and given.dev is not None:
        path = dev_configuration(given.dev)
    if path is None:
        raise click.UsageError("--offline takes --config FILE or --dev DIR")
    config = load(path, os.environ).config
    return asyncio.run(reconcile_files(config, given.tenant, dry_run=preview))
