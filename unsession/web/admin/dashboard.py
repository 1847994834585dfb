"""The dashboard of an event: where it stands, what to do next, what happened."""

from dataclasses import dataclass

from litestar import get
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.services import overview
from unsession.services.agenda.reading import standing
from unsession.services.events import EventFull
from unsession.services.history import ActivityRow
from unsession.web.admin.shell import Shell, desk
from unsession.web.house import House
from unsession.web.pages import AnyRequest, PageResponse, act, show
from unsession.web.rendering import page

_DECIDED = ("accepted", "declined", "waitlisted")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do next; the template has its words."""

    key: str
    href: str
    count: int = 0


@page("admin/dashboard.html")
@dataclass(frozen=True, slots=True)
class DashboardPage:
    """Where the event stands."""

    shell: Shell
    event: EventFull
    work: overview.WorkCounts
    late: overview.LateCounts
    decided: int
    steps: tuple[Step, ...]
    activity: tuple[ActivityRow, ...]
    zone: str
    is_public: bool


def dashboard_routes(house: House) -> list[HTTPRouteHandler]:
    """The dashboard."""

    @get("/app/{slug:str}")
    async def dashboard(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "dashboard", Permission.EVENT_READ)
        wire = {"event": slug}
        event: EventFull = (await act(house, request, at.actor, "get_event", wire)).result
        recent = (await act(house, request, at.actor, "list_activity", {**wire, "limit": 8})).result
        counts = await overview.work_counts(at.ctx, at.event.id)
        late = await overview.late_counts(at.ctx, at.event.id)
        stands = await standing(house.db, slug)
        return show(
            DashboardPage(
                at.shell,
                event,
                counts,
                late,
                sum(event.counts.submissions[status] for status in _DECIDED),
                _steps(event, counts, late),
                tuple(recent.items),
                event.zone,
                stands is not None and stands.is_public,
            )
        )

    return [dashboard]


def _steps(
    event: EventFull, counts: overview.WorkCounts, late: overview.LateCounts
) -> tuple[Step, ...]:
    base = f"/app/{event.slug}"
    sessions = event.counts.sessions
    waiting = (
        Step("queued", f"{base}/outbox", counts.queued),
        Step("unreviewed", f"{base}/plans", late.unreviewed),
        Step("unconfirmed", f"{base}/sessions?confirmed=false", sessions.unconfirmed),
        Step("late", f"{base}/tasks", late.tasks),
        Step("unplaced", f"{base}/agenda", sessions.unplaced),
    )
    steps = tuple(step for step in waiting if step.count)
    if not late.forms:
        steps = (Step("form", f"{base}/forms"), *steps)
    if not event.rooms:
        steps = (*steps, Step("rooms", f"{base}/settings#rooms-h"))
    return steps
