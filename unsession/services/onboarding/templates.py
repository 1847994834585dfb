"""Task templates: tasks to be given to many, in the same words."""

import datetime as dt
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import ColumnElement, bindparam, func, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, Page, PageRequest, get, operation, post
from unsession.catalogue.paging import question, read_cursor, write_cursor
from unsession.context import Context
from unsession.db.prepared import AnySelect, Filtered
from unsession.domain.tasks import TaskKind, TaskStatus, TaskTarget, today
from unsession.domain.text import fold, typed_line, typed_text
from unsession.errors import Conflict, Invalid, Problem
from unsession.models import Task, TaskTemplate
from unsession.services import find
from unsession.services.onboarding.task_rows import late
from unsession.services.refs import EventRef, Version

TaskName = Annotated[
    str,
    Meta(min_length=1, max_length=120, pattern=r"\S", description="What is asked, in a few words."),
]
Description = Annotated[
    str, Meta(max_length=5000, description="What speakers read about it, plain text.")
]
Kind = Annotated[
    TaskKind, Meta(description="checkbox: ticked when done; file: done by sending a file.")
]
DueOn = Annotated[
    dt.date, Meta(description="The last day for it (YYYY-MM-DD) on the event's calendar.")
]


class ListTaskTemplates(PageRequest):
    """Of which event."""

    event: EventRef


class TaskCounts(msgspec.Struct, frozen=True):
    """How many tasks are open, how many of these are late, and how many are done."""

    open: int
    overdue: int
    done: int


