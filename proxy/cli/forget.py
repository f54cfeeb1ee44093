"""``expunge forget``: preview first, then confirm, then watch until it is proved."""

import time
from pathlib import Path
from typing import Any

import click

from proxy.cli.connection import Connection, connected
from proxy.cli.output import emit, json_option, note, say, table
from proxy.cli.verify import CERTIFICATE, PROOF, PUBLIC_KEY
from proxy.problems import EXIT_ERROR, EXIT_INCOMPLETE, EXIT_OK

_WORD = "confirmed"
_LOGGED_SECONDS, _LOOK_SECONDS = 10, 0.2
_RUNNING = frozenset({"confirmed", "executing", "verifying"})


@click.group()
def forget() -> None:
    """Forget a person, an owner, memories, a category, a time range or a tenant.

    Without --confirm this is a preview: nothing is deleted.

    \b
    Examples:
      expunge forget entity "Alva Brenn" --type person
      expunge forget entity "Alva Brenn" --confirm confirmed
      expunge forget owner u-17 --confirm confirmed --json
    """


def _options(command: Any) -> Any:
    for option in (
        click.option("--keep", multiple=True, metavar="TEXT", help="Keep what mentions this."),
        click.option("--preview", is_flag=True, help="Only show what would go (the default)."),
        click.option("--confirm", metavar=_WORD, help="The word 'confirmed' executes the plan."),
        click.option("--reference", metavar="R", help="Your own reference of the request."),
        click.option("--reason", help="Code of the legal ground."),
        click.option(
            "--certificate-dir",
            type=click.Path(path_type=Path, file_okay=False),
            help="Where the certificate goes.",
        ),
        json_option,
    ):
        command = option(command)
    return connected(command)


_owner = click.option("--owner", metavar="ID", help="Only within this owner's memories.")
_owner_kind = click.option(
    "--owner-kind", type=click.Choice(["user", "agent", "run", "app"]), default="user",
    help="Kind of the owner id.",
)  # fmt: skip


@forget.command("owner")
@click.argument("owner_id")
@_owner_kind
@_options
def forget_owner(connection: Connection, owner_id: str, owner_kind: str, **how: Any) -> int:
    """Forget everything kept under an owner's id.

    \b
    Example:
      expunge forget owner u-17 --confirm confirmed
    """
    return run(connection, {"kind": "owner", "values": [owner_id], "owner_kind": owner_kind}, **how)


@forget.command("entity")
@click.argument("name")
@click.option("--type", "entity_type", help="person, organization, email_address, …")
@_owner
@_owner_kind
@click.option("--entity", "entities", multiple=True, metavar="ID", help="The candidate meant.")
@click.option("--scope", type=click.Choice(["any_mention", "primary"]), default="any_mention",
              help="Every mention, or only memories mainly about it.")  # fmt: skip
@_options
def forget_entity(
    connection: Connection,
    name: str,
    entity_type: str | None,
    owner: str | None,
    owner_kind: str,
    entities: tuple[str, ...],
    scope: str,
    **how: Any,
) -> int:
    """Forget a person, condition, organisation or anything else with a name.

    \b
    Example:
      expunge forget entity "Alva Brenn" --type person --scope primary
    """
    target = {"kind": "entity", "values": [name], "scope": scope, "type": entity_type,
              "owner": owner, "owner_kind": owner_kind}  # fmt: skip
    chosen = {"entity_ids": list(entities)} if entities else {}
    return run(connection, target | chosen, **how)


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
    target = {"kind": "memory", "values": list(memory_ids), "upstream": upstream}
    return run(connection, target, **how)


@forget.command("category")
@click.argument("name")
@_owner
@_owner_kind
@_options
def forget_category(
    connection: Connection, name: str, owner: str | None, owner_kind: str, **how: Any
) -> int:
    """Forget a category, such as health or location.

    \b
    Example:
      expunge forget category health --owner u-17 --confirm confirmed
    """
    target = {"kind": "category", "values": [name], "owner": owner, "owner_kind": owner_kind}
    return run(connection, target, **how)


@forget.command("time-range")
@click.argument("start")
@click.argument("end")
@_owner
@_owner_kind
@_options
def forget_time_range(
    connection: Connection, start: str, end: str, owner: str | None, owner_kind: str, **how: Any
) -> int:
    """Forget what was written between two instants (RFC 3339, the end excluded).

    \b
    Example:
      expunge forget time-range 2026-05-01 2026-06-01 --owner u-17
    """
    target = {"kind": "time_range", "from": start, "to": end, "owner": owner,
              "owner_kind": owner_kind}  # fmt: skip
    return run(connection, target, **how)


@forget.command("subject")
@click.argument("names", nargs=-1, required=True)
@_owner
@_owner_kind
@_options
def forget_subject(
    connection: Connection,
    names: tuple[str, ...],
    owner: str | None,
    owner_kind: str,
    **how: Any,
) -> int:
    """Forget a data subject: their own memories (--owner) and every mention of their names.

    \b
    Example:
      expunge forget subject "Alva Brenn" alva@example.org --owner u-17 --confirm confirmed
    """
    target = {"kind": "subject", "values": list(names), "owner": owner, "owner_kind": owner_kind}
    return run(connection, target, **how)


@forget.command("tenant")
@click.argument("path")
@_options
def forget_tenant(connection: Connection, path: str, **how: Any) -> int:
    """Forget everything of a tenant, or of one scope below it (NAME/SCOPE).

    \b
    Example:
      expunge forget tenant acme --confirm confirmed
    """
    name, _, scope = path.partition("/")
    within = Connection(connection.url, connection.token, name, connection.folder)
    return run(within, {"kind": "tenant", "values": [scope] if scope else []}, **how)


