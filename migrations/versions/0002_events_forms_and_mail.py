"""Events forms and mail."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "counter",
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("value", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_id"], ["event.id"], name=op.f("fk_counter_event_id_event"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("event_id", "key", name=op.f("pk_counter")),
    )
    op.create_table(
        "evaluation_plan",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("name_folded", sa.String(), nullable=False),
        sa.Column(
            "status",
            sa.Enum(
                "open",
                "closed",
                "archived",
                name="planstatus",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("instructions", sa.String(), nullable=False),
        sa.Column("phase", sa.Integer(), nullable=False),
        sa.Column("reviews_per_submission", sa.Integer(), nullable=False),
        sa.Column("blind", sa.Boolean(), nullable=False),
        sa.Column("opens_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closes_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["event_id"],
            ["event.id"],
            name=op.f("fk_evaluation_plan_event_id_event"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evaluation_plan")),
    )
    with op.batch_alter_table("evaluation_plan", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_evaluation_plan_event_id"), ["event_id"], unique=False)
    op.create_table(
        "event_day",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("date", sa.Date(), nullable=False),
        sa.Column("opens_minute", sa.Integer(), nullable=False),
        sa.Column("closes_minute", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "opens_minute >= 0 AND closes_minute > opens_minute",
            name=op.f("ck_event_day_closes_later"),
        ),
        sa.ForeignKeyConstraint(
            ["event_id"], ["event.id"], name=op.f("fk_event_day_event_id_event"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event_day")),
        sa.UniqueConstraint("event_id", "date", name=op.f("uq_event_day_event_id_date")),
    )
    op.create_table(
        "event_member",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column(
            "role",
            sa.Enum(
                "organizer",
                "reviewer",
                name="eventrole",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["event_id"],
            ["event.id"],
            name=op.f("fk_event_member_event_id_event"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_event_member_user_id_user"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event_member")),
        sa.UniqueConstraint(
            "event_id", "user_id", "role", name=op.f("uq_event_member_event_id_user_id_role")
        ),
    )
    with op.batch_alter_table("event_member", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_event_member_user_id"), ["user_id"], unique=False)
    op.create_table(
        "file",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("subject_type", sa.String(), nullable=False),
        sa.Column("subject_id", sa.String(), nullable=False),
        sa.Column("slot", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("filename", sa.String(), nullable=False),
        sa.Column("media_type", sa.String(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("uploaded_by", sa.String(), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("size >= 0", name=op.f("ck_file_size_not_negative")),
        sa.ForeignKeyConstraint(
            ["event_id"], ["event.id"], name=op.f("fk_file_event_id_event"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_file")),
        sa.UniqueConstraint(
            "subject_id", "slot", "number", name=op.f("uq_file_subject_id_slot_number")
        ),
    )
    with op.batch_alter_table("file", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_file_event_id"), ["event_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_file_sha256"), ["sha256"], unique=False)
    op.create_table(
        "form",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("name_folded", sa.String(), nullable=False),
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column(
            "status",
            sa.Enum(
                "draft",
                "open",
                "closed",
                name="formstatus",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("opens_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closes_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("intro", sa.String(), nullable=False),
        sa.Column("thanks", sa.String(), nullable=False),
        sa.Column("current_version_id", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["event_id"], ["event.id"], name=op.f("fk_form_event_id_event"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_form")),
        sa.UniqueConstraint("event_id", "slug", name=op.f("uq_form_event_id_slug")),
    )
    op.create_table(
        "mail",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("workspace_id", sa.String(), nullable=True),
        sa.Column("event_id", sa.String(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject_id", sa.String(), nullable=False),
        sa.Column("to_address", sa.String(), nullable=False),
        sa.Column("to_name", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("body", sa.String(), nullable=False),
        sa.Column("cause_key", sa.String(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column(
            "status",
            sa.Enum(
                "held",
                "queued",
                "sending",
                "sent",
                "failed",
                "kept",
                "cancelled",
                name="mailstatus",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("to_user_id", sa.String(), nullable=True),
        sa.Column("link_id", sa.String(), nullable=True),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_error", sa.String(), nullable=True),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["event_id"], ["event.id"], name=op.f("fk_mail_event_id_event"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["link_id"],
            ["one_time_link.id"],
            name=op.f("fk_mail_link_id_one_time_link"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(["to_user_id"], ["user.id"], name=op.f("fk_mail_to_user_id_user")),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspace.id"],
            name=op.f("fk_mail_workspace_id_workspace"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mail")),
        sa.UniqueConstraint("cause_key", name=op.f("uq_mail_cause_key")),
    )
    with op.batch_alter_table("mail", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_mail_event_id"), ["event_id"], unique=False)
        batch_op.create_index("ix_mail_status", ["status", "created_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_mail_subject_id"), ["subject_id"], unique=False)
    op.create_table(
        "release",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("changelog", sa.String(), nullable=False),
        sa.Column("snapshot", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("published_by", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_id"], ["event.id"], name=op.f("fk_release_event_id_event"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_release")),
        sa.UniqueConstraint("event_id", "number", name=op.f("uq_release_event_id_number")),
    )
    op.create_table(
        "room",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("name_folded", sa.String(), nullable=False),
        sa.Column("capacity", sa.Integer(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("guid", sa.String(), nullable=False),
        sa.CheckConstraint(
            "capacity IS NULL OR capacity > 0", name=op.f("ck_room_capacity_positive")
        ),
        sa.ForeignKeyConstraint(
            ["event_id"], ["event.id"], name=op.f("fk_room_event_id_event"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_room")),
        sa.UniqueConstraint("event_id", "name_folded", name=op.f("uq_room_event_id_name_folded")),
        sa.UniqueConstraint("guid", name=op.f("uq_room_guid")),
    )
    op.create_table(
        "schedule",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("is_working", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_id"], ["event.id"], name=op.f("fk_schedule_event_id_event"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_schedule")),
    )
    with op.batch_alter_table("schedule", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_schedule_event_id"), ["event_id"], unique=False)
        batch_op.create_index(
            "uq_schedule_working",
            ["event_id"],
            unique=True,
            sqlite_where=sa.text("is_working"),
            postgresql_where=sa.text("is_working"),
        )


def downgrade() -> None:
    with op.batch_alter_table("schedule", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_schedule_working",
            sqlite_where=sa.text("is_working"),
            postgresql_where=sa.text("is_working"),
        )
        batch_op.drop_index(batch_op.f("ix_schedule_event_id"))
    op.drop_table("schedule")
    op.drop_table("room")
    op.drop_table("release")
    with op.batch_alter_table("mail", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_mail_subject_id"))
        batch_op.drop_index("ix_mail_status")
        batch_op.drop_index(batch_op.f("ix_mail_event_id"))
    op.drop_table("mail")
    op.drop_table("form")
    with op.batch_alter_table("file", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_file_sha256"))
        batch_op.drop_index(batch_op.f("ix_file_event_id"))
    op.drop_table("file")
    with op.batch_alter_table("event_member", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_event_member_user_id"))
    op.drop_table("event_member")
    op.drop_table("event_day")
    with op.batch_alter_table("evaluation_plan", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_evaluation_plan_event_id"))
    op.drop_table("evaluation_plan")
    op.drop_table("counter")
