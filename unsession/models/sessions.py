"""Sessions: the items of the programme, with their options and their line-up."""

import datetime as dt
from typing import ClassVar

from sqlalchemy import CheckConstraint, UniqueConstraint
from sqlmodel import Field

from unsession.db.types import Instant, choice
from unsession.domain.sessions import SessionKind, SessionStatus
from unsession.ids import new_code, new_guid
from unsession.models.base import Model, Mutable, fresh


class Session(Mutable, table=True):
    """A copy made at acceptance, or invited. Later edits on one side never change the other."""

    __tablename__ = "session"
    __table_args__ = (
        UniqueConstraint("event_id", "code"),
        UniqueConstraint("event_id", "number"),
        CheckConstraint("minutes > 0", name="minutes_positive"),
        CheckConstraint("submission_id IS NULL OR kind = 'talk'", name="submission_is_talk"),
    )
    NOUN: ClassVar[str] = "session"

    id: str = Field(default_factory=fresh("ses"), primary_key=True)
    event_id: str = Field(foreign_key="event.id", ondelete="CASCADE", index=True)
    kind: SessionKind = Field(sa_type=choice(SessionKind))
    submission_id: str | None = Field(default=None, foreign_key="submission.id", unique=True)
    code: str = Field(default_factory=new_code)
    number: int
    guid: str = Field(default_factory=new_guid, unique=True)
    title: str
    title_folded: str
    abstract: str = ""
    minutes: int
    status: SessionStatus = Field(sa_type=choice(SessionStatus))
    public: bool = True
    sponsor_name: str | None = None
    sponsor_badge: str | None = None
    cancelled_at: dt.datetime | None = Field(default=None, sa_type=Instant)


class SessionOption(Model, table=True):
    """An option of any taxonomy on a session."""

    __tablename__ = "session_option"

    session_id: str = Field(foreign_key="session.id", ondelete="CASCADE", primary_key=True)
    option_id: str = Field(foreign_key="taxonomy_option.id", primary_key=True, index=True)


class SessionSpeaker(Mutable, table=True):
    """A speaker in a session's line-up, and whether they said yes."""

    __tablename__ = "session_speaker"
    __table_args__ = (
        UniqueConstraint("session_id", "speaker_id"),
        CheckConstraint("confirmed_at IS NULL OR declined_at IS NULL", name="one_answer"),
    )
    id: str = Field(default_factory=fresh("lin"), primary_key=True)
    session_id: str = Field(foreign_key="session.id", ondelete="CASCADE")
    speaker_id: str = Field(foreign_key="speaker.id", ondelete="CASCADE", index=True)
    position: int
    role: str = "speaker"
    confirmed_at: dt.datetime | None = Field(default=None, sa_type=Instant)
    declined_at: dt.datetime | None = Field(default=None, sa_type=Instant)
    decline_reason: str | None = None
