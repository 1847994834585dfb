"""Submissions and reviews."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy import Text
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "plan_reviewer",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("plan_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column(
            "role",
            sa.Enum(
                "chair",
                "member",
                name="planrole",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["plan_id"],
            ["evaluation_plan.id"],
            name=op.f("fk_plan_reviewer_plan_id_evaluation_plan"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_plan_reviewer_user_id_user"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_plan_reviewer")),
        sa.UniqueConstraint("plan_id", "user_id", name=op.f("uq_plan_reviewer_plan_id_user_id")),
    )
    with op.batch_alter_table("plan_reviewer", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_plan_reviewer_user_id"), ["user_id"], unique=False)
    op.create_table(
        "taxonomy_option",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("taxonomy_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("name_folded", sa.String(), nullable=False),
        sa.Column("color", sa.String(), nullable=True),
        sa.Column("minutes", sa.Integer(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "minutes IS NULL OR minutes > 0", name=op.f("ck_taxonomy_option_minutes_positive")
        ),
        sa.ForeignKeyConstraint(
            ["taxonomy_id"],
            ["taxonomy.id"],
            name=op.f("fk_taxonomy_option_taxonomy_id_taxonomy"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_taxonomy_option")),
    )
    with op.batch_alter_table("taxonomy_option", schema=None) as batch_op:
        batch_op.create_index(
            "uq_taxonomy_option_live_name",
            ["taxonomy_id", "name_folded"],
            unique=True,
            sqlite_where=sa.text("archived_at IS NULL"),
            postgresql_where=sa.text("archived_at IS NULL"),
        )
    op.create_table(
        "submission",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("form_id", sa.String(), nullable=False),
        sa.Column("form_version_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("code", sa.String(), nullable=False),
        sa.Column("guid", sa.String(), nullable=False),
        sa.Column(
            "status",
            sa.Enum(
                "draft",
                "in_review",
                "accepted",
                "waitlisted",
                "declined",
                "withdrawn",
                name="submissionstatus",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("title_folded", sa.String(), nullable=False),
        sa.Column("abstract", sa.String(), nullable=False),
        sa.Column(
            "answers",
            sa.JSON(none_as_null=True).with_variant(
                postgresql.JSONB(none_as_null=True, astext_type=Text()), "postgresql"
            ),
            nullable=False,
        ),
        sa.Column("submitted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("owner_user_id", sa.String(), nullable=True),
        sa.Column("owner_address", sa.String(), nullable=True),
        sa.Column("owner_address_folded", sa.String(), nullable=True),
        sa.Column("submit_key", sa.String(), nullable=True),
        sa.Column("withdrawn_reason", sa.String(), nullable=True),
        sa.CheckConstraint(
            "(status = 'draft') = (number IS NULL)", name=op.f("ck_submission_number_at_submit")
        ),
        sa.CheckConstraint(
            "(status = 'draft') = (submitted_at IS NULL)",
            name=op.f("ck_submission_instant_at_submit"),
        ),
        sa.ForeignKeyConstraint(
            ["event_id"],
            ["event.id"],
            name=op.f("fk_submission_event_id_event"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["form_id"], ["form.id"], name=op.f("fk_submission_form_id_form")),
        sa.ForeignKeyConstraint(
            ["form_version_id"],
            ["form_version.id"],
            name=op.f("fk_submission_form_version_id_form_version"),
        ),
        sa.ForeignKeyConstraint(
            ["owner_user_id"], ["user.id"], name=op.f("fk_submission_owner_user_id_user")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submission")),
        sa.UniqueConstraint("event_id", "code", name=op.f("uq_submission_event_id_code")),
        sa.UniqueConstraint("event_id", "number", name=op.f("uq_submission_event_id_number")),
        sa.UniqueConstraint("guid", name=op.f("uq_submission_guid")),
        sa.UniqueConstraint("submit_key", name=op.f("uq_submission_submit_key")),
    )
    with op.batch_alter_table("submission", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_submission_form_id"), ["form_id"], unique=False)
        batch_op.create_index(
            "ix_submission_newest", ["event_id", "submitted_at", "id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_submission_owner_address_folded"), ["owner_address_folded"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_submission_owner_user_id"), ["owner_user_id"], unique=False
        )
        batch_op.create_index(
            "ix_submission_status", ["event_id", "status", "submitted_at", "id"], unique=False
        )
        batch_op.create_index(
            "ix_submission_title", ["event_id", "title_folded", "id"], unique=False
        )
    op.create_table(
        "assignment",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("plan_id", sa.String(), nullable=False),
        sa.Column("submission_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column(
            "source",
            sa.Enum(
                "auto",
                "pinned",
                name="assignmentsource",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column(
            "status",
            sa.Enum(
                "open",
                "done",
                "abstained",
                "released",
                name="assignmentstatus",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["plan_id"],
            ["evaluation_plan.id"],
            name=op.f("fk_assignment_plan_id_evaluation_plan"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"],
            ["submission.id"],
            name=op.f("fk_assignment_submission_id_submission"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_assignment_user_id_user"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment")),
        sa.UniqueConstraint(
            "plan_id",
            "submission_id",
            "user_id",
            name=op.f("uq_assignment_plan_id_submission_id_user_id"),
        ),
    )
    with op.batch_alter_table("assignment", schema=None) as batch_op:
        batch_op.create_index(
            "ix_assignment_reviewer", ["user_id", "plan_id", "status"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_assignment_submission_id"), ["submission_id"], unique=False
        )
    op.create_table(
        "queued_decision",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("submission_id", sa.String(), nullable=False),
        sa.Column(
            "decision",
            sa.Enum(
                "accept",
                "decline",
                "waitlist",
                name="decision",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("feedback", sa.String(), nullable=True),
        sa.Column("ask_confirmation", sa.Boolean(), nullable=False),
        sa.Column("queued_by", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_id"],
            ["event.id"],
            name=op.f("fk_queued_decision_event_id_event"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"],
            ["submission.id"],
            name=op.f("fk_queued_decision_submission_id_submission"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_queued_decision")),
        sa.UniqueConstraint("submission_id", name=op.f("uq_queued_decision_submission_id")),
    )
    with op.batch_alter_table("queued_decision", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_queued_decision_event_id"), ["event_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("queued_decision", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_queued_decision_event_id"))
    op.drop_table("queued_decision")
    with op.batch_alter_table("assignment", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_assignment_submission_id"))
        batch_op.drop_index("ix_assignment_reviewer")
    op.drop_table("assignment")
    with op.batch_alter_table("submission", schema=None) as batch_op:
        batch_op.drop_index("ix_submission_title")
        batch_op.drop_index("ix_submission_status")
        batch_op.drop_index(batch_op.f("ix_submission_owner_user_id"))
        batch_op.drop_index(batch_op.f("ix_submission_owner_address_folded"))
        batch_op.drop_index("ix_submission_newest")
        batch_op.drop_index(batch_op.f("ix_submission_form_id"))
    op.drop_table("submission")
    with op.batch_alter_table("taxonomy_option", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_taxonomy_option_live_name",
            sqlite_where=sa.text("archived_at IS NULL"),
            postgresql_where=sa.text("archived_at IS NULL"),
        )
    op.drop_table("taxonomy_option")
    with op.batch_alter_table("plan_reviewer", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_plan_reviewer_user_id"))
    op.drop_table("plan_reviewer")
