"""A request of erasure from its plan to its certificate, as a terminal shows it."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from proxy.cli.certificates import save_certificate
from proxy.cli.connection import Connection
from proxy.cli.failures import Unreachable
from proxy.cli.output import emit, note
from proxy.cli.shown import answers, asks_owners, result, show, waiting
from proxy.clock import SystemClock
from proxy.problems import EXIT_INCOMPLETE, EXIT_OK

_FIRST_S, _LONGEST_S = 0.05, 2.0  # between two looks at an erasure that runs
_RUNNING = frozenset({"confirmed", "executing", "verifying"})
_WINDOW = timedelta(minutes=1)  # of grace, at most, that is sat out

ASKED = (
    "Whether the request was recorded is not known: 'expunge erasure list' shows it. Nothing is "
    "deleted before it is confirmed; if it is not there, ask again."
)
PREVIEWED = "A preview: nothing was recorded, nothing is deleted. Ask again."


@contextmanager
def unanswered(said: str) -> Iterator[None]:
    """Say how things stand, and how to go on, where an answer does not arrive."""
    try:
        yield
    except Unreachable:
        note(said)
        raise


def confirm_plan(connection: Connection, view: Mapping[str, str], body: dict[str, Any]) -> None:
    """Confirm a plan; ``view``: its erasure's id and reference."""
    name = view["reference"]
    with unanswered(
        f"Whether {name} was confirmed is not known: 'expunge erasure show {name}' tells. Once "
        f"confirmed it is carried out, also after a restart. Otherwise: {unconfirmed(name)}"
    ):
        connection.post(f"/v1/erasures/{view['id']}/confirm", body)


def unconfirmed(reference: str) -> str:
    """How to go on with a plan that nobody confirmed, or whose token is lost."""
    return (
        f"'expunge erasure retry {reference} --confirm confirmed' plans it anew and carries it "
        f"out, 'expunge erasure cancel {reference}' drops it."
    )


def recorded(view: dict[str, Any], as_json: bool) -> int:
    """Print a plan that waits, with what confirms exactly it, or what answers what it asks."""
    if as_json:
        emit(result(view, None))
        return EXIT_OK
    show(view, None)
    if view["state"] == "needs_clarification":
        note(choose(view))
    elif view.get("token"):
        note(f"Nothing was deleted. This very plan, within an hour: 'expunge erasure confirm "
             f"{view['reference']} --plan-token {view['token']} --confirm confirmed'.")  # fmt: skip
    return EXIT_OK


def asked(view: dict[str, Any], as_json: bool) -> None:
    """Print a plan that waits for an answer, and how to give it."""
    if as_json:
        emit(result(view, None))
        return
    show(view, None)
    note(choose(view))


def finish(
    connection: Connection, erasure_id: str, folder: Path | None, as_json: bool,
    *, told: Sequence[dict[str, Any]] = (), patient: bool = False,
) -> int:  # fmt: skip
    """Watch an erasure to its end, save its certificate, print the result.

    Args:
        folder: where the certificate goes; None: the tenant's folder of the connection.
        told: candidates that were told with the plan, to be shown with the result.
        patient: also sit out a grace window of more than a minute; else that is said: it is not
            complete.
    """
    with unanswered(
        f"{erasure_id} is on record and goes on by itself, also after a restart: 'expunge erasure "
        f"show {erasure_id}' tells how far it is, 'expunge erasure watch {erasure_id}' follows it "
        "to its end and saves the certificate."
    ):
        view = watch(connection, erasure_id, patient=patient)
        path = save_certificate(connection, view, folder) if view["certificate_ready"] else None
    return ended({**view, "candidates": view["candidates"] or [*told]}, path, as_json)


def ended(view: dict[str, Any], certificate: Path | None, as_json: bool) -> int:
    """Print how an erasure stands that nothing moves any more; returns the exit code."""
    if as_json:
        emit(result(view, certificate))
    else:
        show(view, certificate)
    return EXIT_OK if view["state"] == "complete" else EXIT_INCOMPLETE


def watch(
    connection: Connection, erasure_id: str, *, silent: bool = False, patient: bool = False
) -> dict[str, Any]:
    """Follow an erasure until nothing runs any more, or for longer than anybody waits."""
    shown = told = ""
    pause = _FIRST_S
    while True:
        view: dict[str, Any] = connection.get(f"/v1/erasures/{erasure_id}")
        if view["state"] != shown:
            shown, pause = view["state"], _FIRST_S
            if not silent:
                note(", ".join(filter(None, [f"{view['reference']}: {shown}", waiting(view)])))
        if shown not in _RUNNING or (_is_far(view) and not patient):
            return view
        why = _stuck(connection, view) if pause >= _LONGEST_S and not silent else told
        if why not in {told, ""}:
            note(f"{view['reference']}: waits ({why}); it goes on by itself.")
        told = why
        time.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_S)


def _is_far(view: Mapping[str, Any]) -> bool:
    """Whether a grace window ends so late that nobody waits for it."""
    if not waiting(view):
        return False
    return datetime.fromisoformat(view["execute_at"]) > SystemClock().now() + _WINDOW


def _stuck(connection: Connection, view: Mapping[str, Any]) -> str:
    """What an erasure that does not move waits for: by its layers, or by what is not ready."""
    reasons = {each["reason"] for each in view["layers"] if each["status"] == "unreachable"}
    parts = {f"not ready: {each}" for each in connection.not_ready()}
    return ", ".join(sorted(filter(None, reasons | parts)))


def choose(view: dict[str, Any]) -> str:
    """How to answer what is asked."""
    said = "This may mean several. Nothing was deleted. Choose with --entity ID."
    if asks_owners(view["candidates"]):
        said = (
            "These owners may be the same person's. Nothing was deleted. Say which are, with "
            "--owners ID (several times), --owners all or --owners none."
        )
    elif not view["candidates"] and view["questions"]:
        said = "Nothing was deleted. Choose one of the actions for each id."
    if not view["reference"]:
        return said
    asked = "".join(f"'{command}', then " for command in answers(view))
    return (
        f"{said} It waits: {asked}'expunge erasure retry {view['reference']} --confirm confirmed'."
    )
