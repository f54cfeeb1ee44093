"""``expunge retention``: what has outlived its period."""

import click

from proxy.cli.connection import Connection, connected
from proxy.cli.output import emit, json_option, note, say
from proxy.problems import EXIT_ERROR, EXIT_INCOMPLETE, EXIT_OK


@click.group()
def retention() -> None:
    """Sweep what has outlived its period, end sessions.

    \b
    Examples:
      expunge retention sweep
      expunge retention end-session run-41
    """


@retention.command("sweep")
@click.option("--trust-clock", is_flag=True,
              help="Go on after the clock jumped: you have looked at it.")  # fmt: skip
@json_option
@connected
def sweep(connection: Connection, trust_clock: bool, as_json: bool) -> int:
    """Erase now what has expired ('serve' does it regularly); exit 4 if something is left.

    \b
    Example:
      expunge retention sweep --json
    """
    done = connection.post("/v1/retention/sweep", {"trust_clock": trust_clock})
    if as_json:
        emit(done)
    else:
        say(", ".join(f"{name} {done[name]}" for name in ("erased", "waiting", "held")))
    if done["suspended"]:
        note("The clock jumped, so nothing was erased. Look at it, then use --trust-clock.")
        return EXIT_ERROR
    return EXIT_INCOMPLETE if done["incomplete"] else EXIT_OK


@retention.command("end-session")
@click.argument("owner_id")
@click.option("--owner-kind", type=click.Choice(["user", "agent", "run", "app"]), default="run",
              show_default=True, help="Kind of the id.")  # fmt: skip
@json_option
@connected
def end_session(connection: Connection, owner_id: str, owner_kind: str, as_json: bool) -> None:
    """End a session: what was only for it is unreadable at once and goes with the next sweep.

    \b
    Example:
      expunge retention end-session run-41
    """
    body = {"owner": owner_id, "owner_kind": owner_kind}
    done = connection.post("/v1/sessions/end", body)
    if as_json:
        emit(done)
    else:
        say(f"{done['ended']} memories end with it")
