"""``expunge audit``: check the log, follow it, keep its checkpoints elsewhere."""

import time
from pathlib import Path
from typing import Any

import click

from proxy.cli.connection import Connection, connected
from proxy.cli.output import counted, emit, emit_line, json_option, note, say, table
from proxy.problems import EXIT_OK, EXIT_UNVERIFIED

_PAUSE_SECONDS = 1


def _period(command: Any) -> Any:
    for option in (
        click.option("--until", metavar="INSTANT", help="End, exclusive: RFC 3339, or a day."),
        click.option("--since", metavar="INSTANT", help="First instant, or a day (UTC)."),
    ):
        command = option(command)
    return command


@click.group()
def audit() -> None:
    """Check and follow the audit log: a Merkle tree with signed checkpoints.

    \b
    Examples:
      expunge audit verify
      expunge audit tail --event memories.deleted --since 2026-05-01
      expunge audit report --since 2026-05-01 --until 2026-06-01
      expunge audit who-deleted 5b0c…
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
@click.option("--event", help="Only this event, such as memories.deleted.")
@click.option("--actor", metavar="ID",
              help="Only by whom an entry names so (a pseudonym), or by this credential (key_…): "
              "of one tenant, so name it where there are several.")  # fmt: skip
@_period
@connected
def tail(connection: Connection, after: str | None, follow: bool, **wanted: str | None) -> None:
    """Print entries, one JSON object a line; with options only those for which all of them hold.

    \b
    Examples:
      expunge audit tail --follow
      expunge audit tail --event memories.deleted --actor key_01jd… --since 2026-05-01
    """
    while True:
        page = connection.get("/v1/audit/entries", after=after, **wanted)
        for entry in page["items"]:
            emit_line(entry)
            after = str(entry["index"])
        after = page["next"] or after
        if page["next"] is None and not follow:
            return
        if page["next"] is None:
            time.sleep(_PAUSE_SECONDS)


@audit.command("report")
@_period
@json_option
@connected
def report(connection: Connection, since: str | None, until: str | None, as_json: bool) -> None:
    """Count the deletions of a period: by type, by whom, by day, with what outcome.

    Types: user_request, retention, cascade (derived from what another one deletes), reconcile (back
    after it had been erased), policy (held too long, over a budget, written again of somebody
    erased), admin (a tenant, what was held for review). Who asked is shown by a pseudonym and the
    role. No content, no names, no ids.

    \b
    Example:
      expunge audit report --since 2026-05-01 --until 2026-06-01 --json
    """
    found = connection.get("/v1/audit/report", since=since, until=until)
    if as_json:
        emit(found)
        return
    begin, end = found["since"] or "the beginning", found["until"] or "now"
    say(f"{found['memories']} memories deleted by {found['erasures']} erasures, from {begin} to "
        f"{end}. Written anew without what was forgotten: {found['rewritten']}; gone before: "
        f"{found['already_gone']}.")  # fmt: skip
    for name in ("types", "outcomes", "days"):
        say(f"{name}: {counted({key: n for key, n in found[name].items() if n})}")
    columns = ("actor", "role", "origin", "memories", "erasures")
    table(columns, [[each[name] for name in columns] for each in found["actors"]])


@audit.command("who-deleted")
@click.argument("memory_id")
@click.option("--upstream", help="Name of the store; absent: all.")
@json_option
@connected
def who_deleted(
    connection: Connection, memory_id: str, upstream: str | None, as_json: bool
) -> None:
    """Tell by whom, when and why a memory was deleted; nothing where it was not.

    The id is the store's. It is looked up by its pseudonym, which the log has.

    \b
    Example:
      expunge audit who-deleted 5b0c…
    """
    asked = {"memory_id": memory_id, "upstream": upstream}
    found = connection.post("/v1/audit/who-deleted", asked)
    if as_json:
        emit(found)
        return
    columns = ("upstream", "deleted_at", "type", "actor", "role", "reference", "entry")
    table(columns, [[each[name] for name in columns] for each in found["items"]])
    if not found["items"]:
        note("No erasure deleted it.")


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
