"""The rows that hold keys, as a backup of the ledger keeps them and a restore puts them back."""

from sqlalchemy import text

from proxy.ledger.engine import Tx

TABLES = ("deks", "kek_epochs", "tenants", "secrets")
Backup = dict[str, list[dict[str, object]]]


async def backup(tx: Tx) -> Backup:
    """All of them."""
    return {
        name: [dict(row) for row in (await tx.execute(text(f"SELECT * FROM {name}"))).mappings()]
        for name in TABLES
    }


async def restore(tx: Tx, kept: Backup) -> None:
    """In place of those that are there."""
    for name, rows in kept.items():
        await tx.execute(text(f"DELETE FROM {name}"))
        for row in rows:
            columns = ", ".join(row)
            values = ", ".join(f":{column}" for column in row)
            await tx.execute(text(f"INSERT INTO {name} ({columns}) VALUES ({values})"), row)
