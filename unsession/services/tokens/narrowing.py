"""A token or a connection given a new name, or less than before."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from unsession.access import ApprovalPolicy, Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.domain.people import TokenScope
from unsession.domain.text import typed_line
from unsession.errors import Conflict, Invalid
from unsession.models import (
    OauthGrant,
    Token,
    User,
    Workspace,
)
from unsession.services.refs import EventRef
from unsession.services.tokens.placing import event_at, require_place, theirs
from unsession.services.tokens.rights import rights_changed


class Less(Input):
    """A new name, or less than before; what is left out stays."""

    name: Annotated[str, Meta(max_length=80, description="What the log calls it.")] | UnsetType = (
        UNSET
    )
    read_only: Annotated[bool, Meta(description="true: from now on it only reads.")] = False
    event: Annotated[EventRef, Meta(description="The one event it keeps.")] | UnsetType = UNSET
    approval: (
        Annotated[ApprovalPolicy, Meta(description="What a write with effects takes.")] | UnsetType
    ) = UNSET


class ChangeToken(Less, kw_only=True):
    """What changes of a token."""

    token: Annotated[str, Meta(min_length=1, max_length=200, description="Token: id.")]


class Changed(msgspec.Struct, frozen=True):
    """What was changed."""

    id: str


@page_operation(needs=Permission.TOKEN_CREATE, because="only a person changes what an agent may")
async def change_token(ctx: Context, args: ChangeToken) -> Changed:
    """Rename a token, or narrow it: to reading, to one event, or to another policy.

    One's own, or any of a workspace that one runs. Refuses with: not_found, invalid, conflict.
    """
    token = await theirs(ctx, args.token)
    await narrow(ctx, token, args)
    ctx.writing.about(
        token,
        f"Token “{token.name}” changed",
        workspace_id=token.workspace_id,
        event_id=token.event_id,
    )
    return Changed(token.id)


async def narrow(ctx: Context, held: Token | OauthGrant, less: Less) -> None:
    """Give a token or a connection its new name and bounds.

    Refuses with Invalid an empty name, with Conflict another event than the one it has, with
    NotFound an event that is not there, with Forbidden one where its person has no role.
    """
    if less.name is not UNSET:
        name = typed_line(less.name)
        if not name:
            raise Invalid.at("/name", "must not be empty")
        held.name = name
    if less.read_only:
        held.scope = TokenScope.READ
    if less.approval is not UNSET:
        held.approval_policy = less.approval
    if less.event is not UNSET:
        workspace = await ctx.session.get_one(Workspace, held.workspace_id)
        event = await event_at(ctx, workspace, less.event)
        if held.event_id not in (None, event.id):
            raise Conflict("It is restricted to one event already, and cannot move to another.")
        person = await ctx.session.get_one(User, held.user_id)
        await require_place(ctx, workspace, person, event)
        held.event_id = event.id
    await rights_changed(ctx)
