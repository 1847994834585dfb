"""The days before a form closes on which unfinished drafts are reminded."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_JSON = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")


def upgrade() -> None:
    usual = sa.text("'[7, 2]'")
    op.add_column("form", sa.Column("reminder_days", _JSON, nullable=False, server_default=usual))
    with op.batch_alter_table("form", schema=None) as batch_op:
        batch_op.alter_column("reminder_days", existing_type=_JSON, server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("form", schema=None) as batch_op:
        batch_op.drop_column("reminder_days")
