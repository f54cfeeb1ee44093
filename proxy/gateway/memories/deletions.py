"""Answers to deletes in the store's words; a delete's event is over when its id is given out."""

import os
import uuid
from typing import Any

from proxy.gateway.exchange import Exchange
from proxy.pseudonyms import Pseudonyms
from proxy.upstreams.profile import Answer

_DONE = Answer(200, {"message": "Deleted"})
_HALF = 8


def answer_of(exchange: Exchange) -> Answer:
    """The profile's reply with ``{count}`` and ``{event}`` filled in."""
    reply = exchange.route.reply or _DONE
    if not isinstance(reply.body, dict):
        return reply
    known = {"count": str(len(exchange.targets)), "event": event_id(exchange.names)}
    return Answer(reply.status, {name: _filled(part, known) for name, part in reply.body.items()})


def _filled(part: Any, known: dict[str, str]) -> Any:
    return part.format(**known) if isinstance(part, str) else part


def event_id(names: Pseudonyms) -> str:
    """An id that only this tenant's requests can be asked about; nothing is kept for it."""
    head = uuid.UUID(bytes=os.urandom(_HALF) + bytes(_HALF), version=4).bytes[:_HALF]
    return _signed(names, head)


def is_event(names: Pseudonyms, said: str) -> bool:
    """Whether an id was given out by ``event_id`` for the same tenant."""
    try:
        found = uuid.UUID(said)
    except ValueError:
        return False
    return str(found) == _signed(names, found.bytes[:_HALF])


def _signed(names: Pseudonyms, head: bytes) -> str:
    tail = names.of("delete-event", head.hex())[:_HALF]
    return str(uuid.UUID(bytes=head + tail, version=4))


def event(said: str) -> Answer:
    """What the platform says of a deletion that is over."""
    body: dict[str, Any] = {
        "id": said,
        "event_type": "DELETE",
        "status": "SUCCEEDED",
        "payload": None,
        "results": [],
        "error": None,
    }
    return Answer(200, body)
