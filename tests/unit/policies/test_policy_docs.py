"""The examples in the documents work."""

import re
from pathlib import Path

import pytest

from policies import load_text
from policies.reference import REFERENCE_FILE
from policies.testing import run_tests

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
