"""The OpenAPI 3.1 document, made from the route table."""

import importlib.metadata
import re
from collections.abc import Sequence
from typing import Any

from proxy.control.routing import Route
from proxy.problems import SLUGS

_PARAMETER = re.compile(r"\{(\w+)(?::[^{}]*)?\}")


def document(routes: Sequence[Route], base_path: str = "") -> dict[str, Any]:
    """The description of every route that is served.

    Args:
        routes: the route table.
        base_path: prefix under which it is served.
    """
    schemas: dict[str, Any] = {"Problem": _problem_schema()}
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        path = base_path + _PARAMETER.sub(r"{\1}", route.path)
        paths.setdefault(path, {})[route.method.lower()] = _operation(route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Expunge control plane",
            "version": importlib.metadata.version("expunge"),
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(route: Route, schemas: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.summary,
        "parameters": _parameters(route),
        "responses": {
            str(route.status): {"description": "Done.", "content": {route.media: {}}},
            "default": {
                "description": "A problem.",
                "content": {
                    "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
                },
            },
        },
    }
    if route.roles:
        operation["security"] = [{"token": []}]
        operation["x-roles"] = sorted(route.roles)
    if route.body is not None:
        schema = route.body.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas.update(schema.pop("$defs", {}))
        schemas[route.body.__name__] = schema
        reference = {"$ref": f"#/components/schemas/{route.body.__name__}"}
        operation["requestBody"] = {"content": {"application/json": {"schema": reference}}}
    return operation


def _parameters(route: Route) -> list[dict[str, Any]]:
    text = {"type": "string"}
    found: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": text}
        for name in _PARAMETER.findall(route.path)
    ]
    found += [
        {"name": name, "in": "query", "description": meaning, "schema": text}
        for name, meaning in route.query.items()
    ]
    if route.tenant and route.roles:
        found.append(_header("Expunge-Tenant", "The tenant, for tokens of the installation."))
    if route.method == "POST":
        found.append(_header("Idempotency-Key", "Repeating a request with one key acts once."))
    return found


def _header(name: str, meaning: str) -> dict[str, Any]:
    return {"name": name, "in": "header", "description": meaning, "schema": {"type": "string"}}


def _problem_schema() -> dict[str, Any]:
    text = {"type": "string"}
    return {
        "type": "object",
        "required": ["type", "title", "status", "detail", "instance", "hint", "upstream"],
        "properties": {
            "type": {"enum": [f"urn:expunge:problem:{slug}" for slug in SLUGS]},
            "title": text,
            "status": {"type": "integer"},
            "detail": text,
            "instance": text,
            "hint": text,
            "upstream": {"enum": ["not_sent", "sent", "unknown"]},
            "errors": {"type": "array", "items": {"type": "object"}},
            "rules": {"type": "array", "items": text},
        },
    }
