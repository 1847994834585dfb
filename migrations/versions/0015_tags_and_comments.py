"""What organisers note beside a submission: tags, and comments among themselves."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def _mutable() -> list[sa.Column]:
    return [
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
    ]


def _refers(table: str, column: str, other: str, gone: str = "CASCADE") -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{other}")
    return sa.ForeignKeyConstraint([column], [f"{other}.id"], name=name, ondelete=gone)


def upgrade() -> None:
    op.create_table(
        "tag",
        *_mutable(),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("name_folded", sa.String(), nullable=False),
        _refers("tag", "event_id", "event"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tag")),
        sa.UniqueConstraint("event_id", "name_folded", name=op.f("uq_tag_event_id_name_folded")),
    )
    op.create_table(
        "submission_tag",
        sa.Column("submission_id", sa.String(), nullable=False),
        sa.Column("tag_id", sa.String(), nullable=False),
        _refers("submission_tag", "submission_id", "submission"),
        _refers("submission_tag", "tag_id", "tag"),
        sa.PrimaryKeyConstraint("submission_id", "tag_id", name=op.f("pk_submission_tag")),
    )
    with op.batch_alter_table("submission_tag", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_submission_tag_tag_id"), ["tag_id"], unique=False)
    op.create_table(
        "comment",
        *_mutable(),
        sa.Column("submission_id", sa.String(), nullable=False),
        sa.Column("author_user_id", sa.String(), nullable=True),
        sa.Column("author_name", sa.String(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        _refers("comment", "author_user_id", "user", "SET NULL"),
        _refers("comment", "submission_id", "submission"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comment")),
    )
    with op.batch_alter_table("comment", schema=None) as batch_op:
        batch_op.create_index(
            "ix_comment_submission", ["submission_id", "created_at"], unique=False
        )


def downgrade() -> None:
    op.drop_table("comment")
    op.drop_table("submission_tag")
    op.drop_table("tag")
