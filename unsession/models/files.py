"""Files: rows that say whose bytes they are; the bytes lie by hash."""

import datetime as dt
from typing import ClassVar

from sqlalchemy import CheckConstraint, UniqueConstraint
from sqlmodel import Field

from unsession.db.types import Instant
from unsession.models.base import Mutable, fresh


class File(Mutable, table=True):
    """One version of one file of one thing; its rights are the thing's."""

    __tablename__ = "file"
    __table_args__ = (
        UniqueConstraint("subject_id", "slot", "number"),
        CheckConstraint("size >= 0", name="size_not_negative"),
    )
    NOUN: ClassVar[str] = "file"

    id: str = Field(default_factory=fresh("fil"), primary_key=True)
    event_id: str = Field(foreign_key="event.id", ondelete="CASCADE", index=True)
    subject_type: str
    subject_id: str
    slot: str
    number: int
    sha256: str = Field(index=True)
    filename: str
    media_type: str
    size: int
    uploaded_by: str  #: the actor's name
    deleted_at: dt.datetime | None = Field(default=None, sa_type=Instant)

    def label(self) -> str:
        return f"“{self.filename}”, version {self.number}"
