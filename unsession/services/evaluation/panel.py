"""The reviewers of a plan: who joins, who leaves, and what leaving takes along."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta
from sqlalchemy import exists, or_, select
from sqlmodel import col

from unsession.catalogue import Input
from unsession.context import Context
from unsession.domain.evaluation import AssignmentStatus, PlanRole
from unsession.domain.people import EventRole
from unsession.domain.text import fold_address
from unsession.errors import Invalid, Problem
from unsession.models import (
    Assignment,
    EvaluationPlan,
    EventMember,
    Membership,
    PlanReviewer,
    User,
    UserAddress,
)
from unsession.services import find
from unsession.services.tokens import rights_changed


class ReviewerGiven(Input):
    """Somebody who is to review."""

    address: Annotated[
        str, Meta(min_length=3, max_length=320, description="A verified address of theirs.")
    ]
    role: Annotated[
        PlanRole,
        Meta(description="member (default) reviews; chair sees names and scores, is not assigned."),
    ] = PlanRole.MEMBER


async def save(
    ctx: Context, event: find.FoundEvent, plan: EvaluationPlan, given: Sequence[ReviewerGiven]
) -> None:
    """Make these the reviewers of a plan.

    Who joins becomes a reviewer of the event; who is left out keeps that role and leaves the plan:
    open assignments are released, reviews that are in stay. Refuses with Invalid for an address
    that belongs to nobody with a part in the event, in the same words whether it exists or not.
    """
    people = await _people(ctx, event, given)
    problems, roles = [], {}
    for position, one in enumerate(given):
        user_id = people.get(fold_address(one.address))
        where = f"/reviewers/{position}/address"
        if user_id is None:
            sentence = "is nobody with a part in this event; invite them first"
            problems.append(Problem(where, sentence, got=one.address))
        elif user_id in roles:
            problems.append(Problem(where, "is somebody who is named already", got=one.address))
        else:
            roles[user_id] = one.role
    if problems:
        raise Invalid(problems)
    found = await ctx.session.execute(
        select(PlanReviewer).where(col(PlanReviewer.plan_id) == plan.id).with_for_update()
    )
    there = {row.user_id: row for row in found.scalars()}
    for user_id, role in roles.items():
        if user_id in there:
            there[user_id].role = role
        else:
            ctx.session.add(PlanReviewer(plan_id=plan.id, user_id=user_id, role=role))
    for user_id, row in there.items():
        if user_id not in roles:
            await ctx.session.delete(row)
    await _release(ctx, plan.id, {u for u, role in roles.items() if role is PlanRole.MEMBER})
    await _make_reviewers(ctx, event.id, set(roles))
    await ctx.session.flush()


async def _people(
    ctx: Context, event: find.FoundEvent, given: Sequence[ReviewerGiven]
) -> dict[str, str]:
    """Folded address -> person, of those who have a part in the event or its workspace."""
    member = exists().where(
        col(Membership.user_id) == col(User.id), col(Membership.workspace_id) == event.workspace_id
    )
    part = exists().where(
        col(EventMember.user_id) == col(User.id), col(EventMember.event_id) == event.id
    )
    found = await ctx.session.execute(
        select(col(UserAddress.folded), col(User.id))
        .join(User, col(User.id) == col(UserAddress.user_id))
        .where(
            col(UserAddress.folded).in_([fold_address(one.address) for one in given]),
            col(UserAddress.verified_at).is_not(None),
            col(User.disabled_at).is_(None),
            or_(member, part),
        )
    )
    return dict(found.all())


async def _release(ctx: Context, plan_id: str, staying: set[str]) -> None:
    """Take open assignments from whoever reviews here no more."""
    found = await ctx.session.execute(
        select(Assignment).where(
            col(Assignment.plan_id) == plan_id,
            col(Assignment.status) == AssignmentStatus.OPEN,
            col(Assignment.user_id).not_in(staying),
        )
    )
    for row in found.scalars():
        row.status = AssignmentStatus.RELEASED


async def _make_reviewers(ctx: Context, event_id: str, user_ids: set[str]) -> None:
    """Give the role of a reviewer to whoever has it not yet; processes look rights up anew."""
    found = await ctx.session.execute(
        select(col(EventMember.user_id)).where(
            col(EventMember.event_id) == event_id, col(EventMember.role) == EventRole.REVIEWER
        )
    )
    new = sorted(user_ids - set(found.scalars()))
    for user_id in new:
        ctx.session.add(EventMember(event_id=event_id, user_id=user_id, role=EventRole.REVIEWER))
    if new:
        await rights_changed(ctx)
