"""Operators bring their own recognisers in Presidio's YAML."""

from pathlib import Path

import pytest

from detectors.detection import Detection
from detectors.errors import DetectionError
from detectors.recognisers.custom import custom_recognisers

FILE = """
recognizers:
- name: staff
  supported_entity: STAFF_NUMBER
  patterns:
  - {name: weak, regex: '\\bE\\d{5}\\b', score: 0.3}
  context: [employee, staff id]
- name: project names
  supported_languages: [en]
  supported_entity: PROJECT
  deny_list: [Bluebird, Night Heron]
"""


def _find(path: Path, text: str) -> list[Detection]:
    return [found for one in custom_recognisers(path, 0.2) for found in one.find(text)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with a pattern and a deny list."""
    path = tmp_path / "own.yaml"
    path.write_text(FILE)
    return path


def test_pattern_is_found_with_its_score(file: Path) -> None:
    """A pattern yields its entity with the score the file gives."""
    (found,) = _find(file, "see E12345")
    assert (found.entity_type, found.start, found.end, found.score) == ("STAFF_NUMBER", 4, 10, 0.3)


def test_context_raises_the_score(file: Path) -> None:
    """A context word before the match raises the score, a part of a word does not."""
    assert _find(file, "employee E12345")[0].score == pytest.approx(0.65)
    assert _find(file, "unemployees E12345")[0].score == pytest.approx(0.3)


def test_denied_words_are_found(file: Path) -> None:
    """Words of a deny list are found as whole words."""
    assert [found.entity_type for found in _find(file, "ask Night Heron")] == ["PROJECT"]
    assert _find(file, "Bluebirds sing") == []


@pytest.mark.parametrize(
    "content",
    [
        "",
        "recognizers: 3",
        "other: []",
        "recognizers:\n- name: x\n",
        "recognizers:\n- {name: x, supported_entity: X, patterns: [{name: p, regex: '('}]}",
        "{",
        "recognizers:\n- text",
    ],
)
def test_bad_file_is_refused_without_quoting_it(tmp_path: Path, content: str) -> None:
    """A file that is not in the format is refused as a whole."""
    path = tmp_path / "own.yaml"
    path.write_text(content)
    with pytest.raises(DetectionError) as raised:
        custom_recognisers(path, 0.2)
    assert content == "" or content not in str(raised.value)
    assert raised.value.__cause__ is None


def test_missing_file_is_refused(tmp_path: Path) -> None:
    """A file that is not there is an error, not an empty list."""
    with pytest.raises(DetectionError):
        custom_recognisers(tmp_path / "none.yaml", 0.2)
