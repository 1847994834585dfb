"""What is owed: the list by due date, and one task with its files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.catalogue.inputs import from_query
from unsession.db.types import utc_now
from unsession.domain.files import MAX_BYTES
from unsession.domain.tasks import today
from unsession.errors import NotFound, Refusal
from unsession.services import find
from unsession.services.onboarding.files import FileShown, versions_of
from unsession.services.onboarding.task_rows import TaskFull, TaskRow
from unsession.services.onboarding.tasks import ListTasks, one_task
from unsession.services.onboarding.templates import TemplateRow
from unsession.web.admin.shell import Desk, Shell, desk
from unsession.web.house import House
from unsession.web.pages import (
    AnyRequest,
    FormFault,
    PageResponse,
    act,
    faults_of,
    go,
    local_path,
    show,
)
from unsession.web.posted import posted
from unsession.web.rendering import page
from unsession.web.uploads import MAX_REQUEST, put_away

_PER_PAGE = 50
_MOST_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter to follow, with how many it shows."""

    label: str
    count: int | None
    href: str
    current: bool


@dataclass(frozen=True, slots=True)
class OwedRow:
    """A row of the list; ``late_days`` is how long its day is over."""

    task: TaskRow
    late_days: int


@page("admin/tasks/list.html")
@dataclass(frozen=True, slots=True)
class TasksPage:
    """Tasks by due date, late ones first."""

    shell: Shell
    rows: tuple[OwedRow, ...]
    total: int
    templates: Sequence[TemplateRow]
    template: str
    show: str
    chips: tuple[Chip, ...]
    next_href: str
    first_href: str
    faults: tuple[FormFault, ...]


@page("admin/tasks/one.html")
@dataclass(frozen=True, slots=True)
class TaskPage:
    """One task: whose, by when, what came for it."""

    shell: Shell
    task: TaskFull
    files: Sequence[FileShown]
    most_mb: int
    values: Mapping[str, str]
    faults: tuple[FormFault, ...]


def owed_routes(house: House) -> list[HTTPRouteHandler]:
    """The list, one task, and what is done to them."""

    @get("/app/{slug:str}/tasks")
    async def tasks(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "tasks", Permission.TASK_READ)
        return await _list(house, request, at)

    @post("/app/{slug:str}/tasks")
    async def complete_selected(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "tasks", Permission.TASK_READ)
        chosen = (await posted(request)).all("task")[:_MOST_AT_ONCE]
        if not chosen:
            return await _list(house, request, at, (FormFault("", "Select a task first"),))
        done = None
        for task in chosen:
            wire = {"task": task, "event": slug}
            try:
                done = await act(house, request, at.actor, "complete_task", wire)
            except Refusal as refusal:
                return await _list(house, request, at, faults_of(refusal))
        return go(f"/app/{slug}/tasks", done=done.activity_id if done else None)

    @get("/app/{slug:str}/tasks/{task:str}")
    async def one(request: AnyRequest, slug: FromPath[str], task: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "tasks", Permission.TASK_READ)
        return show(await _one(at, task))

    @post("/app/{slug:str}/tasks/{task:str}")
    async def answer(request: AnyRequest, slug: FromPath[str], task: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "tasks", Permission.TASK_READ)
        form = await posted(request)
        wire: dict[str, Any] = {"task": task, "event": slug}
        reopens = form.get("do") == "reopen"
        if form.get("note") and not reopens:
            wire["note"] = form.get("note")
        if form.get("version").isdigit():
            wire["version"] = int(form.get("version"))
        try:
            name = "reopen_task" if reopens else "complete_task"
            done = await act(house, request, at.actor, name, wire)
        except Refusal as refusal:
            context = await _one(at, task, form.values(), faults_of(refusal))
            return show(context, refusal.http_status)
        back = local_path(form.get("back"), f"/app/{slug}/tasks/{task}")
        return go(back, done=done.activity_id)

    @post("/app/{slug:str}/tasks/{task:str}/file", request_max_body_size=MAX_REQUEST)
    async def add(request: AnyRequest, slug: FromPath[str], task: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "tasks", Permission.TASK_READ)
        await _one(at, task)  # that it is there, before a byte is read
        upload = (await posted(request)).file("file")
        if upload is None:
            fault = FormFault("file", "Choose a file first")
            return show(await _one(at, task, {}, (fault,)), 422)
        try:
            async with put_away(house, upload) as stored:
                wire = {**stored, "task": task}
                done = await act(house, request, at.actor, "add_file", wire)
        except Refusal as refusal:
            faults = tuple(FormFault("file", fault.message) for fault in faults_of(refusal))
            return show(await _one(at, task, {}, faults), refusal.http_status)
        return go(f"/app/{slug}/tasks/{task}", done=done.activity_id)

    return [tasks, complete_selected, one, answer, add]


