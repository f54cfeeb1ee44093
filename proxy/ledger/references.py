"""References of erasures: ``DEL-2026-0001``; none is given twice, also after a ledger was lost."""

from sqlalchemy.ext.asyncio import AsyncConnection

from proxy.ledger.counters import raise_by, value_of

BEYOND = "erasure/beyond"  # what every reference is above since a ledger was lost
SPARE = 1000  # and some more: the newest entries of a lost ledger may be in no checkpoint


async def next_reference(tx: AsyncConnection, tenant_id: str, year: int) -> str:
    """The next ``DEL-YYYY-NNNN`` of the tenant."""
    number = await raise_by(tx, f"erasure/{tenant_id}/{year}", base=BEYOND)
    return f"DEL-{year}-{number:04d}"


async def refer_beyond(tx: AsyncConnection, entries: int) -> None:
    """Never again give a reference that a lost ledger may have given.

    Args:
        entries: how many log entries the lost ledgers are known to have had, which are at least
            as many as their erasures.
    """
    number = (entries // SPARE + 2) * SPARE
    await raise_by(tx, BEYOND, max(0, number - await value_of(tx, BEYOND)))
