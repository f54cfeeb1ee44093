"""``expunge subject``: what is known about somebody, and their rights."""

import json
import sys
from typing import Any

import click

from proxy.cli.connection import Connection, connected
from proxy.cli.output import confirm_option, emit, json_option, note, say, table
from proxy.cli.whose import owner_kind_option, whose

_name = click.option("--name", help="A name, instead of an owner id.")
_type = click.option("--type", "entity_type", help="Entity type of the name, such as person.")
_owner = click.option("--owner", metavar="ID", help="An owner id.")


@click.group()
def subject() -> None:
    """Show what is known about a data subject and act on their rights.

    \b
    Examples:
      expunge subject show --owner u-17
      expunge subject show --name "Alva Brenn" --json
    """


def find(connection: Connection, body: dict[str, Any]) -> dict[str, Any]:
    """Look a subject up; the identifier goes in the body, never in a URL."""
    given = {key: value for key, value in body.items() if value is not None}
    found: dict[str, Any] = connection.post("/v1/subjects", given)
    return found


@subject.command("show")
@_owner
@owner_kind_option()
@_name
@_type
@json_option
@connected
def show(
    connection: Connection,
    owner: str | None,
    owner_kind: str | None,
    name: str | None,
    entity_type: str | None,
    as_json: bool,
) -> None:
    """Show what is kept, in counts: categories, tiers, oldest, what expires next.

    That nothing is known is an answer too: exit 0. Only the ledger is asked, no store.

    \b
    Example:
      expunge subject show --owner u-17
    """
    if (owner is None) == (name is None):
        raise click.UsageError("give either --owner or --name")
    body = {**whose(owner, owner_kind), "name": name, "type": entity_type}
    found = find(connection, body)
    known = [
        connection.get(f"/v1/subjects/{item['ref']}") | {"match": item["match"]}
        for item in found["items"]
    ]
    if as_json:
        emit({"items": known, "erasures": found["erasures"]})
    else:
        _print(known, found["erasures"])


def _print(known: list[dict[str, Any]], erasures: list[dict[str, str]]) -> None:
    for item in known:
        rows = [[key, _cell(value)] for key, value in item.items() if key != "ref"]
        say(item["ref"])
        table(("what", "value"), rows)
    if not known:
        say("Nothing is known.")
        note("What only a store has, 'expunge adopt' makes known.")
    for done in erasures:
        say(f"A request {done['reference']} was carried out on {done['completed_at']}.")


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {count}" for key, count in value.items()) or "none"
    return "none" if value is None else str(value)


_code = click.option("--code", required=True, help="Code of the ground, such as legal_claims.")
_review = click.option("--review-at", metavar="TIME", help="When somebody looks again (RFC 3339).")
_memory = click.option("--memory", metavar="ID", help="Only this memory of the owner.")


@subject.command("hold")
@click.argument("owner_id")
@owner_kind_option()
@_code
@_review
@_memory
@json_option
@connected
def hold(
    connection: Connection, owner_id: str, owner_kind: str | None, as_json: bool, **why: Any
) -> None:
    """Keep an owner's data despite erasure, as a documented exception (GDPR Art. 17(3)).

    The owner need not be known to the ledger: the stores are asked. It says how many memories are
    under it now, and how many are erased already.

    \b
    Example:
      expunge subject hold u-17 --code legal_claims
    """
    _keep(connection, "hold", whose(owner_id, owner_kind), why, as_json)


@subject.command("restrict")
@click.argument("owner_id")
@owner_kind_option()
@_code
@_review
@_memory
@json_option
@connected
def restrict(
    connection: Connection, owner_id: str, owner_kind: str | None, as_json: bool, **why: Any
) -> None:
    """Keep an owner's data, unreadable on every route (GDPR Art. 18).

    \b
    Example:
      expunge subject restrict u-17 --code accuracy_contested
    """
    _keep(connection, "restriction", whose(owner_id, owner_kind), why, as_json)


def _keep(
    connection: Connection, kind: str, who: dict[str, Any], why: dict[str, Any], as_json: bool
) -> None:
    given = {name: value for name, value in why.items() if value is not None}
    done = connection.post("/v1/holds", {"kind": kind, **who, **given})
    if as_json:
        emit(done)
        return
    say(done["id"])
    note(_covered(done))


def _covered(done: dict[str, Any]) -> str:
    """How much a hold or restriction has hold of, in a sentence."""
    told = f"Memories under it: {done['memories']}"
    told += f"; erased already: {done['erased']}" if done["erased"] else ""
    away = ", ".join(done["unreachable"])
    return told + (f"; as the ledger tells of {away}, which cannot be read." if away else ".")


