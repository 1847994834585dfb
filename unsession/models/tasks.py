"""Task templates, and the tasks speakers have."""

import datetime as dt
from typing import ClassVar

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field

from unsession.db.types import Instant, choice
from unsession.domain.tasks import TaskKind, TaskStatus, TaskTarget
from unsession.models.base import Mutable, fresh


class TaskTemplate(Mutable, table=True):
    """A task to be given to many."""

    __tablename__ = "task_template"
    __table_args__ = (UniqueConstraint("event_id", "name_folded"),)
    NOUN: ClassVar[str] = "task template"

    id: str = Field(default_factory=fresh("ttp"), primary_key=True)
    event_id: str = Field(foreign_key="event.id", ondelete="CASCADE")
    name: str
    name_folded: str
    description: str = ""
    kind: TaskKind = Field(sa_type=choice(TaskKind))
    target: TaskTarget = Field(sa_type=choice(TaskTarget))
    due_on: dt.date | None = None
    on_accept: bool = False  #: given by itself when a submission is accepted
    archived_at: dt.datetime | None = Field(default=None, sa_type=Instant)


class Task(Mutable, table=True):
    """One thing one speaker or session owes; keeps its own words, whatever the template says."""

    __tablename__ = "task"
    __table_args__ = (
        CheckConstraint("(speaker_id IS NULL) <> (session_id IS NULL)", name="one_target"),
        Index(
            "uq_task_live_speaker",
            "template_id",
            "speaker_id",
            unique=True,
            sqlite_where=text("status <> 'cancelled' AND speaker_id IS NOT NULL"),
            postgresql_where=text("status <> 'cancelled' AND speaker_id IS NOT NULL"),
        ),
        Index(
            "uq_task_live_session",
            "template_id",
            "session_id",
            unique=True,
            sqlite_where=text("status <> 'cancelled' AND session_id IS NOT NULL"),
            postgresql_where=text("status <> 'cancelled' AND session_id IS NOT NULL"),
        ),
        Index("ix_task_event", "event_id", "status", "due_on"),
    )
    NOUN: ClassVar[str] = "task"

    id: str = Field(default_factory=fresh("tsk"), primary_key=True)
    event_id: str = Field(foreign_key="event.id", ondelete="CASCADE")
    template_id: str | None = Field(default=None, foreign_key="task_template.id")
    name: str
    name_folded: str
    description: str = ""
    kind: TaskKind = Field(sa_type=choice(TaskKind))
    speaker_id: str | None = Field(
        default=None, foreign_key="speaker.id", ondelete="CASCADE", index=True
    )
    session_id: str | None = Field(
        default=None, foreign_key="session.id", ondelete="CASCADE", index=True
    )
    status: TaskStatus = Field(default=TaskStatus.OPEN, sa_type=choice(TaskStatus))
    due_on: dt.date | None = None
    completed_at: dt.datetime | None = Field(default=None, sa_type=Instant)
    completed_by: str | None = None  #: the actor's name
    note: str | None = None
