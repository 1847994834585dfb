"""Undo: puts back what one act changed, as one step, or refuses with what is in the way."""

import datetime as dt
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import Date, Enum, delete, inspect, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import OPERATIONS, Input, operation, post
from unsession.catalogue.record import actor_id
from unsession.context import Context, Subject
from unsession.db.types import Instant
from unsession.domain.mail import MailStatus
from unsession.errors import Conflict, NotFound
from unsession.models import METADATA, Activity, Job, Mail, Model, OneTimeLink
from unsession.services.tokens import rights_changed

#: Tables that decide what somebody may do: whoever remembers that must forget it.
_RIGHTS = frozenset({"membership", "event_member", "token", "user", "user_address"})
#: Mail that nobody can have read yet.
_UNSENT = (MailStatus.QUEUED, MailStatus.HELD, MailStatus.KEPT, MailStatus.CANCELLED)


class Undo(Input):
    """Which act."""

    activity: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=60,
                description="activityId of the write to undo. Left out: your own last one.",
            ),
        ]
        | UnsetType
    ) = UNSET


class Undone(msgspec.Struct, frozen=True):
    """What was taken back."""

    undone: str
    operation: str
    summary: str


class _Step(msgspec.Struct, frozen=True):
    """One row of an inverse, as the unit of work recorded it."""

    table: str
    key: dict[str, Any]
    do: str
    before: dict[str, Any] = {}
    version: int | None = None


class _Content(msgspec.Struct, frozen=True):
    summary: str = ""
    inverse: list[_Step] = []


@operation(
    title="Undo a change",
    rest=post("/undo"),
    needs=Permission.CHANGE_UNDO,
    undo=True,
)
async def undo(ctx: Context, args: Undo) -> Undone:
    """Take one earlier write back as a whole: yours, or any whose right you have.

    Restores the recorded values. Refuses and lists what is in the way when something was
    changed since or refers to what would be removed. Mail that has left is not undone; the
    warnings name it. Undoing an undo does the act again.

    Refuses with: not_found, forbidden, conflict.
    """
    entry = await _entry(ctx, args.activity or None)
    original = OPERATIONS.get(entry.operation)
    if original is None or not original.undo:
        raise Conflict("This cannot be undone.", operation=entry.operation)
    if entry.workspace_id is None:
        raise NotFound("activity", entry.id)
    ctx.actor.require(original.needs, entry.workspace_id, entry.event_id, NotFound("activity"))
    if entry.batch_id is not None:
        raise Conflict(
            "This is a part of a larger change, which is undone as a whole.",
            activity=entry.batch_id,
        )
    if await _is_undone(ctx, entry.id):
        raise Conflict("This was undone already.", activity=entry.id)
    content = msgspec.json.decode(entry.content or "{}", type=_Content)
    steps = [*await _steps_of_pieces(ctx, entry.id), *content.inverse]
    await _take_back(ctx, steps)
    if any(step.table in _RIGHTS for step in steps):
        await rights_changed(ctx)
    work = ctx.writing
    work.subject = Subject(entry.subject_type, entry.subject_id, f"Undone: {content.summary}")
    work.workspace_id, work.event_id, work.undoes = entry.workspace_id, entry.event_id, entry.id
    return Undone(entry.id, entry.operation, content.summary)


async def _entry(ctx: Context, wanted: str | None) -> Activity:
    missing = NotFound("activity", wanted, next_call="list_activity")
    query = select(Activity)
    if wanted is not None:
        query = query.where(col(Activity.id) == wanted)
    else:
        undoable = [name for name, op in OPERATIONS.items() if op.undo and name != "undo"]
        undone = select(col(Activity.undoes)).where(col(Activity.undoes).is_not(None))
        query = (
            query.where(
                col(Activity.actor_id) == actor_id(ctx.actor),
                col(Activity.operation).in_(undoable),
                col(Activity.batch_id).is_(None),
                col(Activity.id).not_in(undone),
            )
            .order_by(col(Activity.at).desc(), col(Activity.number).desc())
            .limit(1)
        )
    entry = (await ctx.session.execute(query)).scalar_one_or_none()
    if entry is None or entry.workspace_id is None:
        raise missing
    ctx.actor.require(ctx.needs, entry.workspace_id, entry.event_id, missing)
    return entry


async def _is_undone(ctx: Context, activity_id: str) -> bool:
    """Whether the last word on an entry is an undo of it that was not itself undone."""
    found = await ctx.session.execute(
        select(col(Activity.id)).where(col(Activity.undoes) == activity_id)
    )
    for undoing in found.scalars().all():
        if not await _is_undone(ctx, undoing):
            return True
    return False


