"""Speakers of events by id, code, address or exact name."""

from typing import Any

import msgspec
from sqlalchemy import bindparam, select
from sqlmodel import col

from unsession.context import Context
from unsession.db.prepared import AnySelect, Filtered
from unsession.domain.text import fold, fold_address
from unsession.errors import Ambiguous, Candidate, NotFound
from unsession.models import Event, Speaker
from unsession.services.find.events import event


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
    if event_ref is not None:
        places = [("event", (await event(ctx, event_ref)).id)]
    else:
        places = [
            ("event", reach.event_id) if reach.event_id else ("workspace", reach.workspace_id)
            for reach in ctx.actor.places()
        ]
    kinds = [
        ("id", wanted),
        ("code", wanted.upper()),
        ("address", fold_address(wanted)),
        ("name", fold(wanted)),
    ]
    for kind, value in kinds:
        rows = [
            row
            for place, place_id in places
            for row in await ctx.all(_LOCATE[kind, place], value=value, place=place_id)
            if ctx.actor.holds(ctx.needs, row.workspace_id, row.event_id)
        ]
        if len(rows) > 1:
            candidates = [Candidate(row.id, f"{row.name}, {row.event_slug}") for row in rows]
            raise Ambiguous("speaker", identifier, candidates)
        if rows:
            return rows[0]
    raise missing
