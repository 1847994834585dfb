"""Roles of members: changed and taken away; a workspace always keeps an owner."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import func, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, delete, operation, put
from unsession.context import Context
from unsession.domain.people import WorkspaceRole
from unsession.errors import Conflict, NotFound
from unsession.models import Event, EventMember, Membership, Workspace
from unsession.services import find
from unsession.services.refs import TeammateRef, Version, WorkspaceRef
from unsession.services.team.inviting import lock_workspace
from unsession.services.tokens import rights_changed


class ChangeRole(Input):
    """Which member becomes what."""

    person: TeammateRef
    role: Annotated[WorkspaceRole, Meta(description="owner, admin or organizer.")]
    workspace: WorkspaceRef | UnsetType = UNSET
    version: Version | UnsetType = UNSET


class RoleChanged(msgspec.Struct, frozen=True):
    """A member and what they were and are."""

    person: str
    was: WorkspaceRole
    now: WorkspaceRole
    version: int


@operation(
    title="Change a member's role",
    rest=put("/team/{person}/role"),
    needs=Permission.WORKSPACE_RUN,
    undo=True,
    idempotent=True,
)
async def change_role(ctx: Context, args: ChangeRole) -> RoleChanged:
    """Change what a member of the workspace may do. It holds from their next request on.

    Only owners make owners or change one; the last owner stays one. The same role again changes
    nothing. Roles in one event are given by invitation and taken by remove_member.

    Refuses with: not_found, forbidden, ambiguous, conflict, stale.
    """
    workspace = await find.workspace(ctx, args.workspace or None)
    await lock_workspace(ctx, workspace.id)
    person = (await find.teammate(ctx, workspace.id, args.person))[0]
    member = await _member(ctx, workspace.id, person.user_id)
    if member is None:
        raise NotFound("member", args.person, next_call="list_team")
    was = member.role
    ctx.writing.about(
        member,
        f"{person.name}: {was.value} → {args.role.value}",
        workspace_id=workspace.id,
        event_id=None,
    )
    if was is args.role:
        ctx.writing.warn(f"already_{was.value}", f"{person.name} is {was.value} already.")
        return RoleChanged(person.user_id, was, was, member.version)
    ctx.expect(member, args.version)
    if WorkspaceRole.OWNER in (was, args.role):
        ctx.actor.require(
            Permission.WORKSPACE_OWN, workspace.id, None, NotFound("workspace", workspace.slug)
        )
    if was is WorkspaceRole.OWNER:
        await _require_another_owner(ctx, workspace.id)
    member.role = args.role
    await rights_changed(ctx)
    await ctx.session.flush()
    return RoleChanged(person.user_id, was, member.role, member.version)


class RemoveMember(Input):
    """Who leaves what."""

    person: TeammateRef
    event: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=200,
                description="Only this event's roles: id, slug or exact name.",
            ),
        ]
        | UnsetType
    ) = UNSET
    workspace: WorkspaceRef | UnsetType = UNSET


class Removed(msgspec.Struct, frozen=True):
    """Who left, and the roles they no longer have."""

    person: str
    roles: Sequence[str]


@operation(
    title="Remove a member",
    rest=delete("/team/{person}"),
    needs=Permission.WORKSPACE_RUN,
)
async def remove_member(ctx: Context, args: RemoveMember) -> Removed:
    """Take every role of the workspace and its events from a person, or those of one event.

    Their tokens stop with their next request. What they did and wrote stays. The last owner
    cannot be removed; only owners remove owners.

    Refuses with: not_found, forbidden, ambiguous, conflict.
    """
    if args.event is not UNSET:
        event = await find.event(ctx, args.event)
        workspace_id, place = event.workspace_id, event.name
    else:
        event = None
        workspace = await find.workspace(ctx, args.workspace or None)
        workspace_id, place = workspace.id, workspace.name
    await lock_workspace(ctx, workspace_id)
    person = (await find.teammate(ctx, workspace_id, args.person))[0]
    gone = await _take_event_roles(ctx, workspace_id, person.user_id, event.id if event else None)
    if event is None:
        gone += await _take_membership(ctx, workspace_id, person.user_id)
    if not gone:
        raise NotFound("teammate", args.person, next_call="list_team")
    about = await ctx.session.get_one(
        Event if event else Workspace, event.id if event else workspace_id
    )
    ctx.writing.about(
        about,
        f"{person.name} is removed from {place} ({', '.join(gone)})",
        workspace_id=workspace_id,
        event_id=event.id if event else None,
    )
    await rights_changed(ctx)
    return Removed(person.user_id, gone)


async def _member(ctx: Context, workspace_id: str, user_id: str) -> Membership | None:
    found = await ctx.session.execute(
        select(Membership)
        .where(col(Membership.workspace_id) == workspace_id, col(Membership.user_id) == user_id)
        .with_for_update()
    )
    return found.scalar_one_or_none()


async def _take_membership(ctx: Context, workspace_id: str, user_id: str) -> list[str]:
    member = await _member(ctx, workspace_id, user_id)
    if member is None:
        return []
    if member.role is WorkspaceRole.OWNER:
        missing = NotFound("workspace", workspace_id)
        ctx.actor.require(Permission.WORKSPACE_OWN, workspace_id, None, missing)
        await _require_another_owner(ctx, workspace_id)
    await ctx.session.delete(member)
    return [member.role.value]


async def _take_event_roles(
    ctx: Context, workspace_id: str, user_id: str, event_id: str | None
) -> list[str]:
    wanted = (
        select(EventMember, col(Event.name))
        .join(Event, col(Event.id) == col(EventMember.event_id))
        .where(col(Event.workspace_id) == workspace_id, col(EventMember.user_id) == user_id)
        .order_by(col(Event.name), col(EventMember.role))
    )
    if event_id is not None:
        wanted = wanted.where(col(EventMember.event_id) == event_id)
    gone = []
    for row, name in (await ctx.session.execute(wanted)).all():
        await ctx.session.delete(row)
        gone.append(f"{row.role.value} of {name}")
    return gone


async def _require_another_owner(ctx: Context, workspace_id: str) -> None:
    """The row of the workspace is locked, so nobody else takes an owner away meanwhile."""
    owners = await ctx.session.execute(
        select(func.count())
        .select_from(Membership)
        .where(
            col(Membership.workspace_id) == workspace_id,
            col(Membership.role) == WorkspaceRole.OWNER,
        )
    )
    if owners.scalar_one() < 2:
        raise Conflict("A workspace always has an owner. Make somebody else an owner first.")
