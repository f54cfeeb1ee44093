"""An erasure on the terminal and in JSON: what it was, what of it is where, where the proof is."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from proxy.cli.output import say, table
from proxy.erasure.requests.requester import IDENTIFICATION

_COLUMNS = ("upstream", "layer", "found", "erased", "residual", "status")
_TIMES = ("received_at", "due_at", "completed_at")
_COUNTS: Mapping[str, str] = {
    "found": "to be dealt with",
    "direct": "about it",
    "indirect": "derived from those",
    "shared": "shared with others",
    "mixed": "also about others",
    "kept": "kept",
    "to_delete": "to delete",
    "to_redact": "to write anew without it",
    "to_regenerate": "to write anew from what survives",
    "to_hold": "under a hold",
    "under_way": "on their way to the store: what they say is looked at before this ends",
    "deleted": "deleted",
    "cascaded": "deleted because derived",
    "redacted": "written anew without it",
    "regenerated": "written anew from what survives",
    "already_gone": "gone before",
    "held": "held",
    "stayed": "kept after all: their text of today is about something else",
    "found_later": "found only after the plan was made",
    "residual": "left",
    "kept_on_request": "kept because they say only what is to be kept",
    "inseparable": "to delete although they hold what is to be kept: it cannot be said alone",
    "other_languages": "kept, whatever they say: in languages in which this is not recognised",
    "independent": "kept: made from what goes, and they open with the name of another person",
    "drawn_beside": "kept: drawn by a model from a chat that mentions it, from other messages",
    "described": "kept: they speak of somebody's relative, as which whom this forgets is known",
    "unclear_identifiers": "written anew with an identifier in metadata that may be theirs or not",
    "doubtful": "kept: they may mean somebody else or something else",
}
_PLANNED = frozenset(
    name for name in _COUNTS if name.startswith("to_") or name in {"found", "under_way"}
)
_KEPT = frozenset({"residual", "unreachable", "held"})  # layers that are not clean
_DONE = frozenset({"complete", "incomplete", "held"})
_ASKING = frozenset({"needs_clarification", "incomplete"})  # states in which a question may be open


_WHY = {"holds_the_name": "holds the name", "given_name_only": "is the given name"}


def asks_owners(candidates: list[dict[str, Any]]) -> bool:
    """Whether it is asked whose owners are, not who is meant."""
    return any(each["entity_type"] == "OWNER_ID" for each in candidates)


def answers(view: dict[str, Any]) -> list[str]:
    """The commands that answer what an erasure asks; none if it asks nothing."""
    if view["state"] not in _ASKING or not view["reference"]:
        return []
    asked = f"expunge erasure clarify {view['reference']}"
    if asks_owners(view["candidates"]):
        return [f"{asked} --owners ID|all|none"]
    if view["candidates"]:
        return [f"{asked} --entity ID"]
    chosen = (f"--choose {question_id(each)}=ACTION" for each in view["questions"])
    return [" ".join((asked, *chosen))] if view["questions"] else []


def offers(view: dict[str, Any]) -> list[str]:
    """The command that takes what stays in doubt too, while a plan can still be changed."""
    if view["state"] != "planned" or not view["reference"] or not view["counts"].get("doubtful"):
        return []
    return [f"expunge erasure clarify {view['reference']} --choose doubtful=delete"]


def question_id(question: dict[str, Any]) -> str:
    """By what a question is answered."""
    return str(question.get("id") or question["relation"])


def result(view: dict[str, Any], certificate: Path | None) -> dict[str, Any]:
    """The shape scripts rely on."""
    first = ("reference", "id", "tenant", "target_kind", "state", "outcome")
    counts = ("deleted", "cascaded", "regenerated", "redacted")
    return {
        **{name: view[name] for name in first},
        "completed_at": view["completed_at"],
        "layers": [
            {name: layer[name] for name in _COLUMNS}
            | {name: layer[name] for name in ("reason", "action") if layer.get(name)}
            for layer in view["layers"]
        ],
        **{name: view[name] for name in counts},
        "counts": view["counts"],
        "candidates": view["candidates"],
        "questions": view["questions"],
        "answer": answers(view),
        "offers": offers(view),
        "kept": view.get("kept"),
        "earlier": view["earlier"],
        "earlier_state": view.get("earlier_state"),
        "earlier_left": view.get("earlier_left") or [],
        **({"token": view["token"]} if view.get("token") else {}),
        "certificate": str(certificate) if certificate else None,
    }


def show(view: dict[str, Any], certificate: Path | None, *, preview: bool = False) -> None:
    """The result for people."""
    say(_title(view, preview=preview))
    for line in _lines(view, preview=preview):
        say(f"  {line}")
    _show_layers(view["layers"])
    _show_candidates(view["candidates"], asked=view["state"] in _ASKING)
    _show_questions(view["questions"])
    if view["target_kind"] == "category" or view["counts"].get("other_languages"):
        say("What says it is told by detection, which misses some, most in other languages than "
            "English: look at what stays ('expunge subject export'), and name what is to go too "
            "('expunge forget memory ID').")  # fmt: skip
    for command in offers(view):
        say(f"What is kept in doubt goes too with: {command}")
    if preview and view["counts"].get("doubtful"):
        say("What is kept in doubt can go too: record the request with --plan, then answer "
            "'expunge erasure clarify REF --choose doubtful=delete'.")  # fmt: skip
    for layer in view["layers"]:
        if layer.get("action"):
            say(f"{layer['upstream']}/{layer['layer']}: {layer['action']}")
    if certificate:
        say(f"Certificate: {certificate}")


def one_scope(part: Mapping[str, Any] | None) -> str:
    """What says that only a part of a tenant is meant; empty for anything else."""
    if not part:
        return ""
    named, owners = ", ".join(each[:16] for each in part["paths"]), part["owners"]
    counted = "" if owners is None else f"; owners: {owners}"
    return f"one scope of it only (path {named}{counted})"


def waiting(view: Mapping[str, Any]) -> str:
    """Of an erasure within its grace window, when that ends; empty for any other."""
    at = view.get("execute_at")
    if view["state"] != "confirmed" or not at or at == view.get("confirmed_at"):
        return ""
    undo = f"'expunge erasure cancel {view['reference']}' takes it back"
    return f"carried out at {at}; until then {undo}"


def _title(view: dict[str, Any], *, preview: bool) -> str:
    nothing = view["outcome"] == "nothing_found"
    sure = " for certain" if view["counts"].get("doubtful") else ""
    found = f"nothing was found{sure}"
    if preview:
        return f"Preview: {found}" if nothing else "Preview"
    if nothing:
        return f"{view['reference']}: {found}, so nothing was deleted"
    if view["outcome"] == "keys_destroyed":
        return f"{view['reference']}: no data was left to delete; only keys were destroyed"
    return f"{view['reference']}: {view['state'].replace('_', ' ')}"


def _lines(view: dict[str, Any], *, preview: bool) -> Iterator[str]:
    part = one_scope(view.get("scope_path"))
    target = view["target_kind"].replace("_", " ")
    yield f"tenant {view['tenant']}, target {target}{f', {part}' if part else ''}"
    outcome = (view["outcome"] or "").replace("_", " ")
    if outcome and view["outcome"] != "nothing_found":
        yield f"outcome {outcome}"
    if not preview:
        yield ", ".join(
            f"{name.removesuffix('_at')} {view[name]}" for name in _TIMES if view.get(name)
        )
    if until := waiting(view):
        yield until
    if asked := ", ".join(_requester(view)):
        yield asked
    if kept := view.get("kept"):
        others = [f"{kept['named']} words or memories"] if kept["named"] else []
        yield f"kept on request: {', '.join([*kept['attributes'], *kept['categories'], *others])}"
    if view["earlier"]:
        yield f"the same was asked for before, in {view['earlier']}{_left_by(view)}"
    counted = list(_counted(view))
    if counted:
        yield f"memories: {', '.join(counted)}"


def _requester(view: dict[str, Any]) -> Iterator[str]:
    """By which way the request came, and how its requester was identified."""
    if channel := view.get("channel"):
        yield f"asked for by {channel.replace('_', ' ')}"
    if view.get("awaiting") == IDENTIFICATION:
        yield "requester not identified yet: tell how with --identified when you confirm"
    if known := view.get("identity"):
        yield f"requester identified: {known['method'].replace('_', ' ')}, {known['at']}"


def _left_by(view: dict[str, Any]) -> str:
    """How an earlier erasure stands that is not complete, what it left, and how it goes on."""
    state, reference = view.get("earlier_state"), view["earlier"]
    if state in {None, "complete"}:
        return ""
    left = (
        f"{each['upstream']}/{each['layer']} ({each['reason']})"
        for each in view.get("earlier_left") or ()
    )
    what = ", ".join(left)
    return (
        f": it is {state.replace('_', ' ')}"
        + (f" and left {what}" if what else "")
        + (f"; 'expunge erasure retry {reference}' takes it up" if state == "incomplete" else "")
    )


def _counted(view: dict[str, Any]) -> Iterator[str]:
    for name, words in _COUNTS.items():
        count = view["counts"].get(name)
        if count and name == "doubtful":
            count -= view["counts"].get("other_languages", 0)
        if count and not (view["state"] in _DONE and name in _PLANNED):
            yield f"{count} {words}"


def _show_layers(layers: list[dict[str, Any]]) -> None:
    rows = [layer for layer in layers if _says_something(layer)]
    if rows:
        table(
            (*_COLUMNS, "note"),
            [[*(layer[name] for name in _COLUMNS), layer.get("reason") or ""] for layer in rows],
        )
    clean = len(layers) - len(rows)
    if clean:
        say(f"Looked in {clean} {'other ' if rows else ''}layer{'s' if clean > 1 else ''} and "
            "found nothing there.")  # fmt: skip


def _says_something(layer: dict[str, Any]) -> bool:
    numbers = [layer[name] for name in ("found", "erased", "residual")]
    return any(numbers) or layer["found"] is None or layer["status"] in _KEPT


def _show_candidates(candidates: list[dict[str, Any]], *, asked: bool) -> None:
    if asks_owners(candidates):
        say("Owner ids that hold the name and more. Which of them are this person's?")
        names = ("id", "hint", "memories", "why")
        shown = [[each[name] for name in names] for each in candidates]
        table(("id", "owner", *names[2:]), [[*row[:3], _WHY.get(row[3], "")] for row in shown])
    elif candidates:
        longer = "Longer names hold this one. Forget the whole name if one of these is meant:"
        say("Which one is meant?" if asked else longer)
        names = ("id", "entity_type", "memories", "hint")
        table(("id", "type", *names[2:]), [[each[name] for name in names] for each in candidates])


_ASKED: Mapping[str, str] = {
    "mixed": "memories that are also about others",
    "derived": "memories derived from what is erased",
}


def _show_questions(questions: list[dict[str, Any]]) -> None:
    if not questions:
        return
    say("The policy leaves a decision to you: what is to happen to these?")
    rows = [
        [question_id(each), _ASKED.get(each["relation"], each["relation"]), each["items"],
         ", ".join(each["options"])]
        for each in questions
    ]  # fmt: skip
    table(("id", "what", "memories", "actions"), rows)
