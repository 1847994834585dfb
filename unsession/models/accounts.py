"""Sign-ins, links that came by mail, and invitations."""

import datetime as dt
from typing import ClassVar

from sqlalchemy import Index, UniqueConstraint, text
from sqlmodel import Field

from unsession.access import Role
from unsession.db.types import Instant, choice
from unsession.domain.accounts import LinkPurpose
from unsession.models.base import Mutable, fresh


class SigninSession(Mutable, table=True):
    """A browser a person is signed in with. The cookie holds the secret, the row its hash."""

    __tablename__ = "signin_session"
    NOUN: ClassVar[str] = "sign-in"
    HIDDEN: ClassVar[frozenset[str]] = frozenset({"secret_hash"})

    id: str = Field(default_factory=fresh("sgn"), primary_key=True)
    user_id: str = Field(foreign_key="user.id", ondelete="CASCADE", index=True)
    secret_hash: str = Field(unique=True)
    created_ip: str | None = None
    agent: str | None = None
    last_used_at: dt.datetime | None = Field(default=None, sa_type=Instant)
    expires_at: dt.datetime = Field(sa_type=Instant, nullable=False)
    revoked_at: dt.datetime | None = Field(default=None, sa_type=Instant)


class OneTimeLink(Mutable, table=True):
    """A link in a mail. Its secret is derived (seal.py); the row keeps only the hash.

    Re-issuing replaces: one live link per purpose, subject and address. ``reusable`` is set only
    by the demo command.
    """

    __tablename__ = "one_time_link"
    __table_args__ = (
        UniqueConstraint("purpose", "subject_id", "address_folded"),
        Index("ix_one_time_link_subject", "subject_id"),
    )
    HIDDEN: ClassVar[frozenset[str]] = frozenset({"secret_hash"})

    id: str = Field(default_factory=fresh("lnk"), primary_key=True)
    purpose: LinkPurpose = Field(sa_type=choice(LinkPurpose))
    generation: int = 1
    secret_hash: str = Field(unique=True)
    subject_id: str
    address_folded: str
    expires_at: dt.datetime = Field(sa_type=Instant, nullable=False)
    used_at: dt.datetime | None = Field(default=None, sa_type=Instant)
    reusable: bool = False


class Invitation(Mutable, table=True):
    """A role offered to an address; accepting needs a verified sign-in for that address."""

    __tablename__ = "invitation"
    __table_args__ = (
        Index(
            "uq_invitation_pending",
            "workspace_id",
            "event_id",
            "address_folded",
            "role",
            unique=True,
            sqlite_where=text("accepted_at IS NULL AND revoked_at IS NULL"),
            postgresql_where=text("accepted_at IS NULL AND revoked_at IS NULL"),
        ),
    )
    NOUN: ClassVar[str] = "invitation"

    id: str = Field(default_factory=fresh("inv"), primary_key=True)
    workspace_id: str = Field(foreign_key="workspace.id", ondelete="CASCADE")
    event_id: str | None = Field(default=None, foreign_key="event.id", ondelete="CASCADE")
    plan_id: str | None = Field(
        default=None, foreign_key="evaluation_plan.id", ondelete="CASCADE"
    )  #: joining this plan as well, for a reviewer
    address: str
    address_folded: str = Field(index=True)
    role: Role = Field(sa_type=choice(Role))
    invited_by: str | None = Field(default=None, foreign_key="user.id")
    expires_at: dt.datetime = Field(sa_type=Instant, nullable=False)
    accepted_at: dt.datetime | None = Field(default=None, sa_type=Instant)
    revoked_at: dt.datetime | None = Field(default=None, sa_type=Instant)

    def label(self) -> str:
        return f"of {self.address} as {self.role.value}"
