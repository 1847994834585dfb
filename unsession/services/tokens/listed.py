"""Static tokens as people see them."""

import datetime as dt

import msgspec
from sqlalchemy import bindparam, select
from sqlmodel import col

from unsession.access import Actor, ApprovalPolicy, Permission, system_actor
from unsession.context import Context
from unsession.db.engine import Database
from unsession.db.prepared import Prepared
from unsession.domain.people import TokenScope
from unsession.errors import NotFound
from unsession.models import (
    Event,
    Token,
    User,
    Workspace,
)


class TokenRow(msgspec.Struct, frozen=True):
    """A token as its owner and the workspace's admins see it; never its secret."""

    id: str
    name: str
    scope: TokenScope
    policy: ApprovalPolicy
    person: str
    user_id: str
    event: str | None
    created_at: dt.datetime
    last_used_at: dt.datetime | None
    expires_at: dt.datetime | None


_LIVE = Prepared(
    select(
        col(Token.id),
        col(Token.name),
        col(Token.scope),
        col(Token.approval_policy),
        col(User.name),
        col(Token.user_id),
        col(Event.name),
        col(Token.created_at),
        col(Token.last_used_at),
        col(Token.expires_at),
    )
    .join(User, col(User.id) == col(Token.user_id))
    .outerjoin(Event, col(Event.id) == col(Token.event_id))
    .where(
        col(Token.workspace_id) == bindparam("workspace"),
        col(Token.revoked_at).is_(None),
        col(Token.grant_id).is_(None),
    )
    .order_by(col(Token.created_at).desc()),
    TokenRow,
)


class Home(msgspec.Struct, frozen=True):
    """A workspace in which somebody can have tokens."""

    id: str
    name: str


_HOME = Prepared(
    select(col(Workspace.id), col(Workspace.name)).where(
        (col(Workspace.id) == bindparam("ref")) | (col(Workspace.slug) == bindparam("ref"))
    ),
    Home,
)


async def homes_of(ctx: Context) -> list[Home]:
    """The workspaces in which an actor has any role, be it in one event alone."""
    ids = dict.fromkeys(reach.workspace_id for reach in ctx.actor.places())
    return [home for one in ids for home in await ctx.all(_HOME, ref=one)]


async def tokens_of(ctx: Context, workspace_id: str) -> list[TokenRow]:
    """The live static tokens of a workspace: one's own, or all for whoever runs it."""
    rows = await ctx.all(_LIVE, workspace=workspace_id)
    if ctx.actor.holds(Permission.WORKSPACE_RUN, workspace_id, None):
        return rows
    return [row for row in rows if row.user_id == ctx.actor.user_id]


async def operator_of(db: Database, workspace: str, command: str) -> Actor:
    """The actor of a command that whoever runs the machine gives in one workspace.

    Refuses with NotFound when there is no such workspace.
    """
    rows = await db.all(_HOME, ref=workspace)
    if not rows:
        raise NotFound("workspace", workspace)
    return system_actor(command, rows[0].id)
