"""A plan as it is read: with its criteria, its reviewers and how far they are."""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import ColumnElement, and_, bindparam, case, func, select, union
from sqlmodel import col

from unsession.db.engine import Read
from unsession.db.prepared import Prepared
from unsession.domain.evaluation import AssignmentStatus, PlanRole, PlanStatus
from unsession.domain.submissions import SubmissionStatus
from unsession.models import (
    Assignment,
    Criterion,
    EvaluationPlan,
    EventMember,
    Invitation,
    Membership,
    PlanReviewer,
    Submission,
    SubmissionScore,
    User,
    UserAddress,
)


class CriterionFull(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """One thing scored, from 1 to ``scale``."""

    id: str
    name: str
    scale: int
    weight: float
    required: bool
    hint: str | UnsetType = UNSET


class Load(msgspec.Struct, frozen=True):
    """How much somebody was asked for, and what became of it."""

    open: int
    done: int
    abstained: int


class ReviewerFull(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Somebody who reviews in a plan."""

    id: str
    name: str
    role: PlanRole
    load: Load
    address: str | UnsetType = UNSET


class PlanFull(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """An evaluation plan with everything that belongs to it."""

    id: str
    name: str
    status: PlanStatus
    phase: int
    blind: bool
    reviews_per_submission: int
    criteria: Sequence[CriterionFull]
    reviewers: Sequence[ReviewerFull]
    submissions: Annotated[int, Meta(description="How many submissions it covers so far.")]
    progress: Annotated[Load, Meta(description="Over all reviewers.")]
    version: int
    invited: Annotated[Sequence[str], Meta(description="Addresses that may still accept.")] = ()
    instructions: str | UnsetType = UNSET
    opens_at: dt.datetime | UnsetType = UNSET
    closes_at: dt.datetime | UnsetType = UNSET


class PlanRow(msgspec.Struct, frozen=True):
    """A plan's own row, with what it covers."""

    id: str
    name: str
    status: PlanStatus
    phase: int
    blind: bool
    each: int
    instructions: str
    opens_at: dt.datetime | None
    closes_at: dt.datetime | None
    version: int
    submissions: int
    open: int
    done: int
    abstained: int


class CriterionRow(msgspec.Struct, frozen=True):
    """A criterion with the plan it belongs to."""

    plan_id: str
    id: str
    name: str
    hint: str
    scale: int
    weight: float
    required: bool


class InvitedRow(msgspec.Struct, frozen=True):
    """An address that was invited into a plan."""

    plan_id: str
    address: str


class ReviewerRow(msgspec.Struct, frozen=True):
    """A reviewer with the plan and the load in it."""

    plan_id: str
    user_id: str
    name: str
    address: str | None
    role: PlanRole
    open: int
    done: int
    abstained: int


def _counted(status: AssignmentStatus) -> ColumnElement[bool]:
    """An assignment of that status that a queue shows too: nobody owes what left the review."""
    if status is AssignmentStatus.OPEN:
        still = col(Submission.status) == SubmissionStatus.IN_REVIEW
    else:
        still = col(Submission.status) != SubmissionStatus.WITHDRAWN
    return and_(col(Assignment.status) == status, still)


def _in(status: AssignmentStatus) -> ColumnElement[int]:
    return func.count(case((_counted(status), 1)))


def _of_plan(status: AssignmentStatus) -> ColumnElement[int]:
    return (
        select(func.count())
        .select_from(Assignment)
        .join(Submission, col(Submission.id) == col(Assignment.submission_id))
        .where(col(Assignment.plan_id) == col(EvaluationPlan.id), _counted(status))
        .correlate(EvaluationPlan)
        .scalar_subquery()
    )


PLANS = Prepared(
    select(
        col(EvaluationPlan.id),
        col(EvaluationPlan.name),
        col(EvaluationPlan.status),
        col(EvaluationPlan.phase),
        col(EvaluationPlan.blind),
        col(EvaluationPlan.reviews_per_submission),
        col(EvaluationPlan.instructions),
        col(EvaluationPlan.opens_at),
        col(EvaluationPlan.closes_at),
        col(EvaluationPlan.version),
        select(func.count())
        .select_from(SubmissionScore)
        .join(Submission, col(Submission.id) == col(SubmissionScore.submission_id))
        .where(
            col(SubmissionScore.plan_id) == col(EvaluationPlan.id),
            col(Submission.status) != SubmissionStatus.WITHDRAWN,
        )
        .correlate(EvaluationPlan)
        .scalar_subquery(),
        _of_plan(AssignmentStatus.OPEN),
        _of_plan(AssignmentStatus.DONE),
        _of_plan(AssignmentStatus.ABSTAINED),
    )
    .where(col(EvaluationPlan.event_id) == bindparam("event"))
    .order_by(col(EvaluationPlan.phase).desc(), col(EvaluationPlan.id).desc()),
    PlanRow,
)
CRITERIA = Prepared(
    select(
        col(Criterion.plan_id),
        col(Criterion.id),
        col(Criterion.name),
        col(Criterion.hint),
        col(Criterion.scale),
        col(Criterion.weight),
        col(Criterion.required),
    )
    .join(EvaluationPlan, col(EvaluationPlan.id) == col(Criterion.plan_id))
    .where(col(EvaluationPlan.event_id) == bindparam("event"), col(Criterion.archived_at).is_(None))
    .order_by(col(Criterion.position), col(Criterion.id)),
    CriterionRow,
)
REVIEWERS = Prepared(
    select(
        col(PlanReviewer.plan_id),
        col(PlanReviewer.user_id),
        col(User.name),
        func.max(col(UserAddress.address)),
        col(PlanReviewer.role),
        _in(AssignmentStatus.OPEN),
        _in(AssignmentStatus.DONE),
        _in(AssignmentStatus.ABSTAINED),
    )
    .join(EvaluationPlan, col(EvaluationPlan.id) == col(PlanReviewer.plan_id))
    .join(User, col(User.id) == col(PlanReviewer.user_id))
    .outerjoin(
        UserAddress,
        and_(col(UserAddress.user_id) == col(User.id), col(UserAddress.primary)),
    )
    .outerjoin(
        Assignment,
        and_(
            col(Assignment.plan_id) == col(PlanReviewer.plan_id),
            col(Assignment.user_id) == col(PlanReviewer.user_id),
        ),
    )
    .outerjoin(Submission, col(Submission.id) == col(Assignment.submission_id))
    .where(col(EvaluationPlan.event_id) == bindparam("event"))
    .group_by(
        col(PlanReviewer.plan_id), col(PlanReviewer.user_id), col(User.name), col(PlanReviewer.role)
    )
    .order_by(col(User.name), col(PlanReviewer.user_id)),
    ReviewerRow,
)

INVITED = Prepared(
    select(col(Invitation.plan_id), col(Invitation.address))
    .join(EvaluationPlan, col(EvaluationPlan.id) == col(Invitation.plan_id))
    .where(
        col(EvaluationPlan.event_id) == bindparam("event"),
        col(Invitation.accepted_at).is_(None),
        col(Invitation.revoked_at).is_(None),
        col(Invitation.expires_at) > bindparam("now"),
    )
    .order_by(col(Invitation.address_folded)),
    InvitedRow,
)


def reads(event_id: str, now: dt.datetime) -> tuple[Read, ...]:
    """Everything about the plans of an event, as one trip: what :func:`full` takes, in order."""
    here = {"event": event_id}
    return (PLANS, here), (CRITERIA, here), (REVIEWERS, here), (INVITED, {**here, "now": now})


def full(
    row: PlanRow,
    criteria: Iterable[CriterionRow],
    reviewers: Iterable[ReviewerRow] = (),
    invited: Iterable[InvitedRow] = (),
) -> PlanFull:
    """A plan's row with its criteria and reviewers, of those of the whole event."""
    return PlanFull(
        id=row.id,
        name=row.name,
        status=row.status,
        phase=row.phase,
        blind=row.blind,
        reviews_per_submission=row.each,
        criteria=[
            CriterionFull(one.id, one.name, one.scale, one.weight, one.required, one.hint or UNSET)
            for one in criteria
            if one.plan_id == row.id
        ],
        reviewers=[
            ReviewerFull(
                one.user_id,
                one.name,
                one.role,
                Load(one.open, one.done, one.abstained),
                one.address or UNSET,
            )
            for one in reviewers
            if one.plan_id == row.id
        ],
        submissions=row.submissions,
        progress=Load(row.open, row.done, row.abstained),
        version=row.version,
        invited=[one.address for one in invited if one.plan_id == row.id],
        instructions=row.instructions or UNSET,
        opens_at=row.opens_at or UNSET,
        closes_at=row.closes_at or UNSET,
    )


class Candidate(msgspec.Struct, frozen=True):
    """Somebody with a part in an event, who can be given a seat at once."""

    id: str
    name: str
    address: str


_part = union(
    select(col(Membership.user_id).label("user_id")).where(
        col(Membership.workspace_id) == bindparam("workspace")
    ),
    select(col(EventMember.user_id).label("user_id")).where(
        col(EventMember.event_id) == bindparam("event")
    ),
).subquery()

CANDIDATES = Prepared(
    select(col(User.id), col(User.name), func.min(col(UserAddress.address)))
    .join(_part, _part.c.user_id == col(User.id))
    .join(UserAddress, col(UserAddress.user_id) == col(User.id))
    .where(
        col(UserAddress.verified_at).is_not(None),
        col(UserAddress.primary),
        col(User.disabled_at).is_(None),
    )
    .group_by(col(User.id), col(User.name))
    .order_by(col(User.name), col(User.id)),
    Candidate,
)
