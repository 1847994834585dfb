"""The agenda page's grid: rooms across, time down, one row for five minutes."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from babel.dates import format_date
from markupsafe import Markup

from unsession.domain.calendar import clock
from unsession.domain.scheduling import Clash, ClashKind
from unsession.domain.sessions import SessionStatus
from unsession.services.sessions.board import Board
from unsession.services.sessions.rows import SEPARATOR, DayRow, ListedSession

_LOCALE = "en_GB"
_STEP = 5  # minutes in a row
_FIRST = 3  # the row in which the day begins, below the rooms' names
_ROW, _LINE = 7, 17  # pixels of a row and of a line of text
TRACK_COLOURS = 6


@dataclass(frozen=True, slots=True)
class DayTab:
    """A day to go to."""

    number: int
    label: str
    title: str


@dataclass(frozen=True, slots=True)
class Column:
    """A room, or where sessions without one stand."""

    id: str
    name: str
    capacity: int | None


@dataclass(frozen=True, slots=True)
class Block:
    """A session on the grid or in the tray."""

    id: str
    code: str
    title: str
    speakers: str
    minutes: int
    start: str
    end: str
    room: str
    track: int | None
    is_pending: bool
    is_for_all: bool
    clashes: bool

    @property
    def names_speakers(self) -> bool:
        """Whether there is room for a line of names below the title."""
        return bool(self.speakers) and _lines(self.minutes // _STEP) > 2


@dataclass(frozen=True, slots=True)
class ClashLine:
    """A clash with what its sentence needs."""

    kind: str
    who: str
    at: str
    one: str  #: title
    one_code: str
    one_day: int
    other: str
    other_code: str
    other_day: int


@dataclass(frozen=True, slots=True)
class Grid:
    """A day of the working schedule."""

    columns: tuple[Column, ...]
    hours: tuple[tuple[int, str], ...]  #: row, and what the clock shows
    blocks: tuple[Block, ...]
    style: Markup


def tabs(days: Sequence[DayRow]) -> tuple[DayTab, ...]:
    """The days of the event."""
    return tuple(
        DayTab(
            number,
            format_date(day.date, "EEE d", locale=_LOCALE),
            format_date(day.date, "EEEE d MMMM", locale=_LOCALE),
        )
        for number, day in enumerate(days, start=1)
    )


def block(board: Board, session: ListedSession) -> Block:
    """A session as the page shows it."""
    tracks = board.tracks()
    mine = [tracks[one] for one in (session.options or "").split() if one in tracks]
    start = session.start_minute or 0
    clashing = {one for clash in board.clashes for one in clash.sessions}
    return Block(
        id=session.id,
        code=session.code,
        title=session.title,
        speakers=", ".join((session.speakers or "").split(SEPARATOR)),
        minutes=session.minutes,
        start=clock(start),
        end=clock(start + (session.slot_minutes or 0)),
        room=session.room or "",
        track=(mine[0] - 1) % TRACK_COLOURS + 1 if mine else None,
        is_pending=session.status is SessionStatus.PENDING,
        is_for_all=bool(session.all_rooms),
        clashes=session.id in clashing,
    )


def grid(board: Board, day: DayRow) -> Grid:
    """One day: its columns, its hours, and where each session stands."""
    mine = sorted(
        (one for one in board.sessions if one.date == day.date),
        key=lambda one: (one.start_minute or 0, one.id),
    )
    columns = [Column(room.id, room.name, room.capacity) for room in board.rooms]
    if not columns or any(not one.room_id and not one.all_rooms for one in mine):
        columns.append(Column("", "No room yet", None))
    begins = min([day.opens_minute, *(one.start_minute or 0 for one in mine)]) // 60 * 60
    ends = max([day.closes_minute, *((one.start_minute or 0) + _long(one) for one in mine)])
    numbers = {column.id: number for number, column in enumerate(columns, start=2)}
    hours = tuple(
        (_FIRST + (minute - begins) // _STEP, clock(minute)) for minute in range(begins, ends, 60)
    )
    lines = [f".agenda {{ --rooms: {len(columns)}; }}"]
    lines += [f".t{row} {{ grid-row-start: {row}; }}" for row, _ in hours]
    lines += [_place(one, begins, numbers, _beside(one, mine)) for one in mine]
    return Grid(
        columns=tuple(columns),
        hours=hours,
        blocks=tuple(block(board, one) for one in mine),
        style=Markup("\n".join(lines)),  # noqa: S704  (codes and numbers of ours)
    )


def _lines(span: int) -> int:
    """How many lines of text fit into some rows."""
    return max(1, (span * _ROW - 3) // _LINE)


def _long(session: ListedSession) -> int:
    return session.slot_minutes or session.minutes


def _beside(session: ListedSession, others: Sequence[ListedSession]) -> bool:
    """Whether an earlier session stands in the same place, so that both must stay visible."""
    start = session.start_minute or 0
    for other in others:
        if other.id == session.id:
            return False
        same = other.room_id == session.room_id or other.all_rooms or session.all_rooms
        if same and (other.start_minute or 0) + _long(other) > start:
            return True
    return False


def _place(session: ListedSession, begins: int, numbers: Mapping[str, int], beside: bool) -> str:
    start = session.start_minute or 0
    row = _FIRST + (start - begins) // _STEP
    span = max(1, -(-(start + _long(session) - begins) // _STEP) - (start - begins) // _STEP)
    text = _lines(span) - (1 if session.speakers and _lines(span) > 2 else 0)
    extra = " margin-inline-start: 40%; z-index: 1;" if beside else ""
    name = f"#s-{session.code}"
    if session.all_rooms:
        return f"{name} {{ grid-row: {row} / span {span}; --lines: {text};{extra} }}"
    column = numbers.get(session.room_id or "", numbers.get("", 2))
    return f"{name} {{ grid-area: {row} / {column} / span {span} / auto; --lines: {text};{extra} }}"


def clash_lines(board: Board, found: Sequence[Clash]) -> tuple[ClashLine, ...]:
    """Clashes as the page's sentences need them."""
    codes = {one.id: one.code for one in board.sessions}
    days = {day.date: number for number, day in enumerate(board.days, start=1)}
    return tuple(_clash_line(clash, codes, days) for clash in found)


def _clash_line(clash: Clash, codes: Mapping[str, str], days: Mapping[dt.date, int]) -> ClashLine:
    one, other = clash.one, clash.other
    last = max((one, other or one), key=lambda placed: placed.begins)
    return ClashLine(
        kind=clash.kind.value,
        who=clash.who,
        at=clock((one if clash.kind is ClashKind.HOURS else last).start),
        one=one.title,
        one_code=codes.get(one.session_id, ""),
        one_day=days.get(one.date, 1),
        other=other.title if other else "",
        other_code=codes.get(other.session_id, "") if other else "",
        other_day=days.get(other.date, 1) if other else 1,
    )
