"""A static token made, its secret shown once; and ended."""

import datetime as dt
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from unsession.access import ApprovalPolicy, Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.domain.people import TokenScope
from unsession.errors import Invalid
from unsession.ids import new_token_secret
from unsession.models import (
    Token,
)
from unsession.services.principals import secret_hash
from unsession.services.refs import EventRef
from unsession.services.tokens.placing import (
    event_at,
    person_behind,
    require_place,
    theirs,
    workspace_at,
)
from unsession.services.tokens.rights import rights_changed

_SHOWN_ONCE = "its secret is shown once, to a person, and must never pass through an agent"


class CreateToken(Input):
    """A new token."""

    workspace: Annotated[
        str, Meta(min_length=1, max_length=200, description="Workspace: id or slug.")
    ]
    name: Annotated[
        str, Meta(min_length=1, max_length=80, description="What it is called in the activity.")
    ]
    scope: Annotated[TokenScope, Meta(description="read or write.")]
    person: (
        Annotated[
            str,
            Meta(
                min_length=3,
                max_length=320,
                description="Verified address of who it acts for. Left out: oneself.",
            ),
        ]
        | UnsetType
    ) = UNSET
    event: EventRef | UnsetType = UNSET
    approval: Annotated[
        ApprovalPolicy,
        Meta(
            description="What a write that mails, publishes, deletes or names several things "
            "takes: never (nothing more), preview (the token of its own preview), always (a "
            "person's word at a page)."
        ),
    ] = ApprovalPolicy.NEVER
    expires_at: (
        Annotated[dt.datetime, Meta(tz=True, description="When it stops working.")] | UnsetType
    ) = UNSET


class NewToken(msgspec.Struct, frozen=True, rename="camel"):
    """A token just made. The only place where its secret ever stands."""

    id: str
    name: str
    secret: str


@page_operation(needs=Permission.TOKEN_CREATE, because=_SHOWN_ONCE)
async def create_token(ctx: Context, args: CreateToken) -> NewToken:
    """Make a static token that acts for a person in a workspace, or in one event of it.

    Refuses with: not_found (workspace, person or event), forbidden (for somebody else), invalid.
    """
    workspace = await workspace_at(ctx, args.workspace)
    person = await person_behind(ctx, args.person or None)
    event = await event_at(ctx, workspace, args.event) if args.event is not UNSET else None
    await require_place(ctx, workspace, person, event)
    if args.expires_at is not UNSET and args.expires_at <= ctx.now:
        raise Invalid.at("/expiresAt", "must lie in the future")
    secret = new_token_secret()
    token = Token(
        workspace_id=workspace.id,
        user_id=person.id,
        name=args.name,
        secret_hash=secret_hash(secret),
        scope=args.scope,
        approval_policy=args.approval,
        event_id=event.id if event else None,
        expires_at=args.expires_at or None,
    )
    ctx.session.add(token)
    await ctx.session.flush()
    ctx.writing.about(
        token,
        f"Token “{token.name}” ({token.scope.value}) made for {person.name}",
        workspace_id=workspace.id,
        event_id=token.event_id,
    )
    return NewToken(token.id, token.name, secret)


class RevokeToken(Input):
    """Which token."""

    token: Annotated[str, Meta(min_length=1, max_length=200, description="Token: id.")]


class Revoked(msgspec.Struct, frozen=True):
    """A token that no longer works."""

    id: str


@page_operation(needs=Permission.TOKEN_CREATE, because="ending a credential is a person's act")
async def revoke_token(ctx: Context, args: RevokeToken) -> Revoked:
    """End a token. The next request with it is refused, in every process.

    One's own, or any of a workspace that one runs.

    Refuses with: not_found (also when it is somebody else's).
    """
    token = await theirs(ctx, args.token)
    ctx.writing.about(
        token,
        f"Token “{token.name}” revoked",
        workspace_id=token.workspace_id,
        event_id=token.event_id,
    )
    if token.revoked_at is None:
        token.revoked_at = ctx.now
        await rights_changed(ctx)
    return Revoked(token.id)
