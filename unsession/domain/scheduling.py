"""Clashes: what on a schedule cannot both happen. One engine for pages, doors and releases."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from unsession.domain.calendar import DAY, clock


class ClashKind(StrEnum):
    """What is in the way of what."""

    ROOM = "room"  #: one room, two sessions
    SPEAKER = "speaker"  #: one person, two sessions
    ALL_ROOMS = "all_rooms"  #: something for everybody, and another session beside it
    HOURS = "hours"  #: before the day opens, after it closes, or on no day of the event


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in a line-up."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Placed:
    """A session with its place. ``room`` and ``all_rooms`` are never both there."""

    session_id: str
    title: str
    date: dt.date
    start: int
    minutes: int
    room_id: str | None = None
    room: str = ""
    all_rooms: bool = False
    people: tuple[Person, ...] = ()

    @property
    def begins(self) -> int:
        """Minutes since the calendar's first day: a night counts on across midnight."""
        return self.date.toordinal() * DAY + self.start

    @property
    def ends(self) -> int:
        """The first minute in which the session is over."""
        return self.begins + self.minutes


@dataclass(frozen=True, slots=True)
class Hours:
    """From when to when a day of the event runs."""

    date: dt.date
    opens: int
    closes: int


@dataclass(frozen=True, slots=True)
class Clash:
    """One thing wrong. ``other`` is the second session; nobody's when it is about the hours."""

    kind: ClashKind
    one: Placed
    other: Placed | None = None
    who: str = ""  #: the person, or the room, that is wanted twice

    @property
    def sessions(self) -> tuple[str, ...]:
        """The ids of the sessions concerned."""
        return (
            (self.one.session_id, self.other.session_id) if self.other else (self.one.session_id,)
        )

    @property
    def text(self) -> str:
        """The clash as a sentence."""
        one, other = self.one, self.other
        if other is None:
            return f"“{one.title}” at {clock(one.start)} is outside the hours of the day."
        at = clock(max(one.begins, other.begins) % DAY)
        pair = f"“{one.title}” and “{other.title}”"
        if self.kind is ClashKind.SPEAKER:
            return f"{self.who} is in {pair} at {at}."
        if self.kind is ClashKind.ROOM:
            return f"{self.who} holds {pair} at {at}."
        return f"“{one.title}” takes all rooms while “{other.title}” runs at {at}."


def clashes(placed: Iterable[Placed], days: Sequence[Hours]) -> list[Clash]:
    """Every clash of a schedule, in the order in which they begin.

    Touching is no clash: one may end when the next begins. Costs n log n and the clashes
    themselves.
    """
    ordered = sorted(placed, key=lambda one: (one.begins, one.session_id))
    found = [*_twice(ordered), *_beside(ordered), *_outside(ordered, days)]
    order = list(ClashKind)
    found.sort(
        key=lambda clash: (
            max(placed.begins for placed in (clash.one, clash.other) if placed),
            order.index(clash.kind),
            clash.sessions,
            clash.who,
        )
    )
    return found


def clashes_of(session_id: str, found: Iterable[Clash]) -> list[Clash]:
    """Those that concern one session."""
    return [clash for clash in found if session_id in clash.sessions]


def _twice(ordered: Sequence[Placed]) -> Iterator[Clash]:
    """One room or one person wanted by two sessions at once."""
    rooms: dict[str, list[Placed]] = defaultdict(list)
    people: dict[str, list[tuple[Placed, str]]] = defaultdict(list)
    for placed in ordered:
        if placed.room_id is not None:
            rooms[placed.room_id].append(placed)
        for person in placed.people:
            people[person.id].append((placed, person.name))
    for sessions in rooms.values():
        for one, other in _overlapping(sessions):
            yield Clash(ClashKind.ROOM, one, other, one.room)
    for appearances in people.values():
        for one, other in _overlapping([placed for placed, _ in appearances]):
            yield Clash(ClashKind.SPEAKER, one, other, appearances[0][1])


def _beside(ordered: Sequence[Placed]) -> Iterator[Clash]:
    """Something that takes all rooms, and whatever runs in a room or takes all of them too."""
    somewhere = [placed for placed in ordered if placed.all_rooms or placed.room_id is not None]
    for one, other in _overlapping(somewhere):
        if one.all_rooms or other.all_rooms:
            first, second = (one, other) if one.all_rooms else (other, one)
            yield Clash(ClashKind.ALL_ROOMS, first, second)


def _outside(ordered: Sequence[Placed], days: Sequence[Hours]) -> Iterator[Clash]:
    hours = {day.date: day for day in days}
    for placed in ordered:
        day = hours.get(placed.date)
        if day is None or placed.start < day.opens or placed.start + placed.minutes > day.closes:
            yield Clash(ClashKind.HOURS, placed)


def _overlapping(ordered: Sequence[Placed]) -> Iterator[tuple[Placed, Placed]]:
    """Pairs that share a minute, of sessions in the order of their beginnings."""
    running: list[Placed] = []
    for placed in ordered:
        running = [earlier for earlier in running if earlier.ends > placed.begins]
        for earlier in running:
            yield earlier, placed
        running.append(placed)
