"""Invitations: a role offered to an address, by mail, until it is accepted or taken back."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import select
from sqlmodel import col

from unsession.access import Permission, Role
from unsession.catalogue import Input, delete, operation, post
from unsession.context import Context
from unsession.domain.accounts import LIFETIMES, LinkPurpose
from unsession.domain.letters import invitation_letter
from unsession.domain.mail import MailStatus
from unsession.domain.text import fold_address
from unsession.errors import Ambiguous, Candidate, Conflict, Invalid, NotFound
from unsession.models import (
    EventMember,
    Invitation,
    Mail,
    Membership,
    UserAddress,
    Workspace,
)
from unsession.services import find, links
from unsession.services.accounts.persons import Address, require_address
from unsession.services.letters import add_letter
from unsession.services.refs import EventRef, WorkspaceRef


class OfferedRole(StrEnum):
    """What somebody can be invited as."""

    OWNER = "owner"
    ADMIN = "admin"
    ORGANIZER = "organizer"
    REVIEWER = "reviewer"


class InviteTeammate(Input):
    """Who is offered which role, where."""

    address: Address
    role: Annotated[
        OfferedRole,
        Meta(
            description="owner, admin or organizer of the workspace; with event: organizer or "
            "reviewer of that event alone."
        ),
    ]
    event: EventRef | UnsetType = UNSET
    workspace: WorkspaceRef | UnsetType = UNSET


class Invited(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """An invitation that waits for its answer."""

    invitation: str
    address: str
    role: OfferedRole
    workspace: str
    event: str | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class Place:
    """Where a role is offered."""

    workspace_id: str
    event_id: str | None
    name: str  #: as the mail says it
    plan_id: str | None = None  #: joining this evaluation plan as well


@operation(
    title="Invite a teammate",
    rest=post("/team/invitations"),
    needs=Permission.WORKSPACE_RUN,
    mails="the invitation to the address",
    idempotent=True,
)
async def invite_teammate(ctx: Context, args: InviteTeammate) -> Invited:
    """Offer somebody a role in the workspace, or in one event of it.

    They get a mail with a link and have the role once they accept; nobody needs an account
    before. Only owners can make owners. Inviting again while the first invitation is open, or
    somebody who has the role, changes nothing.

    Refuses with: not_found, forbidden, ambiguous, invalid.
    """
    address = require_address(args.address)
    place = await _place(ctx, args)
    if args.role is OfferedRole.OWNER:
        missing = NotFound("workspace", place.name)
        ctx.actor.require(Permission.WORKSPACE_OWN, place.workspace_id, None, missing)
    invitation = await offer(ctx, place, address, Role(args.role.value))
    return Invited(
        invitation.id if invitation else "",
        address,
        args.role,
        place.workspace_id,
        place.event_id or UNSET,
    )


async def _place(ctx: Context, args: InviteTeammate) -> Place:
    in_event = args.role in (OfferedRole.ORGANIZER, OfferedRole.REVIEWER)
    if args.event is not UNSET:
        if not in_event:
            raise Invalid.at("/role", "must be organizer or reviewer for one event", got=args.role)
        event = await find.event(ctx, args.event)
        return Place(event.workspace_id, event.id, event.name)
    if args.role is OfferedRole.REVIEWER:
        raise Invalid.at("/event", "is needed: reviewers belong to one event")
    workspace = await find.workspace(ctx, args.workspace or None)
    return Place(workspace.id, None, workspace.name)


async def offer(ctx: Context, place: Place, address: str, role: Role) -> Invitation | None:
    """Invite an address, in this write: the row, its link, its mail.

    For whom has the role already, or was invited and can still accept, there is a warning
    instead; None when there is no invitation to speak of. Names what the write is about.
    """
    workspace = await lock_workspace(ctx, place.workspace_id)
    held = await _holds(ctx, place, address, role)
    pending = await _pending(ctx, place, address, role)
    about = pending or workspace
    summary = f"{address} is invited to {place.name} as {role.value}"
    ctx.writing.about(about, summary, workspace_id=place.workspace_id, event_id=place.event_id)
    if held:
        ctx.writing.warn("already_member", f"{address} is {role.value} there already.")
        return None
    if pending is not None and pending.expires_at > ctx.now:
        ctx.writing.warn("already_invited", f"{address} was invited and can still accept.")
        return pending
    if pending is not None:
        pending.revoked_at = ctx.now  # it ran out; the new one takes its place
        await ctx.session.flush()
    invitation = Invitation(
        workspace_id=place.workspace_id,
        event_id=place.event_id,
        plan_id=place.plan_id,
        address=address,
        address_folded=fold_address(address),
        role=role,
        invited_by=ctx.actor.user_id,
        expires_at=ctx.now + LIFETIMES[LinkPurpose.INVITE],
    )
    ctx.session.add(invitation)
    await ctx.session.flush()
    link = await links.issue(ctx, LinkPurpose.INVITE, invitation.id, address)
    add_letter(
        ctx,
        "invitation",
        invitation_letter(by=ctx.actor.name, role=role.value, place=place.name),
        subject_id=invitation.id,
        to_address=address,
        to_name=address,
        link=link,
        workspace_id=place.workspace_id,
        event_id=place.event_id,
    )
    ctx.writing.about(invitation, summary, workspace_id=place.workspace_id, event_id=place.event_id)
    return invitation


async def lock_workspace(ctx: Context, workspace_id: str) -> Workspace:
    """The workspace's row: whoever changes its team takes it first, one after the other."""
    found = await ctx.session.execute(
        select(Workspace).where(col(Workspace.id) == workspace_id).with_for_update()
    )
    return found.scalar_one()


