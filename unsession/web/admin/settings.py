"""The settings of an event: its facts, days, rooms and taxonomies, each part a form of its own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.catalogue import Input
from unsession.catalogue.inputs import from_query
from unsession.domain.text import slugify
from unsession.errors import NotFound, Refusal
from unsession.services.agenda.reading import standing
from unsession.services.events import EventFull
from unsession.services.setup.events import UpdateEvent
from unsession.services.setup.places import SaveRoom
from unsession.services.setup.taxonomies import SaveTaxonomyOption
from unsession.web.admin.setup import zone_choices
from unsession.web.admin.shell import Desk, Shell, desk
from unsession.web.house import House
from unsession.web.pages import AnyRequest, FormFault, PageResponse, act, faults_of, go, show
from unsession.web.posted import Posted, arguments, posted
from unsession.web.rendering import page

Values = Mapping[str, str]
Wire = dict[str, Any]


@page("admin/setup/settings.html")
@dataclass(frozen=True, slots=True)
class SettingsPage:
    """Everything that is set up about an event. ``values`` and faults go by the fields' ids."""

    shell: Shell
    event: EventFull
    zones: tuple[tuple[str, str], ...]
    values: Values
    faults: tuple[FormFault, ...]
    open_row: str  #: the room or option whose form is shown again
    is_public: bool


@dataclass(frozen=True, slots=True)
class Change:
    """What one of the page's forms asks for: an operation, and where its fields stand."""

    operation: str
    wire: Wire
    ids: Mapping[str, str] = field(default_factory=dict)  #: wire path -> the field's id
    typed: Values = field(default_factory=dict)  #: by the fields' ids
    row: str = ""


def settings_routes(house: House) -> list[HTTPRouteHandler]:
    """The settings and each part's form."""

    @get("/app/{slug:str}/settings")
    async def settings(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "settings", Permission.EVENT_READ)
        return show(await _page(house, request, at))

    @post("/app/{slug:str}/settings/{part:str}")
    async def save(request: AnyRequest, slug: FromPath[str], part: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "settings", Permission.EVENT_READ)
        read = _PARTS.get(part)
        if read is None:
            raise NotFound("part of the settings", part)
        change = read(await posted(request))
        wire = {**change.wire, "event": slug}
        try:
            done = await act(house, request, at.actor, change.operation, wire)
        except Refusal as refusal:
            context = await _page(house, request, at, change, faults_of(refusal, change.ids))
            return show(context, refusal.http_status)
        return go(f"/app/{slug}/settings", done=done.activity_id)

    return [settings, save]


def _event(form: Posted) -> Change:
    names = ("zone", "venue", "description", "accent", "mode", "version")
    wire = arguments(UpdateEvent, form, names, clearable=("venue", "description", "accent"))
    # What may not be empty is sent as it came, to be refused by name.
    ids = {
        "startsOn": "starts_on",
        "endsOn": "ends_on",
        "confirmedBy": "confirmed_by",
        "contactAddress": "contact_address",
    }
    for name, key in (("name", "name"), *ids.items()):
        if key in form.fields:
            wire[name] = form.get(key)
    typed = {name: value for name, value in form.values().items() if name != "version"}
    return Change("update_event", wire, ids, typed)


def _days(form: Posted) -> Change:
    dates = form.all("date")
    days = [
        {"date": date, "opens": form.get(f"opens-{date}"), "closes": form.get(f"closes-{date}")}
        for date in dates
    ]
    ids = {f"days/{at}": f"opens-{date}" for at, date in enumerate(dates)}
    ids |= {f"days/{at}/closes": f"closes-{date}" for at, date in enumerate(dates)}
    return Change("update_event", {"days": days}, ids, form.values())


def _room(form: Posted) -> Change:
    row = form.get("room") or "new"
    wire: Wire = {"name": form.get("room_name"), **_exact(SaveRoom, form, "capacity")}
    if form.get("room"):
        wire["room"] = form.get("room")
    ids = {"name": f"room_name-{row}", "capacity": f"capacity-{row}"}
    return Change("save_room", wire, ids, _by_id(form, row, "room_name", "capacity"), row)


