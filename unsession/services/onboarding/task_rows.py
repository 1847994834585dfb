"""The prepared reads behind lists of tasks, and a task as every answer shows it."""

import datetime as dt
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import ColumnElement, Date, bindparam, exists, func, literal, select, tuple_
from sqlmodel import col

from unsession.db.prepared import AnySelect, Filtered, Prepared
from unsession.domain.tasks import NEVER_DUE, TaskKind, TaskStatus, TaskTarget, is_overdue
from unsession.models import Session, SessionSpeaker, Speaker, Task
from unsession.services import find

SEPARATOR = "\x1f"  # between names: the unit separator, which no name contains


class Shape(NamedTuple):
    """Which filters are present."""

    filters: frozenset[str]


class ListedTask(msgspec.Struct, frozen=True):
    """A task as lists read it."""

    id: str
    name: str
    name_folded: str
    kind: TaskKind
    status: TaskStatus
    due_on: dt.date | None
    sort_due: dt.date
    template_id: str | None
    speaker_id: str | None
    speaker: str | None
    speaker_code: str | None
    session_id: str | None
    session: str | None
    session_code: str | None
    line_up: str | None
    description: str
    note: str | None
    completed_at: dt.datetime | None
    completed_by: str | None
    version: int
    total: int


class TargetShown(msgspec.Struct, frozen=True):
    """Whom a task is for: one speaker, or one session once."""

    type: TaskTarget
    id: str
    name: str
    code: str


class TaskRow(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A task in a list."""

    id: str
    name: str
    kind: TaskKind
    status: TaskStatus
    target: TargetShown
    assignees: Annotated[Sequence[str], Meta(description="Names of those who may complete it.")]
    overdue: Annotated[bool, Meta(description="Open, and its day is over in the event's zone.")] = (
        False
    )
    due_on: dt.date | UnsetType = UNSET


class TaskFull(TaskRow, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A task with everything that belongs to it."""

    description: str | UnsetType = UNSET
    note: str | UnsetType = UNSET
    completed_at: dt.datetime | UnsetType = UNSET
    completed_by: str | UnsetType = UNSET
    version: int


_names = (
    select(col(Speaker.name).label("name"))
    .join(SessionSpeaker, col(SessionSpeaker.speaker_id) == col(Speaker.id))
    .where(
        col(SessionSpeaker.session_id) == col(Task.session_id),
        col(SessionSpeaker.declined_at).is_(None),
    )
    .order_by(col(SessionSpeaker.position))
    .correlate(Task)
    .subquery()
)
_LINE_UP = (
    select(func.aggregate_strings(_names.c.name, SEPARATOR)).correlate(Task).scalar_subquery()
)
#: A task's own speaker, joined by its id.
_owner: Any = Speaker.__table__.alias("owner")  # type: ignore[attr-defined]  # made by table=True
_DUE = func.coalesce(col(Task.due_on), literal(NEVER_DUE, Date), type_=Date)


def _columns(total: Any) -> list[Any]:
    return [
        col(Task.id),
        col(Task.name),
        col(Task.name_folded),
        col(Task.kind),
        col(Task.status),
        col(Task.due_on),
        _DUE,
        col(Task.template_id),
        col(Task.speaker_id),
        _owner.c.name,
        _owner.c.code,
        col(Task.session_id),
        col(Session.title),
        col(Session.code),
        _LINE_UP,
        col(Task.description),
        col(Task.note),
        col(Task.completed_at),
        col(Task.completed_by),
        col(Task.version),
        total,
    ]


def _with_targets(rows: AnySelect) -> AnySelect:
    return (
        rows.select_from(Task)
        .outerjoin(_owner, _owner.c.id == col(Task.speaker_id))
        .outerjoin(Session, col(Session.id) == col(Task.session_id))
    )


def late() -> ColumnElement[bool]:
    """Open, and the day is over: needs ``today``."""
    return (col(Task.status) == TaskStatus.OPEN) & (
        col(Task.due_on) < bindparam("today", type_=Date)
    )


def _conditions(filters: frozenset[str]) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [col(Task.event_id) == bindparam("event")]
    if "status" in filters:
        conditions.append(col(Task.status) == bindparam("status"))
    else:
        conditions.append(col(Task.status) != TaskStatus.CANCELLED)
    if "overdue" in filters:
        conditions.append(late())
    if "in_time" in filters:
        conditions.append(~func.coalesce(late(), literal(False)))
    if "template" in filters:
        conditions.append(col(Task.template_id) == bindparam("template"))
    if "session" in filters:
        conditions.append(col(Task.session_id) == bindparam("session"))
    if "speaker" in filters:
        conditions.append(
            exists()
            .where(col(Speaker.id) == bindparam("speaker"), find.owed_by(col(Speaker.id)))
            .correlate(Task)
        )
    return conditions


def _page(shape: Shape) -> AnySelect:
    """By due date, what has none last; then by name."""
    conditions = _conditions(shape.filters)
    total = select(func.count()).select_from(Task).where(*conditions).scalar_subquery()
    page = _with_targets(select(*_columns(total))).where(*conditions).limit(bindparam("limit"))
    if "after" in shape.filters:
        last = tuple_(
            bindparam("after", type_=Date), bindparam("after_name"), bindparam("after_id")
        )
        page = page.where(tuple_(_DUE, col(Task.name_folded), col(Task.id)) > last)
    return page.order_by(_DUE, col(Task.name_folded), col(Task.id))


PAGE = Filtered(_page, ListedTask)
ONE = Prepared(
    _with_targets(select(*_columns(literal(1)))).where(col(Task.id) == bindparam("task")),
    ListedTask,
)


def row_of(row: ListedTask, on: dt.date) -> TaskRow:
    """A listed task as the answer shows it; ``on`` is today in the event's zone."""
    return TaskRow(
        id=row.id,
        name=row.name,
        kind=row.kind,
        status=row.status,
        target=_target(row),
        assignees=_assignees(row),
        overdue=is_overdue(row.status, row.due_on, on),
        due_on=row.due_on or UNSET,
    )


def full_of(row: ListedTask, on: dt.date) -> TaskFull:
    """One task in its full shape."""
    return TaskFull(
        id=row.id,
        name=row.name,
        kind=row.kind,
        status=row.status,
        target=_target(row),
        assignees=_assignees(row),
        overdue=is_overdue(row.status, row.due_on, on),
        due_on=row.due_on or UNSET,
        description=row.description or UNSET,
        note=row.note or UNSET,
        completed_at=row.completed_at or UNSET,
        completed_by=row.completed_by or UNSET,
        version=row.version,
    )


def _target(row: ListedTask) -> TargetShown:
    if row.speaker_id is not None:
        return TargetShown(
            TaskTarget.SPEAKER, row.speaker_id, row.speaker or "", row.speaker_code or ""
        )
    return TargetShown(
        TaskTarget.SESSION, row.session_id or "", row.session or "", row.session_code or ""
    )


def _assignees(row: ListedTask) -> list[str]:
    if row.speaker is not None:
        return [row.speaker]
    return row.line_up.split(SEPARATOR) if row.line_up else []
