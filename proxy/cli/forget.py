"""``expunge forget``: preview first, then confirm, then watch until it is proved."""

import inspect
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from policies.schema import CATEGORIES
from proxy.cli.certificates import certificate_dir_option
from proxy.cli.conducted import (
    ASKED,
    PREVIEWED,
    asked,
    choose,
    confirm_plan,
    ended,
    finish,
    recorded,
    unanswered,
    unconfirmed,
)
from proxy.cli.connection import Connection, connected
from proxy.cli.failures import Refused
from proxy.cli.output import confirm_option, emit, json_option, note
from proxy.cli.requester import channel_option, identity_options
from proxy.cli.shown import result, show
from proxy.cli.whose import owner_kind_option
from proxy.erasure.texts.attributes import ATTRIBUTES
from proxy.problems import EXIT_ERROR, EXIT_OK

OPEN = "-"  # an end of a time range that is not given


@click.group()
def forget() -> None:
    """Forget a person, an owner, memories, a category, a time range or a tenant.

    Without --confirm this is a preview: nothing is deleted. To confirm exactly what was shown, have
    it recorded with --plan and confirm it with 'expunge erasure confirm'.

    \b
    Examples:
      expunge forget entity "Alva Brenn" --type person
      expunge forget entity "Alva Brenn" --confirm confirmed
      expunge forget entity "Alva Brenn" --plan
      expunge erasure confirm DEL-2026-0001 --plan-token … --confirm confirmed
      expunge forget owner u-17 --confirm confirmed --json
    """


