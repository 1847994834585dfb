"""Events by id, slug or exact name."""

import datetime as dt

import msgspec
from sqlalchemy import bindparam, or_, select
from sqlmodel import col

from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.events import ConfirmedBy, EventMode
from unsession.domain.text import fold
from unsession.errors import Ambiguous, Candidate, NotFound
from unsession.models import Event
from unsession.services.find.matching import strongest


class FoundEvent(msgspec.Struct, frozen=True):
    """An event as the find door returns it."""

    id: str
    workspace_id: str
    name: str
    name_folded: str
    slug: str
    starts_on: dt.date
    ends_on: dt.date
    zone: str
    venue: str | None
    mode: EventMode
    description: str | None
    accent: str | None
    contact_address: str | None
    confirmed_by: ConfirmedBy
    version: int


_EVENT = (
    col(Event.id),
    col(Event.workspace_id),
    col(Event.name),
    col(Event.name_folded),
    col(Event.slug),
    col(Event.starts_on),
    col(Event.ends_on),
    col(Event.zone),
    col(Event.venue),
    col(Event.mode),
    col(Event.description),
    col(Event.accent),
    col(Event.contact_address),
    col(Event.confirmed_by),
    col(Event.version),
)

EVENT_BY_REF = Prepared(
    select(*_EVENT).where(
        or_(
            col(Event.id) == bindparam("ref"),
            col(Event.slug) == bindparam("ref"),
            col(Event.name_folded) == bindparam("folded"),
        )
    ),
    FoundEvent,
)
EVENTS_OF_WORKSPACE = Prepared(
    select(*_EVENT)
    .where(col(Event.workspace_id) == bindparam("workspace"))
    .order_by(col(Event.starts_on).desc(), col(Event.id)),
    FoundEvent,
)


async def event(ctx: Context, identifier: str) -> FoundEvent:
    """The event an identifier names, if the actor may do the running operation there.

    Refuses with NotFound, Forbidden, or Ambiguous with the candidates.
    """
    missing = NotFound("event", identifier, next_call="list_events")
    rows = await ctx.all(EVENT_BY_REF, ref=identifier, folded=fold(identifier))
    reached = [row for row in rows if ctx.actor.reaches(row.workspace_id, row.id)]
    found = strongest(
        reached,
        lambda row: row.id == identifier,
        lambda row: row.slug == identifier,
        lambda row: row.name_folded == fold(identifier),
    )
    if not found:
        raise missing
    mine = [row for row in found if ctx.actor.holds(ctx.needs, row.workspace_id, row.id)]
    if len(mine) > 1:
        raise Ambiguous(
            "event", identifier, [Candidate(row.id, f"{row.name}, {row.slug}") for row in mine]
        )
    chosen = (mine or found)[0]
    ctx.actor.require(ctx.needs, chosen.workspace_id, chosen.id, missing)
    return chosen
