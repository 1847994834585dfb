"""A job from inside: begun by a write, taken further by the operation that does one piece."""

from typing import Any

from sqlalchemy import select, update
from sqlmodel import col

from unsession.context import Context
from unsession.domain.jobs import JobStatus
from unsession.errors import Conflict, NotFound
from unsession.models import Job


def begin(
    ctx: Context,
    *,
    operation: str,
    title: str,
    total: int,
    payload: dict[str, Any],
    workspace_id: str,
    event_id: str | None,
) -> Job:
    """A job that starts after the commit. ``operation`` does one piece: it takes ``{job}`` alone.

    ``total`` counts what has to be done, in the unit ``advance`` counts in. Effects: a job. The
    entry of this write becomes the parent of every piece's entry, and undoing it takes them back.
    """
    job = Job(
        workspace_id=workspace_id,
        event_id=event_id,
        operation=operation,
        title=title,
        payload=payload,
        actor_kind=ctx.actor.kind,
        actor_id=ctx.actor.id,
        actor_name=ctx.actor.name,
        batch_id=ctx.writing.activity_id,
        total=total,
        due_at=ctx.now,
        status=JobStatus.QUEUED if total else JobStatus.DONE,
    )
    ctx.session.add(job)
    return job


async def current(ctx: Context, job_id: str, operation: str) -> Job:
    """The running job an operation does a piece of, locked; what it writes belongs to its batch.

    Only whoever began it may do a piece, so no door gets here but by the worker. Refuses with
    not_found, and with conflict when it is over.
    """
    found = await ctx.session.execute(select(Job).where(col(Job.id) == job_id).with_for_update())
    job = found.scalar_one_or_none()
    if job is None or (job.operation, job.actor_kind, job.actor_id) != (
        operation,
        ctx.actor.kind,
        ctx.actor.id,
    ):
        raise NotFound("job", job_id)
    if job.status is not JobStatus.RUNNING:
        raise Conflict(f"This job is {job.status.value}.", status=job.status.value)
    ctx.writing.batch_id = job.batch_id
    return job


async def advance(ctx: Context, job: Job, *, done: int, result: dict[str, Any]) -> None:
    """Say how far a job is, in the transaction of the piece that got it there.

    By statement: progress is no change anybody would look for in the log. ``result`` is kept as a
    whole and shown with the job; ``done`` equal to the total ends it.
    """
    over = done >= job.total
    await ctx.session.execute(
        update(Job)
        .where(col(Job.id) == job.id)
        .values(
            done=min(done, job.total),
            result=result,
            attempts=0,
            status=JobStatus.DONE if over else JobStatus.QUEUED,
            due_at=ctx.now,
            lease_until=None,
            last_error=None,
            updated_at=ctx.now,
            version=Job.version + 1,
        )
        .execution_options(synchronize_session=False)
    )
