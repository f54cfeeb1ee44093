"""Writes whose outcome is not known yet: asked for by event, or looked for by their stamp."""

import asyncio
from datetime import timedelta
from typing import Any

import orjson

from proxy.gateway.answers import answers
from proxy.gateway.memories import settle
from proxy.gateway.services import GatewayServices
from proxy.keys.errors import KeyDestroyed
from proxy.ledger import owners, writes
from proxy.ledger.owners import Owner
from proxy.ledger.writes import Write
from proxy.problems import Problem
from proxy.telemetry import get_logger, metrics
from proxy.upstreams.binding import Dialect, UpstreamBinding
from proxy.upstreams.errors import StoreError
from proxy.upstreams.profile import Later, Route
from proxy.upstreams.selectors import first
from proxy.upstreams.store import Item
from proxy.upstreams.transport import UpstreamRequest

_LOG = get_logger("gateway")

INTERVAL = 1.0  # seconds between looks
UNKNOWN_AFTER = timedelta(seconds=30)  # an intent this old lost its request


class PendingWrites:
    """Finishes what requests left open."""

    def __init__(self, services: GatewayServices) -> None:
        self._services = services

    async def run(self) -> None:
        """Look again and again until cancelled."""
        while True:
            try:
                await self.run_once()
            except Problem as problem:
                _LOG.warning("writes.not_settled", slug=problem.slug)
            await asyncio.sleep(INTERVAL)

    async def run_once(self) -> int:
        """Look at every open write once; returns how many stay open."""
        pending = await self._open(("pending",), timedelta(0))
        lost = await self._open(("unknown",), timedelta(0))
        lost += await self._open(("intended",), UNKNOWN_AFTER)
        left = 0
        for write in pending:
            left += not await self._guarded(self._by_event, write)
        for write in lost:
            left += not await self._guarded(self._by_stamp, write)
        metrics.PENDING_WRITES.set(left)
        await self._let_go()
        return left

    async def _let_go(self) -> None:
        """Drop the texts of writes that are settled, whoever settled them."""
        held = self._services.unsettled
        if ids := held.writes:
            left = await self._services.ledger.read(lambda tx: writes.open_among(tx, ids))
            held.drop(set(ids) - left)

    async def _open(self, states: tuple[str, ...], age: timedelta) -> list[Write]:
        before = self._services.clock.now() - age
        return await self._services.ledger.read(
            lambda tx: writes.open_writes(tx, before=before, states=states)
        )

    async def _guarded(self, settle_one: Any, write: Write) -> bool:
        """Settle one write; what fails now is tried again later."""
        try:
            done: bool = await settle_one(write)
        except (StoreError, Problem) as failure:
            slug = failure.slug if isinstance(failure, Problem) else "upstream-unreachable"
            _LOG.warning("write.not_settled", write_id=write.id, slug=slug)
            return slug == "subject-locked"
        except KeyDestroyed:
            await settle.conclude(self._services, write.id, "killed")
            return True
        return done

    async def _by_event(self, write: Write) -> bool:
        binding = self._services.stores[write.upstream]
        found = _later(binding)
        if found is None or write.sealed_event is None or write.dek_id is None:
            return await self._by_stamp(write)
        dialect, route, later = found
        handle = await self._handle(write, write.dek_id, write.sealed_event)
        reply = await dialect.transport.send(
            UpstreamRequest("GET", later.poll.replace("{event}", handle))
        )
        if reply.status >= 500:
            return False
        if reply.status >= 400:
            return await self._by_stamp(write)
        return await self._finish(write, route, later, _parsed(reply.body))

    async def _handle(self, write: Write, dek_id: str, sealed: bytes) -> str:
        aad = writes.aad(write.tenant_id, write.id)
        clear = await self._services.ledger.read(
            lambda tx: self._services.keyring.unseal(tx, dek_id, sealed, aad)
        )
        return clear.decode()

    async def _finish(self, write: Write, route: Route, later: Later, answer: Any) -> bool:
        state = first((later.state,), answer)
        if state in later.done:
            named = settle.made_of(route, answer)
            made = await answers.read_back(self._services, write, named)
            await settle.settle_write(self._services, write, made)
            return True
        if state in later.failed:
            await settle.conclude(self._services, write.id, "failed")
            return True
        return False

    async def _by_stamp(self, write: Write) -> bool:
        """Look among the owner's memories for what carries the write's stamp."""
        made = await answers.own(self._services, write, await self._stamped(write))
        old = self._services.clock.now() - write.created_at
        if not made and old < UNKNOWN_AFTER:
            return False
        if not made:
            await settle.conclude(self._services, write.id, "failed")
            return True
        await settle.settle_write(self._services, write, made)
        return True

    async def _stamped(self, write: Write) -> list[Item]:
        store = self._services.stores[write.upstream].store
        rows = await self._services.ledger.read(lambda tx: owners.by_ids(tx, write.owner_ids))
        named = {row.kind: await self._upstream_id(row, store.owner_form) for row in rows}
        if not named:
            return []  # nobody is left whom it could belong to
        stamp = store.profile.stamp
        return [item async for item in store.crawl(named) if item.metadata.get(stamp) == write.id]

    async def _upstream_id(self, row: Owner, form: owners.Form) -> str:
        names = await self._services.keyring.tenant(row.tenant_id)
        clear = await self._services.ledger.read(
            lambda tx: self._services.keyring.unseal(
                tx, row.dek_id, row.sealed_id, owners.aad(row.tenant_id, row.id)
            )
        )
        return owners.upstream_id(names, form, row.kind, clear.decode())


def _later(binding: UpstreamBinding) -> tuple[Dialect, Route, Later] | None:
    for dialect in binding.dialects:
        for route in dialect.profile.routes:
            if route.later is not None:
                return dialect, route, route.later
    return None


def _parsed(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
