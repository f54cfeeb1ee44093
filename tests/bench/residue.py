"""Residue: what is left of erased memories, by every route and in every file, of three ways.

Bare Mem0 with its own deletes; deletion by ids recorded at write time with the history scrubbed
beside the store; Expunge. The same generated scenarios for all. Writes results/residue.json.

Run: ``.venv/bin/python -m tests.bench.residue [scenarios] [stores]``.
"""

import json
import os
import sqlite3
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from proxy.demo import client as application
from proxy.demo.stage import Side, bare, behind_expunge
from tests.bench.residue_scenarios import Memory, Scenario, generate
from tests.support import mem0_library  # noqa: F401  (first: it keeps Mem0 quiet)
from tests.support.scripted_llm import scripted_llm

RESULTS = Path(__file__).parent / "results" / "residue.json"
THREADS = 4
ASKED: list[str] = []  # scenarios in which Expunge asked who was meant
Ids = Mapping[str, Sequence[str]]  # scenario → id of each of its memories


@dataclass(frozen=True, slots=True)
class Way:
    """One way to forget: the store it runs on and how it erases one scenario's target."""

    name: str
    start: Callable[[Path], AbstractContextManager[Side]]
    forget: Callable[[Side, Scenario, Sequence[str]], str]


# -- writing ---------------------------------------------------------------------------------------


def write(side: Side, scenario: Scenario) -> list[str]:
    """Write a scenario as an application does; gives the ids."""
    client, ids = application.connect(side), []
    for memory in scenario.memories:
        provenance = {"derived_from": [ids[source] for source in memory.sources]}
        reply = client.add(
            [{"role": "user", "content": memory.text}], user_id=memory.owner,
            infer=memory.inferred,
            metadata={**memory.metadata, "expunge": provenance},
        )  # fmt: skip
        ids.append(_inferred(client, memory) if memory.inferred else reply["results"][0]["id"])
    for memory, memory_id in zip(scenario.memories, ids, strict=True):
        if memory.update:
            client.update(memory_id, text=memory.update)
        if memory.early:
            client.delete(memory_id)
    return ids


