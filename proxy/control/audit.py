"""The audit log: entries, checkpoint, proofs, tiles, and checking all of it."""

import json
import re
from collections.abc import Mapping
from typing import Any

from aiohttp import web
from pydantic import Field

from proxy.audit import proof
from proxy.audit.verify import verify
from proxy.control.routing import Ask, Body, Route, roles
from proxy.control.services import ControlServices
from proxy.ledger import audit
from proxy.problems import Problem

_SEE = roles("auditor", "privacy")
_MOST = 1000
_WIDTH = re.compile(r"(\d+)(?:\.p/(\d+))?")
_TEXT = "text/plain"


class VerifyBody(Body):
    """What to check the log against."""

    checkpoint: str | None = Field(
        default=None, max_length=10_000, description="A checkpoint that was kept elsewhere."
    )


async def entries(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Entries in order, from a leaf index on; only the tenant's for a token of one tenant."""
    first, limit = number(ask, "after", -1) + 1, min(number(ask, "limit", 100), _MOST)
    found = await services.ledger.read(
        lambda tx: audit.entries(tx, first, limit, tenant_id=ask.caller.tenant_id)
    )
    last = found[-1].leaf_index if len(found) == limit else None
    items = [
        {"id": entry.id, "index": entry.leaf_index, **json.loads(entry.leaf)} for entry in found
    ]
    return {"items": items, "next": None if last is None else str(last)}


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
    report = await services.ledger.read(lambda tx: verify(tx, keys, witnessed=notes))
    return {
        "valid": report.valid,
        "entries": report.entries,
        "checkpoints": report.checkpoints,
        "witnessed": ask.body.checkpoint is not None,
        "kept_size": kept.size if kept else None,
        "findings": [
            {"code": f.code, "index": f.index, "message": f.message} for f in report.findings
        ],
        "warnings": [
            {
                "code": "clock-set-back",
                "index": each.index,
                "last": each.last,
                "seconds": each.seconds,
                "message": each.message,
            }
            for each in report.set_back
        ],
    }


def _plain(text: str) -> web.Response:
    return web.Response(text=text, content_type=_TEXT)


ROUTES = (
    Route("GET", "/v1/audit/entries", "listAuditEntries", _SEE, entries, "Entries in order.",
          tenant=False, query={"after": "Leaf index to continue after.", "limit": "At most 1000."}),
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
