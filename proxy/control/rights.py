"""Rights of data subjects: what they ask for in words, their data, their decisions."""

from collections.abc import AsyncIterator, Mapping
from typing import Any, Literal, cast

from aiohttp import web
from pydantic import Field

from proxy.control.erasures import actor
from proxy.control.holds import owner_of
from proxy.control.routing import Ask, Body, Route, roles
from proxy.control.services import ControlServices
from proxy.problems import Problem
from proxy.rights.interpret import interpret as propose
from proxy.rights.notices import notices as owed

_APP = roles("app", "operator", "privacy")
_DECIDE = roles("app", "privacy")
_MEDIA = {"json": "application/json", "markdown": "text/markdown"}


class SentenceBody(Body):
    """What somebody said; it is read and not kept."""

    text: str = Field(max_length=4000)
    owner: str | None = Field(default=None, max_length=256, description="Who said it.")
    zone: str = Field(default="UTC", max_length=60, description="IANA time zone of its author.")


class ConsentBody(Body):
    """A consent that was given."""

    name: str = Field(max_length=60, pattern=r"^[A-Za-z0-9_.:-]+$")


class OwnerBody(Body):
    """An owner of whom nothing is remembered yet."""

    owner: str = Field(max_length=256, description="The client's id; it stays out of every URL.")
    owner_kind: Literal["user", "agent", "run", "app"] = "user"


class PreferencesBody(Body):
    """Settings of a data subject; see the policy's bounds."""

    settings: dict[str, Any] = Field(max_length=50)


async def interpret(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """The structured request that a sentence asks for; nothing is carried out."""
    body: SentenceBody = ask.body
    found = propose(body.text, now=services.clock.now(), zone=body.zone).body()
    if body.owner is not None:
        for request in found["requests"]:
            request["target"].setdefault("owner", body.owner)
    return found


async def export(services: ControlServices, ask: Ask) -> web.Response:
    """Everything that is kept about an owner (GDPR Art. 15, 20), streamed."""
    kind, owner = await owner_of(services, ask)
    form = ask.query.get("format", "json")
    if form not in _MEDIA:
        raise Problem("invalid-request", "The format is json or markdown.")
    pieces = services.access.export(
        ask.tenant_id,
        kind,
        owner,
        actor=actor(ask),
        form=cast('Literal["json", "markdown"]', form),
        purpose=ask.query.get("purpose"),
        confirmed=ask.query.get("confirm") == "confirmed",
    )
    first = await anext(pieces)  # refusals come before the first byte
    return web.Response(body=_bytes(first, pieces), content_type=_MEDIA[form], charset="utf-8")


async def _bytes(first: str, rest: AsyncIterator[str]) -> AsyncIterator[bytes]:
    yield first.encode()
    async for piece in rest:
        yield piece.encode()


async def notices(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """What an owner is told: of erasures that touched something shared, never what; of reviews."""
    owner = ask.query.get("owner")
    if not owner:
        raise Problem("invalid-request", "Name the owner: its ref, as POST /v1/subjects gives it.")
    listed = await owed(services.means, ask.tenant_id, await owner_of(services, ask, owner))
    return {"items": [notice.body() for notice in listed]}


async def register(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Make an owner known, so that consents and wishes can come before the first memory."""
    owner = ask.body.owner_kind, ask.body.owner
    return {"ref": await services.wishes.register(ask.tenant_id, owner, actor=actor(ask))}


async def consent(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Record a consent."""
    owner = await owner_of(services, ask)
    wishes, name = services.wishes, ask.body.name
    return {"id": await wishes.consent(ask.tenant_id, owner, name, actor=actor(ask))}


async def prefer(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Record settings; they replace those of the same names."""
    owner = await owner_of(services, ask)
    wishes, settings = services.wishes, ask.body.settings
    return {"id": await wishes.prefer(ask.tenant_id, owner, settings, actor=actor(ask))}


async def decisions(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Consents and settings in force."""
    owner = await owner_of(services, ask)
    return {"items": await services.wishes.in_force(ask.tenant_id, owner)}


async def withdraw(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Withdraw a consent or a setting."""
    await services.wishes.withdraw(ask.tenant_id, ask.path["id"], actor=actor(ask))
    return {"id": ask.path["id"]}


_SUBJECT = "/v1/subjects/{ref}"
ROUTES = (
    Route("POST", "/v1/interpret", "interpret", _APP, interpret,
          "What a sentence asks for; nothing is carried out.", body=SentenceBody),
    Route("GET", f"{_SUBJECT}/export", "exportSubject", _DECIDE, export,
          "Everything that is kept about an owner.",
          query={"format": "json or markdown.", "purpose": "What it is for.",
                 "confirm": "'confirmed' where special categories may be contained."}),
    Route("GET", "/v1/notices", "listNotices", _APP, notices,
          "Notices owed to an owner; reading them counts as delivery.",
          query={"owner": "The owner's ref, never its raw id."}),
    Route("POST", "/v1/owners", "registerOwner", _DECIDE, register,
          "Make an owner known before the first memory.", body=OwnerBody, status=201),
    Route("POST", f"{_SUBJECT}/consents", "consent", _DECIDE, consent, "Record a consent.",
          body=ConsentBody, status=201),
    Route("POST", f"{_SUBJECT}/preferences", "prefer", _DECIDE, prefer,
          "Record settings within the policy's bounds.", body=PreferencesBody, status=201),
    Route("GET", f"{_SUBJECT}/preferences", "listDecisions", _APP, decisions,
          "Consents and settings in force."),
    Route("DELETE", "/v1/preferences/{id}", "withdraw", _DECIDE, withdraw,
          "Withdraw a consent or a setting."),
)  # fmt: skip
