"""A credential is held to its operations and purposes before anything reaches the store."""

import asyncio
import os
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from proxy.gateway.identity.identify import Authenticator
from tests.support.fault_store import FaultStore
from tests.support.gateway import Plane
from tests.unit.gateway.test_streams import before_streams

os.environ["MEM0_TELEMETRY"] = "False"
mem0_client = pytest.importorskip("mem0")

LIST = "/v3/memories/"
MINE = {"filters": {"user_id": "u-1"}}
WRITE = {"messages": [{"role": "user", "content": "A pond."}], "user_id": "u-1", "infer": False}
Opened = Callable[..., AbstractAsyncContextManager[Plane]]
CALLS: dict[str, tuple[str, str, Any]] = {
    "read": ("POST", LIST, MINE),
    "write": ("POST", "/v3/memories/add/", WRITE),
    "delete": ("DELETE", "/v1/memories/?user_id=u-1", None),
}


async def scoped(plane: Plane, **scope: Any) -> dict[str, str]:
    """The header with a new key of ``acme``."""
    services, tenant = plane.services, plane.tenants["acme"]
    auth = Authenticator(services.ledger, services.keyring, services.clock)
    key = await services.ledger.write(lambda tx: auth.issue_key(tx, tenant, **scope))
    return {"X-API-Key": key}


@pytest.mark.parametrize("allowed", CALLS)
async def test_a_key_does_what_it_is_for(plane: Plane, allowed: str) -> None:
    """Of reading, writing and deleting, only the one that is allowed."""
    headers = await scoped(plane, operations=(allowed,))
    for kind, (method, path, body) in CALLS.items():
        status, answer = await plane.call(method, path, body, tenant=None, headers=headers)
        assert (kind, status) == (kind, 200 if kind == allowed else 403), answer
        if kind != allowed:
            assert answer["upstream"] == "not_sent"


@pytest.mark.parametrize("allowed", CALLS)
async def test_the_unchanged_client_starts_with_any_key(plane: Plane, allowed: str) -> None:
    """It asks whether the store is there when it is made; that reads nothing."""
    key = (await scoped(plane, operations=(allowed,)))["X-API-Key"]

    def work() -> Any:
        client = mem0_client.MemoryClient(api_key=key, host=plane.url)
        if allowed == "write":
            return client.add("A pond.", user_id="u-1", infer=False)["status"]
        with pytest.raises(mem0_client.exceptions.AuthenticationError):
            client.add("A pond.", user_id="u-1", infer=False)
        return "refused"

    assert await asyncio.to_thread(work) == ("SUCCEEDED" if allowed == "write" else "refused")


async def test_what_streams_past_is_read(
    faults: FaultStore, tmp_path: Path, sqlite_template: Path
) -> None:
    """Bytes of a route that passes may be anything: a key for writing does not get them."""
    faults.script = lambda _: web.Response(body=b"the archive")
    async with before_streams(faults, tmp_path, sqlite_template) as plane:
        for allowed, wanted in (("read", 200), ("write", 403), ("delete", 403)):
            headers = await scoped(plane, operations=(allowed,))
            status, _ = await plane.call("GET", "/file", tenant=None, headers=headers)
            assert (allowed, status) == (allowed, wanted)


async def test_a_key_states_only_its_purposes(plane: Plane) -> None:
    """Another purpose is denied; the only one a key has is taken as stated."""
    headers = await scoped(plane, purposes=("support",))
    call = ("POST", LIST, MINE)
    for purpose, wanted in (("support", 200), ("billing", 403)):
        stated = headers | {"Expunge-Purpose": purpose}
        assert (await plane.call(*call, tenant=None, headers=stated))[0] == wanted
    assert (await plane.call(*call, tenant=None, headers=headers))[0] == 200


@pytest.mark.parametrize("agent", ["clinic-frontend", "ELB-HealthChecker/2.0", "diabetes-app/1"])
async def test_what_a_header_seems_to_be_about_refuses_no_call(plane: Plane, agent: str) -> None:
    """Such a purpose may not read of health; a header that speaks of it is left out."""
    headers = await scoped(plane, purposes=("support",)) | {"User-Agent": agent}
    for _ in range(2):
        assert (await plane.call("POST", LIST, MINE, tenant=None, headers=headers))[0] == 200
