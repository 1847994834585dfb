"""Connections as people see them: listed, renamed, narrowed, ended."""

import datetime as dt
from typing import Annotated

import msgspec
from msgspec import Meta
from sqlalchemy import bindparam, delete, func, select, update
from sqlmodel import col

from unsession.access import ApprovalPolicy, Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.people import TokenScope
from unsession.errors import NotFound
from unsession.models import Event, OauthClient, OauthGrant, OauthRefresh, Token, User
from unsession.services.tokens import Changed, Less, narrow, rights_changed


class ConnectionRow(msgspec.Struct, frozen=True):
    """A live connection, as its person and the workspace's admins see it."""

    id: str
    name: str
    client: str
    scope: TokenScope
    policy: ApprovalPolicy
    person: str
    user_id: str
    event: str | None
    created_at: dt.datetime
    last_used_at: dt.datetime | None
    expires_at: dt.datetime | None


_LAST_USED = (
    select(func.max(col(Token.last_used_at)))
    .where(col(Token.grant_id) == col(OauthGrant.id))
    .scalar_subquery()
)
_LIVE = Prepared(
    select(
        col(OauthGrant.id),
        col(OauthGrant.name),
        col(OauthClient.name),
        col(OauthGrant.scope),
        col(OauthGrant.approval_policy),
        col(User.name),
        col(OauthGrant.user_id),
        col(Event.name),
        col(OauthGrant.created_at),
        _LAST_USED,
        col(OauthGrant.expires_at),
    )
    .join(OauthClient, col(OauthClient.id) == col(OauthGrant.client_id))
    .join(User, col(User.id) == col(OauthGrant.user_id))
    .outerjoin(Event, col(Event.id) == col(OauthGrant.event_id))
    .where(
        col(OauthGrant.workspace_id) == bindparam("workspace"),
        col(OauthGrant.revoked_at).is_(None),
        col(OauthGrant.connected_at).is_not(None),
    )
    .order_by(col(OauthGrant.created_at).desc()),
    ConnectionRow,
)


async def connections_of(ctx: Context, workspace_id: str) -> list[ConnectionRow]:
    """The live connections of a workspace: one's own, or all for whoever runs it."""
    rows = await ctx.all(_LIVE, workspace=workspace_id)
    if ctx.actor.holds(Permission.WORKSPACE_RUN, workspace_id, None):
        return rows
    return [row for row in rows if row.user_id == ctx.actor.user_id]


class ChangeConnection(Less, kw_only=True):
    """What changes of a connection."""

    connection: Annotated[str, Meta(min_length=1, max_length=60, description="Connection: id.")]


@page_operation(needs=Permission.TOKEN_CREATE, because="only a person changes what an agent may")
async def change_connection(ctx: Context, args: ChangeConnection) -> Changed:
    """Rename a connection, or narrow it: to reading, to one event, or to another policy.

    Its tokens follow. One's own, or any of a workspace that one runs. Refuses with: not_found,
    invalid, conflict.
    """
    grant = await _theirs(ctx, args.connection)
    await narrow(ctx, grant, args)
    values = {
        "name": grant.name,
        "approval_policy": grant.approval_policy,
        "event_id": grant.event_id,
    }
    if args.read_only:
        values["scope"] = TokenScope.READ
        await ctx.session.execute(
            update(OauthRefresh)
            .where(col(OauthRefresh.grant_id) == grant.id)
            .values(scope=TokenScope.READ)
        )
    await ctx.session.execute(
        update(Token).where(col(Token.grant_id) == grant.id).values(**values, updated_at=ctx.now)
    )
    _about(ctx, grant, "changed")
    return Changed(grant.id)


class EndConnection(Input):
    """Which connection."""

    connection: Annotated[str, Meta(min_length=1, max_length=60, description="Connection: id.")]


@page_operation(needs=Permission.TOKEN_CREATE, because="ending a credential is a person's act")
async def end_connection(ctx: Context, args: EndConnection) -> Changed:
    """End a connection with everything it holds. Its next request is refused, in every process.

    One's own, or any of a workspace that one runs. Refuses with: not_found.
    """
    grant = await _theirs(ctx, args.connection)
    grant.revoked_at = grant.revoked_at or ctx.now
    await ctx.session.execute(
        update(Token)
        .where(col(Token.grant_id) == grant.id, col(Token.revoked_at).is_(None))
        .values(revoked_at=ctx.now, updated_at=ctx.now)
    )
    await ctx.session.execute(delete(OauthRefresh).where(col(OauthRefresh.grant_id) == grant.id))
    await rights_changed(ctx)
    _about(ctx, grant, "ended")
    return Changed(grant.id)


async def _theirs(ctx: Context, connection: str) -> OauthGrant:
    found = await ctx.session.execute(
        select(OauthGrant).where(col(OauthGrant.id) == connection).with_for_update()
    )
    grant = found.scalar_one_or_none()
    missing = NotFound("connection", connection)
    if grant is None:
        raise missing
    own = ctx.actor.user_id is not None and grant.user_id == ctx.actor.user_id
    if not own and not ctx.actor.holds(Permission.WORKSPACE_RUN, grant.workspace_id, None):
        raise missing
    return grant


def _about(ctx: Context, grant: OauthGrant, what: str) -> None:
    ctx.writing.about(
        grant,
        f"Connection “{grant.name}” {what}",
        workspace_id=grant.workspace_id,
        event_id=grant.event_id,
    )