async def _steps_of_pieces(ctx: Context, activity_id: str) -> list[_Step]:
    """The inverse of everything the pieces of a longer act did, the last first."""
    found = await ctx.session.execute(
        select(col(Activity.content))
        .where(col(Activity.batch_id) == activity_id)
        .order_by(col(Activity.number).desc())
    )
    return [
        step
        for content in found.scalars()
        for step in msgspec.json.decode(content or "{}", type=_Content).inverse
    ]


async def _take_back(ctx: Context, steps: Sequence[_Step]) -> None:
    rows = {id(step): await _row(ctx, step) for step in steps}
    obstacles = [
        obstacle
        for step in _last_of_each_row(steps)
        if (obstacle := _obstacle(step, rows[id(step)])) is not None
    ]
    removing = [rows[id(step)] for step in steps if step.do == "remove"]
    touched = [row for row in rows.values() if row is not None]
    obstacles += await _referring(ctx, [row for row in removing if row is not None], touched)
    if obstacles:
        raise Conflict(
            "This cannot be undone any more: " + "; ".join(obstacles[:5]) + ".",
            obstacles=obstacles,
        )
    for step in steps:
        row = rows[id(step)] or await _row(ctx, step)  # an earlier step may have put it back
        if step.do == "insert":
            ctx.session.add(_model(step.table)(**step.key, **_values(step)))
        elif step.do == "restore" and row is not None:
            for name, value in _values(step).items():
                setattr(row, name, value)
        elif row is not None:
            await _remove(ctx, row)
        await ctx.session.flush()


def _last_of_each_row(steps: Sequence[_Step]) -> list[_Step]:
    """What an act did last to each row: only there can somebody have come in between."""
    last: dict[tuple[str, str], _Step] = {}
    for step in steps:
        last.setdefault((step.table, repr(sorted(step.key.items()))), step)
    return list(last.values())


async def _row(ctx: Context, step: _Step) -> Model | None:
    model = _model(step.table)
    key = tuple(step.key[column.name] for column in inspect(model).primary_key)
    row: Model | None = await ctx.session.get(model, key, with_for_update=True)
    return row


def _obstacle(step: _Step, row: Model | None) -> str | None:
    """Why one step cannot be taken: the row moved on, or is gone, or is there again."""
    noun = _model(step.table).NOUN or step.table
    if step.do == "insert":
        return None if row is None else f"{noun} {row.label()} is there again"
    if row is None:
        return f"a {noun} is gone"
    if isinstance(row, Mail | Job) and step.do == "remove":
        return None  # mail that left is a warning; a job only counts how far it is
    version = getattr(row, "version", None)
    if step.version is not None and version != step.version:
        return f"{noun} {row.label()} was changed since"
    return None


async def _referring(
    ctx: Context, removing: Sequence[Model], touched: Sequence[Model]
) -> list[str]:
    """Later rows that refer to what would be removed; a cascade would take them in silence."""
    found: list[str] = []
    for row in removing:
        row_id = getattr(row, "id", None)
        if row_id is None or isinstance(row, Mail):
            continue
        for name, table in METADATA.tables.items():
            for column in table.columns:
                targets = {key.target_fullname.split(".")[0] for key in column.foreign_keys}
                if str(row.__tablename__) not in targets:
                    continue
                model = _model(name)
                rows = await ctx.session.execute(select(model).where(column == row_id))
                found += [
                    f"{model.NOUN or name} {other.label()} belongs to {row.label()}"
                    for other in rows.scalars()
                    if not any(other is one for one in touched)
                ]
    return found


async def _remove(ctx: Context, row: Model) -> None:
    if isinstance(row, Mail) and row.status not in _UNSENT:
        ctx.writing.warn("mail_sent", f"Mail {row.label()} has left; it is not undone.")
        return
    row_id = getattr(row, "id", None)
    if row_id is not None:
        await ctx.session.execute(delete(OneTimeLink).where(col(OneTimeLink.subject_id) == row_id))
    await ctx.session.delete(row)


def _model(table: str) -> type[Model]:
    for mapper in Model._sa_registry.mappers:  # noqa: SLF001  (the registry of our own tables)
        if mapper.local_table is METADATA.tables[table]:
            found: type[Model] = mapper.class_
            return found
    raise LookupError(table)


def _values(step: _Step) -> dict[str, Any]:
    """The recorded values as their columns hold them."""
    columns = METADATA.tables[step.table].columns
    return {
        name: _python(value, columns[name].type)
        for name, value in step.before.items()
        if name not in step.key
    }


def _python(value: Any, kind: Any) -> Any:
    if not isinstance(value, str):
        return value
    if isinstance(kind, Enum) and kind.enum_class is not None:
        return kind.enum_class(value)
    if isinstance(kind, Instant):
        return dt.datetime.fromisoformat(value)
    if isinstance(kind, Date):
        return dt.date.fromisoformat(value)
    return value
