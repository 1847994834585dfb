"""Speakers taxonomies and tokens."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy import Text
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "speaker",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=True),
        sa.Column("address", sa.String(), nullable=True),
        sa.Column("address_folded", sa.String(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("name_folded", sa.String(), nullable=False),
        sa.Column("bio", sa.String(), nullable=False),
        sa.Column("job_title", sa.String(), nullable=True),
        sa.Column("company", sa.String(), nullable=True),
        sa.Column("pronouns", sa.String(), nullable=True),
        sa.Column(
            "links",
            sa.JSON(none_as_null=True).with_variant(
                postgresql.JSONB(none_as_null=True, astext_type=Text()), "postgresql"
            ),
            nullable=False,
        ),
        sa.Column("travel_notes", sa.String(), nullable=True),
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("code", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("guid", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_id"], ["event.id"], name=op.f("fk_speaker_event_id_event"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name=op.f("fk_speaker_user_id_user")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_speaker")),
        sa.UniqueConstraint(
            "event_id", "address_folded", name=op.f("uq_speaker_event_id_address_folded")
        ),
        sa.UniqueConstraint("event_id", "code", name=op.f("uq_speaker_event_id_code")),
        sa.UniqueConstraint("event_id", "number", name=op.f("uq_speaker_event_id_number")),
        sa.UniqueConstraint("event_id", "slug", name=op.f("uq_speaker_event_id_slug")),
        sa.UniqueConstraint("guid", name=op.f("uq_speaker_guid")),
    )
    with op.batch_alter_table("speaker", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_speaker_user_id"), ["user_id"], unique=False)
    op.create_table(
        "task_template",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
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
        sa.Column(
            "target",
            sa.Enum(
                "speaker",
                "session",
                name="tasktarget",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("due_on", sa.Date(), nullable=True),
        sa.Column("on_accept", sa.Boolean(), nullable=False),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["event_id"],
            ["event.id"],
            name=op.f("fk_task_template_event_id_event"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task_template")),
        sa.UniqueConstraint(
            "event_id", "name_folded", name=op.f("uq_task_template_event_id_name_folded")
        ),
    )
    op.create_table(
        "taxonomy",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_id"], ["event.id"], name=op.f("fk_taxonomy_event_id_event"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_taxonomy")),
        sa.UniqueConstraint("event_id", "key", name=op.f("uq_taxonomy_event_id_key")),
    )
    op.create_table(
        "token",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("workspace_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("secret_hash", sa.String(), nullable=False),
        sa.Column(
            "scope",
            sa.Enum(
                "read",
                "write",
                name="tokenscope",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("event_id", sa.String(), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_ip", sa.String(), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["event_id"], ["event.id"], name=op.f("fk_token_event_id_event"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_token_user_id_user"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspace.id"],
            name=op.f("fk_token_workspace_id_workspace"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_token")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_token_secret_hash")),
    )
    with op.batch_alter_table("token", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_token_user_id"), ["user_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_token_workspace_id"), ["workspace_id"], unique=False)
    op.create_table(
        "criterion",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("plan_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("hint", sa.String(), nullable=False),
        sa.Column("scale", sa.Integer(), nullable=False),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("required", sa.Boolean(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("scale BETWEEN 2 AND 10", name=op.f("ck_criterion_scale_in_range")),
        sa.CheckConstraint("weight > 0", name=op.f("ck_criterion_weight_positive")),
        sa.ForeignKeyConstraint(
            ["plan_id"],
            ["evaluation_plan.id"],
            name=op.f("fk_criterion_plan_id_evaluation_plan"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_criterion")),
    )
    with op.batch_alter_table("criterion", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_criterion_plan_id"), ["plan_id"], unique=False)
    op.create_table(
        "form_version",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("form_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column(
            "fields",
            sa.JSON(none_as_null=True).with_variant(
                postgresql.JSONB(none_as_null=True, astext_type=Text()), "postgresql"
            ),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["form_id"], ["form.id"], name=op.f("fk_form_version_form_id_form"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_form_version")),
        sa.UniqueConstraint("form_id", "number", name=op.f("uq_form_version_form_id_number")),
    )
    op.create_table(
        "invitation",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("workspace_id", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=True),
        sa.Column("plan_id", sa.String(), nullable=True),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("address_folded", sa.String(), nullable=False),
        sa.Column(
            "role",
            sa.Enum(
                "owner",
                "admin",
                "organizer",
                "reviewer",
                "person",
                "holder",
                "visitor",
                name="role",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("invited_by", sa.String(), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("accepted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["event_id"],
            ["event.id"],
            name=op.f("fk_invitation_event_id_event"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["invited_by"], ["user.id"], name=op.f("fk_invitation_invited_by_user")
        ),
        sa.ForeignKeyConstraint(
            ["plan_id"],
            ["evaluation_plan.id"],
            name=op.f("fk_invitation_plan_id_evaluation_plan"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspace.id"],
            name=op.f("fk_invitation_workspace_id_workspace"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
    )
    with op.batch_alter_table("invitation", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_invitation_address_folded"), ["address_folded"], unique=False
        )
        batch_op.create_index(
            "uq_invitation_pending",
            ["workspace_id", "event_id", "address_folded", "role"],
            unique=True,
            sqlite_where=sa.text("accepted_at IS NULL AND revoked_at IS NULL"),
            postgresql_where=sa.text("accepted_at IS NULL AND revoked_at IS NULL"),
        )


def downgrade() -> None:
    with op.batch_alter_table("invitation", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_invitation_pending",
            sqlite_where=sa.text("accepted_at IS NULL AND revoked_at IS NULL"),
            postgresql_where=sa.text("accepted_at IS NULL AND revoked_at IS NULL"),
        )
        batch_op.drop_index(batch_op.f("ix_invitation_address_folded"))
    op.drop_table("invitation")
    op.drop_table("form_version")
    with op.batch_alter_table("criterion", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_criterion_plan_id"))
    op.drop_table("criterion")
    with op.batch_alter_table("token", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_token_workspace_id"))
        batch_op.drop_index(batch_op.f("ix_token_user_id"))
    op.drop_table("token")
    op.drop_table("taxonomy")
    op.drop_table("task_template")
    with op.batch_alter_table("speaker", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_speaker_user_id"))
    op.drop_table("speaker")
