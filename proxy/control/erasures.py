"""Erasures: ask, answer questions, confirm, watch, prove."""

from collections.abc import Mapping
from typing import Any

from policies import Policy
from policies.rules import tag_of
from policies.schema import CATEGORIES, ENTITY_TYPES
from proxy.background import spawn
from proxy.control.entity_types import check_entity_type
from proxy.control.models import ClarifyBody, ConfirmBody, ErasureBody, ForgetBody, ReasonBody
from proxy.control.progress import answer
from proxy.control.queries import cursor_of, one_of
from proxy.control.routing import Answer, Ask, Route, roles
from proxy.control.services import ControlServices
from proxy.erasure.search.target import Actor, Target
from proxy.erasure.search.target import load as load_target
from proxy.erasure.search.walk import Progress
from proxy.erasure.view import STATES, ErasureView
from proxy.ledger import tenants
from proxy.problems import Problem
from proxy.rights.refusals import refused

_ACT = roles("app", "operator", "privacy")
_SEE = roles("app", "operator", "privacy", "auditor")
_DECIDE = roles("privacy")


def actor(ask: Ask) -> Actor:
    """Who acts, for the record."""
    strongest = next(
        (role for role in ("privacy", "operator", "app") if role in ask.caller.roles), "auditor"
    )
    return Actor(strongest, ask.caller.key_id)


async def shown(services: ControlServices, ask: Ask, view: ErasureView) -> dict[str, Any]:
    """An erasure as the API shows it, with the tenant's name."""
    return {"tenant": await tenant_name(services, ask), **view.body()}


async def tenant_name(services: ControlServices, ask: Ask) -> str:
    tenant = await services.ledger.read(lambda tx: tenants.get(tx, ask.tenant_id))
    return ask.tenant_id if tenant is None else tenant.name


