"""Evaluation plans: listed, saved with criteria and reviewers, closed."""

import datetime as dt
from collections.abc import Sequence
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, Page, PageRequest, get, operation, post
from unsession.catalogue.paging import question, read_cursor, write_cursor
from unsession.context import Context
from unsession.domain.evaluation import PlanRole, PlanStatus
from unsession.domain.moments import moment
from unsession.domain.text import fold
from unsession.errors import Invalid
from unsession.models import EvaluationPlan
from unsession.services import find
from unsession.services.evaluation import criteria, panel
from unsession.services.evaluation.criteria import CriterionGiven
from unsession.services.evaluation.panel import ReviewerGiven
from unsession.services.evaluation.reading import CANDIDATES, Candidate, PlanFull, full, reads
from unsession.services.evaluation.standing import PlanOf, lead, rescore
from unsession.services.refs import EventRef, PlanRef, Version


class ListEvaluationPlans(PageRequest):
    """Of which event."""

    event: EventRef


@operation(
    title="List the evaluation plans",
    rest=get("/events/{event}/plans"),
    needs=Permission.EVENT_READ,
)
async def list_evaluation_plans(ctx: Context, args: ListEvaluationPlans) -> Page[PlanFull]:
    """List an event's evaluation plans with criteria, reviewers and progress, latest phase first.

    The open plan of the latest phase is the one whose scores lists show. ``load`` of a reviewer
    says how many reviews are open, done and abstained from.
    """
    event = await find.event(ctx, args.event)
    rows, *belongings = await ctx.together(*reads(event.id, ctx.now))
    asked = question(args, event.id)
    start = 0
    if args.cursor is not UNSET:
        last = tuple(read_cursor(ctx.settings.secret_key, asked, args.cursor))
        start = sum((row.phase, row.id) >= last for row in rows)
    shown = rows[start : start + args.limit]
    more = len(rows) > start + args.limit
    return Page(
        [full(row, *belongings) for row in shown],
        len(rows),
        write_cursor(ctx.settings.secret_key, asked, [shown[-1].phase, shown[-1].id])
        if more
        else UNSET,
    )


_When = Annotated[
    str,
    Meta(
        min_length=10,
        max_length=40,
        description="Instant with offset, or in the event's zone: 2027-03-05 or 2027-03-05T23:59. "
        "A day alone opens at its start and closes at its end.",
    ),
]


class SaveEvaluationPlan(Input):
    """A new plan, or what changes in one."""

    event: EventRef
    plan: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=200,
                description="The plan to change: id or exact name. Left out: a new one.",
            ),
        ]
        | UnsetType
    ) = UNSET
    name: (
        Annotated[
            str, Meta(min_length=1, max_length=120, description="Its name; needed for a new one.")
        ]
        | UnsetType
    ) = UNSET
    instructions: (
        Annotated[str, Meta(max_length=5000, description="What reviewers read before they begin.")]
        | UnsetType
    ) = UNSET
    phase: (
        Annotated[int, Meta(ge=1, le=9, description="Which round it is, 1 to 9; default 1.")]
        | UnsetType
    ) = UNSET
    reviews_per_submission: (
        Annotated[
            int,
            Meta(ge=1, le=20, description="How many reviewers each one gets; default 3."),
        ]
        | UnsetType
    ) = UNSET
    blind: (
        Annotated[
            bool, Meta(description="true (default): reviewers never learn who submitted what.")
        ]
        | UnsetType
    ) = UNSET
    opens_at: _When | UnsetType | None = UNSET
    closes_at: _When | UnsetType | None = UNSET
    criteria: (
        Annotated[
            Sequence[CriterionGiven],
            Meta(
                min_length=1,
                max_length=20,
                description="All criteria, in order. One that is left out is scored no more; a "
                "new plan needs at least one.",
            ),
        ]
        | UnsetType
    ) = UNSET
    reviewers: (
        Annotated[
            Sequence[ReviewerGiven],
            Meta(
                max_length=200,
                description="All reviewers. One that is left out leaves the plan; reviews that "
                "are in stay.",
            ),
        ]
        | UnsetType
    ) = UNSET
    reopen: Annotated[bool, Meta(description="true: a closed plan takes reviews again.")] = False
    version: Version | UnsetType = UNSET


@operation(
    title="Save an evaluation plan",
    rest=post("/events/{event}/plans"),
    needs=Permission.EVENT_SET_UP,
    mails="an invitation to each reviewer who has no part in the event yet",
    destructive=False,
)
async def save_evaluation_plan(ctx: Context, args: SaveEvaluationPlan) -> PlanFull:
    """Create an evaluation plan, or change one, with its criteria and reviewers.

    Fields left out stay as they are; criteria and reviewers, when given, are the whole list.
    Scores point at a criterion's id: pass it to rename one. A scale that has scores cannot
    change. Reviewers are named by address: whoever has a part in the event or the workspace joins
    at once, anybody else is invited and joins by accepting. Nobody is assigned by this: see
    assign_reviewers.

    Refuses with: not_found, forbidden, invalid, conflict, stale.
    """
    event = await find.event(ctx, args.event)
    plan = await _load(ctx, event, args.plan) if args.plan is not UNSET else None
    if plan is None:
        plan = _new(event.id, args)
    else:
        ctx.expect(plan, args.version)
    created = args.plan is UNSET
    await _name(ctx, plan, args)
    _set(plan, args, event.zone)
    if args.reopen and plan.status is PlanStatus.CLOSED:
        plan.status = PlanStatus.OPEN
        if args.closes_at is UNSET and plan.closes_at and plan.closes_at <= ctx.now:
            plan.closes_at = None
    ctx.session.add(plan)
    await ctx.session.flush()
    if args.criteria is not UNSET:
        await criteria.save(ctx, plan, args.criteria)
    if args.reviewers is not UNSET:
        await panel.save(ctx, event, plan, args.reviewers)
    ctx.writing.about(
        plan,
        f"Evaluation plan “{plan.name}” {'created' if created else 'saved'}",
        workspace_id=event.workspace_id,
        event_id=event.id,
    )
    if not created:
        await lead(ctx, event.id)
        await rescore(ctx, PlanOf(plan.id, event.id))
    return await _answer(ctx, event.id, plan.id)


