"""Events to choose from, a new one, and the settings of one."""

import zoneinfo
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from litestar import get, post
from litestar.handlers import HTTPRouteHandler

from unsession.access import Permission
from unsession.domain.text import slugify
from unsession.errors import Refusal
from unsession.services import find
from unsession.services.events import EventFull
from unsession.services.setup.events import UpdateEvent
from unsession.web.admin.shell import Desk, Shell, desk, reading, shell
from unsession.web.house import House
from unsession.web.pages import (
    AnyRequest,
    FormFault,
    PageResponse,
    act,
    actor_of,
    faults_of,
    go,
    person_of,
    show,
)
from unsession.web.posted import Posted, arguments, posted
from unsession.web.rendering import page

_NAMES = {"startsOn": "starts_on", "endsOn": "ends_on", "confirmedBy": "confirmed_by"}


@page("admin/setup/events.html")
@dataclass(frozen=True, slots=True)
class EventsPage:
    """Every event somebody organises, and the workspaces they may add one to."""

    shell: Shell
    workspaces: Sequence[find.FoundWorkspace]
    may_create: bool


@page("admin/setup/new.html")
@dataclass(frozen=True, slots=True)
class NewEventPage:
    """The form that makes an event, and a workspace if there is none yet."""

    shell: Shell
    workspaces: tuple[tuple[str, str], ...]
    zones: tuple[tuple[str, str], ...]
    values: Mapping[str, str]
    faults: tuple[FormFault, ...]


@page("admin/setup/settings.html")
@dataclass(frozen=True, slots=True)
class SettingsPage:
    """Everything that is set up about an event, each part a form of its own."""

    shell: Shell
    event: EventFull
    zones: tuple[tuple[str, str], ...]
    values: Mapping[str, str]
    faults: tuple[FormFault, ...]
    part: str


def setup_routes(house: House) -> list[HTTPRouteHandler]:
    """Choosing, making and setting up events."""

    @get("/app/events")
    async def events(request: AnyRequest) -> PageResponse:
        actor = await person_of(house, request)
        ctx = reading(house, request, actor, Permission.SELF_READ)
        frame = await shell(house, request, actor, "events")
        may_create = actor.may_ever(Permission.WORKSPACE_RUN)
        return show(EventsPage(frame, await find.workspaces(ctx), may_create))

    @get("/app/new")
    async def new(request: AnyRequest) -> PageResponse:
        return show(await _new(house, request, {"zone": "Europe/London"}, ()))

    @post("/app/new")
    async def create(request: AnyRequest) -> PageResponse:
        actor = await person_of(house, request)
        form = await posted(request)
        wire: dict[str, Any] = {
            "name": form.get("name"),
            "slug": form.get("slug") or slugify(form.get("name"), ""),
            "startsOn": form.get("starts_on"),
            "endsOn": form.get("ends_on") or form.get("starts_on"),
            "zone": form.get("zone"),
        }
        if form.get("venue"):
            wire["venue"] = form.get("venue")
        try:
            if form.get("workspace_name") and not form.get("workspace"):
                made = await act(
                    house, request, actor, "create_workspace", {"name": form.get("workspace_name")}
                )
                wire["workspace"] = made.result.id
                actor = await actor_of(house, request)
            elif form.get("workspace"):
                wire["workspace"] = form.get("workspace")
            done = await act(house, request, actor, "create_event", wire)
        except Refusal as refusal:
            faults = faults_of(refusal, _NAMES)
            context = await _new(house, request, form.values(), faults)
            return show(context, refusal.http_status)
        return go(f"/app/{done.result.slug}/settings", done=done.activity_id)

    @get("/app/{slug:str}/settings")
    async def settings(request: AnyRequest, slug: str) -> PageResponse:
        at = await desk(house, request, slug, "settings", Permission.EVENT_READ)
        return show(await _settings(house, request, at))

    @post("/app/{slug:str}/settings/{part:str}")
    async def save(request: AnyRequest, slug: str, part: str) -> PageResponse:
        at = await desk(house, request, slug, "settings", Permission.EVENT_READ)
        form = await posted(request)
        try:
            name, wire = _change(part, form, slug)
            done = await act(house, request, at.actor, name, wire)
        except Refusal as refusal:
            faults = faults_of(refusal, _NAMES)
            context = await _settings(house, request, at, form.values(), faults, part)
            return show(context, refusal.http_status)
        return go(f"/app/{slug}/settings", done=done.activity_id)

    return [events, new, create, settings, save]


