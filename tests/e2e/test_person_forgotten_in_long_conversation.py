"""One speaker of a real long conversation is forgotten; the other keeps what is theirs."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from proxy.demo import client as application
from proxy.demo.conversation import Utterance
from proxy.demo.residue import bytes_per_file
from proxy.demo.stage import Side, behind_expunge, expunge

CONVERSATION = Path(__file__).parents[3] / "shared" / "data" / "locomo" / "26.json"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1500),
    pytest.mark.skipif(
        not CONVERSATION.exists(), reason="the conversation's licence keeps it out of this project"
    ),
]


@dataclass(frozen=True)
class Written:
    """A memory as it was written: under whom, with which words."""

    owner: str
    text: str


@dataclass(frozen=True)
class Script:
    """The utterances of a conversation, and who speaks."""

    forget: str
    keep: str
    utterances: list[Utterance]


def _refs(evidence: object) -> tuple[str, ...]:
    parts = evidence if isinstance(evidence, list) else [evidence]
    return tuple(ref.strip() for part in parts for ref in str(part).split(","))


def _script() -> Script:
    data = json.loads(CONVERSATION.read_text())
    utterances = []
    for number in range(1, 100):
        key = f"session_{number}"
        if key not in data:
            break
        utterances += [
            Utterance(turn["speaker"], "turn", turn["dia_id"], turn["text"]) for turn in data[key]
        ]
        facts = [
            Utterance(speaker, "fact", f"O{number}:{speaker}:{index}", fact, _refs(evidence))
            for speaker, found in data[f"{key}_observation"].items()
            for index, (fact, evidence) in enumerate(found)
        ]
        sources = tuple(fact.ref for fact in facts)
        utterances += facts
        utterances += [
            Utterance(owner, "summary", f"S{number}:{owner}", data[f"{key}_summary"], sources)
            for owner in (data["speaker_a"], data["speaker_b"])
        ]
    return Script(data["speaker_a"], data["speaker_b"], utterances)


def _write(side: Side, script: Script) -> dict[str, Written]:
    client = application.connect(side)
    written = {}
    for utterance in script.utterances:
        reply = client.add(
            [{"role": "user", "content": utterance.text}],
            user_id=utterance.owner.lower(),
            metadata={"expunge": {"ref": utterance.ref, "derived_from": list(utterance.sources)}},
            infer=False,
        )
        written |= {
            item["id"]: Written(utterance.owner.lower(), utterance.text)
            for item in reply["results"]
        }
    return written


@pytest.fixture(scope="module")
def side(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Side]:
    """Expunge in front of a real Mem0, as ``expunge dev`` starts both."""
    with behind_expunge(tmp_path_factory.mktemp("dev") / "data") as running:
        yield running


def test_name_is_gone_everywhere_and_the_other_speaker_keeps_everything(side: Side) -> None:
    """0 occurrences in lists, searches, histories and bytes; all unrelated memories unchanged."""
    script = _script()
    written = _write(side, script)
    names = re.compile(rf"\b{script.forget}('s)?\b", re.IGNORECASE)
    before = application.everything(application.connect(side), script.keep.lower())
    assert before == {i: w.text for i, w in written.items() if w.owner == script.keep.lower()}

    done = expunge(
        "forget", "entity", script.forget, "--dev", str(side.dev_dir), "--confirm", "confirmed",
        "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["state"] == "complete"

    client = application.connect(side)
    owners = (script.forget.lower(), script.keep.lower())
    after = {owner: application.everything(client, owner) for owner in owners}
    for texts in after.values():
        assert not [text for text in texts.values() if names.search(text)]
    queries = [utterance.text[:200] for utterance in script.utterances[:: len(written) // 50]]
    for owner in owners:
        hits = application.search(client, owner, [script.forget, *queries])
        assert not [text for text in hits if names.search(text)]
    assert not [text for text in application.history(client, written) if names.search(text)]

    untouched = {
        memory_id: memory.text
        for memory_id, memory in written.items()
        if memory.owner == script.keep.lower() and not names.search(memory.text)
    }
    kept = {i: text for i, text in after[script.keep.lower()].items() if i in untouched}
    print(f"\n{len(kept)} of {len(untouched)} memories of the other speaker kept")
    assert kept == untouched

    for folder in (side.store_files, side.own_files):
        assert folder is not None
        assert _word_hits(folder, script.forget) == {}


def _word_hits(folder: Path, name: str) -> dict[str, int]:
    word = re.compile(
        rb"(?<![A-Za-z0-9+/=_-])" + name.encode() + rb"(?![A-Za-z0-9+/=_-])", re.IGNORECASE
    )
    return {
        file: count
        for file in bytes_per_file(folder, [name])
        if (count := len(word.findall((folder / file).read_bytes())))
    }
