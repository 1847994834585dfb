"""The stored score of each submission in each plan: what lists sort by, kept up to date here."""

import datetime as dt
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import and_, func, select
from sqlmodel import col

from unsession.context import Context
from unsession.domain.evaluation import AssignmentStatus, PlanStatus, ReviewStatus
from unsession.domain.scoring import Scored, tally
from unsession.models import (
    Assignment,
    Criterion,
    EvaluationPlan,
    Review,
    ReviewScore,
    SubmissionScore,
)

_NEVER = dt.datetime.min.replace(tzinfo=dt.UTC)


class PlanOf(NamedTuple):
    """A plan, as far as its scores need it."""

    id: str
    event_id: str


@dataclass(slots=True)
class _Work:
    """What a plan has of one submission: who was asked, and the reviews that are in."""

    asked: int = 0  #: of whom a review is expected: open and done
    reviews: dict[str, list[Scored]] = field(default_factory=dict)


async def rescore(ctx: Context, plan: PlanOf, submission_id: str | None = None) -> None:
    """Bring the stored scores of a plan, or of one submission in it, up to date.

    Locks the score rows before it reads the reviews, so that of two reviews at once the later
    commit counts both. A plan covers a submission from the first assignment or review on.
    """
    scores = select(SubmissionScore).where(col(SubmissionScore.plan_id) == plan.id)
    if submission_id is not None:
        scores = scores.where(col(SubmissionScore.submission_id) == submission_id)
    scores = scores.order_by(col(SubmissionScore.submission_id)).with_for_update()
    found = await ctx.session.execute(scores.execution_options(populate_existing=True))
    rows = {row.submission_id: row for row in found.scalars()}
    work = await _work(ctx, plan.id, submission_id)
    fresh = [
        _fill(SubmissionScore(plan_id=plan.id, submission_id=covered), one)
        for covered, one in work.items()
        if covered not in rows
    ]
    gone = [row for covered, row in rows.items() if covered not in work]
    if fresh or gone:
        await lead(ctx, plan.event_id, fresh=fresh, gone=gone)
    for covered, row in rows.items():
        if covered in work:
            _fill(row, work[covered])
        else:
            await ctx.session.delete(row)
    await ctx.session.flush()


def _fill(row: SubmissionScore, work: _Work) -> SubmissionScore:
    total = tally(work.reviews.values())
    row.mean, row.spread, row.reviews = total.mean, total.spread, total.reviews
    row.expected = work.asked
    return row


async def _work(ctx: Context, plan_id: str, submission_id: str | None) -> dict[str, _Work]:
    asked = select(col(Assignment.submission_id), col(Assignment.status), func.count()).where(
        col(Assignment.plan_id) == plan_id, col(Assignment.status) != AssignmentStatus.RELEASED
    )
    given = (
        select(
            col(Review.submission_id),
            col(Review.id),
            col(ReviewScore.value),
            col(Criterion.scale),
            col(Criterion.weight),
        )
        .outerjoin(ReviewScore, col(ReviewScore.review_id) == col(Review.id))
        .outerjoin(
            Criterion,
            and_(
                col(Criterion.id) == col(ReviewScore.criterion_id),
                col(Criterion.archived_at).is_(None),
            ),
        )
        .where(col(Review.plan_id) == plan_id, col(Review.status) == ReviewStatus.SUBMITTED)
        .order_by(col(Review.id), col(Criterion.position))
    )
    if submission_id is not None:
        asked = asked.where(col(Assignment.submission_id) == submission_id)
        given = given.where(col(Review.submission_id) == submission_id)
    work: dict[str, _Work] = defaultdict(_Work)
    counted = await ctx.session.execute(
        asked.group_by(col(Assignment.submission_id), col(Assignment.status))
    )
    for covered, status, number in counted:
        work[covered].asked += 0 if status is AssignmentStatus.ABSTAINED else number
    for covered, review, value, scale, weight in await ctx.session.execute(given):
        scores = work[covered].reviews.setdefault(review, [])
        if scale is not None:
            scores.append(Scored(value, scale, weight))
    return work


async def lead(
    ctx: Context,
    event_id: str,
    *,
    fresh: Sequence[SubmissionScore] = (),
    gone: Sequence[SubmissionScore] = (),
) -> None:
    """Mark, for every submission of an event, the plan that lists show first.

    It is the open plan of the latest phase that covers the submission, else the last closed one.
    ``fresh`` rows are added by this, ``gone`` ones are about to be removed. One row leads at a
    time, and an index says so: first those stop that must, then the others start. What stopped
    was touched first, so that an undo, which goes backwards, meets the index as well.
    """
    plans = {
        plan.id: plan
        for plan in await ctx.session.scalars(
            select(EvaluationPlan).where(col(EvaluationPlan.event_id) == event_id)
        )
    }
    found = await ctx.session.scalars(
        select(SubmissionScore)
        .where(col(SubmissionScore.plan_id).in_(list(plans)))
        .order_by(col(SubmissionScore.submission_id))
    )
    there = list(found)
    leaving = {id(row) for row in gone}
    rivals: dict[str, list[SubmissionScore]] = defaultdict(list)
    for row in [*there, *fresh]:
        if id(row) not in leaving:
            rivals[row.submission_id].append(row)
    leaders = [leader for several in rivals.values() if (leader := _leader(several, plans))]
    chosen = {id(leader) for leader in leaders}
    for row in there:
        if row.is_leading and id(row) not in chosen:
            row.is_leading = False
    await ctx.session.flush()
    for leader in leaders:
        if not leader.is_leading:
            leader.is_leading = True
    ctx.session.add_all(fresh)
    await ctx.session.flush()


def _leader(
    several: Sequence[SubmissionScore], plans: Mapping[str, EvaluationPlan]
) -> SubmissionScore | None:
    live = [row for row in several if plans[row.plan_id].status is not PlanStatus.ARCHIVED]
    return max(live, key=lambda row: _rank(plans[row.plan_id]), default=None)


def _rank(plan: EvaluationPlan) -> tuple[bool, dt.datetime, int, str]:
    """Open before closed; open ones by phase, closed ones by when they closed, then by phase."""
    opened = plan.status is PlanStatus.OPEN
    closed = _NEVER if opened else plan.closes_at or _NEVER
    return opened, closed, plan.phase, plan.id
