"""One plan: how far it is, who carries what, what the reviews say; and assigning, previewed."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from msgspec import UNSET

from unsession.access import Permission
from unsession.errors import Refusal
from unsession.services.evaluation.assignment import AssignedReviewers
from unsession.services.evaluation.masking import masked_for
from unsession.services.evaluation.plans import PlanFull
from unsession.services.evaluation.results import ScorePage, ScoreSort, SubmissionScores
from unsession.web.admin.evaluation.plans import plan_at
from unsession.web.admin.shell import Desk, Shell, desk
from unsession.web.house import House
from unsession.web.pages import (
    AnyRequest,
    FormFault,
    PageResponse,
    act,
    faults_of,
    go,
    rehearse,
    show,
)
from unsession.web.rendering import page

_PER_PAGE = 100
_HEADS = {
    ScoreSort.NUMBER: "No.",
    ScoreSort.SCORE: "Mean",
    ScoreSort.SPREAD: "Spread",
    ScoreSort.REVIEWS: "Reviews",
}


@dataclass(frozen=True, slots=True)
class SortHead:
    """A column head that sorts."""

    label: str
    href: str
    current: bool


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One submission's scores as the table says them."""

    number: int
    title: str
    href: str
    status: str
    status_words: str
    mean: str
    spread: str
    reviews: str
    criteria: tuple[str, ...]


@page("admin/evaluation/plan.html")
@dataclass(frozen=True, slots=True)
class PlanPage:
    """A plan with coverage, load and results."""

    shell: Shell
    plan: PlanFull
    coverage: int
    rows: tuple[ResultRow, ...]
    total: int
    heads: dict[str, SortHead]
    next_href: str
    first_href: str
    masked: bool
    may_set_up: bool


@page("admin/evaluation/assign.html")
@dataclass(frozen=True, slots=True)
class AssignPage:
    """What assigning would do, before it does it."""

    shell: Shell
    plan: PlanFull
    preview: AssignedReviewers | None
    lacking: tuple[str, ...]
    faults: tuple[FormFault, ...]


def result_routes(house: House) -> list[HTTPRouteHandler]:
    """A plan's own page, and assigning its reviewers."""

    @get("/app/{slug:str}/plans/{plan:str}")
    async def one(request: AnyRequest, slug: FromPath[str], plan: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "plans", Permission.SUBMISSION_READ)
        return show(await _plan(house, request, at, await plan_at(at, plan)))

    @get("/app/{slug:str}/plans/{plan:str}/assign")
    async def preview(
        request: AnyRequest, slug: FromPath[str], plan: FromPath[str]
    ) -> PageResponse:
        at = await desk(house, request, slug, "plans", Permission.EVENT_SET_UP)
        return await _preview(house, request, at, await plan_at(at, plan))

    @post("/app/{slug:str}/plans/{plan:str}/assign")
    async def assign(request: AnyRequest, slug: FromPath[str], plan: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "plans", Permission.EVENT_SET_UP)
        wire = {"event": slug, "plan": plan}
        try:
            done = await act(house, request, at.actor, "assign_reviewers", wire)
        except Refusal as refusal:
            context = AssignPage(at.shell, await plan_at(at, plan), None, (), faults_of(refusal))
            return show(context, refusal.http_status)
        return go(f"/app/{slug}/plans/{plan}", done=done.activity_id)

    return [one, preview, assign]


async def _preview(house: House, request: AnyRequest, at: Desk, plan: PlanFull) -> PageResponse:
    wire = {"event": at.event.slug, "plan": plan.id}
    try:
        preview = (await rehearse(house, request, at.actor, "assign_reviewers", wire)).result
    except Refusal as refusal:
        context = AssignPage(at.shell, plan, None, (), faults_of(refusal))
        return show(context, refusal.http_status)
    lacking = tuple(f"SUB-{one.number}" for one in preview.short)
    return show(AssignPage(at.shell, plan, preview, lacking, ()))


async def _plan(house: House, request: AnyRequest, at: Desk, plan: PlanFull) -> PlanPage:
    masked = (await masked_for(at.ctx, at.event.id)).scores
    base = f"/app/{at.event.slug}/plans/{plan.id}"
    sort = request.query_params.get("sort", "score")
    if sort not in set(ScoreSort):
        sort = "score"
    wire: dict[str, Any] = {
        "event": at.event.slug,
        "plan": plan.id,
        "sort": sort,
        "limit": _PER_PAGE,
    }
    cursor = request.query_params.get("cursor")
    if cursor:
        wire["cursor"] = cursor
    found = None if masked else await _scores(house, request, at, wire)
    asked = plan.progress.open + plan.progress.done
    following = found.next_cursor if found and found.next_cursor is not UNSET else ""
    return PlanPage(
        shell=at.shell,
        plan=plan,
        coverage=round(100 * plan.progress.done / asked) if asked else 0,
        rows=tuple(_row(at.event.slug, plan, one) for one in found.items) if found else (),
        total=found.total if found else 0,
        heads={
            key.value: SortHead(label, f"{base}?{urlencode({'sort': key.value})}", key == sort)
            for key, label in _HEADS.items()
        },
        next_href=f"{base}?{urlencode({'sort': sort, 'cursor': following})}" if following else "",
        first_href=f"{base}?{urlencode({'sort': sort})}" if cursor else "",
        masked=masked,
        may_set_up=at.actor.holds(Permission.EVENT_SET_UP, at.event.workspace_id, at.event.id),
    )


async def _scores(house: House, request: AnyRequest, at: Desk, wire: dict[str, Any]) -> ScorePage:
    """The results asked for; a cursor that is not one begins again."""
    try:
        answered = await act(house, request, at.actor, "get_evaluation_scores", wire)
    except Refusal:
        wire.pop("cursor", None)
        answered = await act(house, request, at.actor, "get_evaluation_scores", wire)
    found: ScorePage = answered.result
    return found


def _row(slug: str, plan: PlanFull, one: SubmissionScores) -> ResultRow:
    means = {criterion.id: f"{criterion.mean:.1f}" for criterion in one.criteria}
    return ResultRow(
        number=one.number,
        title=one.title,
        href=f"/app/{slug}/submissions/SUB-{one.number}",
        status=one.status.value,
        status_words=one.status.words.capitalize(),
        mean="" if one.mean is UNSET else f"{one.mean:.2f}",
        spread="" if one.spread is UNSET else f"{one.spread:.2f}",
        reviews=f"{one.reviews} of {one.expected}",
        criteria=tuple(means.get(criterion.id, "") for criterion in plan.criteria),
    )
