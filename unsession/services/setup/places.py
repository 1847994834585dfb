"""Rooms of an event."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import func, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, delete, operation, put
from unsession.context import Context
from unsession.domain.text import fold
from unsession.errors import Conflict, Invalid
from unsession.models import Placement, Room
from unsession.services import find
from unsession.services.refs import EventRef, RoomRef, Version
from unsession.services.setup.names import name_of


class SaveRoom(Input):
    """A room to add, or one to change when ``room`` names it."""

    event: EventRef
    name: Annotated[str, Meta(min_length=1, max_length=80, description="What it is called.")]
    room: RoomRef | UnsetType = UNSET
    capacity: (
        Annotated[int, Meta(ge=1, le=1_000_000, description="How many people fit.")]
        | None
        | UnsetType
    ) = UNSET
    version: Version | UnsetType = UNSET


class RoomSaved(msgspec.Struct, frozen=True, omit_defaults=True):
    """A room as it stands."""

    id: str
    name: str
    version: int
    capacity: int | UnsetType = UNSET


@operation(
    title="Add or change a room",
    rest=put("/events/{event}/rooms"),
    needs=Permission.EVENT_SET_UP,
    undo=True,
    destructive=False,
)
async def save_room(ctx: Context, args: SaveRoom) -> RoomSaved:
    """Add a room to an event, or change the one that ``room`` names.

    Refuses with: not_found, forbidden, invalid (the name is taken), stale.
    """
    event = await find.event(ctx, args.event)
    name = name_of(args.name)
    if args.room is UNSET:
        position = await _next_position(ctx, event.id)
        room = Room(event_id=event.id, name="", name_folded="", position=position)
        ctx.session.add(room)
    else:
        found = await find.room(ctx, event.id, args.room)
        room = await ctx.session.get_one(Room, found.id, with_for_update=True)
        ctx.expect(room, args.version)
    with ctx.session.no_autoflush:
        taken = await ctx.session.execute(
            select(col(Room.id)).where(
                col(Room.event_id) == event.id,
                col(Room.name_folded) == fold(name),
                col(Room.id) != room.id,
            )
        )
    if taken.first() is not None:
        raise Invalid.at("/name", "another room already has this name", got=repr(args.name))
    if room.name != name:
        room.name, room.name_folded = name, fold(name)
    if args.capacity is not UNSET:
        room.capacity = args.capacity
    ctx.writing.about(
        room, f"Room “{room.name}” saved", workspace_id=event.workspace_id, event_id=event.id
    )
    await ctx.session.flush()
    return RoomSaved(room.id, room.name, room.version, room.capacity or UNSET)


class DeleteRoom(Input):
    """Which room goes."""

    event: EventRef
    room: RoomRef


class RoomGone(msgspec.Struct, frozen=True):
    """A room that is no more."""

    id: str
    name: str


@operation(
    title="Delete a room",
    rest=delete("/events/{event}/rooms/{room}"),
    needs=Permission.EVENT_SET_UP,
    undo=True,
)
async def delete_room(ctx: Context, args: DeleteRoom) -> RoomGone:
    """Delete a room in which nothing is placed.

    Refuses with: not_found, forbidden, conflict (sessions are placed there).
    """
    event = await find.event(ctx, args.event)
    found = await find.room(ctx, event.id, args.room)
    room = await ctx.session.get_one(Room, found.id, with_for_update=True)
    placed = await ctx.session.execute(
        select(func.count()).select_from(Placement).where(col(Placement.room_id) == room.id)
    )
    count = placed.scalar_one()
    if count:
        some = "A session is" if count == 1 else f"{count} sessions are"
        raise Conflict(f"{some} placed in “{room.name}”. Move what is there first.")
    ctx.writing.about(
        room, f"Room “{room.name}” deleted", workspace_id=event.workspace_id, event_id=event.id
    )
    await ctx.session.delete(room)
    return RoomGone(room.id, room.name)


async def _next_position(ctx: Context, event_id: str) -> int:
    found = await ctx.session.execute(
        select(func.coalesce(func.max(col(Room.position)), -1)).where(
            col(Room.event_id) == event_id
        )
    )
    return int(found.scalar_one()) + 1
