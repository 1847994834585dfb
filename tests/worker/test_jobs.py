"""Long writes: piece by piece, as whoever began them, over crashes, with one way back."""

import datetime as dt
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from sqlalchemy import delete, select, update
from sqlmodel import col

from tests.conftest import Call
from tests.world import DECLINED, DEVCONF, IN_REVIEW, NORTH, TRIO, World
from unsession.access import Actor
from unsession.catalogue import OPERATIONS, Input
from unsession.context import Context
from unsession.db.engine import Database
from unsession.db.types import utc_now
from unsession.domain.jobs import MOST_ATTEMPTS, JobStatus
from unsession.errors import Conflict, Forbidden, NotFound
from unsession.models import Activity, Job, Membership, Submission
from unsession.services import jobs
from unsession.services.jobs import claiming
from unsession.settings import Settings
from unsession.worker.jobs import Jobs

RENAMED = (IN_REVIEW, TRIO, DECLINED, IN_REVIEW)
RAVI = "usr_ravi"
_JOB: Any = Job.__table__  # type: ignore[attr-defined]  # a table's class


class Nothing(Input):
    """No argument."""


class OfJob(Input):
    """Which job."""

    job: str


class Begun(msgspec.Struct, frozen=True):
    """The job."""

    id: str


async def rename_many(ctx: Context, args: Nothing) -> Begun:
    job = jobs.begin(
        ctx,
        operation="rename_piece",
        title="Submissions renamed",
        total=len(RENAMED),
        payload={"ids": RENAMED},
        workspace_id=NORTH,
        event_id=DEVCONF,
    )
    ctx.writing.about(job, "Renaming begun", workspace_id=NORTH, event_id=DEVCONF)
    return Begun(job.id)


