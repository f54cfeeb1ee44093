"""Append to the audit log: an outbox row in the transaction of the deed it records."""

from collections.abc import Mapping
from typing import Any

from proxy import ids
from proxy.audit import leaf
from proxy.clock import Clock
from proxy.ledger import audit
from proxy.ledger.engine import Tx


class AuditLog:
    """Where everyone appends. No deed is committed without its entry, and no entry without it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def append(
        self, tx: Tx, tenant_id: str | None, event: str, fields: Mapping[str, Any]
    ) -> str:
        """Put an entry into the caller's transaction and return its id.

        Args:
            tenant_id: None for the installation's own events.
            event: dotted lower-case name.
            fields: content-free values; see ``leaf.encode``.

        Raises:
            ValueError: something that could be content.
        """
        entry_id, at = ids.new("aud"), self._clock.now()
        encoded = leaf.encode(entry_id, tenant_id, event, at, fields)
        row = audit.Entry(entry_id, tenant_id, None, encoded, at, event, leaf.actor(fields))
        await audit.insert_entry(tx, row)
        return entry_id
