"""One event with everything that is set up, and its counts."""

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType
from sqlalchemy import Date, and_, bindparam, case, func, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, get, operation
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.events import ConfirmedBy, EventMode
from unsession.domain.sessions import SessionStatus
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.tasks import TaskStatus, today
from unsession.models import (
    EventDay,
    Placement,
    Room,
    Schedule,
    Session,
    Submission,
    SubmissionOption,
    Task,
    Taxonomy,
    TaxonomyOption,
)
from unsession.services import find
from unsession.services.events.listed import RELEASED, EventRow
from unsession.services.refs import EventRef


class GetEvent(Input):
    """Which event."""

    event: EventRef


class Day(msgspec.Struct, frozen=True, rename="camel"):
    """A day of the programme; opens and closes as wall time, past midnight as ``25:30``."""

    day: int
    date: dt.date
    opens: str
    closes: str


class RoomRow(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A room."""

    id: str
    name: str
    capacity: int | UnsetType = UNSET


class OptionRow(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """An option of a taxonomy."""

    id: str
    name: str
    color: str | UnsetType = UNSET
    minutes: int | UnsetType = UNSET


class TaxonomyRow(msgspec.Struct, frozen=True, rename="camel"):
    """A taxonomy with its options."""

    id: str
    key: str
    name: str
    options: Sequence[OptionRow]


class TrackCount(msgspec.Struct, frozen=True, rename="camel"):
    """How many submissions a track has, drafts and withdrawn ones left out."""

    id: str
    name: str
    submissions: int


class SessionCounts(msgspec.Struct, frozen=True, rename="camel"):
    """Sessions that are not cancelled."""

    placed: int
    unplaced: int
    unconfirmed: int


class OwedCounts(msgspec.Struct, frozen=True):
    """Tasks nobody has done yet; overdue ones are open, too."""

    open: int
    overdue: int


class Counts(msgspec.Struct, frozen=True, rename="camel"):
    """The event in numbers."""

    submissions: dict[str, int]
    tracks: Sequence[TrackCount]
    sessions: SessionCounts
    tasks: OwedCounts


class EventFull(EventRow, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """An event with everything that is set up, and its counts."""

    mode: EventMode
    confirmed_by: ConfirmedBy
    description: str | UnsetType = UNSET
    accent: str | UnsetType = UNSET
    contact_address: (
        Annotated[str, msgspec.Meta(description="Public; answers to its mail go there.")]
        | UnsetType
    ) = UNSET
    days: Annotated[Sequence[Day], msgspec.Meta(description="Days of the programme.")]
    rooms: Sequence[RoomRow]
    taxonomies: Sequence[TaxonomyRow]
    counts: Counts
    url: Annotated[str, msgspec.Meta(description="Its page for organisers.")]
    version: int


class _DayRow(msgspec.Struct, frozen=True):
    date: dt.date
    opens_minute: int
    closes_minute: int


class _RoomRow(msgspec.Struct, frozen=True):
    id: str
    name: str
    capacity: int | None


class _OptionRow(msgspec.Struct, frozen=True):
    taxonomy_id: str
    key: str
    taxonomy: str
    id: str | None
    name: str | None
    color: str | None
    minutes: int | None


class _StatusCount(msgspec.Struct, frozen=True):
    status: SubmissionStatus
    count: int


class _OptionCount(msgspec.Struct, frozen=True):
    option_id: str
    count: int


class _SessionCount(msgspec.Struct, frozen=True):
    all: int
    placed: int
    pending: int


_DAYS = Prepared(
    select(col(EventDay.date), col(EventDay.opens_minute), col(EventDay.closes_minute))
    .where(col(EventDay.event_id) == bindparam("event"))
    .order_by(col(EventDay.date)),
    _DayRow,
)
_ROOMS = Prepared(
    select(col(Room.id), col(Room.name), col(Room.capacity))
    .where(col(Room.event_id) == bindparam("event"))
    .order_by(col(Room.position), col(Room.name)),
    _RoomRow,
)
_OPTIONS = Prepared(
    select(
        col(Taxonomy.id),
        col(Taxonomy.key),
        col(Taxonomy.name),
        col(TaxonomyOption.id),
        col(TaxonomyOption.name),
        col(TaxonomyOption.color),
        col(TaxonomyOption.minutes),
    )
    .outerjoin(
        TaxonomyOption,
        and_(
            col(TaxonomyOption.taxonomy_id) == col(Taxonomy.id),
            col(TaxonomyOption.archived_at).is_(None),
        ),
    )
    .where(col(Taxonomy.event_id) == bindparam("event"))
    .order_by(col(Taxonomy.position), col(TaxonomyOption.position)),
    _OptionRow,
)
_BY_STATUS = Prepared(
    select(col(Submission.status), func.count())
    .where(col(Submission.event_id) == bindparam("event"))
    .group_by(col(Submission.status)),
    _StatusCount,
)
_tracks = (
    select(col(TaxonomyOption.id))
    .join(Taxonomy, col(Taxonomy.id) == col(TaxonomyOption.taxonomy_id))
    .where(col(Taxonomy.event_id) == bindparam("event"), col(Taxonomy.key) == "track")
)
#: All submissions of each track, from the index alone; what does not count is few and taken off.
_BY_TRACK = Prepared(
    select(col(SubmissionOption.option_id), func.count())
    .where(col(SubmissionOption.option_id).in_(_tracks))
    .group_by(col(SubmissionOption.option_id)),
    _OptionCount,
)
_NOT_COUNTED = Prepared(
    select(col(SubmissionOption.option_id), func.count())
    .join(Submission, col(Submission.id) == col(SubmissionOption.submission_id))
    .where(
        col(Submission.event_id) == bindparam("event"),
        col(Submission.status).in_([SubmissionStatus.DRAFT, SubmissionStatus.WITHDRAWN]),
    )
    .group_by(col(SubmissionOption.option_id)),
    _OptionCount,
)
_SESSIONS = Prepared(
    select(
        func.count(),
        func.count(col(Placement.id)),
        func.coalesce(
            func.sum(case((col(Session.status) == SessionStatus.PENDING, 1), else_=0)), 0
        ),
    )
    .select_from(Session)
    .outerjoin(
        Schedule, and_(col(Schedule.event_id) == col(Session.event_id), col(Schedule.is_working))
    )
    .outerjoin(
        Placement,
        and_(
            col(Placement.schedule_id) == col(Schedule.id),
            col(Placement.session_id) == col(Session.id),
        ),
    )
    .where(col(Session.event_id) == bindparam("event"), col(Session.cancelled_at).is_(None)),
    _SessionCount,
)
_TASKS = Prepared(
    select(
        func.count(),
        func.coalesce(
            func.sum(case((col(Task.due_on) < bindparam("today", type_=Date), 1), else_=0)), 0
        ),
    ).where(col(Task.event_id) == bindparam("event"), col(Task.status) == TaskStatus.OPEN),
    OwedCounts,
)


@operation(
    title="Get one event",
    rest=get("/events/{event}"),
    needs=Permission.EVENT_READ,
)
async def get_event(ctx: Context, args: GetEvent) -> EventFull:
    """Get one event with its days, rooms, taxonomies and counts.

    The counts say how many submissions stand in each status and each track, how many sessions
    are placed, unplaced and unconfirmed, and how many tasks are open and overdue. Options of
    taxonomies are named by id.
    """
    return await full(ctx, await find.event(ctx, args.event))


async def full(ctx: Context, event: find.FoundEvent) -> EventFull:
    """The full shape of an event already found."""
    here = {"event": event.id}
    (
        days,
        rooms,
        options,
        statuses,
        by_track,
        not_counted,
        sessions,
        tasks,
        public,
    ) = await ctx.together(
        (_DAYS, here),
        (_ROOMS, here),
        (_OPTIONS, here),
        (_BY_STATUS, here),
        (_BY_TRACK, here),
        (_NOT_COUNTED, here),
        (_SESSIONS, here),
        (_TASKS, {**here, "today": today(event.zone, ctx.now)}),
        (RELEASED, {"workspace": event.workspace_id}),
    )
    used = Counter({row.option_id: row.count for row in by_track})
    used.subtract({row.option_id: row.count for row in not_counted})
    standing = {row.status: row.count for row in statuses}
    live = sessions[0]
    return EventFull(
        id=event.id,
        name=event.name,
        slug=event.slug,
        starts_on=event.starts_on,
        ends_on=event.ends_on,
        zone=event.zone,
        venue=event.venue or UNSET,
        mode=event.mode,
        confirmed_by=event.confirmed_by,
        accent=event.accent or UNSET,
        contact_address=event.contact_address or UNSET,
        description=event.description or UNSET,
        released=next((one.number for one in public if one.event_id == event.id), UNSET),
        url=f"{ctx.settings.public_url}/app/{event.slug}",
        days=[
            Day(number, row.date, _wall(row.opens_minute), _wall(row.closes_minute))
            for number, row in enumerate(days, start=1)
        ],
        rooms=[RoomRow(row.id, row.name, row.capacity or UNSET) for row in rooms],
        taxonomies=_taxonomies(options),
        counts=Counts(
            submissions={status.value: standing.get(status, 0) for status in SubmissionStatus},
            tracks=[
                TrackCount(row.id, row.name, used[row.id])
                for row in options
                if row.key == "track" and row.id
            ],
            sessions=SessionCounts(live.placed, live.all - live.placed, live.pending),
            tasks=tasks[0],
        ),
        version=event.version,
    )


def _taxonomies(rows: Sequence[_OptionRow]) -> list[TaxonomyRow]:
    made: dict[str, TaxonomyRow] = {}
    options: dict[str, list[OptionRow]] = {}
    for row in rows:
        mine = options.setdefault(row.taxonomy_id, [])
        made.setdefault(row.taxonomy_id, TaxonomyRow(row.taxonomy_id, row.key, row.taxonomy, mine))
        if row.id and row.name:
            mine.append(OptionRow(row.id, row.name, row.color or UNSET, row.minutes or UNSET))
    return list(made.values())


def _wall(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
