"""Foreign eyes: inspeximus' residue scanner over the store's files and ours after an erasure.

The scanner is installed into a folder of its own (it is no dependency); where it cannot be had, the
bench says so and is skipped. Run: ``.venv/bin/python -m tests.bench.external [scenarios]``.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.bench.residue import WAYS, Way, write
from tests.bench.residue_scenarios import Scenario, generate

SCANNER = "inspeximus==3.23.1"
RESULTS = Path(__file__).parent / "results" / "external.json"
SCAN = (
    "import json, sys; from inspeximus.erasure_residue import scan_residue; "
    "print(json.dumps(scan_residue(sys.argv[1], json.load(sys.stdin)), default=str))"
)
LONGEST_INSTALL_S = 120


def install(folder: Path) -> str | None:
    """Put the scanner into a folder; gives the reason where that fails."""
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder)]
    try:
        done = subprocess.run(
            [*command, SCANNER], capture_output=True, text=True, timeout=LONGEST_INSTALL_S,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "the installation took too long"
    return None if done.returncode == 0 else "the package index does not give it"


def scan(scanner: Path, folder: Path, values: Sequence[str]) -> dict[str, Any]:
    """What the scanner finds of the values in a folder."""
    done = subprocess.run(
        [sys.executable, "-c", SCAN, str(folder)], input=json.dumps(list(values)), text=True,
        capture_output=True, check=True, env=os.environ | {"PYTHONPATH": str(scanner)},
    )  # fmt: skip
    report: dict[str, Any] = json.loads(done.stdout)
    kinds = Counter(finding.get("kind", "?") for finding in report["findings"])
    return {"clean": report["ok"], "files": report["checked_files"],
            "skipped": len(report["skipped"]), "findings": dict(kinds)}  # fmt: skip


def run(way: Way, scenarios: Sequence[Scenario], place: Path, scanner: Path) -> dict[str, Any]:
    """Write, forget, stop, and let the scanner look at every file."""
    with way.start(place) as side:
        ids = [write(side, scenario) for scenario in scenarios]
        pairs = zip(scenarios, ids, strict=True)
        states = Counter(way.forget(side, scenario, own) for scenario, own in pairs)
        folders = {"store": side.store_files, "own": side.own_files}
    gone = [memory.word for each in scenarios for memory in each.memories if memory.goes]
    found = {name: scan(scanner, folder, gone) for name, folder in folders.items() if folder}
    return {"states": dict(states), **found}


def main(count: int) -> int:
    """Scan bare Mem0 and Mem0 behind Expunge; 1 if anything is found behind Expunge."""
    with tempfile.TemporaryDirectory(prefix="expunge-external-") as folder:
        scanner = Path(folder) / "scanner"
        if reason := install(scanner):
            print(f"skipped: {SCANNER}: {reason}")
            return 0
        scenarios = generate(count)
        chosen = [way for way in WAYS if way.name in {"mem0", "expunge"}]
        found = {way.name: run(way, scenarios, Path(folder) / way.name, scanner) for way in chosen}
    RESULTS.write_text(json.dumps({"scanner": SCANNER, "scenarios": count, **found}, indent=2))
    print(json.dumps(found, indent=2))
    return int(not (found["expunge"]["store"]["clean"] and found["expunge"]["own"]["clean"]))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
