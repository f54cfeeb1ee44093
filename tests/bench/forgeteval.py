"""ForgetEval (arXiv 2606.15903): its purge and release cases, bare Mem0 beside Mem0 behind Expunge.

The cases are read from a copy of the public repository ``WaylandYang/forgeteval-anon-supp`` (MIT)
and are not part of this one. No language model takes part: texts are stored as they are, and
``supersede`` cases, which ask a model to see a contradiction, are left out. What the words of a
case ask for is turned into requests by the rules below, the same for every case.

Run: ``.venv/bin/python -m tests.bench.forgeteval FOLDER`` (or FORGETEVAL=FOLDER); skipped where
there is none.
"""

import ast
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from tests.support import mem0_library  # noqa: F401  (first: it keeps Mem0 quiet)

# isort: split

from proxy.demo import client as application
from proxy.demo.stage import Side, bare, behind_expunge
from tests.bench.content_words import content_words
from tests.bench.residue import ask, by_expunge
from tests.bench.residue_scenarios import Scenario

RESULTS = Path(__file__).parent / "results" / "forgeteval.json"
EXTERNAL = Path("data/external_subset_cases_v07.json")
ADVERSARIAL = Path("bench/forgeteval/adversarial.py")
VERBS = {"purge", "release"}
TOP = 5
WHOLE = re.compile(r"^(?:everything|all|anything) (?:about|on|of) ", re.IGNORECASE)
NAME = re.compile(r"\b[A-Z][a-z]+(?:\s[A-Z][a-z]+)*\b|[A-Z]+(?:-[A-Z]+)+")
LONG_NUMBER = re.compile(r"\d{5,}$")
ALTERNATIVES = re.compile(r"\s+(?:/|aka)\s+")
SIGNS = re.compile(r"[@_/#]|\w[-.]\w|[a-zA-Z]\d|\d[a-zA-Z]")


@dataclass(frozen=True, slots=True)
class Case:
    """One case; ``changes`` are (verb, words) pairs."""

    id: str
    category: str
    facts: tuple[str, ...]
    changes: tuple[tuple[str, str], ...]
    query: str
    needed: tuple[str, ...]
    forbidden: tuple[str, ...]


# -- reading the cases -----------------------------------------------------------------------------


def load(folder: Path) -> list[Case]:
    """Cases of the external subset and of the adversarial set that only purge and release."""
    raw: list[dict[str, Any]] = []
    if (folder / EXTERNAL).exists():
        raw += json.loads((folder / EXTERNAL).read_text("utf-8-sig"))["admitted_cases"]
    if (folder / ADVERSARIAL).exists():
        raw += _literals((folder / ADVERSARIAL).read_text())
    cases = {each["id"]: each for each in raw if {m[0] for m in each["mutations"]} <= VERBS}
    return [_case(each) for each in cases.values()]


