"""What the policy makes of texts, in this process: detection, decision, edits."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, BinaryIO

from detectors.detection import Analysis
from detectors.engine import Detector
from detectors.settings import DetectorSettings
from detectors.suspicion import suspicion
from policies import Context, Policy, Preferences, load
from policies.explain import explain
from policies.preferences import PreferenceError
from policies.preferences import read as read_preferences
from proxy.clock import SystemClock
from proxy.problems import EXIT_ERROR, EXIT_OK, Problem

_BATCH = 64
OPERATIONS = ("write", "update", "search", "read")
_FIELDS = (
    "owner", "purpose", "operation", "at", "consents", "region", "source", "infer", "preferences",
    "about",
)  # fmt: skip
Write = Callable[[Mapping[str, Any]], None]


class Explainer:
    """Explains texts under one policy.

    Args:
        source: builtin/NAME or a file.
        given: defaults for every text: owner, purpose, operation, at, consents, region, source,
            infer, preferences; and the tier.
    """

    def __init__(self, source: str, given: Mapping[str, Any]) -> None:
        self._policy = load(source)
        self._detector = Detector(DetectorSettings(tier=given["tier"]))
        self._given = {**given, "source": given.get("origin")}

    def explain(self, cases: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """One result for each case (``id``, ``text`` and optionally the context's fields)."""
        analyses = self._detector.analyse([case["text"] for case in cases])
        return [self._one(case, found) for case, found in zip(cases, analyses, strict=True)]

    def _one(self, case: Mapping[str, Any], found: Analysis) -> dict[str, Any]:
        context = self.context(case)
        result = explain(self._policy, case["text"], found, context, name=case.get("id"))
        for scored in (*result["detections"], *result["categories"]):
            scored["score"] = round(scored["score"], 4)
        return result

    def context(self, case: Mapping[str, Any]) -> Context:
        """The circumstances of a case.

        Raises:
            Problem: ``invalid-request`` for a time that is none, or wishes beyond the bounds.
        """
        values = {name: case.get(name, self._given.get(name)) for name in _FIELDS}
        at, owner = values.pop("at"), values.pop("owner")
        wishes = values.pop("preferences")
        return Context(
            at=_instant(at) if at else SystemClock().now(),
            owners=frozenset({owner if ":" in owner else f"user:{owner}"} if owner else ()),
            consents=frozenset(values.pop("consents") or ()),
            entities=frozenset(values.pop("about") or ()),
            preferences=_preferences(self._policy, wishes) if wishes else Preferences(),
            suspicion=suspicion(case["text"]),
            **{**values, "operation": values["operation"] or "write"},
        )


def _preferences(policy: Policy, wishes: Any) -> Preferences:
    try:
        return read_preferences(policy, wishes)
    except PreferenceError as refused:
        errors = [{"pointer": f"/{e.path}", "detail": e.message} for e in refused.errors]
        raise Problem(
            "invalid-request", "The policy does not allow these preferences.", errors=errors
        ) from None


def _instant(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        raise Problem("invalid-request", "'at' is not an RFC 3339 time.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def run_lines(explainer: Explainer, lines: BinaryIO, write: Write) -> int:
    """Explain JSON lines in batches; a line that cannot be read is answered with its problem."""
    bad = False
    batch: list[Mapping[str, Any]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            case = _case(line)
            explainer.context(case)
        except Problem as problem:
            _flush(explainer, batch, write)
            write({"id": None, "line": number, "problem": problem.body(f"line-{number}")})
            bad = True
            continue
        batch.append(case)
        if len(batch) == _BATCH:
            _flush(explainer, batch, write)
    _flush(explainer, batch, write)
    return EXIT_ERROR if bad else EXIT_OK


def _flush(explainer: Explainer, batch: list[Mapping[str, Any]], write: Write) -> None:
    for result in explainer.explain(batch) if batch else ():
        write(result)
    batch.clear()


def _case(line: bytes) -> Mapping[str, Any]:
    try:
        case = json.loads(line)
    except (ValueError, RecursionError):
        raise Problem("malformed-body", "The line is not valid JSON.") from None
    if not isinstance(case, dict) or not isinstance(case.get("text"), str):
        raise Problem("invalid-request", "The line is not an object with a text.")
    wrong = [name for name in _FIELDS if case.get(name) is not None and not _fits(name, case[name])]
    if wrong:
        errors = [{"pointer": f"/{name}", "detail": _WANTED[name]} for name in wrong]
        raise Problem("invalid-request", "The line holds a value of another kind.", errors=errors)
    return case


_WANTED = dict.fromkeys(("owner", "purpose", "region", "source", "at"), "a string") | {
    "operation": f"one of {', '.join(OPERATIONS)}",
    "consents": "a list of strings",
    "about": "a list of strings",
    "infer": "true or false",
    "preferences": "an object",
}


def _fits(name: str, value: Any) -> bool:
    match _WANTED[name]:
        case "a string":
            return isinstance(value, str)
        case "a list of strings":
            return isinstance(value, list) and all(isinstance(each, str) for each in value)
        case "true or false":
            return isinstance(value, bool)
        case "an object":
            return isinstance(value, dict)
        case _:
            return value in OPERATIONS
