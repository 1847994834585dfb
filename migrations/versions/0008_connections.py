"""Connections of agents: clients, grants, codes, refresh tokens."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_SCOPES = ("read", "write")
_POLICIES = ("never", "preview", "always")
_DOORS = ("/api/mcp", "/api/v1")


def _choice(name: str, *values: str) -> sa.Enum:
    return sa.Enum(*values, name=name, native_enum=False, create_constraint=True, length=32)


def _mutable() -> list[sa.Column]:
    return [
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
    ]


def _refers(table: str, column: str, other: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [column], [f"{other}.id"], name=op.f(f"fk_{table}_{column}_{other}"), ondelete="CASCADE"
    )


def upgrade() -> None:
    json = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
    op.create_table(
        "oauth_client",
        *_mutable(),
        sa.Column("client_id", sa.String(), nullable=False),
        sa.Column("kind", _choice("clientkind", "registered", "document"), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("secret_hash", sa.String(), nullable=True),
        sa.Column("document", json, nullable=False),
        sa.Column("fresh_until", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_client")),
        sa.UniqueConstraint("client_id", name=op.f("uq_oauth_client_client_id")),
    )
    op.create_table(
        "oauth_grant",
        *_mutable(),
        sa.Column("client_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("workspace_id", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("scope", _choice("tokenscope", *_SCOPES), nullable=False),
        sa.Column("resource", _choice("resource", *_DOORS), nullable=False),
        sa.Column("approval_policy", _choice("approvalpolicy", *_POLICIES), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("connected_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        _refers("oauth_grant", "client_id", "oauth_client"),
        _refers("oauth_grant", "event_id", "event"),
        _refers("oauth_grant", "user_id", "user"),
        _refers("oauth_grant", "workspace_id", "workspace"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_grant")),
    )
    with op.batch_alter_table("oauth_grant", schema=None) as batch_op:
        for column in ("client_id", "user_id", "workspace_id"):
            batch_op.create_index(batch_op.f(f"ix_oauth_grant_{column}"), [column], unique=False)
    op.create_table(
        "oauth_code",
        sa.Column("code_hash", sa.String(), nullable=False),
        sa.Column("grant_id", sa.String(), nullable=False),
        sa.Column("redirect_uri", sa.String(), nullable=False),
        sa.Column("challenge", sa.String(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        _refers("oauth_code", "grant_id", "oauth_grant"),
        sa.PrimaryKeyConstraint("code_hash", name=op.f("pk_oauth_code")),
    )
    with op.batch_alter_table("oauth_code", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_oauth_code_grant_id"), ["grant_id"], unique=False)
    op.create_table(
        "oauth_refresh",
        sa.Column("secret_hash", sa.String(), nullable=False),
        sa.Column("grant_id", sa.String(), nullable=False),
        sa.Column("scope", _choice("tokenscope", *_SCOPES), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("replaced_at", sa.DateTime(timezone=True), nullable=True),
        _refers("oauth_refresh", "grant_id", "oauth_grant"),
        sa.PrimaryKeyConstraint("secret_hash", name=op.f("pk_oauth_refresh")),
    )
    with op.batch_alter_table("oauth_refresh", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_oauth_refresh_grant_id"), ["grant_id"], unique=False)
    with op.batch_alter_table("token", schema=None) as batch_op:
        batch_op.add_column(sa.Column("grant_id", sa.String(), nullable=True))
        batch_op.add_column(sa.Column("resource", _choice("resource", *_DOORS), nullable=True))
        batch_op.create_index(batch_op.f("ix_token_grant_id"), ["grant_id"], unique=False)
        batch_op.create_foreign_key(
            batch_op.f("fk_token_grant_id_oauth_grant"),
            "oauth_grant",
            ["grant_id"],
            ["id"],
            ondelete="CASCADE",
        )


def downgrade() -> None:
    with op.batch_alter_table("token", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("fk_token_grant_id_oauth_grant"), type_="foreignkey")
        batch_op.drop_index(batch_op.f("ix_token_grant_id"))
        batch_op.drop_column("resource")
        batch_op.drop_column("grant_id")
    op.drop_table("oauth_refresh")
    op.drop_table("oauth_code")
    op.drop_table("oauth_grant")
    op.drop_table("oauth_client")
