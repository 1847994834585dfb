"""Files that come for tasks: a chain of versions each, read by organisers and those who owe it."""

import datetime as dt
from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta
from sqlalchemy import ColumnElement, bindparam, exists, func, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.db.engine import Database
from unsession.db.prepared import AnySelect, Prepared
from unsession.domain.files import kept_name
from unsession.domain.tasks import TaskKind, TaskStatus
from unsession.errors import Invalid
from unsession.models import File, Speaker, Task
from unsession.services import find
from unsession.services.onboarding.tasks import complete, load, say
from unsession.services.refs import TaskRef

#: What a file is of, and which of its places it fills.
TASK, SLOT = "task", "file"


class StoredFile(Input):
    """Bytes that the door has put away, and how they came."""

    sha256: Annotated[
        str, Meta(pattern="^[0-9a-f]{64}$", description="Hash of the bytes, which lie there.")
    ]
    filename: Annotated[str, Meta(max_length=1000, description="Name it came with.")]
    media_type: Annotated[
        str, Meta(min_length=3, max_length=100, description="What it is by its content.")
    ]
    size: Annotated[int, Meta(ge=0, description="How many bytes.")]


class AddFile(StoredFile):
    """A file that organisers add to a task."""

    task: TaskRef


class FileAdded(msgspec.Struct, frozen=True, rename="camel"):
    """A version that is new in its chain."""

    file: str
    task: str
    number: int
    filename: str


class FileShown(msgspec.Struct, frozen=True, rename="camel"):
    """One version of a file."""

    id: str
    task: str
    number: int
    filename: str
    media_type: str
    size: int
    uploaded_by: str
    created_at: dt.datetime


class FileRow(msgspec.Struct, frozen=True):
    """A file as the table keeps it."""

    id: str
    subject_id: str
    number: int
    filename: str
    media_type: str
    size: int
    uploaded_by: str
    created_at: dt.datetime
    sha256: str


@page_operation(needs=Permission.TASK_WRITE, because="bytes come through a page, as a form")
async def add_file(ctx: Context, args: AddFile) -> FileAdded:
    """Add a file to a task for whoever owes it; the task is done by that.

    Refuses with: not_found, forbidden, ambiguous, invalid, conflict.
    """
    place = await find.task(ctx, args.task, None, None)
    return await add_version(ctx, await load(ctx, place.id), args, place.workspace_id)


async def add_version(ctx: Context, task: Task, stored: StoredFile, workspace_id: str) -> FileAdded:
    """The next version of a task's file. Effects: one file row; an open task is done.

    The caller has checked whose task it is, and holds its row. Refuses with Invalid and Conflict.
    """
    if stored.size == 0:
        raise Invalid.at("/file", "is empty")
    if task.kind is not TaskKind.FILE:
        raise Invalid.at("/file", "is not what this task asks for")
    found = await ctx.session.execute(
        select(func.max(col(File.number))).where(
            col(File.subject_id) == task.id, col(File.slot) == SLOT
        )
    )
    file = File(
        event_id=task.event_id,
        subject_type=TASK,
        subject_id=task.id,
        slot=SLOT,
        number=(found.scalar_one() or 0) + 1,
        sha256=stored.sha256,
        filename=kept_name(stored.filename),
        media_type=stored.media_type,
        size=stored.size,
        uploaded_by=ctx.actor.name,
    )
    say(ctx, task, workspace_id, f"“{file.filename}” for “{task.name}”, version {file.number}")
    if task.status is not TaskStatus.DONE:
        complete(ctx, task)
    ctx.session.add(file)
    await ctx.session.flush()
    return FileAdded(file.id, task.id, file.number, file.filename)


_COLUMNS = (
    col(File.id),
    col(File.subject_id),
    col(File.number),
    col(File.filename),
    col(File.media_type),
    col(File.size),
    col(File.uploaded_by),
    col(File.created_at),
    col(File.sha256),
)


def _files(*conditions: ColumnElement[bool]) -> AnySelect:
    return (
        select(*_COLUMNS)
        .join(Task, col(Task.id) == col(File.subject_id))
        .where(col(File.subject_type) == TASK, col(File.deleted_at).is_(None), *conditions)
        .order_by(col(File.subject_id), col(File.number).desc())
    )


_owes = exists().where(
    col(Speaker.user_id) == bindparam("user"),
    col(Speaker.event_id) == col(Task.event_id),
    find.owed_by(col(Speaker.id)),
)
_OF_TASK = Prepared(_files(col(Task.id) == bindparam("task")), FileRow)
#: Every version for the tasks of one speaker, the newest of each first.
OF_SPEAKER = Prepared(_files(find.owed_by(bindparam("speaker"))), FileRow)
#: The same for all that a person owes in an event.
OWN = Prepared(_files(col(Task.event_id) == bindparam("event"), _owes.correlate(Task)), FileRow)


def shown(row: FileRow) -> FileShown:
    """A file's row as answers show it."""
    return FileShown(
        row.id,
        row.subject_id,
        row.number,
        row.filename,
        row.media_type,
        row.size,
        row.uploaded_by,
        row.created_at,
    )


async def versions_of(ctx: Context, task_id: str) -> list[FileShown]:
    """Every version that came for a task that was found already, the newest first."""
    return [shown(row) for row in await ctx.all(_OF_TASK, task=task_id)]


class _One(msgspec.Struct, frozen=True):
    id: str


_REFERRED = Prepared(
    select(col(File.id)).where(col(File.sha256) == bindparam("sha256")).limit(1), _One
)


async def needed_of(db: Database, hashes: Sequence[str]) -> set[str]:
    """Which of these bytes some row refers to."""
    rows = await db.rows(select(col(File.sha256)).where(col(File.sha256).in_(hashes)).distinct())
    return {row.sha256 for row in rows}


async def is_needed(db: Database, sha256: str) -> bool:
    """Whether any row refers to these bytes."""
    return bool(await db.all(_REFERRED, sha256=sha256))
