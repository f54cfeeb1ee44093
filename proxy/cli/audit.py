"""``expunge audit``: check the log, follow it, keep its checkpoints elsewhere."""

import time
from pathlib import Path

import click

from proxy.cli.connection import Connection, connected
from proxy.cli.output import emit, emit_line, json_option, note, say
from proxy.problems import EXIT_OK, EXIT_UNVERIFIED

_PAUSE_SECONDS = 1


@click.group()
def audit() -> None:
    """Check and follow the audit log: a Merkle tree with signed checkpoints.

    \b
    Examples:
      expunge audit verify
      expunge audit export-checkpoint > witness/checkpoint
    """


@audit.command("verify")
@click.option("--checkpoint", "witnessed", type=click.Path(path_type=Path, exists=True),
              help="A checkpoint that was exported earlier and kept elsewhere.")  # fmt: skip
@json_option
@connected
def verify(connection: Connection, witnessed: Path | None, as_json: bool) -> int:
    """Read the whole log and compare it with its signatures; exit 5 if anything is wrong.

    A log that was cut together with its checkpoints is shown by the last one, which Expunge keeps
    outside of the ledger (audit.witness). Only one kept by somebody else shows a log that was
    rewritten as a whole. Where the clock was set back, the log says so: entries dated before those
    that precede them are named then, and nothing is wrong with the log.

    \b
    Example:
      expunge audit verify --checkpoint witness/checkpoint
    """
    note_text = witnessed.read_text("utf-8") if witnessed else None
    report = connection.post("/v1/audit/verify", {"checkpoint": note_text})
    if as_json:
        emit(report)
    else:
        for finding in report["findings"] + report["warnings"]:
            say(finding["message"])
        verdict = "nothing is wrong" if report["valid"] else "NOT VALID"
        say(f"{report['entries']} entries, {report['checkpoints']} checkpoints: {verdict}")
        if report["kept_size"] is not None:
            say(f"Compared with the checkpoint of {report['kept_size']} entries that is kept "
                "outside of the ledger.")  # fmt: skip
    return EXIT_OK if report["valid"] else EXIT_UNVERIFIED


@audit.command("tail")
@click.option("--after", default=None, help="Leaf index to start after; absent: the beginning.")
@click.option("--follow", is_flag=True, help="Go on as entries come.")
@connected
def tail(connection: Connection, after: str | None, follow: bool) -> None:
    """Print entries, one JSON object a line.

    \b
    Example:
      expunge audit tail --follow
    """
    while True:
        page = connection.get("/v1/audit/entries", after=after)
        for entry in page["items"]:
            emit_line(entry)
            after = str(entry["index"])
        if page["next"] is None and not follow:
            return
        if page["next"] is None:
            time.sleep(_PAUSE_SECONDS)


@audit.command("export-checkpoint")
@connected
def export_checkpoint(connection: Connection) -> None:
    """Print the newest signed checkpoint, to be kept where Expunge cannot change it.

    \b
    Example:
      expunge audit export-checkpoint > witness/checkpoint
    """
    say(connection.send("GET", "/v1/audit/checkpoint")[1].decode().rstrip("\n"))
    note("Keep it elsewhere; 'expunge audit verify --checkpoint FILE' compares with it.")


@audit.command("key")
@connected
def key(connection: Connection) -> None:
    """Print the log's public key, for 'expunge verify --public-key'.

    \b
    Example:
      expunge audit key > expunge-audit.vkey
    """
    say(connection.send("GET", "/v1/audit/key")[1].decode().strip())
