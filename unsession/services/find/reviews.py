"""What one is asked to review: for a reviewer, nothing else exists."""

import datetime as dt

import msgspec
from sqlalchemy import bindparam, select
from sqlmodel import col

from unsession.context import Context
from unsession.db.prepared import AnySelect, Filtered
from unsession.domain.evaluation import AssignmentStatus, PlanStatus
from unsession.errors import Ambiguous, Candidate, NotFound
from unsession.models import Assignment, EvaluationPlan, Event, Submission
from unsession.services.find.events import event
from unsession.services.find.named import plan
from unsession.services.find.submissions import kinds_of, split_event


class Assigned(msgspec.Struct, frozen=True):
    """One's own assignment, with the plan and the submission it joins."""

    id: str
    plan_id: str
    plan_name: str
    plan_status: PlanStatus
    phase: int
    opens_at: dt.datetime | None
    closes_at: dt.datetime | None
    submission_id: str
    event_id: str
    event_slug: str
    workspace_id: str
    zone: str
    number: int | None
    title: str


def _assigned(kind: str) -> AnySelect:
    column = {
        "id": col(Submission.id),
        "code": col(Submission.code),
        "number": col(Submission.number),
        "title": col(Submission.title_folded),
    }[kind]
    return (
        select(
            col(Assignment.id),
            col(Assignment.plan_id),
            col(EvaluationPlan.name),
            col(EvaluationPlan.status),
            col(EvaluationPlan.phase),
            col(EvaluationPlan.opens_at),
            col(EvaluationPlan.closes_at),
            col(Submission.id),
            col(Submission.event_id),
            col(Event.slug),
            col(Event.workspace_id),
            col(Event.zone),
            col(Submission.number),
            col(Submission.title),
        )
        .join(Submission, col(Submission.id) == col(Assignment.submission_id))
        .join(EvaluationPlan, col(EvaluationPlan.id) == col(Assignment.plan_id))
        .join(Event, col(Event.id) == col(Submission.event_id))
        .where(
            column == bindparam("value"),
            col(Assignment.user_id) == bindparam("user"),
            col(Assignment.status) != AssignmentStatus.RELEASED,
        )
        .order_by(col(Assignment.id))
    )


_ASSIGNED = Filtered(_assigned, Assigned)


async def assigned(
    ctx: Context, identifier: str, event_ref: str | None, plan_ref: str | None
) -> Assigned:
    """One's own assignment for the submission an identifier names.

    Of several plans that ask for it, the open one of the latest phase. Refuses with NotFound for
    everything that is not assigned to the actor, and with Ambiguous for several submissions.
    """
    missing = NotFound("submission", identifier, next_call="my_reviews")
    wanted, slug = split_event(identifier)
    place = slug or event_ref
    event_id = (await event(ctx, place)).id if place else None
    for kind, value in kinds_of(wanted):
        rows = [
            row
            for row in await ctx.all(_ASSIGNED[kind], value=value, user=ctx.actor.user_id or "")
            if event_id in (None, row.event_id)
            and ctx.actor.holds(ctx.needs, row.workspace_id, row.event_id)
        ]
        if not rows:
            continue
        candidates = {row.submission_id: row for row in rows}
        if len(candidates) > 1:
            raise Ambiguous(
                "submission",
                identifier,
                [
                    Candidate(row.submission_id, f"SUB-{row.number} in {row.event_slug}")
                    for row in candidates.values()
                ],
            )
        if plan_ref is not None:
            chosen = (await plan(ctx, rows[0].event_id, plan_ref)).id
            rows = [row for row in rows if row.plan_id == chosen]
            if not rows:
                raise missing
        return max(rows, key=lambda row: (row.plan_status is PlanStatus.OPEN, row.phase, row.id))
    raise missing
