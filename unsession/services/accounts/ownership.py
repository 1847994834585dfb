"""The first owner of an empty installation, by a link only its operator is shown."""

from typing import Annotated

import msgspec
from msgspec import Meta
from sqlalchemy import func, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.db.engine import Database
from unsession.db.prepared import Prepared
from unsession.domain.accounts import LinkPurpose
from unsession.domain.mail import one_line
from unsession.domain.people import WorkspaceRole
from unsession.domain.text import slugify
from unsession.errors import Conflict
from unsession.models import Membership, User, UserAddress, Workspace
from unsession.services import links
from unsession.services.accounts.asking import HandedLink, require_command
from unsession.services.accounts.entering import Browser, held_link
from unsession.services.accounts.persons import (
    Address,
    Name,
    PasswordHash,
    SignedIn,
    add_person,
    begin_signin,
    require_address,
)

_INSTALLATION = "installation"


class _Count(msgspec.Struct, frozen=True):
    count: int


_PEOPLE = Prepared(
    select(func.count()).select_from(UserAddress).where(col(UserAddress.verified_at).is_not(None)),
    _Count,
)


async def is_empty(db: Database) -> bool:
    """Whether nobody could ever sign in: the installation has no owner yet."""
    return (await db.all(_PEOPLE))[0].count == 0


class OfferOwnership(Input):
    """Nothing."""


@page_operation(
    needs=Permission.ACCOUNT_ENTER, because="only whoever runs the machine may be shown this link"
)
async def offer_ownership(ctx: Context, args: OfferOwnership) -> HandedLink:
    """Make the link that makes the first owner; an earlier one stops working.

    Refuses with: forbidden (at any door), conflict (there are people already).
    """
    require_command(ctx)
    await _require_empty(ctx)
    link = await links.issue(ctx, LinkPurpose.OWNER, _INSTALLATION, "")
    return HandedLink(link.id, link.generation)


class MakeOwner(Browser):
    """Who owns the installation's first workspace."""

    name: Name
    address: Address
    password_hash: PasswordHash
    workspace: Annotated[
        str,
        Meta(min_length=1, max_length=100, pattern=r"\S", description="Name of the workspace."),
    ]


@page_operation(
    needs=Permission.ACCOUNT_ENTER,
    because="it answers with the secret of a sign-in, which only a browser's cookie may hold",
)
async def make_owner(ctx: Context, args: MakeOwner) -> SignedIn:
    """Make the first owner with their workspace, and sign them in.

    The address counts as verified: whoever holds the link runs the machine. Refuses with:
    not_found, conflict (somebody was quicker), invalid.
    """
    await held_link(ctx, LinkPurpose.OWNER)
    await _require_empty(ctx)
    user = await add_person(ctx, require_address(args.address), args.name, args.password_hash)
    name = one_line(args.workspace)
    workspace = Workspace(name=name, slug=slugify(name, "workspace"))
    ctx.session.add(workspace)
    await ctx.session.flush()
    ctx.session.add(
        Membership(workspace_id=workspace.id, user_id=user.id, role=WorkspaceRole.OWNER)
    )
    _, answer = begin_signin(ctx, user, args.agent, args.client)
    ctx.writing.about(
        workspace,
        f"{user.name} owns the workspace “{name}”",
        workspace_id=workspace.id,
        event_id=None,
    )
    return answer


async def _require_empty(ctx: Context) -> None:
    people = await ctx.session.execute(
        select(col(User.id))
        .join(UserAddress, col(UserAddress.user_id) == col(User.id))
        .where(col(UserAddress.verified_at).is_not(None))
        .limit(1)
    )
    if people.first() is not None:
        raise Conflict("This installation has an owner already. Sign in, or ask to be invited.")
