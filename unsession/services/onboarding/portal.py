"""What the portal shows a signed-in person: their own in one event, and nothing else."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import and_, bindparam, exists, func, literal, or_, select
from sqlmodel import col

from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.sessions import SessionStatus
from unsession.domain.submissions import SubmissionStatus, may_move
from unsession.domain.tasks import TaskKind, TaskStatus, today
from unsession.errors import NotFound
from unsession.models import (
    Event,
    Placement,
    Room,
    Schedule,
    Session,
    SessionSpeaker,
    Speaker,
    Submission,
    Task,
)
from unsession.services import find
from unsession.services.onboarding import files
from unsession.services.onboarding.files import FileShown
from unsession.services.onboarding.own import (
    is_own_submission,
    named_with_address,
    verified_addresses,
)
from unsession.services.onboarding.task_rows import SEPARATOR


class PortalEvent(msgspec.Struct, frozen=True):
    """The event a portal belongs to, and whether something in it waits to be claimed."""

    id: str
    name: str
    slug: str
    starts_on: dt.date
    ends_on: dt.date
    zone: str
    venue: str | None
    contact: str | None
    released: bool
    claimable: bool


class OwnProfile(msgspec.Struct, frozen=True):
    """Oneself as a speaker."""

    id: str
    name: str
    bio: str
    job_title: str | None
    company: str | None
    pronouns: str | None
    version: int


class OwnSession(msgspec.Struct, frozen=True):
    """A session one is on the line-up of. The slot is the working schedule's and may move."""

    id: str
    title: str
    minutes: int
    status: SessionStatus
    confirmed_at: dt.datetime | None
    declined_at: dt.datetime | None
    decline_reason: str | None
    date: dt.date | None
    start_minute: int | None
    slot_minutes: int | None
    room: str | None
    line_up: str | None

    @property
    def others(self) -> Sequence[str]:
        """Names of everybody else on it."""
        return self.line_up.split(SEPARATOR) if self.line_up else []


class OwnSubmission(msgspec.Struct, frozen=True):
    """A submission of one's own, as its owner or as one of its speakers."""

    id: str
    number: int | None
    title: str
    status: SubmissionStatus
    submitted_at: dt.datetime | None
    withdrawable: bool  #: by this person, as far as whose it is goes
    named: bool  #: as one of its speakers

    @property
    def may_withdraw(self) -> bool:
        """Whether it can be taken back now."""
        return self.withdrawable and may_move(self.status, SubmissionStatus.WITHDRAWN)


class OwnTask(msgspec.Struct, frozen=True):
    """Something one owes, or that one's session owes."""

    id: str
    name: str
    description: str
    kind: TaskKind
    status: TaskStatus
    due_on: dt.date | None
    completed_at: dt.datetime | None
    completed_by: str | None
    session: str | None


class Portal(msgspec.Struct, frozen=True):
    """Everything of one person in one event."""

    event: PortalEvent
    today: dt.date
    profiles: Sequence[OwnProfile]
    sessions: Sequence[OwnSession]
    submissions: Sequence[OwnSubmission]
    tasks: Sequence[OwnTask]
    files: Sequence[FileShown]

    def task(self, task_id: str) -> OwnTask:
        """One of the tasks. Refuses with NotFound."""
        for task in self.tasks:
            if task.id == task_id:
                return task
        raise NotFound("task", task_id)

    def session(self, session_id: str) -> OwnSession:
        """One of the sessions. Refuses with NotFound."""
        for session in self.sessions:
            if session.id == session_id:
                return session
        raise NotFound("session", session_id)

    def submission(self, submission_id: str) -> OwnSubmission:
        """One of the submissions. Refuses with NotFound."""
        for submission in self.submissions:
            if submission.id == submission_id:
                return submission
        raise NotFound("submission", submission_id)


_user: Any = bindparam("user")
_unclaimed = or_(
    exists().where(
        col(Speaker.event_id) == col(Event.id),
        col(Speaker.user_id).is_(None),
        col(Speaker.address_folded).in_(verified_addresses(_user)),
    ),
    exists().where(
        col(Submission.event_id) == col(Event.id),
        col(Submission.owner_user_id).is_(None),
        col(Submission.owner_address_folded).in_(verified_addresses(_user)),
    ),
)
_something = or_(
    exists().where(col(Speaker.event_id) == col(Event.id), col(Speaker.user_id) == _user),
    exists().where(col(Submission.event_id) == col(Event.id), is_own_submission(_user)),
)
_EVENT = Prepared(
    select(
        col(Event.id),
        col(Event.name),
        col(Event.slug),
        col(Event.starts_on),
        col(Event.ends_on),
        col(Event.zone),
        col(Event.venue),
        col(Event.contact_address),
        col(Event.current_release_id).is_not(None),
        _unclaimed,
    ).where(col(Event.slug) == bindparam("slug"), or_(_something, _unclaimed)),
    PortalEvent,
)
_PROFILES = Prepared(
    select(
        col(Speaker.id),
        col(Speaker.name),
        col(Speaker.bio),
        col(Speaker.job_title),
        col(Speaker.company),
        col(Speaker.pronouns),
        col(Speaker.version),
    )
    .where(col(Speaker.event_id) == bindparam("event"), col(Speaker.user_id) == _user)
    .order_by(col(Speaker.number)),
    OwnProfile,
)

