"""Events: created with what every event has, and changed."""

import datetime as dt
import functools
import zoneinfo
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, operation, patch, post
from unsession.context import Context
from unsession.domain.calendar import minute_of
from unsession.domain.events import ConfirmedBy, EventMode
from unsession.domain.slugs import may_name_event
from unsession.domain.text import fold, typed_line, typed_text
from unsession.errors import Conflict, Invalid, Problem
from unsession.models import (
    Event,
    EventDay,
    Placement,
    Schedule,
    Session,
    Taxonomy,
    TaxonomyOption,
)
from unsession.services import events, find
from unsession.services.accounts.persons import require_address
from unsession.services.events import EventFull
from unsession.services.refs import EventRef, Version, WorkspaceRef
from unsession.services.setup.names import name_of

_MAX_DAYS = 31
_OPENS, _CLOSES = 9 * 60, 18 * 60

EventName = Annotated[str, Meta(min_length=1, max_length=120, description="The event's name.")]
Slug = Annotated[
    str,
    Meta(
        pattern="^[a-z0-9]+(-[a-z0-9]+)*$",
        max_length=60,
        description="Its address: a–z, 0–9 and hyphens, unique in the installation.",
    ),
]
Zone = Annotated[
    str, Meta(max_length=60, description="IANA time zone of the programme: Europe/Lisbon.")
]
Venue = Annotated[str, Meta(max_length=200, description="Where it takes place.")]
Description = Annotated[str, Meta(max_length=5000, description="About the event.")]
Accent = Annotated[str, Meta(pattern="^#[0-9a-fA-F]{6}$", description="Its colour: #1d4ed8.")]

ContactAddress = Annotated[
    str,
    Meta(max_length=320, description="Public e-mail address; answers to its mail go there."),
]

#: What every new event begins with: key, name, options with their minutes.
_TAXONOMIES: tuple[tuple[str, str, tuple[tuple[str, int | None], ...]], ...] = (
    ("track", "Track", ()),
    ("format", "Format", (("Talk", 30), ("Workshop", 90), ("Lightning talk", 10))),
    ("level", "Level", (("Beginner", None), ("Intermediate", None), ("Advanced", None))),
)


class NewEvent(Input):
    """A new event, wherever it comes to lie."""

    name: EventName
    slug: Slug
    starts_on: Annotated[dt.date, Meta(description="First day.")]
    ends_on: Annotated[dt.date, Meta(description="Last day.")]
    zone: Zone
    venue: Venue | UnsetType = UNSET
    mode: Annotated[EventMode, Meta(description="in_person, online or hybrid.")] = (
        EventMode.IN_PERSON
    )
    description: Description | UnsetType = UNSET


class CreateEvent(NewEvent):
    """A new event in a workspace."""

    workspace: WorkspaceRef | UnsetType = UNSET


@operation(
    title="Create an event",
    rest=post("/events"),
    needs=Permission.WORKSPACE_RUN,
    destructive=False,
    creates="get_event",
)
async def create_event(ctx: Context, args: CreateEvent) -> EventFull:
    """Create an event in a workspace with its days, a format and level list and a schedule.

    Each day opens at 09:00 and closes at 18:00 until you change it. Tracks and rooms are yours
    to add (save_taxonomy_option, save_room).

    Refuses with: not_found (workspace), forbidden, conflict (the slug is taken), invalid.
    """
    owner = await find.workspace(ctx, args.workspace or None)
    event = await add_event(ctx, owner.id, args)
    ctx.writing.about(
        event, f"Event “{event.name}” created", workspace_id=owner.id, event_id=event.id
    )
    await ctx.session.flush()
    return await events.full(ctx, await find.event(ctx, event.id))


