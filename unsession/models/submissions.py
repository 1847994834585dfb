"""Submissions with their options and their speakers as typed."""

import datetime as dt
from typing import Any, ClassVar

from sqlalchemy import CheckConstraint, Index, UniqueConstraint
from sqlmodel import Field

from unsession.db.types import Instant, Json, choice
from unsession.domain.submissions import SubmissionStatus
from unsession.ids import new_code, new_guid
from unsession.models.base import Model, Mutable, fresh


class Submission(Mutable, table=True):
    """A thing sent through a form, at any stage, kept for ever."""

    __tablename__ = "submission"
    __table_args__ = (
        UniqueConstraint("event_id", "number"),
        UniqueConstraint("event_id", "code"),
        UniqueConstraint("form_id", "import_key"),
        CheckConstraint("(status = 'draft') = (number IS NULL)", name="number_at_submit"),
        CheckConstraint("(status = 'draft') = (submitted_at IS NULL)", name="instant_at_submit"),
        Index("ix_submission_newest", "event_id", "submitted_at", "id"),
        Index("ix_submission_status", "event_id", "status", "submitted_at", "id"),
        Index("ix_submission_title", "event_id", "title_folded", "id"),
    )
    NOUN: ClassVar[str] = "submission"

    id: str = Field(default_factory=fresh("sub"), primary_key=True)
    event_id: str = Field(foreign_key="event.id", ondelete="CASCADE")
    form_id: str = Field(foreign_key="form.id", index=True)
    form_version_id: str = Field(foreign_key="form_version.id")
    number: int | None = None
    code: str = Field(default_factory=new_code)
    guid: str = Field(default_factory=new_guid, unique=True)
    status: SubmissionStatus = Field(sa_type=choice(SubmissionStatus))
    title: str
    title_folded: str
    abstract: str = ""
    answers: dict[str, Any] = Field(default_factory=dict, sa_type=Json, nullable=False)
    submitted_at: dt.datetime | None = Field(default=None, sa_type=Instant)
    owner_user_id: str | None = Field(default=None, foreign_key="user.id", index=True)
    owner_address: str | None = None  #: as typed; gives a right only once somebody verified it
    owner_proved: bool = False  #: the address was known to be the submitter's
    owner_address_folded: str | None = Field(default=None, index=True)
    submit_key: str | None = Field(default=None, unique=True)  #: a double submit is one
    import_key: str | None = None  #: what another system calls it
    withdrawn_reason: str | None = None

    def label(self) -> str:
        return f"SUB-{self.number} “{self.title}”" if self.number else f"draft “{self.title}”"


class SubmissionOption(Model, table=True):
    """Track, format, level …: resolved once, when it is written."""

    __tablename__ = "submission_option"

    submission_id: str = Field(foreign_key="submission.id", ondelete="CASCADE", primary_key=True)
    option_id: str = Field(foreign_key="taxonomy_option.id", primary_key=True, index=True)


class SubmissionSpeaker(Mutable, table=True):
    """A speaker as typed into the form. The event's speaker row is another thing."""

    __tablename__ = "submission_speaker"
    __table_args__ = (
        UniqueConstraint("submission_id", "position"),
        # Lists read names alone: the index holds them, so the wide rows stay unread.
        Index("ix_submission_speaker_names", "submission_id", "position", "name"),
    )
    NOUN: ClassVar[str] = "speaker of a submission"
    HIDDEN: ClassVar[frozenset[str]] = frozenset({"speaker_id"})

    id: str = Field(default_factory=fresh("ssp"), primary_key=True)
    submission_id: str = Field(foreign_key="submission.id", ondelete="CASCADE")
    position: int
    role: str = "speaker"
    name: str
    name_folded: str
    address: str | None = None
    bio: str = ""
    job_title: str | None = None
    company: str | None = None
    speaker_id: str | None = Field(default=None, foreign_key="speaker.id", index=True)
