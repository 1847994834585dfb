"""Connections of agents: who asked (client), what a person allowed (grant), and its secrets.

Secrets are stored as hashes. Access tokens are rows of ``token`` with a ``grant_id``.
"""

import datetime as dt
from typing import Any, ClassVar

from sqlmodel import Field

from unsession.access import ApprovalPolicy
from unsession.db.types import Instant, Json, choice
from unsession.domain.oauth import ClientKind, Resource
from unsession.domain.people import TokenScope
from unsession.models.base import Model, Mutable, fresh


class OauthClient(Mutable, table=True):
    """A program that may ask: it registered itself, or its id is the address of a document."""

    __tablename__ = "oauth_client"
    NOUN: ClassVar[str] = "client"
    HIDDEN: ClassVar[frozenset[str]] = frozenset({"secret_hash"})

    id: str = Field(default_factory=fresh("ocl"), primary_key=True)
    client_id: str = Field(unique=True)
    kind: ClientKind = Field(sa_type=choice(ClientKind))
    name: str
    secret_hash: str | None = None
    document: dict[str, Any] = Field(sa_type=Json, nullable=False)
    fresh_until: dt.datetime | None = Field(default=None, sa_type=Instant)  #: of a document

    def label(self) -> str:
        """By its name."""
        return f"“{self.name}”"


class OauthGrant(Mutable, table=True):
    """What a person allowed a client: the connection as `/app/api` shows it."""

    __tablename__ = "oauth_grant"
    NOUN: ClassVar[str] = "connection"

    id: str = Field(default_factory=fresh("ogr"), primary_key=True)
    client_id: str = Field(foreign_key="oauth_client.id", ondelete="CASCADE", index=True)
    user_id: str = Field(foreign_key="user.id", ondelete="CASCADE", index=True)
    workspace_id: str = Field(foreign_key="workspace.id", ondelete="CASCADE", index=True)
    event_id: str | None = Field(default=None, foreign_key="event.id", ondelete="CASCADE")
    name: str
    scope: TokenScope = Field(sa_type=choice(TokenScope))
    resource: Resource = Field(sa_type=choice(Resource))
    approval_policy: ApprovalPolicy = Field(sa_type=choice(ApprovalPolicy))
    expires_at: dt.datetime | None = Field(default=None, sa_type=Instant)
    connected_at: dt.datetime | None = Field(default=None, sa_type=Instant)
    revoked_at: dt.datetime | None = Field(default=None, sa_type=Instant)

    def label(self) -> str:
        """By its name."""
        return f"“{self.name}”"


class OauthCode(Model, table=True):
    """What the consent page sends back with the browser: for one exchange, within minutes."""

    __tablename__ = "oauth_code"
    HIDDEN: ClassVar[frozenset[str]] = frozenset({"code_hash"})

    code_hash: str = Field(primary_key=True)
    grant_id: str = Field(foreign_key="oauth_grant.id", ondelete="CASCADE", index=True)
    redirect_uri: str
    challenge: str
    expires_at: dt.datetime = Field(sa_type=Instant, nullable=False)
    used_at: dt.datetime | None = Field(default=None, sa_type=Instant)


class OauthRefresh(Model, table=True):
    """A refresh token; replaced by the next, and for a short while good beside it."""

    __tablename__ = "oauth_refresh"
    HIDDEN: ClassVar[frozenset[str]] = frozenset({"secret_hash"})

    secret_hash: str = Field(primary_key=True)
    grant_id: str = Field(foreign_key="oauth_grant.id", ondelete="CASCADE", index=True)
    scope: TokenScope = Field(sa_type=choice(TokenScope))
    expires_at: dt.datetime = Field(sa_type=Instant, nullable=False)
    replaced_at: dt.datetime | None = Field(default=None, sa_type=Instant)
