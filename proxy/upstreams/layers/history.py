"""Mem0's history: every version of every memory, which its API never deletes."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path

from proxy.upstreams.layers.base import LayerScope, Reach
from proxy.upstreams.layers.sqlite import changing, reading

_MATCHING = "FROM history WHERE memory_id IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True)
class HistoryLayer:
    """Rows by memory id; the table knows no owner.

    Args:
        path: Mem0's ``history.db``.
    """

    path: Path
    name: str = "history"
    reach: Reach = "side:sqlite"
    note: str = (
        "Rows are found by memory id. Versions of memories that were deleted before Expunge knew "
        "them name no owner."
    )

    async def count(self, scope: LayerScope) -> int | None:
        """Rows of the erased memories."""
        return await asyncio.to_thread(self._count, scope)

    async def delete(self, scope: LayerScope) -> int:
        """Delete those rows; their bytes go too."""
        return await asyncio.to_thread(self._delete, scope)

    def _count(self, scope: LayerScope) -> int:
        with reading(self.path) as connection:
            found = connection.execute(f"SELECT count(*) {_MATCHING}", _ids(scope))
            return int(found.fetchone()[0])

    def _delete(self, scope: LayerScope) -> int:
        with changing(self.path) as connection:
            return connection.execute(f"DELETE {_MATCHING}", _ids(scope)).rowcount


def _ids(scope: LayerScope) -> tuple[str]:
    return (json.dumps(scope.memory_ids),)
