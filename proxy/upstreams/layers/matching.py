"""What an erasure means for one row of a vector collection."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from proxy.upstreams.layers.base import Entry, LayerScope, Owners, payload_field
from proxy.upstreams.layers.needles import Needles

Verdict = Literal["keep", "delete", "unlink"]
Payload = Mapping[str, Any]
Judge = Callable[[str, Payload], Verdict]

LINKS = "linked_memory_ids"
OWNER_FIELDS = tuple(map(payload_field, ("user", "agent", "app", "run")))
EMBEDDING, ENTITIES, SAID = "embedding", "entities", "data"
# Mem0 makes it of the text: without capitals and sentences it would be judged as another text.
DERIVED = "text_lemmatized"
TECHNICAL = frozenset({"hash", "role", "created_at", "updated_at", "expunge_w"})  # nobody's words


def memory_judge(scope: LayerScope) -> Judge:
    """Rows of the memory collection: by id, or of an owner erased as a whole."""
    erased, owners = {*scope.memory_ids, *scope.whole_rows(EMBEDDING)}, scope.owners

    def judge(row_id: str, payload: Payload) -> Verdict:
        return "delete" if row_id in erased or _belongs(payload, owners) else "keep"

    return judge


@dataclass(frozen=True, slots=True)
class EntityJudge:
    """Rows of the entity collection: the name of something and the memories that mention it."""

    scope: LayerScope
    _needles: Needles = field(init=False)
    _erased: frozenset[str] = field(init=False)
    _rows: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_needles", Needles(self.scope.needles))
        object.__setattr__(self, "_erased", frozenset(self.scope.memory_ids))
        object.__setattr__(self, "_rows", frozenset(self.scope.whole_rows(ENTITIES)))

    def __call__(self, row_id: str, payload: Payload) -> Verdict:
        if row_id in self._rows or _belongs(payload, self.scope.owners) or self._names(payload):
            return "delete"
        links = _links(payload)
        if self._erased.isdisjoint(links):
            return "keep"
        return "unlink" if surviving_links(payload, self._erased) else "delete"

    def _names(self, payload: Payload) -> bool:
        text = payload.get("data")
        return (
            isinstance(text, str)
            and _belongs(payload, self.scope.touched)
            and self._needles.found_in(text)
        )


def entry_of(layer: str, position: int, row_id: str, payload: Payload) -> Entry:
    """What a row of a collection says, and whose it is; a row of vectors is a memory's.

    Args:
        layer: name of the connector, vectors or entities.
    """
    owners = tuple(
        (name.removesuffix("_id"), str(payload[name])) for name in OWNER_FIELDS if payload.get(name)
    )
    skipped = {*OWNER_FIELDS, *TECHNICAL, *([DERIVED] if payload.get(SAID) else [])}
    ordered = sorted(payload.items(), key=lambda pair: pair[0] != SAID)  # as an erasure reads it
    said = [text for name, text in ordered if isinstance(text, str) and name not in skipped]
    memory_id = None if layer == ENTITIES else row_id
    made = payload.get(DERIVED) if payload.get(SAID) else None
    return Entry(
        position, row_id, SAID, {SAID: "\n".join(said)}, memory_id, owners,
        derived=(made,) if isinstance(made, str) else (),
    )  # fmt: skip


def surviving_links(payload: Payload, erased: frozenset[str]) -> list[str]:
    """Links of an entity row that are not erased."""
    return [link for link in _links(payload) if link not in erased]


def _links(payload: Payload) -> list[str]:
    links = payload.get(LINKS)
    return [str(link) for link in links] if isinstance(links, list) else []


def _belongs(payload: Payload, owners: Owners) -> bool:
    return any(payload.get(payload_field(kind)) == owner for kind, owner in owners)
