"""What an audit entry may say, and its one canonical spelling."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

_EVENT = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)+")
_KEY = re.compile(r"[a-z][a-z0-9_]{0,40}")
_WORD = re.compile(r"[A-Za-z0-9_.:+/=-]{0,200}")

Value = Any


def encode(
    entry_id: str, tenant_id: str | None, event: str, at: datetime, fields: Mapping[str, Value]
) -> bytes:
    """The leaf: sorted, compact JSON.

    Args:
        event: dotted lower-case name, e.g. ``memory.erased``.
        at: when it happened.
        fields: counts, flags, instants, ids, slugs and digests. Anything that could be free text
            is refused, so that content cannot get in by mistake.

    Raises:
        ValueError: a name or value that does not belong into the log.
    """
    if not _EVENT.fullmatch(event):
        raise ValueError("an event is a dotted lower-case name")
    document = {
        "at": instant(at),
        "event": event,
        "fields": _checked(fields),
        "id": entry_id,
        "tenant": tenant_id,
    }
    return canonical(document)


def actor(fields: Mapping[str, Value]) -> str | None:
    """Who acted, as an entry names them: a keyed pseudonym, or the id of a credential."""
    told = fields.get("actor") or fields.get("key")
    return told if isinstance(told, str) else None


def canonical(document: Mapping[str, Value]) -> bytes:
    """Sorted keys, no spaces, ASCII: the same bytes for the same facts."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def instant(at: datetime) -> str:
    """RFC 3339 in UTC with microseconds."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _checked(value: Value) -> Value:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, str) and _WORD.fullmatch(value):
        return str(value)
    if isinstance(value, Mapping):
        return {_checked_key(key): _checked(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_checked(item) for item in value]
    raise ValueError("an audit field holds something that could be content")


def _checked_key(key: Value) -> str:
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise ValueError("an audit field has a name that could be content")
    return key
