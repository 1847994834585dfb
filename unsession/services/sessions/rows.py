"""The prepared reads behind sessions: lists, one, and everything that stands on the schedule."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import (
    ColumnElement,
    FromClause,
    and_,
    bindparam,
    exists,
    func,
    literal,
    or_,
    select,
    tuple_,
)
from sqlmodel import col

from unsession.db.prepared import AnySelect, Filtered, Prepared
from unsession.domain.scheduling import Hours, Person, Placed
from unsession.domain.sessions import SessionKind, SessionStatus
from unsession.models import (
    EventDay,
    Placement,
    Room,
    Schedule,
    Session,
    SessionOption,
    SessionSpeaker,
    Speaker,
)

SEPARATOR = "\x1f"  # between speakers' names: the unit separator, which no name contains


class Shape(NamedTuple):
    """Which combination is asked for: the filters present, how many search words."""

    filters: frozenset[str]
    words: int


class ListedSession(msgspec.Struct, frozen=True):
    """A session as the list reads it."""

    id: str
    code: str
    number: int
    kind: SessionKind
    title: str
    title_folded: str
    status: SessionStatus
    minutes: int
    public: bool
    speakers: str | None
    options: str | None
    date: dt.date | None
    start_minute: int | None
    slot_minutes: int | None
    room_id: str | None
    room: str | None
    all_rooms: bool | None
    total: int


class DayRow(msgspec.Struct, frozen=True):
    """A day of the event."""

    date: dt.date
    opens_minute: int
    closes_minute: int


class RoomRow(msgspec.Struct, frozen=True):
    """A room of the event."""

    id: str
    name: str
    capacity: int | None


class PlacedRow(msgspec.Struct, frozen=True):
    """A session with its place on the working schedule."""

    session_id: str
    title: str
    kind: SessionKind
    status: SessionStatus
    date: dt.date
    start_minute: int
    minutes: int
    room_id: str | None
    room: str | None
    all_rooms: bool


class LineUpRow(msgspec.Struct, frozen=True):
    """Somebody in the line-up of a session, whoever declined left out."""

    session_id: str
    speaker_id: str
    name: str


DAYS = Prepared(
    select(col(EventDay.date), col(EventDay.opens_minute), col(EventDay.closes_minute))
    .where(col(EventDay.event_id) == bindparam("event"))
    .order_by(col(EventDay.date)),
    DayRow,
)
ROOMS = Prepared(
    select(col(Room.id), col(Room.name), col(Room.capacity))
    .where(col(Room.event_id) == bindparam("event"))
    .order_by(col(Room.position), col(Room.name)),
    RoomRow,
)
_ON_PROGRAMME = and_(
    col(Session.event_id) == bindparam("event"), col(Session.cancelled_at).is_(None)
)
_WORKING = and_(col(Schedule.event_id) == bindparam("event"), col(Schedule.is_working))
PLACED = Prepared(
    select(
        col(Session.id),
        col(Session.title),
        col(Session.kind),
        col(Session.status),
        col(Placement.date),
        col(Placement.start_minute),
        col(Placement.minutes),
        col(Placement.room_id),
        col(Room.name),
        col(Placement.all_rooms),
    )
    .join(Placement, col(Placement.session_id) == col(Session.id))
    .join(Schedule, and_(col(Schedule.id) == col(Placement.schedule_id), _WORKING))
    .outerjoin(Room, col(Room.id) == col(Placement.room_id))
    .where(_ON_PROGRAMME)
    .order_by(col(Placement.date), col(Placement.start_minute), col(Session.id)),
    PlacedRow,
)
LINE_UPS = Prepared(
    select(col(SessionSpeaker.session_id), col(Speaker.id), col(Speaker.name))
    .join(Speaker, col(Speaker.id) == col(SessionSpeaker.speaker_id))
    .join(Session, col(Session.id) == col(SessionSpeaker.session_id))
    .where(_ON_PROGRAMME, col(SessionSpeaker.declined_at).is_(None))
    .order_by(col(SessionSpeaker.session_id), col(SessionSpeaker.position)),
    LineUpRow,
)


def hours(rows: Sequence[DayRow]) -> list[Hours]:
    """The days as the clash engine reads them."""
    return [Hours(row.date, row.opens_minute, row.closes_minute) for row in rows]


def placed(rows: Sequence[PlacedRow], line_ups: Sequence[LineUpRow]) -> list[Placed]:
    """The schedule as the clash engine reads it."""
    people: dict[str, list[Person]] = {}
    for entry in line_ups:
        people.setdefault(entry.session_id, []).append(Person(entry.speaker_id, entry.name))
    return [
        Placed(
            row.session_id,
            row.title,
            row.date,
            row.start_minute,
            row.minutes,
            row.room_id,
            row.room or "",
            row.all_rooms,
            tuple(people.get(row.session_id, ())),
        )
        for row in rows
    ]


def pattern(word: str) -> str:
    """A folded word as a LIKE pattern that finds it anywhere."""
    escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


_names = (
    select(col(Speaker.name).label("name"))
    .join(SessionSpeaker, col(SessionSpeaker.speaker_id) == col(Speaker.id))
    .where(
        col(SessionSpeaker.session_id) == col(Session.id), col(SessionSpeaker.declined_at).is_(None)
    )
    .order_by(col(SessionSpeaker.position))
    .correlate(Session)
    .subquery()
)
_SPEAKERS = (
    select(func.aggregate_strings(_names.c.name, SEPARATOR)).correlate(Session).scalar_subquery()
)
_OPTION_IDS = (
    select(func.aggregate_strings(col(SessionOption.option_id), " "))
    .where(col(SessionOption.session_id) == col(Session.id))
    .correlate(Session)
    .scalar_subquery()
)


def _columns(total: Any) -> list[Any]:
    return [
        col(Session.id),
        col(Session.code),
        col(Session.number),
        col(Session.kind),
        col(Session.title),
        col(Session.title_folded),
        col(Session.status),
        col(Session.minutes),
        col(Session.public),
        _SPEAKERS,
        _OPTION_IDS,
        col(Placement.date),
        col(Placement.start_minute),
        col(Placement.minutes),
        col(Placement.room_id),
        col(Room.name),
        col(Placement.all_rooms),
        total,
    ]


def _with_slots() -> FromClause:
    """Sessions with their place on the working schedule, if they have one."""
    slots = (
        select(
            col(Placement.session_id).label("session_id"), col(Placement.id).label("placement_id")
        )
        .join(
            Schedule, and_(col(Schedule.id) == col(Placement.schedule_id), col(Schedule.is_working))
        )
        .subquery()
    )
    table: Any = Session.__table__  # type: ignore[attr-defined]  # made by table=True
    joined: FromClause = (
        table.outerjoin(slots, slots.c.session_id == col(Session.id))
        .outerjoin(Placement, col(Placement.id) == slots.c.placement_id)
        .outerjoin(Room, col(Room.id) == col(Placement.room_id))
    )
    return joined


def _conditions(shape: Shape) -> list[ColumnElement[bool]]:
    filters = shape.filters
    conditions: list[ColumnElement[bool]] = [_ON_PROGRAMME]
    if "kind" in filters:
        conditions.append(col(Session.kind) == bindparam("kind"))
    if "placed" in filters:
        conditions.append(col(Placement.id).is_not(None))
    if "unplaced" in filters:
        conditions.append(col(Placement.id).is_(None))
    if "status" in filters:
        conditions.append(col(Session.status) == bindparam("status"))
    if "track" in filters:
        conditions.append(
            exists().where(
                col(SessionOption.session_id) == col(Session.id),
                col(SessionOption.option_id) == bindparam("track"),
            )
        )
    for number in range(shape.words):
        word: ColumnElement[str] = bindparam(f"word{number}")
        conditions.append(
            or_(
                col(Session.title_folded).like(word, escape="\\"),
                exists()
                .where(
                    col(SessionSpeaker.session_id) == col(Session.id),
                    col(SessionSpeaker.speaker_id) == col(Speaker.id),
                    col(Speaker.name_folded).like(word, escape="\\"),
                )
                .correlate(Session),
            )
        )
    return conditions


def _page(shape: Shape) -> AnySelect:
    conditions = _conditions(shape)
    counted = select(func.count()).select_from(_with_slots()).where(*conditions)
    page = (
        select(*_columns(counted.scalar_subquery()))
        .select_from(_with_slots())
        .where(*conditions)
        .limit(bindparam("limit"))
        .order_by(col(Session.title_folded), col(Session.id))
    )
    if "after" in shape.filters:
        here = tuple_(col(Session.title_folded), col(Session.id))
        page = page.where(here > tuple_(bindparam("after"), bindparam("after_id")))
    return page


PAGE = Filtered(_page, ListedSession)
ONE = Prepared(
    select(*_columns(literal(1)))
    .select_from(_with_slots())
    .where(col(Session.id) == bindparam("session")),
    ListedSession,
)


def day_numbers(days: Sequence[DayRow]) -> Mapping[dt.date, int]:
    """The number of each day of the event, from 1."""
    return {row.date: number for number, row in enumerate(days, start=1)}
