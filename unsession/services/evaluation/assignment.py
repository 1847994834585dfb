"""Assigning reviewers: balanced, or by hand; also taking away."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, operation, post
from unsession.context import Context
from unsession.domain.evaluation import PlanStatus
from unsession.errors import Conflict
from unsession.models import EvaluationPlan
from unsession.services import find
from unsession.services.evaluation.desk import PairGiven, SubmissionNumber, lay_out
from unsession.services.evaluation.standing import PlanOf, rescore
from unsession.services.refs import EventRef, PlanRef, Version


class AssignReviewers(Input):
    """What to balance, and what a person decides."""

    event: EventRef
    plan: PlanRef
    submissions: (
        Annotated[
            Sequence[SubmissionNumber],
            Meta(
                min_length=1,
                max_length=1000,
                description="Balance only these. Left out: everything that is in review.",
            ),
        ]
        | UnsetType
    ) = UNSET
    assign: Annotated[
        Sequence[PairGiven],
        Meta(max_length=200, description="Pairs to assign by hand; balancing never moves them."),
    ] = ()
    unassign: Annotated[
        Sequence[PairGiven],
        Meta(
            max_length=200,
            description="Open pairs to take away; balancing never brings them back.",
        ),
    ] = ()
    balance: (
        Annotated[
            bool,
            Meta(
                description="Whether to fill and level. Default: true when no pairs are named, "
                "else false."
            ),
        ]
        | UnsetType
    ) = UNSET
    version: Version | UnsetType = UNSET


class LoadChange(msgspec.Struct, frozen=True):
    """What a reviewer carried (open and done), and carries."""

    id: str
    name: str
    was: int
    now: int
    done: int


class Missing(msgspec.Struct, frozen=True):
    """A submission with fewer reviewers than asked for."""

    id: str
    number: int
    missing: int


class AssignedReviewers(msgspec.Struct, frozen=True):
    """What was assigned and taken away, and how the load lies now."""

    plan: str
    assigned: int
    released: int
    load: Sequence[LoadChange]
    short: Sequence[Missing]
    version: int


@operation(
    title="Assign reviewers",
    rest=post("/events/{event}/plans/{plan}/assignments"),
    needs=Permission.EVENT_SET_UP,
    undo=True,
    idempotent=True,
    subjects=("submissions", "assign", "unassign"),
)
async def assign_reviewers(ctx: Context, args: AssignReviewers) -> AssignedReviewers:
    """Spread what is in review over a plan's members, so that loads differ by one at most.

    Nobody gets their own submission, nor one they abstained from. Reviews that are in never move;
    open ones move only where that levels the load, and those of submissions no longer in review
    are taken away. The same call again changes nothing. Preview with dryRun: ``load`` says what
    each reviewer carries before and after, ``short`` where reviewers are lacking.

    Refuses with: not_found, forbidden, invalid, conflict (the plan is closed), stale.
    """
    event = await find.event(ctx, args.event)
    named = await find.plan(ctx, event.id, args.plan)
    plan = await _plan(ctx, named.id)
    ctx.expect(plan, args.version)
    if plan.status is not PlanStatus.OPEN:
        raise Conflict(f"“{plan.name}” is closed: nobody can be assigned.")
    desk = await lay_out(ctx, plan, event.id)
    before = desk.loads()
    desk.by_hand(args.unassign, args.assign)
    balance = args.balance if args.balance is not UNSET else not (args.assign or args.unassign)
    short = desk.balance(args.submissions or None, plan.reviews_per_submission) if balance else {}
    assigned, released = desk.write(ctx, plan.id)
    ctx.writing.about(
        plan,
        f"Reviewers of “{plan.name}” assigned: {assigned} new, {released} taken away",
        workspace_id=event.workspace_id,
        event_id=event.id,
    )
    await ctx.session.flush()
    if assigned or released:
        await rescore(ctx, PlanOf(plan.id, event.id))
    after = desk.loads()
    return AssignedReviewers(
        plan=plan.id,
        assigned=assigned,
        released=released,
        load=[
            LoadChange(one, name, before[one], after[one], desk.done(one))
            for one, name in sorted(desk.members.items(), key=lambda member: (member[1], member[0]))
        ],
        short=[Missing(one, desk.numbers[one], lacks) for one, lacks in short.items()],
        version=plan.version,
    )


async def _plan(ctx: Context, plan_id: str) -> EvaluationPlan:
    """The plan, locked: two assignments at once take turns."""
    found = await ctx.session.execute(
        select(EvaluationPlan).where(col(EvaluationPlan.id) == plan_id).with_for_update()
    )
    return found.scalar_one()
