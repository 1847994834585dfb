"""Long writes that a worker does piece by piece."""

import datetime as dt
from typing import Any, ClassVar

from sqlalchemy import CheckConstraint, Index
from sqlmodel import Field

from unsession.access import ActorKind
from unsession.db.types import Instant, Json, choice
from unsession.domain.jobs import JobStatus
from unsession.models.base import Mutable, fresh


class Job(Mutable, table=True):
    """An operation called again and again, each time for the next piece, as whoever began it."""

    __tablename__ = "job"
    __table_args__ = (
        Index("ix_job_due", "status", "due_at"),
        CheckConstraint("done >= 0 AND done <= total", name="done_within_total"),
    )
    NOUN: ClassVar[str] = "job"
    HIDDEN: ClassVar[frozenset[str]] = frozenset({"payload", "result", "lease_until", "due_at"})

    id: str = Field(default_factory=fresh("job"), primary_key=True)
    workspace_id: str = Field(foreign_key="workspace.id", ondelete="CASCADE", index=True)
    event_id: str | None = Field(
        default=None, foreign_key="event.id", ondelete="CASCADE", index=True
    )
    operation: str  #: the page operation that does one piece
    title: str
    payload: dict[str, Any] = Field(default_factory=dict, sa_type=Json, nullable=False)
    result: dict[str, Any] = Field(default_factory=dict, sa_type=Json, nullable=False)
    actor_kind: ActorKind = Field(sa_type=choice(ActorKind))
    actor_id: str
    actor_name: str
    batch_id: str  #: the activity entry that began it; its pieces' entries are parts of that one
    status: JobStatus = Field(default=JobStatus.QUEUED, sa_type=choice(JobStatus))
    done: int = 0
    total: int
    attempts: int = 0  #: in a row, without a step forward
    due_at: dt.datetime = Field(sa_type=Instant, nullable=False)
    lease_until: dt.datetime | None = Field(default=None, sa_type=Instant)
    last_error: str | None = None

    def label(self) -> str:
        return f"“{self.title}”"
