"""Releases: numbered, immutable published schedules, and what is hidden from them since."""

import datetime as dt
from typing import ClassVar

from sqlalchemy import Text, UniqueConstraint
from sqlmodel import Field

from unsession.db.types import Instant
from unsession.models.base import Model, Mutable, fresh


class Release(Mutable, table=True):
    """A published schedule. ``snapshot`` is canonical JSON text and never changes."""

    __tablename__ = "release"
    __table_args__ = (UniqueConstraint("event_id", "number"),)
    NOUN: ClassVar[str] = "release"
    HIDDEN: ClassVar[frozenset[str]] = frozenset({"snapshot"})

    id: str = Field(default_factory=fresh("rel"), primary_key=True)
    event_id: str = Field(foreign_key="event.id", ondelete="CASCADE")
    number: int
    changelog: str = ""
    snapshot: str = Field(sa_type=Text)
    digest: str
    published_at: dt.datetime = Field(sa_type=Instant, nullable=False)
    published_by: str  #: the actor's name

    def label(self) -> str:
        return str(self.number)


class ReleaseHidden(Model, table=True):
    """A session that public doors leave out of the current release, from this instant on."""

    __tablename__ = "release_hidden"
    NOUN: ClassVar[str] = "hidden session"

    event_id: str = Field(foreign_key="event.id", ondelete="CASCADE", primary_key=True)
    session_id: str = Field(foreign_key="session.id", ondelete="CASCADE", primary_key=True)
    since: dt.datetime = Field(sa_type=Instant, nullable=False)

    def label(self) -> str:
        return self.session_id
