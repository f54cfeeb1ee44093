"""``expunge keys``: epochs of the key-encryption key."""

from pathlib import Path
from typing import Any

import click

from proxy.cli.connection import Connection, connected
from proxy.cli.output import confirm_option, emit, json_option, note, say, table
from proxy.problems import EXIT_ERROR, EXIT_INCOMPLETE, EXIT_OK


@click.group()
def keys() -> None:
    """Show, rotate and destroy key epochs.

    \b
    Examples:
      expunge keys status
      expunge keys rotate
    """


@keys.command("init")
@click.argument("path", type=click.Path(path_type=Path, dir_okay=False))
def init(path: Path) -> int:
    """Make a key file for the provider 'file' ('serve' makes one too when there is none).

    \b
    Example:
      expunge keys init /var/lib/expunge/keys/kek.json
    """
    import asyncio

    from proxy.keys.file import FileKek

    if path.exists():
        note(f"{path} exists; it is left alone.")
        return EXIT_ERROR
    asyncio.run(FileKek(path).wrap(b"first use", b"init"))
    say(str(path))
    return EXIT_OK


@keys.command("status")
@json_option
@connected
def status(connection: Connection, as_json: bool) -> None:
    """Show every epoch, oldest first.

    \b
    Example:
      expunge keys status --json
    """
    found = connection.get("/v1/keys")
    if as_json:
        emit(found)
        return
    columns = ("epoch", "provider", "state", "assurance", "created_at", "destroyed_at", "final_at")
    table(columns, [[item[column] for column in columns] for item in found["items"]])


@keys.command("rotate")
@json_option
@connected
def rotate(connection: Connection, as_json: bool) -> None:
    """Start a new epoch and rewrap every living key; nothing becomes unreadable.

    \b
    Example:
      expunge keys rotate
    """
    _print(connection.post("/v1/keys/rotate"), as_json)


@keys.command("destroy-epoch")
@confirm_option(required=True)
@json_option
@connected
def destroy_epoch(connection: Connection, confirm: str, as_json: bool) -> int:
    """Destroy older epochs at the provider; only then is what was erased crypto-erased.

    Exit 4 if the provider still opens a retired epoch; 0 where there was nothing to destroy.

    \b
    Example:
      expunge keys destroy-epoch --confirm confirmed
    """
    done = connection.post("/v1/keys/destroy-epoch", {"confirm": confirm})
    if not (as_json or done["destroyed"] or done["remaining"]):
        say(f"Nothing to destroy: epoch {done['epoch']} is in use, and no older one is retired.")
        say("Where the provider makes no newer key itself (env), add one first.")
        return EXIT_OK
    _print(done, as_json)
    return EXIT_INCOMPLETE if done["remaining"] else EXIT_OK


def _print(done: dict[str, Any], as_json: bool) -> None:
    if as_json:
        emit(done)
        return
    say(f"Epoch {done['epoch']}, {done['rewrapped']} keys rewrapped")
    if done["assurance"]:
        say(f"Older epochs: {done['assurance']}, {done['destroyed_at'] or 'not destroyed'}")
    for epoch in done["remaining"]:
        say(f"Epoch {epoch} is retired, but the provider still opens it.")