class TemplateRow(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A task template with what became of it."""

    id: str
    name: str
    kind: TaskKind
    target: TaskTarget
    on_accept: bool
    tasks: TaskCounts
    version: int
    description: str | UnsetType = UNSET
    due_on: dt.date | UnsetType = UNSET


class _Listed(msgspec.Struct, frozen=True):
    id: str
    name: str
    name_folded: str
    kind: TaskKind
    target: TaskTarget
    on_accept: bool
    description: str
    due_on: dt.date | None
    version: int
    open: int
    overdue: int
    done: int
    total: int


def _page(after: bool) -> AnySelect:
    here = (
        col(TaskTemplate.event_id) == bindparam("event"),
        col(TaskTemplate.archived_at).is_(None),
    )
    of_it = col(Task.template_id) == col(TaskTemplate.id)

    def count(condition: ColumnElement[bool]) -> Any:
        counted = select(func.count()).select_from(Task).where(of_it, condition)
        return counted.correlate(TaskTemplate).scalar_subquery()

    page: AnySelect = select(
        col(TaskTemplate.id),
        col(TaskTemplate.name),
        col(TaskTemplate.name_folded),
        col(TaskTemplate.kind),
        col(TaskTemplate.target),
        col(TaskTemplate.on_accept),
        col(TaskTemplate.description),
        col(TaskTemplate.due_on),
        col(TaskTemplate.version),
        count(col(Task.status) == TaskStatus.OPEN),
        count(late()),
        count(col(Task.status) == TaskStatus.DONE),
        select(func.count()).select_from(TaskTemplate).where(*here).scalar_subquery(),
    ).where(*here)
    if after:
        page = page.where(col(TaskTemplate.name_folded) > bindparam("after"))
    return page.order_by(col(TaskTemplate.name_folded)).limit(bindparam("limit"))


_PAGE = Filtered(_page, _Listed)


@operation(
    title="List task templates",
    rest=get("/events/{event}/task-templates"),
    needs=Permission.TASK_READ,
)
async def list_task_templates(ctx: Context, args: ListTaskTemplates) -> Page[TemplateRow]:
    """List an event's task templates by name, with how many of their tasks are open and done.

    onAccept: it is given by itself when a submission is accepted.
    """
    event = await find.event(ctx, args.event)
    parameters: dict[str, object] = {
        "event": event.id,
        "limit": args.limit + 1,
        "today": today(event.zone, ctx.now),
    }
    asked = question(args, event.id)
    if args.cursor is not UNSET:
        (parameters["after"],) = read_cursor(ctx.settings.secret_key, asked, args.cursor)
    rows = await ctx.all(_PAGE["after" in parameters], **parameters)
    shown = rows[: args.limit]
    return Page(
        [_row(row) for row in shown],
        shown[0].total if shown else 0,
        write_cursor(ctx.settings.secret_key, asked, [shown[-1].name_folded])
        if len(rows) > args.limit
        else UNSET,
    )


def _row(row: _Listed) -> TemplateRow:
    return TemplateRow(
        id=row.id,
        name=row.name,
        kind=row.kind,
        target=row.target,
        on_accept=row.on_accept,
        tasks=TaskCounts(row.open, row.overdue, row.done),
        version=row.version,
        description=row.description or UNSET,
        due_on=row.due_on or UNSET,
    )


class SaveTaskTemplate(Input):
    """A new template, or what changes in one."""

    event: EventRef
    template: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=200,
                description="The template to change: id or exact name. Left out: a new one.",
            ),
        ]
        | UnsetType
    ) = UNSET
    name: TaskName | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    kind: Kind | UnsetType = UNSET
    target: (
        Annotated[
            TaskTarget,
            Meta(description="speaker (default): each speaker; session: each session, once."),
        ]
        | UnsetType
    ) = UNSET
    due_on: DueOn | None | UnsetType = UNSET
    on_accept: (
        Annotated[bool, Meta(description="true: given by itself when a submission is accepted.")]
        | UnsetType
    ) = UNSET
    version: Version | UnsetType = UNSET


class TemplateSaved(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A template as it stands now."""

    template: str
    name: str
    kind: TaskKind
    target: TaskTarget
    on_accept: bool
    created: bool
    version: int
    description: str | UnsetType = UNSET
    due_on: dt.date | UnsetType = UNSET


@operation(
    title="Save a task template",
    rest=post("/events/{event}/task-templates"),
    needs=Permission.TASK_WRITE,
    undo=True,
    destructive=False,
)
async def save_task_template(ctx: Context, args: SaveTaskTemplate) -> TemplateSaved:
    """Make a task template, or change one.

    A new one needs a name and a kind. Tasks that were given already keep their words and dates;
    kind and target can be changed only before the first is given. Nobody gets a task by this:
    assign_task gives it, or acceptance does where onAccept is true.

    Refuses with: not_found, forbidden, ambiguous, invalid, conflict, stale.
    """
    event = await find.event(ctx, args.event)
    if args.template is UNSET:
        template = _new(event.id, args)
        ctx.session.add(template)
    else:
        place = await find.task_template(ctx, event.id, args.template)
        template = await ctx.session.get_one(TaskTemplate, place.id, with_for_update=True)
        ctx.expect(template, args.version)
        await _check_nature(ctx, template, args)
    created = args.template is UNSET
    if args.name is not UNSET:
        await _rename(ctx, template, args.name)
    if args.description is not UNSET:
        template.description = typed_text(args.description)
    if args.kind is not UNSET:
        template.kind = args.kind
    if args.target is not UNSET:
        template.target = args.target
    if args.due_on is not UNSET:
        template.due_on = args.due_on
    if args.on_accept is not UNSET:
        template.on_accept = args.on_accept
    await ctx.session.flush()
    ctx.writing.about(
        template,
        f"Task template “{template.name}” {'made' if created else 'changed'}",
        workspace_id=event.workspace_id,
        event_id=event.id,
    )
    return TemplateSaved(
        template=template.id,
        name=template.name,
        kind=template.kind,
        target=template.target,
        on_accept=template.on_accept,
        created=created,
        version=template.version,
        description=template.description or UNSET,
        due_on=template.due_on or UNSET,
    )


def _new(event_id: str, args: SaveTaskTemplate) -> TaskTemplate:
    problems = [
        Problem(f"/{name}", "is required for a new template")
        for name, value in (("name", args.name), ("kind", args.kind))
        if value is UNSET
    ]
    if problems:
        raise Invalid(problems)
    return TaskTemplate(
        event_id=event_id,
        name="",
        name_folded="",
        kind=args.kind or TaskKind.CHECKBOX,
        target=args.target or TaskTarget.SPEAKER,
    )


async def _rename(ctx: Context, template: TaskTemplate, name: str) -> None:
    kept = typed_line(name)
    if not fold(kept):
        raise Invalid.at("/name", "must not be blank")
    with ctx.session.no_autoflush:
        found = await ctx.session.execute(
            select(col(TaskTemplate.id)).where(
                col(TaskTemplate.event_id) == template.event_id,
                col(TaskTemplate.name_folded) == fold(kept),
                col(TaskTemplate.id) != template.id,
            )
        )
    if found.first() is not None:
        raise Conflict(f"Another task template has the name “{kept}” already.")
    template.name, template.name_folded = kept, fold(kept)


async def _check_nature(ctx: Context, template: TaskTemplate, args: SaveTaskTemplate) -> None:
    """Refuse with Conflict to turn a template into another thing once it was given."""
    same = args.kind in (UNSET, template.kind) and args.target in (UNSET, template.target)
    if same:
        return
    found = await ctx.session.execute(
        select(col(Task.id)).where(col(Task.template_id) == template.id).limit(1)
    )
    if found.first() is not None:
        raise Conflict(
            f"“{template.name}” was given already: its kind and target stay. Make a new template."
        )
