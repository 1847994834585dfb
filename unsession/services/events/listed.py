"""The list of events."""

import datetime as dt
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType
from sqlalchemy import bindparam, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Page, PageRequest, get, operation
from unsession.catalogue.paging import question, read_cursor, write_cursor
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.models import (
    Event,
    Release,
)
from unsession.services import find


class ListEvents(PageRequest):
    """Nothing but the page."""


class EventRow(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """An event in a list."""

    id: str
    name: str
    slug: str
    starts_on: dt.date
    ends_on: dt.date
    zone: str
    venue: str | UnsetType = UNSET
    released: (
        Annotated[int, msgspec.Meta(description="The number of the agenda that is public.")]
        | UnsetType
    ) = UNSET


@operation(
    title="List the events",
    rest=get("/events"),
    needs=Permission.EVENT_READ,
)
async def list_events(ctx: Context, args: ListEvents) -> Page[EventRow]:
    """List the events you can reach, the latest first.

    Start here: the id or slug of an event is what most other operations ask for.
    """
    found: dict[str, find.FoundEvent] = {}
    for reach in ctx.actor.places():
        if reach.event_id is not None:
            rows = await ctx.all(find.EVENT_BY_REF, ref=reach.event_id, folded=reach.event_id)
        else:
            rows = await ctx.all(find.EVENTS_OF_WORKSPACE, workspace=reach.workspace_id)
        found.update({row.id: row for row in rows if _may_read(ctx, row)})
    ordered = sorted(found.values(), key=lambda row: (row.starts_on, row.id), reverse=True)
    asked = question(args)
    start = 0
    if args.cursor is not UNSET:
        last = read_cursor(ctx.settings.secret_key, asked, args.cursor)
        start = sum((row.starts_on.isoformat(), row.id) >= (last[0], last[1]) for row in ordered)
    shown = ordered[start : start + args.limit]
    more = len(ordered) > start + args.limit
    released: dict[str, int] = {}
    for workspace_id in sorted({row.workspace_id for row in shown}):
        numbers = await ctx.all(RELEASED, workspace=workspace_id)
        released.update({one.event_id: one.number for one in numbers})
    return Page(
        [_row(row, released.get(row.id)) for row in shown],
        len(ordered),
        write_cursor(
            ctx.settings.secret_key, asked, [shown[-1].starts_on.isoformat(), shown[-1].id]
        )
        if more
        else UNSET,
    )


def _may_read(ctx: Context, row: find.FoundEvent) -> bool:
    return ctx.actor.holds(Permission.EVENT_READ, row.workspace_id, row.id)


def _row(row: find.FoundEvent, released: int | None) -> EventRow:
    return EventRow(
        row.id,
        row.name,
        row.slug,
        row.starts_on,
        row.ends_on,
        row.zone,
        row.venue or UNSET,
        released or UNSET,
    )


class _Released(msgspec.Struct, frozen=True):
    event_id: str
    number: int


#: The numbers of what is public in a workspace.
RELEASED = Prepared(
    select(col(Event.id), col(Release.number))
    .join(Release, col(Release.id) == col(Event.current_release_id))
    .where(col(Event.workspace_id) == bindparam("workspace")),
    _Released,
)
