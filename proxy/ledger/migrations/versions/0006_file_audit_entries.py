"""Audit entries are filed under their event, who acted, and their date."""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

BATCH = 1000


def upgrade() -> None:
    with op.batch_alter_table("audit_entries", schema=None) as batch_op:
        # A process of the release before, still running, files its entries nowhere.
        batch_op.add_column(
            sa.Column("event", sa.String(length=80), nullable=False, server_default="")
        )
        batch_op.add_column(sa.Column("actor", sa.String(length=200), nullable=True))
    _file(op.get_bind())
    with op.batch_alter_table("audit_entries", schema=None) as batch_op:
        for name in ("event", "actor", "recorded_at"):
            batch_op.create_index(
                batch_op.f(f"ix_audit_entries_{name}_leaf_index"),
                [name, "leaf_index"],
                unique=False,
            )


def downgrade() -> None:
    with op.batch_alter_table("audit_entries", schema=None) as batch_op:
        for name in ("recorded_at", "actor", "event"):
            batch_op.drop_index(batch_op.f(f"ix_audit_entries_{name}_leaf_index"))
        batch_op.drop_column("actor")
        batch_op.drop_column("event")


def _file(connection: sa.Connection) -> None:
    """File what is logged already, by what it says; what cannot be read stays where it is found."""
    read = sa.text("SELECT id, leaf FROM audit_entries WHERE id > :after ORDER BY id LIMIT :most")
    write = sa.text("UPDATE audit_entries SET event=:event, actor=:actor WHERE id=:id")
    after = ""
    while page := connection.execute(read, {"after": after, "most": BATCH}).all():
        filed = [{"id": row.id, **told} for row in page if (told := _told(row.leaf))]
        if filed:
            connection.execute(write, filed)
        after = page[-1].id


def _told(leaf: Any) -> dict[str, str | None]:
    try:
        said = json.loads(bytes(leaf) if isinstance(leaf, memoryview) else leaf)
        event, fields = said["event"], said["fields"]
        actor = fields.get("actor") or fields.get("key")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    return {"event": event, "actor": actor} if isinstance(event, str) else {}
