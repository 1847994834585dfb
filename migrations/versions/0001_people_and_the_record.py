"""People and the record."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "activity_head",
        sa.Column("chain", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("chain", name=op.f("pk_activity_head")),
    )
    op.create_table(
        "auth_epoch",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_auth_epoch")),
    )
    op.create_table(
        "idempotency_key",
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("operation", sa.String(), nullable=False),
        sa.Column("request_digest", sa.String(), nullable=False),
        sa.Column("workspace_id", sa.String(), nullable=True),
        sa.Column("event_id", sa.String(), nullable=True),
        sa.Column("response", sa.Text(), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("actor", "key", name=op.f("pk_idempotency_key")),
    )
    with op.batch_alter_table("idempotency_key", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_idempotency_key_expires_at"), ["expires_at"], unique=False
        )
    op.create_table(
        "one_time_link",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column(
            "purpose",
            sa.Enum(
                "verify",
                "sign_in",
                "reset",
                "invite",
                "confirm",
                "owner",
                name="linkpurpose",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("secret_hash", sa.String(), nullable=False),
        sa.Column("subject_id", sa.String(), nullable=False),
        sa.Column("address_folded", sa.String(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reusable", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_one_time_link")),
        sa.UniqueConstraint(
            "purpose",
            "subject_id",
            "address_folded",
            name=op.f("uq_one_time_link_purpose_subject_id_address_folded"),
        ),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_one_time_link_secret_hash")),
    )
    with op.batch_alter_table("one_time_link", schema=None) as batch_op:
        batch_op.create_index("ix_one_time_link_subject", ["subject_id"], unique=False)
    op.create_table(
        "user",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("locale", sa.String(), nullable=False),
        sa.Column("zone", sa.String(), nullable=True),
        sa.Column("password_hash", sa.String(), nullable=True),
        sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user")),
    )
    op.create_table(
        "workspace",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("slug", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workspace")),
        sa.UniqueConstraint("slug", name=op.f("uq_workspace_slug")),
    )
    op.create_table(
        "activity",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("workspace_id", sa.String(), nullable=True),
        sa.Column("event_id", sa.String(), nullable=True),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column(
            "actor_kind",
            sa.Enum(
                "person",
                "token",
                "link",
                "anonymous",
                "system",
                name="actorkind",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("actor_id", sa.String(), nullable=True),
        sa.Column("actor_name", sa.String(), nullable=True),
        sa.Column("operation", sa.String(), nullable=False),
        sa.Column("subject_type", sa.String(), nullable=False),
        sa.Column("subject_id", sa.String(), nullable=False),
        sa.Column("request_id", sa.String(), nullable=False),
        sa.Column("batch_id", sa.String(), nullable=True),
        sa.Column("undoes", sa.String(), nullable=True),
        sa.Column("salt", sa.String(), nullable=True),
        sa.Column("content", sa.Text(), nullable=True),
        sa.Column("content_hash", sa.String(), nullable=False),
        sa.Column("previous_hash", sa.String(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspace.id"], name=op.f("fk_activity_workspace_id_workspace")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_activity")),
        sa.UniqueConstraint("workspace_id", "number", name=op.f("uq_activity_workspace_id_number")),
    )
    with op.batch_alter_table("activity", schema=None) as batch_op:
        batch_op.create_index("ix_activity_event", ["event_id", "number"], unique=False)
        batch_op.create_index("ix_activity_subject", ["subject_id", "number"], unique=False)
        batch_op.create_index(batch_op.f("ix_activity_undoes"), ["undoes"], unique=False)
        batch_op.create_index(
            "uq_activity_installation_number",
            ["number"],
            unique=True,
            sqlite_where=sa.text("workspace_id IS NULL"),
            postgresql_where=sa.text("workspace_id IS NULL"),
        )
    op.create_table(
        "event",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("workspace_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("name_folded", sa.String(), nullable=False),
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("starts_on", sa.Date(), nullable=False),
        sa.Column("ends_on", sa.Date(), nullable=False),
        sa.Column("zone", sa.String(), nullable=False),
        sa.Column("venue", sa.String(), nullable=True),
        sa.Column(
            "mode",
            sa.Enum(
                "in_person",
                "online",
                "hybrid",
                name="eventmode",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("description", sa.String(), nullable=True),
        sa.Column("accent", sa.String(), nullable=True),
        sa.Column("contact_address", sa.String(), nullable=True),
        sa.Column(
            "confirmed_by",
            sa.Enum(
                "any",
                "all",
                name="confirmedby",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("current_release_id", sa.String(), nullable=True),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("ends_on >= starts_on", name=op.f("ck_event_ends_after_start")),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspace.id"],
            name=op.f("fk_event_workspace_id_workspace"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
        sa.UniqueConstraint("slug", name=op.f("uq_event_slug")),
    )
    with op.batch_alter_table("event", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_event_name_folded"), ["name_folded"], unique=False)
        batch_op.create_index(batch_op.f("ix_event_workspace_id"), ["workspace_id"], unique=False)
    op.create_table(
        "membership",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("workspace_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column(
            "role",
            sa.Enum(
                "owner",
                "admin",
                "organizer",
                name="workspacerole",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_membership_user_id_user"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspace.id"],
            name=op.f("fk_membership_workspace_id_workspace"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_membership")),
        sa.UniqueConstraint(
            "workspace_id", "user_id", name=op.f("uq_membership_workspace_id_user_id")
        ),
    )
    with op.batch_alter_table("membership", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_membership_user_id"), ["user_id"], unique=False)
    op.create_table(
        "signin_session",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("secret_hash", sa.String(), nullable=False),
        sa.Column("created_ip", sa.String(), nullable=True),
        sa.Column("agent", sa.String(), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user.id"],
            name=op.f("fk_signin_session_user_id_user"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_signin_session")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_signin_session_secret_hash")),
    )
    with op.batch_alter_table("signin_session", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_signin_session_user_id"), ["user_id"], unique=False)
    op.create_table(
        "user_address",
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("folded", sa.String(), nullable=False),
        sa.Column("primary", sa.Boolean(), nullable=False),
        sa.Column("verified_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_user_address_user_id_user"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user_address")),
        sa.UniqueConstraint("user_id", "folded", name=op.f("uq_user_address_user_id_folded")),
    )
    with op.batch_alter_table("user_address", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_user_address_user_id"), ["user_id"], unique=False)
        batch_op.create_index(
            "uq_user_address_folded_verified",
            ["folded"],
            unique=True,
            sqlite_where=sa.text("verified_at IS NOT NULL"),
            postgresql_where=sa.text("verified_at IS NOT NULL"),
        )


def downgrade() -> None:
    with op.batch_alter_table("user_address", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_user_address_folded_verified",
            sqlite_where=sa.text("verified_at IS NOT NULL"),
            postgresql_where=sa.text("verified_at IS NOT NULL"),
        )
        batch_op.drop_index(batch_op.f("ix_user_address_user_id"))
    op.drop_table("user_address")
    with op.batch_alter_table("signin_session", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_signin_session_user_id"))
    op.drop_table("signin_session")
    with op.batch_alter_table("membership", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_membership_user_id"))
    op.drop_table("membership")
    with op.batch_alter_table("event", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_event_workspace_id"))
        batch_op.drop_index(batch_op.f("ix_event_name_folded"))
    op.drop_table("event")
    with op.batch_alter_table("activity", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_activity_installation_number",
            sqlite_where=sa.text("workspace_id IS NULL"),
            postgresql_where=sa.text("workspace_id IS NULL"),
        )
        batch_op.drop_index(batch_op.f("ix_activity_undoes"))
        batch_op.drop_index("ix_activity_subject")
        batch_op.drop_index("ix_activity_event")
    op.drop_table("activity")
    op.drop_table("workspace")
    op.drop_table("user")
    with op.batch_alter_table("one_time_link", schema=None) as batch_op:
        batch_op.drop_index("ix_one_time_link_subject")
    op.drop_table("one_time_link")
    with op.batch_alter_table("idempotency_key", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_idempotency_key_expires_at"))
    op.drop_table("idempotency_key")
    op.drop_table("auth_epoch")
    op.drop_table("activity_head")
