"""Workspaces: made by a person, who becomes the owner."""

from typing import Annotated

import msgspec
from msgspec import Meta
from sqlalchemy import select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.domain.people import WorkspaceRole
from unsession.domain.text import slugify
from unsession.errors import Forbidden
from unsession.models import Membership, Workspace
from unsession.services.setup.names import name_of
from unsession.services.tokens import rights_changed


class CreateWorkspace(Input):
    """A new workspace."""

    name: Annotated[str, Meta(min_length=1, max_length=120, description="What it is called.")]


class WorkspaceMade(msgspec.Struct, frozen=True):
    """A workspace, and its owner is who made it."""

    id: str
    slug: str


@page_operation(
    needs=Permission.WORKSPACE_CREATE, because="a person becomes the owner of what they make"
)
async def create_workspace(ctx: Context, args: CreateWorkspace) -> WorkspaceMade:
    """Make a workspace whose owner is the person who makes it.

    Refuses with: forbidden (nobody is signed in), invalid.
    """
    if ctx.actor.user_id is None:
        raise Forbidden("Sign in first: a workspace needs an owner.")
    name = name_of(args.name)
    slug = await _free_slug(ctx, slugify(name, "workspace"))
    workspace = Workspace(name=name, slug=slug)
    ctx.session.add(workspace)
    await ctx.session.flush()
    ctx.session.add(
        Membership(workspace_id=workspace.id, user_id=ctx.actor.user_id, role=WorkspaceRole.OWNER)
    )
    await rights_changed(ctx)
    ctx.writing.about(
        workspace,
        f"Workspace “{workspace.name}” made",
        workspace_id=workspace.id,
        event_id=None,
    )
    return WorkspaceMade(workspace.id, workspace.slug)


async def _free_slug(ctx: Context, wanted: str) -> str:
    found = await ctx.session.execute(
        select(col(Workspace.slug)).where(col(Workspace.slug).like(f"{wanted}%"))
    )
    taken = set(found.scalars())
    slug, number = wanted, 1
    while slug in taken:
        number += 1
        slug = f"{wanted}-{number}"
    return slug
