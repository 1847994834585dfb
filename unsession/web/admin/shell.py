"""The frame of the organisers' pages: event, navigation with counts, person, toast."""

from dataclasses import dataclass

from unsession.access import Actor, Permission
from unsession.catalogue import OPERATIONS
from unsession.context import Context
from unsession.db.types import utc_now
from unsession.errors import NotFound
from unsession.services import find, overview
from unsession.services.approvals.reading import pending_count
from unsession.web.house import House
from unsession.web.pages import AnyRequest, person_of
from unsession.web.wire import visit_of
from unsession.web.words import span


@dataclass(frozen=True, slots=True)
class NavItem:
    """One place to go."""

    key: str
    label: str
    href: str
    count: int | None = None


@dataclass(frozen=True, slots=True)
class NavGroup:
    """Places that belong together; the first group has no head."""

    key: str
    head: str
    items: tuple[NavItem, ...]


@dataclass(frozen=True, slots=True)
class EventHead:
    """An event as the frame names it."""

    id: str
    name: str
    slug: str
    when: str
    venue: str
    zone: str


@dataclass(frozen=True, slots=True)
class Toast:
    """What was just done, and the entry to undo it by, if it can be undone."""

    text: str
    undo: str | None = None


@dataclass(frozen=True, slots=True)
class Shell:
    """Everything around the page itself. ``current`` is the key of the page's nav item."""

    current: str
    person: str
    event: EventHead | None
    groups: tuple[NavGroup, ...]
    events: tuple[EventHead, ...]
    toast: Toast | None
    path: str


@dataclass(frozen=True, slots=True)
class Desk:
    """An organiser at an event's page: who, where, a context to read with, and the frame."""

    actor: Actor
    event: find.FoundEvent
    ctx: Context
    shell: Shell


def reading(house: House, request: AnyRequest, actor: Actor, needs: Permission) -> Context:
    """A context for the reads of a page, which requires ``needs`` at the find door."""
    return Context(
        actor, house.db, house.settings, needs, utc_now(), visit_of(request.scope).request_id
    )


async def desk(
    house: House,
    request: AnyRequest,
    slug: str,
    current: str,
    needs: Permission = Permission.EVENT_READ,
) -> Desk:
    """The frame of an event's page. Raises SignInNeeded; refuses with NotFound and Forbidden."""
    actor = await person_of(house, request)
    ctx = reading(house, request, actor, needs)
    event = await find.event(ctx, slug)
    if event.slug != slug:
        raise NotFound("event", slug)
    return Desk(actor, event, ctx, await shell(house, request, actor, current, event))


async def shell(
    house: House,
    request: AnyRequest,
    actor: Actor,
    current: str,
    event: find.FoundEvent | None = None,
) -> Shell:
    """The frame around a page, of one event or of the workspace."""
    ctx = reading(house, request, actor, Permission.SELF_READ)
    events = await overview.events_of(ctx)
    return Shell(
        current=current,
        person=actor.name,
        event=_head(event) if event else None,
        groups=await _groups(ctx, event),
        events=tuple(_head(one) for one in events if overview.may_organize(ctx, one)),
        toast=await _toast(ctx, request),
        path=request.url.path,
    )


async def _toast(ctx: Context, request: AnyRequest) -> Toast | None:
    done = request.query_params.get("done")
    entry = await overview.just_done(ctx, done) if done else None
    if not entry or not done:
        return None
    operation = OPERATIONS.get(entry[0])
    return Toast(entry[1], done if operation and operation.undo else None)


async def _groups(ctx: Context, event: find.FoundEvent | None) -> tuple[NavGroup, ...]:
    places = [NavItem("events", "Events", "/app/events")]
    if ctx.actor.workspace_roles:
        places.append(NavItem("members", "Members", "/app/members"))
    if ctx.actor.may_ever(Permission.TOKEN_CREATE):
        places.append(NavItem("api", "Connections", "/app/api"))
        waiting = await pending_count(ctx)
        places.append(NavItem("approvals", "Approvals", "/app/approvals", waiting))
    workspace = NavGroup("workspace", "Workspace", tuple(places))
    if event is None:
        return (workspace,)
    counts = await overview.work_counts(ctx, event.id)
    base = f"/app/{event.slug}"
    evaluate = [NavItem("plans", "Evaluation", f"{base}/plans")]
    if counts.my_reviews:
        evaluate.append(NavItem("review", "My reviews", f"/review/{event.slug}", counts.my_reviews))
    return (
        NavGroup("top", "", (NavItem("dashboard", "Dashboard", base),)),
        NavGroup(
            "collect",
            "Collect",
            (
                NavItem("forms", "Forms", f"{base}/forms"),
                NavItem("submissions", "Submissions", f"{base}/submissions", counts.submissions),
            ),
        ),
        NavGroup("evaluate", "Evaluate", tuple(evaluate)),
        NavGroup(
            "decide",
            "Decide",
            (NavItem("outbox", "Outbox", f"{base}/outbox", counts.queued),),
        ),
        NavGroup(
            "onboard",
            "Onboard",
            (
                NavItem("speakers", "Speakers", f"{base}/speakers", counts.speakers),
                NavItem("tasks", "Tasks", f"{base}/tasks", counts.open_tasks),
            ),
        ),
        NavGroup(
            "schedule",
            "Schedule and publish",
            (
                NavItem("sessions", "Sessions", f"{base}/sessions", counts.sessions),
                NavItem("agenda", "Agenda", f"{base}/agenda", counts.unplaced),
                NavItem("releases", "Releases", f"{base}/releases"),
            ),
        ),
        NavGroup(
            "setup",
            "Set up",
            (
                NavItem("settings", "Settings", f"{base}/settings"),
                NavItem("mail", "Mail log", f"{base}/mail"),
                NavItem("activity", "Activity", f"{base}/activity"),
            ),
        ),
        workspace,
    )


def _head(event: find.FoundEvent) -> EventHead:
    return EventHead(
        event.id, event.name, event.slug, when_of(event), event.venue or "", event.zone
    )


def when_of(event: find.FoundEvent) -> str:
    """An event's dates in words: ``14–16 June 2027``."""
    return span(event.starts_on, event.ends_on)
