"""Erasures: ask, answer questions, confirm, watch, prove."""

from collections.abc import Mapping
from typing import Any

from proxy.control.models import ConfirmBody, ErasureBody, ForgetBody
from proxy.control.routing import Ask, roles
from proxy.control.services import ControlServices
from proxy.erasure.target import Actor, Target, check
from proxy.erasure.target import load as load_target
from proxy.problems import Problem

_ACT = roles("app", "operator", "privacy")
_SEE = roles("app", "operator", "privacy", "auditor")
_DECIDE = roles("privacy")


def actor(ask: Ask) -> Actor:
    """Who acts, for the record."""
    strongest = next(
        (role for role in ("privacy", "operator", "app") if role in ask.caller.roles), "auditor"
    )
    return Actor(strongest, ask.caller.key_id)


async def create(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Plan an erasure."""
    body: ErasureBody = ask.body
    view = await services.erasure.request(
        ask.tenant_id,
        load_target(body.target.dump()),
        keep=tuple(body.keep),
        reason=body.reason,
        reference=body.reference,
        actor=actor(ask),
        origin="agent" if body.agent else "control",
        dry_run=body.dry_run,
    )
    return view.body()


async def show(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """One erasure."""
    return (await services.erasure.get(ask.tenant_id, ask.path["id"])).body()


async def confirm(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Let a planned erasure run."""
    body: ConfirmBody = ask.body
    view = await services.erasure.confirm(
        ask.tenant_id, ask.path["id"], word=body.confirm, token=body.token, actor=actor(ask)
    )
    return view.body()


async def certificate(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """The proof of an erasure that ended."""
    bundle = await services.erasure.certificate(ask.tenant_id, ask.path["id"])
    return {
        "dsse": bundle.dsse.decode(),
        "tlog_proof": bundle.tlog_proof,
        "public_key": services.public_key,
    }


async def forget(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Erase in one call and wait for the end."""
    view = await services.erasure.forget(
        ask.tenant_id,
        _forget_target(ask.body),
        reason=ask.body.reason,
        reference=ask.body.reference,
        actor=actor(ask),
        origin="control",
    )
    return view.body()


def _forget_target(body: ForgetBody) -> Target:
    if body.owner is None and body.subject is None:
        raise Problem("invalid-request", "Name an owner or a data subject.")
    if body.subject is None:
        return load_target({"kind": "owner", "value": body.owner, "owner_kind": body.owner_kind})
    target = Target(kind="subject", values=(body.subject,), owner=body.owner)
    check(target)
    return target
