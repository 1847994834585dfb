"""Sessions scores and slots."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "review",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("plan_id", sa.String(), nullable=False),
        sa.Column("submission_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column(
            "status",
            sa.Enum(
                "draft",
                "submitted",
                "abstained",
                name="reviewstatus",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("submitted_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["plan_id"],
            ["evaluation_plan.id"],
            name=op.f("fk_review_plan_id_evaluation_plan"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"],
            ["submission.id"],
            name=op.f("fk_review_submission_id_submission"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_review_user_id_user"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_review")),
        sa.UniqueConstraint(
            "plan_id",
            "submission_id",
            "user_id",
            name=op.f("uq_review_plan_id_submission_id_user_id"),
        ),
    )
    with op.batch_alter_table("review", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_review_submission_id"), ["submission_id"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_review_user_id"), ["user_id"], unique=False)
    op.create_table(
        "session",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column(
            "kind",
            sa.Enum(
                "talk",
                "sponsor",
                "service",
                name="sessionkind",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("submission_id", sa.String(), nullable=True),
        sa.Column("code", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("guid", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("title_folded", sa.String(), nullable=False),
        sa.Column("abstract", sa.String(), nullable=False),
        sa.Column("minutes", sa.Integer(), nullable=False),
        sa.Column(
            "status",
            sa.Enum(
                "pending",
                "confirmed",
                name="sessionstatus",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("public", sa.Boolean(), nullable=False),
        sa.Column("sponsor_name", sa.String(), nullable=True),
        sa.Column("sponsor_badge", sa.String(), nullable=True),
        sa.Column("cancelled_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "submission_id IS NULL OR kind = 'talk'", name=op.f("ck_session_submission_is_talk")
        ),
        sa.CheckConstraint("minutes > 0", name=op.f("ck_session_minutes_positive")),
        sa.ForeignKeyConstraint(
            ["event_id"], ["event.id"], name=op.f("fk_session_event_id_event"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_session_submission_id_submission")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_session")),
        sa.UniqueConstraint("event_id", "code", name=op.f("uq_session_event_id_code")),
        sa.UniqueConstraint("event_id", "number", name=op.f("uq_session_event_id_number")),
        sa.UniqueConstraint("guid", name=op.f("uq_session_guid")),
        sa.UniqueConstraint("submission_id", name=op.f("uq_session_submission_id")),
    )
    with op.batch_alter_table("session", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_session_event_id"), ["event_id"], unique=False)
    op.create_table(
        "submission_option",
        sa.Column("submission_id", sa.String(), nullable=False),
        sa.Column("option_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["option_id"],
            ["taxonomy_option.id"],
            name=op.f("fk_submission_option_option_id_taxonomy_option"),
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"],
            ["submission.id"],
            name=op.f("fk_submission_option_submission_id_submission"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("submission_id", "option_id", name=op.f("pk_submission_option")),
    )
    with op.batch_alter_table("submission_option", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_submission_option_option_id"), ["option_id"], unique=False
        )
    op.create_table(
        "submission_score",
        sa.Column("submission_id", sa.String(), nullable=False),
        sa.Column("plan_id", sa.String(), nullable=False),
        sa.Column("is_leading", sa.Boolean(), nullable=False),
        sa.Column("mean", sa.Float(), nullable=True),
        sa.Column("spread", sa.Float(), nullable=True),
        sa.Column("reviews", sa.Integer(), nullable=False),
        sa.Column("expected", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["plan_id"],
            ["evaluation_plan.id"],
            name=op.f("fk_submission_score_plan_id_evaluation_plan"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"],
            ["submission.id"],
            name=op.f("fk_submission_score_submission_id_submission"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("submission_id", "plan_id", name=op.f("pk_submission_score")),
    )
    with op.batch_alter_table("submission_score", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_submission_score_plan_id"), ["plan_id"], unique=False)
        batch_op.create_index(
            "uq_submission_score_leading",
            ["submission_id"],
            unique=True,
            sqlite_where=sa.text("is_leading"),
            postgresql_where=sa.text("is_leading"),
        )
    op.create_table(
        "submission_speaker",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("submission_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("name_folded", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=True),
        sa.Column("bio", sa.String(), nullable=False),
        sa.Column("job_title", sa.String(), nullable=True),
        sa.Column("company", sa.String(), nullable=True),
        sa.Column("speaker_id", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["speaker_id"], ["speaker.id"], name=op.f("fk_submission_speaker_speaker_id_speaker")
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"],
            ["submission.id"],
            name=op.f("fk_submission_speaker_submission_id_submission"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submission_speaker")),
        sa.UniqueConstraint(
            "submission_id", "position", name=op.f("uq_submission_speaker_submission_id_position")
        ),
    )
    with op.batch_alter_table("submission_speaker", schema=None) as batch_op:
        batch_op.create_index(
            "ix_submission_speaker_names", ["submission_id", "position", "name"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_submission_speaker_speaker_id"), ["speaker_id"], unique=False
        )
    op.create_table(
        "placement",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("schedule_id", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("date", sa.Date(), nullable=False),
        sa.Column("start_minute", sa.Integer(), nullable=False),
        sa.Column("minutes", sa.Integer(), nullable=False),
        sa.Column("room_id", sa.String(), nullable=True),
        sa.Column("all_rooms", sa.Boolean(), nullable=False),
        sa.CheckConstraint(
            "NOT (all_rooms AND room_id IS NOT NULL)", name=op.f("ck_placement_room_or_all")
        ),
        sa.CheckConstraint(
            "start_minute >= 0 AND minutes > 0", name=op.f("ck_placement_minutes_positive")
        ),
        sa.ForeignKeyConstraint(["room_id"], ["room.id"], name=op.f("fk_placement_room_id_room")),
        sa.ForeignKeyConstraint(
            ["schedule_id"],
            ["schedule.id"],
            name=op.f("fk_placement_schedule_id_schedule"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["session.id"],
            name=op.f("fk_placement_session_id_session"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_placement")),
        sa.UniqueConstraint(
            "schedule_id", "session_id", name=op.f("uq_placement_schedule_id_session_id")
        ),
    )
    with op.batch_alter_table("placement", schema=None) as batch_op:
        batch_op.create_index(
            "ix_placement_day", ["schedule_id", "date", "start_minute"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_placement_room_id"), ["room_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_placement_session_id"), ["session_id"], unique=False)
    op.create_table(
        "release_hidden",
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_id"],
            ["event.id"],
            name=op.f("fk_release_hidden_event_id_event"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["session.id"],
            name=op.f("fk_release_hidden_session_id_session"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("event_id", "session_id", name=op.f("pk_release_hidden")),
    )
    op.create_table(
        "review_score",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("review_id", sa.String(), nullable=False),
        sa.Column("criterion_id", sa.String(), nullable=False),
        sa.Column("value", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["criterion_id"], ["criterion.id"], name=op.f("fk_review_score_criterion_id_criterion")
        ),
        sa.ForeignKeyConstraint(
            ["review_id"],
            ["review.id"],
            name=op.f("fk_review_score_review_id_review"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_review_score")),
        sa.UniqueConstraint(
            "review_id", "criterion_id", name=op.f("uq_review_score_review_id_criterion_id")
        ),
    )
    with op.batch_alter_table("review_score", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_review_score_criterion_id"), ["criterion_id"], unique=False
        )


def downgrade() -> None:
    with op.batch_alter_table("review_score", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_review_score_criterion_id"))
    op.drop_table("review_score")
    op.drop_table("release_hidden")
    with op.batch_alter_table("placement", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_placement_session_id"))
        batch_op.drop_index(batch_op.f("ix_placement_room_id"))
        batch_op.drop_index("ix_placement_day")
    op.drop_table("placement")
    with op.batch_alter_table("submission_speaker", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_submission_speaker_speaker_id"))
        batch_op.drop_index("ix_submission_speaker_names")
    op.drop_table("submission_speaker")
    with op.batch_alter_table("submission_score", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_submission_score_leading",
            sqlite_where=sa.text("is_leading"),
            postgresql_where=sa.text("is_leading"),
        )
        batch_op.drop_index(batch_op.f("ix_submission_score_plan_id"))
    op.drop_table("submission_score")
    with op.batch_alter_table("submission_option", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_submission_option_option_id"))
    op.drop_table("submission_option")
    with op.batch_alter_table("session", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_session_event_id"))
    op.drop_table("session")
    with op.batch_alter_table("review", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_review_user_id"))
        batch_op.drop_index(batch_op.f("ix_review_submission_id"))
    op.drop_table("review")
