"""Who of the team is told when something comes in through a form."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_JSON = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")


def upgrade() -> None:
    nobody = sa.text("'[]'")
    op.add_column("form", sa.Column("notify", _JSON, nullable=False, server_default=nobody))
    with op.batch_alter_table("form", schema=None) as batch_op:
        batch_op.alter_column("notify", existing_type=_JSON, server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("form", schema=None) as batch_op:
        batch_op.drop_column("notify")
