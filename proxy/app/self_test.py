"""The self-test: an invented owner written, erased and looked for, again and again.

It has a tenant of its own that nobody can call, so its references, tombstones and owners are beside
nobody else's; a client's erasure blocks nobody, and its tombstones go once it has passed.
"""

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson

from proxy.config.section import RESERVED
from proxy.erasure.search.target import Actor, Target
from proxy.erasure.view import ErasureView
from proxy.gateway import pipeline
from proxy.gateway.answers.restore import reply_of
from proxy.gateway.exchange import Caller, RawCall
from proxy.gateway.request.opening import opened
from proxy.gateway.services import GatewayServices
from proxy.ledger import counters, tenants, tombstones
from proxy.ledger.engine import Tx
from proxy.problems import Problem
from proxy.telemetry import get_logger

LAST = "self-test/last"
REASON = "self_test"
_ACTOR = Actor("system", "self-test")
_DIALECTS = (
    (("POST", "/v3/memories/add/"), ("POST", "/v3/memories/")),
    (("POST", "/memories"), ("GET", "/memories?user_id={owner}")),
)
_log = get_logger("self-test")


@dataclass(frozen=True, slots=True)
class SelfTest:
    """Tries the whole way of a memory, in every store that takes one of the shipped dialects."""

    gateway: GatewayServices
    forget: Callable[..., Awaitable[ErasureView]]
    create_tenant: Callable[[Tx, str], Awaitable[str]]
    started: datetime = field(kw_only=True)

    async def run_once(self) -> bool:
        """Whether it was written, erased and gone; the time of the last success is kept."""
        tenant_id = await self.gateway.ledger.write(self._tenant)
        passed = False
        for write, read in _DIALECTS:
            owner = f"probe-{secrets.token_hex(4)}"
            if not await self._written(tenant_id, owner, *write):
                continue
            passed = await self._erased(tenant_id, owner, read)
            break
        if passed:
            await self.gateway.ledger.write(self._remember)
        else:
            _log.error("self_test.failed")
        return passed

    async def age(self) -> float:
        """Seconds since the last success; since the start if there was none yet."""
        last = await self.gateway.ledger.read(lambda tx: counters.value_of(tx, LAST))
        return self.gateway.clock.now().timestamp() - (last or self.started.timestamp())

    async def _tenant(self, tx: Tx) -> str:
        found = await tenants.by_name(tx, RESERVED)
        tenant_id = found.id if found else await self.create_tenant(tx, RESERVED)
        await tenants.set_state(tx, tenant_id, tenants.INTERNAL)
        return tenant_id

    async def _written(self, tenant_id: str, owner: str, method: str, path: str) -> bool:
        message = {"role": "user", "content": f"The kettle of shelf {owner} is blue."}
        body = {"messages": [message], "user_id": owner, "infer": False}
        return await self._call(tenant_id, method, path, body) is not None

    async def _erased(self, tenant_id: str, owner: str, read: tuple[str, str]) -> bool:
        view = await self.forget(
            tenant_id, Target(kind="owner", values=(owner,)), actor=_ACTOR, origin="client",
            reason=REASON, reference=f"SELF-TEST-{secrets.token_hex(4).upper()}",
        )  # fmt: skip
        method, path = read
        filters = None if method == "GET" else {"filters": {"user_id": owner}}
        left = await self._call(tenant_id, method, path.format(owner=owner), filters)
        erased = any(
            layer.erased and layer.status == "erased"
            for layer in view.layers
            if layer.layer == "memory"
        )
        if not erased or left is None or owner in left:
            return False
        await self.gateway.ledger.write(lambda tx: tombstones.drop(tx, tenant_id, view.id))
        return True

    async def _call(self, tenant_id: str, method: str, target: str, body: Any) -> str | None:
        """The answer's text as a client sees it; None if the call is refused or fails."""
        raw = RawCall(
            method, target, (("Content-Type", "application/json"),),
            b"" if body is None else orjson.dumps(body), "http://localhost", "",
        )  # fmt: skip
        try:
            exchange = await opened(
                raw, Caller(tenant_id, frozenset({"app"}), REASON, internal=True), self.gateway
            )
            await pipeline.run(exchange, self.gateway)
            reply = reply_of(exchange)
        except Problem as problem:
            _log.warning("self_test.refused", slug=problem.slug, method=method)
            return None
        return reply.body.decode("utf-8", "replace") if reply.status < 300 else None

    async def _remember(self, tx: Tx) -> None:
        now = int(self.gateway.clock.now().timestamp())
        await counters.raise_by(tx, LAST, now - await counters.value_of(tx, LAST))
