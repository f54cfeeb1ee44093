"""An item of an answer beside what the ledger knows of it."""

from dataclasses import dataclass
from typing import Any

from proxy.gateway.services import NOBODY, Concerned
from proxy.ledger.memories import Memory
from proxy.upstreams.store import Item


@dataclass(slots=True)
class Seen:
    """One item of an answer and what is known about it; ``reason`` says why it is hidden."""

    raw: dict[str, Any]
    item: Item
    memory: Memory | None = None
    reason: str = ""
    concerned: Concerned = NOBODY
