"""Pages of the platform's lists, with absolute links to the neighbours."""

from collections.abc import Mapping, Sequence
from typing import Any

from aiohttp import web

from proxy.embedded.replies import Refusal

PAGE_SIZE = 100
MAX_PAGE_SIZE = 1000


def page_of(items: Sequence[Any], request: web.Request) -> dict[str, Any]:
    """The page that ``page`` and ``page_size`` in the query ask for.

    Raises:
        Refusal: they are not positive numbers, or the page does not exist.
    """
    page = _number(request.query, "page", 1)
    size = min(_number(request.query, "page_size", PAGE_SIZE), MAX_PAGE_SIZE)
    start = (page - 1) * size
    if start and start >= len(items):
        raise Refusal(404, "Invalid page.")
    return {
        "count": len(items),
        "next": _link(request, page + 1) if start + size < len(items) else None,
        "previous": _link(request, page - 1) if page > 1 else None,
        "results": items[start : start + size],
    }


def _number(query: Mapping[str, str], name: str, default: int) -> int:
    value = query.get(name, str(default))
    if not (value.isascii() and value.isdigit()) or int(value) < 1:
        raise Refusal(400, f"{name} must be a positive number.")
    return int(value)


def _link(request: web.Request, page: int) -> str:
    return str(request.url.update_query(page=page))
