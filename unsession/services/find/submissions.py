"""Submissions by id, code, number, event-slug/number or exact title."""

import re

import msgspec
from sqlalchemy import bindparam, select
from sqlmodel import col

from unsession.context import Context
from unsession.db.prepared import AnySelect, Filtered
from unsession.domain.text import fold
from unsession.errors import NotFound
from unsession.models import Event, Submission
from unsession.services.find.placed import Place, places_of, the_one


class Located(msgspec.Struct, frozen=True):
    """Where a submission lives."""

    id: str
    event_id: str
    workspace_id: str
    event_slug: str
    event_name: str
    number: int | None
    code: str
    title: str


def _locate(by: tuple[str, str]) -> AnySelect:
    """A look-up by one kind of identifier, in one place the actor reaches."""
    kind, place = by
    column = {
        "id": col(Submission.id),
        "code": col(Submission.code),
        "number": col(Submission.number),
        "title": col(Submission.title_folded),
    }[kind]
    where = {"workspace": col(Event.workspace_id), "event": col(Submission.event_id)}[place]
    return (
        select(
            col(Submission.id),
            col(Submission.event_id),
            col(Event.workspace_id),
            col(Event.slug),
            col(Event.name),
            col(Submission.number),
            col(Submission.code),
            col(Submission.title),
        )
        .join(Event, col(Event.id) == col(Submission.event_id))
        .where(column == bindparam("value"), where == bindparam("place"))
        .order_by(col(Submission.id))
        .limit(6)
    )


LOCATE = Filtered(_locate, Located)

_NUMBER = re.compile(r"(?:SUB-)?([1-9][0-9]{0,8})", re.IGNORECASE)
_CODE = re.compile(r"[0-9A-Z]{6}", re.IGNORECASE)


async def submission(ctx: Context, identifier: str, event_ref: str | None) -> Located:
    """The submission an identifier names, if the actor may do the running operation there.

    ``event_ref`` narrows it to one event, as does ``event-slug/SUB-141``. Refuses with NotFound,
    Forbidden, or Ambiguous with the candidates.
    """
    missing = NotFound("submission", identifier, next_call="list_submissions")
    wanted, slug = split_event(identifier)

    async def look(kind: str, value: str | int, place: Place) -> list[Located]:
        return await ctx.all(LOCATE[kind, place[0]], value=value, place=place[1])

    places = await places_of(ctx, slug or event_ref)
    return await the_one(ctx, missing, kinds_of(wanted), places, look, _label)


def _label(row: Located) -> str:
    named = f"SUB-{row.number}" if row.number else "draft"
    return f"{named} “{row.title}” in {row.event_slug}"


def split_event(identifier: str) -> tuple[str, str | None]:
    """``devconf-2027/SUB-141`` as number and event; anything else as it is."""
    wanted = identifier.strip()
    slug, slash, rest = wanted.rpartition("/")
    return (rest, slug) if slash and slug and _NUMBER.fullmatch(rest) else (wanted, None)


def kinds_of(wanted: str) -> list[tuple[str, str | int]]:
    """What an identifier may be, the strongest first: (column, value)."""
    kinds: list[tuple[str, str | int]] = []
    if wanted.startswith("sub_"):
        kinds.append(("id", wanted))
    if _CODE.fullmatch(wanted):
        kinds.append(("code", wanted.upper()))
    if number := _NUMBER.fullmatch(wanted):
        kinds.append(("number", int(number[1])))
    return [*kinds, ("title", fold(wanted))]
