"""Retrieval with tokens against without: how often the top five hold the evidence of a question.

Turns and distilled facts of real conversations (LoCoMo) are encoded with the packaged encoder as
they are, with names and identifiers replaced by tokens, and as the default policy lets the store
see them; the questions likewise. A hit is a memory that has a turn of the question's evidence.
Tokens hold letters drawn by chance, which an encoder reads too: every way with tokens is taken for
several tenants, each with its own, and the rate in the middle counts.

Run: ``.venv/bin/python -m tests.bench.token_retrieval [FOLDER] [questions]``; the conversations are
not part of this repository. Skipped where they are absent. Writes results/token_retrieval.json.
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import policies
from detectors.categories.encoder import Encoder
from detectors.detection import Analysis
from detectors.engine import Detector
from detectors.settings import DetectorSettings
from policies import Context, Edit, apply_edits, decide
from proxy.clock import FrozenClock
from proxy.keys.file import FileKek
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger, Tx
from proxy.telemetry import configure
from proxy.tokens.vault import Mention, TokenVault

SOURCE = Path(__file__).parents[3] / "shared" / "data" / "locomo"
RESULTS = Path(__file__).parent / "results" / "token_retrieval.json"
NOW = datetime(2026, 1, 5, tzinfo=UTC)
TOP = 5
TENANTS = 5
WAYS = {"tokens": frozenset({"tokenise", "encrypt"}), "default_policy": None}
BATCH = 64


@dataclass(frozen=True, slots=True)
class Talk:
    """Memories of one conversation with the turns they rest on, and its questions."""

    memories: tuple[tuple[str, frozenset[str]], ...]
    questions: tuple[tuple[str, frozenset[str]], ...]


def load(path: Path, questions: int) -> Talk:
    """Turns and facts, and the answerable questions (category 5 has no answer in the text)."""
    raw: dict[str, Any] = json.loads(path.read_text())
    memories: list[tuple[str, frozenset[str]]] = []
    for key, value in raw.items():
        if key.startswith("session_") and key.removeprefix("session_").isdigit():
            memories += [
                (f"{turn['speaker']}: {turn['text']}", frozenset([turn["dia_id"]]))
                for turn in value
            ]
        elif key.endswith("_observation"):
            memories += [
                (text, frozenset(evidence if isinstance(evidence, list) else [evidence]))
                for told in value.values()
                for text, evidence in told
            ]
    asked = [
        (each["question"], frozenset(each["evidence"]))
        for each in raw["qa"]
        if each["category"] != 5 and each["evidence"]
    ]
    return Talk(tuple(memories), tuple(asked[:questions]))


async def hidden(
    vault: TokenVault, ledger: Ledger, tenant_id: str, texts: Sequence[str],
    found: Sequence[Analysis], kinds: frozenset[str] | None,
) -> list[str]:  # fmt: skip
    """Texts after the default policy's edits; of all actions, or of the given ones alone."""
    policy = policies.load("builtin/gdpr-default")
    context = Context(operation="write", at=NOW)
    shown = []
    for text, analysis in zip(texts, found, strict=True):
        decision = decide(policy, analysis.detections, analysis.categories, context)
        edits = [edit for edit in decision.edits if kinds is None or edit.action in kinds]
        words: dict[tuple[str, str], str] = {}

        def note(edit: Edit, original: str, words: dict[tuple[str, str], str] = words) -> str:
            return words.setdefault((edit.entity_type, original), original)

        apply_edits(text, edits, note)
        named = [Mention(entity_type, original) for entity_type, original in words]
        minted = await ledger.write(lambda tx, n=named: vault.tokenise(tx, tenant_id, n))
        tokens = {key: each.token for key, each in zip(words, minted, strict=True)}
        shown.append(apply_edits(text, edits, lambda e, o, t=tokens: t[(e.entity_type, o)]))
    return shown


def hits(encoder: Encoder, talk: Talk, memories: Sequence[str], questions: Sequence[str]) -> int:
    """Questions with evidence among the nearest memories."""
    near = encoder.encode(questions) @ encoder.encode(memories).T
    best = np.argsort(-near, axis=1)[:, :TOP]
    return sum(
        any(not talk.memories[n][1].isdisjoint(evidence) for n in row)
        for row, (_, evidence) in zip(best, talk.questions, strict=True)
    )


async def measure(talks: Sequence[Talk], folder: Path) -> dict[str, Any]:
    """Hit rates of the three ways over all conversations."""
    ledger = await Ledger.open(f"sqlite+aiosqlite:///{folder}/ledger.db")
    clock = FrozenClock(NOW)
    keyring = await KeyRing.open(ledger, FileKek(folder / "kek.json"), clock)

    async def unit(tx: Tx) -> list[str]:
        return [await keyring.create_tenant(tx, f"acme-{n}") for n in range(TENANTS)]

    tenants = await ledger.write(unit)
    vault, detector, encoder = TokenVault(ledger, keyring, clock), _detector(), Encoder()
    total = changed = 0
    found = {name: [0] * TENANTS for name in ("original", *WAYS)}
    for talk in talks:
        texts = [text for text, _ in talk.memories] + [text for text, _ in talk.questions]
        seen: list[Analysis] = []
        for start in range(0, len(texts), BATCH):
            seen += detector.analyse(texts[start : start + BATCH])
        total += len(talk.questions)
        cut = len(talk.memories)
        plain = hits(encoder, talk, texts[:cut], texts[cut:])
        for n, tenant_id in enumerate(tenants):
            found["original"][n] += plain
            for name, kinds in WAYS.items():
                shown = await hidden(vault, ledger, tenant_id, texts, seen, kinds)
                found[name][n] += hits(encoder, talk, shown[:cut], shown[cut:])
                if n == 0 and name == "tokens":
                    changed += sum(a != b for a, b in zip(texts, shown, strict=True))
    await ledger.close()
    every = {name: [round(100 * n / total, 2) for n in numbers] for name, numbers in found.items()}
    rates = {name: median(each) for name, each in every.items()}
    return {
        "conversations": len(talks),
        "memories": sum(len(talk.memories) for talk in talks),
        "questions": total,
        "texts_with_tokens": changed,
        "top5_hit_rate_percent": rates,
        "with_each_tenants_tokens": sorted(every["tokens"]),
        "loss_points": {
            name: round(rates["original"] - rates[name], 2) for name in ("tokens", "default_policy")
        },
    }


def _detector() -> Detector:
    return Detector(DetectorSettings(tier="full"))


def main(source: Path, questions: int) -> int:
    """Measure and write."""
    files = sorted(source.glob("*.json"))
    if not files:
        print(f"skipped: no conversations in {source}")
        return 0
    configure(level="error")
    talks = [load(path, questions) for path in files]
    with tempfile.TemporaryDirectory(prefix="expunge-retrieval-") as folder:
        outcome = asyncio.run(measure(talks, Path(folder)))
    RESULTS.write_text(json.dumps(outcome, indent=2) + "\n")
    print(json.dumps(outcome, indent=2))
    return 0


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(main(Path(given[0]) if given else SOURCE, int(given[1]) if len(given) > 1 else 1_000))
