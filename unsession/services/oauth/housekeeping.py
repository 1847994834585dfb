"""What nobody can use any more is forgotten: codes, refresh tokens, access tokens, clients."""

import datetime as dt

import msgspec
from sqlalchemy import delete, exists
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.domain.oauth import UNUSED_AFTER
from unsession.models import OauthClient, OauthCode, OauthGrant, OauthRefresh, Token

#: A second use of a code or a token is known for one for so long after it is over.
_REMEMBERED = dt.timedelta(days=1)


class ForgetOver(Input):
    """Nothing."""


class Forgotten(msgspec.Struct, frozen=True):
    """How many rows of each."""

    codes: int
    refresh_tokens: int
    tokens: int
    connections: int
    clients: int


@page_operation(
    needs=Permission.ACCOUNT_KEEP, because="the worker's own housekeeping, once an hour"
)
async def forget_over(ctx: Context, args: ForgetOver) -> Forgotten:
    """Forget what is over for a day, connections that never came about, unused registrations.

    Live connections, static tokens and the activity log are left alone: rows are deleted by
    statement, because their going is no change to anybody.
    """
    before = ctx.now - _REMEMBERED
    codes = await _deleted(ctx, delete(OauthCode).where(col(OauthCode.expires_at) < before))
    refresh = await _deleted(ctx, delete(OauthRefresh).where(col(OauthRefresh.expires_at) < before))
    tokens = await _deleted(
        ctx,
        delete(Token).where(col(Token.grant_id).is_not(None), col(Token.expires_at) < before),
    )
    never = await _deleted(
        ctx,
        delete(OauthGrant).where(
            col(OauthGrant.connected_at).is_(None), col(OauthGrant.created_at) < before
        ),
    )
    clients = await _deleted(
        ctx,
        delete(OauthClient).where(
            col(OauthClient.created_at) < ctx.now - UNUSED_AFTER,
            ~exists().where(col(OauthGrant.client_id) == col(OauthClient.id)),
        ),
    )
    return Forgotten(codes, refresh, tokens, never, clients)


async def _deleted(ctx: Context, statement: object) -> int:
    done = await ctx.session.execute(statement)  # type: ignore[call-overload]  # a delete
    return int(done.rowcount)