def run(
    connection: Connection,
    target: dict[str, Any],
    *,
    keep: tuple[str, ...],
    preview: bool,
    confirm: str | None,
    reference: str | None,
    reason: str | None,
    certificate_dir: Path | None,
    as_json: bool,
) -> int:
    """Plan, and with the word, execute, watch and fetch the certificate; returns the exit code."""
    if confirm is not None and confirm != _WORD:
        raise click.BadParameter(f"the word is '{_WORD}'", param_hint="--confirm")
    execute = confirm == _WORD and not preview
    request = {
        "target": {key: value for key, value in target.items() if value is not None},
        "keep": list(keep),
        "reference": reference,
        "reason": reason,
        "dry_run": not execute,
    }
    view = connection.post("/v1/erasures", request)
    if not execute:
        return _preview(view, as_json)
    if view["state"] == "needs_clarification":
        _preview(view, as_json)
        return EXIT_ERROR
    if view["state"] != "planned":
        return _ended(view, None, as_json)
    body = {"confirm": _WORD, "token": view["token"]}
    connection.post(f"/v1/erasures/{view['id']}/confirm", body)
    return finish(connection, view["id"], certificate_dir or connection.folder, as_json)


def finish(connection: Connection, erasure_id: str, folder: Path, as_json: bool) -> int:
    """Watch an erasure to its end, save its certificate, print the result."""
    view = watch(connection, erasure_id)
    path = save_certificate(connection, view, folder) if view["certificate_ready"] else None
    return _ended(view, path, as_json)


def _ended(view: dict[str, Any], certificate: Path | None, as_json: bool) -> int:
    if as_json:
        emit(result(view, certificate))
    else:
        show(view, certificate)
    return EXIT_OK if view["state"] == "complete" else EXIT_INCOMPLETE


def watch(connection: Connection, erasure_id: str) -> dict[str, Any]:
    """Follow an erasure until nothing runs any more; progress goes to standard error."""
    shown = ""
    pause = 0.05
    while True:
        view: dict[str, Any] = connection.get(f"/v1/erasures/{erasure_id}")
        if view["state"] != shown:
            shown = view["state"]
            note(f"{view['reference']}: {shown}")
        if shown not in _RUNNING:
            return view
        time.sleep(pause)
        pause = min(pause * 1.5, 2.0)


def result(view: dict[str, Any], certificate: Path | None) -> dict[str, Any]:
    """The shape scripts rely on."""
    layers = ("upstream", "layer", "found", "erased", "residual", "status")
    counts = ("deleted", "cascaded", "regenerated", "redacted")
    return {
        "reference": view["reference"],
        "id": view["id"],
        "state": view["state"],
        "outcome": view["outcome"],
        "layers": [
            {name: layer[name] for name in layers}
            | {name: layer[name] for name in ("reason", "action") if layer.get(name)}
            for layer in view["layers"]
        ],
        **{name: view[name] for name in counts},
        "counts": view["counts"],
        "candidates": view["candidates"],
        "questions": view["questions"],
        "certificate": str(certificate) if certificate else None,
    }


def save_certificate(connection: Connection, view: dict[str, Any], folder: Path) -> Path:
    """Write the certificate, its proof and the log's public key; returns the first's path."""
    bundle = bundle_of(connection, view["id"])
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{view['reference']}{CERTIFICATE}"
    path.write_text(bundle["dsse"], "utf-8")
    (folder / PUBLIC_KEY).write_text(bundle["public_key"] + "\n", "utf-8")
    if bundle["tlog_proof"] is None:
        note("The log has not signed the certificate yet: fetch it again later for its proof.")
    else:
        (folder / f"{view['reference']}{PROOF}").write_text(bundle["tlog_proof"], "utf-8")
    return path


def bundle_of(connection: Connection, erasure_id: str) -> dict[str, Any]:
    """Certificate, proof and key; waits a little for the log to sign the certificate's entry."""
    deadline = time.monotonic() + _LOGGED_SECONDS
    while True:
        bundle: dict[str, Any] = connection.get(f"/v1/erasures/{erasure_id}/certificate")
        if bundle["tlog_proof"] is not None or time.monotonic() > deadline:
            return bundle
        time.sleep(_LOOK_SECONDS)


def _preview(view: dict[str, Any], as_json: bool) -> int:
    if as_json:
        emit(result(view, None))
        return EXIT_OK
    show(view, None)
    if view["outcome"] == "nothing_found":
        note("Nothing was found.")
    elif view["state"] == "needs_clarification":
        note("This may mean several. Nothing was deleted. Choose with --entity ID.")
    else:
        note("A preview: nothing was deleted. Repeat with --confirm confirmed to execute.")
    return EXIT_OK


def show(view: dict[str, Any], certificate: Path | None) -> None:
    """The result for people: one table of layers, counts, and where the proof is."""
    columns = ("upstream", "layer", "found", "erased", "residual", "status", "note")
    rows = [
        [*(layer[name] for name in columns[:-1]), layer.get("reason") or ""]
        for layer in view["layers"]
    ]
    table(columns, rows, title=f"{view['reference']}: {view['state']}")
    counts = ", ".join(f"{name} {count}" for name, count in view["counts"].items())
    say(f"Counts: {counts or 'none'}")
    if view["candidates"]:
        table(("id", "type", "memories", "hint"),
              [[c["id"], c["entity_type"], c["memories"], c["hint"]] for c in view["candidates"]],
              title="Which one is meant?")  # fmt: skip
    for layer in view["layers"]:
        if layer.get("action"):
            say(f"{layer['upstream']}/{layer['layer']}: {layer['action']}")
    if certificate:
        say(f"Certificate: {certificate}")