def _option(form: Posted) -> Change:
    row = form.get("option") or f"new-{form.get('taxonomy')}"
    wire: Wire = {
        "taxonomy": form.get("taxonomy"),
        "name": form.get("option_name"),
        **_exact(SaveTaxonomyOption, form, "minutes", "color"),
    }
    if form.get("option"):
        wire["option"] = form.get("option")
    ids = {
        "name": f"option_name-{row}",
        "minutes": f"minutes-{row}",
        "color": f"color-{row}",
    }
    typed = _by_id(form, row, "option_name", "minutes", "color")
    return Change("save_taxonomy_option", wire, ids, typed, row)


def _taxonomy(form: Posted) -> Change:
    name = form.get("taxonomy_name")
    key = slugify(name, "list").replace("-", "_")[:31]
    wire = {"name": name, "key": key if key[0].isalpha() else f"list_{key}"[:31]}
    ids = {"name": "taxonomy_name", "key": "taxonomy_name"}
    return Change("create_taxonomy", wire, ids, form.values())


def _room_gone(form: Posted) -> Change:
    return Change("delete_room", {"room": form.get("room")}, row=form.get("room"))


def _option_gone(form: Posted) -> Change:
    wire = {"taxonomy": form.get("taxonomy"), "option": form.get("option")}
    return Change("delete_taxonomy_option", wire, row=form.get("option"))


_PARTS: Mapping[str, Callable[[Posted], Change]] = {
    "event": _event,
    "days": _days,
    "room": _room,
    "room-delete": _room_gone,
    "option": _option,
    "option-delete": _option_gone,
    "taxonomy": _taxonomy,
}


def _exact(kind: type[Input], form: Posted, *names: str) -> Wire:
    """Optional fields: a number where the text is exactly one, null where it is empty."""
    given = [name for name in names if name in form.fields]
    wire = from_query(kind, [(name, form.get(name)) for name in given if form.get(name)])
    return {name: wire.get(name) for name in given}


def _by_id(form: Posted, row: str, *names: str) -> Values:
    return {f"{name}-{row}": form.get(name) for name in names if name in form.fields}


async def _page(
    house: House,
    request: AnyRequest,
    at: Desk,
    change: Change | None = None,
    faults: tuple[FormFault, ...] = (),
) -> SettingsPage:
    event: EventFull = (
        await act(house, request, at.actor, "get_event", {"event": at.event.slug})
    ).result
    typed = change.typed if change else {}
    stands = await standing(house.db, event.slug)
    return SettingsPage(
        at.shell,
        event,
        zone_choices(event.zone),
        {**_stored(event), **typed},
        faults,
        change.row if change else "",
        stands is not None and stands.is_public,
    )


def _stored(event: EventFull) -> Values:
    """What stands in the database, by the fields' ids."""
    values = {
        "name": event.name,
        "starts_on": event.starts_on.isoformat(),
        "ends_on": event.ends_on.isoformat(),
        "zone": event.zone,
        "venue": event.venue or "",
        "description": event.description or "",
        "mode": event.mode.value,
        "accent": event.accent or "",
        "contact_address": event.contact_address or "",
        "confirmed_by": event.confirmed_by.value,
    }
    for day in event.days:
        values |= {f"opens-{day.date}": day.opens, f"closes-{day.date}": day.closes}
    for room in event.rooms:
        values |= {f"room_name-{room.id}": room.name, f"capacity-{room.id}": _text(room.capacity)}
    for option in (option for one in event.taxonomies for option in one.options):
        values |= {
            f"option_name-{option.id}": option.name,
            f"minutes-{option.id}": _text(option.minutes),
            f"color-{option.id}": option.color or "",
        }
    return values


def _text(number: Any) -> str:
    return str(number) if number else ""
