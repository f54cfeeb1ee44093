"""The audit log: entries, checkpoint, proofs, tiles, and checking all of it."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, get_args

from aiohttp import web
from pydantic import Field

from proxy.audit import proof
from proxy.audit.leaf import actor as actor_of
from proxy.audit.verify import verify
from proxy.config.section import Role
from proxy.control.routing import Ask, Body, Route, roles
from proxy.control.services import ControlServices
from proxy.erasure.report import report, who_deleted
from proxy.erasure.search.target import Actor
from proxy.ledger import audit
from proxy.problems import Problem

_SEE = roles("auditor", "privacy")
_MOST = 1000
_WIDTH = re.compile(r"(\d+)(?:\.p/(\d+))?")
_TEXT = "text/plain"
_PERIOD = {
    "since": "First instant (RFC 3339) or day.",
    "until": "End (RFC 3339), exclusive.",
}


class VerifyBody(Body):
    """What to check the log against."""

    checkpoint: str | None = Field(
        default=None, max_length=10_000, description="A checkpoint that was kept elsewhere."
    )


class WhoDeletedBody(Body):
    """Of which memory it is asked who deleted it."""

    memory_id: str = Field(min_length=1, max_length=1000, description="The store's id; not kept.")
    upstream: str | None = Field(default=None, description="Name of the store; absent: all.")


async def entries(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Entries in order, from a leaf index on, that are asked for.

    Only the tenant's for a token of one tenant, or where one is named.
    """
    first, limit = number(ask, "after", -1) + 1, min(number(ask, "limit", 100), _MOST)
    named = ask.headers.get("Expunge-Tenant")
    tenant_id = ask.caller.tenant_id
    if tenant_id is None and named:
        tenant_id = await services.credentials.tenant(ask.caller, named)
    since, until = period(ask)
    events = tuple(filter(None, [ask.query.get("event")]))
    actors = await _names_of(services, ask, ask.query.get("actor"))
    wanted = audit.Wanted(tenant_id, events, actors, since, until)
    found = await services.ledger.read(lambda tx: audit.search(tx, wanted, first, limit))
    last = found[-1].leaf_index if found and len(found) == limit else None
    items = [
        {"id": entry.id, "index": entry.leaf_index, **leaf}
        for entry in found
        if _is_wanted(leaf := json.loads(entry.leaf), events, actors)
    ]
    return {"items": items, "next": None if last is None else str(last)}


def _is_wanted(leaf: Mapping[str, Any], events: Sequence[str], actors: Sequence[str]) -> bool:
    """Whether an entry says what was asked for, wherever it is filed."""
    return not (events and leaf["event"] not in events) and not (
        actors and actor_of(leaf["fields"]) not in actors
    )


async def _names_of(services: ControlServices, ask: Ask, actor: str | None) -> tuple[str, ...]:
    """How the log names who acted: as given, and the tenant's pseudonyms of a credential's id."""
    if not actor:
        return ()
    try:
        named = ask.headers.get("Expunge-Tenant")
        tenant_id = await services.credentials.tenant(ask.caller, named)
    except Problem:  # of several tenants none is named, and each has its own pseudonyms
        return (actor,)
    names = await services.keyring.tenant(tenant_id)
    return (actor, *(Actor(role, actor).ref(names).hex() for role in get_args(Role)))


