"""What the platform's writes mean to the library."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from proxy.embedded.engine import Engine
from proxy.embedded.filters import IDENTITIES, LIBRARY_IDENTITIES, for_library
from proxy.embedded.replies import Refusal

_EVERYTHING = 1_000_000
_UPDATABLE = ("text", "metadata", "expiration_date")


def require_model(engine: Engine) -> None:
    """Refuse what needs a language model where none is configured.

    Raises:
        Refusal: 422.
    """
    if not engine.can_infer:
        raise Refusal(
            422,
            "No language model is configured, so facts cannot be extracted. Send infer=false, or "
            "start the store with an OpenAI-compatible endpoint ('expunge dev --llm-url URL').",
        )


def platform_arguments(body: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Messages and arguments of the library's ``add`` for the body of the platform's.

    The library knows no app: it is kept in the metadata, where filters find it.

    Raises:
        Refusal: no messages, no identity the library knows, metadata that is no object, or
            filters that say more than whose the memories are.
    """
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refusal(400, "messages must be a list of messages.")
    identities = _identities(body)
    if not identities:
        raise Refusal(400, "At least one of user_id, agent_id, run_id is required.")
    arguments = {
        **identities,
        "metadata": _metadata(body),
        "infer": body.get("infer") is not False,
        "expiration_date": body.get("expiration_date"),
        "prompt": body.get("custom_instructions"),
    }
    return messages, arguments


def _identities(body: Mapping[str, Any]) -> dict[str, Any]:
    """Beside the messages or, as the SDK's typed options have it, in the filters."""
    filters = body.get("filters") or {}
    if not isinstance(filters, Mapping) or not filters.keys() <= set(IDENTITIES):
        raise Refusal(400, "The filters of an add name owners only.")
    named = {**filters, **{key: body[key] for key in IDENTITIES if body.get(key)}}
    return {key: named[key] for key in LIBRARY_IDENTITIES if named.get(key)}


def _metadata(body: Mapping[str, Any]) -> dict[str, Any]:
    metadata = body.get("metadata") or {}
    if not isinstance(metadata, Mapping):
        raise Refusal(400, "metadata must be an object.")
    kept = dict(metadata)
    if body.get("app_id"):
        kept["app_id"] = str(body["app_id"])
    if body.get("timestamp") is not None:
        kept["created_at"] = _created_at(body["timestamp"])
    return kept


def _created_at(timestamp: Any) -> str:
    if isinstance(timestamp, bool) or not isinstance(timestamp, int | float):
        raise Refusal(400, "timestamp must be a number of seconds.")
    try:
        return datetime.fromtimestamp(timestamp, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        raise Refusal(400, "timestamp must be a number of seconds.") from None


def update_arguments(body: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of the library's ``update``; what it does not know is left out."""
    return {key: body[key] for key in _UPDATABLE if key in body}


def delete_matching(memory: Any, identities: Mapping[str, str]) -> list[str]:
    """Delete everything of the identities; the library's own bulk delete where it can."""
    if "app_id" not in identities:
        memory.delete_all(**identities)
        return []
    found = memory.get_all(filters=for_library(identities), top_k=_EVERYTHING, show_expired=True)
    return delete_each(memory, [item["id"] for item in found["results"]])


def delete_each(memory: Any, memory_ids: Sequence[str]) -> list[str]:
    """Delete memories one by one; gives the ids that existed."""
    present = [memory_id for memory_id in memory_ids if memory.get(memory_id) is not None]
    for memory_id in present:
        memory.delete(memory_id)
    return present


def update_each(memory: Any, batch: Sequence[Mapping[str, Any]]) -> int:
    """Update memories one by one; gives how many existed."""
    present = [part for part in batch if memory.get(part["memory_id"]) is not None]
    for part in present:
        memory.update(part["memory_id"], **update_arguments(part))
    return len(present)
