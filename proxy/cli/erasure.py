"""``expunge erasure``: look at requests, answer their questions, decide, fetch the proof."""

from pathlib import Path
from typing import Any

import click

from proxy.cli.certificates import certificate_dir_option, save_certificate, saved_certificate
from proxy.cli.conducted import choose, confirm_plan, finish, recorded, unanswered, unconfirmed
from proxy.cli.connection import Connection, connected
from proxy.cli.forget import owners_option
from proxy.cli.output import confirm_option, emit, json_option, note, say, table
from proxy.cli.progress import Reading, name_unreachable, name_unread
from proxy.cli.requester import identity_options
from proxy.cli.shown import answers, result, show
from proxy.erasure.requests.requester import IDENTIFICATION
from proxy.problems import EXIT_INCOMPLETE, EXIT_OK


@click.group()
def erasure() -> None:
    """Follow erasures: list, show, answer, confirm, watch, prove.

    \b
    Examples:
      expunge erasure list
      expunge erasure watch era_01jd…
    """


_WAITS = {
    "received": "its plan",
    "needs_clarification": "an answer",
    "planned": "a confirmation",
    "confirmed": "its turn",
    "held": "a release",
    "incomplete": "a retry",
}
_WAITS_LONGER = {
    "needs_operator": "an operator",
    "nothing_found": "an earlier one",
    "out_of_reach": "a connector",
}


@erasure.command("list")
@click.option("--state", help="Only in this state, such as planned or incomplete.")
@click.option("--cursor", help="Continue after this point ('next' of the last answer).")
@json_option
@connected
def list_(connection: Connection, state: str | None, cursor: str | None, as_json: bool) -> int:
    """List erasures, newest first, with what each waits for.

    One that waits for its plan could not be planned when it came, as a store did not answer or
    Expunge was stopped: it is tried again by itself, and by 'erasure retry'. One that waits for a
    connector has done all it can: what may be left lies in layers that are not configured. One that
    waits for an identification is confirmed with --identified (policy: erasure.identify).

    \b
    Example:
      expunge erasure list --state incomplete
    """
    page = connection.get("/v1/erasures", state=state, cursor=cursor)
    if as_json:
        emit(page)
        return EXIT_OK
    columns = ("reference", "state", "waits_for", "target_kind", "origin", "received_at", "due_at")
    rows = [item | {"waits_for": _waits_for(item)} for item in page["items"]]
    table(columns, [[item[name] for name in columns] for item in rows])
    if any(item["state"] == "planned" for item in page["items"]):
        note(f"What waits for a confirmation: {unconfirmed('REFERENCE')}")
    if any(_waits_for(item) == "a connector" for item in page["items"]):
        note("What waits for a connector has layers that the configuration lets nobody into: "
             "connect them (upstreams[].layers, docs/mem0.md), then 'expunge erasure retry "
             "REFERENCE'.")  # fmt: skip
    if page["next"]:
        note(f"More: --cursor {page['next']}")
    return EXIT_OK


def _waits_for(item: dict[str, Any]) -> str:
    if item["state"] == "incomplete" and item["outcome"] is None:
        return "its next try"  # it goes on by itself
    if item["state"] == "incomplete" and item["outcome"] in _WAITS_LONGER:
        return _WAITS_LONGER[item["outcome"]]
    if item["state"] == "planned" and item.get("awaiting") == IDENTIFICATION:
        return "an identification"
    return _WAITS.get(item["state"], "")


@erasure.command("show")
@click.argument("erasure_id")
@json_option
@connected
def show_(connection: Connection, erasure_id: str, as_json: bool) -> int:
    """Show one erasure with its layers, questions and deadline.

    \b
    Example:
      expunge erasure show era_01jd… --json
    """
    view = connection.get(f"/v1/erasures/{erasure_id}")
    saved = saved_certificate(connection, view)
    missing = view["certificate_ready"] and saved.path is None
    if as_json:
        path = str(saved.path) if saved.path else None
        emit(view | {"answer": answers(view), "certificate": path})
        if missing:
            note(f"Certificate: {saved.hint(view['reference'])}")
        return _code(view)
    show(view, saved.path)
    if view["state"] == "needs_clarification":
        note(choose(view))
    for command in answers(view) if view["state"] == "incomplete" else ():
        note(f"It waits for an answer: '{command}'.")
    if missing:
        say(f"Certificate: {saved.hint(view['reference'])}")
    if view["state"] in {"received", "planned"}:
        say(f"It waits for {_WAITS[view['state']]}. {unconfirmed(view['reference'])}")
    return _code(view)


