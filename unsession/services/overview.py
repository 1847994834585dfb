"""What the frame of every organiser's page shows: events to switch to, and counts of work."""

from collections.abc import Sequence

import msgspec
from sqlalchemy import ColumnElement, and_, bindparam, func, select
from sqlmodel import col

from unsession.access import Permission
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.forms import FormStatus
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.tasks import TaskStatus
from unsession.models import (
    Activity,
    Assignment,
    Form,
    Placement,
    QueuedDecision,
    Schedule,
    Session,
    Speaker,
    Submission,
    SubmissionScore,
    Task,
)
from unsession.services import find


class WorkCounts(msgspec.Struct, frozen=True):
    """How much of each kind an event has."""

    submissions: int
    queued: int
    speakers: int
    open_tasks: int
    sessions: int
    unplaced: int
    my_reviews: int


def _count(model: type, *conditions: ColumnElement[bool]) -> ColumnElement[int]:
    return select(func.count()).select_from(model).where(*conditions).scalar_subquery()


_COUNTS = Prepared(
    select(
        _count(
            Submission,
            col(Submission.event_id) == bindparam("event"),
            col(Submission.status) != SubmissionStatus.DRAFT,
        ),
        _count(QueuedDecision, col(QueuedDecision.event_id) == bindparam("event")),
        _count(Speaker, col(Speaker.event_id) == bindparam("event")),
        _count(Task, col(Task.event_id) == bindparam("event"), col(Task.status) == TaskStatus.OPEN),
        _count(
            Session,
            col(Session.event_id) == bindparam("event"),
            col(Session.cancelled_at).is_(None),
        ),
        _count(
            Session,
            col(Session.event_id) == bindparam("event"),
            col(Session.cancelled_at).is_(None),
            col(Session.id).not_in(
                select(col(Placement.session_id)).join(
                    Schedule,
                    and_(
                        col(Schedule.id) == col(Placement.schedule_id),
                        col(Schedule.is_working),
                        col(Schedule.event_id) == bindparam("event"),
                    ),
                )
            ),
        ),
        select(func.count())
        .select_from(Assignment)
        .join(Submission, col(Submission.id) == col(Assignment.submission_id))
        .where(
            col(Submission.event_id) == bindparam("event"),
            col(Assignment.user_id) == bindparam("user"),
            col(Assignment.status) == "open",
            col(Submission.status) == SubmissionStatus.IN_REVIEW,
        )
        .scalar_subquery(),
    ),
    WorkCounts,
)


async def work_counts(ctx: Context, event_id: str) -> WorkCounts:
    """The counts beside the navigation, for one event and the person who looks."""
    rows = await ctx.all(_COUNTS, event=event_id, user=ctx.actor.user_id or "")
    return rows[0]


class LateCounts(msgspec.Struct, frozen=True):
    """What waits longer than it should, and whether anything can come in."""

    tasks: int
    unreviewed: int
    forms: int


_LATE = Prepared(
    select(
        _count(
            Task,
            col(Task.event_id) == bindparam("event"),
            col(Task.status) == TaskStatus.OPEN,
            col(Task.due_on) < bindparam("today"),
        ),
        select(func.count())
        .select_from(SubmissionScore)
        .join(Submission, col(Submission.id) == col(SubmissionScore.submission_id))
        .where(
            col(Submission.event_id) == bindparam("event"),
            col(Submission.status) == SubmissionStatus.IN_REVIEW,
            col(SubmissionScore.is_leading),
            col(SubmissionScore.reviews) == 0,
        )
        .scalar_subquery(),
        _count(Form, col(Form.event_id) == bindparam("event"), col(Form.status) == FormStatus.OPEN),
    ),
    LateCounts,
)


async def late_counts(ctx: Context, event_id: str) -> LateCounts:
    """What an organiser should look at first. Today is today in UTC: a day more or less is fine."""
    return (await ctx.all(_LATE, event=event_id, today=ctx.now.date()))[0]


async def events_of(ctx: Context) -> Sequence[find.FoundEvent]:
    """The events an actor reaches, the latest first."""
    found: dict[str, find.FoundEvent] = {}
    for reach in ctx.actor.places():
        if reach.event_id is not None:
            rows = await ctx.all(find.EVENT_BY_REF, ref=reach.event_id, folded=reach.event_id)
        else:
            rows = await ctx.all(find.EVENTS_OF_WORKSPACE, workspace=reach.workspace_id)
        found.update({row.id: row for row in rows})
    return sorted(found.values(), key=lambda row: (row.starts_on, row.id), reverse=True)


class DoneEntry(msgspec.Struct, frozen=True):
    """An activity entry somebody just left."""

    id: str
    operation: str
    content: str | None


class _Summary(msgspec.Struct, frozen=True):
    summary: str = ""


_DONE = Prepared(
    select(col(Activity.id), col(Activity.operation), col(Activity.content)).where(
        col(Activity.id) == bindparam("activity"), col(Activity.actor_id) == bindparam("actor")
    ),
    DoneEntry,
)


async def just_done(ctx: Context, activity_id: str) -> tuple[str, str] | None:
    """(operation, summary) of one's own entry, for the toast of the next page."""
    rows = await ctx.all(
        _DONE, activity=activity_id, actor=f"{ctx.actor.kind.value}:{ctx.actor.id}"
    )
    if not rows:
        return None
    content = msgspec.json.decode(rows[0].content or "{}", type=_Summary)
    return rows[0].operation, content.summary


def may_organize(ctx: Context, event: find.FoundEvent) -> bool:
    """Whether organisers' pages of an event are this actor's."""
    return ctx.actor.holds(Permission.EVENT_READ, event.workspace_id, event.id)
