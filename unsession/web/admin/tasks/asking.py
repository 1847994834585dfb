"""Asking for something: a template or a one-off, for everybody or for some, with a preview."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.catalogue import Outcome
from unsession.domain.tasks import TaskTarget
from unsession.errors import Refusal
from unsession.services.onboarding.assigning import (
    MAX_TARGETS,
    PossibleTarget,
    TasksAssigned,
    possible_targets,
)
from unsession.services.onboarding.templates import TemplateRow
from unsession.web.admin.shell import Desk, Shell, desk
from unsession.web.admin.tasks.templates import KINDS, TARGETS
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
from unsession.web.posted import Posted, posted
from unsession.web.rendering import page


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What asking would do: who gets it, who has it, who is told."""

    created: Sequence[str]
    skipped: Sequence[tuple[str, str]]
    mails: Sequence[str]
    warnings: Sequence[str]


@page("admin/tasks/ask.html")
@dataclass(frozen=True, slots=True)
class AskPage:
    """The form: what is asked, then of whom."""

    shell: Shell
    templates: Sequence[TemplateRow]
    template: TemplateRow | None  #: none: a one-off
    target: str
    targets: Sequence[PossibleTarget]
    target_choices: Sequence[tuple[str, str]]
    kinds: Sequence[tuple[str, str]]
    values: Mapping[str, str]
    chosen: frozenset[str]
    foreseen: Foreseen | None
    faults: tuple[FormFault, ...]


def asking_routes(house: House) -> list[HTTPRouteHandler]:
    """The form, its preview and the act."""

    @get("/app/{slug:str}/tasks/ask")
    async def ask(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "tasks", Permission.TASK_READ)
        query = request.query_params
        return show(
            await _page(house, request, at, query.get("template") or "", query.get("target") or "")
        )

    @post("/app/{slug:str}/tasks/ask")
    async def assign(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "tasks", Permission.TASK_READ)
        form = await posted(request)
        context = await _page(house, request, at, form.get("template"), form.get("target"), form)
        if form.get("who") == "all":
            named = [target.id for target in context.targets]
        else:
            named = list(form.all("to"))
        previews = form.get("do") == "preview"
        calls = rehearse if previews else act
        outcomes: list[Outcome] = []
        try:
            for begins in range(0, max(len(named), 1), MAX_TARGETS):
                some = named[begins : begins + MAX_TARGETS]
                wire = _wire(form, context, slug, some)
                outcomes.append(await calls(house, request, at.actor, "assign_task", wire))
        except Refusal as refusal:
            context = await _page(
                house,
                request,
                at,
                form.get("template"),
                form.get("target"),
                form,
                faults=_faults(refusal),
            )
            return show(context, refusal.http_status)
        if previews:
            context = await _page(
                house,
                request,
                at,
                form.get("template"),
                form.get("target"),
                form,
                foreseen=_foreseen(outcomes),
            )
            return show(context)
        done = next((one.activity_id for one in reversed(outcomes) if one.activity_id), None)
        return go(f"/app/{slug}/tasks", done=done)

    return [ask, assign]


def _wire(form: Posted, context: AskPage, slug: str, named: list[str]) -> dict[str, Any]:
    wire: dict[str, Any] = {"event": slug, "sendEmail": form.checked("send_email")}
    wire["sessions" if context.target == TaskTarget.SESSION.value else "speakers"] = named
    if context.template is not None:
        wire["template"] = context.template.id
    else:
        one_off = {"name": form.get("name"), "kind": form.get("kind")}
        one_off |= {name: form.get(name) for name in ("dueOn", "description") if form.get(name)}
        wire["oneOff"] = one_off
    return wire


def _faults(refusal: Refusal) -> tuple[FormFault, ...]:
    """Faults by the form's own names: a one-off's fields stand in it as such."""
    problems = refusal.facts.get("problems")
    if not isinstance(problems, list):
        return faults_of(refusal)
    faults = []
    for problem in problems:
        path = str(problem["path"]).strip("/").removeprefix("oneOff/")
        field = path.partition("/")[0]
        message = str(problem["message"])
        named = "who" if field in ("speakers", "sessions") else field
        faults.append(FormFault(named, message[0].upper() + message[1:]))
    return tuple(faults)


def _foreseen(outcomes: Sequence[Outcome]) -> Foreseen:
    results: list[TasksAssigned] = [outcome.result for outcome in outcomes]
    return Foreseen(
        [one.target.name for result in results for one in result.created],
        [(one.target.name, one.reason) for result in results for one in result.skipped],
        [mail for result in results for mail in result.mails],
        [warning.text for outcome in outcomes for warning in outcome.warnings],
    )


async def _page(
    house: House,
    request: AnyRequest,
    at: Desk,
    template_id: str,
    target: str,
    form: Posted | None = None,
    *,
    foreseen: Foreseen | None = None,
    faults: tuple[FormFault, ...] = (),
) -> AskPage:
    wire = {"event": at.event.slug, "limit": 200}
    templates = (await act(house, request, at.actor, "list_task_templates", wire)).result.items
    template = next((one for one in templates if one.id == template_id), None)
    if template is None and template_id != "once" and templates:
        template = templates[0]
    kind = template.target if template else TaskTarget.SPEAKER
    if template is None and target == TaskTarget.SESSION.value:
        kind = TaskTarget.SESSION
    return AskPage(
        shell=at.shell,
        templates=templates,
        template=template,
        target=kind.value,
        targets=await possible_targets(at.ctx, at.event.id, kind),
        target_choices=TARGETS,
        kinds=KINDS,
        values=form.values() if form else {"kind": "checkbox", "who": "all", "send_email": "on"},
        chosen=frozenset(form.all("to")) if form else frozenset(),
        foreseen=foreseen,
        faults=faults,
    )