def _inferred(client: Any, memory: Memory) -> str:
    """The id of a memory that the store makes after it has answered."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for memory_id, text in application.everything(client, memory.owner).items():
            if memory.word in text.casefold():
                return memory_id
        time.sleep(0.2)
    raise RuntimeError("the store has not made a memory of a message")


# -- forgetting ------------------------------------------------------------------------------------


def by_store(side: Side, scenario: Scenario, _: Sequence[str]) -> str:
    """What a careful application does with the store alone: list all, delete what names them."""
    client = application.connect(side)
    if scenario.target["kind"] == "owner":
        client.delete_all(user_id=scenario.target["value"])
        return "complete"
    if scenario.target["kind"] == "subject":
        client.delete_all(user_id=scenario.target["owner"])
    for owner in scenario.owners:
        for memory_id, text in application.everything(client, owner).items():
            if scenario.target["value"].casefold() in text.casefold():
                client.delete(memory_id)
    return "complete"


def by_id(side: Side, scenario: Scenario, ids: Sequence[str]) -> str:
    """Delete the ids that were recorded for the person, scrub their history, count them by id."""
    client = application.connect(side)
    recorded = [
        memory_id for memory, memory_id in zip(scenario.memories, ids, strict=True)
        if memory.tagged
    ]  # fmt: skip
    for memory, memory_id in zip(scenario.memories, ids, strict=True):
        if memory.tagged and not memory.early:
            client.delete(memory_id)
    with sqlite3.connect(side.store_files / "history.db", timeout=30) as history:
        history.executemany("DELETE FROM history WHERE memory_id = ?", [(i,) for i in recorded])
    return "complete"


def by_expunge(side: Side, scenario: Scenario, _: Sequence[str]) -> str:
    """Ask the control plane, answer who is meant if it asks, confirm; gives the state."""
    view = ask(side, "/v1/erasures", {"target": scenario.target})
    if view["state"] == "needs_clarification":
        wanted = str(scenario.target.get("value")).casefold()
        meant = [each["id"] for each in view["candidates"] if each["hint"].casefold() == wanted]
        ASKED.append(scenario.name)
        view = ask(side, f"/v1/erasures/{view['id']}/clarify", {"entity_ids": meant})
    if view["state"] == "planned":
        body = {"confirm": "confirmed", "token": view["token"]}
        ask(side, f"/v1/erasures/{view['id']}/confirm", body)
    while (view := ask(side, f"/v1/erasures/{view['id']}"))["state"] in {
        "confirmed", "executing", "verifying",
    }:  # fmt: skip
        time.sleep(0.05)
    return str(view["state"])


def ask(side: Side, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """One call of the control plane."""
    assert side.dev_dir is not None
    dev = json.loads((side.dev_dir / "dev.json").read_text())
    request = urllib.request.Request(
        dev["control_url"] + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {dev['admin_token']}",
                 "Content-Type": "application/json"},
    )  # fmt: skip
    with urllib.request.urlopen(request, timeout=120) as reply:
        return dict(json.loads(reply.read()))


WAYS = (
    Way("mem0", bare, by_store),
    Way("ids_and_history", bare, by_id),
    Way("expunge", behind_expunge, by_expunge),
)


# -- looking ---------------------------------------------------------------------------------------


def look(side: Side, scenario: Scenario, ids: Sequence[str]) -> Counter[str]:
    """What the store's own routes still show, and what they should show and do not."""
    client = application.connect(side)
    listed = "\n".join(
        text for owner in scenario.owners
        for text in application.everything(client, owner).values()
    ).casefold()  # fmt: skip
    gone = [memory.word for memory in scenario.memories if memory.goes]
    queries = [*scenario.needles[:1], *gone]
    found = "\n".join(
        text for owner in scenario.owners for text in application.search(client, owner, queries)
    ).casefold()
    past = "\n".join(application.history(client, ids)).casefold()
    erased = [*gone, *(needle.casefold() for needle in scenario.needles[:1])]
    kept = [memory.word for memory in scenario.memories if not memory.goes]
    return Counter({
        "api_list": sum(word in _cleared(scenario, listed) for word in erased),
        "api_search": sum(word in _cleared(scenario, found) for word in erased),
        "api_history": sum(word in _cleared(scenario, past) for word in erased),
        "survivors_lost": sum(word not in listed for word in kept),
        "survivors": len(kept),
    })  # fmt: skip


def _cleared(scenario: Scenario, text: str) -> str:
    """The lines of a text that are not a survivor's: a longer address may hold a shorter one."""
    kept = [memory.word for memory in scenario.memories if not memory.goes]
    lines = (line for line in text.splitlines() if not any(word in line for word in kept))
    return "\n".join(lines)


def layers(side: Side, words: Iterable[str]) -> dict[str, Counter[str]]:
    """By canary, how often it stands in the bytes of each layer's files."""
    folders = {"store": side.store_files, "expunge": side.own_files}
    wanted = [word.casefold().encode() for word in words]
    found: dict[str, Counter[str]] = {}
    for place, folder in folders.items():
        for path in sorted(folder.rglob("*")) if folder else ():
            if path.is_file():
                data = path.read_bytes().lower()
                name = "bytes_expunge" if place == "expunge" else _layer(path.relative_to(folder))
                for word in wanted:
                    if count := data.count(word):
                        found.setdefault(word.decode(), Counter())[name] += count
    for word, count in _buffered(side.store_files / "history.db", wanted):
        found.setdefault(word, Counter())["rows_messages"] += count
    return found


