"""Bring a database to this release's schema; refuse one that a newer release has made."""

from pathlib import Path

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncEngine

from proxy.ledger.schema import metadata
from proxy.problems import Problem

_LOCK = 7_310_452_203_117  # any constant: replicas that start together upgrade one after another


async def upgrade(engine: AsyncEngine) -> None:
    """Run all missing migrations in one transaction."""
    async with engine.connect() as connection:
        _ = await connection.begin()
        await connection.run_sync(_upgrade)
        await connection.commit()


def current(connection: Connection) -> str | None:
    """The revision a database is at."""
    return MigrationContext.configure(connection).get_current_revision()


def head() -> str:
    """The revision this release needs."""
    return ScriptDirectory.from_config(config()).get_current_head() or ""


def differences(connection: Connection) -> list[object]:
    """How a database differs from the tables of this release."""
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    return list(compare_metadata(context, metadata))


def config(connection: Connection | None = None) -> Config:
    """Alembic's settings for the packaged migrations."""
    settings = Config()
    settings.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    settings.attributes["connection"] = connection
    return settings


def _upgrade(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL lock_timeout = 0"))  # another's upgrade may take long
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    if current(connection) == head():
        return
    try:
        command.upgrade(config(connection), "head")
    except CommandError:
        raise Problem(
            "ledger-unavailable",
            "The ledger was made by a newer release.",
            hint="Run that release, or restore a ledger of this one.",
        ) from None
