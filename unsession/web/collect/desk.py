"""The organisers' pages of forms: list, make, change, open and close."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.domain.forms import FormStatus
from unsession.domain.moments import ANYWHERE
from unsession.errors import Refusal
from unsession.services import find
from unsession.services.collect import asking
from unsession.services.collect.asking import FormRow
from unsession.services.collect.drafts.finding import being_written
from unsession.services.readers import readers_of
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
from unsession.web.posted import Posted, posted
from unsession.web.rendering import page

_LAST_MINUTE = dt.time(23, 59, 59)
#: What update_form calls the fields of the page.
_FIELDS = {
    "opensAt": "opens_on",
    "closesAt": "closes_on",
    "maxPerPerson": "max_per_person",
    "reminderDays": "reminder_days",
}


@dataclass(frozen=True, slots=True)
class FormLine:
    """A form as the list shows it."""

    name: str
    slug: str
    address: str  #: the whole public address
    open: bool  #: its status, whatever the dates say
    accepts: bool
    reason: str
    state: str
    opens_at: dt.datetime | None
    closes_at: dt.datetime | None
    anywhere: bool  #: it closes anywhere on earth
    submissions: int


@page("collect/forms.html")
@dataclass(frozen=True, slots=True)
class FormsPage:
    """The forms of an event."""

    shell: Shell
    forms: tuple[FormLine, ...]
    faults: tuple[FormFault, ...]


@page("collect/form_new.html")
@dataclass(frozen=True, slots=True)
class NewFormPage:
    """A form to start from the preset."""

    shell: Shell
    values: Mapping[str, str]
    faults: tuple[FormFault, ...]


@page("collect/form_edit.html")
@dataclass(frozen=True, slots=True)
class EditFormPage:
    """A form's name, texts and dates."""

    shell: Shell
    line: FormLine
    asked: tuple[str, ...]
    drafts: int
    team: tuple[tuple[str, str, bool], ...]  #: id, name, whether they are told
    version: int
    values: Mapping[str, str]
    faults: tuple[FormFault, ...]


