"""Explain, test, simulate, diff: what the author of a policy sees."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from detectors.detection import Analysis, CategoryScore, Detection
from detectors.engine import Detector
from detectors.settings import DetectorSettings
from policies import (
    Context,
    Policy,
    PolicyError,
    Preferences,
    builtin_names,
    load,
    load_resolved,
    load_text,
)
from policies.diff import diff
from policies.explain import explain
from policies.load import main_file
from policies.policy import resolved
from policies.simulate import Tags, simulate
from policies.testing import run_tests

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
HEAD = "apiVersion: expunge/v1\nkind: Policy\nname: mine\n"
SUITE = "apiVersion: expunge/v1\nkind: PolicyTest\ncases:\n"


def mine(text: str) -> Policy:
    """A policy that changes the default."""
    return load_text((HEAD + text).encode())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a policy of two rules."""
    (tmp_path / "mine.yaml").write_text(
        HEAD + "extends: none\nretention: {default_tier: t, tiers: {t: {duration: P1D}}}\n"
        "write:\n  entities:\n"
        "    - {id: people, when: {entities: [PERSON]}, action: tokenise}\n"
        "    - {id: links, when: {entities: [URL]}, action: tag}\n"
    )
    return tmp_path


class Finder:
    """A detector that finds one name."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def analyse(self, texts: Any) -> list[Analysis]:
        """One person in each text."""
        self.asked += texts
        return [Analysis((Detection("PERSON", 0, 4, 0.9, "f", t[:4]),)) for t in texts]


def cases(folder: Path, text: str) -> Path:
    """A fixture file beside the policy; gives the policy's path."""
    (folder / "mine.test.yaml").write_text(SUITE + text)
    return folder / "mine.yaml"


@pytest.mark.parametrize(
    ("owner", "rules"), [("user:u", []), ("run:r", ["runs"]), ("[user:u, run:r]", ["runs"])]
)
def test_a_case_may_state_one_owner_or_all(tmp_path: Path, owner: str, rules: list[str]) -> None:
    """A rule about runs sees a run beside its user."""
    rule = '{id: runs, when: {owners: ["run:*"]}, action: reject}'
    (tmp_path / "mine.yaml").write_text(f"{HEAD}write: {{texts: [{rule}]}}\n")
    given = f"{{text: x, detections: [], categories: {{}}, owner: {owner}}}"
    found = run_tests(
        cases(tmp_path, f"  - {{name: a, given: {given}, expect: {{rules: {rules}}}}}\n")
    )
    assert [case.status for case in found.cases] == ["passed"]


@pytest.mark.parametrize("name", builtin_names())
def test_the_fixtures_of_every_builtin_pass(name: str) -> None:
    """Each shipped policy has fixtures, and they hold."""
    report = run_tests(main_file(name))
    assert report.ok, [c for c in report.cases if c.status != "passed"]
    assert len(report.cases) >= 3


@pytest.mark.parametrize("name", builtin_names())
def test_every_rule_of_a_builtin_is_exercised(name: str) -> None:
    """No rule of its own without a case."""
    assert run_tests(main_file(name)).never_fired == ()


def test_inherited_rules_are_not_asked_for_again(tmp_path: Path) -> None:
    """A policy that adds one rule is covered by a case for that rule."""
    (tmp_path / "mine.yaml").write_text(
        HEAD + "write: {texts: [{id: own, when: {regions: [US]}, action: tag}]}\n"
    )
    case = "  - {{name: c, given: {{text: a, categories: {{}}, region: {}}}, expect: {{}}}}\n"
    assert run_tests(cases(tmp_path, case.format("EU"))).never_fired == ("own",)
    assert run_tests(cases(tmp_path, case.format("US"))).never_fired == ()


