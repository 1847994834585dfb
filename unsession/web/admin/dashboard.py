"""The dashboard of an event: where it stands, what to do next, what happened."""

from dataclasses import dataclass

from litestar import get
from litestar.handlers import HTTPRouteHandler

from unsession.access import Permission
from unsession.services import overview
from unsession.services.events import EventFull
from unsession.services.history import ActivityRow
from unsession.web.admin.shell import Shell, desk
from unsession.web.house import House
from unsession.web.pages import AnyRequest, PageResponse, act, show
from unsession.web.rendering import page


@dataclass(frozen=True, slots=True)
class Figure:
    """One number with what explains it."""

    label: str
    value: int
    more: str


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do next."""

    heading: str
    sentence: str
    href: str
    action: str


@page("admin/dashboard.html")
@dataclass(frozen=True, slots=True)
class DashboardPage:
    """Where the event stands."""

    shell: Shell
    figures: tuple[Figure, ...]
    steps: tuple[Step, ...]
    activity: tuple[ActivityRow, ...]
    zone: str


def dashboard_routes(house: House) -> list[HTTPRouteHandler]:
    """The dashboard."""

    @get("/app/{slug:str}")
    async def dashboard(request: AnyRequest, slug: str) -> PageResponse:
        at = await desk(house, request, slug, "dashboard", Permission.EVENT_READ)
        wire = {"event": slug}
        event: EventFull = (await act(house, request, at.actor, "get_event", wire)).result
        recent = (await act(house, request, at.actor, "list_activity", {**wire, "limit": 8})).result
        counts = await overview.work_counts(at.ctx, at.event.id)
        late = await overview.late_counts(at.ctx, at.event.id)
        return show(
            DashboardPage(
                at.shell,
                _figures(event, counts, late),
                _steps(event, counts, late),
                tuple(recent.items),
                event.zone,
            )
        )

    return [dashboard]


def _figures(
    event: EventFull, counts: overview.WorkCounts, late: overview.LateCounts
) -> tuple[Figure, ...]:
    by_status = event.counts.submissions
    decided = by_status["accepted"] + by_status["declined"] + by_status["waitlisted"]
    sessions = event.counts.sessions
    return (
        Figure("Submissions", counts.submissions, f"{by_status['draft']} drafts"),
        Figure("Decided", decided, f"{counts.queued} more queued"),
        Figure("Accepted", by_status["accepted"], f"{by_status['waitlisted']} on the waitlist"),
        Figure("Unconfirmed", sessions.unconfirmed, "sessions that wait for a yes"),
        Figure("Placed", sessions.placed, f"{sessions.unplaced} without a slot"),
        Figure("Open tasks", counts.open_tasks, f"{late.tasks} late"),
    )


def _steps(
    event: EventFull, counts: overview.WorkCounts, late: overview.LateCounts
) -> tuple[Step, ...]:
    base = f"/app/{event.slug}"
    steps = []
    if not late.forms:
        steps.append(
            Step(
                "No form takes submissions",
                "Make one from the preset and open it; its address is what you publish.",
                f"{base}/forms",
                "Go to the forms",
            )
        )
    if counts.queued:
        steps.append(
            Step(
                f"{counts.queued} decisions are queued and nobody knows yet",
                "They wait in the outbox until you send them.",
                f"{base}/outbox",
                "Look and send",
            )
        )
    if late.unreviewed:
        steps.append(
            Step(
                f"{late.unreviewed} submissions have no review yet",
                "See who has how much to read, and assign what is open.",
                f"{base}/plans",
                "Open the evaluation",
            )
        )
    if event.counts.sessions.unconfirmed:
        steps.append(
            Step(
                f"{event.counts.sessions.unconfirmed} sessions are not confirmed",
                "Their speakers have not said yes; pending sessions are not published.",
                f"{base}/sessions?confirmed=false",
                "See them",
            )
        )
    if late.tasks:
        steps.append(
            Step(
                f"{late.tasks} tasks are late",
                "Somebody owes you something for the day.",
                f"{base}/tasks",
                "See the tasks",
            )
        )
    if event.counts.sessions.unplaced:
        steps.append(
            Step(
                f"{event.counts.sessions.unplaced} sessions have no slot",
                "Place them; clashes are named as you go.",
                f"{base}/agenda",
                "Open the agenda",
            )
        )
    return tuple(steps)