async def _one(
    at: Desk,
    task_id: str,
    values: Mapping[str, str] | None = None,
    faults: tuple[FormFault, ...] = (),
) -> TaskPage:
    place = await find.task(at.ctx, task_id, at.event.slug, None)
    if place.id != task_id:
        raise NotFound("task", task_id)
    task = await one_task(at.ctx, place.id, at.event.zone)
    files = await versions_of(at.ctx, place.id)
    return TaskPage(at.shell, task, files, MAX_BYTES // (1024 * 1024), values or {}, faults)


#: What a chip asks the list for.
_SHOWS: Mapping[str, Mapping[str, Any]] = {
    "open": {"status": "open"},
    "late": {"overdue": True},
    "done": {"status": "done"},
    "all": {},
}
_CHIPS = {"open": "Open", "late": "Late", "done": "Done", "all": "All"}


async def _list(
    house: House, request: AnyRequest, at: Desk, faults: tuple[FormFault, ...] = ()
) -> PageResponse:
    slug, query = at.event.slug, request.query_params
    wanted = query.get("show") or "open"
    chosen = wanted if wanted in _SHOWS else "open"
    template, cursor = query.get("template") or "", query.get("cursor") or ""
    known: Sequence[TemplateRow] = (
        await act(house, request, at.actor, "list_task_templates", {"event": slug, "limit": 200})
    ).result.items
    wire: dict[str, Any] = {"event": slug, "limit": _PER_PAGE, **_SHOWS[chosen]}
    given = {name: value for name, value in (("template", template), ("cursor", cursor)) if value}
    try:
        asked = wire | from_query(ListTasks, list(given.items()))
        found = (await act(house, request, at.actor, "list_tasks", asked)).result
    except Refusal as refusal:
        faults, template, cursor = (*faults, *faults_of(refusal)), "", ""
        found = (await act(house, request, at.actor, "list_tasks", wire)).result
    base = f"/app/{slug}/tasks"

    def link(**changes: str) -> str:
        query = {"show": chosen, "template": template, **changes}
        pairs = {
            name: value
            for name, value in query.items()
            if value and (name, value) != ("show", "open")
        }
        return f"{base}?{urlencode(pairs)}" if pairs else base

    counted = [one for one in known if not template or one.id == template]
    counts = {
        "open": sum(one.tasks.open for one in counted),
        "late": sum(one.tasks.overdue for one in counted),
        "done": sum(one.tasks.done for one in counted),
    }
    on = today(at.event.zone, utc_now())
    rows = tuple(
        OwedRow(row, (on - row.due_on).days if row.overdue and row.due_on else 0)
        for row in found.items
    )
    return show(
        TasksPage(
            shell=at.shell,
            rows=rows,
            total=found.total,
            templates=known,
            template=template,
            show=chosen,
            chips=tuple(
                Chip(
                    words,
                    found.total if key == chosen else counts.get(key) if template else None,
                    link(show=key),
                    key == chosen,
                )
                for key, words in _CHIPS.items()
            ),
            next_href=link(cursor=found.next_cursor) if found.next_cursor else "",
            first_href=link() if cursor else "",
            faults=faults,
        ),
        422 if faults else 200,
    )