def _code(view: dict[str, Any]) -> int:
    return EXIT_INCOMPLETE if "incomplete" in {view["state"], view["outcome"]} else EXIT_OK


@erasure.command("watch")
@click.argument("erasure_id")
@certificate_dir_option
@json_option
@connected
def watch_(
    connection: Connection, erasure_id: str, certificate_dir: Path | None, as_json: bool
) -> int:
    """Follow an erasure to its end and save its certificate.

    \b
    Example:
      expunge erasure watch era_01jd…
    """
    return finish(connection, erasure_id, certificate_dir, as_json, patient=True)


@erasure.command("confirm")
@click.argument("erasure_id")
@click.option("--plan-token", required=True,
              help="Token of the plan: 'forget … --plan', 'erasure clarify' and 'erasure retry' "
              "print it.")  # fmt: skip
@confirm_option(required=True)
@identity_options
@certificate_dir_option
@json_option
@connected
def confirm_(
    connection: Connection,
    erasure_id: str,
    plan_token: str,
    confirm: str,
    identity: dict[str, str],
    certificate_dir: Path | None,
    as_json: bool,
) -> int:
    """Confirm a planned erasure and follow it to its end.

    The plan is one that was recorded, by 'expunge forget … --plan': a preview cannot be confirmed.
    --identified records how the requester was identified meanwhile.

    \b
    Examples:
      expunge forget owner u-17 --plan
      expunge erasure confirm DEL-2026-0001 --plan-token … --confirm confirmed
    """
    asked = {"id": erasure_id, "reference": erasure_id}
    told = {"identity": identity} if identity else {}
    confirm_plan(connection, asked, {"confirm": confirm, "token": plan_token, **told})
    return finish(connection, erasure_id, certificate_dir, as_json)


@erasure.command("clarify")
@click.argument("erasure_id")
@click.option("--entity", "entities", multiple=True, help="Id of a candidate that is meant.")
@owners_option
@click.option("--choose", "choices", multiple=True, metavar="QUESTION=ACTION",
              help="Answer to a question by its id (mixed, derived), as 'erasure show' lists them: "
              "delete, redact or regenerate. Several times for several questions.")  # fmt: skip
@json_option
@connected
def clarify_(
    connection: Connection,
    erasure_id: str,
    entities: tuple[str, ...],
    owners: tuple[str, ...],
    choices: tuple[str, ...],
    as_json: bool,
) -> int:
    """Say which candidate is meant, whose owners are, or what is to happen to mixed or
    derived memories.

    The plan that follows is carried out by 'expunge erasure retry ID --confirm confirmed'. One that
    runs already, and asks because a store was away when it was planned, goes on with the answer.

    \b
    Examples:
      expunge erasure clarify era_01jd… --entity ent_01jd…
      expunge erasure clarify DEL-2026-0001 --owners none
      expunge erasure clarify DEL-2026-0001 --choose mixed=redact
    """
    pairs = [choice.partition("=") for choice in choices]
    if not all(separator for _, separator, _ in pairs):
        raise click.BadParameter("is QUESTION=ACTION", param_hint="--choose")
    body: dict[str, Any] = {
        "entity_ids": list(entities), "choices": {item: action for item, _, action in pairs},
    }  # fmt: skip
    if owners:
        body["owners"] = list(owners)
    view = connection.post(f"/v1/erasures/{erasure_id}/clarify", body)
    return recorded(view, as_json)


@erasure.command("cancel")
@click.argument("erasure_id")
@json_option
@connected
def cancel_(connection: Connection, erasure_id: str, as_json: bool) -> int:
    """Cancel an erasure that does not run yet, or close one that was given up.

    One that broke too often (outcome needs_operator) is closed as it is, with exit code 4: its
    certificate says what is left. What it hid stays hidden; forget the same target anew.

    \b
    Example:
      expunge erasure cancel era_01jd…
    """
    view = connection.post(f"/v1/erasures/{erasure_id}/cancel")
    _print(view, as_json)
    if view["certificate_ready"]:
        note(f"What is left is certified: 'expunge erasure certificate {view['reference']}'.")
    return _code(view)


