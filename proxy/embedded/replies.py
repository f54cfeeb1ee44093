"""Requests and replies both dialects share: credentials, bodies, refusals, failures."""

import hmac
import os
import uuid
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import orjson
from aiohttp import web

from proxy.embedded.engine import StoreFailed, StoreRefused
from proxy.telemetry import get_logger

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

PLATFORM_PREFIXES = ("/v1/", "/v2/", "/v3/", "/api/v1/")
_LOG = get_logger("embedded")


class Refusal(Exception):
    """An answer that is not a success.

    Args:
        status: HTTP status.
        detail: for the caller; the SDK shows this member.
        extra: further members of the body.
    """

    def __init__(self, status: int, detail: Any, **extra: Any) -> None:
        super().__init__(status)
        self.status, self.body = status, {"detail": detail, **extra}


def reply(body: Any, status: int = 200) -> web.Response:
    """A JSON answer."""
    return web.Response(
        body=orjson.dumps(body), status=status, content_type="application/json", charset="utf-8"
    )


def new_uuid() -> str:
    """A random UUID, the form in which Mem0's platform names events."""
    return str(uuid.UUID(bytes=os.urandom(16), version=4))


def is_platform(request: web.Request) -> bool:
    """Whether the path belongs to the platform's dialect."""
    return request.path.startswith(PLATFORM_PREFIXES)


async def read_object(request: web.Request) -> dict[str, Any]:
    """The JSON object of a request; an absent body is an empty object.

    Raises:
        Refusal: it is not a JSON object.
    """
    content = await request.read()
    try:
        body = orjson.loads(content or b"{}")
    except orjson.JSONDecodeError:
        raise Refusal(400, "The body is not valid JSON.") from None
    if not isinstance(body, dict):
        raise Refusal(400, "The body must be a JSON object.")
    return body


def authenticated(api_key: str) -> Any:
    """Middleware that wants the dialect's own form of credential."""
    expected = api_key.encode()

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        offered = _offered(request.headers, platform=is_platform(request))
        if not hmac.compare_digest(offered.encode("utf-8", "replace"), expected):
            raise Refusal(401, "The API key is missing or not valid.")
        return await handler(request)

    return check


def _offered(headers: Mapping[str, str], *, platform: bool) -> str:
    scheme, _, value = headers.get("Authorization", "").partition(" ")
    if platform:
        return value.strip() if scheme.lower() == "token" else ""
    return headers.get("X-API-Key") or (value.strip() if scheme.lower() == "bearer" else "")


@web.middleware
async def answer_failures(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn every failure into the JSON the dialect uses; add the request's id."""
    request_id = os.urandom(4).hex()
    try:
        response = await handler(request)
    except Refusal as refusal:
        response = reply(refusal.body, refusal.status)
    except web.HTTPException as found:
        response = reply({"detail": found.reason}, found.status)
    except StoreRefused as refused:
        response = _refused(request, refused)
    except Exception as failure:  # noqa: BLE001  (the boundary: a caller gets JSON, the log a class)
        response = _failed(request, failure, request_id)
    response.headers["X-Request-ID"] = request_id
    return response


def _refused(request: web.Request, refused: StoreRefused) -> web.Response:
    body = {"detail": refused.reason}
    if is_platform(request):
        body["error"] = refused.reason
    return reply(body, 404 if refused.absent else 400)


def _failed(request: web.Request, failure: Exception, request_id: str) -> web.Response:
    cause = failure.__cause__ if isinstance(failure, StoreFailed) else failure
    _LOG.error("embedded.failed", exc_info=cause, request_id=request_id)
    body = {"detail": "The store failed.", "code": "unknown", "request_id": request_id}
    return reply(body, 500 if is_platform(request) else 502)
