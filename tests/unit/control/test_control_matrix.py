"""Every route of the control plane × every wrong caller and every wrong body."""

import re
from typing import Any

import pytest

from proxy.control.openapi import document
from proxy.control.routes import ROUTES
from proxy.control.routing import Route
from proxy.control.services import ControlServices
from tests.support.control import Client, bearer

ALL_ROLES = ("app", "operator", "privacy", "auditor")
GUARDED = [route for route in ROUTES if route.roles]
BODIES: list[Any] = [
    {}, [], None, "text", 7, {"unknown": 1}, {"target": 7}, {"target": {"kind": ["x"]}},
    {"text": None}, {"names": "x"}, {"settings": []}, {"name": {"a": 1}}, {"confirm": True},
    {"owner": ["x"], "confirm": "confirmed"}, {"owner": "\ud800"}, {"owner": "x" * 10_000},
]  # fmt: skip
PATHS = ["absent", "..", "%2e%2e%2f", "a%00b", "%F0%9F%92%A9", "x" * 3000, "'; DROP TABLE x --"]


def path_of(route: Route, value: str = "absent") -> str:
    """The route's path with its parameters filled in."""
    return re.sub(r"\{\w+(:[^{}]*)?\}", lambda found: "0" if found[1] else value, route.path)


async def test_every_route_refuses_callers_without_its_roles(
    client: Client, services: ControlServices
) -> None:
    """No token: 401. A token with all roles but the route's: 403."""
    for route in GUARDED:
        bare = await client.request(route.method, path_of(route))
        assert (route.name, bare.status) == (route.name, 401)
        others = [role for role in ALL_ROLES if role not in route.roles]
        if others:
            headers = await bearer(services, *others)
            wrong = await client.request(route.method, path_of(route), headers=headers)
            assert (route.name, wrong.status) == (route.name, 403)


async def test_no_body_makes_the_service_fail(client: Client, services: ControlServices) -> None:
    """Wrong types, sizes and members end in a 4xx problem or an answer, never in a 5xx."""
    headers = await bearer(services, *ALL_ROLES)
    for route in [route for route in GUARDED if route.body is not None]:
        for body in BODIES:
            reply = await client.request(route.method, path_of(route), json=body, headers=headers)
            assert reply.status < 500, (route.name, body)
            if reply.status >= 400:
                assert reply.content_type == "application/problem+json", (route.name, body)


async def test_no_query_makes_the_service_fail(client: Client, services: ControlServices) -> None:
    """No database takes a NUL, so none gets one."""
    headers = await bearer(services, *ALL_ROLES)
    for route in [route for route in GUARDED if route.query]:
        for name in route.query:
            given = {name: "a\x00b"}
            path = path_of(route)
            reply = await client.request(route.method, path, params=given, headers=headers)
            assert 400 <= reply.status < 500, (route.name, name)


async def test_no_path_makes_the_service_fail(client: Client, services: ControlServices) -> None:
    """Odd ids are absent or refused."""
    headers = await bearer(services, *ALL_ROLES)
    for route in [route for route in GUARDED if "{" in route.path]:
        for value in PATHS:
            reply = await client.request(
                route.method, path_of(route, value), headers=headers, json={}
            )
            assert reply.status < 500, (route.name, value)


def test_routes_are_named_once_and_described() -> None:
    """Operation ids are unique; each operation has a summary and its roles."""
    names = [route.name for route in ROUTES]
    assert len(set(names)) == len(names)
    described = document(ROUTES, "/base")
    assert all(path.startswith("/base/") for path in described["paths"])
    operations = [op for verbs in described["paths"].values() for op in verbs.values()]
    assert len(operations) == len(ROUTES)
    assert all(operation["summary"].endswith(".") for operation in operations)


def test_description_is_valid_openapi() -> None:
    """The document follows the OpenAPI 3.1 schema."""
    validator = pytest.importorskip("openapi_spec_validator")
    validator.validate(document(ROUTES))
