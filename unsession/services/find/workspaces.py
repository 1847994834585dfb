"""Workspaces by id, slug or exact name, and the people of one."""

from collections.abc import Sequence

import msgspec
from sqlalchemy import String, bindparam, cast, null, select, union_all
from sqlmodel import col

from unsession.context import Context
from unsession.db.prepared import AnySelect, Prepared
from unsession.domain.text import fold, fold_address
from unsession.errors import Ambiguous, Candidate, NotFound
from unsession.models import Event, EventMember, Membership, User, UserAddress, Workspace
from unsession.services.find.matching import strongest


class FoundWorkspace(msgspec.Struct, frozen=True):
    """A workspace as the find door returns it."""

    id: str
    name: str
    slug: str


_WORKSPACE = Prepared(
    select(col(Workspace.id), col(Workspace.name), col(Workspace.slug)).where(
        col(Workspace.id) == bindparam("workspace")
    ),
    FoundWorkspace,
)


async def workspaces(ctx: Context) -> list[FoundWorkspace]:
    """The workspaces where the actor may do the running operation, by name."""
    held = [
        row
        for workspace_id in ctx.actor.workspace_roles
        if ctx.actor.holds(ctx.needs, workspace_id, None)
        for row in await ctx.all(_WORKSPACE, workspace=workspace_id)
    ]
    return sorted(held, key=lambda row: (fold(row.name), row.id))


async def workspace(ctx: Context, identifier: str | None) -> FoundWorkspace:
    """The workspace an identifier names; without one, the only one there is for the actor.

    Refuses with NotFound, Forbidden, or Ambiguous with the candidates.
    """
    reached = [
        row
        for workspace_id in ctx.actor.workspace_roles
        if ctx.actor.reaches(workspace_id, None)
        for row in await ctx.all(_WORKSPACE, workspace=workspace_id)
    ]
    missing = NotFound("workspace", identifier)
    if identifier is None:
        found = reached
    else:
        found = strongest(
            reached,
            lambda row: row.id == identifier,
            lambda row: row.slug == identifier,
            lambda row: fold(row.name) == fold(identifier),
        )
    if not found:
        raise missing
    mine = [row for row in found if ctx.actor.holds(ctx.needs, row.id, None)]
    if len(mine) > 1:
        candidates = [Candidate(row.id, f"{row.name}, {row.slug}") for row in mine]
        raise Ambiguous("workspace", identifier or "", candidates)
    chosen = (mine or found)[0]
    ctx.actor.require(ctx.needs, chosen.id, None, missing)
    return chosen


class TeamRole(msgspec.Struct, frozen=True):
    """One role of one person: in the workspace, or in one event of it."""

    user_id: str
    name: str
    address: str
    role: str
    event_id: str | None
    event_name: str | None
    event_slug: str | None


_memberships: AnySelect = select(
    col(Membership.user_id).label("user_id"),
    cast(col(Membership.role), String).label("role"),
    null().label("event_id"),
    null().label("event_name"),
    null().label("event_slug"),
).where(col(Membership.workspace_id) == bindparam("workspace"))
_event_roles: AnySelect = (
    select(
        col(EventMember.user_id),
        cast(col(EventMember.role), String),
        col(Event.id),
        col(Event.name),
        col(Event.slug),
    )
    .join(Event, col(Event.id) == col(EventMember.event_id))
    .where(col(Event.workspace_id) == bindparam("workspace"))
)
_roles = union_all(_memberships, _event_roles).subquery()
TEAM = Prepared(
    select(
        col(User.id),
        col(User.name),
        col(UserAddress.address),
        _roles.c.role,
        _roles.c.event_id,
        _roles.c.event_name,
        _roles.c.event_slug,
    )
    .select_from(_roles)
    .join(User, col(User.id) == _roles.c.user_id)
    .join(
        UserAddress,
        (col(UserAddress.user_id) == col(User.id))
        & col(UserAddress.primary)
        & col(UserAddress.verified_at).is_not(None),
    )
    .order_by(col(User.name), col(User.id), _roles.c.event_name, _roles.c.role),
    TeamRole,
)


async def teammate(ctx: Context, workspace_id: str, identifier: str) -> Sequence[TeamRole]:
    """All roles of one person of a workspace's team, by id, address or exact name.

    Refuses with NotFound, or Ambiguous with the candidates.
    """
    rows = await ctx.all(TEAM, workspace=workspace_id)
    found = strongest(
        rows,
        lambda row: row.user_id == identifier,
        lambda row: fold_address(row.address) == fold_address(identifier),
        lambda row: fold(row.name) == fold(identifier),
    )
    people = {row.user_id: row for row in found}
    if not people:
        raise NotFound("teammate", identifier, next_call="list_team")
    if len(people) > 1:
        candidates = [
            Candidate(row.user_id, f"{row.name}, {row.address}") for row in people.values()
        ]
        raise Ambiguous("teammate", identifier, candidates)
    (user_id,) = people
    return [row for row in rows if row.user_id == user_id]
