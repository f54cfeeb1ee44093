"""What Expunge adds to a write and a read: the bare store and the same store behind it, in one run.

Run with ``make bench``. Figures are medians of paired calls made in turn, so a slow moment of the
machine hits both sides.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from proxy.demo import client as application
from proxy.demo.conversation import load
from proxy.demo.stage import bare, behind_expunge

ROUNDS = 60
OWNER = "bench-owner"


def _milliseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1000


def _percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def main() -> None:
    """Measure and print."""
    texts = [utterance.text for utterance in load().utterances]
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        with bare(base / "bare") as plain, behind_expunge(base / "expunge") as guarded:
            sides = {side.name: application.connect(side) for side in (plain, guarded)}
            calls: dict[str, Callable[[object, str], object]] = {
                "write (add, infer=False)": lambda c, t: c.add(  # type: ignore[attr-defined]
                    [{"role": "user", "content": t}], user_id=OWNER, infer=False
                ),
                "read (search)": lambda c, t: c.search(t, filters={"user_id": OWNER}),  # type: ignore[attr-defined]
                "read (get_all)": lambda c, t: c.get_all(filters={"user_id": OWNER}, page_size=10),  # type: ignore[attr-defined]
            }
            _report({name: _measure(sides, call, texts) for name, call in calls.items()})


def _measure(
    sides: dict[str, object], call: Callable[[object, str], object], texts: list[str]
) -> dict[str, list[float]]:
    timings: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(ROUNDS + 5):
        text = f"{texts[number % len(texts)]} ({number})"
        for name, client in sides.items():
            taken = _milliseconds(lambda client=client, text=text: call(client, text))  # type: ignore[misc]
            if number >= 5:  # the first calls warm caches
                timings[name].append(taken)
    return timings


def _report(results: dict[str, dict[str, list[float]]]) -> None:
    table = Table(title=f"Milliseconds, {ROUNDS} paired calls each")
    for column in ("call", "bare p50", "behind p50", "added p50", "bare p99", "behind p99"):
        table.add_column(column, justify="left" if column == "call" else "right")
    for name, timings in results.items():
        plain, guarded = timings.values()
        low, high = statistics.median(plain), statistics.median(guarded)
        tails = (_percentile(plain, 0.99), _percentile(guarded, 0.99))
        table.add_row(name, *(f"{value:.1f}" for value in (low, high, high - low, *tails)))
    Console().print(table)


if __name__ == "__main__":
    main()
