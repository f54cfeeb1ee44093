"""``expunge tenant``: isolated customers and their client keys."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import click

from proxy.cli.connection import Connection, connected
from proxy.cli.output import confirm_option, emit, json_option, note, say, table


@click.group()
def tenant() -> None:
    """Add and remove tenants; each has client keys of its own and never sees another.

    \b
    Examples:
      expunge tenant add acme
      expunge tenant list
    """


@tenant.command("add")
@click.argument("name")
@json_option
@connected
def add(connection: Connection, name: str, as_json: bool) -> None:
    """Add a tenant and print its client key, once.

    \b
    Example:
      expunge tenant add acme
    """
    _print_key(connection.post("/v1/tenants", {"name": name}), as_json)


@tenant.command("list")
@json_option
@connected
def list_(connection: Connection, as_json: bool) -> None:
    """List the tenants.

    \b
    Example:
      expunge tenant list --json
    """
    found = connection.get("/v1/tenants")
    if as_json:
        emit(found)
        return
    columns = ("name", "id", "state", "keys", "created_at")
    table(columns, [[item[column] for column in columns] for item in found["items"]])


@tenant.command("keys")
@click.argument("name")
@json_option
@connected
def keys(connection: Connection, name: str, as_json: bool) -> None:
    """List a tenant's client keys by id: scope, end and last use; never the keys themselves.

    \b
    Example:
      expunge tenant keys acme
    """
    found = connection.get(f"/v1/tenants/{quote(name, safe='')}/keys")
    if as_json:
        emit(found)
        return
    columns = ("id", "label", "state", "may", "expires_at", "last_used_at")
    rows = [item | {"may": _scope(item)} for item in found["items"]]
    table(columns, [[item[column] or "" for column in columns] for item in rows])


def _scope(item: Mapping[str, Any]) -> str:
    operations = ", ".join(item["operations"] or ["all"])
    purposes = "" if item["purposes"] is None else f"; purposes: {', '.join(item['purposes'])}"
    return f"{operations} as {', '.join(item['roles'])}{purposes}"


@tenant.command("add-key")
@click.argument("name")
@click.option("--label", default="", help="For people.")
@click.option("--role", "roles", multiple=True, help="What policies know its holder as; app.",
              type=click.Choice(["app", "operator", "privacy", "auditor"]))  # fmt: skip
@click.option("--operation", "operations", multiple=True, help="What it may do; all.",
              type=click.Choice(["read", "write", "delete"]))  # fmt: skip
@click.option(
    "--purpose", "purposes", multiple=True, help="Purpose of the policy it may state; any."
)
@click.option("--expires-in", metavar="DURATION", help="Ends after this, such as P90D; never.")
@json_option
@connected
def add_key(connection: Connection, name: str, as_json: bool, **given: Any) -> None:
    """Print one more client key of a tenant, once. Its scope is what is named here.

    \b
    Example:
      expunge tenant add-key acme --operation read --purpose support --expires-in P90D
    """
    body = {key: list(value) if isinstance(value, tuple) else value
            for key, value in given.items() if value}  # fmt: skip
    _print_key(connection.post(f"/v1/tenants/{quote(name, safe='')}/keys", body), as_json)


@tenant.command("revoke-key")
@click.argument("name")
@click.argument("key_id", metavar="ID")
@connected
def revoke_key(connection: Connection, name: str, key_id: str) -> None:
    """Revoke one client key by its id (see: tenant keys NAME).

    \b
    Example:
      expunge tenant revoke-key acme key_01j8
    """
    answer = connection.delete(f"/v1/tenants/{quote(name, safe='')}/keys/{quote(key_id, safe='')}")
    say(f"{key_id}: revoked" if answer["revoked"] else f"{key_id}: was revoked before")
    _tell_configured(answer)


def _tell_configured(answer: Mapping[str, Any]) -> None:
    if answer["configured"]:
        note("A former key stands in the configuration (tenants[].keys) and ends all the same: "
             "take it out, and put the new one in.")  # fmt: skip


@tenant.command("rotate-key")
@click.argument("name")
@click.option("--overlap", metavar="DURATION",
              help="The former keys stay good for so long, such as PT24H; not at all.")  # fmt: skip
@json_option
@connected
def rotate_key(connection: Connection, name: str, overlap: str | None, as_json: bool) -> None:
    """Print a new client key, once; the former ones end now, or after the overlap.

    \b
    Example:
      expunge tenant rotate-key acme --overlap PT24H
    """
    body = {} if overlap is None else {"overlap": overlap}
    answer = connection.post(f"/v1/tenants/{quote(name, safe='')}/rotate-key", body)
    _print_key(answer, as_json)
    _tell_configured(answer)


@tenant.command("remove")
@click.argument("name")
@confirm_option(required=True, expose_value=False)
@connected
def remove(connection: Connection, name: str) -> None:
    """Revoke a tenant's keys. What it keeps must be forgotten before: forget tenant NAME.

    \b
    Example:
      expunge tenant remove acme --confirm confirmed
    """
    connection.delete(f"/v1/tenants/{name}")
    say(f"{name}: removed")


def _print_key(answer: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        emit(answer)
        return
    say(answer["client_key"])
    note(f"The client key of {answer['name']}; it is shown only now.")
    if "operations" in answer:
        end = answer["expires_at"] or "never"
        note(f"Its id: {answer['id']}; it may: {_scope(answer)}; it ends: {end}.")
