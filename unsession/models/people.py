"""People, workspaces, roles and tokens."""

import datetime as dt
from typing import ClassVar

from sqlalchemy import Index, UniqueConstraint, text
from sqlmodel import Field

from unsession.access import ApprovalPolicy, Role
from unsession.db.types import Instant, choice
from unsession.domain.oauth import Resource
from unsession.domain.people import EventRole, TokenScope, WorkspaceRole
from unsession.models.base import Model, Mutable, fresh


class User(Mutable, table=True):
    """One person, one row; a person is never an address."""

    __tablename__ = "user"
    NOUN: ClassVar[str] = "person"
    HIDDEN: ClassVar[frozenset[str]] = frozenset({"password_hash"})

    id: str = Field(default_factory=fresh("usr"), primary_key=True)
    name: str
    locale: str = "en"
    zone: str | None = None
    password_hash: str | None = None
    disabled_at: dt.datetime | None = Field(default=None, sa_type=Instant)


class UserAddress(Mutable, table=True):
    """An address a person claims. It gives a right only once it is verified."""

    __tablename__ = "user_address"
    __table_args__ = (
        Index(
            "uq_user_address_folded_verified",
            "folded",
            unique=True,
            sqlite_where=text("verified_at IS NOT NULL"),
            postgresql_where=text("verified_at IS NOT NULL"),
        ),
        UniqueConstraint("user_id", "folded"),
    )
    NOUN: ClassVar[str] = "address"

    id: str = Field(default_factory=fresh("adr"), primary_key=True)
    user_id: str = Field(foreign_key="user.id", ondelete="CASCADE", index=True)
    address: str
    folded: str
    primary: bool = False
    verified_at: dt.datetime | None = Field(default=None, sa_type=Instant)


class Workspace(Mutable, table=True):
    """Owns events; always has an owner."""

    __tablename__ = "workspace"
    NOUN: ClassVar[str] = "workspace"

    id: str = Field(default_factory=fresh("wsp"), primary_key=True)
    name: str
    slug: str = Field(unique=True)


class Membership(Mutable, table=True):
    """A person's role in a workspace; it holds for every event of it."""

    __tablename__ = "membership"
    __table_args__ = (UniqueConstraint("workspace_id", "user_id"),)
    NOUN: ClassVar[str] = "membership"

    id: str = Field(default_factory=fresh("mem"), primary_key=True)
    workspace_id: str = Field(foreign_key="workspace.id", ondelete="CASCADE")
    user_id: str = Field(foreign_key="user.id", ondelete="CASCADE", index=True)
    role: WorkspaceRole = Field(sa_type=choice(WorkspaceRole))

    def granted(self) -> Role:
        """The role as access knows it."""
        return Role(self.role)


class EventMember(Mutable, table=True):
    """A person's role in one event; several are possible."""

    __tablename__ = "event_member"
    __table_args__ = (UniqueConstraint("event_id", "user_id", "role"),)
    NOUN: ClassVar[str] = "event role"

    id: str = Field(default_factory=fresh("evm"), primary_key=True)
    event_id: str = Field(foreign_key="event.id", ondelete="CASCADE")
    user_id: str = Field(foreign_key="user.id", ondelete="CASCADE", index=True)
    role: EventRole = Field(sa_type=choice(EventRole))


class Token(Mutable, table=True):
    """A token: acts for its person, under its scope, in its workspace or one event."""

    __tablename__ = "token"
    NOUN: ClassVar[str] = "token"
    HIDDEN: ClassVar[frozenset[str]] = frozenset({"secret_hash"})

    id: str = Field(default_factory=fresh("tok"), primary_key=True)
    workspace_id: str = Field(foreign_key="workspace.id", ondelete="CASCADE", index=True)
    user_id: str = Field(foreign_key="user.id", ondelete="CASCADE", index=True)
    name: str
    secret_hash: str = Field(unique=True)
    scope: TokenScope = Field(sa_type=choice(TokenScope))
    approval_policy: ApprovalPolicy = Field(
        default=ApprovalPolicy.NEVER, sa_type=choice(ApprovalPolicy)
    )
    event_id: str | None = Field(default=None, foreign_key="event.id", ondelete="CASCADE")
    grant_id: str | None = Field(
        default=None, foreign_key="oauth_grant.id", ondelete="CASCADE", index=True
    )  #: of the connection that got it; None for a static token
    resource: Resource | None = Field(
        default=None, sa_type=choice(Resource)
    )  #: the one door it opens; None for a static token: both
    expires_at: dt.datetime | None = Field(default=None, sa_type=Instant)
    last_used_at: dt.datetime | None = Field(default=None, sa_type=Instant)
    last_used_ip: str | None = None
    revoked_at: dt.datetime | None = Field(default=None, sa_type=Instant)


class AuthEpoch(Model, table=True):
    """One row. Its number grows with everything that can change what somebody may do."""

    __tablename__ = "auth_epoch"

    id: int = Field(primary_key=True)
    number: int = 0
