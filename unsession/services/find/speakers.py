"""Speakers of events by id, code, address or exact name."""

from typing import Any

import msgspec
from sqlalchemy import bindparam, select
from sqlmodel import col

from unsession.context import Context
from unsession.db.prepared import AnySelect, Filtered
from unsession.domain.text import fold, fold_address
from unsession.errors import NotFound
from unsession.models import Event, Speaker
from unsession.services.find.placed import Place, places_of, the_one


class LocatedSpeaker(msgspec.Struct, frozen=True):
    """A speaker as the find door returns it."""

    id: str
    event_id: str
    workspace_id: str
    event_slug: str
    name: str


def _locate(by: tuple[str, str]) -> AnySelect:
    kind, place = by
    column: Any = {
        "id": col(Speaker.id),
        "code": col(Speaker.code),
        "address": col(Speaker.address_folded),
        "name": col(Speaker.name_folded),
    }[kind]
    where = {"workspace": col(Event.workspace_id), "event": col(Speaker.event_id)}[place]
    return (
        select(
            col(Speaker.id),
            col(Speaker.event_id),
            col(Event.workspace_id),
            col(Event.slug),
            col(Speaker.name),
        )
        .join(Event, col(Event.id) == col(Speaker.event_id))
        .where(column == bindparam("value"), where == bindparam("place"))
        .order_by(col(Speaker.id))
        .limit(6)
    )


_LOCATE = Filtered(_locate, LocatedSpeaker)


async def speaker(ctx: Context, identifier: str, event_ref: str | None) -> LocatedSpeaker:
    """The speaker an identifier names, if the actor may do the running operation there.

    Refuses with NotFound, Forbidden, or Ambiguous with the candidates.
    """
    missing = NotFound("speaker", identifier, next_call="list_speakers")
    wanted = identifier.strip()
    kinds = [
        ("id", wanted),
        ("code", wanted.upper()),
        ("address", fold_address(wanted)),
        ("name", fold(wanted)),
    ]

    async def look(kind: str, value: str, place: Place) -> list[LocatedSpeaker]:
        return await ctx.all(_LOCATE[kind, place[0]], value=value, place=place[1])

    return await the_one(
        ctx,
        missing,
        kinds,
        await places_of(ctx, event_ref),
        look,
        lambda row: f"{row.name}, {row.event_slug}",
        secret=True,  # in a blind plan it may not even be told that somebody has submitted
    )