def form_desk_routes(house: House) -> list[HTTPRouteHandler]:
    """Everything organisers do with forms."""

    @get("/app/{slug:str}/forms")
    async def forms(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        return show(await _list(house, await desk(house, request, slug, "forms")))

    @post("/app/{slug:str}/forms")
    async def switch(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "forms", Permission.EVENT_SET_UP)
        form = await posted(request)
        status = "open" if form.get("do") == "open" else "closed"
        wire = {"event": slug, "form": form.get("form"), "status": status}
        try:
            done = await act(house, request, at.actor, "update_form", wire)
        except Refusal as refusal:
            return show(await _list(house, at, faults_of(refusal)), refusal.http_status)
        return go(f"/app/{slug}/forms", done=done.activity_id)

    @get("/app/{slug:str}/forms/new")
    async def new(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "forms", Permission.EVENT_SET_UP)
        return show(
            NewFormPage(at.shell, {"name": "Call for speakers", "reminder_days": "7, 2"}, ())
        )

    @post("/app/{slug:str}/forms/new")
    async def create(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "forms", Permission.EVENT_SET_UP)
        form = await posted(request)
        wire = {name: value for name, value in _typed(form).items() if value or value == []}
        if form.get("slug"):
            wire["slug"] = form.get("slug")
        try:
            done = await act(
                house, request, at.actor, "create_form", {"event": slug, "preset": "call", **wire}
            )
        except Refusal as refusal:
            context = NewFormPage(at.shell, form.values(), _faults(refusal))
            return show(context, refusal.http_status)
        return go(f"/app/{slug}/forms/{done.result.slug}", done=done.activity_id)

    @get("/app/{slug:str}/forms/{form:str}")
    async def look(request: AnyRequest, slug: FromPath[str], form: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "forms", Permission.EVENT_SET_UP)
        row = await _row(at, form)
        return show(await _edit(house, at, row, _values(row)))

    @post("/app/{slug:str}/forms/{form:str}")
    async def change(request: AnyRequest, slug: FromPath[str], form: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "forms", Permission.EVENT_SET_UP)
        row = await _row(at, form)
        sent = await posted(request)
        wire: dict[str, object] = {"event": slug, "form": row.id}
        do = sent.get("do")
        if do in ("open", "closed", "draft"):
            wire["status"] = do
        else:
            wire |= _typed(sent)
            wire["notify"] = list(sent.all("notify"))
        if sent.get("version").isdecimal():
            wire["version"] = int(sent.get("version"))
        try:
            done = await act(house, request, at.actor, "update_form", wire)
        except Refusal as refusal:
            values = sent.values() if "name" in sent.fields else _values(row)
            context = await _edit(house, at, row, values, _faults(refusal))
            return show(context, refusal.http_status)
        return go(f"/app/{slug}/forms/{row.slug}", done=done.activity_id)

    return [forms, switch, new, create, look, change, *_copy_routes(house)]


def _copy_routes(house: House) -> list[HTTPRouteHandler]:
    @post("/app/{slug:str}/forms/{form:str}/copy")
    async def copy(request: AnyRequest, slug: FromPath[str], form: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "forms", Permission.EVENT_SET_UP)
        wire = {"event": slug, "form": (await _row(at, form)).id}
        done = await act(house, request, at.actor, "duplicate_form", wire)
        return go(f"/app/{slug}/forms/{done.result.slug}", done=done.activity_id)

    @post("/app/{slug:str}/forms/{form:str}/delete")
    async def delete(request: AnyRequest, slug: FromPath[str], form: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "forms", Permission.EVENT_SET_UP)
        row = await _row(at, form)
        wire = {"event": slug, "form": row.id}
        try:
            done = await act(house, request, at.actor, "delete_form", wire)
        except Refusal as refusal:
            context = await _edit(house, at, row, _values(row), _faults(refusal))
            return show(context, refusal.http_status)
        return go(f"/app/{slug}/forms", done=done.activity_id)

    return [copy, delete]


def _line(house: House, at: Desk, row: FormRow, given: Mapping[str, int]) -> FormLine:
    state = row.opening(at.ctx.now)
    return FormLine(
        row.name,
        row.slug,
        f"{house.settings.public_url}/{row.event_slug}/{row.slug}",
        row.status is FormStatus.OPEN,
        state.accepts,
        state.reason.value,
        state.sentence,
        row.opens_at,
        row.closes_at,
        row.closes_anywhere,
        given.get(row.id, 0),
    )


async def _list(house: House, at: Desk, faults: tuple[FormFault, ...] = ()) -> FormsPage:
    rows = await asking.forms_of(at.ctx, at.event.id)
    given = await asking.given_through(at.ctx, at.event.id)
    return FormsPage(at.shell, tuple(_line(house, at, row, given) for row in rows), faults)


async def _row(at: Desk, slug: str) -> FormRow:
    named = await find.form(at.ctx, at.event.id, slug)
    return await asking.form_by_id(at.ctx, named.id)


async def _edit(
    house: House,
    at: Desk,
    row: FormRow,
    values: Mapping[str, str],
    faults: tuple[FormFault, ...] = (),
) -> EditFormPage:
    asked = tuple(field.label for field in await asking.fields_asked(at.ctx, row))
    line = _line(house, at, row, await asking.given_through(at.ctx, at.event.id))
    drafts = await being_written(at.ctx, row.id)
    team = tuple(
        (one.user_id, one.name, one.user_id in row.notify)
        for one in await readers_of(at.ctx, at.event.workspace_id, at.event.id)
    )
    return EditFormPage(at.shell, line, asked, drafts, team, row.version, values, faults)


def _values(row: FormRow) -> dict[str, str]:
    """A form as its page shows it, its dates as wall time of the event."""
    values = {"name": row.name, "intro": row.intro, "thanks": row.thanks}
    if row.closes_anywhere:
        values["closes_anywhere"] = "on"
    if row.max_per_person:
        values["max_per_person"] = str(row.max_per_person)
    values["reminder_days"] = ", ".join(map(str, row.reminder_days))
    for key, instant, whole_day, zone in (
        ("opens", row.opens_at, dt.time(), row.zone),
        ("closes", row.closes_at, _LAST_MINUTE, _closing_zone(row)),
    ):
        if instant is not None:
            local = instant.astimezone(ZoneInfo(zone))
            values[f"{key}_on"] = local.date().isoformat()
            if local.time() != whole_day:
                values[f"{key}_time"] = f"{local:%H:%M}"
    return values


def _closing_zone(row: FormRow) -> str:
    return ANYWHERE if row.closes_anywhere else row.zone


def _typed(form: Posted) -> dict[str, object]:
    """What the page of a form sends, as arguments: an empty field empties."""
    most = form.get("max_per_person").strip()
    return {
        "name": form.get("name"),
        "intro": form.get("intro") or None,
        "thanks": form.get("thanks") or None,
        "opensAt": _wall(form, "opens"),
        "closesAt": _wall(form, "closes"),
        "closesAnywhere": form.checked("closes_anywhere"),
        "reminderDays": _days(form.get("reminder_days")),
        "maxPerPerson": int(most) if most.isdecimal() and most.isascii() else most or None,
    }


def _days(text: str) -> list[int | str]:
    """``7, 2`` as numbers; what is none is sent as it came, to be refused."""
    parts = text.replace(",", " ").split()
    return [int(one) if one.isdecimal() and one.isascii() else one for one in parts]


def _wall(form: Posted, key: str) -> str | None:
    day, time = form.get(f"{key}_on"), form.get(f"{key}_time")
    if day and time:
        return f"{day}T{time}"
    return day or time or None


def _faults(refusal: Refusal) -> tuple[FormFault, ...]:
    return faults_of(refusal, _FIELDS)
