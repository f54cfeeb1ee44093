"""Measures disguised values: recall on both halves of the cases, false alarms on plain sentences.

The held-out half was written before it was first run: 48 of 50 were covered then. One of the two
misses, base64 directly after an equals sign, was mended since; nothing else was tuned on it.
Run as ``python tests/bench/evasion/run.py``; writes ``result.json`` beside itself.
"""

import json
import platform
import sys
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[2])]

from ordinary import sentences  # noqa: E402  # found through the path above

from detectors.detection import Detection  # noqa: E402
from detectors.engine import Detector  # noqa: E402
from detectors.readings.normalise import Readings, readings  # noqa: E402
from detectors.settings import DetectorSettings  # noqa: E402
from detectors.structured import StructuredFinder  # noqa: E402

SENTENCES = 2_000
SEED = 20_261_127
REPORTED_ONLY = {"MONEY", "RELATIONSHIP", "DATE_TIME"}  # never redacted by default


def main() -> None:
    """Measure, print and write."""
    detector = Detector(DetectorSettings(tier="structured"))
    cases = [json.loads(line) for line in (HERE / "cases.jsonl").read_text().splitlines()]
    result = {
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "presidio": version("presidio-analyzer"),
        "recall": {half: recall(detector, cases, half) for half in ("tuned", "held_out")},
        "false_alarms": false_alarms(list(sentences(SENTENCES, SEED))),
    }
    (HERE / "result.json").write_text(json.dumps(result, indent=1, ensure_ascii=True) + "\n")
    print(json.dumps(result, indent=1))


def recall(detector: Detector, cases: Iterable[dict[str, Any]], half: str) -> dict[str, Any]:
    """How many cases of a half are covered whole, how many of them with the right type."""
    chosen = [case for case in cases if case["split"] == half]
    covered = [case for case in chosen if covers(detector, case)]
    typed = [case for case in covered if covers(detector, case, case["type"])]
    return {
        "cases": len(chosen),
        "covered": len(covered),
        "right_type": len(typed),
        "recall": round(len(covered) / len(chosen), 3),
        "missed": [f"{case['id']} {case['kind']}" for case in chosen if case not in covered],
    }


def covers(detector: Detector, case: dict[str, Any], entity_type: str = "") -> bool:
    """Whether every code point of the disguised value lies in a detection."""
    start = case["text"].index(case["covered"])
    wanted = set(range(start, start + len(case["covered"])))
    for found in detector.analyse([case["text"]])[0].detections:
        if entity_type in {"", found.entity_type}:
            wanted -= set(range(found.start, found.end))
    return not any(case["text"][index].isalnum() for index in wanted)


def false_alarms(texts: list[str]) -> dict[str, Any]:
    """Sentences in which only a further reading, or any reading, yields something to redact."""
    finder = StructuredFinder(DetectorSettings(tier="structured"))
    by_reading, anyhow, further = [], [], 0
    for text in texts:
        read = readings(text)
        further += bool(read.others)
        plain = redactable(finder.find(Readings(read.plain)))
        everything = redactable(finder.find(read))
        if everything:
            anyhow.append(text)
        if len(everything) > len(plain):
            by_reading.append(text)
    return {
        "sentences": len(texts),
        "with_further_readings": further,
        "caused_by_normaliser": len(by_reading),
        "share_caused_by_normaliser": round(len(by_reading) / len(texts), 4),
        "any_redaction": len(anyhow),
        "examples": sorted(set(by_reading))[:10],
        "examples_any": sorted(set(anyhow))[:10],
    }


def redactable(found: Iterable[Detection]) -> set[tuple[int, int]]:
    """Spans that a policy would act on."""
    return {
        (one.start, one.end)
        for one in found
        if one.score >= DetectorSettings().minimum_score and one.entity_type not in REPORTED_ONLY
    }


if __name__ == "__main__":
    main()
