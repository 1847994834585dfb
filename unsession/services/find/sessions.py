"""Sessions by id, code or exact title."""

import re

import msgspec
from sqlalchemy import bindparam, select
from sqlmodel import col

from unsession.context import Context
from unsession.db.prepared import AnySelect, Filtered
from unsession.domain.text import fold
from unsession.errors import NotFound
from unsession.models import Event, Session
from unsession.services.find.placed import Place, places_of, the_one


class LocatedSession(msgspec.Struct, frozen=True):
    """Where a session lives."""

    id: str
    event_id: str
    workspace_id: str
    event_slug: str
    code: str
    title: str


def _locate(by: tuple[str, str]) -> AnySelect:
    """A look-up by one kind of identifier, in one place the actor reaches.

    A title names what is on the programme; a cancelled session is found by id and code alone.
    """
    kind, place = by
    column = {
        "id": col(Session.id),
        "code": col(Session.code),
        "title": col(Session.title_folded),
    }[kind]
    where = {"workspace": col(Event.workspace_id), "event": col(Session.event_id)}[place]
    found = (
        select(
            col(Session.id),
            col(Session.event_id),
            col(Event.workspace_id),
            col(Event.slug),
            col(Session.code),
            col(Session.title),
        )
        .join(Event, col(Event.id) == col(Session.event_id))
        .where(column == bindparam("value"), where == bindparam("place"))
    )
    if kind == "title":
        found = found.where(col(Session.cancelled_at).is_(None))
    return found.order_by(col(Session.id)).limit(6)


_LOCATE = Filtered(_locate, LocatedSession)
_CODE = re.compile(r"[0-9A-Z]{6}", re.IGNORECASE)


async def session(ctx: Context, identifier: str, event_ref: str | None) -> LocatedSession:
    """The session an identifier names, if the actor may do the running operation there.

    Refuses with NotFound, Forbidden, or Ambiguous with the candidates.
    """
    missing = NotFound("session", identifier, next_call="list_sessions")

    async def look(kind: str, value: str, place: Place) -> list[LocatedSession]:
        return await ctx.all(_LOCATE[kind, place[0]], value=value, place=place[1])

    return await the_one(
        ctx,
        missing,
        _kinds(identifier.strip()),
        await places_of(ctx, event_ref),
        look,
        lambda row: f"“{row.title}” in {row.event_slug}",
    )


def _kinds(wanted: str) -> list[tuple[str, str]]:
    kinds = []
    if wanted.startswith("ses_"):
        kinds.append(("id", wanted))
    if _CODE.fullmatch(wanted):
        kinds.append(("code", wanted.upper()))
    return [*kinds, ("title", fold(wanted))]
