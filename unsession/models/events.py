"""An event with its days, rooms and taxonomies, and the counters of its numbers."""

import datetime as dt
from typing import ClassVar

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field

from unsession.db.types import Instant, choice
from unsession.domain.events import ConfirmedBy, EventMode
from unsession.ids import new_guid
from unsession.models.base import Model, Mutable, fresh


class Event(Mutable, table=True):
    """One conference edition. Its programme is wall time in ``zone``."""

    __tablename__ = "event"
    __table_args__ = (CheckConstraint("ends_on >= starts_on", name="ends_after_start"),)
    NOUN: ClassVar[str] = "event"

    id: str = Field(default_factory=fresh("evt"), primary_key=True)
    workspace_id: str = Field(foreign_key="workspace.id", ondelete="CASCADE", index=True)
    name: str
    name_folded: str = Field(index=True)
    slug: str = Field(unique=True)
    starts_on: dt.date
    ends_on: dt.date
    zone: str
    venue: str | None = None
    mode: EventMode = Field(default=EventMode.IN_PERSON, sa_type=choice(EventMode))
    description: str | None = None
    accent: str | None = None  #: the event's colour, ``#rrggbb``
    contact_address: str | None = None  #: where the public pages send questions
    confirmed_by: ConfirmedBy = Field(default=ConfirmedBy.ANY, sa_type=choice(ConfirmedBy))
    current_release_id: str | None = None  #: what public doors read; releases refer here
    archived_at: dt.datetime | None = Field(default=None, sa_type=Instant)


class EventDay(Mutable, table=True):
    """A day of the programme; minutes count from its midnight and may pass 1440."""

    __tablename__ = "event_day"
    __table_args__ = (
        UniqueConstraint("event_id", "date"),
        CheckConstraint("opens_minute >= 0 AND closes_minute > opens_minute", name="closes_later"),
    )
    NOUN: ClassVar[str] = "day"

    id: str = Field(default_factory=fresh("day"), primary_key=True)
    event_id: str = Field(foreign_key="event.id", ondelete="CASCADE")
    date: dt.date
    opens_minute: int
    closes_minute: int


class Room(Mutable, table=True):
    """A place of the event."""

    __tablename__ = "room"
    __table_args__ = (
        UniqueConstraint("event_id", "name_folded"),
        CheckConstraint("capacity IS NULL OR capacity > 0", name="capacity_positive"),
    )
    NOUN: ClassVar[str] = "room"

    id: str = Field(default_factory=fresh("rom"), primary_key=True)
    event_id: str = Field(foreign_key="event.id", ondelete="CASCADE")
    name: str
    name_folded: str
    capacity: int | None = None
    position: int
    guid: str = Field(default_factory=new_guid, unique=True)


class Taxonomy(Mutable, table=True):
    """One list of options: track, format, level, or the organiser's own."""

    __tablename__ = "taxonomy"
    __table_args__ = (UniqueConstraint("event_id", "key"),)
    NOUN: ClassVar[str] = "taxonomy"

    id: str = Field(default_factory=fresh("tax"), primary_key=True)
    event_id: str = Field(foreign_key="event.id", ondelete="CASCADE")
    key: str
    name: str
    position: int


class TaxonomyOption(Mutable, table=True):
    """An option; referenced by id only, so a new name never touches what refers to it."""

    __tablename__ = "taxonomy_option"
    __table_args__ = (
        Index(
            "uq_taxonomy_option_live_name",
            "taxonomy_id",
            "name_folded",
            unique=True,
            sqlite_where=text("archived_at IS NULL"),
            postgresql_where=text("archived_at IS NULL"),
        ),
        CheckConstraint("minutes IS NULL OR minutes > 0", name="minutes_positive"),
    )
    NOUN: ClassVar[str] = "option"

    id: str = Field(default_factory=fresh("opt"), primary_key=True)
    taxonomy_id: str = Field(foreign_key="taxonomy.id", ondelete="CASCADE")
    name: str
    name_folded: str
    color: str | None = None
    minutes: int | None = None
    position: int
    archived_at: dt.datetime | None = Field(default=None, sa_type=Instant)


class Counter(Model, table=True):
    """Contiguous numbers, taken inside the transaction that uses them."""

    __tablename__ = "counter"

    event_id: str = Field(foreign_key="event.id", ondelete="CASCADE", primary_key=True)
    key: str = Field(primary_key=True)
    value: int = 0
