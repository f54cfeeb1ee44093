"""``expunge blocklist``: who must not come back."""

import sys

import click

from proxy.cli.connection import Connection, connected
from proxy.cli.output import counted, emit, json_option, note, say, table
from proxy.cli.whose import owner_kind_option, whose
from proxy.problems import EXIT_BLOCKED, EXIT_ERROR, EXIT_OK


@click.group()
def blocklist() -> None:
    """Show and change who must not come back; an erasure adds to it by itself.

    \b
    Examples:
      expunge blocklist list
      expunge blocklist check "Alva Brenn called"
    """


@blocklist.command("list")
@json_option
@connected
def list_(connection: Connection, as_json: bool) -> None:
    """List blocked subjects, as opaque groups: what asked for each, and by what it is known.

    The forms are kinds of keys: 'name' a whole name, 'joined' one written as one word, 'initials'
    and others short forms, 'owner' and 'place' owner ids. 'expunge erasure show REFERENCE' tells
    more of an erasure.

    \b
    Example:
      expunge blocklist list
    """
    found = connection.get("/v1/blocklist")
    if as_json:
        emit(found)
        return
    columns = ("id", "kind", "forms", "reference", "target", "reason", "created_at")
    listed = [{**item, "forms": counted(item["forms"])} for item in found["items"]]
    table(columns, [[item[column] for column in columns] for item in listed])


@blocklist.command("add")
@click.argument("names", nargs=-1)
@click.option("--type", "entity_type", default="person", show_default=True, help="Kind of name.")
@click.option("--owner", metavar="ID", help="Also block this owner id.")
@owner_kind_option()
@json_option
@connected
def add(
    connection: Connection,
    names: tuple[str, ...],
    entity_type: str,
    owner: str | None,
    owner_kind: str | None,
    as_json: bool,
) -> int:
    """Block all names of a subject, an owner id, or both.

    \b
    Example:
      expunge blocklist add "Alva Brenn" alva.brenn@example.org
    """
    body = {"names": list(names), "type": entity_type, **whose(owner, owner_kind)}
    done = connection.post("/v1/blocklist", body)
    if as_json:
        emit(done)
    else:
        say(done["id"])
    for position in done["refused"]:
        note(f"Name {position + 1} is too common or too short to block.")
    return EXIT_ERROR if done["refused"] else EXIT_OK


@blocklist.command("remove")
@click.argument("group_id")
@click.option("--consent", required=True, help="Reference of the consent that was given anew.")
@json_option
@connected
def remove(connection: Connection, group_id: str, consent: str, as_json: bool) -> None:
    """Let a subject be remembered again.

    Of what an erasure blocked all is lifted, whichever of its groups is named.

    \b
    Example:
      expunge blocklist remove blk_01jd… --consent C-2026-17
    """
    done = connection.delete(f"/v1/blocklist/{group_id}", {"consent": consent})
    if as_json:
        emit(done)
    else:
        say(f"{group_id}: lifted, {done['lifted']} keys in all")


@blocklist.command("check")
@click.argument("text", required=False)
@click.option("--owner", metavar="ID", help="Owner id it would be kept under.")
@owner_kind_option()
@json_option
@connected
def check(
    connection: Connection,
    text: str | None,
    owner: str | None,
    owner_kind: str | None,
    as_json: bool,
) -> int:
    """Say whether a text (or standard input) mentions somebody blocked; exit 6 if it does.

    \b
    Example:
      expunge blocklist check "Alva Brenn called"
    """
    body = {"text": text or sys.stdin.read(), **whose(owner, owner_kind)}
    found = connection.post("/v1/blocklist/check", body)
    if as_json:
        emit(found)
    else:
        say("blocked" if found["blocked"] else "not blocked")
    return EXIT_BLOCKED if found["blocked"] else EXIT_OK
