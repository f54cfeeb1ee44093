"""What silence keeps: marked as such, and asked about anew when a policy keeps it no more.

Who was told that silence keeps a memory was told nothing of its end. So a policy that is edited
from ``keep`` to ``hide`` or ``erase`` ends nothing at once: its subject is asked under the new
policy, and has the notice that it gives.
"""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from policies import Policy
from policies.retention import SILENT, end_anew, silence_keeps
from proxy.ledger import reach
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory


def told(policy: Policy, memory: Memory) -> dict[str, Any]:
    """The columns that say what its subject is told of silence, when they are asked."""
    return _tagged(memory, kept=silence_keeps(policy, memory.tier))


def changed(policy: Policy, memory: Memory, now: datetime) -> dict[str, Any]:
    """The columns to change of a memory past its end that stays: marked, or to be asked about."""
    if silence_keeps(policy, memory.tier):
        return _tagged(memory, kept=True)
    end = end_anew(policy, memory.tier, memory.created_at, memory.tags, now)
    if end is None:
        return {}
    anew = {"expires_at": end, "prompt_at": now, "asked_at": None}
    return _tagged(memory, kept=False) | anew


def _tagged(memory: Memory, *, kept: bool) -> dict[str, Any]:
    if kept == (SILENT in memory.tags):
        return {}
    others = tuple(tag for tag in memory.tags if tag != SILENT)
    return {"tags": (*others, SILENT) if kept else others}


async def write(tx: Tx, changes: Mapping[str, Mapping[str, Any]]) -> None:
    """Change columns of memories by row id, with few statements: many change alike."""
    groups: dict[tuple[tuple[str, Any], ...], list[str]] = defaultdict(list)
    for row_id, fields in changes.items():
        if fields:
            groups[tuple(fields.items())].append(row_id)
    for same, row_ids in groups.items():
        await reach.set_fields(tx, row_ids, dict(same))
