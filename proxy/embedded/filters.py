"""The platform's filter dialect, put into the form the library takes."""

from collections.abc import Iterator, Mapping
from typing import Any

from proxy.embedded.replies import Refusal

IDENTITIES = ("user_id", "agent_id", "app_id", "run_id")
LIBRARY_IDENTITIES = ("user_id", "agent_id", "run_id")
WILDCARD = "*"


def for_library(filters: Any) -> dict[str, Any]:
    """Filters as the platform takes them, for the library.

    The library wants an identity as plain text at the top level and evaluates everything below
    it in the vector store. Where the platform's form has none there (a lone ``AND`` or ``OR``,
    an operator), a wildcard is put on top, which the vector store skips.

    Raises:
        Refusal: no identity is named outside ``NOT``.
    """
    if not isinstance(filters, Mapping) or not any(_identities(filters)):
        raise Refusal(400, "Filters must name at least one of user_id, agent_id, app_id, run_id.")
    plain = _flatten_metadata(filters)
    operators = {key: plain.pop(key) for key in IDENTITIES if isinstance(plain.get(key), dict)}
    joined = [*plain.get("AND", []), *([operators] if operators else [])]
    if joined:
        # One level deeper than it needs to be: the library merges the first level upwards.
        plain["AND"] = [part if _plain(part) else {"AND": [part]} for part in joined]
    if not any(key in plain for key in LIBRARY_IDENTITIES):
        plain = {"user_id": WILDCARD, **plain}
    return plain


def from_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Identities given beside the filters, as old clients send them."""
    return {key: fields[key] for key in IDENTITIES if fields.get(key)}


def _plain(part: Any) -> bool:
    """Whether each identity in a part of a filter is plain text, as the library wants it on top."""
    named = part if isinstance(part, Mapping) else {}
    return all(isinstance(named[key], str) for key in IDENTITIES if key in named)


def _identities(filters: Mapping[str, Any]) -> Iterator[str]:
    for key, value in filters.items():
        if key in IDENTITIES:
            yield key
        elif key in ("AND", "OR") and isinstance(value, list):
            for part in value:
                if isinstance(part, Mapping):
                    yield from _identities(part)


def _flatten_metadata(filters: Mapping[str, Any]) -> dict[str, Any]:
    """The platform nests metadata under its name; the library keeps it beside the identities."""
    plain: dict[str, Any] = {}
    for key, value in filters.items():
        if key == "metadata" and isinstance(value, Mapping):
            plain.update(value)
        elif key in ("AND", "OR", "NOT") and isinstance(value, list):
            plain[key] = [_flatten_metadata(part) if isinstance(part, Mapping) else part
                          for part in value]  # fmt: skip
        else:
            plain[key] = value
    return plain