async def add_event(ctx: Context, workspace_id: str, args: NewEvent, at: str = "") -> Event:
    """Add an event with what every event begins with to a workspace the actor may do that in.

    ``at`` is where its fields stand in what was sent. Refuses with Invalid.
    """
    name = name_of(args.name, f"{at}/name")
    _check(args.starts_on, args.ends_on, args.zone, args.slug, at)
    await _check_free(ctx, args.slug, at)
    event = Event(
        workspace_id=workspace_id,
        name=name,
        name_folded=fold(name),
        slug=args.slug,
        starts_on=args.starts_on,
        ends_on=args.ends_on,
        zone=args.zone,
        venue=typed_line(args.venue or "") or None,
        mode=args.mode,
        description=typed_text(args.description or "") or None,
    )
    ctx.session.add(event)
    await ctx.session.flush()
    ctx.session.add_all(
        EventDay(event_id=event.id, date=date, opens_minute=_OPENS, closes_minute=_CLOSES)
        for date in _dates(args.starts_on, args.ends_on)
    )
    ctx.session.add(Schedule(event_id=event.id, name="Working schedule", is_working=True))
    await _begin_taxonomies(ctx, event)
    return event


async def _begin_taxonomies(ctx: Context, event: Event) -> None:
    for position, (key, name, options) in enumerate(_TAXONOMIES):
        taxonomy = Taxonomy(event_id=event.id, key=key, name=name, position=position)
        ctx.session.add(taxonomy)
        await ctx.session.flush()
        ctx.session.add_all(
            TaxonomyOption(
                taxonomy_id=taxonomy.id,
                name=option,
                name_folded=fold(option),
                minutes=minutes,
                position=at,
            )
            for at, (option, minutes) in enumerate(options)
        )


class DayHours(Input):
    """One day's opening hours, wall time; past midnight as 25:30."""

    date: Annotated[dt.date, Meta(description="The day.")]
    opens: Annotated[str, Meta(description="HH:MM.")]
    closes: Annotated[str, Meta(description="HH:MM, later than opens.")]


class UpdateEvent(Input):
    """What changes; what is left out stays."""

    event: EventRef
    name: EventName | UnsetType = UNSET
    starts_on: Annotated[dt.date, Meta(description="First day.")] | UnsetType = UNSET
    ends_on: Annotated[dt.date, Meta(description="Last day.")] | UnsetType = UNSET
    zone: Zone | UnsetType = UNSET
    venue: Venue | None | UnsetType = UNSET
    mode: Annotated[EventMode, Meta(description="in_person, online or hybrid.")] | UnsetType = UNSET
    description: Description | None | UnsetType = UNSET
    accent: Accent | None | UnsetType = UNSET
    contact_address: ContactAddress | None | UnsetType = UNSET
    confirmed_by: (
        Annotated[ConfirmedBy, Meta(description="any: one speaker's yes is enough; or all.")]
        | UnsetType
    ) = UNSET
    days: (
        Annotated[list[DayHours], Meta(max_length=_MAX_DAYS, description="Opening hours to set.")]
        | UnsetType
    ) = UNSET
    version: Version | UnsetType = UNSET


@operation(
    title="Change an event",
    rest=patch("/events/{event}"),
    needs=Permission.EVENT_SET_UP,
    undo=True,
    idempotent=True,
)
async def update_event(ctx: Context, args: UpdateEvent) -> EventFull:
    """Change an event's name, dates, zone, place, colour, contact, rules and opening hours.

    Days that fall out of new dates go, new ones open from 09:00 to 18:00. A day with placed
    sessions does not go: move them first. The programme keeps its wall time in a new zone.

    Refuses with: not_found, forbidden, invalid, conflict, stale.
    """
    place = await find.event(ctx, args.event)
    event = await ctx.session.get_one(Event, place.id, with_for_update=True)
    ctx.writing.about(
        event,
        f"Event “{event.name}” changed",
        workspace_id=place.workspace_id,
        event_id=place.id,
    )
    ctx.expect(event, args.version)
    starts = args.starts_on if args.starts_on is not UNSET else event.starts_on
    ends = args.ends_on if args.ends_on is not UNSET else event.ends_on
    _check(starts, ends, args.zone if args.zone is not UNSET else event.zone, None)
    if args.name is not UNSET:
        event.name = name_of(args.name)
        event.name_folded = fold(event.name)
    if args.venue is not UNSET:
        event.venue = typed_line(args.venue or "") or None
    if args.description is not UNSET:
        event.description = typed_text(args.description or "") or None
    if args.contact_address is not UNSET:
        address = typed_line(args.contact_address or "")
        event.contact_address = require_address(address, "/contactAddress") if address else None
    for name in ("zone", "mode", "accent", "confirmed_by"):
        value: Any = getattr(args, name)
        if value is not UNSET and value != getattr(event, name):
            setattr(event, name, value)
    if (starts, ends) != (event.starts_on, event.ends_on):
        event.starts_on, event.ends_on = starts, ends
    await _set_days(ctx, event, args.days if args.days is not UNSET else [])
    await ctx.session.flush()
    return await events.full(ctx, await find.event(ctx, event.id))


