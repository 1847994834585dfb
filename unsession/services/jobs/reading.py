"""How a job stands, for whoever may do what it does; and a way to stop it."""

import datetime as dt
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import bindparam, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import OPERATIONS, Input, delete, get, operation
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.jobs import ALIVE, JobStatus
from unsession.errors import Conflict, NotFound
from unsession.models import Event, Job

Ref = Annotated[str, Meta(min_length=1, max_length=60, description="Job: id.")]


class GetJob(Input):
    """Which job."""

    job: Ref


class JobShown(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """A job: how much of how much is done, and what came of it so far."""

    id: str
    title: str
    status: JobStatus
    done: int
    total: int
    started_at: dt.datetime
    activity_id: str
    by: str
    event: str | UnsetType = UNSET
    error: str | UnsetType = UNSET
    result: dict[str, Any] | UnsetType = UNSET


class _Row(msgspec.Struct, frozen=True):
    id: str
    title: str
    status: JobStatus
    done: int
    total: int
    started_at: dt.datetime
    activity_id: str
    by: str
    event: str | None
    error: str | None
    result: dict[str, Any]
    operation: str
    workspace_id: str
    event_id: str | None


_ONE = Prepared(
    select(
        col(Job.id),
        col(Job.title),
        col(Job.status),
        col(Job.done),
        col(Job.total),
        col(Job.created_at),
        col(Job.batch_id),
        col(Job.actor_name),
        col(Event.slug),
        col(Job.last_error),
        col(Job.result),
        col(Job.operation),
        col(Job.workspace_id),
        col(Job.event_id),
    )
    .outerjoin(Event, col(Event.id) == col(Job.event_id))
    .where(col(Job.id) == bindparam("id")),
    _Row,
)


@operation(title="Get a job", rest=get("/jobs/{job}"), needs=Permission.SELF_READ)
async def get_job(ctx: Context, args: GetJob) -> JobShown:
    """Say how far a long write is: done of total, its status, its result when it is over.

    Shown to whoever may do what it does. Ask again after a second or two. Refuses with: not_found.
    """
    row = await _found(ctx, args.job)
    return JobShown(
        id=row.id,
        title=row.title,
        status=row.status,
        done=row.done,
        total=row.total,
        started_at=row.started_at,
        activity_id=row.activity_id,
        by=row.by,
        event=row.event or UNSET,
        error=row.error or UNSET,
        result=row.result or UNSET,
    )


async def _found(ctx: Context, job_id: str) -> _Row:
    rows = await ctx.all(_ONE, id=job_id)
    known = rows[0] if rows else None
    doing = OPERATIONS.get(known.operation) if known else None
    if known is None or doing is None:
        raise NotFound("job", job_id)
    ctx.actor.require(doing.needs, known.workspace_id, known.event_id, NotFound("job", job_id))
    return known


class CancelJob(Input):
    """Which job."""

    job: Ref


class Cancelled(msgspec.Struct, frozen=True):
    """How it stands now."""

    id: str
    status: JobStatus
    done: int
    total: int


@operation(title="Cancel a job", rest=delete("/jobs/{job}"), needs=Permission.SELF_WRITE)
async def cancel_job(ctx: Context, args: CancelJob) -> Cancelled:
    """Stop a long write before its next piece; what is done stays, and undo takes it back.

    Cancelling again changes nothing. Refuses with: not_found, conflict (it is over already).
    """
    row = await _found(ctx, args.job)
    found = await ctx.session.execute(select(Job).where(col(Job.id) == row.id).with_for_update())
    job = found.scalar_one_or_none()
    if job is None:
        raise NotFound("job", args.job)
    if job.status in ALIVE:
        job.status = JobStatus.CANCELLED
        job.lease_until = None
        ctx.writing.about(
            job,
            f"{job.title}: cancelled after {job.done} of {job.total}",
            workspace_id=job.workspace_id,
            event_id=job.event_id,
        )
    elif job.status is not JobStatus.CANCELLED:
        raise Conflict(f"This job is {job.status.value} already.", status=job.status.value)
    return Cancelled(job.id, job.status, job.done, job.total)
