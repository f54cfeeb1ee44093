"""``expunge tenant``: isolated customers and their client keys."""

import click

from proxy.cli.connection import Connection, connected
from proxy.cli.output import emit, json_option, note, say, table


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


@tenant.command("rotate-key")
@click.argument("name")
@json_option
@connected
def rotate_key(connection: Connection, name: str, as_json: bool) -> None:
    """Revoke a tenant's client keys and print a new one, once.

    \b
    Example:
      expunge tenant rotate-key acme
    """
    _print_key(connection.post(f"/v1/tenants/{name}/rotate-key"), as_json)


@tenant.command("remove")
@click.argument("name")
@click.option("--confirm", metavar="confirmed", help="The word 'confirmed'.")
@connected
def remove(connection: Connection, name: str, confirm: str | None) -> None:
    """Revoke a tenant's keys. What it keeps must be forgotten before: forget tenant NAME.

    \b
    Example:
      expunge tenant remove acme --confirm confirmed
    """
    if confirm != "confirmed":
        raise click.UsageError("this takes --confirm confirmed")
    connection.delete(f"/v1/tenants/{name}")
    say(f"{name}: removed")


def _print_key(answer: dict[str, str], as_json: bool) -> None:
    if as_json:
        emit(answer)
        return
    say(answer["client_key"])
    note(f"The client key of {answer['name']}; it is shown only now.")
