"""A reviewer's own work: what is asked of them, their reviews, and abstaining."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, operation, post, put
from unsession.context import Context
from unsession.domain.evaluation import AssignmentStatus, PlanStatus, ReviewStatus
from unsession.domain.moments import in_words
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.text import fold
from unsession.errors import Conflict, Invalid, Problem
from unsession.models import (
    Assignment,
    Criterion,
    Review,
    ReviewScore,
    Submission,
    SubmissionScore,
)
from unsession.services import find
from unsession.services.evaluation.standing import PlanOf, rescore
from unsession.services.refs import EventOf, PlanRef, SubmissionRef, Version


class ScoreGiven(Input):
    """A score for one criterion."""

    criterion: Annotated[
        str, Meta(min_length=1, max_length=80, description="Criterion: id or exact name.")
    ]
    value: Annotated[int, Meta(ge=1, le=10, description="From 1 to the criterion's scale.")]


class SubmitReview(Input):
    """One's review of one submission."""

    submission: SubmissionRef
    scores: Annotated[
        Sequence[ScoreGiven],
        Meta(max_length=20, description="One for each criterion; optional ones may be left out."),
    ]
    event: EventOf | UnsetType = UNSET
    plan: PlanRef | UnsetType = UNSET
    note: (
        Annotated[
            str,
            Meta(max_length=5000, description="For the organisers; left out: stays as it is."),
        ]
        | UnsetType
    ) = UNSET
    version: Version | UnsetType = UNSET


class ReviewGiven(msgspec.Struct, frozen=True, omit_defaults=True):
    """A review as it stands."""

    submission: str
    plan: str
    state: AssignmentStatus
    version: int
    number: int | UnsetType = UNSET


@operation(
    title="Submit a review",
    rest=put("/submissions/{submission}/review"),
    needs=Permission.REVIEW_GIVE,
    idempotent=True,
    destructive=False,
)
async def submit_review(ctx: Context, args: SubmitReview) -> ReviewGiven:
    """Give your scores for a submission that is assigned to you, or change them.

    Every required criterion of the plan needs a score from 1 to its scale; criteria are named by
    id, as my_reviews lists them. Until the plan closes a review can be changed, also one you
    abstained from. What is not assigned to you does not exist here.

    Refuses with: not_found, forbidden, invalid, conflict (the plan takes no reviews), stale.
    """
    place, assignment, review = await _mine(ctx, args.submission, args.event, args.plan)
    if review is not None:
        ctx.expect(review, args.version)
    scores = await _checked(ctx, place.plan_id, args.scores)
    await _lock_standing(ctx, place)
    if review is None:
        review = _blank(ctx, place)
    review.status = ReviewStatus.SUBMITTED
    if args.note is not UNSET:
        review.note = args.note.strip()
    await ctx.session.flush()
    changed = await _score(ctx, review, scores)
    if changed or review.submitted_at is None:
        review.submitted_at = ctx.now
    assignment.status = AssignmentStatus.DONE
    await ctx.session.flush()
    await rescore(ctx, PlanOf(place.plan_id, place.event_id), place.submission_id)
    _about(ctx, place, review, "given")
    return _given(place, assignment, review)


class Abstain(Input):
    """Which submission one would rather not review."""

    submission: SubmissionRef
    event: EventOf | UnsetType = UNSET
    plan: PlanRef | UnsetType = UNSET
    reason: (
        Annotated[
            str, Meta(max_length=1000, description="For the organisers, such as: I know who it is.")
        ]
        | UnsetType
    ) = UNSET
    version: Version | UnsetType = UNSET


@operation(
    title="Abstain from a review",
    rest=post("/submissions/{submission}/abstention"),
    needs=Permission.REVIEW_GIVE,
    idempotent=True,
)
async def abstain(ctx: Context, args: Abstain) -> ReviewGiven:
    """Say that you will not review a submission that is assigned to you.

    Scores you gave are dropped; an abstention changes no mean and counts as answered. You can
    still submit a review while the plan is open.

    Refuses with: not_found, forbidden, conflict (the plan takes no reviews), stale.
    """
    place, assignment, review = await _mine(ctx, args.submission, args.event, args.plan)
    if review is not None:
        ctx.expect(review, args.version)
    await _lock_standing(ctx, place)
    if review is None:
        review = _blank(ctx, place)
    review.status, review.submitted_at = ReviewStatus.ABSTAINED, None
    if args.reason is not UNSET:
        review.note = args.reason.strip()
    await ctx.session.flush()
    await _score(ctx, review, {})
    assignment.status = AssignmentStatus.ABSTAINED
    await ctx.session.flush()
    await rescore(ctx, PlanOf(place.plan_id, place.event_id), place.submission_id)
    _about(ctx, place, review, "abstained from")
    return _given(place, assignment, review)


