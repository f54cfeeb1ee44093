"""THREAT_MODEL.md names controls and tests that exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "THREAT_MODEL.md").read_text("utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TEXT.splitlines()
    if re.match(r"\| [STRIDE]\d+ \|", line)
]
TESTS = sorted(set(re.findall(r"`(tests/[^`]+)`", TEXT)))
CODE = sorted(set(re.findall(r"`((?:proxy|policies|detectors|deploy)/[^`]+)`", TEXT)))


@cache
def functions(path: Path) -> frozenset[str]:
    """Names of the test functions of a file."""
    tree = ast.parse(path.read_text("utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, kinds))


def exists(reference: str) -> bool:
    """Whether ``FILE`` or ``FILE::FUNCTION`` is in the tree."""
    file, _, function = reference.partition("::")
    path = ROOT / file
    return path.is_file() and (not function or function in functions(path))


@pytest.mark.parametrize("reference", TESTS)
def test_named_tests_exist(reference: str) -> None:
    """A renamed or removed test must be taken out of its row."""
    assert exists(reference)


@pytest.mark.parametrize(
    "reference",
    ["tests/unit/deploy/test_gone.py", "tests/unit/deploy/test_threat_model.py::test_gone"],
)
def test_a_missing_test_would_be_noticed(reference: str) -> None:
    """The twin: neither a file nor a function that is not there passes."""
    assert not exists(reference)


@pytest.mark.parametrize("reference", CODE)
def test_named_code_exists(reference: str) -> None:
    """A control that was moved must be found where its row says."""
    assert (ROOT / reference).exists()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_row_names_a_test_or_says_that_there_is_none(row: list[str]) -> None:
    """Number, threat, control and test are filled in; the test column is a path or the words."""
    number, threat, control, test = row
    assert number
    assert threat
    assert control
    assert test == "no test yet" or re.fullmatch(r"`tests/[^`]+`(, `tests/[^`]+`)*", test)


def test_rows_are_numbered_without_gaps() -> None:
    """S1, S2, … in each section, so that a row can be cited."""
    numbers: dict[str, list[int]] = {}
    for row in ROWS:
        numbers.setdefault(row[0][0], []).append(int(row[0][1:]))
    assert len(numbers) == 6
    assert all(found == list(range(1, len(found) + 1)) for found in numbers.values())
