"""Forgetting Residue Score: how much of what was said of a person each tier still gives away.

A real conversation (LoCoMo) is written with its provenance: turns, facts distilled from them,
summaries distilled from those. One speaker is forgotten in three ways. The score of a tier is the
share of the speaker's facts that a reader of that tier can still tell; the headline is the worst
tier. After "Deployment-time memorization" (arXiv 2606.10062).

Run: ``.venv/bin/python -m tests.bench.residue_score [sessions]``; the conversation is read from
``../shared/data/locomo`` and is not part of this repository. Skipped where it is absent.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proxy.demo import client as application
from proxy.demo.stage import Side, bare, behind_expunge
from tests.bench.content_words import content_words
from tests.bench.residue import by_expunge
from tests.bench.residue_scenarios import Scenario
from tests.support import mem0_library  # noqa: F401  (first: it keeps Mem0 quiet)

SOURCE = Path(__file__).parents[3] / "shared" / "data" / "locomo" / "26.json"
RESULTS = Path(__file__).parent / "results" / "residue_score.json"
TOLD = 0.6  # of a fact's content words, in a text that concerns the person
THREADS = 4
TIERS = ("turn", "fact", "summary")


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory of the conversation; ``sources`` are positions of those it was made from."""

    tier: str
    owner: str
    text: str
    sources: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation in writing order, and the facts about the one to be forgotten."""

    person: str
    entries: tuple[Entry, ...]
    facts: tuple[str, ...]

    def derived(self) -> set[int]:
        """Positions of her own turns and of all that derives from them, over any steps."""
        found: set[int] = set()
        for position, entry in enumerate(self.entries):
            own = entry.tier == "turn" and entry.owner == self.person.lower()
            if own or found & set(entry.sources):
                found.add(position)
        return found


def load(sessions: int) -> Talk:
    """The first sessions of the conversation; its first speaker is the one to be forgotten."""
    raw: dict[str, Any] = json.loads(SOURCE.read_text())
    entries: list[Entry] = []
    person = str(raw["speaker_a"])
    for number in range(1, sessions + 1):
        turns = {turn["dia_id"]: len(entries) + n
                 for n, turn in enumerate(raw[f"session_{number}"])}  # fmt: skip
        entries += [Entry("turn", turn["speaker"].lower(), turn["text"])
                    for turn in raw[f"session_{number}"]]  # fmt: skip
        facts = [
            Entry("fact", speaker.lower(), text, _positions(turns, evidence))
            for speaker, told in raw[f"session_{number}_observation"].items()
            for text, evidence in told
        ]
        sources = tuple(range(len(entries), len(entries) + len(facts)))
        summary = Entry("summary", "both", raw[f"session_{number}_summary"], sources)
        entries += [*facts, summary]
    told = [entry.text for entry in entries if entry.tier == "fact" and person in entry.text
            and entry.owner == person.lower()]  # fmt: skip
    return Talk(person, tuple(entries), tuple(told))


def _positions(turns: dict[str, int], evidence: Any) -> tuple[int, ...]:
    named = evidence if isinstance(evidence, list) else [evidence]
    return tuple(turns[each] for each in named if each in turns)


def write(side: Side, talk: Talk) -> list[str]:
    """Write the conversation tier by tier; gives the ids ("" where a write was refused)."""
    client, ids = application.connect(side), [""] * len(talk.entries)

    def one(position: int) -> None:
        entry = talk.entries[position]
        sources = [ids[source] for source in entry.sources if ids[source]]
        reply = client.add(
            [{"role": "user", "content": entry.text}], user_id=entry.owner, infer=False,
            metadata={"expunge": {"derived_from": sources}},
        )  # fmt: skip
        ids[position] = reply["results"][0]["id"] if reply["results"] else ""

    for tier in TIERS:
        with ThreadPoolExecutor(THREADS) as pool:
            positions = [n for n, entry in enumerate(talk.entries) if entry.tier == tier]
            list(pool.map(one, positions))
    return ids


# -- the three ways --------------------------------------------------------------------------------


def raw_only(side: Side, talk: Talk, ids: Sequence[str]) -> str:
    """Delete what she said herself."""
    client = application.connect(side)
    for entry, memory_id in zip(talk.entries, ids, strict=True):
        if entry.tier == "turn" and entry.owner == talk.person.lower():
            client.delete(memory_id)
    return "complete"


def by_source(side: Side, talk: Talk, ids: Sequence[str]) -> str:
    """Delete what she said and all that was made of it."""
    client = application.connect(side)
    for position in talk.derived():
        client.delete(ids[position])
    return "complete"


def expunge(side: Side, talk: Talk, _: Sequence[str]) -> str:
    """Ask for the person to be forgotten: their own id, and every mention."""
    target = {"kind": "subject", "value": talk.person, "type": "PERSON",
              "owner": talk.person.lower()}  # fmt: skip
    return by_expunge(side, Scenario("talk", "subject", target, (), (), ()), ())


Way = tuple[Callable[[Path], AbstractContextManager[Side]],
            Callable[[Side, Talk, Sequence[str]], str]]  # fmt: skip
WAYS: dict[str, Way] = {
    "raw_only": (bare, raw_only),
    "by_source": (bare, by_source),
    "expunge": (behind_expunge, expunge),
}


# -- the score -------------------------------------------------------------------------------------


def texts(side: Side, talk: Talk, ids: Sequence[str]) -> dict[str, list[tuple[int, str]]]:
    """By tier, what can be read: listed memories, and every version in the history."""
    client = application.connect(side)
    listed: dict[str, str] = {}
    for owner in {entry.owner for entry in talk.entries}:
        listed |= application.everything(client, owner)
    found: dict[str, list[tuple[int, str]]] = {tier: [] for tier in (*TIERS, "history")}
    for position, (entry, memory_id) in enumerate(zip(talk.entries, ids, strict=True)):
        if memory_id in listed:
            found[entry.tier].append((position, listed[memory_id]))
        if memory_id:
            past = application.history(client, [memory_id])
            found["history"] += [(position, text) for text in past if text]
    return found


def score(talk: Talk, readable: dict[str, list[tuple[int, str]]]) -> dict[str, float]:
    """By tier, the share of her facts that its texts about her still tell."""
    hers = talk.derived()
    shares = {}
    for tier, entries in readable.items():
        about = [content_words(text) for position, text in entries
                 if position in hers or talk.person.casefold() in text.casefold()]  # fmt: skip
        told = sum(any(_tells(words, fact) for words in about) for fact in talk.facts)
        shares[tier] = round(told / len(talk.facts), 3)
    return shares


def _tells(words: frozenset[str], fact: str) -> bool:
    wanted = content_words(fact)
    return len(words & wanted) >= TOLD * len(wanted)


def named(talk: Talk, readable: dict[str, list[tuple[int, str]]]) -> int:
    """How many readable texts still name her."""
    return sum(talk.person.casefold() in text.casefold()
               for entries in readable.values() for _, text in entries)  # fmt: skip


def run(name: str, talk: Talk, folder: Path) -> dict[str, Any]:
    """One way on a store of its own."""
    start, forget = WAYS[name]
    with start(folder / name) as side:
        ids = write(side, talk)
        before = score(talk, texts(side, talk, ids))
        state = forget(side, talk, ids)
        readable = texts(side, talk, ids)
    after = score(talk, readable)
    hers = talk.derived()
    others = [n for n, entry in enumerate(talk.entries)
              if n not in hers and talk.person not in entry.text and ids[n]]  # fmt: skip
    kept = {position for tier in TIERS for position, _ in readable[tier]}
    return {
        "state": state, "before": before, "after": after, "worst_tier": max(after.values()),
        "texts_naming_her": named(talk, readable),
        "refused_writes": ids.count(""), "others": len(others),
        "others_lost": sum(position not in kept for position in others),
    }  # fmt: skip


def main(sessions: int) -> int:
    """Score all ways and write the results; 1 if Expunge leaves anything."""
    if not SOURCE.exists():
        print(f"skipped: {SOURCE} is not there")
        return 0
    talk = load(sessions)
    with tempfile.TemporaryDirectory(prefix="expunge-score-") as folder:
        ways = {name: run(name, talk, Path(folder)) for name in WAYS}
    report = {"sessions": sessions, "memories": len(talk.entries), "facts": len(talk.facts),
              "ways": ways}  # fmt: skip
    RESULTS.write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps(report, indent=2))
    return int(ways["expunge"]["worst_tier"] > 0 or ways["expunge"]["state"] != "complete")


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 8))