async def _mine(
    ctx: Context,
    submission: str,
    event: str | UnsetType,
    plan: str | UnsetType,
) -> tuple[find.Assigned, Assignment, Review | None]:
    """One's own assignment and review, locked. Refuses when the plan takes no reviews."""
    place = await find.assigned(ctx, submission, event or None, plan or None)
    _require_open(ctx, place)
    held = await ctx.session.execute(
        select(Assignment, col(Submission.status))
        .join(Submission, col(Submission.id) == col(Assignment.submission_id))
        .where(col(Assignment.id) == place.id)
        .with_for_update(of=Assignment)
    )
    assignment, status = held.one()
    if status is SubmissionStatus.WITHDRAWN:
        raise Conflict(f"SUB-{place.number} is withdrawn; it needs no review any more.")
    found = await ctx.session.execute(
        select(Review)
        .where(
            col(Review.plan_id) == place.plan_id,
            col(Review.submission_id) == place.submission_id,
            col(Review.user_id) == assignment.user_id,
        )
        .with_for_update()
    )
    return place, assignment, found.scalar_one_or_none()


def _require_open(ctx: Context, place: find.Assigned) -> None:
    if place.plan_status is not PlanStatus.OPEN or (
        place.closes_at is not None and place.closes_at <= ctx.now
    ):
        when = f" since {in_words(place.closes_at, place.zone)}" if place.closes_at else ""
        raise Conflict(f"“{place.plan_name}” takes no more reviews{when}.")
    if place.opens_at is not None and place.opens_at > ctx.now:
        raise Conflict(
            f"“{place.plan_name}” takes reviews from {in_words(place.opens_at, place.zone)}."
        )


async def _checked(ctx: Context, plan_id: str, given: Sequence[ScoreGiven]) -> dict[str, int]:
    """Scores by criterion id. Refuses with Invalid, all problems at once.

    A criterion that has left the plan is a problem, never a shift to another one.
    """
    found = await ctx.session.execute(
        select(Criterion)
        .where(col(Criterion.plan_id) == plan_id, col(Criterion.archived_at).is_(None))
        .order_by(col(Criterion.position))
    )
    there = {row.id: row for row in found.scalars()}
    named = {fold(row.name): row.id for row in there.values()}
    scores: dict[str, int] = {}
    problems = []
    for position, one in enumerate(given):
        where = f"/scores/{position}"
        row = there.get(one.criterion) or there.get(named.get(fold(one.criterion), ""))
        if row is None:
            sentence = "is no criterion of this plan; read it again"
            problems.append(Problem(f"{where}/criterion", sentence, got=one.criterion))
        elif row.id in scores:
            problems.append(Problem(f"{where}/criterion", "is given twice", got=one.criterion))
        elif one.value > row.scale:
            sentence = f"must be from 1 to {row.scale} for “{row.name}”"
            problems.append(Problem(f"{where}/value", sentence, got=str(one.value)))
        else:
            scores[row.id] = one.value
    problems += [
        Problem("/scores", f"“{row.name}” ({row.id}) needs a score from 1 to {row.scale}")
        for row in there.values()
        if row.required and row.id not in scores
    ]
    if problems:
        raise Invalid(problems, next_call="my_reviews")
    return scores


async def _lock_standing(ctx: Context, place: find.Assigned) -> None:
    """Two reviews of one submission at once take turns, so that the score counts both."""
    await ctx.session.execute(
        select(SubmissionScore)
        .where(
            col(SubmissionScore.plan_id) == place.plan_id,
            col(SubmissionScore.submission_id) == place.submission_id,
        )
        .with_for_update()
    )


def _blank(ctx: Context, place: find.Assigned) -> Review:
    review = Review(
        plan_id=place.plan_id,
        submission_id=place.submission_id,
        user_id=ctx.actor.user_id or "",
        status=ReviewStatus.DRAFT,
    )
    ctx.session.add(review)
    return review


async def _score(ctx: Context, review: Review, scores: dict[str, int]) -> bool:
    """Make these the review's scores; says whether any differs.

    Scores of criteria that have left the plan stay as they are: they count no more.
    """
    found = await ctx.session.execute(
        select(ReviewScore)
        .join(Criterion, col(Criterion.id) == col(ReviewScore.criterion_id))
        .where(col(ReviewScore.review_id) == review.id, col(Criterion.archived_at).is_(None))
    )
    there = {row.criterion_id: row for row in found.scalars()}
    changed = {one: row.value for one, row in there.items()} != scores
    for criterion, value in scores.items():
        if criterion in there:
            there[criterion].value = value
        else:
            ctx.session.add(ReviewScore(review_id=review.id, criterion_id=criterion, value=value))
    for criterion, row in there.items():
        if criterion not in scores:
            await ctx.session.delete(row)
    return changed


def _about(ctx: Context, place: find.Assigned, review: Review, what: str) -> None:
    ctx.writing.about(
        review,
        f"Review of SUB-{place.number} in “{place.plan_name}” {what}",
        workspace_id=place.workspace_id,
        event_id=place.event_id,
    )


def _given(place: find.Assigned, assignment: Assignment, review: Review) -> ReviewGiven:
    return ReviewGiven(
        submission=place.submission_id,
        plan=place.plan_id,
        state=assignment.status,
        version=review.version,
        number=place.number or UNSET,
    )
