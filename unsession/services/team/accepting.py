"""Accepting an invitation: its link proves the address, so a newcomer needs no account before."""

from msgspec import UNSET, UnsetType
from sqlalchemy import select
from sqlmodel import col

from unsession.access import Permission, Role
from unsession.catalogue import page_operation
from unsession.context import Context
from unsession.domain.accounts import LinkPurpose
from unsession.domain.people import EventRole, WorkspaceRole
from unsession.errors import Conflict, Invalid, NotFound
from unsession.models import EventMember, Invitation, Membership, PlanReviewer, User
from unsession.services.accounts.entering import Browser, held_link
from unsession.services.accounts.persons import (
    Name,
    PasswordHash,
    SignedIn,
    add_person,
    begin_signin,
    belongs_to_disabled,
    person_at,
)
from unsession.services.team.inviting import lock_workspace
from unsession.services.tokens import rights_changed

#: The more a role of a workspace may do, the further right.
_RISING = (WorkspaceRole.ORGANIZER, WorkspaceRole.ADMIN, WorkspaceRole.OWNER)


class AcceptInvitation(Browser):
    """A newcomer's name, and a password if they want one."""

    name: Name | UnsetType = UNSET
    password_hash: PasswordHash | UnsetType = UNSET


@page_operation(
    needs=Permission.LINK_ANSWER,
    because="only the person who was invited may accept, and it signs them in",
)
async def accept_invitation(ctx: Context, args: AcceptInvitation) -> SignedIn:
    """Take the role an invitation offers, and sign in with its address.

    Whoever has an account keeps its name and password; a higher role is never lowered. Refuses
    with: not_found, conflict (spent, taken back, run out), invalid (a newcomer without a name).
    """
    link = await held_link(ctx, LinkPurpose.INVITE)
    invitation = await ctx.session.get(Invitation, link.subject_id, with_for_update=True)
    if invitation is None or await belongs_to_disabled(ctx, invitation.address):
        raise NotFound("link")
    if invitation.revoked_at is not None or invitation.accepted_at is not None:
        raise Conflict("This invitation was accepted or taken back. Ask for a new one.")
    await lock_workspace(ctx, invitation.workspace_id)
    known = await person_at(ctx, invitation.address)
    if known is not None:
        user = known.user
    elif args.name is UNSET:
        raise Invalid.at("/name", "is needed: this is how others will see you")
    else:
        user = await add_person(ctx, invitation.address, args.name, args.password_hash)
    await _grant(ctx, invitation, user)
    invitation.accepted_at = ctx.now
    await rights_changed(ctx)
    _, answer = begin_signin(ctx, user, args.agent, args.client)
    ctx.writing.about(
        invitation,
        f"{user.name} accepted the invitation as {invitation.role.value}",
        workspace_id=invitation.workspace_id,
        event_id=invitation.event_id,
    )
    return answer


async def _grant(ctx: Context, invitation: Invitation, user: User) -> None:
    if invitation.event_id is None:
        await _make_member(ctx, invitation, user, WorkspaceRole(invitation.role.value))
    else:
        role = EventRole(invitation.role.value)
        await add_event_role(ctx, invitation.event_id, user.id, role)
    if invitation.plan_id is not None and invitation.role is Role.REVIEWER:
        await _join_plan(ctx, invitation.plan_id, user)


async def _make_member(
    ctx: Context, invitation: Invitation, user: User, role: WorkspaceRole
) -> None:
    found = await ctx.session.execute(
        select(Membership)
        .where(
            col(Membership.workspace_id) == invitation.workspace_id,
            col(Membership.user_id) == user.id,
        )
        .with_for_update()
    )
    member = found.scalar_one_or_none()
    if member is None:
        ctx.session.add(
            Membership(workspace_id=invitation.workspace_id, user_id=user.id, role=role)
        )
    elif _RISING.index(role) > _RISING.index(member.role):
        member.role = role


async def add_event_role(ctx: Context, event_id: str, user_id: str, role: EventRole) -> None:
    """Give a person a role in one event, unless they have it. Effects: that row."""
    found = await ctx.session.execute(
        select(col(EventMember.id)).where(
            col(EventMember.event_id) == event_id,
            col(EventMember.user_id) == user_id,
            col(EventMember.role) == role,
        )
    )
    if found.first() is None:
        ctx.session.add(EventMember(event_id=event_id, user_id=user_id, role=role))


async def _join_plan(ctx: Context, plan_id: str, user: User) -> None:
    found = await ctx.session.execute(
        select(col(PlanReviewer.id)).where(
            col(PlanReviewer.plan_id) == plan_id, col(PlanReviewer.user_id) == user.id
        )
    )
    if found.first() is None:
        ctx.session.add(PlanReviewer(plan_id=plan_id, user_id=user.id))
