"""Rows of the vector store and items of the library, in the shapes of both dialects."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

OWNER_FIELDS = {"user": "user_id", "agent": "agent_id", "app": "app_id", "run": "run_id"}
_TOP_LEVEL = {"data", "user_id", "agent_id", "run_id", "hash", "created_at", "updated_at",
              "expiration_date"}  # fmt: skip


def platform_item(item: Mapping[str, Any], *, run_field: str) -> dict[str, Any]:
    """A memory as the platform shows it.

    Args:
        item: as the library shows it.
        run_field: ``session_id`` in lists and lookups, ``run_id`` in search results.
    """
    metadata = dict(item.get("metadata") or {})
    shown = {
        "id": item["id"],
        "memory": item["memory"],
        "user_id": item.get("user_id"),
        "agent_id": item.get("agent_id"),
        "app_id": metadata.pop("app_id", None),
        run_field: item.get("run_id"),
        "metadata": metadata,
        "categories": [],
        "created_at": item.get("created_at"),
        "updated_at": item.get("updated_at"),
        "expiration_date": item.get("expiration_date"),
        "structured_attributes": None,
        "replaced_by": None,
        "synthesized": False,
    }
    if item.get("score") is not None:
        shown["score"] = item["score"]
    return shown


def oss_row(row: Any) -> dict[str, Any]:
    """A memory as the server's unscoped list shows it: every further payload key is metadata."""
    payload = row.payload or {}
    return {
        "id": row.id,
        "memory": payload.get("data"),
        **{key: payload.get(key) for key in sorted(_TOP_LEVEL - {"data"})},
        "metadata": {key: value for key, value in payload.items() if key not in _TOP_LEVEL},
    }


def all_rows(memory: Any, limit: int) -> list[Any]:
    """Rows of the memory collection, in no particular order."""
    rows, _ = memory.vector_store.list(top_k=limit)
    return list(rows)


@dataclass(slots=True)
class Owner:
    """An identity under which memories exist."""

    kind: str
    name: str
    total: int = 0
    created_at: str | None = None
    updated_at: str | None = None

    def count(self, payload: Mapping[str, Any]) -> None:
        """Take one more of its memories into account."""
        created = payload.get("created_at")
        updated = payload.get("updated_at") or created
        self.total += 1
        self.created_at = min(filter(None, (self.created_at, created)), default=None)
        self.updated_at = max(filter(None, (self.updated_at, updated)), default=None)


def owners(rows: Iterable[Any], kinds: Iterable[str]) -> list[Owner]:
    """Everybody the rows belong to, by kind and name."""
    wanted, found = list(kinds), dict[tuple[str, str], Owner]()
    for row in rows:
        for kind, name in _owners_of(row.payload or {}, wanted):
            found.setdefault((kind, name), Owner(kind, name)).count(row.payload)
    return [found[key] for key in sorted(found)]


def _owners_of(payload: Mapping[str, Any], kinds: Iterable[str]) -> Iterator[tuple[str, str]]:
    for kind in kinds:
        name = payload.get(OWNER_FIELDS[kind])
        if name:
            yield kind, str(name)
