"""The token endpoint: codes and refresh tokens become tokens, and what is given up ends."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy.orm import Session

from unsession.access import Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.services.tokens import rights_changed

Form = list[tuple[str, str]]


class TokenForm(Input):
    """A request to the token or the revocation endpoint, as its form says it."""

    form: Annotated[Form, Meta(max_length=30, description="Names and values, in order.")]
    authorization: (
        Annotated[str, Meta(max_length=2_000, description="The Authorization header.")] | UnsetType
    ) = UNSET


class TokenAnswer(msgspec.Struct, frozen=True):
    """What the endpoint answers."""

    status: int
    body: dict[str, Any]
    headers: dict[str, str]


_BECAUSE = "a client's own exchange: its answer holds secrets and follows OAuth's rules, not ours"


@page_operation(needs=Permission.ACCOUNT_ENTER, because=_BECAUSE)
async def exchange_tokens(ctx: Context, args: TokenForm) -> TokenAnswer:
    """Exchange a code or a refresh token for tokens.

    An error of the protocol is an answer, not a refusal: what a replay ends stays ended. Effects:
    token rows; the connection is made, or ended by a replay.
    """
    return await _answer(ctx, args, revoking=False)


@page_operation(needs=Permission.ACCOUNT_ENTER, because=_BECAUSE)
async def give_up_token(ctx: Context, args: TokenForm) -> TokenAnswer:
    """End what a client gives up (RFC 7009): one access token, or with a refresh token all."""
    return await _answer(ctx, args, revoking=True)


async def _answer(ctx: Context, args: TokenForm, *, revoking: bool) -> TokenAnswer:
    from unsession.services.oauth import protocol  # noqa: PLC0415  (Authlib, when first needed)

    headers = {"Authorization": args.authorization} if args.authorization else {}

    def answer(db: Session) -> protocol.Answered:
        server = protocol.TokenServer(db, ctx.settings.public_url)
        return server.answer(args.form, headers, revoking=revoking)

    answered = await ctx.session.run_sync(answer)
    grant = answered.grant
    if grant is not None:
        how = "gave up a token"
        if answered.ended:
            how = "ended: a secret was used twice, or given up"
        elif answered.connected:
            how = "is connected"
        ctx.writing.about(
            grant,
            f"Connection “{grant.name}” {how}",
            workspace_id=grant.workspace_id,
            event_id=grant.event_id,
        )
    if answered.ended or (revoking and grant is not None):
        await rights_changed(ctx)
    return TokenAnswer(answered.status, answered.body, answered.headers)
