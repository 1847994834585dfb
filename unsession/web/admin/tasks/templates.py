"""Task templates: the list with what became of each, and the form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.domain.tasks import TaskKind, TaskTarget
from unsession.errors import NotFound, Refusal
from unsession.services.onboarding.templates import TemplateRow
from unsession.web.admin.shell import Desk, Shell, desk
from unsession.web.house import House
from unsession.web.pages import AnyRequest, FormFault, PageResponse, act, faults_of, go, show
from unsession.web.posted import Posted, posted
from unsession.web.rendering import page

KINDS = ((TaskKind.CHECKBOX.value, "A tick"), (TaskKind.FILE.value, "A file"))
TARGETS = (
    (TaskTarget.SPEAKER.value, "Each speaker"),
    (TaskTarget.SESSION.value, "Each session, once"),
)


@page("admin/tasks/templates.html")
@dataclass(frozen=True, slots=True)
class TemplatesPage:
    """Every template, and the form for a new one or the one that is being changed."""

    shell: Shell
    templates: Sequence[TemplateRow]
    editing: TemplateRow | None
    values: Mapping[str, str]
    kinds: Sequence[tuple[str, str]]
    targets: Sequence[tuple[str, str]]
    faults: tuple[FormFault, ...]


def template_routes(house: House) -> list[HTTPRouteHandler]:
    """The list with its form, for a new one and for one that is there."""

    @get("/app/{slug:str}/tasks/templates")
    async def templates(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "tasks", Permission.TASK_READ)
        return show(await _page(house, request, at))

    @post("/app/{slug:str}/tasks/templates")
    async def make(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        return await save(request, slug, None)

    @get("/app/{slug:str}/tasks/templates/{template:str}")
    async def template(
        request: AnyRequest, slug: FromPath[str], template: FromPath[str]
    ) -> PageResponse:
        at = await desk(house, request, slug, "tasks", Permission.TASK_READ)
        return show(await _page(house, request, at, template))

    @post("/app/{slug:str}/tasks/templates/{template:str}")
    async def change(
        request: AnyRequest, slug: FromPath[str], template: FromPath[str]
    ) -> PageResponse:
        return await save(request, slug, template)

    async def save(request: AnyRequest, slug: str, template: str | None) -> PageResponse:
        at = await desk(house, request, slug, "tasks", Permission.TASK_READ)
        form = await posted(request)
        wire = _wire(form, slug, template)
        try:
            done = await act(house, request, at.actor, "save_task_template", wire)
        except Refusal as refusal:
            context = await _page(house, request, at, template, form, faults_of(refusal))
            return show(context, refusal.http_status)
        return go(f"/app/{slug}/tasks/templates", done=done.activity_id)

    return [templates, make, template, change]


def _wire(form: Posted, slug: str, template: str | None) -> dict[str, Any]:
    wire: dict[str, Any] = {
        "event": slug,
        "name": form.get("name"),
        "description": form.get("description"),
        "onAccept": form.checked("onAccept"),
    }
    wire |= {name: form.get(name) for name in ("kind", "target") if form.get(name)}
    if template is not None:
        wire |= {"template": template, "dueOn": None}
        if form.get("version").isdigit():
            wire["version"] = int(form.get("version"))
    if form.get("dueOn"):
        wire["dueOn"] = form.get("dueOn")
    return wire


async def _page(
    house: House,
    request: AnyRequest,
    at: Desk,
    template: str | None = None,
    form: Posted | None = None,
    faults: tuple[FormFault, ...] = (),
) -> TemplatesPage:
    wire = {"event": at.event.slug, "limit": 200}
    rows = (await act(house, request, at.actor, "list_task_templates", wire)).result.items
    editing = next((row for row in rows if row.id == template), None)
    if template is not None and editing is None:
        raise NotFound("task template", template)
    values = {"kind": TaskKind.CHECKBOX.value, "target": TaskTarget.SPEAKER.value}
    if editing is not None:
        values = {
            "name": editing.name,
            "description": editing.description or "",
            "kind": editing.kind.value,
            "target": editing.target.value,
            "dueOn": editing.due_on.isoformat() if editing.due_on else "",
            **({"onAccept": "on"} if editing.on_accept else {}),
        }
    return TemplatesPage(
        at.shell, rows, editing, form.values() if form else values, KINDS, TARGETS, faults
    )
