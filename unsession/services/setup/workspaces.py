"""Workspaces: made by a person, found by the operations that act on one."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta
from sqlalchemy import bindparam, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.people import WorkspaceRole
from unsession.domain.text import slugify
from unsession.errors import Ambiguous, Candidate, Forbidden, NotFound
from unsession.models import Membership, Workspace
from unsession.services.tokens import rights_changed

WorkspaceRef = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        description="Workspace: id or slug. Left out: the only one you belong to.",
    ),
]


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

    Refuses with: forbidden (nobody is signed in).
    """
    if ctx.actor.user_id is None:
        raise Forbidden("Sign in first: a workspace needs an owner.")
    slug = await _free_slug(ctx, slugify(args.name, "workspace"))
    workspace = Workspace(name=args.name.strip(), slug=slug)
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


class WorkspaceRow(msgspec.Struct, frozen=True):
    """A workspace somebody belongs to."""

    id: str
    name: str
    slug: str


_BY_ID = Prepared(
    select(col(Workspace.id), col(Workspace.name), col(Workspace.slug)).where(
        col(Workspace.id) == bindparam("workspace")
    ),
    WorkspaceRow,
)


async def workspaces_of(ctx: Context) -> Sequence[WorkspaceRow]:
    """The workspaces an actor is a member of."""
    return [
        row
        for workspace_id in ctx.actor.workspace_roles
        for row in await ctx.all(_BY_ID, workspace=workspace_id)
    ]


async def workspace(ctx: Context, identifier: str | None) -> WorkspaceRow:
    """The workspace to act on: the one named, or the only one there is.

    Refuses with NotFound, Forbidden, or Ambiguous when there are several and none is named.
    """
    mine = await workspaces_of(ctx)
    found = [row for row in mine if identifier is None or identifier in (row.id, row.slug)]
    if not found:
        raise NotFound("workspace", identifier)
    if len(found) > 1:
        raise Ambiguous("workspace", "", [Candidate(row.id, row.name) for row in found])
    ctx.actor.require(ctx.needs, found[0].id, None, NotFound("workspace", identifier))
    return found[0]