def test_a_report_counts_and_names_what_never_fired(folder: Path) -> None:
    """Passed, failed, known failures, unexpected passes, and rules without a case."""
    path = cases(
        folder,
        "  - {name: good, given: {text: Alva, detections: [{type: PERSON, text: Alva}]},"
        " expect: {text: Person_1, rules: [people]}}\n"
        "  - {name: bad, given: {text: Alva, categories: {}}, expect: {text: Person_1}}\n"
        "  - {name: known, fails: not yet, given: {text: Alva, categories: {}},"
        " expect: {text: Person_1}}\n"
        "  - {name: healed, fails: not yet, given: {text: Alva, categories: {}},"
        " expect: {text: Alva}}\n",
    )
    report = run_tests(path)
    assert [c.status for c in report.cases] == ["passed", "failed", "known", "unexpected"]
    assert not report.ok
    assert report.never_fired == ("links",)
    assert report.cases[1].differences == ("text: expected 'Person_1', found 'Alva'",)
    plain = json.loads(json.dumps(report.plain()))
    assert (plain["cases"], plain["passed"], plain["failed"]) == (4, 1, 1)
    assert plain["rules_never_fired"] == ["links"]
    assert report.summary() == (
        "4 cases, 1 passed, 1 failed, 1 failed as expected, 1 passed unexpectedly; "
        "rules never fired: links"
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("preferences: {categories: {health: P5Y}}", "given.preferences.categories.health: P5Y is"),
        ("preferences: {categoris: {}}", "given.preferences.categoris: unknown key"),
        ("consents: [longterm]", "did you mean long_term?"),
    ],
)
def test_a_case_that_could_never_be_fails_with_the_reason(
    tmp_path: Path, given: str, words: str
) -> None:
    """Wishes beyond the bounds and unknown consents are refused by the proxy, so by the test."""
    (tmp_path / "mine.yaml").write_text(HEAD)
    case = f"  - {{name: c, given: {{text: a, categories: {{}}, {given}}}, expect: {{text: a}}}}\n"
    (result,) = run_tests(cases(tmp_path, case)).cases
    assert result.status == "failed"
    assert words in result.differences[0]


def test_a_case_without_detections_asks_the_detector(folder: Path) -> None:
    """And without a detector it is an error, not a pass."""
    path = cases(folder, "  - {name: c, given: {text: Alva}, expect: {text: Person_1}}\n")
    finder = Finder()
    assert run_tests(path, finder).ok
    assert finder.asked == ["Alva"]
    with pytest.raises(PolicyError, match="no detector"):
        run_tests(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("  - {name: c, given: {txt: a}, expect: {}}\n", "did you mean text?"),
        ("  - {name: c, given: {text: a}, expect: {decison: allow}}\n", "did you mean decision?"),
        ("  - {name: c, given: {text: a, at: yesterday}, expect: {}}\n", "ISO 8601"),
        ("  - {name: c, given: {text: a, detections: [{type: URL, text: b}]}, expect: {}}\n",
         "does not occur"),
        ("  - {name: c, given: {text: a}, given: {text: b}, expect: {}}\n", "stands twice"),
        ("", "a list, found nothing"),
        ("  []\n", "too short"),
    ],
)  # fmt: skip
def test_fixtures_are_as_strict_as_policies(folder: Path, text: str, words: str) -> None:
    """A typing error in an expectation must not make a case pass."""
    with pytest.raises(PolicyError) as caught:
        run_tests(cases(folder, text))
    assert words in str(caught.value)


def test_missing_fixtures_are_an_error(folder: Path) -> None:
    """No file is not 'all passed'."""
    with pytest.raises(PolicyError, match="cannot be read"):
        run_tests(folder / "mine.yaml")


def test_explain_shows_detections_rules_text_and_retention() -> None:
    """The documented keys, with offsets in code points and the setting that won."""
    text = "😀 Alva Brenn has asthma; Alva Brenn and Orla"
    found = (
        Detection("PERSON", 2, 12, 0.9, "n"),
        Detection("MEDICAL_CONDITION", 17, 23, 0.8, "l"),
        Detection("PERSON", 25, 35, 0.9, "n"),
        Detection("PERSON", 40, 44, 0.9, "n"),
    )
    analysis = Analysis(found, (CategoryScore("health", 0.9),), "en")
    context = Context("write", NOW, preferences=Preferences(pinned=True))
    shown = explain(load("builtin/gdpr-default"), text, analysis, context, name="x")
    assert json.loads(json.dumps(shown)) == shown
    assert shown["id"] == "x"
    assert shown["detections"][0] == {
        "entity_type": "PERSON", "start": 2, "end": 12, "score": 0.9}  # fmt: skip
    assert shown["categories"] == [{"name": "health", "score": 0.9}]
    assert shown["decision"] == "allow"
    assert shown["text"] == "😀 Person_1 has Medical_condition_1; Person_1 and Person_2"
    assert (shown["tier"], shown["expires_after"]) == ("sensitive", "P1Y")
    assert shown["rules"] == ["people", "health-terms"]
    assert shown["retention"]["won"] == "preference:pin:bound"
    assert shown["retention"]["erased_at"] == "2027-01-22T12:00:00Z"
    assert "marketing" in shown["purposes"]["denied"]
    assert "assistant" in shown["purposes"]["allowed"]
    assert shown["policy"]["digest"].startswith("sha256:")


