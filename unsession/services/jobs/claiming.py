"""The queue of jobs: claimed under a lease, put back, given up. No activity: the pieces have it."""

import datetime as dt
from typing import Any

import msgspec
from sqlalchemy import bindparam, func, or_, select, update
from sqlmodel import col

from unsession.access import ActorKind
from unsession.db.engine import Database
from unsession.db.prepared import Prepared
from unsession.domain.jobs import JobStatus
from unsession.models import Job


class Claimed(msgspec.Struct, frozen=True):
    """A job to take one piece further. ``attempt`` counts tries without a step forward."""

    id: str
    operation: str
    actor_kind: ActorKind
    actor_id: str
    attempt: int


class _Due(msgspec.Struct, frozen=True):
    waiting: int


_due = or_(
    (col(Job.status) == JobStatus.QUEUED) & (col(Job.due_at) <= bindparam("now")),
    (col(Job.status) == JobStatus.RUNNING) & (col(Job.lease_until) <= bindparam("now")),
)
_ANY = Prepared(
    select(func.count()).select_from(select(col(Job.id)).where(_due).limit(1).subquery()), _Due
)


async def anything_due(db: Database, now: dt.datetime) -> bool:
    """Whether there is a job to claim: a read, so that an idle worker never takes the writer."""
    return (await db.all(_ANY, now=now))[0].waiting > 0


async def claim(db: Database, now: dt.datetime, lease: dt.timedelta) -> Claimed | None:
    """Take the job that waits longest, for as long as the lease. Commits."""
    wanted = (
        select(
            col(Job.id),
            col(Job.operation),
            col(Job.actor_kind),
            col(Job.actor_id),
            col(Job.attempts),
        )
        .where(_due)
        .order_by(col(Job.due_at), col(Job.id))
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    async with db.write() as session:
        row = (await session.execute(wanted, {"now": now})).one_or_none()
        if row is None:
            return None
        await session.execute(
            update(Job)
            .where(col(Job.id) == row[0])
            .values(
                status=JobStatus.RUNNING,
                lease_until=now + lease,
                attempts=Job.attempts + 1,
                version=Job.version + 1,
                updated_at=now,
            )
        )
    return Claimed(*row[:4], row[4] + 1)


async def put_back(
    db: Database, job: Claimed, now: dt.datetime, due: dt.datetime, why: str
) -> None:
    """A piece failed and may go better later."""
    await _mark(db, job, now, status=JobStatus.QUEUED, due_at=due, last_error=why[:500])


async def give_up(db: Database, job: Claimed, now: dt.datetime, why: str) -> None:
    """A piece failed for good: what the earlier ones did stays, and can be undone."""
    await _mark(db, job, now, status=JobStatus.FAILED, last_error=why[:500])


async def _mark(db: Database, job: Claimed, now: dt.datetime, **values: Any) -> None:
    """Mark what this claim still holds; a job that went on or was cancelled is left alone."""
    async with db.write() as session:
        await session.execute(
            update(Job)
            .where(
                col(Job.id) == job.id,
                col(Job.status) == JobStatus.RUNNING,
                col(Job.attempts) == job.attempt,
            )
            .values(lease_until=None, version=Job.version + 1, updated_at=now, **values)
        )
