"""Workspaces: made by a person, who becomes the owner."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.domain.people import WorkspaceRole
from unsession.domain.text import slugify
from unsession.errors import Forbidden
from unsession.models import Membership, Workspace
from unsession.services.setup.events import NewEvent, add_event
from unsession.services.setup.names import name_of
from unsession.services.tokens import rights_changed


class CreateWorkspace(Input):
    """A new workspace."""

    name: Annotated[str, Meta(min_length=1, max_length=120, description="What it is called.")]
    event: Annotated[NewEvent, Meta(description="Its first event.")] | UnsetType = UNSET


class WorkspaceMade(msgspec.Struct, frozen=True):
    """A workspace, and its owner is who made it. ``event`` is the slug of its first event."""

    id: str
    slug: str
    event: str | UnsetType = UNSET


@page_operation(
    needs=Permission.WORKSPACE_CREATE, because="a person becomes the owner of what they make"
)
async def create_workspace(ctx: Context, args: CreateWorkspace) -> WorkspaceMade:
    """Make a workspace whose owner is the person who makes it, and its first event with it.

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
    event = None
    if args.event is not UNSET:
        event = await add_event(ctx, workspace.id, args.event, "/event")
    made = f"Workspace “{workspace.name}” made"
    ctx.writing.about(
        workspace,
        f"{made} with event “{event.name}”" if event else made,
        workspace_id=workspace.id,
        event_id=event.id if event else None,
    )
    return WorkspaceMade(workspace.id, workspace.slug, event.slug if event else UNSET)


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
