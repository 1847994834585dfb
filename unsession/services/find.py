"""The one door from an outside identifier to a row.

It requires the running operation's permission, so a verb does not name it a second time, and it
answers "does not exist" and "not yours" with the same sentence. An exact match of a stronger
kind (id, then code or slug, then number, then name) wins; several of one kind are ambiguous.
"""

import datetime as dt
import re
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec
from sqlalchemy import bindparam, or_, select
from sqlmodel import col

from unsession.context import Context
from unsession.db.prepared import AnySelect, Filtered, Prepared
from unsession.domain.events import EventMode
from unsession.domain.text import fold
from unsession.errors import Ambiguous, Candidate, NotFound
from unsession.models import EvaluationPlan, Event, Form, Submission, Taxonomy, TaxonomyOption

T = TypeVar("T")


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
    rows = await ctx.point(EVENT_BY_REF, ref=identifier, folded=fold(identifier))
    reached = [row for row in rows if ctx.actor.reaches(row.workspace_id, row.id)]
    found = _strongest(
        reached,
        lambda row: row.id == identifier,
        lambda row: row.slug == identifier,
        lambda row: row.name_folded == fold(identifier),
    )
    if not found:
        raise missing
    if len(found) > 1:
        raise Ambiguous(
            "event", identifier, [Candidate(r.id, f"{r.name}, {r.slug}") for r in found]
        )
    ctx.actor.require(ctx.needs, found[0].workspace_id, found[0].id, missing)
    return found[0]


class Located(msgspec.Struct, frozen=True):
    """Where a submission lives."""

    id: str
    event_id: str
    workspace_id: str
    event_slug: str
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
    wanted = identifier.strip()
    slug, slash, rest = wanted.rpartition("/")
    if slash and slug and _NUMBER.fullmatch(rest):
        wanted, event_ref = rest, slug
    if event_ref is not None:
        places = [("event", (await event(ctx, event_ref)).id)]
    else:
        places = [
            ("event", reach.event_id) if reach.event_id else ("workspace", reach.workspace_id)
            for reach in ctx.actor.places()
        ]
    for kind, value in _kinds(wanted):
        rows = [
            row
            for place, place_id in places
            for row in await ctx.point(LOCATE[kind, place], value=value, place=place_id)
            if ctx.actor.reaches(row.workspace_id, row.event_id)
        ]
        if len(rows) > 1:
            candidates = [
                Candidate(row.id, f"SUB-{row.number} “{row.title}” in {row.event_slug}")
                for row in rows
            ]
            raise Ambiguous("submission", identifier, candidates)
        if rows:
            ctx.actor.require(ctx.needs, rows[0].workspace_id, rows[0].event_id, missing)
            return rows[0]
    raise missing


def _kinds(wanted: str) -> list[tuple[str, str | int]]:
    kinds: list[tuple[str, str | int]] = []
    if wanted.startswith("sub_"):
        kinds.append(("id", wanted))
    if _CODE.fullmatch(wanted):
        kinds.append(("code", wanted.upper()))
    if number := _NUMBER.fullmatch(wanted):
        kinds.append(("number", int(number[1])))
    return [*kinds, ("title", fold(wanted))]


class Named(msgspec.Struct, frozen=True):
    """Anything of an event that is found by id or exact name."""

    id: str
    name: str
    name_folded: str
    slug: str


_FORMS = Prepared(
    select(col(Form.id), col(Form.name), col(Form.name_folded), col(Form.slug)).where(
        col(Form.event_id) == bindparam("event")
    ),
    Named,
)
_PLANS = Prepared(
    select(
        col(EvaluationPlan.id),
        col(EvaluationPlan.name),
        col(EvaluationPlan.name_folded),
        col(EvaluationPlan.id),
    ).where(col(EvaluationPlan.event_id) == bindparam("event")),
    Named,
)
_OPTIONS = Prepared(
    select(
        col(TaxonomyOption.id),
        col(TaxonomyOption.name),
        col(TaxonomyOption.name_folded),
        col(TaxonomyOption.id),
    )
    .join(Taxonomy, col(Taxonomy.id) == col(TaxonomyOption.taxonomy_id))
    .where(col(Taxonomy.event_id) == bindparam("event"), col(Taxonomy.key) == bindparam("key")),
    Named,
)


async def form(ctx: Context, event_id: str, identifier: str) -> Named:
    """A form of an event already found, by id, slug or exact name."""
    return _named("form", identifier, await ctx.all(_FORMS, event=event_id))


async def plan(ctx: Context, event_id: str, identifier: str) -> Named:
    """An evaluation plan of an event already found, by id or exact name."""
    return _named("evaluation plan", identifier, await ctx.all(_PLANS, event=event_id))


async def option(ctx: Context, event_id: str, key: str, identifier: str) -> Named:
    """An option of one taxonomy (``track``, ``format`` …), by id or exact name."""
    return _named(key, identifier, await ctx.all(_OPTIONS, event=event_id, key=key))


def _named(kind: str, identifier: str, rows: Sequence[Named]) -> Named:
    folded = fold(identifier)
    found = _strongest(
        rows,
        lambda row: row.id == identifier,
        lambda row: row.slug == identifier,
        lambda row: row.name_folded == folded,
    )
    if not found:
        raise NotFound(kind, identifier, next_call="get_event")
    if len(found) > 1:
        raise Ambiguous(kind, identifier, [Candidate(row.id, row.name) for row in found])
    return found[0]


def _strongest(rows: Sequence[T], *tests: Callable[[T], bool]) -> list[T]:
    for test in tests:
        if found := [row for row in rows if test(row)]:
            return found
    return []
