"""What ended an entity: the erasure, by whose certificate its key is destroyed."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("entities", schema=None) as batch_op:
        batch_op.add_column(sa.Column("ended_by", sa.String(length=40), nullable=True))
        batch_op.create_index(batch_op.f("ix_entities_ended_by"), ["ended_by"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("entities", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_entities_ended_by"))
        batch_op.drop_column("ended_by")
