"""What somebody is still writing into a form, and links that go on with it."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_JSON = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")
_BEFORE = ("verify", "sign_in", "reset", "invite", "confirm", "owner")


def _purposes(*values: str) -> sa.Enum:
    return sa.Enum(
        *values, name="linkpurpose", native_enum=False, create_constraint=True, length=32
    )


def _allow(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    """Other purposes: a new CHECK, which SQLite can only have with a new table."""
    if op.get_bind().dialect.name == "sqlite":
        with op.batch_alter_table("one_time_link", recreate="always") as batch_op:
            batch_op.alter_column(
                "purpose",
                existing_type=_purposes(*before),
                type_=_purposes(*after),
                existing_nullable=False,
            )
        return
    name = op.f("ck_one_time_link_linkpurpose")
    op.drop_constraint(name, "one_time_link", type_="check")
    listed = ", ".join(f"'{value}'" for value in after)
    op.create_check_constraint(name, "one_time_link", f"purpose IN ({listed})")


def _refers(column: str, table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_draft_{column}_{table}")
    return sa.ForeignKeyConstraint([column], [f"{table}.id"], name=name, ondelete="CASCADE")


def upgrade() -> None:
    op.create_table(
        "draft",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("form_id", sa.String(), nullable=False),
        sa.Column("key_hash", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=True),
        sa.Column("address", sa.String(), nullable=True),
        sa.Column("verified_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("typed", _JSON, nullable=False),
        sa.Column("submission_id", sa.String(), nullable=True),
        _refers("event_id", "event"),
        _refers("form_id", "form"),
        _refers("submission_id", "submission"),
        _refers("user_id", "user"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_draft")),
        sa.UniqueConstraint("key_hash", name=op.f("uq_draft_key_hash")),
    )
    with op.batch_alter_table("draft", schema=None) as batch_op:
        batch_op.create_index("ix_draft_touched", ["updated_at"], unique=False)
        for column in ("form_id", "submission_id", "user_id"):
            batch_op.create_index(batch_op.f(f"ix_draft_{column}"), [column], unique=False)
    _allow(_BEFORE, (*_BEFORE, "draft"))


def downgrade() -> None:
    op.execute("DELETE FROM one_time_link WHERE purpose = 'draft'")
    _allow((*_BEFORE, "draft"), _BEFORE)
    op.drop_table("draft")
