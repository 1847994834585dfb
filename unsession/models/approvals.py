"""Writes of agents that wait for a person."""

import datetime as dt
from typing import ClassVar

from sqlalchemy import CheckConstraint, Index, Text, text
from sqlmodel import Field

from unsession.db.types import Instant, choice
from unsession.domain.approvals import ApprovalStatus
from unsession.models.base import Mutable, fresh


class Approval(Mutable, table=True):
    """One call of one token, with what it would do, until a person says yes or no."""

    __tablename__ = "approval"
    __table_args__ = (
        Index(
            "uq_approval_pending",
            "token_id",
            "digest",
            unique=True,
            sqlite_where=text("status = 'pending'"),
            postgresql_where=text("status = 'pending'"),
        ),
        CheckConstraint(
            "(status IN ('approved', 'refused')) = (decided_at IS NOT NULL)", name="decided"
        ),
    )
    NOUN: ClassVar[str] = "approval"
    HIDDEN: ClassVar[frozenset[str]] = frozenset({"arguments", "digest", "plan_digest", "answer"})

    id: str = Field(default_factory=fresh("apr"), primary_key=True)
    token_id: str = Field(foreign_key="token.id", ondelete="CASCADE")
    workspace_id: str = Field(foreign_key="workspace.id", ondelete="CASCADE", index=True)
    event_id: str | None = Field(default=None, foreign_key="event.id", ondelete="CASCADE")
    operation: str
    arguments: str = Field(sa_type=Text)  #: as JSON on the wire
    digest: str  #: of operation and arguments
    plan_text: str = Field(sa_type=Text)
    plan_digest: str
    status: ApprovalStatus = Field(default=ApprovalStatus.PENDING, sa_type=choice(ApprovalStatus))
    expires_at: dt.datetime = Field(sa_type=Instant, nullable=False)
    decided_by: str | None = Field(default=None, foreign_key="user.id", ondelete="SET NULL")
    decided_at: dt.datetime | None = Field(default=None, sa_type=Instant)
    reason: str | None = None
    answer: str | None = Field(default=None, sa_type=Text)

    def label(self) -> str:
        """By its operation: the plan is too long."""
        return f"of {self.operation}"