def _buffered(path: Path, words: Sequence[bytes]) -> Iterator[tuple[str, int]]:
    """By canary, how many raw messages of the store's buffer hold it."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as store:
        rows = [str(row[0]).casefold() for row in store.execute("SELECT content FROM messages")]
    for word in (each.decode() for each in words):
        if count := sum(word in row for row in rows):
            yield word, count


def _layer(path: Path) -> str:
    if path.name.startswith("history.db"):
        return "bytes_history"
    return "bytes_entities" if "entit" in str(path).casefold() else "bytes_vectors"


# -- the run ---------------------------------------------------------------------------------------


def run(way: Way, scenarios: Sequence[Scenario], folder: Path) -> list[dict[str, Any]]:
    """Write everything, forget everyone, look everywhere; one row per scenario."""
    with way.start(folder) as side, ThreadPoolExecutor(THREADS) as pool:
        written = list(pool.map(lambda scenario: write(side, scenario), scenarios))
        pairs = list(zip(scenarios, written, strict=True))
        words = [word for each in scenarios for word in _words(each)]
        planted = layers(side, words)
        started = time.perf_counter()
        states = [way.forget(side, scenario, ids) for scenario, ids in pairs]
        took = time.perf_counter() - started
        seen = list(pool.map(lambda pair: look(side, *pair), pairs))
        left = layers(side, words)
    return [
        {
            "name": scenario.name, "kind": scenario.kind, "state": state,
            "seconds": took / len(scenarios),
            "planted": _bytes_of(scenario, planted), **hits, **_bytes_of(scenario, left),
        }
        for scenario, state, hits in zip(scenarios, states, seen, strict=True)
    ]  # fmt: skip


def _bytes_of(scenario: Scenario, left: Mapping[str, Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for word in _words(scenario):
        total += left.get(word.casefold(), Counter())
    return total


def _words(scenario: Scenario) -> list[str]:
    """What no byte may hold: the canaries, and the name unless a survivor's holds it too."""
    kept = "\n".join(each.text for each in scenario.memories if not each.goes).casefold()
    names = [each for each in scenario.needles[:1] if each.casefold() not in kept]
    return [*(each.word for each in scenario.memories if each.goes), *names]


PLACES = ("api_list", "api_search", "api_history", "rows_messages",
          "bytes_history", "bytes_vectors", "bytes_entities", "bytes_expunge")  # fmt: skip


def summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Totals of one way, the worst layer, and how often it claimed too much."""
    totals = {place: sum(row.get(place, 0) for row in rows) for place in PLACES}
    dirty = [row for row in rows if any(row.get(place, 0) for place in PLACES)]
    planted: Counter[str] = sum((row["planted"] for row in rows), Counter())
    return {
        "before": dict(sorted(planted.items())),
        **totals,
        "worst_layer": max(totals.values()),
        "scenarios": len(rows),
        "scenarios_with_residue": len(dirty),
        "false_complete": sum(row["state"] == "complete" for row in dirty),
        "not_complete": sum(row["state"] != "complete" for row in rows),
        "survivors": sum(row["survivors"] for row in rows),
        "survivors_lost": sum(row["survivors_lost"] for row in rows),
        "seconds_per_erasure": round(sum(row["seconds"] for row in rows) / len(rows), 3),
    }


def main(count: int, stores: int) -> int:
    """Run all ways and write the results; 1 if Expunge left, lost or claimed anything wrongly."""
    scenarios = generate(count)
    rows: dict[str, list[dict[str, Any]]] = {way.name: [] for way in WAYS}
    with tempfile.TemporaryDirectory(prefix="expunge-residue-") as folder, scripted_llm() as model:
        os.environ |= {"EXPUNGE_STORE_LLM_URL": model.url, "EXPUNGE_STORE_LLM_MODEL": "scripted"}
        for way in WAYS:
            for group in range(stores):
                place = Path(folder) / f"{way.name}-{group}"
                rows[way.name] += run(way, scenarios[group::stores], place)
    outcome = {name: summary(each) for name, each in rows.items()}
    kinds = {
        name: {kind: sum(bool(row.get(place)) for row in each if row["kind"] == kind
                         for place in PLACES) for kind in sorted({row["kind"] for row in each})}
        for name, each in rows.items()
    }  # fmt: skip
    versions = {name: version(name) for name in ("expunge", "mem0ai", "qdrant-client")}
    report = {"versions": versions, "scenarios": count, "stores": stores,
              "expunge_asked_who_was_meant": len(ASKED), "ways": outcome,
              "layers_with_residue_by_kind": kinds}  # fmt: skip
    RESULTS.write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps(outcome, indent=2))
    for row in rows["expunge"]:
        if row["state"] != "complete" or row["survivors_lost"] or any(map(row.get, PLACES)):
            print(row)
    ours = outcome["expunge"]
    wrong = ("worst_layer", "survivors_lost", "false_complete", "not_complete")
    return int(any(ours[each] for each in wrong))


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:]]
    sys.exit(main(*[*given, 200, 4][: max(2, len(given))] if len(given) != 1 else (given[0], 1)))
