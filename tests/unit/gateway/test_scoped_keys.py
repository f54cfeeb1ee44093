"""A credential is held to its operations and purposes before anything reaches the store."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from proxy.gateway.identity.identify import Authenticator
from tests.support.gateway import Plane

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


async def test_a_key_states_only_its_purposes(plane: Plane) -> None:
    """Another purpose is denied; the only one a key has is taken as stated."""
    headers = await scoped(plane, purposes=("support",))
    call = ("POST", LIST, MINE)
    for purpose, wanted in (("support", 200), ("billing", 403)):
        stated = headers | {"Expunge-Purpose": purpose}
        assert (await plane.call(*call, tenant=None, headers=stated))[0] == wanted
    assert (await plane.call(*call, tenant=None, headers=headers))[0] == 200
