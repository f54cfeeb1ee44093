"""Fixtures kept beside a policy: given a text and its circumstances, the expected decision."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from pydantic import ValidationError

from detectors.detection import Analysis, CategoryScore, Detection
from policies import faults, preferences
from policies.cases import Case, Given, PolicyTest
from policies.decision import NO_PREFERENCES, Context
from policies.durations import as_utc
from policies.errors import PolicyError, PolicyIssue
from policies.explain import explain
from policies.load import load
from policies.policy import Policy
from policies.suggest import nearest
from policies.yaml_tree import Tree, dotted, parse

SUFFIX = ".test.yaml"
NOW = "2026-01-15T12:00:00Z"


class Detects(Protocol):
    """What finds entities and categories in texts."""

    def analyse(self, texts: Sequence[str]) -> list[Analysis]:
        """One analysis for each text."""
        ...


@dataclass(frozen=True, slots=True)
class CaseResult:
    """How one case went; ``differences`` say expected and found, field by field."""

    name: str
    passed: bool
    expected_failure: str | None
    differences: tuple[str, ...]
    rules: tuple[str, ...]

    @property
    def status(self) -> str:
        """``passed``, ``failed``, ``known`` (failed as announced) or ``unexpected``."""
        if self.expected_failure is None:
            return "passed" if self.passed else "failed"
        return "unexpected" if self.passed else "known"


@dataclass(frozen=True, slots=True)
class Report:
    """How all cases of a policy went."""

    policy: str
    digest: str
    cases: tuple[CaseResult, ...]
    never_fired: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """No case failed, none passed that was announced to fail, and there was one at all."""
        return bool(self.cases) and all(c.status in ("passed", "known") for c in self.cases)

    def plain(self) -> dict[str, Any]:
        """The report as JSON."""
        counts = {s: sum(c.status == s for c in self.cases) for s in STATUSES}
        return {
            "policy": self.policy,
            "digest": self.digest,
            "ok": self.ok,
            "cases": len(self.cases),
            **counts,
            "rules_never_fired": list(self.never_fired),
            "results": [
                {
                    "name": c.name,
                    "status": c.status,
                    "expected_failure": c.expected_failure,
                    "differences": list(c.differences),
                    "rules": list(c.rules),
                }
                for c in self.cases
            ],
        }

    def summary(self) -> str:
        """The report in one sentence or two."""
        plain = self.plain()
        counts = ", ".join(
            f"{plain[name]} {words}" for name, words in STATUSES.items() if plain[name]
        )
        fired = ", ".join(self.never_fired) or "none"
        return f"{len(self.cases)} cases, {counts or '0 passed'}; rules never fired: {fired}"


STATUSES = {
    "passed": "passed",
    "failed": "failed",
    "known": "failed as expected",
    "unexpected": "passed unexpectedly",
}


def tests_of(path: str | Path) -> Path:
    """Where the fixtures of a policy stand: ``NAME.test.yaml`` beside ``NAME.yaml``."""
    found = Path(path)
    return found if found.name.endswith(SUFFIX) else found.with_name(found.stem + SUFFIX)


def run_tests(path: str | Path, detector: Detects | None = None) -> Report:
    """Run the fixtures beside a policy (or a fixture file itself).

    A case that lists its detections needs no detector; the others need one.

    Raises:
        PolicyError: when the policy or the fixtures do not load, or a detector is missing.
    """
    file = tests_of(path)
    suite = load_suite(file)
    source = file.parent / suite.policy if suite.policy else _policy_of(file)
    policy = load(source)
    results = [_run(policy, case, detector, file) for case in suite.cases]
    fired = {rule for result in results for rule in result.rules}
    never = tuple(rule for rule in _own_rules(policy, source) if rule not in fired)
    return Report(policy.name, policy.digest, tuple(results), never)


def _policy_of(file: Path) -> Path:
    return file.with_name(file.name.removesuffix(SUFFIX) + ".yaml")


def load_suite(file: Path) -> PolicyTest:
    """Read a fixture file.

    Raises:
        PolicyError: with every fault found.
    """
    try:
        tree = parse(file.read_bytes(), str(file))
    except OSError as error:
        hint = "write its cases beside the policy, in NAME.test.yaml"
        missing = PolicyIssue(str(file), 0, 0, "", "the cases cannot be read", hint)
        raise PolicyError([missing]) from error
    suite = None
    try:
        suite = PolicyTest.model_validate(tree.data)
    except ValidationError as error:
        tree.issues += _issues(tree, error)
    if suite is None or tree.issues:
        raise PolicyError(tree.issues)
    return suite


def _issues(tree: Tree, error: ValidationError) -> Iterable[PolicyIssue]:
    for path, message, hint in faults.faults(PolicyTest, error):
        place = tree.place(path)
        yield PolicyIssue(tree.file, place.line, place.column, dotted(path), message, hint)


def _run(policy: Policy, case: Case, detector: Detects | None, file: Path) -> CaseResult:
    if faulty := tuple(_impossible(policy, case.given)):
        return CaseResult(case.name, False, case.fails, faulty, ())
    analysis = _analysis(case.given, detector, file)
    found = explain(policy, case.given.text, analysis, context_of(policy, case.given))
    found |= {"categories": found["retention"]["categories"]}
    found |= {k: found["retention"][k] for k in ("expires_at", "prompt_at", "won")}
    expected = case.expect.model_dump(mode="json", exclude_unset=True)
    wrong = tuple(_differences(expected, found))
    return CaseResult(case.name, not wrong, case.fails, wrong, tuple(found["rules"]))


def _impossible(policy: Policy, given: Given) -> Iterable[str]:
    """What the running proxy would never come to: it refuses such consents and wishes."""
    for name in given.consents:
        if name not in policy.consent.names:
            hint = nearest(name, policy.consent.names) or "list it in consent.names"
            yield f"given.consents: the policy knows no consent {name}; {hint}"
    try:
        preferences.read(policy, given.preferences or {})
    except preferences.PreferenceError as refused:
        yield from (f"given.preferences.{e.path}: {e.message}" for e in refused.errors)


def _differences(expected: dict[str, Any], found: dict[str, Any]) -> Iterable[str]:
    for name, wanted in expected.items():
        got = found[name]
        same = sorted(got) == sorted(wanted) if isinstance(wanted, list) else got == wanted
        if not same:
            yield f"{name}: expected {wanted!r}, found {got!r}"


def context_of(policy: Policy, given: Given) -> Context:
    """The circumstances of a case."""
    at = datetime.fromisoformat(given.at or NOW)
    inherited = given.inherited_expiry
    return Context(
        operation=given.operation,
        at=as_utc(at),
        purpose=given.purpose,
        consents=frozenset(given.consents),
        region=given.region,
        source=given.source,
        owners=frozenset(given.owner),
        infer=given.infer,
        preferences=preferences.read(policy, given.preferences)
        if given.preferences
        else NO_PREFERENCES,
        inherited_categories=frozenset(given.inherited_categories),
        inherited_expiry=as_utc(datetime.fromisoformat(inherited)) if inherited else None,
        upstream_region=given.upstream_region,
        entities=frozenset(given.about),
        content_at=as_utc(datetime.fromisoformat(given.content_at)) if given.content_at else None,
        suspicion=dict(given.suspicion),
    )


def _analysis(given: Given, detector: Detects | None, file: Path) -> Analysis:
    if given.detections is not None or given.categories is not None:
        return _stated(given)
    if detector is None:
        missing = "a case lists no detections, and there is no detector to find them"
        raise PolicyError([PolicyIssue(str(file), 0, 0, "cases", missing)])
    found = detector.analyse([given.text])[0]
    return replace(found, language=given.language or found.language)


def _stated(given: Given) -> Analysis:
    detections: list[Detection] = []
    for stated in given.detections or ():
        behind = max((d.end for d in detections if d.text == stated.text), default=0)
        start = given.text.index(stated.text, behind)
        detections.append(
            Detection(
                stated.type,
                start,
                start + len(stated.text),
                stated.score,
                stated.recogniser,
                stated.text,
            )
        )
    scores = [CategoryScore(name, score) for name, score in (given.categories or {}).items()]
    ordered = sorted(detections, key=lambda d: (d.start, d.end))
    return Analysis(tuple(ordered), tuple(scores), given.language or "en")


def _own_rules(policy: Policy, source: Path) -> list[str]:
    """The rules that stand in the policy's own file; inherited ones are tested where they are."""
    written = parse(source.read_bytes(), str(source)).data.get("write", {})
    own = {rule["id"] for name in ("entities", "texts") for rule in written.get(name, ())}
    return [rule.id for rule in (*policy.write.entities, *policy.write.texts) if rule.id in own]
