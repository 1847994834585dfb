"""Links that let their holder submit while a form takes nothing."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "form_late_link",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("form_id", sa.String(), nullable=False),
        sa.Column("secret_hash", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.Column("max_uses", sa.Integer(), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["form_id"],
            ["form.id"],
            name=op.f("fk_form_late_link_form_id_form"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_form_late_link")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_form_late_link_secret_hash")),
    )
    with op.batch_alter_table("form_late_link", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_form_late_link_form_id"), ["form_id"], unique=False)
    with op.batch_alter_table("draft", schema=None) as batch_op:
        batch_op.add_column(sa.Column("late_link_id", sa.String(), nullable=True))
        batch_op.create_foreign_key(
            batch_op.f("fk_draft_late_link_id_form_late_link"),
            "form_late_link",
            ["late_link_id"],
            ["id"],
            ondelete="SET NULL",
        )
        batch_op.create_index(batch_op.f("ix_draft_late_link_id"), ["late_link_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("draft", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_draft_late_link_id"))
        batch_op.drop_constraint(
            batch_op.f("fk_draft_late_link_id_form_late_link"), type_="foreignkey"
        )
        batch_op.drop_column("late_link_id")
    op.drop_table("form_late_link")
