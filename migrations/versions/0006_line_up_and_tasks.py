"""Line up and tasks."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "session_option",
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("option_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["option_id"],
            ["taxonomy_option.id"],
            name=op.f("fk_session_option_option_id_taxonomy_option"),
        ),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["session.id"],
            name=op.f("fk_session_option_session_id_session"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("session_id", "option_id", name=op.f("pk_session_option")),
    )
    with op.batch_alter_table("session_option", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_session_option_option_id"), ["option_id"], unique=False
        )
    op.create_table(
        "session_speaker",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("speaker_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("confirmed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("declined_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("decline_reason", sa.String(), nullable=True),
        sa.CheckConstraint(
            "confirmed_at IS NULL OR declined_at IS NULL",
            name=op.f("ck_session_speaker_one_answer"),
        ),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["session.id"],
            name=op.f("fk_session_speaker_session_id_session"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["speaker_id"],
            ["speaker.id"],
            name=op.f("fk_session_speaker_speaker_id_speaker"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_session_speaker")),
        sa.UniqueConstraint(
            "session_id", "speaker_id", name=op.f("uq_session_speaker_session_id_speaker_id")
        ),
    )
    with op.batch_alter_table("session_speaker", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_session_speaker_speaker_id"), ["speaker_id"], unique=False
        )
    op.create_table(
        "task",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("template_id", sa.String(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("name_folded", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column(
            "kind",
            sa.Enum(
                "checkbox",
                "file",
                name="taskkind",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("speaker_id", sa.String(), nullable=True),
        sa.Column("session_id", sa.String(), nullable=True),
        sa.Column(
            "status",
            sa.Enum(
                "open",
                "done",
                "cancelled",
                name="taskstatus",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("due_on", sa.Date(), nullable=True),
        sa.Column("completed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("completed_by", sa.String(), nullable=True),
        sa.Column("note", sa.String(), nullable=True),
        sa.CheckConstraint(
            "(speaker_id IS NULL) <> (session_id IS NULL)", name=op.f("ck_task_one_target")
        ),
        sa.ForeignKeyConstraint(
            ["event_id"], ["event.id"], name=op.f("fk_task_event_id_event"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["session.id"],
            name=op.f("fk_task_session_id_session"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["speaker_id"],
            ["speaker.id"],
            name=op.f("fk_task_speaker_id_speaker"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["template_id"], ["task_template.id"], name=op.f("fk_task_template_id_task_template")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task")),
    )
    with op.batch_alter_table("task", schema=None) as batch_op:
        batch_op.create_index("ix_task_event", ["event_id", "status", "due_on"], unique=False)
        batch_op.create_index(batch_op.f("ix_task_session_id"), ["session_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_task_speaker_id"), ["speaker_id"], unique=False)
        batch_op.create_index(
            "uq_task_live_session",
            ["template_id", "session_id"],
            unique=True,
            sqlite_where=sa.text("status <> 'cancelled' AND session_id IS NOT NULL"),
            postgresql_where=sa.text("status <> 'cancelled' AND session_id IS NOT NULL"),
        )
        batch_op.create_index(
            "uq_task_live_speaker",
            ["template_id", "speaker_id"],
            unique=True,
            sqlite_where=sa.text("status <> 'cancelled' AND speaker_id IS NOT NULL"),
            postgresql_where=sa.text("status <> 'cancelled' AND speaker_id IS NOT NULL"),
        )


def downgrade() -> None:
    with op.batch_alter_table("task", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_task_live_speaker",
            sqlite_where=sa.text("status <> 'cancelled' AND speaker_id IS NOT NULL"),
            postgresql_where=sa.text("status <> 'cancelled' AND speaker_id IS NOT NULL"),
        )
        batch_op.drop_index(
            "uq_task_live_session",
            sqlite_where=sa.text("status <> 'cancelled' AND session_id IS NOT NULL"),
            postgresql_where=sa.text("status <> 'cancelled' AND session_id IS NOT NULL"),
        )
        batch_op.drop_index(batch_op.f("ix_task_speaker_id"))
        batch_op.drop_index(batch_op.f("ix_task_session_id"))
        batch_op.drop_index("ix_task_event")
    op.drop_table("task")
    with op.batch_alter_table("session_speaker", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_session_speaker_speaker_id"))
    op.drop_table("session_speaker")
    with op.batch_alter_table("session_option", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_session_option_option_id"))
    op.drop_table("session_option")