def _sayable(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """End with the usage code where a word to keep says nothing."""
    if not all(any(map(str.isalnum, each)) for each in given):
        raise click.BadParameter("needs at least one letter or digit.")
    return given


def _options(command: Any) -> Any:
    for option in (
        click.option(
            "--keep",
            multiple=True,
            metavar="WHAT",
            callback=_sayable,
            help="Keep what tells this (several times): a memory's id, a category "
            f"({', '.join(sorted(CATEGORIES))}), an attribute ({', '.join(sorted(ATTRIBUTES))}) in "
            "any of its words, or any other word as it stands.",
        ),
        click.option("--preview", is_flag=True, help="Only show what would go (the default)."),
        click.option(
            "--plan",
            is_flag=True,
            help="Record the plan and print its reference and token; nothing is deleted "
            "before 'expunge erasure confirm' gets both, within an hour.",
        ),
        confirm_option("The word 'confirmed' executes the plan."),
        click.option(
            "--reference",
            metavar="R",
            help="Your own reference of the request: no word of what is to be forgotten.",
        ),
        click.option("--reason", help="Code of the legal ground."),
        channel_option,
        identity_options,
        certificate_dir_option,
        json_option,
    ):
        command = option(command)
    return connected(command)


_owner = click.option("--owner", metavar="ID", help="Only within this owner's memories.")
owners_option = click.option(
    "--owners", multiple=True, metavar="all|none|ID",
    help="Owners whose id holds the name and more: which of them are this person's (owner ids or "
    "candidates). Without it they are asked about.",
)  # fmt: skip
_future = click.option(
    "--future", is_flag=True,
    help="Refuse it from now on as well: with the request, a preference of the owner is recorded.",
)  # fmt: skip
_owner_kind = owner_kind_option()


@forget.command("owner")
@click.argument("owner_id")
@_owner_kind
@_options
def forget_owner(connection: Connection, owner_id: str, owner_kind: str | None, **how: Any) -> int:
    """Forget everything kept under an owner's id.

    \b
    Example:
      expunge forget owner u-17 --confirm confirmed
    """
    _expect_words([owner_id], "OWNER_ID")
    return run(connection, {"kind": "owner", "values": [owner_id], "owner_kind": owner_kind}, **how)


@forget.command("entity")
@click.argument("name")
@click.option("--type", "entity_type", help="person, organization, email_address, …")
@_owner
@_owner_kind
@click.option(
    "--entity", "entities", multiple=True, metavar="ID", help="The candidate meant, or all."
)
@click.option("--scope", type=click.Choice(["any_mention", "primary"]), default="any_mention",
              help="Every mention, or only memories mainly about it.")  # fmt: skip
@owners_option
@_future
@_options
def forget_entity(
    connection: Connection,
    name: str,
    entity_type: str | None,
    owner: str | None,
    owner_kind: str | None,
    entities: tuple[str, ...],
    scope: str,
    owners: tuple[str, ...],
    **how: Any,
) -> int:
    """Forget a person, condition, organisation or anything else with a name.

    What is kept under an owner id that is the name itself goes as a whole. Where an id holds the
    name and more (user:alva_brenn, alva-brenn-42), the answer asks whose it is: repeat with
    --owners. Until then nothing is deleted, and --confirm ends with exit code 1.

    \b
    Examples:
      expunge forget entity "Alva Brenn" --type person --scope primary
      expunge forget entity "Alva Brenn" --owners alva-brenn-42 --confirm confirmed
    """
    _expect_words([name], "NAME")
    target = {"kind": "entity", "values": [name], "scope": scope, "type": entity_type,
              "owner": owner, "owner_kind": owner_kind}  # fmt: skip
    chosen = {"entity_ids": list(entities)} if entities else {}
    return run(connection, target | chosen | _owners(owners), **how)


def _expect_words(given: Iterable[str], name: str) -> None:
    """End with the usage code, before anything is asked, where a name or id is empty."""
    if not all(each.strip() for each in given):
        raise click.BadParameter("is empty.", param_hint=name)


def _range(start: str, end: str) -> dict[str, str]:
    """The ends that are given, checked; ``-`` leaves one open."""
    given = {"from": (start, "START"), "to": (end, "END")}
    moments = {key: _moment(*each) for key, each in given.items() if each[0] != OPEN}
    if not moments:
        raise click.BadParameter("both ends are open.", param_hint="START")
    if len(moments) > 1 and moments["from"] >= moments["to"]:
        raise click.BadParameter("must lie after START.", param_hint="END")
    return {key: given[key][0] for key in moments}


def _moment(text: str, name: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter("is no date or instant (RFC 3339).", param_hint=name) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _owners(given: tuple[str, ...]) -> dict[str, Any]:
    return {"owners": list(given)} if given else {}


@forget.command("memory")
@click.argument("memory_ids", nargs=-1, required=True)
@click.option("--upstream", help="Name of the store; absent: all.")
@_options
def forget_memory(
    connection: Connection, memory_ids: tuple[str, ...], upstream: str | None, **how: Any
) -> int:
    """Forget memories by id, with everything derived from them.

    \b
    Example:
      expunge forget memory 5b0c… 77aa… --confirm confirmed
    """
    _expect_words(memory_ids, "MEMORY_IDS")
    target = {"kind": "memory", "values": list(memory_ids), "upstream": upstream}
    return run(connection, target, **how)


_LABELS = {
    "attribute": """Forget what states somebody's salary, employer, address, phone and the like.

    Any word of an attribute names it (wage, Gehalt); another word is a usage error that names
    those there are.

    \b
    Example:
      expunge forget attribute salary --owner u-17 --keep employer --confirm confirmed
      expunge forget attribute salary --owner u-17 --future --confirm confirmed
    """,
    "category": """Forget categories, such as health or location; an unknown one is a usage error.

    \b
    Example:
      expunge forget category health --owner u-17 --confirm confirmed
    """,
    "tag": """Forget memories by what was detected in them, such as pii:email_address.

    An unknown tag is a usage error that names those there are.

    \b
    Example:
      expunge forget tag pii:email_address pii:phone_number --confirm confirmed
    """,
}


def _forget_labelled(kind: str, said: str) -> None:
    """Add the command for what only a closed list has; anything else is wrong usage."""

    @forget.command(kind, help=inspect.cleandoc(said))
    @click.argument("names", nargs=-1, required=True)
    @_owner
    @_owner_kind
    @_future
    @_options
    def command(
        connection: Connection,
        names: tuple[str, ...],
        owner: str | None,
        owner_kind: str | None,
        **how: Any,
    ) -> int:
        _expect_words(names, "NAMES")
        target = {"kind": kind, "values": list(names), "owner": owner, "owner_kind": owner_kind}
        try:
            return run(connection, target, **how)
        except Refused as error:
            if error.body.get("errors"):
                said = "; ".join(each["detail"] for each in error.body["errors"])
                raise click.UsageError(said) from None
            raise


for _kind, _said in _LABELS.items():
    _forget_labelled(_kind, _said)


@forget.command("time-range")
@click.argument("start")
@click.argument("end")
@_owner
@_owner_kind
@_options
def forget_time_range(
    connection: Connection,
    start: str,
    end: str,
    owner: str | None,
    owner_kind: str | None,
    **how: Any,
) -> int:
    """Forget what was written between two instants (RFC 3339, the end excluded); - leaves one open.

    \b
    Examples:
      expunge forget time-range 2026-05-01 2026-06-01 --owner u-17
      expunge forget time-range - 2026-01-01      (all that is older)
    """
    target = {"kind": "time_range", "owner": owner, "owner_kind": owner_kind}
    return run(connection, target | _range(start, end), **how)


@forget.command("subject")
@click.argument("names", nargs=-1, required=True)
@click.option("--owner", metavar="ID",
              help="Their own owner id: everything kept under it goes as well.")  # fmt: skip
@_owner_kind
@owners_option
@_options
def forget_subject(
    connection: Connection,
    names: tuple[str, ...],
    owner: str | None,
    owner_kind: str | None,
    owners: tuple[str, ...],
    **how: Any,
) -> int:
    """Forget a data subject: their own memories (--owner) and every mention of their names.

    \b
    Example:
      expunge forget subject "Alva Brenn" alva@example.org --owner u-17 --confirm confirmed
    """
    _expect_words(names, "NAMES")
    target = {"kind": "subject", "values": list(names), "owner": owner, "owner_kind": owner_kind}
    return run(connection, target | _owners(owners), **how)


@forget.command("tenant")
@click.argument("path")
@_options
def forget_tenant(connection: Connection, path: str, **how: Any) -> int:
    """Forget everything of a tenant, or of one scope below it (NAME/SCOPE).

    \b
    Example:
      expunge forget tenant acme --confirm confirmed
    """
    name, below, scope = path.partition("/")
    if below and not scope.strip("/ "):
        raise click.UsageError("Name the scope behind the slash, or leave the slash out.")
    within = Connection(connection.url, connection.token, name, connection.folder)
    return run(within, {"kind": "tenant", "values": [scope] if scope else []}, **how)


def run(
    connection: Connection,
    target: dict[str, Any],
    *,
    keep: tuple[str, ...],
    preview: bool,
    plan: bool,
    confirm: str | None,
    reference: str | None,
    reason: str | None,
    channel: str | None,
    identity: dict[str, str],
    certificate_dir: Path | None,
    as_json: bool,
    future: bool = False,
) -> int:
    """Plan, and with the word, execute, watch and fetch the certificate; returns the exit code."""
    if plan and (preview or confirm):
        raise click.UsageError("--plan goes without --preview and --confirm: it records a plan "
                               "for 'expunge erasure confirm'.")  # fmt: skip
    execute = confirm is not None and not preview
    request = {
        "target": {key: value for key, value in target.items() if value is not None},
        "keep": list(keep),
        "reference": reference,
        "reason": reason,
        **({"channel": channel} if channel else {}),
        **({"identity": identity} if identity else {}),
        "dry_run": not (execute or plan),
        "future": future,
    }
    with unanswered(ASKED if execute or plan else PREVIEWED):
        view = connection.post("/v1/erasures", request)
    if plan:
        return recorded(view, as_json)
    if not execute:
        return _preview(view, as_json)
    if view["state"] == "needs_clarification":
        asked(view, as_json)
        return EXIT_ERROR
    if view["state"] != "planned":
        return ended(view, None, as_json)
    try:
        word = {"confirm": confirm, "token": view["token"], "unseen": True}
        confirm_plan(connection, view, word)
    except Refused:
        note(f"{view['reference']} stays planned. {unconfirmed(view['reference'])}")
        raise
    told = view["candidates"]  # who else may be meant; no record keeps it
    return finish(connection, view["id"], certificate_dir, as_json, told=told)


def _preview(view: dict[str, Any], as_json: bool) -> int:
    if as_json:
        emit(result(view, None))
        return EXIT_OK
    show(view, None, preview=True)
    if view["outcome"] == "nothing_found" and not view["counts"].get("doubtful"):
        earlier = view["earlier"]
        told = f"'expunge erasure show {earlier}' tells what came of it before." if earlier else (
            "Check the spelling, the kind of target and the tenant."
        )  # fmt: skip
        note(f"Nothing was found. {told}")
    elif view["state"] == "needs_clarification":
        note(choose(view))
    elif view["questions"]:
        note("A preview: nothing was deleted. With --confirm confirmed the request is recorded "
             "and waits for your choice; the command that answers is shown then.")  # fmt: skip
    else:
        note("A preview: nothing was deleted. Repeat with --confirm confirmed to execute.")
    return EXIT_OK
