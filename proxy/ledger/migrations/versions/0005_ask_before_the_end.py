"""Subjects are asked before a memory ends: when, why a review was opened, and what tells of it."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("memories", schema=None) as batch_op:
        batch_op.add_column(sa.Column("asked_at", sa.BigInteger(), nullable=True))
        batch_op.create_index(
            batch_op.f("ix_memories_tenant_id_state_prompt_at"),
            ["tenant_id", "state", "prompt_at"],
            unique=False,
        )
    with op.batch_alter_table("reviews", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("reason", sa.String(length=40), nullable=False, server_default="requested")
        )
        batch_op.create_index(
            batch_op.f("ix_reviews_owner_id_state"), ["owner_id", "state"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_reviews_tenant_id_state"), ["tenant_id", "state"], unique=False
        )
    with op.batch_alter_table("notifications", schema=None) as batch_op:
        batch_op.add_column(sa.Column("review_id", sa.String(length=40), nullable=True))
        batch_op.create_index(batch_op.f("ix_notifications_review_id"), ["review_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("notifications", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_notifications_review_id"))
        batch_op.drop_column("review_id")
    with op.batch_alter_table("reviews", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_reviews_tenant_id_state"))
        batch_op.drop_index(batch_op.f("ix_reviews_owner_id_state"))
        batch_op.drop_column("reason")
    with op.batch_alter_table("memories", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_memories_tenant_id_state_prompt_at"))
        batch_op.drop_column("asked_at")