@erasure.command("refuse")
@click.argument("erasure_id")
@click.option("--reason", required=True, help="Code of the ground, such as legal_claims.")
@json_option
@connected
def refuse_(connection: Connection, erasure_id: str, reason: str, as_json: bool) -> int:
    """Refuse a request, with the ground that applies.

    A ground is one of the policy's 'erasure.exceptions' (legal_obligation, legal_claims,
    public_health, expression, archiving, unless the policy lists others), or unfounded, excessive,
    not_identifiable, unverified, rights_of_others. A prefix may stand before it, as in
    gdpr.17.3.e_legal_claims.

    \b
    Example:
      expunge erasure refuse era_01jd… --reason legal_claims
    """
    return _print(connection.post(f"/v1/erasures/{erasure_id}/refuse", {"reason": reason}), as_json)


@erasure.command("extend")
@click.argument("erasure_id")
@click.option("--reason", required=True, help="Code of the ground, such as complexity.")
@json_option
@connected
def extend_(connection: Connection, erasure_id: str, reason: str, as_json: bool) -> int:
    """Extend the legal deadline once, as far as the regime allows.

    A ground is complexity or number_of_requests (GDPR Art. 12(3)). A prefix may stand before it, as
    in gdpr.12.3_complexity.

    \b
    Example:
      expunge erasure extend era_01jd… --reason complexity
    """
    return _print(connection.post(f"/v1/erasures/{erasure_id}/extend", {"reason": reason}), as_json)


@erasure.command("certificate")
@click.argument("erasure_id")
@certificate_dir_option
@json_option
@connected
def certificate_(
    connection: Connection, erasure_id: str, certificate_dir: Path | None, as_json: bool
) -> int:
    """Save the certificate of an erasure that ended.

    \b
    Example:
      expunge erasure certificate era_01jd… --certificate-dir ./proofs
    """
    view = connection.get(f"/v1/erasures/{erasure_id}")
    path = save_certificate(connection, view, certificate_dir)
    if as_json:
        emit({"certificate": str(path)})
    else:
        say(str(path))
    return EXIT_OK


@erasure.command("retry")
@click.argument("erasure_id")
@confirm_option("For one that could not be planned before: carry its new plan out.")
@certificate_dir_option
@json_option
@connected
def retry_(
    connection: Connection,
    erasure_id: str,
    confirm: str | None,
    certificate_dir: Path | None,
    as_json: bool,
) -> int:
    """Take up an erasure again that is incomplete, or that could not be planned.

    An incomplete one goes on from what is not done. One without a plan, because the store did not
    answer, is planned now, and carried out with --confirm confirmed.

    \b
    Examples:
      expunge erasure retry DEL-2026-0001
      expunge erasure retry DEL-2026-0002 --confirm confirmed
    """
    with unanswered(
        f"'expunge erasure show {erasure_id}' tells how far it is; what was confirmed goes on by "
        "itself, also after a restart."
    ):
        view = connection.post(f"/v1/erasures/{erasure_id}/retry")
    if view["state"] == "planned" and confirm is None:
        code = recorded(view, as_json)
        note("Nothing was deleted. Repeat with --confirm confirmed to execute.")
        return code
    if view["state"] == "planned":
        body = {"confirm": confirm, "token": view["token"], "unseen": True}
        confirm_plan(connection, view, body)
    return finish(connection, erasure_id, certificate_dir, as_json)


@erasure.command("recheck")
@click.argument("erasure_id")
@json_option
@connected
def recheck_(connection: Connection, erasure_id: str, as_json: bool) -> int:
    """Look again whether what was erased is still absent; exit 4 if not.

    Exit 4 also if one of several stores could not be read to its end: it is named. It also tells
    how far the keys are gone that the certificate names: their epoch is destroyed later than it is
    signed ('expunge keys destroy-epoch').

    \b
    Example:
      expunge erasure recheck era_01jd…
    """
    told = Reading(as_json=as_json)
    found = connection.follow(f"/v1/erasures/{erasure_id}/recheck", {}, told)
    if as_json:
        emit(found)
    else:
        say(f"{found['reference']}: {found['looked_at']} looked at, {found['returned']} returned")
        if again := found.get("written_again"):
            note(f"{again} say again, under another id, what was erased.")
        if keys := found.get("keys"):
            say(f"Keys destroyed: {len(keys['destroyed'])} ({keys['state']}): {keys['wording']}.")
        name_unread(found)
    name_unreachable(found)
    return EXIT_OK if found["still_absent"] else EXIT_INCOMPLETE


def _print(view: dict[str, Any], as_json: bool) -> int:
    if as_json:
        emit(result(view, None))
    else:
        show(view, None)
    return EXIT_OK
