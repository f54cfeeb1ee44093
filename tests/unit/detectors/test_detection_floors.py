"""What the benchmarks measured stays so: floors on the committed cases."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from detectors.engine import Detector
from detectors.settings import DetectorSettings

BENCH = Path(__file__).parents[2] / "bench"


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