def _new(event_id: str, args: SaveEvaluationPlan) -> EvaluationPlan:
    problems = {"/name": args.name, "/criteria": args.criteria}
    for path, value in problems.items():
        if value is UNSET:
            raise Invalid.at(path, "is required for a new plan")
    return EvaluationPlan(event_id=event_id, name="", name_folded="")


async def _name(ctx: Context, plan: EvaluationPlan, args: SaveEvaluationPlan) -> None:
    if args.name is UNSET:
        return
    name = " ".join(args.name.split())
    if not name:
        raise Invalid.at("/name", "must not be blank")
    others = await ctx.session.execute(
        select(col(EvaluationPlan.id)).where(
            col(EvaluationPlan.event_id) == plan.event_id,
            col(EvaluationPlan.name_folded) == fold(name),
            col(EvaluationPlan.id) != plan.id,
        )
    )
    if others.first() is not None:
        raise Invalid.at("/name", "another plan of this event already has this name")
    plan.name, plan.name_folded = name, fold(name)


def _set(plan: EvaluationPlan, args: SaveEvaluationPlan, zone: str) -> None:
    if args.instructions is not UNSET:
        plan.instructions = args.instructions
    if args.phase is not UNSET:
        plan.phase = args.phase
    if args.reviews_per_submission is not UNSET:
        plan.reviews_per_submission = args.reviews_per_submission
    if args.blind is not UNSET:
        plan.blind = args.blind
    if args.opens_at is not UNSET:
        plan.opens_at = _instant("/opensAt", args.opens_at, zone, ends=False)
    if args.closes_at is not UNSET:
        plan.closes_at = _instant("/closesAt", args.closes_at, zone, ends=True)
    if plan.opens_at and plan.closes_at and plan.opens_at >= plan.closes_at:
        raise Invalid.at("/closesAt", "must be later than opensAt")


def _instant(path: str, text: str | None, zone: str, *, ends: bool) -> dt.datetime | None:
    if text is None:
        return None
    try:
        return moment(text, zone, ends=ends)
    except ValueError:
        raise Invalid.at(path, "must be a date, or a date and time (2027-03-05T23:59)") from None


class CloseEvaluationPlan(Input):
    """Which plan."""

    event: EventRef
    plan: PlanRef
    version: Version | UnsetType = UNSET


@operation(
    title="Close an evaluation plan",
    rest=post("/events/{event}/plans/{plan}/close"),
    needs=Permission.EVENT_SET_UP,
    idempotent=True,
)
async def close_evaluation_plan(ctx: Context, args: CloseEvaluationPlan) -> PlanFull:
    """Close a plan: no review is taken or changed any more, what is in stays and counts.

    Closed again: nothing changes. save_evaluation_plan with ``reopen`` opens it again.

    Refuses with: not_found, forbidden, stale.
    """
    event = await find.event(ctx, args.event)
    plan = await _load(ctx, event, args.plan)
    ctx.writing.about(
        plan,
        f"Evaluation plan “{plan.name}” closed",
        workspace_id=event.workspace_id,
        event_id=event.id,
    )
    if plan.status is not PlanStatus.OPEN:
        ctx.writing.warn("already_closed", f"“{plan.name}” is closed already.")
        return await _answer(ctx, event.id, plan.id)
    ctx.expect(plan, args.version)
    plan.status = PlanStatus.CLOSED
    if plan.closes_at is None or plan.closes_at > ctx.now:
        plan.closes_at = ctx.now
        if plan.opens_at and plan.opens_at >= ctx.now:
            plan.opens_at = None
    await ctx.session.flush()
    await lead(ctx, event.id)
    return await _answer(ctx, event.id, plan.id)


async def _load(ctx: Context, event: find.FoundEvent, identifier: str) -> EvaluationPlan:
    named = await find.plan(ctx, event.id, identifier)
    found = await ctx.session.execute(
        select(EvaluationPlan).where(col(EvaluationPlan.id) == named.id).with_for_update()
    )
    return found.scalar_one()


async def _answer(ctx: Context, event_id: str, plan_id: str) -> PlanFull:
    return (await plans_of(ctx, event_id, plan_id))[0]


async def plans_of(ctx: Context, event_id: str, plan_id: str | None = None) -> Sequence[PlanFull]:
    """The plans of an event already found, or the one named by id: for pages and answers."""
    rows, *belongings = await ctx.together(*reads(event_id, ctx.now))
    return [full(row, *belongings) for row in rows if plan_id in (None, row.id)]


async def candidates(ctx: Context, event: find.FoundEvent) -> Sequence[Candidate]:
    """Everybody who can be given a seat in a plan without an invitation: for pages."""
    return await ctx.all(CANDIDATES, workspace=event.workspace_id, event=event.id)


__all__ = [
    "Candidate",
    "CriterionGiven",
    "PlanFull",
    "PlanRole",
    "ReviewerGiven",
    "candidates",
    "close_evaluation_plan",
    "list_evaluation_plans",
    "plans_of",
    "save_evaluation_plan",
]