@pytest.mark.parametrize(
    ("source", "stored", "tier"),
    [
        ("builtin/gdpr-default", "My SSN is [us_ssn].", "sensitive_auto"),
        ("builtin/health-strict", "My SSN is [us_ssn].", "sensitive_auto"),
        ("builtin/never-forget", "My SSN is [us_ssn].", "sensitive_auto"),
        ("builtin/dev-observe", "My SSN is 219-09-4471.", "kept"),
    ],
)
def test_a_social_security_number_is_redacted_and_kept_as_financial(
    source: str, stored: str, tier: str
) -> None:
    """As the shipped policies say; the one that only looks changes nothing and shows it too."""
    text = "My SSN is 219-09-4471."
    analysis = Detector(DetectorSettings(tier="fast")).analyse([text])[0]
    shown = explain(load(source), text, analysis, Context("write", NOW))
    assert [one["name"] for one in shown["categories"]] == ["financial"]
    assert (shown["text"], shown["tier"]) == (stored, tier)


def memories() -> list[Tags]:
    """Six memories as the ledger knows them."""
    old = NOW - timedelta(days=100)
    return [
        Tags("a", old, ("health",), {"MEDICAL_CONDITION": 2}, expires_at=old + timedelta(days=30)),
        Tags("b", NOW - timedelta(days=25), ("health",), {"PERSON": 1}),
        Tags("c", NOW - timedelta(days=33), ("health",)),
        Tags("d", NOW - timedelta(days=1), ("preferences",)),
        Tags("e", NOW, ("biometric",)),
        Tags("f", NOW, ("financial",), {"CREDIT_CARD": 1}, expires_at=NOW + timedelta(days=3)),
    ]


def test_simulation_counts_what_would_happen() -> None:
    """Rejected, erased, hidden, prompted, changed, and how expiry moves; nothing by name."""
    found = simulate(load("builtin/gdpr-default"), memories(), NOW)
    assert found.memories == 6
    assert found.rejected == {"consent-missing": 1}
    assert found.erased_now == {"sensitive": 1}
    assert found.hidden_now == {"sensitive": 1}
    assert found.prompted == {"sensitive": 3}
    assert found.changed == {"encrypt": 1, "tokenise": 1, "redact": 1}
    assert (found.shortened, found.lengthened) == (2, 1)
    plain = json.loads(json.dumps(found.plain()))
    assert plain["rejected"] == {"total": 1, "by": {"consent-missing": 1}}
    assert plain["quarantined"] == {"total": 0, "by": {}}


def test_simulation_of_the_active_policy_shows_nothing() -> None:
    """Compared with itself no memory comes out otherwise; compared with another, only what does."""
    active = load("builtin/gdpr-default")
    same = simulate(active, memories(), NOW, active=active).plain()
    assert same.pop("memories") == 6
    assert all(not (n["total"] if isinstance(n, dict) else n) for n in same.values())
    other = simulate(load("builtin/never-forget"), memories(), NOW, active=active)
    assert other.different > 0
    assert (other.erased_now.total(), other.shortened) == (0, 0)
    back = simulate(active, memories(), NOW, active=load("builtin/never-forget"))
    assert back.erased_now == {"sensitive": 1}


