"""The platform's asynchronous operations: accepted now, looked up by id later.

An event keeps ids and times only. The platform keeps the original request in it as well; here the
text of a result is read from the store when asked for, so that an event is no further copy.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from proxy.background import spawn
from proxy.clock import Clock
from proxy.embedded.engine import StoreFailed, StoreRefused
from proxy.embedded.replies import new_uuid

Status = Literal["PENDING", "SUCCEEDED", "FAILED"]


@dataclass(slots=True)
class Event:
    """One operation: what it is, how far it is, and the ids of the memories it made."""

    id: str
    kind: str
    created_at: datetime
    status: Status = "PENDING"
    memory_ids: tuple[str, ...] = ()
    completed_at: datetime | None = None

    def described(self) -> dict[str, Any]:
        """As the platform shows it, without results."""
        done = self.completed_at
        return {
            "id": self.id,
            "event_type": self.kind,
            "status": self.status,
            "payload": None,
            "results": [],
            "created_at": self.created_at.isoformat(),
            "started_at": self.created_at.isoformat(),
            "updated_at": (done or self.created_at).isoformat(),
            "completed_at": done.isoformat() if done else None,
            "latency": (done - self.created_at).total_seconds() * 1000 if done else None,
            "error": "The operation failed." if self.status == "FAILED" else None,
        }


class Events:
    """The events of this process, oldest dropped first.

    Args:
        clock: for their times.
        limit: how many are kept.
    """

    def __init__(self, clock: Clock, limit: int = 10_000) -> None:
        self._clock, self._limit = clock, limit
        self._events: dict[str, Event] = {}

    def get(self, event_id: str) -> Event | None:
        """The event, if it is still known."""
        return self._events.get(event_id)

    def latest(self) -> list[Event]:
        """All events, newest first."""
        return list(reversed(self._events.values()))

    def completed(self, kind: str, memory_ids: Sequence[str]) -> Event:
        """Record an operation that is over."""
        event = self._new(kind)
        self._finish(event, "SUCCEEDED", memory_ids)
        return event

    def follow(self, kind: str, work: "Future[list[str]]") -> Event:
        """Record an operation that runs; ``work`` gives the ids it made."""
        event = self._new(kind)
        _ = spawn(self._await(event, work), name="embedded-event")
        return event

    async def _await(self, event: Event, work: "Future[list[str]]") -> None:
        try:
            memory_ids = await asyncio.wrap_future(work)
        except (StoreRefused, StoreFailed):
            self._finish(event, "FAILED", ())
        else:
            self._finish(event, "SUCCEEDED", memory_ids)

    def _new(self, kind: str) -> Event:
        event = Event(new_uuid(), kind, self._clock.now())
        self._events[event.id] = event
        while len(self._events) > self._limit:
            del self._events[next(iter(self._events))]
        return event

    def _finish(self, event: Event, status: Status, memory_ids: Sequence[str]) -> None:
        event.status, event.memory_ids = status, tuple(memory_ids)
        event.completed_at = self._clock.now()
