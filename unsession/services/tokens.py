"""Static tokens: made for a person, shown once, revoked at once."""

import datetime as dt
from typing import Annotated, NamedTuple

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import bindparam, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import col

from unsession.access import Actor, ActorKind, ApprovalPolicy, Permission, system_actor
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.db.engine import Database
from unsession.db.prepared import Prepared
from unsession.domain.people import TokenScope
from unsession.domain.text import fold_address
from unsession.errors import Forbidden, Invalid, NotFound
from unsession.ids import new_token_secret
from unsession.models import (
    AuthEpoch,
    Event,
    EventMember,
    Membership,
    Token,
    User,
    UserAddress,
    Workspace,
)
from unsession.services.principals import secret_hash
from unsession.services.refs import EventRef

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
    workspace = await _workspace(ctx, args.workspace)
    person = await _person(ctx, args.person or None)
    event = await _event(ctx, workspace, args.event) if args.event is not UNSET else None
    await _require_place(ctx, workspace, person, event)
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
    missing = NotFound("token", args.token)
    token = await ctx.session.get(Token, args.token)
    if token is None:
        raise missing
    own = ctx.actor.user_id is not None and token.user_id == ctx.actor.user_id
    if not own and not ctx.actor.holds(Permission.WORKSPACE_RUN, token.workspace_id, None):
        raise missing
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


async def rights_changed(ctx: Context) -> None:
    """Make every process forget what it remembers of tokens and sign-ins, at this commit."""
    insert = postgresql.insert if ctx.db.dialect.name == "postgresql" else sqlite.insert
    await ctx.session.execute(
        insert(AuthEpoch)
        .values(id=1, number=1)
        .on_conflict_do_update(index_elements=["id"], set_={"number": col(AuthEpoch.number) + 1})
    )


class Place(NamedTuple):
    """Where a token or a connection acts."""

    workspace: Workspace
    event: Event | None


async def place_for(ctx: Context, workspace: str, event: str | UnsetType) -> Place:
    """Where the acting person may let something act for them.

    Refuses with NotFound, and with Forbidden where they have no role themselves.
    """
    person = await _person(ctx, None)
    found = await _workspace(ctx, workspace)
    one = await _event(ctx, found, event) if event is not UNSET else None
    await _require_place(ctx, found, person, one)
    return Place(found, one)


async def _workspace(ctx: Context, identifier: str) -> Workspace:
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


async def _person(ctx: Context, address: str | None) -> User:
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


async def _event(ctx: Context, workspace: Workspace, identifier: str) -> Event:
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


async def _require_place(
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
