"""What the next release would hold: the working schedule, confirmed and public sessions only."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec
from msgspec import UNSET
from sqlalchemy import and_, bindparam, select
from sqlmodel import col

from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.calendar import instant, wall
from unsession.domain.scheduling import Clash, clashes
from unsession.domain.sessions import SessionKind, SessionStatus
from unsession.models import (
    Event,
    EventDay,
    Placement,
    Room,
    Schedule,
    Session,
    SessionOption,
    SessionSpeaker,
    Speaker,
    Taxonomy,
    TaxonomyOption,
)
from unsession.services.agenda.document import (
    AgendaDay,
    AgendaEvent,
    AgendaName,
    AgendaOption,
    AgendaPlace,
    AgendaRoom,
    AgendaSession,
    AgendaSpeaker,
    Contents,
)
from unsession.services.sessions import rows


@dataclass(frozen=True, slots=True)
class Draft:
    """The next release, and what stands in its way or is left out."""

    contents: Contents
    pending: tuple[str, ...]  #: titles of placed sessions that nobody has confirmed
    clashes: tuple[Clash, ...]


class _EventRow(msgspec.Struct, frozen=True):
    id: str
    name: str
    slug: str
    starts_on: dt.date
    ends_on: dt.date
    zone: str
    venue: str | None
    description: str | None


class _RoomRow(msgspec.Struct, frozen=True):
    id: str
    guid: str
    name: str
    capacity: int | None


class _OptionRow(msgspec.Struct, frozen=True):
    id: str
    name: str
    color: str | None
    key: str


class _ChosenRow(msgspec.Struct, frozen=True):
    session_id: str
    option_id: str


class _SessionRow(msgspec.Struct, frozen=True):
    id: str
    guid: str
    code: str
    kind: SessionKind
    title: str
    abstract: str
    status: SessionStatus
    sponsor_name: str | None
    sponsor_badge: str | None
    date: dt.date
    start_minute: int
    minutes: int
    room_id: str | None
    all_rooms: bool


class _SpeakerRow(msgspec.Struct, frozen=True):
    session_id: str
    id: str
    guid: str
    code: str
    slug: str
    name: str
    name_folded: str
    bio: str
    job_title: str | None
    company: str | None
    pronouns: str | None
    links: dict[str, str]


_EVENT = Prepared(
    select(
        col(Event.id),
        col(Event.name),
        col(Event.slug),
        col(Event.starts_on),
        col(Event.ends_on),
        col(Event.zone),
        col(Event.venue),
        col(Event.description),
    ).where(col(Event.id) == bindparam("event")),
    _EventRow,
)
_DAYS = Prepared(
    select(col(EventDay.date), col(EventDay.opens_minute), col(EventDay.closes_minute))
    .where(col(EventDay.event_id) == bindparam("event"))
    .order_by(col(EventDay.date)),
    rows.DayRow,
)
_ROOMS = Prepared(
    select(col(Room.id), col(Room.guid), col(Room.name), col(Room.capacity))
    .where(col(Room.event_id) == bindparam("event"))
    .order_by(col(Room.position), col(Room.name)),
    _RoomRow,
)
_OPTIONS = Prepared(
    select(
        col(TaxonomyOption.id),
        col(TaxonomyOption.name),
        col(TaxonomyOption.color),
        col(Taxonomy.key),
    )
    .join(Taxonomy, col(Taxonomy.id) == col(TaxonomyOption.taxonomy_id))
    .where(
        col(Taxonomy.event_id) == bindparam("event"),
        col(Taxonomy.key).in_(["track", "format", "level"]),
    )
    .order_by(col(Taxonomy.position), col(TaxonomyOption.position), col(TaxonomyOption.id)),
    _OptionRow,
)
_PUBLIC = and_(
    col(Session.event_id) == bindparam("event"),
    col(Session.cancelled_at).is_(None),
    col(Session.public),
)
_SESSIONS = Prepared(
    select(
        col(Session.id),
        col(Session.guid),
        col(Session.code),
        col(Session.kind),
        col(Session.title),
        col(Session.abstract),
        col(Session.status),
        col(Session.sponsor_name),
        col(Session.sponsor_badge),
        col(Placement.date),
        col(Placement.start_minute),
        col(Placement.minutes),
        col(Placement.room_id),
        col(Placement.all_rooms),
    )
    .join(Placement, col(Placement.session_id) == col(Session.id))
    .join(Schedule, and_(col(Schedule.id) == col(Placement.schedule_id), col(Schedule.is_working)))
    .outerjoin(Room, col(Room.id) == col(Placement.room_id))
    .where(_PUBLIC)
    .order_by(
        col(Placement.date),
        col(Placement.start_minute),
        col(Placement.all_rooms).desc(),
        col(Room.position),
        col(Session.id),
    ),
    _SessionRow,
)
_CHOSEN = Prepared(
    select(col(SessionOption.session_id), col(SessionOption.option_id))
    .join(Session, col(Session.id) == col(SessionOption.session_id))
    .where(_PUBLIC),
    _ChosenRow,
)
_SPEAKERS = Prepared(
    select(
        col(SessionSpeaker.session_id),
        col(Speaker.id),
        col(Speaker.guid),
        col(Speaker.code),
        col(Speaker.slug),
        col(Speaker.name),
        col(Speaker.name_folded),
        col(Speaker.bio),
        col(Speaker.job_title),
        col(Speaker.company),
        col(Speaker.pronouns),
        col(Speaker.links),
    )
    .join(SessionSpeaker, col(SessionSpeaker.speaker_id) == col(Speaker.id))
    .join(Session, col(Session.id) == col(SessionSpeaker.session_id))
    .where(_PUBLIC, col(SessionSpeaker.declined_at).is_(None))
    .order_by(col(SessionSpeaker.session_id), col(SessionSpeaker.position)),
    _SpeakerRow,
)


async def draft(ctx: Context, event_id: str) -> Draft:
    """The next release as the working schedule stands, in a write as it stands there.

    Left out: what has no slot, is not confirmed, is cancelled or not public, and speakers who
    declined.
    """
    here = {"event": event_id}
    events, days, rooms, options, sessions, chosen, people, placed, line_ups = await ctx.together(
        (_EVENT, here),
        (_DAYS, here),
        (_ROOMS, here),
        (_OPTIONS, here),
        (_SESSIONS, here),
        (_CHOSEN, here),
        (_SPEAKERS, here),
        (rows.PLACED, here),
        (rows.LINE_UPS, here),
    )
    event = events[0]
    confirmed = [row for row in sessions if row.status is SessionStatus.CONFIRMED]
    shown = {row.id for row in confirmed}
    on_stage = [row for row in people if row.session_id in shown]
    named = _options(options)
    numbers = rows.day_numbers(days)
    picked: dict[str, dict[str, AgendaOption]] = {}
    keys = {row.id: row.key for row in options}
    for row in chosen:
        if row.option_id in named:
            picked.setdefault(row.session_id, {})[keys[row.option_id]] = named[row.option_id]
    line_up: dict[str, list[AgendaName]] = {}
    for person in on_stage:
        line_up.setdefault(person.session_id, []).append(
            AgendaName(id=person.id, code=person.code, slug=person.slug, name=person.name)
        )
    places = {row.id: row.name for row in rooms}
    contents = Contents(
        event=_event(event),
        days=[
            AgendaDay(
                day=number,
                date=row.date,
                opens=wall(row.opens_minute),
                closes=wall(row.closes_minute),
            )
            for number, row in enumerate(days, start=1)
        ],
        rooms=[
            AgendaRoom(id=row.id, guid=row.guid, name=row.name, capacity=row.capacity or UNSET)
            for row in rooms
        ],
        tracks=[named[row.id] for row in options if row.key == "track"],
        sessions=[
            _session(
                row,
                event.zone,
                numbers,
                places,
                line_up.get(row.id, []),
                picked.get(row.id, {}),
            )
            for row in confirmed
        ],
        speakers=_speakers(on_stage),
    )
    return Draft(
        contents,
        tuple(row.title for row in sessions if row.status is SessionStatus.PENDING),
        tuple(clashes(rows.placed(placed, line_ups), rows.hours(days))),
    )


def _event(row: _EventRow) -> AgendaEvent:
    return AgendaEvent(
        id=row.id,
        name=row.name,
        slug=row.slug,
        starts_on=row.starts_on,
        ends_on=row.ends_on,
        zone=row.zone,
        venue=row.venue or UNSET,
        description=row.description or UNSET,
    )


def _options(found: Sequence[_OptionRow]) -> dict[str, AgendaOption]:
    counted: dict[str, int] = {}
    named = {}
    for row in found:
        counted[row.key] = counted.get(row.key, 0) + 1
        named[row.id] = AgendaOption(
            id=row.id, name=row.name, number=counted[row.key], color=row.color or UNSET
        )
    return named


def _session(
    row: _SessionRow,
    zone: str,
    numbers: Mapping[dt.date, int],
    places: Mapping[str, str],
    line_up: Sequence[AgendaName],
    picked: Mapping[str, AgendaOption],
) -> AgendaSession:
    starts_at = instant(row.date, row.start_minute, zone)
    return AgendaSession(
        id=row.id,
        guid=row.guid,
        code=row.code,
        kind=row.kind,
        title=row.title,
        abstract=row.abstract,
        minutes=row.minutes,
        day=numbers.get(row.date, UNSET),
        date=row.date,
        start=wall(row.start_minute),
        end=wall(row.start_minute + row.minutes),
        start_minute=row.start_minute,
        starts_at=starts_at,
        ends_at=starts_at + dt.timedelta(minutes=row.minutes),
        speakers=line_up,
        room=AgendaPlace(id=row.room_id, name=places[row.room_id]) if row.room_id else UNSET,
        all_rooms=row.all_rooms,
        track=picked.get("track", UNSET),
        format=picked.get("format", UNSET),
        level=picked.get("level", UNSET),
        sponsor_name=row.sponsor_name or UNSET,
        sponsor_badge=row.sponsor_badge or UNSET,
    )


def _speakers(found: Sequence[_SpeakerRow]) -> list[AgendaSpeaker]:
    """Each speaker once, by name."""
    once = {row.id: row for row in found}
    return [
        AgendaSpeaker(
            id=row.id,
            guid=row.guid,
            code=row.code,
            slug=row.slug,
            name=row.name,
            bio=row.bio,
            job_title=row.job_title or UNSET,
            company=row.company or UNSET,
            pronouns=row.pronouns or UNSET,
            links=row.links or UNSET,
        )
        for row in sorted(once.values(), key=lambda row: (row.name_folded, row.id))
    ]
