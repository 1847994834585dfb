"""Plans: the list, a new one, changing one, opening and closing."""

from collections.abc import Mapping
from dataclasses import dataclass

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.errors import NotFound, Refusal
from unsession.services.evaluation.plans import PlanFull, candidates, plans_of
from unsession.web.admin.evaluation.form import (
    CriterionRow,
    PersonRow,
    criteria_of,
    faults_in,
    people_of,
    typed_criteria,
    values_of,
    wire_of,
)
from unsession.web.admin.shell import Desk, Shell, desk
from unsession.web.house import House
from unsession.web.pages import AnyRequest, FormFault, PageResponse, act, go, show
from unsession.web.posted import Posted, posted
from unsession.web.rendering import page

_SET_UP = Permission.EVENT_SET_UP


@page("admin/evaluation/list.html")
@dataclass(frozen=True, slots=True)
class PlansPage:
    """The plans of an event."""

    shell: Shell
    plans: tuple[PlanFull, ...]
    may_set_up: bool


@page("admin/evaluation/form.html")
@dataclass(frozen=True, slots=True)
class PlanFormPage:
    """A plan to make or to change."""

    shell: Shell
    plan: PlanFull | None
    values: Mapping[str, str]
    criteria: tuple[CriterionRow, ...]
    people: tuple[PersonRow, ...]
    faults: tuple[FormFault, ...]


def plan_routes(house: House) -> list[HTTPRouteHandler]:
    """Everything organisers do to plans, results apart."""

    @get("/app/{slug:str}/plans")
    async def plans(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "plans")
        found = tuple(await plans_of(at.ctx, at.event.id))
        may = at.actor.holds(_SET_UP, at.event.workspace_id, at.event.id)
        return show(PlansPage(at.shell, found, may))

    @get("/app/{slug:str}/plans/new")
    async def new(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "plans", _SET_UP)
        return show(await _form(at, None))

    @post("/app/{slug:str}/plans/new")
    async def create(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "plans", _SET_UP)
        return await _save(house, request, at, None)

    @get("/app/{slug:str}/plans/{plan:str}/edit")
    async def edit(request: AnyRequest, slug: FromPath[str], plan: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "plans", _SET_UP)
        return show(await _form(at, await plan_at(at, plan)))

    @post("/app/{slug:str}/plans/{plan:str}/edit")
    async def change(request: AnyRequest, slug: FromPath[str], plan: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "plans", _SET_UP)
        return await _save(house, request, at, await plan_at(at, plan))

    @post("/app/{slug:str}/plans/{plan:str}/close")
    async def close(request: AnyRequest, slug: FromPath[str], plan: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "plans", _SET_UP)
        wire = {"event": slug, "plan": plan}
        done = await act(house, request, at.actor, "close_evaluation_plan", wire)
        return go(f"/app/{slug}/plans/{plan}", done=done.activity_id)

    @post("/app/{slug:str}/plans/{plan:str}/reopen")
    async def reopen(request: AnyRequest, slug: FromPath[str], plan: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "plans", _SET_UP)
        wire = {"event": slug, "plan": plan, "reopen": True}
        done = await act(house, request, at.actor, "save_evaluation_plan", wire)
        return go(f"/app/{slug}/plans/{plan}", done=done.activity_id)

    return [plans, new, create, edit, change, close, reopen]


async def plan_at(at: Desk, plan_id: str) -> PlanFull:
    """The plan of an address, by id. Refuses with NotFound."""
    found = await plans_of(at.ctx, at.event.id, plan_id)
    if not found:
        raise NotFound("evaluation plan", plan_id)
    return found[0]


async def _form(
    at: Desk,
    plan: PlanFull | None,
    form: Posted | None = None,
    faults: tuple[FormFault, ...] = (),
) -> PlanFormPage:
    fresh = {"phase": "1", "reviews_per_submission": "3", "blind": "on"}
    values = values_of(plan, at.event.zone) if plan else fresh
    return PlanFormPage(
        at.shell,
        plan,
        form.values() if form else values,
        typed_criteria(form) if form else criteria_of(plan),
        people_of(await candidates(at.ctx, at.event), plan, form),
        faults,
    )


async def _save(house: House, request: AnyRequest, at: Desk, plan: PlanFull | None) -> PageResponse:
    form = await posted(request)
    people = people_of(await candidates(at.ctx, at.event), plan, form)
    wire = {**wire_of(form, people), "event": at.event.slug}
    if plan:
        wire["plan"] = plan.id
    try:
        done = await act(house, request, at.actor, "save_evaluation_plan", wire)
    except Refusal as refusal:
        context = await _form(at, plan, form, faults_in(refusal, form))
        return show(context, refusal.http_status)
    return go(f"/app/{at.event.slug}/plans/{done.result.id}", done=done.activity_id)