_other: Any = Speaker.__table__.alias("other")  # type: ignore[attr-defined]  # made by table=True
_entry: Any = SessionSpeaker.__table__.alias("entry")  # type: ignore[attr-defined]
_other_names = (
    select(_other.c.name.label("name"))
    .join(_entry, _entry.c.speaker_id == _other.c.id)
    .where(
        _entry.c.session_id == col(Session.id),
        _entry.c.declined_at.is_(None),
        _other.c.id != col(SessionSpeaker.speaker_id),
    )
    .order_by(_entry.c.position)
    .correlate(Session, SessionSpeaker)
    .subquery()
)
_OTHERS = (
    select(func.aggregate_strings(_other_names.c.name, SEPARATOR))
    .correlate(Session, SessionSpeaker)
    .scalar_subquery()
)
_SESSIONS = Prepared(
    select(
        col(Session.id),
        col(Session.title),
        col(Session.minutes),
        col(Session.status),
        col(SessionSpeaker.confirmed_at),
        col(SessionSpeaker.declined_at),
        col(SessionSpeaker.decline_reason),
        col(Placement.date),
        col(Placement.start_minute),
        col(Placement.minutes),
        col(Room.name),
        _OTHERS,
    )
    .join(SessionSpeaker, col(SessionSpeaker.session_id) == col(Session.id))
    .join(Speaker, col(Speaker.id) == col(SessionSpeaker.speaker_id))
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
    .outerjoin(Room, col(Room.id) == col(Placement.room_id))
    .where(
        col(Session.event_id) == bindparam("event"),
        col(Session.cancelled_at).is_(None),
        col(Speaker.user_id) == _user,
    )
    .order_by(col(Placement.date), col(Placement.start_minute), col(Session.title_folded)),
    OwnSession,
)
_SUBMISSIONS = Prepared(
    select(
        col(Submission.id),
        col(Submission.number),
        col(Submission.title),
        col(Submission.status),
        col(Submission.submitted_at),
        or_(
            func.coalesce(col(Submission.owner_user_id) == _user, literal(False)),
            and_(col(Submission.owner_user_id).is_(None), named_with_address(_user)),
        ),
        named_with_address(_user),
    )
    .where(col(Submission.event_id) == bindparam("event"), is_own_submission(_user))
    .order_by(col(Submission.submitted_at).desc(), col(Submission.id)),
    OwnSubmission,
)
_owes = exists().where(
    col(Speaker.user_id) == _user,
    col(Speaker.event_id) == col(Task.event_id),
    find.owed_by(col(Speaker.id)),
)
_TASKS = Prepared(
    select(
        col(Task.id),
        col(Task.name),
        col(Task.description),
        col(Task.kind),
        col(Task.status),
        col(Task.due_on),
        col(Task.completed_at),
        col(Task.completed_by),
        col(Session.title),
    )
    .outerjoin(Session, col(Session.id) == col(Task.session_id))
    .where(
        col(Task.event_id) == bindparam("event"),
        col(Task.status) != TaskStatus.CANCELLED,
        _owes.correlate(Task),
    )
    .order_by(col(Task.due_on).is_(None), col(Task.due_on), col(Task.name_folded), col(Task.id)),
    OwnTask,
)


async def portal_event(ctx: Context, slug: str) -> PortalEvent:
    """The event, if anything in it is this person's. Refuses with NotFound."""
    rows = await ctx.all(_EVENT, slug=slug, user=ctx.actor.user_id or "")
    if not rows:
        raise NotFound("page")
    return rows[0]


async def portal_of(ctx: Context, slug: str) -> Portal:
    """Everything of the actor in an event. Refuses with NotFound when there is nothing."""
    event = await portal_event(ctx, slug)
    here = {"event": event.id, "user": ctx.actor.user_id or ""}
    profiles, sessions, submissions, tasks, sent = await ctx.together(
        (_PROFILES, here),
        (_SESSIONS, here),
        (_SUBMISSIONS, here),
        (_TASKS, here),
        (files.OWN, here),
    )
    return Portal(
        event,
        today(event.zone, ctx.now),
        profiles,
        sessions,
        submissions,
        tasks,
        [files.shown(row) for row in sent],
    )
