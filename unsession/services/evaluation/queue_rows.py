"""The statements behind a reviewer's queue.

Names, addresses, companies and biographies of a blind plan's submissions are not filtered out
afterwards: these statements never ask the database for them.
"""

import datetime as dt
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, String, and_, bindparam, case, cast, func, or_, select, tuple_
from sqlmodel import col

from unsession.db.prepared import AnySelect, Filtered, Prepared
from unsession.domain.evaluation import AssignmentStatus, PlanStatus, ReviewStatus
from unsession.domain.submissions import SubmissionStatus
from unsession.models import (
    Assignment,
    EvaluationPlan,
    FormVersion,
    Review,
    ReviewScore,
    Submission,
    SubmissionOption,
    SubmissionScore,
    SubmissionSpeaker,
)
from unsession.services import listing


class QueueRow(msgspec.Struct, frozen=True):
    """An assignment with its submission and one's own review of it."""

    submission_id: str
    plan_id: str
    state: AssignmentStatus
    number: int
    title: str
    abstract: str
    options: str | None
    blind: bool
    answers: dict[str, Any]
    fields: list[dict[str, Any]]
    speakers: str | None
    note: str | None
    submitted_at: dt.datetime | None
    version: int | None
    scores: str | None
    others: int | None
    mean: float | None
    spread: float | None
    total: int


def listed() -> tuple[ColumnElement[bool], ...]:
    """What stands in a queue: asked of this person, and not pointless by now."""
    return (
        col(Assignment.user_id) == bindparam("user"),
        col(Submission.event_id) == bindparam("event"),
        col(Assignment.status) != AssignmentStatus.RELEASED,
        col(EvaluationPlan.status) != PlanStatus.ARCHIVED,
        col(Submission.status) != SubmissionStatus.WITHDRAWN,
        or_(
            col(Assignment.status) != AssignmentStatus.OPEN,
            and_(
                col(Submission.status) == SubmissionStatus.IN_REVIEW,
                col(EvaluationPlan.status) == PlanStatus.OPEN,
            ),
        ),
    )


_names = (
    select(col(SubmissionSpeaker.name).label("name"))
    .where(col(SubmissionSpeaker.submission_id) == col(Submission.id))
    .order_by(col(SubmissionSpeaker.position))
    .correlate(Submission)
    .subquery()
)
_SPEAKERS = (
    select(func.aggregate_strings(_names.c.name, listing.SEPARATOR))
    .correlate(Submission)
    .scalar_subquery()
)
_OPTION_IDS = (
    select(func.aggregate_strings(col(SubmissionOption.option_id), " "))
    .where(col(SubmissionOption.submission_id) == col(Submission.id))
    .correlate(Submission)
    .scalar_subquery()
)
_SCORES = (
    select(
        func.aggregate_strings(
            col(ReviewScore.criterion_id) + "=" + cast(col(ReviewScore.value), String), " "
        )
    )
    .where(col(ReviewScore.review_id) == col(Review.id))
    .correlate(Review)
    .scalar_subquery()
)
_IN = col(Assignment.status) == AssignmentStatus.DONE


def _page(filters: frozenset[str]) -> AnySelect:
    conditions = list(listed())
    if "plan" in filters:
        conditions.append(col(Assignment.plan_id) == bindparam("plan"))
    if "submission" in filters:
        conditions.append(col(Assignment.submission_id) == bindparam("submission"))
    if "state" in filters:
        conditions.append(col(Assignment.status) == bindparam("state"))
    counted = (
        select(func.count())
        .select_from(Assignment)
        .join(Submission, col(Submission.id) == col(Assignment.submission_id))
        .join(EvaluationPlan, col(EvaluationPlan.id) == col(Assignment.plan_id))
        .where(*conditions)
        .scalar_subquery()
    )
    key = (col(EvaluationPlan.phase), col(Submission.number), col(EvaluationPlan.id))
    page = (
        select(
            col(Submission.id),
            col(EvaluationPlan.id),
            col(Assignment.status),
            col(Submission.number),
            col(Submission.title),
            col(Submission.abstract),
            _OPTION_IDS,
            col(EvaluationPlan.blind),
            col(Submission.answers),
            col(FormVersion.fields),
            case((col(EvaluationPlan.blind), None), else_=_SPEAKERS),
            col(Review.note),
            col(Review.submitted_at),
            col(Review.version),
            _SCORES,
            case((_IN, col(SubmissionScore.reviews))),
            case((_IN, col(SubmissionScore.mean))),
            case((_IN, col(SubmissionScore.spread))),
            counted,
        )
        .select_from(Assignment)
        .join(Submission, col(Submission.id) == col(Assignment.submission_id))
        .join(EvaluationPlan, col(EvaluationPlan.id) == col(Assignment.plan_id))
        .join(FormVersion, col(FormVersion.id) == col(Submission.form_version_id))
        .outerjoin(
            Review,
            and_(
                col(Review.plan_id) == col(Assignment.plan_id),
                col(Review.submission_id) == col(Assignment.submission_id),
                col(Review.user_id) == col(Assignment.user_id),
                col(Review.status) != ReviewStatus.DRAFT,
            ),
        )
        .outerjoin(
            SubmissionScore,
            and_(
                col(SubmissionScore.plan_id) == col(Assignment.plan_id),
                col(SubmissionScore.submission_id) == col(Assignment.submission_id),
            ),
        )
        .where(*conditions)
        .order_by(*key)
        .limit(bindparam("limit"))
    )
    if "after" in filters:
        last: tuple[Any, ...] = (
            bindparam("after_phase"),
            bindparam("after_number"),
            bindparam("after_plan"),
        )
        page = page.where(tuple_(*key) > tuple_(*last))
    return page


PAGE = Filtered(_page, QueueRow)


class Duty(msgspec.Struct, frozen=True):
    """One line of a reviewer's list."""

    submission_id: str
    plan_id: str
    plan_name: str
    state: AssignmentStatus
    number: int
    title: str
    opens_at: dt.datetime | None
    closes_at: dt.datetime | None


#: Everything one is asked for in an event, in the order of the queue.
DUTIES = Prepared(
    select(
        col(Submission.id),
        col(EvaluationPlan.id),
        col(EvaluationPlan.name),
        col(Assignment.status),
        col(Submission.number),
        col(Submission.title),
        col(EvaluationPlan.opens_at),
        col(EvaluationPlan.closes_at),
    )
    .select_from(Assignment)
    .join(Submission, col(Submission.id) == col(Assignment.submission_id))
    .join(EvaluationPlan, col(EvaluationPlan.id) == col(Assignment.plan_id))
    .where(*listed())
    .order_by(col(EvaluationPlan.phase), col(Submission.number), col(EvaluationPlan.id)),
    Duty,
)
