"""What somebody who both organises and reviews does not get to see yet."""

from typing import NamedTuple

import msgspec
from sqlalchemy import bindparam, case, func, select
from sqlmodel import col

from unsession.access import Role
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.evaluation import AssignmentStatus, PlanRole, PlanStatus
from unsession.domain.forms import Field, FieldType
from unsession.domain.submissions import UNDECIDED, SubmissionStatus
from unsession.errors import Forbidden
from unsession.models import Assignment, EvaluationPlan, PlanReviewer, Submission


class Mask(NamedTuple):
    """What is left out of an event's submissions."""

    names: bool = False  #: who submits: speakers, answers, activity
    scores: bool = False  #: what other people's reviews say

    def hides(self, status: SubmissionStatus) -> "Mask":
        """What of it counts for one submission: what is decided is no secret any more."""
        return self if status in UNDECIDED else NOTHING

    def require_scores(self) -> None:
        """Refuse with Forbidden where other people's scores would show."""
        if self.scores:
            raise Forbidden(
                "You review here yourself: scores show once your own reviews are in.",
                next_call="my_reviews",
            )

    def require_names(self) -> None:
        """Refuse with Forbidden what would tell who submitted: a decision names whom it mails."""
        if self.names:
            raise Forbidden(
                "You review here yourself, without names: decide once your own reviews are in, or "
                "leave the plan.",
                next_call="my_reviews",
            )


NOTHING = Mask()

#: Answers that nobody can have typed a name into.
_NAMELESS = frozenset(
    {FieldType.SELECT, FieldType.MULTI, FieldType.CHECK, FieldType.NUMBER, FieldType.DATE}
)


def nameless(field: Field) -> bool:
    """Whether the answer to a field may show where nobody is to know who submits."""
    return field.type in _NAMELESS


class _Duty(msgspec.Struct, frozen=True):
    blind: bool
    asked: int
    waiting: int


_WAITS = case(
    (
        (col(Assignment.status) == AssignmentStatus.OPEN)
        & (col(Submission.status) == SubmissionStatus.IN_REVIEW),
        1,
    )
)
_DUTIES = Prepared(
    select(col(EvaluationPlan.blind), func.count(col(Assignment.id)), func.count(_WAITS))
    .join(PlanReviewer, col(PlanReviewer.plan_id) == col(EvaluationPlan.id))
    .outerjoin(
        Assignment,
        (col(Assignment.plan_id) == col(EvaluationPlan.id))
        & (col(Assignment.user_id) == col(PlanReviewer.user_id))
        & (col(Assignment.status) != AssignmentStatus.RELEASED),
    )
    .outerjoin(Submission, col(Submission.id) == col(Assignment.submission_id))
    .where(
        col(EvaluationPlan.event_id) == bindparam("event"),
        col(EvaluationPlan.status) == PlanStatus.OPEN,
        col(PlanReviewer.user_id) == bindparam("user"),
        col(PlanReviewer.role) == PlanRole.MEMBER,
    )
    .group_by(col(EvaluationPlan.id), col(EvaluationPlan.blind)),
    _Duty,
)


async def masked_for(ctx: Context, event_id: str) -> Mask:
    """What the actor may not see of an event's submissions yet.

    A member of an open plan sees nobody's scores, and in a blind one no names, until their own
    reviews are in (or nothing waits for them any more), or they leave the plan. Before anything
    is assigned nothing is in. Chairs see everything. Whoever is no reviewer costs no look-up.
    """
    if Role.REVIEWER not in ctx.actor.event_roles.get(event_id, frozenset()):
        return NOTHING
    rows = await ctx.all(_DUTIES, event=event_id, user=ctx.actor.user_id or "")
    owed = [duty for duty in rows if duty.waiting or not duty.asked]
    return Mask(names=any(duty.blind for duty in owed), scores=bool(owed))
