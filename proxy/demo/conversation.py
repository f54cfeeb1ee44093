"""The demo's conversation: what was said, what was distilled from it, and from what."""

from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from ruamel.yaml import YAML


@dataclass(frozen=True, slots=True)
class Utterance:
    """One memory to write.

    Args:
        owner: under whose user id it is kept.
        kind: turn, fact or summary.
        ref: its name within the conversation; other utterances point to it.
        text: the words.
        sources: refs it was distilled from.
    """

    owner: str
    kind: str
    ref: str
    text: str
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversation:
    """The whole script: its memories in writing order, who is forgotten, what may not remain."""

    forget: str
    needles: tuple[str, ...]
    utterances: tuple[Utterance, ...]

    @property
    def owners(self) -> tuple[str, ...]:
        """Owner ids in order of appearance."""
        return tuple(dict.fromkeys(utterance.owner for utterance in self.utterances))

    def names_her(self, text: str) -> bool:
        """Whether a text contains one of the needles."""
        return any(needle in text.casefold() for needle in self.needles)

    def affected(self) -> frozenset[str]:
        """Refs that name the person, or derive, over any number of steps, from one that does."""
        found: set[str] = set()
        for utterance in self.utterances:  # sources come before what is derived from them
            if self.names_her(utterance.text) or found & set(utterance.sources):
                found.add(utterance.ref)
        return frozenset(found)


def load() -> Conversation:
    """Read the conversation that ships with the demo."""
    text = files("proxy.demo").joinpath("conversation.yaml").read_text("utf-8")
    script: dict[str, Any] = YAML(typ="safe").load(text)
    return Conversation(
        script["forget"],
        tuple(script["needles"]),
        tuple(
            utterance
            for owner, sessions in script["owners"].items()
            for session in sessions
            for utterance in _session(owner, session)
        ),
    )


def _session(owner: str, session: dict[str, Any]) -> list[Utterance]:
    turns = [Utterance(owner, "turn", ref, text) for ref, text in session["turns"]]
    facts = [Utterance(owner, "fact", ref, text, tuple(of)) for ref, text, of in session["facts"]]
    summaries = [
        Utterance(owner, "summary", f"{session['session']}#{number}", text, tuple(of))
        for number, (text, of) in enumerate(session["summaries"])
    ]
    return turns + facts + summaries
