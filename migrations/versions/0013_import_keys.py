"""What another system calls a submission, so that a second import finds it."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_NAME = "uq_submission_form_id_import_key"


def upgrade() -> None:
    with op.batch_alter_table("submission", schema=None) as batch_op:
        batch_op.add_column(sa.Column("import_key", sa.String(), nullable=True))
        batch_op.create_unique_constraint(batch_op.f(_NAME), ["form_id", "import_key"])


def downgrade() -> None:
    with op.batch_alter_table("submission", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f(_NAME), type_="unique")
        batch_op.drop_column("import_key")
