"""The speakers of an event: what each owes, and one with profile, sessions, tasks and files."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.catalogue import parse
from unsession.catalogue.inputs import from_query
from unsession.db.types import utc_now
from unsession.domain.tasks import TaskStatus, is_overdue, today
from unsession.errors import Refusal
from unsession.services.onboarding.profile import SpeakerFull
from unsession.services.onboarding.speaker_rows import Cell
from unsession.services.onboarding.speakers import (
    ListSpeakers,
    SpeakerGrid,
    SpeakerRow,
    speaker_grid,
)
from unsession.services.onboarding.templates import TemplateRow
from unsession.web.admin.shell import Desk, Shell, desk
from unsession.web.house import House
from unsession.web.pages import AnyRequest, FormFault, PageResponse, act, faults_of, go, show
from unsession.web.posted import Posted, posted
from unsession.web.rendering import page

_PER_PAGE = 50
_ASKED = ("q", "task", "state", "unconfirmed", "cursor")
_PROFILE = ("name", "bio", "jobTitle", "company", "pronouns", "travelNotes")


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter to follow."""

    label: str
    href: str
    current: bool


@dataclass(frozen=True, slots=True)
class Square:
    """One cell of the grid: what a speaker owes of one kind."""

    state: str  #: overdue, open, done, or nothing
    task: str
    due_on: dt.date | None
    done_on: dt.date | None
    late_days: int


@dataclass(frozen=True, slots=True)
class GridRow:
    """A speaker and a cell for each template."""

    speaker: SpeakerRow
    squares: tuple[Square, ...]


@page("admin/speakers/list.html")
@dataclass(frozen=True, slots=True)
class SpeakersPage:
    """Everybody on the programme, and what each owes."""

    shell: Shell
    columns: Sequence[TemplateRow]
    rows: tuple[GridRow, ...]
    total: int
    q: str
    task: str
    state: str
    unconfirmed: str
    chips: tuple[Chip, ...]
    next_href: str
    first_href: str
    filtered: bool
    faults: tuple[FormFault, ...]


@page("admin/speakers/one.html")
@dataclass(frozen=True, slots=True)
class SpeakerPage:
    """One speaker."""

    shell: Shell
    speaker: SpeakerFull
    values: Mapping[str, str]
    faults: tuple[FormFault, ...]


def speaker_routes(house: House) -> list[HTTPRouteHandler]:
    """The list, one speaker, and changing them."""

    @get("/app/{slug:str}/speakers")
    async def speakers(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "speakers", Permission.SPEAKER_READ)
        return await _list(house, request, at)

    @get("/app/{slug:str}/speakers/{ref:str}")
    async def speaker(request: AnyRequest, slug: FromPath[str], ref: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "speakers", Permission.SPEAKER_READ)
        return show(await _one(house, request, at, ref))

    @post("/app/{slug:str}/speakers/{ref:str}")
    async def change(request: AnyRequest, slug: FromPath[str], ref: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "speakers", Permission.SPEAKER_READ)
        form = await posted(request)
        shown = await _one(house, request, at, ref, form)
        try:
            wire = _wire(form, shown.speaker, slug)
            done = await act(house, request, at.actor, "update_speaker", wire)
        except Refusal as refusal:
            context = await _one(house, request, at, ref, form, faults_of(refusal))
            return show(context, refusal.http_status)
        return go(f"/app/{slug}/speakers/{shown.speaker.code}", done=done.activity_id)

    return [speakers, speaker, change]


def _wire(form: Posted, speaker: SpeakerFull, slug: str) -> dict[str, Any]:
    wire: dict[str, Any] = {"speaker": speaker.id, "event": slug}
    wire |= {name: form.get(name) for name in _PROFILE if name in form.fields}
    if "links" in form.fields:
        lines = (line.strip().partition(" ") for line in form.get("links").split("\n"))
        typed = {key: address.strip() for key, _, address in lines if key}
        wire["links"] = dict.fromkeys(speaker.links or {}, "") | typed
    if form.get("version").isdigit():
        wire["version"] = int(form.get("version"))
    return wire


