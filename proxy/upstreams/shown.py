"""Answers of the open-source server as Mem0's platform would give them."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from proxy.problems import Problem
from proxy.upstreams import plain_json
from proxy.upstreams.transport import Headers, UpstreamReply


def reply(body: Any, status: int = 200) -> UpstreamReply:
    """A JSON answer."""
    return UpstreamReply(status, (("Content-Type", "application/json"),), plain_json.dump(body))


def refusal(status: int, reason: str) -> UpstreamReply:
    """An error where the platform's clients look for it."""
    return reply({"detail": reason, "error": reason}, status)


def platform_error(said: UpstreamReply) -> UpstreamReply:
    """The server's error with the member that the platform's clients read, too."""
    try:
        body = plain_json.parse(said.body)
    except Problem:
        return said
    if isinstance(body, dict) and "error" not in body:
        body["error"] = body.get("detail")
    return UpstreamReply(said.status, _without_length(said.headers), plain_json.dump(body))


def _without_length(headers: Headers) -> Headers:
    drop = ("content-length", "content-encoding", "transfer-encoding")
    return tuple(pair for pair in headers if pair[0].lower() not in drop)


def platform_item(item: Mapping[str, Any], run_field: str) -> dict[str, Any]:
    """A memory as the platform shows it.

    Args:
        item: as the server shows it.
        run_field: ``session_id`` in lists and lookups, ``run_id`` in search results.
    """
    kept = {key: value for key, value in item.items() if key not in ("run_id", "hash")}
    if kept.get("score") is None:
        kept.pop("score", None)
    return {
        **kept,
        "user_id": item.get("user_id"),
        "agent_id": item.get("agent_id"),
        "app_id": None,
        run_field: item.get("run_id"),
        "metadata": item.get("metadata") or {},
        "categories": [],
        "created_at": item.get("created_at"),
        "updated_at": item.get("updated_at"),
        "expiration_date": item.get("expiration_date"),
    }


def page_of(
    items: Sequence[Any], path: str, query: Mapping[str, str], number: int, size: int
) -> dict[str, Any] | None:
    """One page of a list, with links to its neighbours; None if there is no such page."""
    start = (number - 1) * size
    if start and start >= len(items):
        return None

    def link(page: int) -> str:
        return f"http://store{path}?{urlencode({**query, 'page': str(page)})}"

    return {
        "count": len(items),
        "next": link(number + 1) if start + size < len(items) else None,
        "previous": link(number - 1) if number > 1 else None,
        "results": list(items[start : start + size]),
    }