async def rename_piece(ctx: Context, args: OfJob) -> Begun:
    job = await jobs.current(ctx, args.job, "rename_piece")
    row = await ctx.session.get_one(Submission, job.payload["ids"][job.done])
    row.title = f"{row.title} {job.done + 1}"
    await jobs.advance(ctx, job, done=job.done + 1, result={"renamed": job.done + 1})
    ctx.writing.about(row, "Renamed", workspace_id=NORTH, event_id=DEVCONF)
    return Begun(job.id)


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two operations for this file alone."""
    like = OPERATIONS["update_submission"]
    for verb, takes in ((rename_many, Nothing), (rename_piece, OfJob)):
        name = verb.__name__
        operation: Any = replace(like, name=name, function=verb, input=takes, route=None)
        monkeypatch.setitem(OPERATIONS, name, operation)


@pytest.fixture
def worker(db: Database, settings: Settings) -> Jobs:
    return Jobs(db, settings)


async def titles(db: Database) -> dict[str, str]:
    """The titles by id."""
    rows = await db.rows(select(col(Submission.id), col(Submission.title)))
    return {row.id: row.title for row in rows}


async def started(call: Call, actor: Actor) -> str:
    """A job that waits for its first piece."""
    outcome = await call("rename_many", actor)
    return str(outcome.result.id)


async def job_of(db: Database, job_id: str) -> Any:
    """The row as it stands."""
    (row,) = await db.rows(select(*_JOB.columns).where(col(Job.id) == job_id))
    return row


async def test_each_piece_is_a_write_of_its_own_and_belongs_to_what_began_it(
    call: Call, db: Database, world: World, worker: Jobs
) -> None:
    before = await titles(db)
    begun = await call("rename_many", world.owner)
    job_id = begun.result.id

    assert await worker.step()
    half = await call("get_job", world.owner, job=job_id)
    assert (half.result.status, half.result.done, half.result.total) == (JobStatus.QUEUED, 1, 4)
    while await worker.step():
        pass

    over = (await call("get_job", world.owner, job=job_id)).result
    assert (over.status, over.done, over.result) == (JobStatus.DONE, 4, {"renamed": 4})
    assert (await titles(db))[IN_REVIEW] == f"{before[IN_REVIEW]} 1 4"
    entries = await db.rows(
        select(col(Activity.batch_id), col(Activity.actor_name), col(Activity.operation))
        .where(col(Activity.operation).in_(["rename_many", "rename_piece"]))
        .order_by(col(Activity.number))
    )
    assert [tuple(entry) for entry in entries] == [
        (None, world.owner.name, "rename_many"),
        *[(begun.activity_id, world.owner.name, "rename_piece")] * 4,
    ]


async def test_undoing_what_began_it_takes_every_piece_back(
    call: Call, db: Database, world: World, worker: Jobs
) -> None:
    before = await titles(db)
    begun = await call("rename_many", world.owner)
    for _ in range(4):
        await worker.step()

    await call("undo", world.owner, activity=begun.activity_id)

    assert await titles(db) == before
    with pytest.raises(NotFound):
        await call("get_job", world.owner, job=begun.result.id)


async def test_undoing_half_way_ends_it(
    call: Call, db: Database, world: World, worker: Jobs
) -> None:
    before = await titles(db)
    begun = await call("rename_many", world.owner)
    await worker.step()

    await call("undo", world.owner, activity=begun.activity_id)

    assert not await worker.step()
    assert await titles(db) == before


async def test_what_somebody_changed_since_is_in_the_way_of_the_undo(
    call: Call, db: Database, world: World, worker: Jobs
) -> None:
    begun = await call("rename_many", world.owner)
    for _ in range(4):
        await worker.step()
    await call("update_submission", world.owner, submission=TRIO, title="Mine now")
    between = await titles(db)

    with pytest.raises(Conflict, match="changed since"):
        await call("undo", world.owner, activity=begun.activity_id)

    assert await titles(db) == between


async def test_a_worker_that_died_in_a_piece_leaves_it_to_the_next(
    call: Call, db: Database, world: World, worker: Jobs
) -> None:
    job_id = await started(call, world.owner)
    taken = await claiming.claim(db, utc_now(), dt.timedelta(minutes=2))
    assert taken is not None
    assert not await worker.step()  # it is another one's for two minutes

    async with db.write() as session:
        past = utc_now() - dt.timedelta(seconds=1)
        await session.execute(update(Job).where(col(Job.id) == job_id).values(lease_until=past))
    while await worker.step():
        pass

    assert (await job_of(db, job_id)).status == JobStatus.DONE
    assert (await titles(db))[TRIO].endswith(" 2")


async def test_a_failed_piece_changes_nothing_and_is_tried_again_a_few_times(
    call: Call, db: Database, world: World, worker: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await titles(db)
    job_id = await started(call, world.owner)

    async def fails(ctx: Context, args: OfJob) -> Begun:
        await rename_piece(ctx, args)
        raise ZeroDivisionError

    broken: Any = replace(OPERATIONS["rename_piece"], function=fails)
    monkeypatch.setitem(OPERATIONS, "rename_piece", broken)
    for attempt in range(1, MOST_ATTEMPTS + 1):
        assert await worker.step(), attempt
        async with db.write() as session:
            await session.execute(update(Job).values(due_at=utc_now() - dt.timedelta(seconds=1)))

    row = await job_of(db, job_id)
    assert (row.status, row.done) == (JobStatus.FAILED, 0)
    assert row.last_error == "Something failed on our side: ZeroDivisionError."
    assert not await worker.step()
    assert await titles(db) == before


async def test_a_refusal_ends_it_with_its_sentence(
    call: Call, db: Database, world: World, worker: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = await started(call, world.owner)

    async def refuses(ctx: Context, args: OfJob) -> Begun:
        raise Conflict("The form is gone.")

    refusing: Any = replace(OPERATIONS["rename_piece"], function=refuses)
    monkeypatch.setitem(OPERATIONS, "rename_piece", refusing)
    await worker.step()

    row = await job_of(db, job_id)
    assert (row.status, row.last_error) == (JobStatus.FAILED, "The form is gone.")


async def test_whoever_has_left_goes_no_further(
    call: Call, db: Database, world: World, worker: Jobs
) -> None:
    job_id = await started(call, world.organizer)
    await worker.step()
    async with db.write() as session:
        await session.execute(delete(Membership).where(col(Membership.user_id) == RAVI))
    await worker.step()

    row = await job_of(db, job_id)
    assert (row.status, row.done) == (JobStatus.FAILED, 1)


async def test_cancelling_stops_before_the_next_piece_and_is_recorded(
    call: Call, db: Database, world: World, worker: Jobs
) -> None:
    job_id = await started(call, world.owner)
    await worker.step()

    stopped = await call("cancel_job", world.owner, job=job_id)
    again = await call("cancel_job", world.owner, job=job_id)

    assert (stopped.result.status, stopped.result.done) == (JobStatus.CANCELLED, 1)
    assert again.activity_id is None
    assert not await worker.step()
    (entry,) = await db.rows(
        select(col(Activity.content)).where(col(Activity.operation) == "cancel_job")
    )
    assert "Submissions renamed: cancelled after 1 of 4" in entry.content


async def test_what_is_over_cannot_be_cancelled(call: Call, world: World, worker: Jobs) -> None:
    job_id = await started(call, world.owner)
    for _ in range(4):
        await worker.step()

    with pytest.raises(Conflict, match="done already"):
        await call("cancel_job", world.owner, job=job_id)


async def test_others_do_not_see_it_and_only_whoever_may_write_stops_it(
    call: Call, world: World
) -> None:
    job_id = await started(call, world.owner)

    for name in ("get_job", "cancel_job"):
        with pytest.raises(NotFound):
            await call(name, world.stranger, job=job_id)
        with pytest.raises(NotFound):
            await call(name, world.owner, job="job_none")
    with pytest.raises(Forbidden):
        await call("cancel_job", world.reader, job=job_id)


async def test_a_piece_is_done_only_by_whoever_began_it(
    call: Call, db: Database, world: World
) -> None:
    job_id = await started(call, world.owner)
    await claiming.claim(db, utc_now(), dt.timedelta(minutes=2))

    with pytest.raises(NotFound):
        await call("rename_piece", world.organizer, job=job_id)
