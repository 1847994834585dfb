"""Events to choose from, and a new one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from litestar import get, post
from litestar.handlers import HTTPRouteHandler

from unsession.access import Permission
from unsession.domain.text import slugify
from unsession.errors import Refusal
from unsession.services import find
from unsession.services.setup.events import zones
from unsession.web.admin.shell import Shell, reading, shell
from unsession.web.house import House
from unsession.web.pages import (
    AnyRequest,
    FormFault,
    PageResponse,
    act,
    faults_of,
    go,
    person_of,
    show,
)
from unsession.web.posted import posted
from unsession.web.rendering import page

_NO_PLACES = ("Etc/", "SystemV/", "US/", "posix/", "right/")
_NAMES = {"startsOn": "starts_on", "endsOn": "ends_on"}
_NAMES_OF_BOTH = {
    "name": "workspace_name",
    **{f"event/{name}": _NAMES.get(name, name) for name in ("name", "slug", "zone", "venue")},
    **{f"event/{name}": field for name, field in _NAMES.items()},
}


@page("admin/setup/events.html")
@dataclass(frozen=True, slots=True)
class EventsPage:
    """Every event somebody organises, and the workspaces they belong to."""

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


def setup_routes(house: House) -> list[HTTPRouteHandler]:
    """Choosing and making events."""

    @get("/app/events")
    async def events(request: AnyRequest) -> PageResponse:
        actor = await person_of(house, request)
        ctx = reading(house, request, actor, Permission.SELF_READ)
        frame = await shell(house, request, actor, "events")
        mine = await find.workspaces(ctx)
        # Who belongs to no workspace makes one with their first event.
        may_create = not mine or actor.may_ever(Permission.WORKSPACE_RUN)
        return show(EventsPage(frame, mine, may_create))

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
        if form.get("workspace"):
            wire["workspace"] = form.get("workspace")
        name, names = "create_event", _NAMES
        if "workspace_name" in form.fields and not form.get("workspace"):
            wire = {"name": form.get("workspace_name"), "event": wire}
            name, names = "create_workspace", _NAMES_OF_BOTH
        try:
            done = await act(house, request, actor, name, wire)
        except Refusal as refusal:
            context = await _new(house, request, form.values(), faults_of(refusal, names))
            return show(context, refusal.http_status)
        slug = done.result.slug if name == "create_event" else done.result.event
        return go(f"/app/{slug}/settings", done=done.activity_id)

    return [events, new, create]


async def _new(
    house: House,
    request: AnyRequest,
    values: Mapping[str, str],
    faults: tuple[FormFault, ...],
) -> NewEventPage:
    actor = await person_of(house, request)
    ctx = reading(house, request, actor, Permission.WORKSPACE_RUN)
    frame = await shell(house, request, actor, "events")
    mine = tuple((row.id, row.name) for row in await find.workspaces(ctx))
    return NewEventPage(frame, mine, zone_choices(values.get("zone", "")), values, faults)


def zone_choices(current: str) -> tuple[tuple[str, str], ...]:
    """Zones to choose from: places, UTC, and whatever is chosen already."""
    places = {zone for zone in zones() if "/" in zone and not zone.startswith(_NO_PLACES)}
    chosen = {current} & zones()
    return tuple((zone, zone) for zone in sorted(places | {"UTC"} | chosen))
