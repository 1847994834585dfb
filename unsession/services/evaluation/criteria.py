"""The criteria of a plan: scores point at their ids, so none is ever replaced by another."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import select
from sqlmodel import col

from unsession.catalogue import Input
from unsession.context import Context
from unsession.domain.text import fold
from unsession.errors import Conflict, Invalid, Problem
from unsession.models import Criterion, EvaluationPlan, ReviewScore


class CriterionGiven(Input):
    """One thing to score."""

    name: Annotated[str, Meta(min_length=1, max_length=80, description="What is scored.")]
    id: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=60,
                description="Of a criterion there is, to rename it. Left out: found by its name, "
                "else new.",
            ),
        ]
        | UnsetType
    ) = UNSET
    hint: Annotated[str, Meta(max_length=300, description="What a reviewer asks themselves.")] = ""
    scale: Annotated[
        int, Meta(ge=2, le=10, description="Scores go from 1 to this, 2 to 10; default 5.")
    ] = 5
    weight: Annotated[
        float, Meta(gt=0, le=100, description="How much it counts beside the others; default 1.")
    ] = 1.0
    required: Annotated[bool, Meta(description="Whether a review needs it; default true.")] = True


async def save(ctx: Context, plan: EvaluationPlan, given: Sequence[CriterionGiven]) -> None:
    """Make these the criteria of a plan, in this order.

    One that is left out is archived: its scores stay, and count no more. Refuses with Invalid for
    a name given twice or an id that is not of this plan, with Conflict for another scale on a
    criterion that has scores.
    """
    found = await ctx.session.execute(
        select(Criterion).where(col(Criterion.plan_id) == plan.id).order_by(col(Criterion.position))
    )
    there = {row.id: row for row in found.scalars()}
    _check(given, there)
    named = {one.id for one in given}
    by_name = {
        fold(row.name): row.id
        for row in there.values()
        if row.archived_at is None and row.id not in named
    }
    scored = await _scored(ctx, plan.id)
    kept = set()
    for position, one in enumerate(given):
        row = there.get(one.id if one.id is not UNSET else by_name.get(fold(one.name), ""))
        if row is None:
            row = Criterion(plan_id=plan.id, name=one.name, position=position, scale=one.scale)
            ctx.session.add(row)
        elif row.scale != one.scale and row.id in scored:
            raise Conflict(
                f"“{row.name}” has scores from 1 to {row.scale}; its scale cannot change. Add "
                "another criterion instead.",
                criterion=row.id,
            )
        kept.add(row.id)
        row.name, row.hint = " ".join(one.name.split()), one.hint.strip()
        row.scale, row.weight, row.required = one.scale, one.weight, one.required
        row.position, row.archived_at = position, None
    for row in there.values():
        if row.id not in kept and row.archived_at is None:
            row.archived_at = ctx.now
    await ctx.session.flush()


def _check(given: Sequence[CriterionGiven], there: dict[str, Criterion]) -> None:
    problems, names, ids = [], set(), set()
    for position, one in enumerate(given):
        name = fold(one.name)
        if not name:
            problems.append(Problem(f"/criteria/{position}/name", "must not be blank"))
        elif name in names:
            problems.append(Problem(f"/criteria/{position}/name", "is given twice", got=one.name))
        names.add(name)
        if one.id is UNSET:
            continue
        if one.id not in there or one.id in ids:
            problems.append(
                Problem(f"/criteria/{position}/id", "is no criterion of this plan", got=one.id)
            )
        ids.add(one.id)
    if problems:
        raise Invalid(problems)


async def _scored(ctx: Context, plan_id: str) -> set[str]:
    found = await ctx.session.execute(
        select(col(ReviewScore.criterion_id))
        .join(Criterion, col(Criterion.id) == col(ReviewScore.criterion_id))
        .where(col(Criterion.plan_id) == plan_id)
        .distinct()
    )
    return set(found.scalars())