async def _one(
    house: House,
    request: AnyRequest,
    at: Desk,
    ref: str,
    form: Posted | None = None,
    faults: tuple[FormFault, ...] = (),
) -> SpeakerPage:
    wire = {"speaker": ref, "event": at.event.slug}
    one: SpeakerFull = (await act(house, request, at.actor, "get_speaker", wire)).result
    values = {
        "name": one.name,
        "bio": one.bio or "",
        "jobTitle": one.job_title or "",
        "company": one.company or "",
        "pronouns": one.pronouns or "",
        "travelNotes": one.travel_notes or "",
        "links": "\n".join(f"{key} {address}" for key, address in (one.links or {}).items()),
    }
    return SpeakerPage(at.shell, one, form.values() if form else values, faults)


async def _list(house: House, request: AnyRequest, at: Desk) -> PageResponse:
    slug = at.event.slug
    asked = {
        name: value for name, value in request.query_params.items() if name in _ASKED and value
    }
    templates = await act(
        house, request, at.actor, "list_task_templates", {"event": slug, "limit": 20}
    )
    columns: Sequence[TemplateRow] = templates.result.items
    faults: tuple[FormFault, ...] = ()
    try:
        grid = await _grid(at, asked)
    except Refusal as refusal:
        faults, asked = faults_of(refusal), {}
        grid = await _grid(at, {})
    kept = {name: value for name, value in asked.items() if name != "cursor"}
    base = f"/app/{slug}/speakers"

    def link(**changes: str) -> str:
        pairs = {name: value for name, value in {**kept, **changes}.items() if value}
        return f"{base}?{urlencode(pairs)}" if pairs else base

    state, unconfirmed = asked.get("state", ""), asked.get("unconfirmed", "")
    chips = (
        Chip("All", link(state="", unconfirmed=""), not state and not unconfirmed),
        Chip("Late", link(state="overdue", unconfirmed=""), state == "overdue"),
        Chip("Something open", link(state="open", unconfirmed=""), state == "open"),
        Chip("Not confirmed", link(state="", unconfirmed="true"), unconfirmed == "true"),
    )
    on = today(at.event.zone, utc_now())
    cells: dict[tuple[str, str], list[Cell]] = {}
    for cell in grid.cells:
        cells.setdefault((cell.speaker_id, cell.template_id), []).append(cell)
    following = grid.page.next_cursor
    return show(
        SpeakersPage(
            shell=at.shell,
            columns=columns,
            rows=tuple(
                GridRow(
                    row,
                    tuple(_square(cells.get((row.id, column.id), ()), on) for column in columns),
                )
                for row in grid.page.items
            ),
            total=grid.page.total,
            q=asked.get("q", ""),
            task=asked.get("task", ""),
            state=state,
            unconfirmed=unconfirmed,
            chips=chips,
            next_href=link(cursor=following) if following else "",
            first_href=link() if "cursor" in asked else "",
            filtered=bool(kept),
            faults=faults,
        ),
        422 if faults else 200,
    )


async def _grid(at: Desk, asked: Mapping[str, str]) -> SpeakerGrid:
    wire = from_query(ListSpeakers, list(asked.items()))
    args = parse(ListSpeakers, {**wire, "event": at.event.slug, "limit": _PER_PAGE})
    return await speaker_grid(at.ctx, args)


def _square(cells: Sequence[Cell], on: dt.date) -> Square:
    """Of several (one for each of their sessions), the one that needs most attention."""
    if not cells:
        return Square("", "", None, None, 0)

    def rank(cell: Cell) -> int:
        if is_overdue(cell.status, cell.due_on, on):
            return 0
        return 1 if cell.status is TaskStatus.OPEN else 2

    cell = min(cells, key=rank)
    late = is_overdue(cell.status, cell.due_on, on)
    return Square(
        ("overdue", "open", "done")[rank(cell)],
        cell.task_id,
        cell.due_on,
        cell.completed_at.date() if cell.completed_at else None,
        (on - cell.due_on).days if late and cell.due_on else 0,
    )
