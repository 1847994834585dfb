"""Who may fetch a file: whoever may see the thing it belongs to, and nobody else."""

import msgspec
from sqlalchemy import and_, bindparam, exists, select
from sqlmodel import col

from unsession.access import Permission, Role
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.evaluation import AssignmentStatus
from unsession.domain.submissions import SubmissionStatus
from unsession.errors import NotFound
from unsession.models import Assignment, EvaluationPlan, Event, File, Speaker, Submission, Task
from unsession.services import find
from unsession.services.evaluation.masking import masked_for
from unsession.services.onboarding.files import TASK
from unsession.services.sent_files import SUBMISSION


class Download(msgspec.Struct, frozen=True):
    """What somebody may fetch."""

    filename: str
    media_type: str
    size: int
    sha256: str


class _Found(msgspec.Struct, frozen=True):
    event_id: str
    workspace_id: str
    subject_type: str
    filename: str
    media_type: str
    size: int
    sha256: str
    owed: bool
    owner: str | None
    reviewed: bool
    status: SubmissionStatus | None


_owed = exists().where(
    col(Speaker.user_id) == bindparam("user"),
    col(Speaker.event_id) == col(Task.event_id),
    find.owed_by(col(Speaker.id)),
)
#: Asked to review it where names are shown, or reviewed it there.
_reviewed = exists().where(
    col(Assignment.submission_id) == col(Submission.id),
    col(Assignment.user_id) == bindparam("user"),
    col(Assignment.status).in_([AssignmentStatus.OPEN, AssignmentStatus.DONE]),
    col(EvaluationPlan.id) == col(Assignment.plan_id),
    col(EvaluationPlan.blind).is_(False),
)
_FOUND = Prepared(
    select(
        col(Event.id),
        col(Event.workspace_id),
        col(File.subject_type),
        col(File.filename),
        col(File.media_type),
        col(File.size),
        col(File.sha256),
        _owed.correlate(Task),
        col(Submission.owner_user_id),
        _reviewed.correlate(Submission),
        col(Submission.status),
    )
    .join(Event, col(Event.id) == col(File.event_id))
    .outerjoin(Task, and_(col(File.subject_type) == TASK, col(Task.id) == col(File.subject_id)))
    .outerjoin(
        Submission,
        and_(col(File.subject_type) == SUBMISSION, col(Submission.id) == col(File.subject_id)),
    )
    .where(
        col(File.id) == bindparam("file"),
        col(Event.slug) == bindparam("slug"),
        col(File.subject_type).in_([TASK, SUBMISSION]),
        col(File.deleted_at).is_(None),
    ),
    _Found,
)


async def download(ctx: Context, slug: str, file_id: str) -> Download:
    """A file, for whoever may see what it belongs to. Refuses the rest with NotFound.

    Of a task: organisers and whoever owes it. Of a submission: organisers, unless they review it
    blind and have not yet; reviewers of a plan that shows names; the person whose it is.
    """
    rows = await ctx.all(_FOUND, file=file_id, slug=slug, user=ctx.actor.user_id or "")
    if not rows or not await _may(ctx, rows[0]):
        raise NotFound("file")
    row = rows[0]
    return Download(row.filename, row.media_type, row.size, row.sha256)


async def _reviews(ctx: Context, row: _Found) -> bool:
    """Whether the actor reviews it where names are shown, and is a reviewer still."""
    if not row.reviewed or row.status is None:
        return False
    if Role.REVIEWER not in ctx.actor.event_roles.get(row.event_id, frozenset()):
        return False
    return not (await masked_for(ctx, row.event_id)).hides(row.status).names


async def _may(ctx: Context, row: _Found) -> bool:
    if row.subject_type == TASK:
        return bool(row.owed and ctx.actor.user_id) or ctx.actor.holds(
            Permission.TASK_READ, row.workspace_id, row.event_id
        )
    if ctx.actor.user_id and (row.owner == ctx.actor.user_id or await _reviews(ctx, row)):
        return True
    if row.status is None or not ctx.actor.holds(
        Permission.SUBMISSION_READ, row.workspace_id, row.event_id
    ):
        return False
    return not (await masked_for(ctx, row.event_id)).hides(row.status).names
