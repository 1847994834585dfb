"""Forms that close anywhere on earth, and take a number of submissions per person."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table, column in (("form", "closes_anywhere"), ("submission", "owner_proved")):
        op.add_column(
            table, sa.Column(column, sa.Boolean(), nullable=False, server_default=sa.false())
        )
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.alter_column(column, existing_type=sa.Boolean(), server_default=None)
    op.add_column("form", sa.Column("max_per_person", sa.Integer(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("form", schema=None) as batch_op:
        batch_op.drop_column("max_per_person")
        batch_op.drop_column("closes_anywhere")
    with op.batch_alter_table("submission", schema=None) as batch_op:
        batch_op.drop_column("owner_proved")