async def create(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Plan an erasure."""
    body: ErasureBody = ask.body
    target = load_target(body.said())
    _check_labels(services.policies(ask.tenant_id), target)
    preference = await _refuse(services, ask, target) if body.future else {}
    view = await services.erasure.request(
        ask.tenant_id,
        target,
        keep=tuple(body.keep),
        reason=body.reason,
        reference=body.reference,
        actor=actor(ask),
        origin="agent" if body.agent else "control",
        dry_run=body.dry_run,
        details=body.details(),
    )
    return {**await shown(services, ask, view), **preference}


async def _refuse(services: ControlServices, ask: Ask, target: Target) -> dict[str, str | None]:
    """Refuse for the future what is asked for; a preview records nothing, and a name needs none.

    Before the request, which may end without a plan: whoever asked has said it all the same.
    """
    settings = refused(target)
    if ask.body.dry_run or not settings:
        return {"preference": None}
    owner = target.owner_kind, target.owner or ""
    made = await services.wishes.refuse(ask.tenant_id, owner, settings, actor=actor(ask))
    return {"preference": made}


def _check_labels(policy: Policy, target: Target) -> None:
    """Refuse a misspelt category, tag or type: it would be reported as nothing found."""
    check_entity_type(policy, target.entity_type, "/target/type")
    known = {
        "category": {*CATEGORIES, *policy.retention.categories},
        "tag": {*map(tag_of, [*ENTITY_TYPES, *policy.write.custom_types])},
    }.get(target.kind)
    if known is not None and not {*target.values} <= known:
        detail = f"There is no such {target.kind}. Known here: {', '.join(sorted(known))}."
        raise Problem("invalid-request", "The target is not valid.",
                      errors=[{"pointer": "/target/values", "detail": detail}])  # fmt: skip


async def show(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """One erasure."""
    return await shown(services, ask, await services.erasure.get(ask.tenant_id, ask.path["id"]))


async def confirm(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Let a planned erasure run."""
    body: ConfirmBody = ask.body
    view = await services.erasure.confirm(
        ask.tenant_id, ask.path["id"], word=body.confirm, token=body.token, actor=actor(ask),
        unseen=body.unseen, identity=body.identity.model_dump() if body.identity else None,
    )  # fmt: skip
    # Not left to the worker's next turn: the caller is waiting.
    _ = spawn(services.erasure.run(ask.tenant_id, view.id), name="erasure-confirmed")
    return await shown(services, ask, view)


async def list_(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Erasures of the tenant, newest first."""
    state, cursor = one_of(ask, "state", STATES), cursor_of(ask, "era")
    views, following = await services.erasure.list(ask.tenant_id, state=state, cursor=cursor)
    tenant = await tenant_name(services, ask)
    return {"items": [{"tenant": tenant, **view.body()} for view in views], "next": following}


async def clarify(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Say which candidates are meant, or which action a question gets."""
    body: ClarifyBody = ask.body
    view = await services.erasure.clarify(
        ask.tenant_id,
        ask.path["id"],
        entity_ids=tuple(body.entity_ids),
        owners=tuple(body.owners),
        choices=body.choices,
        actor=actor(ask),
    )
    return await shown(services, ask, view)


async def cancel(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Take back a request that does not run yet, or close one that was given up."""
    view = await services.erasure.cancel(ask.tenant_id, ask.path["id"], actor=actor(ask))
    return await shown(services, ask, view)


async def refuse(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Refuse a request under an exception of the law (GDPR Art. 17(3))."""
    view = await services.erasure.refuse(
        ask.tenant_id, ask.path["id"], reason=ask.body.reason, actor=actor(ask)
    )
    return await shown(services, ask, view)


async def extend(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Extend the deadline as far as the regime allows (GDPR Art. 12(3))."""
    view = await services.erasure.extend(
        ask.tenant_id, ask.path["id"], reason=ask.body.reason, actor=actor(ask)
    )
    return await shown(services, ask, view)


async def retry(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Take up an incomplete erasure again, or plan one that has no plan yet."""
    view = await services.erasure.retry(ask.tenant_id, ask.path["id"], actor=actor(ask))
    return await shown(services, ask, view)


async def recheck(services: ControlServices, ask: Ask) -> Answer:
    """Look again whether what was erased is still absent; tells on the way how far it is."""
    view = await services.erasure.get(ask.tenant_id, ask.path["id"])

    async def work(progress: Progress) -> Mapping[str, Any]:
        found = await services.erasure.recheck(
            ask.tenant_id, view.id, actor=actor(ask), progress=progress
        )
        return found.body()

    return await answer(ask, work)


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
        details=ask.body.details(),
    )
    return await shown(services, ask, view)


def _forget_target(body: ForgetBody) -> Target:
    if body.owner is None and body.subject is None:
        raise Problem("invalid-request", "Name an owner or a data subject.")
    if body.subject is None:
        return load_target({"kind": "owner", "value": body.owner, "owner_kind": body.owner_kind})
    of_owner = {"owner": body.owner, "owner_kind": body.owner_kind, "owners": body.owners}
    return load_target({"kind": "subject", "value": body.subject} | of_owner)


_ID = "/v1/erasures/{id}"
ROUTES = (
    Route("POST", "/v1/erasures", "requestErasure", _ACT, create,
          "Plan an erasure; nothing is deleted yet.", body=ErasureBody, status=201),
    Route("GET", "/v1/erasures", "listErasures", _SEE, list_, "Erasures, newest first.",
          query={"state": f"Only in this state: {', '.join(STATES)}.",
                 "cursor": "Continue after this point ('next' of the last answer)."}),
    Route("GET", _ID, "getErasure", _SEE, show, "State, layers and deadline of an erasure."),
    Route("POST", f"{_ID}/confirm", "confirmErasure", _ACT, confirm, "Let a plan run.",
          body=ConfirmBody),
    Route("POST", f"{_ID}/clarify", "clarifyErasure", _ACT, clarify,
          "Choose among candidates, or decide about items.", body=ClarifyBody),
    Route("POST", f"{_ID}/cancel", "cancelErasure", _ACT, cancel,
          "Take a request back, or close one that was given up."),
    Route("POST", f"{_ID}/refuse", "refuseErasure", _DECIDE, refuse,
          "Refuse under an exception of the law.", body=ReasonBody),
    Route("POST", f"{_ID}/extend", "extendErasure", _DECIDE, extend, "Extend the deadline.",
          body=ReasonBody),
    Route("POST", f"{_ID}/retry", "retryErasure", _ACT, retry,
          "Take up an incomplete erasure again, or plan one that has no plan."),
    Route("POST", f"{_ID}/recheck", "recheckErasure", _SEE, recheck,
          "Look again whether what was erased is still absent."),
    Route("GET", f"{_ID}/certificate", "getCertificate", _SEE, certificate,
          "The signed certificate and its proof."),
    Route("POST", "/v1/forget", "forget", _ACT, forget, "Erase in one call and wait for the end.",
          body=ForgetBody),
)  # fmt: skip
