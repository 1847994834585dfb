"""The stored score of each submission in each plan: what lists sort by, kept up to date here."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

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


@dataclass(slots=True)
class _Work:
    """What a plan has of one submission: who was asked, and the reviews that are in."""

    asked: int = 0  #: of whom a review is expected: open and done
    reviews: dict[str, list[Scored]] = field(default_factory=dict)


async def rescore(ctx: Context, plan_id: str, submission_id: str | None = None) -> None:
    """Bring the stored scores of a plan, or of one submission in it, up to date.

    Locks the score rows before it reads the reviews, so that of two reviews at once the later
    commit counts both. A plan covers a submission from the first assignment or review on.
    """
    scores = select(SubmissionScore).where(col(SubmissionScore.plan_id) == plan_id)
    if submission_id is not None:
        scores = scores.where(col(SubmissionScore.submission_id) == submission_id)
    scores = scores.order_by(col(SubmissionScore.submission_id)).with_for_update()
    found = await ctx.session.execute(scores.execution_options(populate_existing=True))
    rows = {row.submission_id: row for row in found.scalars()}
    work = await _work(ctx, plan_id, submission_id)
    for covered, one in work.items():
        row = rows.pop(covered, None)
        if row is None:
            row = SubmissionScore(plan_id=plan_id, submission_id=covered)
            ctx.session.add(row)
        total = tally(one.reviews.values())
        row.mean, row.spread, row.reviews = total.mean, total.spread, total.reviews
        row.expected = one.asked
    for gone in rows.values():
        await ctx.session.delete(gone)
    await ctx.session.flush()


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
    for covered, review, value, scale, weight in (await ctx.session.execute(given)):
        scores = work[covered].reviews.setdefault(review, [])
        if scale is not None:
            scores.append(Scored(value, scale, weight))
    return work


async def lead(ctx: Context, event_id: str) -> None:
    """Mark, for every submission of an event, the plan that lists show first.

    It is the open plan of the latest phase that covers the submission, else the last closed one.
    """
    found = await ctx.session.execute(
        select(SubmissionScore, EvaluationPlan)
        .join(EvaluationPlan, col(EvaluationPlan.id) == col(SubmissionScore.plan_id))
        .where(col(EvaluationPlan.event_id) == event_id)
        .order_by(col(SubmissionScore.submission_id))
    )
    rivals: dict[str, list[tuple[SubmissionScore, EvaluationPlan]]] = defaultdict(list)
    for row, plan in found:
        rivals[row.submission_id].append((row, plan))
    leaders = [leader for several in rivals.values() if (leader := _leader(several))]
    chosen = {id(leader) for leader in leaders}
    # One leads at a time, and the index says so: first those that stop, then those that start.
    for row, _ in (one for several in rivals.values() for one in several):
        if row.is_leading and id(row) not in chosen:
            row.is_leading = False
    await ctx.session.flush()
    for leader in leaders:
        if not leader.is_leading:
            leader.is_leading = True
    await ctx.session.flush()


def _leader(several: Iterable[tuple[SubmissionScore, EvaluationPlan]]) -> SubmissionScore | None:
    ranked = [
        ((plan.status is PlanStatus.OPEN, *_rank(plan), plan.id), row)
        for row, plan in several
        if plan.status is not PlanStatus.ARCHIVED
    ]
    return max(ranked, key=lambda one: one[0])[1] if ranked else None


def _rank(plan: EvaluationPlan) -> tuple[dt.datetime, int]:
    """Open plans by phase alone; closed ones by when they closed, then by phase."""
    closed = plan.closes_at or _NEVER
    return (_NEVER if plan.status is PlanStatus.OPEN else closed, plan.phase)
