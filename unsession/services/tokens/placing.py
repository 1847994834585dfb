"""Where a token or a connection can act, and for whom."""

from typing import NamedTuple

from msgspec import UNSET, UnsetType
from sqlalchemy import select
from sqlmodel import col

from unsession.access import ActorKind, Permission
from unsession.context import Context
from unsession.domain.text import fold_address
from unsession.errors import Forbidden, Invalid, NotFound
from unsession.models import (
    Event,
    EventMember,
    Membership,
    Token,
    User,
    UserAddress,
    Workspace,
)


class Place(NamedTuple):
    """Where a token or a connection acts."""

    workspace: Workspace
    event: Event | None


async def place_for(ctx: Context, workspace: str, event: str | UnsetType) -> Place:
    """Where the acting person may let something act for them.

    Refuses with NotFound, and with Forbidden where they have no role themselves.
    """
    person = await person_behind(ctx, None)
    found = await workspace_at(ctx, workspace)
    one = await event_at(ctx, found, event) if event is not UNSET else None
    await require_place(ctx, found, person, one)
    return Place(found, one)


async def workspace_at(ctx: Context, identifier: str) -> Workspace:
    """A workspace in which the actor has any role, by id or slug. Refuses with NotFound."""
    missing = NotFound("workspace", identifier)
    found = await ctx.session.execute(
        select(Workspace).where(
            (col(Workspace.id) == identifier) | (col(Workspace.slug) == identifier)
        )
    )
    workspace = found.scalar_one_or_none()
    if workspace is None:
        raise missing
    if not any(reach.workspace_id == workspace.id for reach in ctx.actor.places()):
        raise missing
    return workspace


async def person_behind(ctx: Context, address: str | None) -> User:
    """Whose verified address it is; only the system may ask about anybody but itself."""
    if address is None:
        if ctx.actor.user_id is None:
            raise Invalid.at("/person", "is required: no person is behind this call")
        return await ctx.session.get_one(User, ctx.actor.user_id)
    found = await ctx.session.execute(
        select(User)
        .join(UserAddress, col(UserAddress.user_id) == col(User.id))
        .where(
            col(UserAddress.folded) == fold_address(address),
            col(UserAddress.verified_at).is_not(None),
            col(User.disabled_at).is_(None),
        )
    )
    person = found.scalar_one_or_none()
    if ctx.actor.kind is not ActorKind.SYSTEM and (
        person is None or person.id != ctx.actor.user_id
    ):  # the same for a stranger and for nobody: addresses cannot be tried out here
        raise Forbidden("A token acts for the person who makes it: you can make one for yourself.")
    if person is None:
        raise NotFound("person", address)
    return person


async def event_at(ctx: Context, workspace: Workspace, identifier: str) -> Event:
    """An event of the workspace, by id or slug. Refuses with NotFound."""
    found = await ctx.session.execute(
        select(Event).where(
            col(Event.workspace_id) == workspace.id,
            (col(Event.id) == identifier) | (col(Event.slug) == identifier),
        )
    )
    event = found.scalar_one_or_none()
    if event is None:
        raise NotFound("event", identifier)
    return event


async def require_place(
    ctx: Context, workspace: Workspace, person: User, event: Event | None
) -> None:
    """A token can never do more than its person: without any role there it is useless."""
    member = await ctx.session.execute(
        select(col(Membership.id)).where(
            col(Membership.workspace_id) == workspace.id, col(Membership.user_id) == person.id
        )
    )
    if member.first() is not None:
        return
    roles = await ctx.session.execute(
        select(col(EventMember.event_id))
        .join(Event, col(Event.id) == col(EventMember.event_id))
        .where(col(Event.workspace_id) == workspace.id, col(EventMember.user_id) == person.id)
    )
    held = set(roles.scalars())
    if not held or (event is not None and event.id not in held):
        raise Forbidden(f"{person.name} has no role there, so a token for them could do nothing.")


async def theirs(ctx: Context, identifier: str) -> Token:
    """A static token of the actor's own, or of a workspace that they run. Refuses with NotFound."""
    missing = NotFound("token", identifier)
    token = await ctx.session.get(Token, identifier, with_for_update=True)
    if token is None or token.grant_id is not None:
        raise missing
    own = ctx.actor.user_id is not None and token.user_id == ctx.actor.user_id
    if not own and not ctx.actor.holds(Permission.WORKSPACE_RUN, token.workspace_id, None):
        raise missing
    return token
