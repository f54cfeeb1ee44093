"""What the benchmarks measured stays so: floors on the committed cases."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from detectors.engine import Detector
from detectors.settings import DetectorSettings
from tests.bench.detection_accuracy import named, ordinary, whole

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture(scope="module")
def detector() -> Detector:
    """Names without categories."""
    return Detector(DetectorSettings(tier="fast"))


def _load(folder: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"{folder}_bench", BENCH / folder / "run.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("half", ["tuned", "held_out"])
def test_disguised_values_stay_covered(half: str) -> None:
    """At least nine of ten disguised values of each half are covered whole."""
    bench = _load("evasion")
    lines = (BENCH / "evasion" / "cases.jsonl").read_text("utf-8").splitlines()
    detector = Detector(DetectorSettings(tier="structured"))
    assert bench.recall(detector, [json.loads(line) for line in lines], half)["recall"] >= 0.9


def test_ordinary_sentences_stay_untouched() -> None:
    """Further readings cause no redaction in ordinary sentences, and nothing else nearly none."""
    bench = _load("evasion")
    alarms = bench.false_alarms(list(bench.sentences(500, seed=3)))
    assert alarms["with_further_readings"] > 0
    assert alarms["share_caused_by_normaliser"] <= 0.002
    assert alarms["any_redaction"] <= 0.02 * 500


@pytest.mark.parametrize("half", ["tuned", "held_out"])
def test_structured_values_stay_found(half: str) -> None:
    """Recall and precision on the labelled sentences keep their floors."""
    bench = _load("structured")
    lines = (BENCH / "structured" / f"{half}.txt").read_text("utf-8").splitlines()
    scored = bench.score([bench.parse(line) for line in lines], bench.ours("structured"))
    assert scored["recall"] >= 0.99
    assert scored["precision"] >= 0.97


def test_sentences_of_eight_languages_stay_untouched(detector: Detector) -> None:
    """Nearly no plain one is changed, in no language many, and few of those with look-alikes."""
    shares = ordinary(detector)
    assert shares["plain"]["changed"] <= 0.03
    assert max(shares["plain"]["by_language"].values()) <= 0.08
    assert shares["look_alikes"]["changed"] <= 0.10


def test_people_in_eight_languages_stay_found(detector: Detector) -> None:
    """Wherever in the sentence they stand, and in small letters."""
    found = named(detector)
    assert found["recall"] >= 0.94
    assert min(found["by_language"].values()) >= 0.88


def test_names_stay_found_whole(detector: Detector) -> None:
    """Names of two halves, with particles, beside numbers and verbs: exactly the name."""
    found = whole(detector)
    assert found["exact"] >= 0.85
    assert found["by_kind"]["halves"]["cut"] == 0
