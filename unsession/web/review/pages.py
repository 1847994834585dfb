"""A reviewer's pages: where they review, their list, and one review with its form."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.domain.evaluation import AssignmentStatus, PlanStatus
from unsession.errors import NotFound, Refusal
from unsession.services import overview
from unsession.services.evaluation.queue import (
    OthersScore,
    PlanBrief,
    ReviewItem,
    duties,
    reviews_in,
)
from unsession.services.evaluation.queue_rows import Duty
from unsession.services.sent_files import OF_SUBJECT, FormFile
from unsession.web.admin.shell import reading, when_of
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
from unsession.web.posted import Posted, posted
from unsession.web.rendering import page
from unsession.web.review.frame import (
    Frame,
    ReviewLine,
    Seat,
    duty_at,
    href_of,
    lines_of,
    seat,
)

_OPEN = AssignmentStatus.OPEN


@dataclass(frozen=True, slots=True)
class ReviewedEvent:
    """An event somebody reviews in, and how far they are."""

    name: str
    slug: str
    when: str
    answered: int
    total: int


@page("review/events.html")
@dataclass(frozen=True, slots=True)
class ReviewedEventsPage:
    """Where somebody reviews."""

    person: str
    events: tuple[ReviewedEvent, ...]


@page("review/list.html")
@dataclass(frozen=True, slots=True)
class ReviewListPage:
    """Everything that is asked of somebody in one event."""

    frame: Frame
    groups: tuple[tuple[str, tuple[ReviewLine, ...]], ...]
    next_href: str


@page("review/one.html")
@dataclass(frozen=True, slots=True)
class ReviewPage:
    """One submission to read, and the form to score it."""

    frame: Frame
    item: ReviewItem
    plan: PlanBrief
    position: int
    scores: Mapping[str, str]
    note: str
    reason: str
    version: int | None
    faults: tuple[FormFault, ...]
    due: dt.datetime | None
    closed: str
    others: OthersScore | None
    files: Sequence[FormFile]
    skip_href: str


def review_routes(house: House) -> list[HTTPRouteHandler]:
    """Everything a reviewer does by page."""

    @get("/review")
    async def events(request: AnyRequest) -> PageResponse:
        return show(await _events(house, request))

    @get("/review/{slug:str}")
    async def listed(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await seat(house, request, slug)
        lines = lines_of(at.event.slug, at.duties)
        groups = (
            ("Open", tuple(line for line in lines if line.state is _OPEN)),
            ("Done", tuple(line for line in lines if line.state is AssignmentStatus.DONE)),
            (
                "Abstained",
                tuple(line for line in lines if line.state is AssignmentStatus.ABSTAINED),
            ),
        )
        return show(ReviewListPage(at.frame, groups, _next(at)))

    @get("/review/{slug:str}/{number:int}")
    async def one(request: AnyRequest, slug: FromPath[str], number: FromPath[int]) -> PageResponse:
        at = await seat(house, request, slug, number)
        return show(await _one(house, request, at, number))

    @post("/review/{slug:str}/{number:int}")
    async def save(request: AnyRequest, slug: FromPath[str], number: FromPath[int]) -> PageResponse:
        at = await seat(house, request, slug, number)
        form = await posted(request)
        wire = _wire(at, number, form)
        wire["scores"] = [
            {"criterion": name.removeprefix("c-"), "value": int(form.get(name))}
            for name in form.fields
            if name.startswith("c-") and form.get(name).isdecimal()
        ]
        wire["note"] = form.get("note")
        return await _answer(house, request, at, number, form, "submit_review", wire)

    @post("/review/{slug:str}/{number:int}/abstain")
    async def abstain(
        request: AnyRequest, slug: FromPath[str], number: FromPath[int]
    ) -> PageResponse:
        at = await seat(house, request, slug, number)
        form = await posted(request)
        wire = _wire(at, number, form)
        wire["reason"] = form.get("reason")
        return await _answer(house, request, at, number, form, "abstain", wire)

    return [events, listed, one, save, abstain]


async def _events(house: House, request: AnyRequest) -> ReviewedEventsPage:
    actor = await person_of(house, request)
    ctx = reading(house, request, actor, Permission.REVIEW_READ)
    mine = set(reviews_in(actor))
    found = []
    for event in await overview.events_of(ctx):
        if event.id in mine:
            asked = await duties(ctx, event.id)
            answered = sum(duty.state is not _OPEN for duty in asked)
            found.append(
                ReviewedEvent(event.name, event.slug, when_of(event), answered, len(asked))
            )
    return ReviewedEventsPage(actor.name, tuple(found))


def _next(at: Seat, here: Duty | None = None) -> str:
    """The next open review after one, from the start again; the list when none is open."""
    position = at.duties.index(here) if here else 0
    following = [*at.duties[position:], *at.duties[:position]]
    for duty in following:
        if duty.state is _OPEN and duty is not here:
            return href_of(at.event.slug, at.duties, duty)
    return f"/review/{at.event.slug}"


def _duty(request: AnyRequest, at: Seat, number: int, form: Posted | None = None) -> Duty:
    """What an address, or a form sent to it, is about. Refuses with NotFound."""
    plan = form.get("plan") if form else request.query_params.get("plan")
    duty = duty_at(at.duties, number, plan)
    if duty is None:
        raise NotFound("submission", f"SUB-{number}")
    return duty


async def _one(
    house: House,
    request: AnyRequest,
    at: Seat,
    number: int,
    form: Posted | None = None,
    refusal: Refusal | None = None,
) -> ReviewPage:
    duty = _duty(request, at, number, form)
    wire = {"event": at.event.slug, "submission": duty.submission_id, "plan": duty.plan_id}
    queue = (await act(house, request, at.ctx.actor, "my_reviews", wire)).result
    item: ReviewItem = queue.items[0]
    plan: PlanBrief = queue.plans[0]
    own = item.review or None
    scores = {score.criterion: str(score.value) for score in own.scores} if own else {}
    note = (own.note or "") if own else ""
    abstained = item.state is AssignmentStatus.ABSTAINED
    reason = note if abstained else ""
    note = "" if abstained else note
    if form is not None:
        scores = {
            name.removeprefix("c-"): form.get(name) for name in form.fields if name.startswith("c-")
        }
        note = form.get("note") if "note" in form.fields else note
        reason = form.get("reason") if "reason" in form.fields else reason
    return ReviewPage(
        frame=at.frame,
        item=item,
        plan=plan,
        position=1 + at.duties.index(duty),
        scores=scores,
        note=note,
        reason=reason,
        version=own.version if own else None,
        faults=_faults(refusal, plan, scores) if refusal else (),
        due=plan.closes_at or None,
        closed=_closed(plan, at.ctx.now),
        others=item.score or None,
        files=() if plan.blind else await at.ctx.all(OF_SUBJECT, subject=duty.submission_id),
        skip_href=_next(at, duty),
    )


def _closed(plan: PlanBrief, now: dt.datetime) -> str:
    """Why no review is taken: ``closed``, ``not yet``, or nothing."""
    if plan.status is not PlanStatus.OPEN or (plan.closes_at and plan.closes_at <= now):
        return "closed"
    return "not yet" if plan.opens_at and plan.opens_at > now else ""


def _faults(refusal: Refusal, plan: PlanBrief, scores: Mapping[str, str]) -> tuple[FormFault, ...]:
    """What to mend: a criterion without a score by its field, else as the refusal says."""
    lacking = tuple(
        FormFault(f"c-{one.id}-1", f"Score {one.name} from 1 to {one.scale}")
        for one in plan.criteria
        if one.required and not scores.get(one.id)
    )
    return lacking if refusal.code == "invalid" and lacking else faults_of(refusal)


def _wire(at: Seat, number: int, form: Posted) -> dict[str, Any]:
    wire: dict[str, Any] = {"event": at.event.slug, "submission": str(number)}
    if form.get("plan"):
        wire["plan"] = form.get("plan")
    if form.get("version").isdecimal():
        wire["version"] = int(form.get("version"))
    return wire


async def _answer(
    house: House,
    request: AnyRequest,
    at: Seat,
    number: int,
    form: Posted,
    operation: str,
    wire: Mapping[str, Any],
) -> PageResponse:
    try:
        done = await act(house, request, at.ctx.actor, operation, wire)
    except Refusal as refusal:
        context = await _one(house, request, at, number, form, refusal)
        return show(context, refusal.http_status)
    return go(_next(at, _duty(request, at, number, form)), done=done.activity_id)