async def _set_days(ctx: Context, event: Event, hours: list[DayHours]) -> None:
    found = await ctx.session.execute(
        select(EventDay).where(col(EventDay.event_id) == event.id).with_for_update()
    )
    days = {day.date: day for day in found.scalars()}
    wanted = _dates(event.starts_on, event.ends_on)
    await _check_leaving(ctx, event, [date for date in days if date not in wanted])
    for date, day in days.items():
        if date not in wanted:
            await ctx.session.delete(day)
    for date in wanted:
        if date not in days:
            days[date] = EventDay(
                event_id=event.id, date=date, opens_minute=_OPENS, closes_minute=_CLOSES
            )
            ctx.session.add(days[date])
    for at, one in enumerate(hours):
        opens, closes = minute_of(one.opens), minute_of(one.closes)
        if one.date not in wanted:
            raise Invalid.at(f"/days/{at}/date", "is no day of the event", got=str(one.date))
        if opens is None or closes is None or closes <= opens:
            raise Invalid.at(f"/days/{at}", "must open before it closes, as HH:MM")
        days[one.date].opens_minute, days[one.date].closes_minute = opens, closes


async def _check_leaving(ctx: Context, event: Event, leaving: list[dt.date]) -> None:
    if not leaving:
        return
    found = await ctx.session.execute(
        select(col(Session.title))
        .join(Placement, col(Placement.session_id) == col(Session.id))
        .join(Schedule, col(Schedule.id) == col(Placement.schedule_id))
        .where(
            col(Schedule.event_id) == event.id,
            col(Schedule.is_working),
            col(Placement.date).in_(leaving),
        )
        .limit(5)
    )
    titles = list(found.scalars())
    if titles:
        listed = ", ".join(f"“{title}”" for title in titles)
        raise Conflict(f"Sessions are placed on a day that would go: {listed}. Move them first.")


@functools.cache
def zones() -> frozenset[str]:
    """The IANA zones an event can be in."""
    return frozenset(zoneinfo.available_timezones())


def _dates(starts: dt.date, ends: dt.date) -> list[dt.date]:
    return [starts + dt.timedelta(days=n) for n in range((ends - starts).days + 1)]


def _check(starts: dt.date, ends: dt.date, zone: str, slug: str | None, at: str = "") -> None:
    problems = []
    if ends < starts:
        problems.append(Problem(f"{at}/endsOn", "must not lie before the first day", got=str(ends)))
    elif (ends - starts).days >= _MAX_DAYS:
        problems.append(Problem(f"{at}/endsOn", f"makes more than {_MAX_DAYS} days", got=str(ends)))
    if zone not in zones():
        problems.append(
            Problem(f"{at}/zone", "must be an IANA zone such as Europe/Lisbon", got=repr(zone))
        )
    if slug is not None and not may_name_event(slug):
        problems.append(
            Problem(f"{at}/slug", "is the address of one of our own pages", got=repr(slug))
        )
    if problems:
        raise Invalid(problems)


async def _check_free(ctx: Context, slug: str, at: str) -> None:
    found = await ctx.session.execute(select(col(Event.id)).where(col(Event.slug) == slug))
    if found.first() is not None:
        raise Invalid.at(f"{at}/slug", "another event already has this address", got=repr(slug))