def _change(part: str, form: Posted, slug: str) -> tuple[str, dict[str, Any]]:
    """The operation behind one of the page's forms, with its arguments."""
    if part == "days":
        days = [
            {"date": date, "opens": form.get(f"opens-{date}"), "closes": form.get(f"closes-{date}")}
            for date in form.all("date")
        ]
        return "update_event", {"event": slug, "days": days}
    if part == "room":
        wire: dict[str, Any] = {"event": slug, "name": form.get("room_name")}
        if form.get("room"):
            wire["room"] = form.get("room")
        capacity = form.get("capacity")
        wire["capacity"] = int(capacity) if capacity.isdigit() else capacity or None
        return "save_room", wire
    if part == "room-delete":
        return "delete_room", {"event": slug, "room": form.get("room")}
    if part == "option":
        wire = {"event": slug, "taxonomy": form.get("taxonomy"), "name": form.get("option_name")}
        if form.get("option"):
            wire["option"] = form.get("option")
        minutes = form.get("minutes")
        if "minutes" in form.fields:
            wire["minutes"] = int(minutes) if minutes.isdigit() else minutes or None
        if form.get("color"):
            wire["color"] = form.get("color")
        return "save_taxonomy_option", wire
    if part == "option-delete":
        wire = {"event": slug, "taxonomy": form.get("taxonomy"), "option": form.get("option")}
        return "delete_taxonomy_option", wire
    names = ("name", "zone", "venue", "description", "accent", "mode")
    wire = arguments(UpdateEvent, form, names, clearable=("venue", "description", "accent"))
    wire |= {wired: form.get(field) for wired, field in _NAMES.items() if form.get(field)}
    return "update_event", {**wire, "event": slug}


async def _new(
    house: House,
    request: AnyRequest,
    values: Mapping[str, str],
    faults: tuple[FormFault, ...],
) -> NewEventPage:
    actor = await person_of(house, request)
    ctx = reading(house, request, actor, Permission.SELF_READ)
    frame = await shell(house, request, actor, "events")
    mine = [
        (row.id, row.name)
        for row in await find.workspaces(ctx)
        if actor.holds(Permission.WORKSPACE_RUN, row.id, None)
    ]
    return NewEventPage(frame, tuple(mine), _zones(), values, faults)


async def _settings(
    house: House,
    request: AnyRequest,
    at: Desk,
    typed: Mapping[str, str] | None = None,
    faults: tuple[FormFault, ...] = (),
    part: str = "",
) -> SettingsPage:
    event: EventFull = (
        await act(house, request, at.actor, "get_event", {"event": at.event.slug})
    ).result
    values = {
        "name": event.name,
        "starts_on": event.starts_on.isoformat(),
        "ends_on": event.ends_on.isoformat(),
        "zone": event.zone,
        "venue": event.venue or "",
        "description": event.description or "",
        "mode": event.mode.value,
        "accent": event.accent or "",
        "confirmed_by": event.confirmed_by.value,
        **(typed or {}),
    }
    return SettingsPage(at.shell, event, _zones(), values, faults, part)


def _zones() -> tuple[tuple[str, str], ...]:
    known = (zone for zone in zoneinfo.available_timezones() if "/" in zone)
    return tuple(
        (zone, zone) for zone in sorted(known) if not zone.startswith(("Etc/", "SystemV/"))
    )
