"""Probes, metrics and the description of the API."""

from collections.abc import Mapping
from typing import Any

import orjson
from aiohttp import web

from proxy.control.routing import Ask, Route, roles
from proxy.control.services import ControlServices

_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


async def alive(_services: ControlServices, _ask: Ask) -> Mapping[str, Any]:
    """The process runs."""
    return {"status": "ok"}


async def ready(services: ControlServices, _ask: Ask) -> web.Response:
    """Whether work may be sent here; 503 with the reason if not."""
    report = await services.front.readiness()
    status = 200 if report["ready"] else 503
    return web.Response(status=status, body=orjson.dumps(report), content_type="application/json")


async def metrics(services: ControlServices, _ask: Ask) -> web.Response:
    """All instruments, those of other workers too."""
    body = await services.front.metrics()
    return web.Response(body=body, headers={"Content-Type": _METRICS_TYPE})


async def diagnose(services: ControlServices, _ask: Ask) -> Mapping[str, Any]:
    """Every part tried, with what to do about it."""
    return {"items": list(await services.front.diagnosis())}


async def describe(services: ControlServices, _ask: Ask) -> Mapping[str, Any]:
    """The OpenAPI document."""
    return services.front.openapi


NOBODY = roles()
ROUTES = (
    Route("GET", "/healthz", "isAlive", NOBODY, alive, "Whether the process runs.", tenant=False),
    Route("GET", "/readyz", "isReady", NOBODY, ready, "Whether work may be sent here, with detail.",
          tenant=False),
    Route("GET", "/metrics", "getMetrics", NOBODY, metrics, "Prometheus metrics.", tenant=False,
          media="text/plain"),
    Route("GET", "/v1/diagnosis", "diagnose", roles("operator"), diagnose,
          "Try every part the service depends on.", tenant=False),
    Route("GET", "/openapi.json", "describe", NOBODY, describe, "This document.", tenant=False),
)  # fmt: skip
