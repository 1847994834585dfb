"""Where a caller stands: who it is, what it reaches, what it may do."""

import datetime as dt
from collections.abc import Sequence

import msgspec
from msgspec import UNSET, UnsetType
from sqlalchemy import bindparam, select
from sqlmodel import col

from unsession.access import GRANTS, ActorKind, ApprovalPolicy, Permission
from unsession.catalogue import Input, get, operation, visible_to
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.people import TokenScope
from unsession.models import Token, User, UserAddress, Workspace
from unsession.services import find


class Whoami(Input):
    """Nothing."""


class Person(msgspec.Struct, frozen=True, omit_defaults=True):
    """The person a call acts for."""

    id: str
    name: str
    address: str | UnsetType = UNSET


class WorkspaceOf(msgspec.Struct, frozen=True):
    """A workspace the caller reaches, and its roles there."""

    id: str
    name: str
    slug: str
    roles: Sequence[str]


class EventOfCaller(msgspec.Struct, frozen=True):
    """The one event, and the roles there."""

    id: str
    name: str
    slug: str
    roles: Sequence[str]


class Identity(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Who is calling and what it may do."""

    actor: str
    kind: ActorKind
    permissions: Sequence[Permission]
    operations: Sequence[str]
    workspaces: Sequence[WorkspaceOf]
    advice: str
    scope: TokenScope | UnsetType = UNSET
    approval: ApprovalPolicy | UnsetType = UNSET
    person: Person | UnsetType = UNSET
    event: EventOfCaller | UnsetType = UNSET
    expires_at: dt.datetime | UnsetType = UNSET


class _PersonRow(msgspec.Struct, frozen=True):
    id: str
    name: str
    address: str | None


class _WorkspaceRow(msgspec.Struct, frozen=True):
    id: str
    name: str
    slug: str


class _TokenRow(msgspec.Struct, frozen=True):
    scope: TokenScope
    expires_at: dt.datetime | None


_PERSON = Prepared(
    select(col(User.id), col(User.name), col(UserAddress.address))
    .outerjoin(
        UserAddress,
        (col(UserAddress.user_id) == col(User.id))
        & col(UserAddress.primary)
        & col(UserAddress.verified_at).is_not(None),
    )
    .where(col(User.id) == bindparam("user")),
    _PersonRow,
)
_WORKSPACE = Prepared(
    select(col(Workspace.id), col(Workspace.name), col(Workspace.slug)).where(
        col(Workspace.id) == bindparam("workspace")
    ),
    _WorkspaceRow,
)
_TOKEN = Prepared(
    select(col(Token.scope), col(Token.expires_at)).where(col(Token.id) == bindparam("token")),
    _TokenRow,
)


@operation(title="Who am I", rest=get("/whoami"), needs=Permission.SELF_READ)
async def whoami(ctx: Context, args: Whoami) -> Identity:
    """Say who this call acts for, what it reaches, what it may do, and how to get more."""
    actor = ctx.actor
    workspaces = [
        WorkspaceOf(row.id, row.name, row.slug, sorted(role.value for role in roles))
        for workspace_id, roles in actor.workspace_roles.items()
        for row in await ctx.all(_WORKSPACE, workspace=workspace_id)
    ]
    people = await ctx.all(_PERSON, user=actor.user_id) if actor.user_id else []
    tokens = await ctx.all(_TOKEN, token=actor.id) if actor.kind is ActorKind.TOKEN else []
    events = (
        await ctx.all(find.EVENT_BY_REF, ref=actor.only_event, folded=actor.only_event)
        if actor.only_event
        else []
    )
    held = {
        permission
        for roles in (*actor.workspace_roles.values(), *actor.event_roles.values())
        for role in roles
        for permission in GRANTS[role]
    }
    return Identity(
        actor=actor.name,
        kind=actor.kind,
        permissions=[p for p in Permission if p in held and actor.may_ever(p)],
        operations=[op.name for op in visible_to(actor)],
        workspaces=workspaces,
        advice=_advice(ctx),
        scope=tokens[0].scope if tokens else UNSET,
        approval=actor.policy if tokens else UNSET,
        person=Person(people[0].id, people[0].name, people[0].address or UNSET)
        if people
        else UNSET,
        event=EventOfCaller(
            events[0].id,
            events[0].name,
            events[0].slug,
            sorted(r.value for r in actor.roles_in(events[0].workspace_id, events[0].id)),
        )
        if events
        else UNSET,
        expires_at=(tokens[0].expires_at or UNSET) if tokens else UNSET,
    )


def _advice(ctx: Context) -> str:
    if ctx.actor.kind is not ActorKind.TOKEN:
        return "You act with your own roles; the owner of the workspace can change them."
    limits = []
    if Permission.SUBMISSION_DECIDE not in ctx.actor.ceiling:
        limits.append("It is read-only: to change anything, ask for a read & write token.")
    if ctx.actor.policy is ApprovalPolicy.PREVIEW:
        limits.append(
            "A write that mails, publishes, deletes or names several things is done only with the "
            "approvalToken of its own preview: call it with dryRun: true first."
        )
    if ctx.actor.policy is ApprovalPolicy.ALWAYS:
        limits.append(
            "A write that mails, publishes, deletes or names several things waits until a person "
            "approves it at a page; get_approval tells the outcome."
        )
    if ctx.actor.only_event:
        limits.append("It reaches one event: for others, ask for a token of the workspace.")
    return " ".join(["This token can do what its maker may do today, within its scope.", *limits])
