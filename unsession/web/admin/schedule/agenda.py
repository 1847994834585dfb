"""The agenda page: the working schedule, a tray of what has no slot, and a form that moves."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from markupsafe import Markup

from unsession.access import Permission
from unsession.domain.calendar import ZoneWords, instant, wall, zone_words
from unsession.domain.scheduling import clashes_of
from unsession.domain.sessions import SessionStatus
from unsession.errors import Refusal
from unsession.services.sessions.board import Board, board
from unsession.services.sessions.rows import ListedSession
from unsession.web.admin.schedule.board import (
    Block,
    ClashLine,
    Column,
    DayTab,
    Grid,
    block,
    clash_lines,
    grid,
    tabs,
)
from unsession.web.admin.schedule.sessions import STATUS_WORDS, Choices
from unsession.web.admin.shell import Desk, Shell, desk
from unsession.web.house import House
from unsession.web.pages import (
    AnyRequest,
    FormFault,
    PageResponse,
    act,
    faults_of,
    go,
    show,
)
from unsession.web.posted import posted
from unsession.web.rendering import page

ALL_ROOMS = "all"


@dataclass(frozen=True, slots=True)
class Selected:
    """The session that the form moves."""

    block: Block
    status: str
    status_words: str
    is_placed: bool
    values: Mapping[str, str]
    clashes: tuple[ClashLine, ...]


@page("admin/schedule/agenda.html")
@dataclass(frozen=True, slots=True)
class AgendaPage:
    """``/app/{event}/agenda``."""

    shell: Shell
    tabs: tuple[DayTab, ...]
    day: int
    title: str
    zone: ZoneWords
    columns: tuple[Column, ...]
    hours: tuple[tuple[int, str], ...]
    blocks: tuple[Block, ...]
    tray: tuple[Block, ...]
    pending: tuple[Block, ...]  #: unplaced and not confirmed
    selected: Selected | None
    days: Choices
    rooms: Choices
    clashes: tuple[ClashLine, ...]
    faults: tuple[FormFault, ...]
    style: Markup


def agenda_routes(house: House) -> list[HTTPRouteHandler]:
    """See, move, take off."""

    @get("/app/{slug:str}/agenda")
    async def agenda(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "agenda", Permission.SESSION_READ)
        asked = request.query_params
        return show(await _page(at, asked.get("day", ""), asked.get("session", "")))

    @post("/app/{slug:str}/agenda")
    async def move(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "agenda", Permission.SESSION_READ)
        form = await posted(request)
        code = form.get("session")
        wire: dict[str, object] = {"session": code, "event": at.event.id}
        day = form.get("day", "1")
        if form.get("do") == "off":
            wire["unschedule"] = True
        else:
            wire |= {"day": day, "start": form.get("start")}
            room = form.get("room")
            if room == ALL_ROOMS:
                wire["allRooms"] = True
            elif room:
                wire["room"] = room
        try:
            done = await act(house, request, at.actor, "schedule_session", wire)
        except Refusal as refusal:
            context = await _page(
                at, form.get("shown", day), code, form.values(), faults_of(refusal)
            )
            return show(context, refusal.http_status)
        shown = form.get("shown", day) if form.get("do") == "off" else day
        return go(f"/app/{slug}/agenda?day={shown}&session={code}", done=done.activity_id)

    return [agenda, move]


async def _page(
    at: Desk,
    wanted: str,
    code: str,
    values: Mapping[str, str] | None = None,
    faults: tuple[FormFault, ...] = (),
) -> AgendaPage:
    found = await board(at.ctx, at.event.id)
    day = int(wanted) if wanted.isascii() and wanted.isdigit() else 1
    day = day if 1 <= day <= len(found.days) else 1
    shown = found.days[day - 1] if found.days else None
    drawn = grid(found, shown) if shown else Grid((), (), (), Markup())
    unplaced = [one for one in found.sessions if one.date is None]
    noon = instant(shown.date if shown else at.event.starts_on, 720, at.event.zone)
    return AgendaPage(
        shell=at.shell,
        tabs=tabs(found.days),
        day=day,
        title=tabs(found.days)[day - 1].title if shown else "",
        zone=zone_words(at.event.zone, noon),
        columns=drawn.columns,
        hours=drawn.hours,
        blocks=drawn.blocks,
        tray=_blocks(found, unplaced, SessionStatus.CONFIRMED),
        pending=_blocks(found, unplaced, SessionStatus.PENDING),
        selected=_selected(found, code, day, values),
        days=tuple((str(tab.number), tab.title) for tab in tabs(found.days)),
        rooms=(
            ("", "No room yet"),
            *((room.id, room.name) for room in found.rooms),
            (ALL_ROOMS, "All rooms"),
        ),
        clashes=clash_lines(found, found.clashes),
        faults=faults,
        style=drawn.style,
    )


def _blocks(
    found: Board, sessions: list[ListedSession], status: SessionStatus
) -> tuple[Block, ...]:
    return tuple(block(found, one) for one in sessions if one.status is status)


def _selected(
    found: Board, code: str, day: int, values: Mapping[str, str] | None
) -> Selected | None:
    session = next((one for one in found.sessions if code and one.code == code), None)
    if session is None:
        return None
    numbers: dict[dt.date, int] = {one.date: n for n, one in enumerate(found.days, start=1)}
    stands = {
        "day": str(numbers.get(session.date, day) if session.date else day),
        "start": wall(session.start_minute) if session.start_minute is not None else "",
        "room": ALL_ROOMS if session.all_rooms else session.room_id or "",
    }
    return Selected(
        block=block(found, session),
        status=session.status.value,
        status_words=STATUS_WORDS[session.status],
        is_placed=session.date is not None,
        values=values or stands,
        clashes=clash_lines(found, clashes_of(session.id, found.clashes)),
    )
