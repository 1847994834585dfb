"""Where the sessions of a public agenda stand: a list in time order, a grid on wide screens."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from babel.dates import format_date

from unsession.domain.calendar import clock
from unsession.domain.sessions import SessionKind
from unsession.services.agenda.document import Agenda, AgendaSession

_LOCALE = "en_GB"
#: Height of a minute, in rem: with a talk in it, and without.
_TALK, _REST = 0.135, 0.05
TRACK_COLOURS = 6


@dataclass(frozen=True, slots=True)
class RoomHead:
    """A column of the grid."""

    name: str
    capacity: int | None = None


@dataclass(frozen=True, slots=True)
class Card:
    """A session on the agenda."""

    session: AgendaSession
    start: str  #: as the wall clock shows it
    end: str
    place: str
    column: str  #: the number of its room among the day's, or ``all``
    track: int | None
    href: str

    @property
    def is_service(self) -> bool:
        """A break, registration and the like: no page of its own."""
        return self.session.kind is SessionKind.SERVICE

    @property
    def is_for_all(self) -> bool:
        """A talk that takes all rooms."""
        return self.session.all_rooms and not self.is_service

    @property
    def starts(self) -> str:
        """The instant for machines."""
        return self.session.starts_at.isoformat()

    @property
    def ends(self) -> str:
        """The instant for machines."""
        return self.session.ends_at.isoformat()

    @property
    def speakers(self) -> str:
        """Names, one after the other."""
        return ", ".join(speaker.name for speaker in self.session.speakers)


@dataclass(frozen=True, slots=True)
class HourBlock:
    """Everything that starts at one time."""

    start: str
    starts: str
    mark: str  #: wall minute past midnight, as the grid's lines are named
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class DayBlock:
    """A day of the agenda."""

    date: dt.date
    anchor: str
    tab: str
    title: str
    rooms: tuple[RoomHead, ...]
    hours: tuple[HourBlock, ...]


def days_of(agenda: Agenda) -> tuple[DayBlock, ...]:
    """The agenda by day; days without a session are left out."""
    by_date: dict[dt.date, list[AgendaSession]] = {}
    for session in agenda.sessions:
        by_date.setdefault(session.date, []).append(session)
    return tuple(_day(agenda, date, by_date[date]) for date in sorted(by_date))


def track_of(session: AgendaSession) -> int | None:
    """The number of a track's colour."""
    return (session.track.number - 1) % TRACK_COLOURS + 1 if session.track else None


def card(agenda: Agenda, session: AgendaSession, column: str = "") -> Card:
    """A session as lists show it."""
    place = "All rooms" if session.all_rooms else session.room.name if session.room else ""
    return Card(
        session=session,
        start=clock(session.start_minute),
        end=clock(session.start_minute + session.minutes),
        place=place,
        column=column,
        track=track_of(session),
        href=f"/{agenda.event.slug}/sessions/{session.code}",
    )


def _day(agenda: Agenda, date: dt.date, sessions: Sequence[AgendaSession]) -> DayBlock:
    used = {session.room.id for session in sessions if session.room}
    rooms = [room for room in agenda.rooms if room.id in used]
    columns = {room.id: str(number) for number, room in enumerate(rooms, start=1)}
    heads = [RoomHead(room.name, room.capacity or None) for room in rooms]
    if not heads or not all(session.room or session.all_rooms for session in sessions):
        heads.append(RoomHead("Room to be announced"))
    nowhere = str(len(heads))
    cards = [card(agenda, session, _column(session, columns, nowhere)) for session in sessions]
    starts: dict[int, list[Card]] = {}
    for one in cards:
        starts.setdefault(one.session.start_minute, []).append(one)
    return DayBlock(
        date=date,
        anchor=f"day-{date.isoformat()}",
        tab=format_date(date, "EEE d", locale=_LOCALE),
        title=format_date(date, "EEEE d MMMM", locale=_LOCALE),
        rooms=tuple(heads),
        hours=tuple(
            HourBlock(clock(minute), group[0].starts, group[0].session.start, tuple(group))
            for minute, group in sorted(starts.items())
        ),
    )


def _column(session: AgendaSession, columns: Mapping[str, str], nowhere: str) -> str:
    if session.all_rooms:
        return "all"
    return columns.get(session.room.id, nowhere) if session.room else nowhere


def placement_css(days: Sequence[DayBlock]) -> str:
    """The page's one style block: a grid per day, a line per start and end. Numbers only."""
    lines = []
    froms, tos, columns = set(), set(), 0
    for day in days:
        cards = [card for hour in day.hours for card in hour.cards]
        lines.append(
            f"#{day.anchor} .day-grid {{ grid-template: auto {' '.join(_rows(cards))} / "
            f"3.5rem repeat({max(1, len(day.rooms))}, minmax(0, 1fr)); }}"
        )
        froms |= {card.session.start for card in cards}
        tos |= {card.session.end for card in cards}
        columns = max(columns, len(day.rooms))
    lines += [
        f'[data-from="{mark}"] {{ grid-row-start: {_line(mark)}; }}' for mark in sorted(froms)
    ]
    lines += [f'[data-to="{mark}"] {{ grid-row-end: {_line(mark)}; }}' for mark in sorted(tos)]
    lines += [
        f'[data-room="{number}"], .room-head:nth-of-type({number}) {{ grid-column: {number + 1}; }}'
        for number in range(5, columns + 1)
    ]
    return "@media (width >= 60rem) {\n" + "\n".join(lines) + "\n}"


def _line(mark: str) -> str:
    return f"t{mark.replace(':', '')}"


def _rows(cards: Sequence[Card]) -> Iterator[str]:
    """A row from each start or end to the next, as high as what happens in it needs."""
    talks = [
        (one.session.start_minute, one.session.start_minute + one.session.minutes)
        for one in cards
        if not one.is_service
    ]
    marks = {one.session.start_minute: one.session.start for one in cards}
    marks |= {one.session.start_minute + one.session.minutes: one.session.end for one in cards}
    for minute, following in pairwise(sorted(marks)):
        talked = any(start < following and minute < end for start, end in talks)
        height = (following - minute) * (_TALK if talked else _REST)
        yield f"[{_line(marks[minute])}] minmax({height:.2f}rem, auto)"
    yield f"[{_line(marks[max(marks)])}]"
