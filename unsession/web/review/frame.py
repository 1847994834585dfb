"""The frame of a reviewer's pages: the event, what is asked of them, how far they are."""

from collections.abc import Sequence
from dataclasses import dataclass

from unsession.access import Permission
from unsession.context import Context
from unsession.domain.evaluation import AssignmentStatus
from unsession.services import find, overview
from unsession.services.evaluation.queue import duties
from unsession.services.evaluation.queue_rows import Duty
from unsession.web.admin.shell import reading, when_of
from unsession.web.house import House
from unsession.web.pages import AnyRequest, person_of

#: So many lines stand beside a review; the list has them all.
_BESIDE = 15
STATE_WORDS = {
    AssignmentStatus.OPEN: "Open",
    AssignmentStatus.DONE: "Done",
    AssignmentStatus.ABSTAINED: "Abstained",
}


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """One submission in the navigation or the list."""

    number: int
    title: str
    href: str
    state: AssignmentStatus
    plan: str
    current: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """Everything around a reviewer's page."""

    person: str
    event: str
    slug: str
    when: str
    zone: str
    lines: tuple[ReviewLine, ...]
    more: int
    total: int
    answered: int
    organizes: bool
    said: str


@dataclass(frozen=True, slots=True)
class Seat:
    """A reviewer at an event: who, where, what is asked of them, and the frame."""

    ctx: Context
    event: find.FoundEvent
    duties: Sequence[Duty]
    frame: Frame


async def seat(house: House, request: AnyRequest, slug: str, number: int | None = None) -> Seat:
    """The frame of an event's review pages. Raises SignInNeeded; refuses as the find door does."""
    actor = await person_of(house, request)
    ctx = reading(house, request, actor, Permission.REVIEW_READ)
    event = await find.event(ctx, slug)
    asked = await duties(ctx, event.id)
    wanted = request.query_params.get("plan")
    lines = lines_of(event.slug, asked, number, wanted)
    at = next((i for i, line in enumerate(lines) if line.current), 0)
    start = max(0, min(at - _BESIDE // 2, len(lines) - _BESIDE))
    shown = lines[start : start + _BESIDE]
    done = request.query_params.get("done")
    entry = await overview.just_done(ctx, done) if done else None
    frame = Frame(
        person=actor.name,
        event=event.name,
        slug=event.slug,
        when=when_of(event),
        zone=event.zone,
        lines=tuple(shown),
        more=len(lines) - len(shown),
        total=len(lines),
        answered=sum(duty.state is not AssignmentStatus.OPEN for duty in asked),
        organizes=overview.may_organize(ctx, event),
        said=entry[1] if entry else "",
    )
    return Seat(ctx, event, asked, frame)


def duty_at(asked: Sequence[Duty], number: int, plan: str | None) -> Duty | None:
    """The duty an address names: of several plans that ask, the one named, else an open one."""
    mine = [duty for duty in asked if duty.number == number and plan in (None, "", duty.plan_id)]
    opened = [duty for duty in mine if duty.state is AssignmentStatus.OPEN]
    return next(iter(opened or mine), None)


def lines_of(
    slug: str, asked: Sequence[Duty], number: int | None = None, plan: str | None = None
) -> list[ReviewLine]:
    """Duties as links."""
    here = duty_at(asked, number, plan) if number is not None else None
    return [
        ReviewLine(
            duty.number,
            duty.title,
            href_of(slug, asked, duty),
            duty.state,
            duty.plan_name,
            duty is here,
        )
        for duty in asked
    ]


def href_of(slug: str, asked: Sequence[Duty], duty: Duty) -> str:
    """A duty's address; it names the plan only where several ask for the same submission."""
    several = sum(other.number == duty.number for other in asked) > 1
    return f"/review/{slug}/{duty.number}" + (f"?plan={duty.plan_id}" if several else "")
