"""``expunge quarantine``: what a rule holds for review, and what becomes of it."""

from pathlib import Path
from typing import Any

import click

from proxy.cli.certificates import certificate_dir_option
from proxy.cli.conducted import finish
from proxy.cli.connection import Connection, connected
from proxy.cli.output import confirm_option, emit, json_option, note, say, table
from proxy.cli.subject import ref_of
from proxy.cli.whose import owner_kind_option

_COLUMNS = ("id", "held_since", "ends_at", "rules", "categories", "entities", "subjects")
_OUTCOMES = {"allow": "would let it through", "quarantine": "would hold it again",
             "reject": "would refuse it"}  # fmt: skip


@click.group()
def quarantine() -> None:
    """Review what a policy held: list, show, release, discard.

    \b
    Examples:
      expunge quarantine list
      expunge quarantine show mem_01jd… --text
      expunge quarantine release mem_01jd… --confirm confirmed
    """


@quarantine.command("list")
@click.option("--owner", metavar="ID", help="Only what is kept under this owner id.")
@owner_kind_option()
@click.option("--cursor", help="Continue after this point ('next' of the last answer).")
@json_option
@connected
def list_(
    connection: Connection,
    owner: str | None,
    owner_kind: str | None,
    cursor: str | None,
    as_json: bool,
) -> None:
    """List what waits for a review, oldest first, without content.

    ends_at is when it is erased if nobody decides (poisoning.release_after of the policy).

    \b
    Example:
      expunge quarantine list --owner u-17
    """
    subject = None if owner is None else ref_of(connection, owner, owner_kind)
    page = connection.get("/v1/quarantine", subject=subject, cursor=cursor)
    if as_json:
        emit(page)
        return
    table(_COLUMNS, [[_cell(item[name]) for name in _COLUMNS] for item in page["items"]])
    if page["next"]:
        note(f"More: --cursor {page['next']}")


@quarantine.command("show")
@click.argument("memory_id")
@click.option("--text", is_flag=True, help="With its text in clear; the audit log notes it.")
@json_option
@connected
def show_(connection: Connection, memory_id: str, text: bool, as_json: bool) -> None:
    """Show one of them, and what the active policy would make of it now.

    MEMORY_ID is the id that 'quarantine list' shows, or the store's own.

    \b
    Example:
      expunge quarantine show mem_01jd… --text
    """
    query = {"text": "true"} if text else {}
    found = connection.get(f"/v1/quarantine/{memory_id}", **query)
    if as_json:
        emit(found)
        return
    now, said = found.pop("now"), found.pop("text", None)
    table(("what", "value"), [[name, _cell(value)] for name, value in found.items()])
    changed = ", with its text changed" if now["changes_text"] else ""
    by = now["held_by"] or (now["rules"] if now["decision"] == "reject" else [])
    rules = f" ({', '.join(by)})" if by else ""
    say(f"The active policy {_OUTCOMES[now['decision']]}{changed}{rules}.")
    if said is not None:
        say(f"Text: {said}")


@quarantine.command("release")
@click.argument("memory_id")
@confirm_option("'confirmed': also what the active policy would hold again.")
@json_option
@connected
def release(connection: Connection, memory_id: str, confirm: str | None, as_json: bool) -> None:
    """Let a memory out of review; from then on it is read as any other.

    The active policy decides about it anew: what it lets through is released, what it would hold
    again takes --confirm confirmed, what it would refuse is not released at all.

    \b
    Examples:
      expunge quarantine release mem_01jd…
      expunge quarantine release mem_01jd… --confirm confirmed
    """
    body = {} if confirm is None else {"confirm": confirm}
    done = connection.post(f"/v1/quarantine/{memory_id}/release", body)
    if as_json:
        emit(done)
        return
    override = ", against the active policy" if done["overridden"] else ""
    say(f"{done['id']}: released{override}; it is {done['state']}")
    if done["rewritten"]:
        say(f"Its text was replaced by what the policy lets be kept ({done['rewritten']}).")


@quarantine.command("discard")
@click.argument("memory_id")
@certificate_dir_option
@json_option
@connected
def discard(
    connection: Connection, memory_id: str, certificate_dir: Path | None, as_json: bool
) -> int:
    """Erase a memory under review in every layer, and save the certificate.

    \b
    Example:
      expunge quarantine discard mem_01jd…
    """
    view = connection.post(f"/v1/quarantine/{memory_id}/discard")
    return finish(connection, view["id"], certificate_dir, as_json)


def _cell(value: Any) -> str | None:
    if isinstance(value, dict):
        return ", ".join(f"{name} {count}" for name, count in value.items())
    return ", ".join(value) if isinstance(value, list) else value
