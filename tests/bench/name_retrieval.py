"""Searches by a person's name at the packaged Mem0: asked directly, and through Expunge.

The same memories, one for each of twenty people, among others that name nobody or somebody else,
are written to the store as they are and through the data plane under the default policy. Then each
person is asked for: by the whole name, by the first name, in a question, and by what the memory
says alone. A hit is an answer whose first one or five items hold the memory.

Run: ``.venv/bin/python -m tests.bench.name_retrieval``. Writes results/name_retrieval.json.
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from proxy.clock import FrozenClock
from proxy.ledger.engine import Ledger
from proxy.telemetry import configure
from tests.support.gateway import Plane, data_plane
from tests.support.ledger import START
from tests.support.mem0_store import running_store

RESULTS = Path(__file__).parent / "results" / "name_retrieval.json"
SEARCH = "/v3/memories/search/"
TOP = 5
PEOPLE = {
    "Brita Solvang": "is my dentist and works on Saturdays",
    "Conrad Ellery": "wants the quarterly figures by Monday",
    "Devika Menon": "plays badminton with me on Thursdays",
    "Etienne Garnier": "owns the migration project",
    "Folake Adeyinka": "recommended the new coffee grinder",
    "Gunther Riedl": "is allergic to peanuts",
    "Haruka Minami": "moved to the office in Bergen",
    "Ignacio Fuentes": "borrowed my drill",
    "Johanna Kessel": "organises the reading circle",
    "Kieran Doyle": "handles our insurance claims",
    "Linnea Ekdahl": "sent the signed contract back",
    "Mateusz Wrona": "is vegetarian and does not drink",
    "Nabila Hassan": "parks in bay fourteen",
    "Osvaldo Pinto": "prefers calls over e-mail",
    "Petra Novotna": "teaches my daughter the piano",
    "Quentin Harlow": "runs the bakery on the corner",
    "Ramona Stoica": "has the spare keys of the flat",
    "Soren Thygesen": "wrote the onboarding guide",
    "Tamsin Oakes": "is on parental leave until June",
    "Viktor Dragan": "reviews the security patches",
}
OTHERS = ("Alma", "Bruno", "Clara", "Dario", "Edith", "Felix", "Greta", "Hugo", "Irma", "Jonas")
FAMILIES = ("Falk", "Grimm", "Hald", "Iversen", "Jansen", "Krantz", "Lorenz", "Moritz", "Nygaard")
HABITS = ("likes rye bread", "works from home on Fridays", "has a dog", "comes by train")
NOBODY = (
    "Deploys happen on Tuesdays.", "The staging port is 5433.", "The build takes four minutes.",
    "Prefers dark mode.", "Runs ten kilometres every Sunday.", "Keeps notes in Markdown.",
    "Drinks green tea after lunch.", "The backup runs at three.", "Prefers window seats.",
    "Wants short answers.",
)  # fmt: skip
ASKED: Mapping[str, Callable[[str, str], str]] = {
    "whole_name": lambda name, _: name,
    "first_name": lambda name, _: name.split()[0],
    "question": lambda name, _: f"What do I know about {name}?",
    "question_first_name": lambda name, _: f"What did {name.split()[0]} do or want?",
    "name_and_topic": lambda name, fact: f"Is it {name.split()[0]} who {fact}?",
    "topic": lambda _, fact: f"Who {fact}?",
}


def others(number: int) -> list[str]:
    """Memories of other people and of nobody, about as many of each."""
    named = [f"{a} {b} {said}." for said in HABITS for b in FAMILIES for a in OTHERS]
    return [*NOBODY, *named][:number]


async def measure(bare: Plane, behind: Plane, among: int) -> dict[str, Any]:
    """Hits of both ways, of each kind of query, among so many other memories."""
    user = f"u-{among}"
    for text in [f"{name} {fact}." for name, fact in PEOPLE.items()] + others(among):
        for plane in (bare, behind):
            await plane.add(text, user)
    return {
        kind: {
            way: await _hits(plane, user, [ask(*each) for each in PEOPLE.items()])
            for way, plane in (("bare", bare), ("expunge", behind))
        }
        for kind, ask in ASKED.items()
    }


async def _hits(plane: Plane, user: str, queries: Sequence[str]) -> dict[str, int]:
    ranks = []
    for query, (name, fact) in zip(queries, PEOPLE.items(), strict=True):
        body = {"query": query, "filters": {"user_id": user}, "top_k": TOP}
        status, answer = await plane.call("POST", SEARCH, body)
        assert status == 200, answer
        shown = [each["memory"] for each in answer["results"]]
        said = f"{name} {fact}."
        ranks.append(shown.index(said) if said in shown else TOP)
    return {"hit_1": sum(rank < 1 for rank in ranks), "hit_5": sum(rank < TOP for rank in ranks)}


async def run(folder: Path) -> dict[str, Any]:
    """Both ways at one store."""
    template = folder / "template.db"
    await (await Ledger.open(f"sqlite+aiosqlite:///{template}")).close()  # migrated, to be copied
    with running_store(folder / "mem0") as store:
        opened = data_plane(
            folder / "plane", store.url, store.api_key, template, FrozenClock(START), tier="full"
        )
        async with opened as behind:
            bare = replace(behind, url=store.url, keys=dict.fromkeys(behind.keys, store.api_key))
            return {
                "people": len(PEOPLE),
                "top_k": TOP,
                "hits_among_other_memories": {
                    str(among): await measure(bare, behind, among) for among in (0, 180)
                },
            }


def main() -> int:
    """Measure and write."""
    configure(level="error")
    with tempfile.TemporaryDirectory(prefix="expunge-names-") as folder:
        outcome = asyncio.run(run(Path(folder)))
    RESULTS.write_text(json.dumps(outcome, indent=2) + "\n")
    print(json.dumps(outcome, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
