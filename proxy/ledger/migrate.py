"""Write the initial migration anew from the tables: for developers, before a release."""

import asyncio
import sys
import tempfile
from pathlib import Path

from alembic import command
from sqlalchemy import Connection

from proxy.ledger import connect
from proxy.ledger.upgrade import config


def _write(connection: Connection) -> None:
    settings = config(connection)
    command.revision(settings, message="Create the ledger", autogenerate=True, rev_id="0001")


async def main() -> None:
    """Replace ``migrations/versions/0001_*.py``."""
    for old in (Path(__file__).parent / "migrations" / "versions").glob("0001_*.py"):
        old.unlink()
    with tempfile.TemporaryDirectory() as folder:
        engine = connect.writer_engine(connect.parse(f"sqlite+aiosqlite:///{folder}/ledger.db"))
        async with engine.connect() as connection:
            _ = await connection.begin()
            await connection.run_sync(_write)
        await engine.dispose()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
