"""Placing sessions: one place for every verb that gives, changes or takes a slot."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlmodel import col

from unsession.context import Context
from unsession.domain.calendar import minute_of, wall
from unsession.domain.scheduling import Clash, clashes, clashes_of
from unsession.errors import Invalid, Problem
from unsession.models import Placement, Schedule, Session
from unsession.services import find
from unsession.services.sessions import rows

#: The longest slot: a night and the day after it.
MAX_MINUTES = 24 * 60


@dataclass(frozen=True, slots=True)
class Wish:
    """What a caller says about a slot; what is None stays as it is."""

    day: str | int | None = None
    start: str | None = None
    minutes: int | None = None
    room: str | None = None
    no_room: bool = False
    all_rooms: bool | None = None

    @property
    def says_something(self) -> bool:
        """Whether the slot is meant at all; the length alone belongs to the session."""
        said = (self.day, self.start, self.room, self.all_rooms)
        return self.no_room or any(part is not None for part in said)


async def working_schedule(ctx: Context, event_id: str) -> Schedule:
    """The working schedule of an event, locked; made when the event has none yet.

    Every write that places touches it: its version is what two writers at once collide on.
    """
    found = await ctx.session.execute(
        select(Schedule)
        .where(col(Schedule.event_id) == event_id, col(Schedule.is_working))
        .with_for_update()
    )
    schedule = found.scalar_one_or_none()
    if schedule is None:
        schedule = Schedule(event_id=event_id, name="Working schedule", is_working=True)
        ctx.session.add(schedule)
        await ctx.session.flush()
    return schedule


async def slot_of(ctx: Context, session_id: str, schedule: Schedule) -> Placement | None:
    """A session's slot on a schedule."""
    found = await ctx.session.execute(
        select(Placement)
        .where(col(Placement.schedule_id) == schedule.id, col(Placement.session_id) == session_id)
        .with_for_update()
    )
    return found.scalar_one_or_none()


async def place(ctx: Context, session: Session, wish: Wish) -> Placement:
    """Give a session a slot, or change the one it has.

    A first slot needs day and start. Refuses with Invalid what is no day of the event or no
    time, and a room beside all rooms; a clash is no refusal.
    """
    schedule = await working_schedule(ctx, session.event_id)
    slot = await slot_of(ctx, session.id, schedule)
    date, start = await _when(ctx, session.event_id, wish, slot)
    room_id, all_rooms = await _where(ctx, session.event_id, wish, slot)
    if slot is None:
        slot = Placement(
            schedule_id=schedule.id,
            session_id=session.id,
            date=date,
            start_minute=start,
            minutes=session.minutes,
            room_id=room_id,
            all_rooms=all_rooms,
        )
        ctx.session.add(slot)
    else:
        slot.date, slot.start_minute, slot.minutes = date, start, session.minutes
        slot.room_id, slot.all_rooms = room_id, all_rooms
    if slot in ctx.session.new or ctx.session.is_modified(slot):
        _touch(ctx, schedule, session)
    await ctx.session.flush()
    return slot


async def take_off(ctx: Context, session: Session) -> bool:
    """Take a session off the schedule. False when it was not on it."""
    schedule = await working_schedule(ctx, session.event_id)
    slot = await slot_of(ctx, session.id, schedule)
    if slot is None:
        return False
    await ctx.session.delete(slot)
    _touch(ctx, schedule, session)
    await ctx.session.flush()
    return True


async def stretch(ctx: Context, session: Session) -> bool:
    """Let the slot of a session last as long as the session does now. False: nothing to do."""
    schedule = await working_schedule(ctx, session.event_id)
    slot = await slot_of(ctx, session.id, schedule)
    if slot is None or slot.minutes == session.minutes:
        return False
    slot.minutes = session.minutes
    _touch(ctx, schedule, session)
    await ctx.session.flush()
    return True


async def clashes_with(ctx: Context, session: Session) -> list[Clash]:
    """What a session's slot collides with on the working schedule, and said as warnings."""
    here = {"event": session.event_id}
    placed, line_ups, days = await ctx.together(
        (rows.PLACED, here), (rows.LINE_UPS, here), (rows.DAYS, here)
    )
    found = clashes_of(session.id, clashes(rows.placed(placed, line_ups), rows.hours(days)))
    for clash in found:
        ctx.writing.warn(f"clash_{clash.kind.value}", clash.text)
    return found


def _touch(ctx: Context, schedule: Schedule, session: Session) -> None:
    """Both versions grow: the schedule owns the placement, the session is what callers read."""
    schedule.updated_at = ctx.now
    session.updated_at = ctx.now


async def _when(
    ctx: Context, event_id: str, wish: Wish, slot: Placement | None
) -> tuple[dt.date, int]:
    problems = []
    date, start = (slot.date, slot.start_minute) if slot else (None, None)
    if wish.day is not None:
        date = day_of(wish.day, await ctx.all(rows.DAYS, event=event_id))
    elif date is None:
        problems.append(Problem("/day", "is required with start to place a session"))
    if wish.start is not None:
        start = minute_of(wish.start)
        if start is None:
            problems.append(
                Problem("/start", "must be HH:MM, at most 36:00", got=repr(wish.start[:20]))
            )
    elif start is None:
        problems.append(Problem("/start", "is required with day to place a session"))
    if problems or date is None or start is None:
        raise Invalid(problems)
    return date, start


async def _where(
    ctx: Context, event_id: str, wish: Wish, slot: Placement | None
) -> tuple[str | None, bool]:
    if wish.room is not None and wish.all_rooms:
        raise Invalid.at("/allRooms", "cannot stand beside a room: name one or all")
    if wish.room is not None:
        return (await find.room(ctx, event_id, wish.room)).id, False
    if wish.all_rooms:
        return None, True
    room_id, all_rooms = (slot.room_id, slot.all_rooms) if slot else (None, False)
    if wish.no_room:
        room_id = None
    if wish.all_rooms is False:
        all_rooms = False
    return room_id, all_rooms


def day_of(wanted: str | int, days: Sequence[rows.DayRow]) -> dt.date:
    """The date a caller's day names. Refuses with Invalid, with the days there are."""
    known = {row.date.isoformat(): row.date for row in days}
    known |= {str(number): row.date for number, row in enumerate(days, start=1)}
    date = known.get(str(wanted))
    if date is None:
        listed = ", ".join(
            f"{number} ({row.date.isoformat()})" for number, row in enumerate(days, start=1)
        )
        raise Invalid.at(
            "/day",
            f"must be one of {listed}" if days else "names no day: the event has none yet",
            got=repr(wanted)[:20],
        )
    return date


def slot_words(slot: Placement, room: str | None) -> str:
    """A slot in a sentence: ``Thu 20 May 10:00, Main hall``."""
    where = "all rooms" if slot.all_rooms else room
    when = f"{slot.date:%a} {slot.date.day} {slot.date:%b} {wall(slot.start_minute)}"
    return f"{when}, {where}" if where else when