@subject.command("holds")
@json_option
@connected
def holds(connection: Connection, as_json: bool) -> None:
    """List holds and restrictions in force.

    \b
    Example:
      expunge subject holds
    """
    found = connection.get("/v1/holds")
    if as_json:
        emit(found)
        return
    columns = ("id", "kind", "code", "subject", "one_memory", "created_at", "review_at")
    table(columns, [[item[column] for column in columns] for item in found["items"]])


def _lift(connection: Connection, hold_id: str, as_json: bool) -> None:
    done = connection.delete(f"/v1/holds/{hold_id}")
    if as_json:
        emit(done)
    else:
        say(f"{hold_id}: lifted, memories that go on to be erased: {done['resumed']}")


@subject.command("release")
@click.argument("hold_id")
@json_option
@connected
def release(connection: Connection, hold_id: str, as_json: bool) -> None:
    """Release a hold; erasures that waited for it go on.

    \b
    Example:
      expunge subject release hld_01jd…
    """
    _lift(connection, hold_id, as_json)


@subject.command("unrestrict")
@click.argument("hold_id")
@json_option
@connected
def unrestrict(connection: Connection, hold_id: str, as_json: bool) -> None:
    """Lift a restriction: what it hid is readable again.

    \b
    Example:
      expunge subject unrestrict hld_01jd…
    """
    _lift(connection, hold_id, as_json)


def ref_of(connection: Connection, owner_id: str, owner_kind: str | None) -> str:
    """The ref under which the control plane knows an owner."""
    items = find(connection, whose(owner_id, owner_kind))["items"]
    if not items:
        raise click.ClickException(
            "the ledger has nothing under this owner; what only a store has, 'expunge adopt' "
            "makes known"
        )
    return str(items[0]["ref"])


def _registered(connection: Connection, owner_id: str, owner_kind: str | None) -> str:
    """The ref of an owner, who is made known if need be."""
    who = whose(owner_id, owner_kind)
    items = find(connection, who)["items"]
    return str((items[0] if items else connection.post("/v1/owners", who))["ref"])


@subject.command("export")
@click.argument("owner_id")
@owner_kind_option()
@click.option("--format", "form", type=click.Choice(["json", "markdown"]), default="json",
              show_default=True, help="Format of the export.")  # fmt: skip
@click.option("--purpose", help="What it is for; the policy may refuse some, such as training.")
@confirm_option("The word 'confirmed', where special categories may be contained.")
@connected
def export(
    connection: Connection,
    owner_id: str,
    owner_kind: str | None,
    form: str,
    purpose: str | None,
    confirm: str | None,
) -> None:
    """Write everything that is kept about an owner to standard output (GDPR Art. 15, 20).

    \b
    Example:
      expunge subject export u-17 --format markdown > u-17.md
    """
    path = f"/v1/subjects/{ref_of(connection, owner_id, owner_kind)}/export"
    query = {"format": form, "purpose": purpose, "confirm": confirm}
    sys.stdout.buffer.write(connection.send("GET", path, query=query)[1])


@subject.command("prefer")
@click.argument("owner_id")
@owner_kind_option()
@click.option("--consent", "consents", multiple=True, help="Record this consent.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
              help="Record a setting; the value is JSON or a word.")  # fmt: skip
@click.option("--withdraw", multiple=True, metavar="ID", help="Withdraw a consent or setting.")
@json_option
@connected
def prefer(
    connection: Connection,
    owner_id: str,
    owner_kind: str | None,
    consents: tuple[str, ...],
    settings: tuple[str, ...],
    withdraw: tuple[str, ...],
    as_json: bool,
) -> None:
    """Record what an owner decided for the future, and show what is in force.

    An owner of whom nothing is remembered yet is made known: a consent comes before the memory
    that needs it. Settings are maximum, categories, exceptions, pinned, refused_types,
    refused_categories, denied_purposes, sharing and unshared: docs/policy.md has what they mean.

    \b
    Examples:
      expunge subject prefer u-17 --consent long_term --set maximum=P90D
      expunge subject prefer u-17 --set 'refused_categories=["health"]' --set sharing=false
    """
    path = f"/v1/subjects/{_registered(connection, owner_id, owner_kind)}"
    for name in consents:
        connection.post(f"{path}/consents", {"name": name})
    if settings:
        connection.post(f"{path}/preferences", {"settings": dict(map(setting, settings))})
    for record in withdraw:
        connection.delete(f"/v1/preferences/{record}")
    found = connection.get(f"{path}/preferences")
    if as_json:
        emit(found)
        return
    rows = [[item.pop("id"), item.pop("kind"), item.pop("at"), _cell(item)]
            for item in found["items"]]  # fmt: skip
    table(("id", "kind", "since", "what"), rows)


def setting(text: str) -> tuple[str, Any]:
    """A NAME=VALUE option; the value is JSON or a word."""
    name, separator, value = text.partition("=")
    if not separator:
        raise click.BadParameter("is NAME=VALUE", param_hint="--set")
    try:
        return name, json.loads(value)
    except (ValueError, RecursionError):
        return name, value
