"""The control plane's HTTP: guards, credentials, bodies, problems; what is served is in routes."""

import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import orjson
from aiohttp import web
from pydantic import BaseModel, ValidationError

from detectors.errors import DetectionError, sentence
from proxy import ids
from proxy.control.owner_ids import check_owner_ids
from proxy.control.routing import Answer, Ask, Caller, Route
from proxy.control.services import ControlServices
from proxy.problems import Problem
from proxy.telemetry import get_logger
from proxy.telemetry.refusals import tell_refusal

_log = get_logger("control")
_LARGEST_BODY = 1 << 20
_REMEMBERED = 1024
_TENANT = web.RequestKey("expunge_tenant", str)  # whose a request is, once that is known
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
SERVICES: web.AppKey[ControlServices] = web.AppKey("services", ControlServices)
Call = Callable[[web.Request], Awaitable[web.StreamResponse]]


def build_control_app(services: ControlServices, routes: Sequence[Route]) -> web.Application:
    """The control plane as an aiohttp application.

    Args:
        services: everything the handlers call.
        routes: what is served below the base path.
    """
    app = web.Application(middlewares=[problems, guard_browser], client_max_size=_LARGEST_BODY)
    app[SERVICES] = services
    app.on_response_prepare.append(_without_server)
    remembered = Replies()
    for route in routes:
        path = services.front.base_path + route.path
        app.router.add_route(route.method, path, _endpoint(route, remembered))
    return app


async def _without_server(_request: web.Request, response: web.StreamResponse) -> None:
    """Versions of what we run on are nobody's business."""
    response.headers.pop("Server", None)


@web.middleware
async def problems(request: web.Request, handler: Call) -> web.StreamResponse:
    """Answer every failure as problem+json (RFC 9457)."""
    request_id = ids.new("req")
    try:
        response = await handler(request)
    except Problem as problem:
        return _refusal(request, problem, request_id)
    except web.HTTPException as error:
        return _refusal(request, _framework_problem(error), request_id, status=error.status)
    except DetectionError as error:
        unscanned = Problem("detection-unavailable", sentence(error))
        return _refusal(request, unscanned, request_id)
    except Exception as error:  # noqa: BLE001  (the last line of defence: no text gets out)
        _log.error("control.failed", request_id=request_id, exc_info=error)
        return problem_response(Problem("internal", "The request failed."), request_id)
    response.headers.setdefault("Cache-Control", "no-store")
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    return response


def _framework_problem(error: web.HTTPException) -> Problem:
    match error.status:
        case 404:
            return Problem("not-found", "There is no such route.", hint="See /openapi.json.")
        case 405:
            return Problem("invalid-request", "The method is not allowed here.")
        case 413:
            return Problem("too-large", "The body is larger than 1 MiB.")
        case _:
            return Problem("invalid-request", "The request is not valid HTTP for this route.")


def _refusal(
    request: web.Request, problem: Problem, request_id: str, *, status: int | None = None
) -> web.Response:
    """The problem as a response, told in the log as well."""
    resource = request.match_info.route.resource
    where = {"tenant_id": request.get(_TENANT, "")}
    if resource is not None:
        where |= {"method": request.method, "route": resource.canonical}
    tell_refusal(
        request_id, problem.slug, status or problem.status, problem.detail,
        **{name: value for name, value in where.items() if value},
    )  # fmt: skip
    return problem_response(problem, request_id, status=status)


def problem_response(
    problem: Problem, request_id: str, *, status: int | None = None
) -> web.Response:
    """The problem as a response."""
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    if problem.retry_after is not None:
        headers["Retry-After"] = str(problem.retry_after)
    if problem.status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="expunge"'
    return web.Response(
        status=status or problem.status,
        body=orjson.dumps(problem.body(request_id) | ({"status": status} if status else {})),
        content_type="application/problem+json",
        headers=headers,
    )


@web.middleware
async def guard_browser(request: web.Request, handler: Call) -> web.StreamResponse:
    """Refuse foreign Host and Origin headers: DNS rebinding and cross-site requests."""
    services = request.app[SERVICES]
    host = _host_name(request.host)
    if host not in _LOOPBACK and host not in services.front.allowed_hosts:
        raise Problem("forbidden", "The Host header names no host of this control plane.",
                      hint="List the name in listen.allowed_hosts.")  # fmt: skip
    origin = request.headers.get("Origin")
    same = {f"{scheme}://{request.host}" for scheme in ("http", "https")}
    if origin is not None and origin not in same and origin not in services.front.allowed_origins:
        raise Problem("forbidden", "This origin may not call the control plane.",
                      hint="List it in listen.allowed_origins.")  # fmt: skip
    return await handler(request)


def _host_name(host: str) -> str:
    if host.startswith("["):
        return host[1 : host.find("]")].lower()
    return host.rpartition(":")[0].lower() if ":" in host else host.lower()


