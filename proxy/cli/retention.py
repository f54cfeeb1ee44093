"""``expunge retention``: what has outlived its period."""

from typing import Any

import click

from proxy.cli.connection import Connection, connected
from proxy.cli.output import emit, json_option, note, say, table
from proxy.cli.whose import owner_kind_option, whose
from proxy.problems import EXIT_ERROR, EXIT_INCOMPLETE, EXIT_OK

_ACTIONS = ["keep_all", "delete", "extend", "apply_defaults", "individual"]


@click.group()
def retention() -> None:
    """Sweep what has outlived its period, ask what is kept of it, end sessions.

    \b
    Examples:
      expunge retention sweep
      expunge retention review --state open
      expunge retention end-session run-41
    """


@retention.command("sweep")
@click.option("--trust-clock", is_flag=True,
              help="Go on after the clock jumped: you have looked at it.")  # fmt: skip
@json_option
@connected
def sweep(connection: Connection, trust_clock: bool, as_json: bool) -> int:
    """Erase now what has expired ('serve' does it regularly); exit 4 if something is left.

    Before that it asks about what ends soon: see 'expunge retention review'.

    \b
    Example:
      expunge retention sweep --json
    """
    done = connection.post("/v1/retention/sweep", {"trust_clock": trust_clock})
    if as_json:
        emit(done)
    else:
        say(", ".join(f"{name} {done[name]}" for name in ("asked", "erased", "waiting", "held")))
    if done["suspended"]:
        note("The clock jumped, so nothing was erased. Look at it, then use --trust-clock.")
        return EXIT_ERROR
    return EXIT_INCOMPLETE if done["incomplete"] else EXIT_OK


@retention.command("review")
@click.option("--owner", metavar="ID", help="Open a review of this owner's memories.")
@owner_kind_option()
@click.option("--state", type=click.Choice(["open", "answered", "lapsed"]),
              help="List only those in this state.")  # fmt: skip
@click.option("--cursor", help="Continue after this point ('next' of the last answer).")
@click.option("--show", "shown_id", metavar="REVIEW", help="Show what this review asks about now.")
@click.option("--answer", "review_id", metavar="REVIEW", help="Answer this review.")
@click.option("--action", type=click.Choice(_ACTIONS), help="What was decided.")
@click.option("--category", "categories", multiple=True, help="Only this category.")
@click.option("--memory", "memory_ids", multiple=True, metavar="ID", help="Only this memory.")
@click.option("--until", metavar="TIME", help="For extend: the new expiry (RFC 3339).")
@json_option
@connected
def review(
    connection: Connection,
    owner: str | None,
    owner_kind: str | None,
    state: str | None,
    cursor: str | None,
    shown_id: str | None,
    review_id: str | None,
    action: str | None,
    categories: tuple[str, ...],
    memory_ids: tuple[str, ...],
    until: str | None,
    as_json: bool,
) -> None:
    """List reviews, show one, open one for an owner, or answer one.

    The sweeper opens one for an owner when the policy says that they are asked (reason expiring):
    it is about what ends soon, says so in words and with dates, and stays open until all of it is
    answered, gone or pinned. One that you open is about all that is kept of an owner and is
    answered once.

    \b
    What an answer does:
      keep_all        Keeps what is asked about for its period once more, within the policy's
                      bounds; with --category, that category. Nothing is deleted.
      delete          Deletes what is asked about; of a review that you opened, what is
                      older than 90 days; with --category, all of that category.
      individual      Deletes what --memory names.
      apply_defaults  Deletes what is past its period.
      extend          Moves the end to --until; with --category, of that category only.

    \b
    Examples:
      expunge retention review --state open
      expunge retention review --show rev_01jd…
      expunge retention review --answer rev_01jd… --action keep_all --category health
      expunge retention review --owner u-17
      expunge retention review --answer rev_01jd… --action delete --category location
    """
    if review_id is not None:
        if action is None:
            raise click.UsageError("an answer takes --action")
        body = {"action": action, "categories": list(categories), "until": until,
                "memory_ids": list(memory_ids)}  # fmt: skip
        done = connection.post(f"/v1/reviews/{review_id}", body)
    elif owner is not None:
        done = connection.post("/v1/reviews", whose(owner, owner_kind))
    elif shown_id is not None:
        done = connection.get(f"/v1/reviews/{shown_id}")
    else:
        done = connection.get("/v1/reviews", state=state, cursor=cursor)
    _print_review(done, as_json)


def _print_review(done: dict[str, Any], as_json: bool) -> None:
    if as_json:
        emit(done)
    elif "items" in done:
        columns = ("id", "subject", "reason", "state", "created_at", "due_at")
        table(columns, [[item[column] for column in columns] for item in done["items"]])
        if done["next"]:
            note(f"More: --cursor {done['next']}")
    else:
        memories = done.pop("memories", [])
        for asked in done.pop("prompts", []):
            say(f"{asked['category'] or 'no category'}, {asked['memories']}: {asked['text']}")
        table(("what", "value"), [[name, value] for name, value in done.items()])
        if memories:
            names = ("id", "categories", "hidden_at", "erased_at")
            table(names, [[item[name] for name in names] for item in memories])


@retention.command("pin")
@click.argument("memory_id")
@click.option("--undo", is_flag=True, help="End the pin: it ends as the policy has it now.")
@json_option
@connected
def pin(connection: Connection, memory_id: str, undo: bool, as_json: bool) -> None:
    """Keep a memory as long as the policy lets its data subject keep it.

    The category's maximum, the sources and the legal maximum stand; an erasure takes it like the
    rest. MEMORY_ID is the store's id, or ours.

    \b
    Example:
      expunge retention pin 0f6c…
    """
    done = connection.post(f"/v1/memories/{memory_id}/pin", {"pinned": not undo})
    if as_json:
        emit(done)
    else:
        ends = done["expires_at"] or "never by itself"
        say(f"{done['id']}: {'no longer pinned' if undo else 'pinned'}, ends {ends}")


@retention.command("end-session")
@click.argument("owner_id")
@owner_kind_option("run")
@json_option
@connected
def end_session(
    connection: Connection, owner_id: str, owner_kind: str | None, as_json: bool
) -> None:
    """End a session: what was only for it is unreadable at once and goes with the next sweep.

    \b
    Example:
      expunge retention end-session run-41
    """
    done = connection.post("/v1/sessions/end", whose(owner_id, owner_kind))
    if as_json:
        emit(done)
    else:
        say(f"Memories that end with it: {done['ended']}")
