"""Policies: which are in force, whether one is valid, what one makes of a text."""

import asyncio
from collections.abc import Mapping
from datetime import UTC
from typing import Any

from pydantic import AwareDatetime, Field

from detectors.suspicion import suspicion
from policies import Context, Policy, PolicyError, builtin_names, load_resolved, load_text
from policies.explain import explain as explain_text
from policies.policy import resolved
from policies.simulate import Tags
from policies.simulate import simulate as replay
from proxy.control.routing import Ask, Body, Route, roles
from proxy.control.services import ControlServices
from proxy.ledger import memories
from proxy.ledger.memories import Memory
from proxy.problems import Problem

_SEE = roles("operator", "privacy", "auditor")
_TRY = roles("operator", "privacy")
_PII = "pii:"
KINDS = frozenset({"user", "agent", "run", "app"})


class CheckBody(Body):
    """A policy to check."""

    policy: str = Field(max_length=500_000, description="The policy as YAML.")
    resolved: bool = Field(
        default=False, description="It is as 'expunge policy show' prints one: parents included."
    )


class ExplainBody(Body):
    """A text to explain; it is analysed and not kept."""

    text: str = Field(max_length=100_000)
    policy: str | None = Field(default=None, max_length=500_000, description="A policy to try.")
    operation: str = Field(default="write", pattern="^(write|update|search|read)$")
    owner: str | None = Field(
        default=None, max_length=256,
        description="An id, or kind:id; consents and settings of this owner count.",
    )  # fmt: skip
    purpose: str | None = Field(default=None, max_length=60)
    consents: list[str] = Field(default=[], max_length=100, description="Besides the owner's.")
    infer: bool | None = Field(default=None, description="Whether the store draws facts from it.")
    about: list[str] = Field(
        default=[], max_length=100, description="Ids of known entities that it is about."
    )
    region: str | None = Field(default=None, max_length=20)
    source: str | None = Field(default=None, max_length=20)
    at: AwareDatetime | None = Field(default=None, description="As if it were this instant.")


async def list_(services: ControlServices, _ask: Ask) -> Mapping[str, Any]:
    """The policies in force and those that come with Expunge."""
    return {"active": services.report_policies(), "builtin": builtin_names()}


async def active(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """The policy of this tenant with every default filled in."""
    policy = services.policies(ask.tenant_id)
    return {"name": policy.name, "digest": policy.digest, "policy": resolved(policy)}


async def check(_services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Whether a policy is valid, with every fault."""
    try:
        policy = _read(ask.body.policy, resolved=ask.body.resolved)
    except PolicyError as error:
        names = ("line", "column", "path", "message", "suggestion")
        faults = [{name: getattr(issue, name) for name in names} for issue in error.errors]
        return {"valid": False, "digest": None, "errors": faults}
    return {"valid": True, "digest": policy.digest, "errors": []}


async def explain(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """What is found in a text, which rules fire, and what comes of it."""
    body: ExplainBody = ask.body
    policy = _tried(body.policy) if body.policy else services.policies(ask.tenant_id)
    analysis = (await services.detectors.analyse([body.text]))[0]
    owner = _owner(body.owner)
    agreed, preferences = await services.wishes.of(ask.tenant_id, [owner] if owner else [])
    context = Context(
        operation=body.operation,
        at=body.at.astimezone(UTC) if body.at else services.clock.now(),
        owners=frozenset({":".join(owner)} if owner else ()),
        purpose=body.purpose,
        consents=agreed.union(body.consents),
        region=body.region,
        source=body.source,
        infer=body.infer,
        preferences=preferences,
        entities=frozenset(body.about),
        suspicion=suspicion(body.text),
    )
    return explain_text(policy, body.text, analysis, context)


def _owner(given: str | None) -> tuple[str, str] | None:
    if not given:
        return None
    kind, separator, name = given.partition(":")
    return (kind, name) if separator and kind in KINDS else ("user", given)


async def simulate(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Judge what the ledger knows of every memory by a policy, compared with the active one."""
    policy = _tried(ask.body.policy, resolved=ask.body.resolved)
    rows = await services.ledger.read(lambda tx: memories.of_tenant(tx, ask.tenant_id))
    now, active = services.clock.now(), services.policies(ask.tenant_id)
    return await asyncio.to_thread(
        lambda: replay(policy, map(_tags, rows), now, active=active).plain()
    )


def _tags(memory: Memory) -> Tags:
    types = [tag.removeprefix(_PII).upper() for tag in memory.tags if tag.startswith(_PII)]
    return Tags(
        memory.id,
        memory.created_at,
        categories=tuple(memory.categories),
        entities=dict.fromkeys(types, 1),
        tier=memory.tier,
        expires_at=memory.expires_at,
    )


def _tried(text: str, *, resolved: bool = False) -> Policy:
    try:
        return _read(text, resolved=resolved)
    except PolicyError as error:
        raise Problem(
            "invalid-policy",
            "The policy to try is not valid.",
            errors=[{"pointer": f"line {i.line}", "detail": i.message} for i in error.errors],
        ) from None


def _read(text: str, *, resolved: bool = False) -> Policy:
    return (load_resolved if resolved else load_text)(text.encode(), "policy")


ROUTES = (
    Route("GET", "/v1/policies", "listPolicies", _SEE, list_, "Policies in force and builtin ones.",
          tenant=False),
    Route("GET", "/v1/policies/active", "getActivePolicy", _SEE, active,
          "The tenant's policy with every default filled in."),
    Route("POST", "/v1/policies/check", "checkPolicy", _TRY, check,
          "Whether a policy is valid, with every fault.", body=CheckBody, tenant=False),
    Route("POST", "/v1/policies/simulate", "simulatePolicy", _TRY, simulate,
          "What a policy would do to what is kept; nothing is changed.", body=CheckBody),
    Route("POST", "/v1/policies/explain", "explainText", _TRY, explain,
          "What a policy makes of a text; the text is not kept.", body=ExplainBody),
)  # fmt: skip