class Replies:
    """Answers by idempotency key, so that a repeated POST does not act twice."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, ...], tuple[bytes, web.Response]] = OrderedDict()

    def find(self, key: tuple[str, ...], body: bytes) -> web.Response | None:
        """The earlier answer to the same request.

        Raises:
            Problem: ``invalid-request`` when the key came with another body before.
        """
        known = self._known.get(key)
        if known is None:
            return None
        if known[0] != hashlib.sha256(body).digest():
            raise Problem("invalid-request", "This Idempotency-Key came with another body before.")
        return _copy(known[1])

    def keep(self, key: tuple[str, ...], body: bytes, response: web.Response) -> None:
        """Remember an answer; the oldest goes when there are too many."""
        self._known[key] = (hashlib.sha256(body).digest(), _copy(response))
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)


def _copy(response: web.Response) -> web.Response:
    return web.Response(status=response.status, body=response.body, headers={**response.headers})


def _may_be_kept(response: web.Response) -> bool:
    """Whether it is final and whole: lines of a long work are gone when they are sent."""
    return response.status < 500 and isinstance(response.body, bytes)


def _endpoint(route: Route, remembered: Replies) -> Call:
    async def call(request: web.Request) -> web.StreamResponse:
        services = request.app[SERVICES]
        caller = await _authorise(services, request, route)
        body = await request.read()
        key = _idempotency(request, caller, route)
        known = remembered.find(key, body) if key else None
        if known is not None:
            return known
        ask = await _ask(services, request, route, caller, body)
        response = render(await route.handler(services, ask), route)
        if key and isinstance(response, web.Response) and _may_be_kept(response):
            remembered.keep(key, body, response)
        return response

    return call


async def _authorise(services: ControlServices, request: web.Request, route: Route) -> Caller:
    if not route.roles:
        return Caller("", None, frozenset())
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Problem("unauthenticated", "The request carries no bearer token.",
                      hint="Send 'Authorization: Bearer <admin token>'.")  # fmt: skip
    caller = await services.credentials.authenticate(token.strip(), request.remote or "")
    if not caller.roles & route.roles:
        wanted = ", ".join(sorted(route.roles))
        raise Problem("forbidden", f"This needs one of the roles: {wanted}.")
    return caller


def _idempotency(request: web.Request, caller: Caller, route: Route) -> tuple[str, ...]:
    key = request.headers.get("Idempotency-Key", "")
    if not key or route.method != "POST":
        return ()
    tenant = request.headers.get("Expunge-Tenant", "")
    return (caller.key_id, tenant, request.path, key[:255])


async def _ask(
    services: ControlServices, request: web.Request, route: Route, caller: Caller, body: bytes
) -> Ask:
    unknown = set(request.query) - set(route.query)
    if unknown:
        known = ", ".join(sorted(route.query)) or "none"
        raise Problem("invalid-request", f"Unknown query parameter; known here: {known}.")
    if any("\x00" in value for value in request.match_info.values()):
        raise Problem("not-found", "There is nothing of this id.")  # no database takes a NUL
    if any("\x00" in value for value in request.query.values()):
        raise Problem("invalid-request", "A query parameter holds a NUL.")
    tenant_id = ""
    if route.tenant and route.roles:
        named = request.headers.get("Expunge-Tenant")
        tenant_id = request[_TENANT] = await services.credentials.tenant(caller, named)
    read = parse(route, request, body)
    if tenant_id:
        await check_owner_ids(services, tenant_id, read)
    return Ask(
        caller=caller,
        tenant_id=tenant_id,
        path=dict(request.match_info),
        query=dict(request.query),
        body=read,
        headers=request.headers,
    )


def parse(route: Route, request: web.Request, body: bytes) -> Any:
    """The request body as the route's model.

    Raises:
        Problem: malformed-body, unsupported-coding or invalid-request with one error a member.
    """
    if route.body is None:
        return None
    if body and request.content_type != "application/json":
        raise Problem("unsupported-coding", "The body must be application/json.")
    try:
        data = orjson.loads(body or b"{}")
    except orjson.JSONDecodeError:
        raise Problem("malformed-body", "The body is not valid JSON.") from None
    try:
        return route.body.model_validate(data)
    except ValidationError as error:
        raise Problem("invalid-request", "The body does not fit.", errors=_errors(error)) from None


def _errors(error: ValidationError) -> list[dict[str, str]]:
    found = error.errors(include_url=False, include_input=False, include_context=False)
    return [{"pointer": "/" + "/".join(map(str, e["loc"])), "detail": e["msg"]} for e in found]


def render(answer: Answer, route: Route) -> web.StreamResponse:
    """An answer of a handler as a response."""
    if isinstance(answer, web.StreamResponse):
        return answer
    data = answer.model_dump(mode="json") if isinstance(answer, BaseModel) else answer
    return web.Response(
        status=route.status, body=orjson.dumps(data), content_type="application/json"
    )