async def _holds(ctx: Context, place: Place, address: str, role: Role) -> bool:
    mine = (
        col(UserAddress.folded) == fold_address(address),
        col(UserAddress.verified_at).is_not(None),
    )
    if place.event_id is None:
        held = (
            select(col(Membership.id))
            .join(UserAddress, col(UserAddress.user_id) == col(Membership.user_id))
            .where(
                *mine,
                col(Membership.workspace_id) == place.workspace_id,
                col(Membership.role) == role.value,
            )
        )
    else:
        held = (
            select(col(EventMember.id))
            .join(UserAddress, col(UserAddress.user_id) == col(EventMember.user_id))
            .where(
                *mine,
                col(EventMember.event_id) == place.event_id,
                col(EventMember.role) == role.value,
            )
        )
    return (await ctx.session.execute(held)).first() is not None


async def _pending(ctx: Context, place: Place, address: str, role: Role) -> Invitation | None:
    found = await ctx.session.execute(
        select(Invitation)
        .where(
            col(Invitation.workspace_id) == place.workspace_id,
            col(Invitation.event_id).is_not_distinct_from(place.event_id),
            col(Invitation.address_folded) == fold_address(address),
            col(Invitation.role) == role,
            col(Invitation.accepted_at).is_(None),
            col(Invitation.revoked_at).is_(None),
        )
        .with_for_update()
    )
    return found.scalars().first()


class RevokeInvite(Input):
    """Which invitation."""

    invitation: Annotated[
        str,
        Meta(min_length=1, max_length=320, description="Invitation: id, or its address."),
    ]
    workspace: WorkspaceRef | UnsetType = UNSET


class InviteRevoked(msgspec.Struct, frozen=True):
    """An invitation whose link no longer works."""

    invitation: str
    address: str


@operation(
    title="Take back an invitation",
    rest=delete("/team/invitations/{invitation}"),
    needs=Permission.WORKSPACE_RUN,
    idempotent=True,
)
async def revoke_invite(ctx: Context, args: RevokeInvite) -> InviteRevoked:
    """Take back an invitation that was not accepted. Its link stops working at once.

    Mail that has not left yet is cancelled. Taking back again changes nothing.

    Refuses with: not_found, forbidden, ambiguous, conflict (it was accepted).
    """
    invitation = await _invitation(ctx, args)
    ctx.writing.about(
        invitation,
        f"The invitation {invitation.label()} is taken back",
        workspace_id=invitation.workspace_id,
        event_id=invitation.event_id,
    )
    if invitation.revoked_at is None:
        invitation.revoked_at = ctx.now
        await links.withdraw(ctx, LinkPurpose.INVITE, invitation.id)
        await _cancel_letters(ctx, invitation)
    return InviteRevoked(invitation.id, invitation.address)


async def _invitation(ctx: Context, args: RevokeInvite) -> Invitation:
    """The invitation named, in a workspace of the actor's; an address names its open one."""
    missing = NotFound("invitation", args.invitation, next_call="list_team")
    workspace = await find.workspace(ctx, args.workspace or None)
    await lock_workspace(ctx, workspace.id)
    found = await ctx.session.execute(
        select(Invitation)
        .where(
            col(Invitation.workspace_id) == workspace.id,
            (col(Invitation.id) == args.invitation)
            | (
                (col(Invitation.address_folded) == fold_address(args.invitation))
                & col(Invitation.accepted_at).is_(None)
                & col(Invitation.revoked_at).is_(None)
            ),
        )
        .with_for_update()
    )
    rows = found.scalars().all()
    if not rows:
        raise missing
    if len(rows) > 1:
        candidates = [Candidate(row.id, row.label()) for row in rows]
        raise Ambiguous("invitation", args.invitation, candidates)
    if rows[0].accepted_at is not None:
        raise Conflict("This invitation was accepted. Remove the member instead.")
    return rows[0]


async def _cancel_letters(ctx: Context, invitation: Invitation) -> None:
    """Mail of an invitation that has not left yet is not sent."""
    found = await ctx.session.execute(
        select(Mail)
        .where(col(Mail.subject_id) == invitation.id, col(Mail.status) == MailStatus.QUEUED)
        .with_for_update()
    )
    for mail in found.scalars():
        mail.status = MailStatus.CANCELLED
