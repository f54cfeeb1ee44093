"""Alembic's entry: it migrates the connection it is given and opens none itself."""

from typing import Any, Literal

from alembic import context

from proxy.ledger.schema import Instant, metadata


def _render(kind: str, item: Any, _context: object) -> str | Literal[False]:
    """Write migrations in plain column types, so that they keep their meaning if ours change."""
    return "sa.BigInteger()" if kind == "type" and isinstance(item, Instant) else False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    compare_type=True,
    render_item=_render,
)
context.run_migrations()
