"""Schedules and what is placed on them."""

import datetime as dt
from typing import ClassVar

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field

from unsession.models.base import Mutable, fresh


class Schedule(Mutable, table=True):
    """A schedule; exactly one per event is the working one. Owns the placement invariant."""

    __tablename__ = "schedule"
    __table_args__ = (
        Index(
            "uq_schedule_working",
            "event_id",
            unique=True,
            sqlite_where=text("is_working"),
            postgresql_where=text("is_working"),
        ),
    )
    NOUN: ClassVar[str] = "schedule"

    id: str = Field(default_factory=fresh("sch"), primary_key=True)
    event_id: str = Field(foreign_key="event.id", ondelete="CASCADE", index=True)
    name: str
    is_working: bool = False


class Placement(Mutable, table=True):
    """A session's slot on one schedule: local date, minutes after its midnight, a room or all."""

    __tablename__ = "placement"
    __table_args__ = (
        UniqueConstraint("schedule_id", "session_id"),
        CheckConstraint("start_minute >= 0 AND minutes > 0", name="minutes_positive"),
        CheckConstraint("NOT (all_rooms AND room_id IS NOT NULL)", name="room_or_all"),
        Index("ix_placement_day", "schedule_id", "date", "start_minute"),
    )
    NOUN: ClassVar[str] = "slot"

    id: str = Field(default_factory=fresh("plc"), primary_key=True)
    schedule_id: str = Field(foreign_key="schedule.id", ondelete="CASCADE")
    session_id: str = Field(foreign_key="session.id", ondelete="CASCADE", index=True)
    date: dt.date
    start_minute: int
    minutes: int
    room_id: str | None = Field(default=None, foreign_key="room.id", index=True)
    all_rooms: bool = False

    def label(self) -> str:
        hours, minutes = divmod(self.start_minute, 60)
        return f"{self.date} {hours:02}:{minutes:02}"
