"""What the policy makes of texts, in this process: detection, decision, edits."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, BinaryIO

from detectors.detection import Analysis
from detectors.engine import Detector
from detectors.identity import canonical
from detectors.settings import DetectorSettings
from policies import Context, Edit, apply_edits, decide, load
from proxy.clock import SystemClock
from proxy.problems import EXIT_ERROR, EXIT_OK, Problem
from proxy.pseudonyms import Pseudonyms

_BATCH = 64
_FIELDS = ("owner", "purpose", "operation", "at", "consents", "region", "source")


class Explainer:
    """Explains texts under one policy.

    Args:
        source: builtin/NAME or a file.
        given: defaults for every text: owner, purpose, operation, at, consents, region, tier.
    """

    def __init__(self, source: str, given: Mapping[str, Any]) -> None:
        self._policy = load(source)
        self._detector = Detector(DetectorSettings(tier=given["tier"]))
        self._given = {**given, "source": given.get("origin")}
        self._pseudonyms = Pseudonyms(os.urandom(32))

    def explain(self, cases: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """One result for each case (``id``, ``text`` and optionally the context's fields)."""
        analyses = self._detector.analyse([case["text"] for case in cases])
        return [self._one(case, found) for case, found in zip(cases, analyses, strict=True)]

    def _one(self, case: Mapping[str, Any], found: Analysis) -> dict[str, Any]:
        decision = decide(self._policy, found.detections, found.categories,
                          self._context(case, found))  # fmt: skip
        return {
            "id": case.get("id"),
            "detections": [
                {
                    "entity_type": d.entity_type,
                    "start": d.start,
                    "end": d.end,
                    "score": round(d.score, 4),
                }
                for d in found.detections
            ],
            "categories": [{"name": c.name, "score": round(c.score, 4)} for c in found.categories],
            "decision": decision.outcome,
            "text": apply_edits(case["text"], decision.edits, self._surrogate),
            "tier": decision.tier,
            "expires_after": decision.expires_after,
            "rules": list(decision.rules),
            "reason": decision.reason,
            "tags": list(decision.tags),
        }

    def _context(self, case: Mapping[str, Any], found: Analysis) -> Context:
        values = {name: case.get(name, self._given.get(name)) for name in _FIELDS}
        at = values.pop("at")
        owner = values.pop("owner")
        return Context(
            at=datetime.fromisoformat(at) if at else SystemClock().now(),
            owner=f"user:{owner}" if owner and ":" not in owner else owner,
            consents=frozenset(values.pop("consents") or ()),
            text_length=len(case["text"]),
            language=found.language,
            **values,
        )

    def _surrogate(self, edit: Edit, original: str) -> str:
        """A token as the service would make it; its own keys are not known here."""
        key = canonical(original, edit.entity_type)
        stem = edit.entity_type.title().replace("_", "")
        return f"{stem}_{self._pseudonyms.of('entity', edit.entity_type, key).hex()[:6]}"


def run_lines(
    explainer: Explainer, lines: BinaryIO, write: Callable[[Mapping[str, Any]], None]
) -> int:
    """Explain JSON lines in batches; a line that cannot be read is answered with its problem."""
    bad = False
    batch: list[Mapping[str, Any]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        case = _case(line)
        if isinstance(case, Problem):
            _flush(explainer, batch, write)
            write({"id": None, "line": number, "problem": case.body("")})
            bad = True
            continue
        batch.append(case)
        if len(batch) == _BATCH:
            _flush(explainer, batch, write)
    _flush(explainer, batch, write)
    return EXIT_ERROR if bad else EXIT_OK


def _flush(
    explainer: Explainer,
    batch: list[Mapping[str, Any]],
    write: Callable[[Mapping[str, Any]], None],
) -> None:
    for result in explainer.explain(batch) if batch else ():
        write(result)
    batch.clear()


def _case(line: bytes) -> Mapping[str, Any] | Problem:
    try:
        case = json.loads(line)
    except ValueError:
        return Problem("malformed-body", "The line is not valid JSON.")
    if not isinstance(case, dict) or not isinstance(case.get("text"), str):
        return Problem("invalid-request", "The line is not an object with a text.")
    return case
