"""The activity of an event, with undo."""

from dataclasses import dataclass
from urllib.parse import quote

from litestar import get
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.catalogue import OPERATIONS
from unsession.services.history import ActivityRow
from unsession.web.admin.shell import Shell, desk
from unsession.web.house import House
from unsession.web.pages import AnyRequest, PageResponse, act, show
from unsession.web.rendering import page


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as the page shows it."""

    row: ActivityRow
    undoable: bool


@page("admin/activity.html")
@dataclass(frozen=True, slots=True)
class ActivityLog:
    """Who did what, newest first."""

    shell: Shell
    entries: tuple[Entry, ...]
    zone: str
    newest_href: str
    next_href: str


def activity_routes(house: House) -> list[HTTPRouteHandler]:
    """The log."""

    @get("/app/{slug:str}/activity")
    async def activity(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "activity", Permission.ACTIVITY_READ)
        wire: dict[str, object] = {"event": slug, "limit": 50}
        cursor = request.query_params.get("cursor")
        if cursor:
            wire["cursor"] = cursor
        found = (await act(house, request, at.actor, "list_activity", wire)).result
        entries = tuple(Entry(row, _is_undoable(row)) for row in found.items)
        base = f"/app/{slug}/activity"
        more = f"{base}?cursor={quote(found.next_cursor)}" if found.next_cursor else ""
        newest = base if cursor else ""
        return show(ActivityLog(at.shell, entries, at.event.zone, newest, more))

    return [activity]


def _is_undoable(row: ActivityRow) -> bool:
    operation = OPERATIONS.get(row.operation)
    return operation is not None and operation.undo and not row.undone and not row.part_of