async def deletions(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """How many memories were deleted in a period: by type, by whom, when, with what outcome."""
    since, until = period(ask)
    return (await report(services.means, ask.tenant_id, since, until)).body()


async def deleted_by(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Who deleted one memory, when and why."""
    body: WhoDeletedBody = ask.body
    known = services.means.stores
    if body.upstream is not None and body.upstream not in known:
        said = f"There is no such store. One of: {', '.join(sorted(known))}."
        raise Problem("invalid-request", said)
    found = await who_deleted(services.means, ask.tenant_id, body.memory_id, body.upstream)
    return {"items": found}


def period(ask: Ask) -> tuple[datetime | None, datetime | None]:
    """The query parameters ``since`` and ``until``.

    Raises:
        Problem: ``invalid-request``.
    """
    since, until = moment(ask, "since"), moment(ask, "until")
    if since and until and since >= until:
        raise Problem("invalid-request", "The parameter until must lie after since.")
    return since, until


def moment(ask: Ask, name: str) -> datetime | None:
    """A query parameter as an instant; a date is its first one, in UTC.

    Raises:
        Problem: ``invalid-request``.
    """
    text = ask.query.get(name)
    if not text:
        return None
    try:
        at = datetime.fromisoformat(text)
        return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        said = f"The parameter {name} is no date or instant (RFC 3339)."
        raise Problem("invalid-request", said) from None


def number(ask: Ask, name: str, default: int) -> int:
    """A query parameter as a number.

    Raises:
        Problem: ``invalid-request``.
    """
    text = ask.query.get(name, "")
    if text and not (text.isascii() and text.isdecimal()):
        raise Problem("invalid-request", f"The parameter {name} is not a number.")
    return int(text) if text else default


async def checkpoint(services: ControlServices, _ask: Ask) -> web.Response:
    """The newest signed checkpoint (C2SP tlog-checkpoint)."""
    return _plain(await services.ledger.read(proof.checkpoint))


async def inclusion(services: ControlServices, ask: Ask) -> web.Response:
    """The proof that an entry is in the log (C2SP tlog-proof)."""
    entry_id, bound = ask.path["id"], ask.caller.tenant_id
    entry = await services.ledger.read(lambda tx: audit.entry(tx, entry_id))
    if entry is None or bound not in {None, entry.tenant_id}:
        raise Problem("not-found", "There is no such entry.")
    return _plain(await services.ledger.read(lambda tx: proof.inclusion(tx, entry_id)))


async def tile(services: ControlServices, ask: Ask) -> web.Response:
    """A tile of digests (C2SP tlog-tiles), for mirrors and witnesses."""
    found = _WIDTH.fullmatch(ask.path["index"])
    if found is None or not ask.path["level"].isdecimal():
        raise Problem("not-found", "There is no such tile.")
    level, index, width = int(ask.path["level"]), int(found[1]), int(found[2] or proof.TILE_WIDTH)
    data = await services.ledger.read(lambda tx: proof.tile(tx, level, index, width))
    return web.Response(body=data, content_type="application/octet-stream")


async def public_key(services: ControlServices, _ask: Ask) -> web.Response:
    """The log's public key (C2SP verifier key), for whoever checks certificates."""
    return _plain(services.public_key + "\n")


async def check(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Read the whole log; compare it with its signatures and with checkpoints kept elsewhere."""
    keys: list[str | bytes] = [services.public_key]
    kept = services.witness.kept() if services.witness else None
    given = (ask.body.checkpoint, kept.note if kept else None)
    notes = tuple(note for note in given if note is not None)
    seen = await services.ledger.read(lambda tx: verify(tx, keys, witnessed=notes))
    return {
        "valid": seen.valid,
        "entries": seen.entries,
        "checkpoints": seen.checkpoints,
        "witnessed": ask.body.checkpoint is not None,
        "kept_size": kept.size if kept else None,
        "findings": [
            {"code": f.code, "index": f.index, "message": f.message} for f in seen.findings
        ],
        "warnings": [
            {
                "code": "clock-set-back",
                "index": each.index,
                "last": each.last,
                "seconds": each.seconds,
                "message": each.message,
            }
            for each in seen.set_back
        ],
    }


def _plain(text: str) -> web.Response:
    return web.Response(text=text, content_type=_TEXT)


ROUTES = (
    Route("GET", "/v1/audit/entries", "listAuditEntries", _SEE, entries, "Entries in order.",
          tenant=False,
          query={"after": "Leaf index to continue after.", "limit": "At most 1000.",
                 "event": "Only this event, such as memories.deleted.",
                 "actor": "Only by this pseudonym, as an entry shows it, or this credential's id.",
                 **_PERIOD}),
    Route("GET", "/v1/audit/report", "reportDeletions", _SEE, deletions,
          "Deletions of a period: by type, by whom, when, with what outcome.", query=_PERIOD),
    Route("POST", "/v1/audit/who-deleted", "whoDeleted", _SEE, deleted_by,
          "By whom, when and why a memory was deleted.", body=WhoDeletedBody),
    Route("GET", "/v1/audit/checkpoint", "getCheckpoint", _SEE, checkpoint,
          "The newest signed checkpoint.", tenant=False, media=_TEXT),
    Route("GET", "/v1/audit/key", "getAuditKey", _SEE, public_key, "The log's public key.",
          tenant=False, media=_TEXT),
    Route("GET", "/v1/audit/proof/{id}", "getProof", _SEE, inclusion,
          "The proof that an entry is in the log.", tenant=False, media=_TEXT),
    Route("GET", "/v1/audit/tile/{level}/{index:[0-9]+(?:\\.p/[0-9]+)?}", "getTile", _SEE, tile,
          "A tile of digests.", tenant=False, media="application/octet-stream"),
    Route("POST", "/v1/audit/verify", "verifyAudit", _SEE, check,
          "Read the whole log and compare it with its signatures.", body=VerifyBody, tenant=False),
)  # fmt: skip