def _literals(source: str) -> Iterator[dict[str, Any]]:
    """The arguments of every case in a Python file, which is read and never run."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "GeneratedCase":
            given = {word.arg or "": ast.literal_eval(word.value) for word in node.keywords}
            yield {**given, "category": re.sub(r"^adv_|_\d+$", "", given["id"])}


def _case(raw: dict[str, Any]) -> Case:
    return Case(
        raw["id"], raw["category"], tuple(raw["setup_facts"]),
        tuple((verb, words) for verb, words in raw["mutations"]), raw["final_query"],
        tuple(raw["must_contain"]), tuple(raw["must_not_contain"]),
    )  # fmt: skip


# -- the two sides ---------------------------------------------------------------------------------


def forms(words: str) -> list[str]:
    """The spellings that words give of one thing: ``A / B``, ``A aka B``, a name in two scripts."""
    parts = ALTERNATIVES.split(words)
    if len(parts) == 1:
        parts = [" ".join(run) for _, run in groupby(words.split(), str.isascii)]
    found = [_form(part) for part in parts] if len(parts) > 1 else []
    return [form for form in dict.fromkeys(found) if form]


def _form(part: str) -> str:
    """An identifier if there is one, else the words that are no ordinary ones."""
    words = [word.strip("(),.") for word in part.split()]
    marked = [word for word in words if any(map(str.isdigit, word)) or SIGNS.search(word)]
    named = [word for word in words if word and not (word.isascii() and word.islower())]
    return marked[0] if marked else " ".join(named)


def with_store(side: Side, owner: str, verb: str, words: str) -> None:
    """Delete what the store finds first: all that its own routes offer for words."""
    client = application.connect(side)
    for query in forms(words) or [words]:
        found = client.search(query, filters={"user_id": owner}, top_k=1, threshold=0.0)["results"]
        for hit in found:
            client.delete(hit["id"])


def with_expunge(side: Side, owner: str, verb: str, words: str) -> None:
    """An identifier or a whole person: the erasure of it; else the memories that are meant."""
    names = forms(words) or _identifiers(words)
    if not names and WHOLE.match(words):
        names = NAME.findall(WHOLE.sub("", words))[:1]
    if not names and verb == "purge":
        names = [name for name in NAME.findall(words) if " " in name][:1]
    if names:
        target = {"kind": "entity", "values": names, "owner": owner}
        if ask(side, "/v1/erasures", {"target": target, "dry_run": True})["counts"].get("found"):
            _erase(side, target)
            return
    meant = _meant(side, owner, words)
    if meant:
        _erase(side, {"kind": "memory", "values": meant})


def _identifiers(words: str) -> list[str]:
    given = [word.strip("(),") for word in words.split()]
    found = [
        each for each in given
        if (SIGNS.search(each) and any(map(str.isalnum, each)))
        or (each.isdecimal() and len(each) > 4)
    ]  # fmt: skip
    found.sort(key=lambda each: not any(map(str.isdigit, each)))
    return found[:1]


def _erase(side: Side, target: dict[str, Any]) -> str:
    return by_expunge(side, Scenario("case", "case", target, (), (), ()), ())


def _meant(side: Side, owner: str, words: str) -> list[str]:
    """Memories that hold every name of the words, and most of the rest."""
    client = application.connect(side)
    names = {word.casefold() for name in NAME.findall(words) for word in name.split()}
    asked = content_words(words)
    scores = {
        memory_id: len(asked & content_words(text))
        for memory_id, text in application.everything(client, owner).items()
        if names <= content_words(text.replace("'s", ""))
    }
    best = max(scores.values(), default=0)
    ranked = client.search(words, filters={"user_id": owner}, top_k=50, threshold=0.0)["results"]
    return [hit["id"] for hit in ranked if best and scores.get(hit["id"]) == best][:1]


# -- scoring ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verdict:
    """Pass or fail by both scorers, and what failed."""

    plain: bool
    probed: bool
    missing: tuple[str, ...]
    shown: tuple[str, ...]
    refused: int
    hidden: bool  # the write policy had kept something needed out of the store
    gone: bool  # nothing stored holds something needed any more


Change = Callable[[Side, str, str, str], None]
Way = tuple[Callable[[Path], AbstractContextManager[Side]], Change]
WAYS: dict[str, Way] = {"mem0": (bare, with_store), "expunge": (behind_expunge, with_expunge)}


def play(side: Side, case: Case, change: Change) -> Verdict:
    """Write, change, ask: as the suite's own scorers do, plain and probed."""
    from mem0.exceptions import MemoryError as Refusal  # not before Mem0 was told to keep quiet

    client, refused = application.connect(side), 0
    for fact in case.facts:
        try:
            client.add([{"role": "user", "content": fact}], user_id=case.id, infer=False)
        except Refusal:
            refused += 1
    written = " ".join(application.everything(client, case.id).values()).casefold()
    hidden = any(each.casefold() not in written for each in case.needed)
    for verb, words in case.changes:
        change(side, case.id, verb, words)
    answer = _recall(side, case.id, [case.query])
    left = " ".join(application.everything(client, case.id).values()).casefold()
    probed = answer + " " + _recall(side, case.id, case.forbidden)
    missing = tuple(each for each in case.needed if each.casefold() not in answer)
    shown = tuple(each for each in case.forbidden if each.casefold() in probed)
    ranked = any(each.casefold() in answer for each in case.forbidden)
    return Verdict(
        not missing and not ranked, not missing and not shown, missing, shown, refused, hidden,
        any(each.casefold() not in left for each in missing),
    )  # fmt: skip


def _recall(side: Side, owner: str, queries: Sequence[str]) -> str:
    client = application.connect(side)
    texts = []
    for query in queries:
        reply = client.search(query, filters={"user_id": owner}, top_k=TOP, threshold=0.0)
        texts += [item["memory"] for item in reply["results"]]
    return " ".join(texts).casefold()


def reason(case: Case, verdict: Verdict) -> str:
    """Why Expunge failed a case, as far as the case itself tells."""
    if verdict.refused or verdict.hidden:
        return "the write policy kept a needed text out of the store"
    if verdict.shown:
        return "another spelling of it was not recognised"
    holding = [fact for fact in case.facts if any(each in fact for each in case.needed)]
    if not verdict.gone:
        return "what is needed is stored and was not ranked high enough"
    words = content_words(" ".join(words for _, words in case.changes))
    asked = max(case.facts, key=lambda fact: len(content_words(fact) & words))
    if holding == [asked]:
        return "the text to be forgotten is the only one that holds the needed answer"
    return "a text that should stay is deleted or hidden"


def table(cases: Sequence[Case], verdicts: dict[str, list[Verdict]]) -> dict[str, Any]:
    """Passed of all, per category, way and scorer."""
    rows: dict[str, Any] = {}
    for category in [*sorted({case.category for case in cases}), "all"]:
        mine = [n for n, case in enumerate(cases) if category in {case.category, "all"}]
        rows[category] = {"cases": len(mine)} | {
            f"{way}_{scorer}": sum(getattr(found[n], scorer) for n in mine)
            for way, found in verdicts.items()
            for scorer in ("plain", "probed")
        }
    return rows


def main(folder: Path) -> int:
    """Play all cases on both sides; prints the table and what failed."""
    if not folder.exists():
        print(f"skipped: {folder} is not there")
        return 0
    cases, verdicts = load(folder), {}
    with tempfile.TemporaryDirectory(prefix="expunge-forgeteval-") as place:
        for name, (start, change) in WAYS.items():
            with start(Path(place) / name) as side:
                verdicts[name] = [play(side, case, change) for case in cases]
    rows = table(cases, verdicts)
    failed = {
        case.id: reason(case, verdict)
        for case, verdict in zip(cases, verdicts["expunge"], strict=True) if not verdict.probed
    }  # fmt: skip
    RESULTS.write_text(json.dumps({"table": rows, "expunge_failed": failed}, indent=2) + "\n")
    print(json.dumps({"table": rows, "expunge_failed": failed}, indent=2))
    return 0


if __name__ == "__main__":
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("FORGETEVAL", ".forgeteval")
    sys.exit(main(Path(given)))
