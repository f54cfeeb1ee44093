"""What is new on a blocklist is looked up by its version, what a write brought forth by its id."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("blocklist", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("version", sa.BigInteger(), nullable=False, server_default="0")
        )
        batch_op.create_index(
            batch_op.f("ix_blocklist_tenant_id_version"), ["tenant_id", "version"], unique=False
        )
    # A process of the release before, still running, adds rows with 0: only those are looked at
    # again and again.
    op.execute("UPDATE blocklist SET version = 1")
    with op.batch_alter_table("memories", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_memories_write_id"), ["write_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("memories", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_memories_write_id"))
    with op.batch_alter_table("blocklist", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_blocklist_tenant_id_version"))
        batch_op.drop_column("version")
