"""Consent: a person allows a client something, in one workspace, for as long as they say."""

import datetime as dt
import secrets
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import select
from sqlmodel import col

from unsession.access import ActorKind, ApprovalPolicy, Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.domain.oauth import CODE_LIVES, Resource, connected_text
from unsession.domain.people import TokenScope
from unsession.errors import Forbidden, Invalid
from unsession.models import OauthClient, OauthCode, OauthGrant, User, UserAddress
from unsession.services.letters import add_letter
from unsession.services.principals import secret_hash
from unsession.services.tokens import Place, place_for


class AllowConnection(Input):
    """What a person allows, and the request it answers."""

    client: Annotated[str, Meta(max_length=60, description="Client: its own id here.")]
    workspace: Annotated[str, Meta(min_length=1, max_length=200, description="Workspace: id.")]
    scope: Annotated[TokenScope, Meta(description="read, or write for reading and writing.")]
    resource: Annotated[Resource, Meta(description="Which door it opens.")]
    redirect: Annotated[str, Meta(max_length=500, description="Where the answer goes.")]
    challenge: Annotated[str, Meta(max_length=128, description="PKCE, S256.")]
    approval: Annotated[ApprovalPolicy, Meta(description="What a write with effects takes.")]
    event: Annotated[str, Meta(max_length=200, description="One event alone.")] | UnsetType = UNSET
    ends_at: (
        Annotated[dt.datetime, Meta(tz=True, description="When it ends by itself.")] | UnsetType
    ) = UNSET


class Allowed(msgspec.Struct, frozen=True):
    """The code for the client; it is never shown again."""

    code: str
    grant: str


@page_operation(
    needs=Permission.TOKEN_CREATE, because="only a person at a page may let an agent in"
)
async def allow_connection(ctx: Context, args: AllowConnection) -> Allowed:
    """Let a client act for the person, and make the code it exchanges for its first token.

    Effects: a connection, which is live once the client has used the code; a notice to the person.
    Refuses with: not_found, forbidden (no role there; not a person), invalid.
    """
    if ctx.actor.kind is not ActorKind.PERSON or ctx.actor.user_id is None:
        raise Forbidden("Only a person at a page can let an agent in.")
    if args.ends_at is not UNSET and args.ends_at <= ctx.now:
        raise Invalid.at("/endsAt", "must lie in the future")
    place = await place_for(ctx, args.workspace, args.event)
    client = await ctx.session.get_one(OauthClient, args.client)
    grant = OauthGrant(
        client_id=client.id,
        user_id=ctx.actor.user_id,
        workspace_id=place.workspace.id,
        event_id=place.event.id if place.event else None,
        name=client.name,
        scope=args.scope,
        resource=args.resource,
        approval_policy=args.approval,
        expires_at=args.ends_at or None,
    )
    ctx.session.add(grant)
    await ctx.session.flush()
    code = secrets.token_urlsafe(32)
    ctx.session.add(
        OauthCode(
            code_hash=secret_hash(code),
            grant_id=grant.id,
            redirect_uri=args.redirect,
            challenge=args.challenge,
            expires_at=ctx.now + CODE_LIVES,
        )
    )
    await _tell(ctx, grant, place)
    ctx.writing.about(
        grant,
        f"Connection “{grant.name}” ({grant.scope.value}) allowed",
        workspace_id=grant.workspace_id,
        event_id=grant.event_id,
    )
    return Allowed(code, grant.id)


async def _tell(ctx: Context, grant: OauthGrant, place: Place) -> None:
    """A notice to the person: should it not have been them, they learn of it."""
    found = await ctx.session.execute(
        select(col(User.name), col(UserAddress.address))
        .join(UserAddress, col(UserAddress.user_id) == col(User.id))
        .where(
            col(User.id) == grant.user_id,
            col(UserAddress.primary),
            col(UserAddress.verified_at).is_not(None),
        )
    )
    row = found.one_or_none()
    if row is None:
        return
    where = place.event.name if place.event else place.workspace.name
    may = "read" if grant.scope is TokenScope.READ else "read and change"
    add_letter(
        ctx,
        "connection",
        connected_text(grant.name, where, may, f"{ctx.settings.public_url}/app/api"),
        subject_id=grant.id,
        to_address=row.address,
        to_name=row.name,
        to_user_id=grant.user_id,
        workspace_id=grant.workspace_id,
        event_id=grant.event_id,
    )
