"""The reviewers of a plan: who joins, who leaves, and what leaving takes along."""

from collections.abc import Iterable, Sequence
from typing import Annotated

from msgspec import Meta
from sqlalchemy import exists, or_, select
from sqlmodel import col

from unsession.access import Role
from unsession.catalogue import Input
from unsession.context import Context
from unsession.domain.accounts import address_fault
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
from unsession.services.team.inviting import Place, offer
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

    Who has a part in the event or its workspace joins at once, as a reviewer of the event; any
    other address is invited by mail, whether it is anybody's or not. Who is left out keeps the
    role and leaves the plan: open assignments are released, reviews that are in stay.
    """
    people = await _people(ctx, event, given)
    problems: list[Problem] = []
    roles: dict[str, PlanRole] = {}
    strangers: dict[str, ReviewerGiven] = {}
    for position, one in enumerate(given):
        where, folded = f"/reviewers/{position}/address", fold_address(one.address)
        user_id = people.get(folded)
        if user_id in roles or folded in strangers:
            problems.append(Problem(where, "is somebody who is named already", got=one.address))
        elif user_id is not None:
            roles[user_id] = one.role
        elif fault := address_fault(one.address.strip()):
            problems.append(Problem(where, fault, got=one.address))
        else:
            strangers[folded] = one
    if problems:
        raise Invalid(problems)
    await _invite(ctx, event, plan, strangers.values())
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


async def _invite(
    ctx: Context,
    event: find.FoundEvent,
    plan: EvaluationPlan,
    strangers: Iterable[ReviewerGiven],
) -> None:
    """Offer a seat by mail; accepting takes it."""
    for one in strangers:
        if one.role is PlanRole.CHAIR:
            ctx.writing.warn("joins_as_member", f"{one.address} joins as a member once accepted.")
        place = Place(event.workspace_id, event.id, event.name, plan.id)
        invitation = await offer(ctx, place, one.address.strip(), Role.REVIEWER)
        if invitation is not None and invitation.plan_id is None:
            invitation.plan_id = plan.id


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
