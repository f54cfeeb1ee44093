"""The examples in the documents work."""

import re
from pathlib import Path

import pytest

from policies import load, load_text, preferences
from policies.reference import REFERENCE_FILE
from policies.testing import run_tests
from proxy.cli.subject import setting

DOCS = REFERENCE_FILE.parent
PAGES = [DOCS / "policy.md", *sorted((DOCS / "policies").glob("*.md"))]


def examples(kind: str) -> list[str]:
    """Every complete YAML example of a kind."""
    blocks = [
        block
        for page in PAGES
        for block in re.findall(r"```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    ]
    return [block for block in blocks if f"kind: {kind}\n" in block]


@pytest.mark.parametrize("text", examples("Policy"))
def test_every_policy_in_the_documents_loads(text: str) -> None:
    """Copied and pasted, it is valid."""
    assert load_text(text.encode()).name


def test_the_fixture_in_the_documents_holds(tmp_path: Path) -> None:
    """The example of fixtures passes on the example policy."""
    (tmp_path / "acme.yaml").write_text(examples("Policy")[0])
    (suite,) = examples("PolicyTest")
    stated = suite.replace("text: Badge B dash seven", "text: Badge B dash seven, detections: []")
    (tmp_path / "acme.test.yaml").write_text(stated)
    report = run_tests(tmp_path / "acme.yaml")
    assert [case.status for case in report.cases] == ["passed", "known"]


def test_every_setting_is_documented_with_an_example_that_works() -> None:
    """What `subject prefer --set` takes stands in docs/policy.md, and its examples are granted."""
    text = (DOCS / "policy.md").read_text("utf-8")
    section = text.partition("### What a data subject can decide")[2].partition("\n## ")[0]
    examples = re.findall(r"^\| `(\w+)` \|.*--set '?(\w+)=([^'`]+)'?` \|$", section, re.MULTILINE)
    assert {name for name, _, _ in examples} == set(preferences.KEYS)
    policy = load("builtin/gdpr-default")
    for name, given, value in examples:
        said, meant = setting(f"{given}={value}")
        assert said == name
        preferences.read(policy, {said: meant})
