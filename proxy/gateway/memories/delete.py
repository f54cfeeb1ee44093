"""A client's deletes are erasures: cascaded, verified, and answered in the store's own shape."""

from functools import partial
from typing import cast

from proxy.background import outlasts
from proxy.erasure.saga.steps import PATIENCE_S
from proxy.erasure.search.target import Actor, OwnerKind, Target
from proxy.erasure.view import ErasureView
from proxy.gateway.answers.restore import answer_with
from proxy.gateway.exchange import Exchange
from proxy.gateway.memories.deletions import answer_of
from proxy.gateway.services import GatewayServices
from proxy.ledger import erasures, memories, owners, writes
from proxy.ledger.engine import Tx
from proxy.ledger.health import prove
from proxy.ledger.owners import Owner
from proxy.problems import Problem

CONFIRMED = "confirmed"
MEMORY = "memory"  # the layer that the client asked to delete from


async def secure(_: Exchange, services: GatewayServices) -> None:
    """Make sure that a delete can be recorded before the store is asked for anything.

    Raises:
        Problem: ``ledger-unavailable``.
    """
    await prove(services.ledger)


async def delete(exchange: Exchange, services: GatewayServices) -> None:
    """Erase what the request names.

    Raises:
        Problem: ``forbidden`` or ``confirmation-required`` by policy; ``upstream-unreachable`` or
            ``erasure-unfinished`` if the memories are not all gone.
    """
    if exchange.reply is not None:
        return
    _allowed(exchange)
    for target in await _targets(exchange, services):
        view = await services.erasure.forget(
            exchange.tenant_id, target, actor=_actor(exchange), origin="client"
        )
        _gone(view, held=await _is_held(view, services))
    services.owners.forget(exchange.tenant_id)
    answer_with(exchange, answer_of(exchange))


def _allowed(exchange: Exchange) -> None:
    section = exchange.policy.erasure
    if exchange.route.op == "reset" and section.reset != "erase":
        raise Problem(
            "forbidden",
            "The policy refuses to delete everything at once.",
            hint="Delete by owner, or set erasure.reset to 'erase' in the policy.",
        )
    if section.client_deletes == "refuse":
        raise Problem(
            "forbidden",
            "The policy refuses deletes by clients.",
            hint="Ask the operator for an erasure, or set erasure.client_deletes in the policy.",
        )
    confirmed = exchange.raw.header("confirm").strip() == CONFIRMED
    if section.client_deletes == "confirm" and not confirmed:
        raise Problem("confirmation-required", "The policy wants deletes to be confirmed.")


def _actor(exchange: Exchange) -> Actor:
    return Actor(min(exchange.caller.roles, default="app"), exchange.caller.key_id)


async def _targets(exchange: Exchange, services: GatewayServices) -> list[Target]:
    op, name = exchange.route.op, exchange.binding.name
    if op == "reset":
        return [Target(kind="tenant", upstream=name)]
    if op != "delete_owner":
        ids = tuple(exchange.targets)
        return [Target(kind="memory", values=ids, upstream=name)] if ids else []
    if len(exchange.owners) == 1:
        owner = exchange.owners[0]
        kind = cast("OwnerKind", owner.kind)
        return [Target(kind="owner", values=(owner.client_id,), owner_kind=kind, upstream=name)]
    await _await_writes(exchange, services)
    ids = tuple(await _common(exchange, services))
    return [Target(kind="memory", values=ids, upstream=name)] if ids else []


async def _await_writes(exchange: Exchange, services: GatewayServices) -> None:
    """Wait for what was being written under all of the named owners: it is to go too.

    Raises:
        Problem: ``erasure-unfinished`` if that takes too long; nothing is deleted then.
    """
    began = services.clock.now()

    async def unit(tx: Tx) -> bool:
        ids = {row.id for row in await _rows(tx, exchange) if row is not None}
        found = await writes.open_of_owners(tx, ids) if len(ids) == len(exchange.owners) else ()
        return any(ids.issubset(each.owner_ids) and each.created_at <= began for each in found)

    if await outlasts(partial(services.ledger.read, unit), PATIENCE_S):
        raise Problem(
            "erasure-unfinished",
            "Something of theirs is still being written.",
            hint="Nothing was deleted. Ask again in some seconds.",
        )


async def _rows(tx: Tx, exchange: Exchange) -> list[Owner | None]:
    """The named owners, as far as the ledger knows them."""
    refs = [(each.kind, owners.ref(exchange.names, each.kind, each.client_id))
            for each in exchange.owners]  # fmt: skip
    return [await owners.find(tx, exchange.tenant_id, *each) for each in refs]


async def _common(exchange: Exchange, services: GatewayServices) -> list[str]:
    """Ids of what belongs to all of the named owners: by the ledger and by the store."""
    wanted = {owner.kind: owner.upstream_id for owner in exchange.owners}
    found = {item.memory_id async for item in exchange.binding.store.crawl(wanted)}

    async def unit(tx: Tx) -> list[bytes | None]:
        sets = []
        for row in await _rows(tx, exchange):
            rows = await memories.of_owners(tx, [row.id]) if row else []
            sets.append({memory.id: memory for memory in rows})
        common = set.intersection(*(set(each) for each in sets)) if sets else set()
        both = [sets[0][each] for each in common]
        return await services.keyring.unseal_many(
            tx,
            [(m.dek_id, m.sealed_id, memories.aad(exchange.tenant_id, m.id)) for m in both],
        )

    known = await services.ledger.read(unit)
    return sorted(found | {each.decode() for each in known if each is not None})


async def _is_held(view: ErasureView, services: GatewayServices) -> bool:
    """Whether a hold keeps any of what was to be deleted itself.

    Of what derives from it, whoever's that is, the client asked for nothing and is told nothing.
    """
    kept = await services.ledger.read(lambda tx: erasures.items(tx, view.id, actions=("hold",)))
    return any(item.depth == 0 for item in kept)


def _gone(view: ErasureView, *, held: bool) -> None:
    """Whether the memories themselves are gone; what a store keeps besides is in the erasure.

    Raises:
        Problem: ``held``, ``confirmation-required``, ``upstream-unreachable`` or
            ``erasure-unfinished``.
    """
    if view.state in ("planned", "needs_clarification"):
        raise Problem(
            "confirmation-required",
            "So many memories are deleted only after a confirmation.",
            hint="Confirm the erasure in the control plane.",
        )
    here = [layer.status for layer in view.layers if layer.layer == MEMORY]
    if held:
        raise Problem(
            "held", "A legal hold keeps it.", hint="It is deleted when the hold is released."
        )
    done = view.state in ("complete", "incomplete", "held")
    if not done or not {"erased", "absent", "held"}.issuperset(here):
        away = "unreachable" in here
        raise Problem(
            "upstream-unreachable" if away else "erasure-unfinished",
            "Not everything is deleted yet; the erasure goes on by itself.",
            hint=f"Ask again in some seconds: 'expunge erasure show {view.reference}'.",
            upstream="unknown",
        )