def test_simulation_shows_a_changed_policy() -> None:
    """Never-forget erases nothing; a shorter period erases more."""
    assert simulate(load("builtin/never-forget"), memories(), NOW).erased_now.total() == 0
    shorter = mine("retention: {categories: {health: {default: P10D}}}\n")
    assert simulate(shorter, memories(), NOW).erased_now.total() == 3
    soon = mine("retention: {categories: {health: {default: P26D}}}\n")
    assert simulate(soon, memories(), NOW).hidden_now.total() == 0
    assert simulate(soon, memories(), NOW).erased_now.total() == 2


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("retention: {categories: {health: {default: P7D}}}",
         "retention.categories.health.default changes from P30D to P7D"),
        ("read: {detokenise_roles: [app, operator]}",
         "read.detokenise_roles gains operator; read.detokenise_roles loses privacy"),
        ("retention: {automatic: false}", "retention.automatic changes from true to false"),
        ("retention: {legal_maximum: P5Y}", "retention.legal_maximum is new: P5Y"),
        ("read: {purposes: {training: null}}",
         "read.purposes.training is gone: deny all, external true"),
        ("write: {entities: [{id: secrets, remove: true}]}",
         "entity rule secrets is gone: it did redact API_KEY, PASSWORD, PRIVATE_KEY"),
        ("write: {entities: [{id: eu, when: {entities: [PERSON], regions: [EU]},"
         " action: redact}]}", "entity rule eu is new: redact PERSON when regions EU"),
        ("write: {entities: [{id: secrets, when: {entities: [API_KEY, PASSWORD, PRIVATE_KEY]},"
         " action: reject}]}",
         "entity rule secrets does reject instead of redact: API_KEY, PASSWORD, PRIVATE_KEY"),
        ("write: {entities: [{id: secrets, when: {entities: [API_KEY]}, action: redact}]}",
         "entity rule secrets: when.entities loses PASSWORD, PRIVATE_KEY"),
        ("write: {texts: [{id: t, when: {}, action: quarantine}]}",
         "text rule t is new: quarantine the text"),
    ],
)  # fmt: skip
def test_diff_says_in_words_what_changed(text: str, sentence: str) -> None:
    """One sentence a change, and no others."""
    assert diff(mine(""), mine(text + "\n")) == [sentence]


def test_diff_keeps_the_order_of_the_rules_and_tells_no_absent_part() -> None:
    """The same two policies, the same words in the same order: that in which rules are tried."""
    sentences = diff(load("builtin/gdpr-default"), load("builtin/dev-observe"))
    gone = [each.split()[2] for each in sentences if each.startswith("entity rule")]
    assert gone == [rule.id for rule in load("builtin/gdpr-default").write.entities]
    assert not any("None" in each for each in sentences)


HIDING = "write: {entities: [{id: cards, when: {entities: [CREDIT_CARD]}, action: reject}]}\n"


@pytest.mark.parametrize(
    "policy",
    [*map(load, builtin_names()), mine(HIDING), mine("read: {rates: {owner: null}}\n")],
    ids=[*builtin_names(), "hides an inherited rule", "switches off"],
)
def test_a_policy_with_its_parents_written_out_is_the_same(policy: Policy) -> None:
    """What is sent to be simulated is what was checked, also where it hides what it inherited."""
    assert load_resolved(json.dumps(resolved(policy)).encode()).digest == policy.digest


def test_written_out_faults_are_still_faults() -> None:
    """Only rules that hide others are let pass."""
    with pytest.raises(PolicyError):
        load_resolved(json.dumps(resolved(mine("")) | {"kind": "Profile"}).encode())


def test_diff_of_the_same_is_empty() -> None:
    """Descriptions and comments are no change."""
    assert diff(mine(""), mine("description: words\n# more\n")) == []


def test_diff_tells_when_only_the_order_changed() -> None:
    """Order is meaning in a first-match list."""
    one = "{id: a, when: {entities: [PERSON], regions: [EU]}, action: tag}"
    two = "{id: b, when: {entities: [PERSON], regions: [US]}, action: tag}"
    before = mine(f"write: {{entities: [{one}, {two}]}}\n")
    after = mine(f"write: {{entities: [{two}, {one}]}}\n")
    (sentence,) = diff(before, after)
    assert sentence.startswith("the entity rules are tried in another order: b, a,")


def test_simulation_counts_quarantine_and_what_ends_soon() -> None:
    """A language on review, and a financial memory with three days to live."""
    policy = mine("write: {languages: [en], unsupported_language: quarantine}\n")
    found = simulate(
        policy,
        [
            Tags("a", NOW, ("preferences",), language="fi"),
            Tags("b", NOW - timedelta(days=27), ("financial",)),
        ],
        NOW,
    )
    assert found.quarantined == {"unsupported-language": 1}
    assert found.erased_soon == {"sensitive_auto": 1}
