"""Tasks by id or exact name."""

from typing import Any

import msgspec
from sqlalchemy import ColumnElement, bindparam, func, or_, select
from sqlmodel import col

from unsession.context import Context
from unsession.db.prepared import AnySelect, Filtered
from unsession.domain.tasks import TaskStatus
from unsession.domain.text import fold
from unsession.errors import NotFound
from unsession.models import Event, Session, SessionSpeaker, Speaker, Task
from unsession.services.find.placed import Place, places_of, the_one
from unsession.services.find.speakers import speaker


class LocatedTask(msgspec.Struct, frozen=True):
    """Where a task lives, and whose it is."""

    id: str
    event_id: str
    workspace_id: str
    event_slug: str
    name: str
    target: str


def owed_by(speaker_id: Any) -> ColumnElement[bool]:
    """A task is a speaker's if it is their own or their session's, unless they declined that."""
    return or_(
        col(Task.speaker_id) == speaker_id,
        col(Task.session_id).in_(
            select(col(SessionSpeaker.session_id))
            .where(
                col(SessionSpeaker.speaker_id) == speaker_id,
                col(SessionSpeaker.declined_at).is_(None),
            )
            .correlate_except(SessionSpeaker)
        ),
    )


def _locate(by: tuple[str, str, bool]) -> AnySelect:
    """By one kind of identifier in one place; a name never means a cancelled task."""
    kind, place, of_speaker = by
    column = {"id": col(Task.id), "name": col(Task.name_folded)}[kind]
    where = {"workspace": col(Event.workspace_id), "event": col(Task.event_id)}[place]
    found = (
        select(
            col(Task.id),
            col(Task.event_id),
            col(Event.workspace_id),
            col(Event.slug),
            col(Task.name),
            func.coalesce(col(Speaker.name), col(Session.title)),
        )
        .join(Event, col(Event.id) == col(Task.event_id))
        .outerjoin(Speaker, col(Speaker.id) == col(Task.speaker_id))
        .outerjoin(Session, col(Session.id) == col(Task.session_id))
        .where(column == bindparam("value"), where == bindparam("place"))
    )
    if kind == "name":
        found = found.where(col(Task.status) != TaskStatus.CANCELLED)
    if of_speaker:
        found = found.where(owed_by(bindparam("speaker")))
    return found.order_by(col(Task.id)).limit(6)


_LOCATE = Filtered(_locate, LocatedTask)


async def task(
    ctx: Context, identifier: str, event_ref: str | None, speaker_ref: str | None
) -> LocatedTask:
    """The task an identifier names, if the actor may do the running operation there.

    ``speaker_ref`` says whose, where a name is many people's. Refuses with NotFound, Forbidden,
    or Ambiguous with the candidates.
    """
    missing = NotFound("task", identifier, next_call="list_tasks")
    wanted = identifier.strip()
    whose = await speaker(ctx, speaker_ref, event_ref) if speaker_ref is not None else None
    places = [("event", whose.event_id)] if whose else await places_of(ctx, event_ref)
    of = {"speaker": whose.id} if whose is not None else {}

    async def look(kind: str, value: str, place: Place) -> list[LocatedTask]:
        statement = _LOCATE[kind, place[0], whose is not None]
        return await ctx.all(statement, value=value, place=place[1], **of)

    return await the_one(
        ctx,
        missing,
        (("id", wanted), ("name", fold(wanted))),
        places,
        look,
        lambda row: f"{row.name}: {row.target}, {row.event_slug}",
    )
