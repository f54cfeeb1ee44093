"""Insert rows that may be there already, on both databases."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Executable, Table
from sqlalchemy.dialects import postgresql, sqlite

from proxy.ledger.engine import Tx


async def offer(tx: Tx, table: Table, row: Mapping[str, Any]) -> bool:
    """Insert one row; False if it clashes with a unique key, and then nothing is changed."""
    done = await tx.execute(_statement(tx.dialect.name, table), dict(row))
    return done.rowcount == 1


async def insert_ignore(tx: Tx, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert ``rows``; those that clash with a unique key are left as they are."""
    if rows:
        await tx.execute(_statement(tx.dialect.name, table), [dict(row) for row in rows])


@cache
def _statement(dialect: str, table: Table) -> Executable:
    if dialect == "postgresql":
        return postgresql.insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()
