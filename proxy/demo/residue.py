"""Where a person's text still is: by every way a client can ask, and in the bytes on disk."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from proxy.demo import client as application
from proxy.demo.conversation import Conversation
from proxy.demo.stage import Side

SEARCHES = (
    "Orla Quist", "orla", "Dr. Quist", "who treats the knee?", "physiotherapist", "phone number",
    "who owns the tandem?", "dinner in October", "who moves to Mill Street?", "a tip for Jonna",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Residue:
    """Hits per place; None where the place does not exist on this side."""

    listed: int
    searched: int
    history: int
    derived: int
    store_bytes: Mapping[str, int]
    own_bytes: int | None


def measure(side: Side, conversation: Conversation, written: Mapping[str, str]) -> Residue:
    """Ask the store for everything and read its files.

    Args:
        side: which store.
        conversation: what was written and whom to look for.
        written: ref to memory id of everything that was written.
    """
    store = application.connect(side)
    listed = {
        memory_id: text
        for owner in conversation.owners
        for memory_id, text in application.everything(store, owner).items()
    }
    searched = [
        text for owner in conversation.owners for text in application.search(store, owner, SEARCHES)
    ]
    derived = {written[ref] for ref in conversation.affected()} & listed.keys()
    own = bytes_per_file(side.own_files, conversation.needles) if side.own_files else None
    return Residue(
        listed=sum(map(conversation.names_her, listed.values())),
        searched=sum(map(conversation.names_her, searched)),
        history=sum(map(conversation.names_her, application.history(store, written.values()))),
        derived=sum(not conversation.names_her(listed[memory_id]) for memory_id in derived),
        store_bytes=bytes_per_file(side.store_files, conversation.needles),
        own_bytes=None if own is None else sum(own.values()),
    )


def bytes_per_file(folder: Path, needles: Iterable[str]) -> dict[str, int]:
    """Occurrences of the needles, in any case, in each file below a folder that has any."""
    words = [needle.casefold().encode() for needle in needles]
    counts = {
        str(path.relative_to(folder)): sum(map(path.read_bytes().lower().count, words))
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    return {name: count for name, count in counts.items() if count}
