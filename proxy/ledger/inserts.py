"""Insert rows that may be there already, on both databases."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite

from proxy.ledger.engine import Tx


async def offer(tx: Tx, table: Table, row: Mapping[str, Any]) -> bool:
    """Insert one row; False if it clashes with a unique key, and then nothing is changed."""
    dialect = postgresql if tx.dialect.name == "postgresql" else sqlite
    done = await tx.execute(dialect.insert(table).values(dict(row)).on_conflict_do_nothing())
    return done.rowcount == 1


async def insert_ignore(tx: Tx, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert ``rows``; those that clash with a unique key are left as they are."""
    if not rows:
        return
    dialect = postgresql if tx.dialect.name == "postgresql" else sqlite
    await tx.execute(dialect.insert(table).on_conflict_do_nothing(), [dict(row) for row in rows])
