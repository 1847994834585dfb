"""Writes the activity entry of a write, in its transaction, and links it into the chain."""

import datetime as dt
import secrets
from typing import Any

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import col

from unsession.access import Actor
from unsession.context import Context, Subject
from unsession.domain import chain
from unsession.ids import new_id
from unsession.models import Activity, ActivityHead

INSTALLATION = "installation"


def envelope(entry: Any) -> dict[str, Any]:
    """The parts of an entry the chain covers for ever, from a row or anything like one."""
    at: dt.datetime = entry.at
    return {
        "workspace": entry.workspace_id,
        "event": entry.event_id,
        "number": entry.number,
        "at": at.astimezone(dt.UTC).isoformat(timespec="microseconds"),
        "actorKind": str(entry.actor_kind),
        "actorId": entry.actor_id,
        "operation": entry.operation,
        "subjectType": entry.subject_type,
        "subjectId": entry.subject_id,
        "request": entry.request_id,
        "batch": entry.batch_id,
        "undoes": entry.undoes,
        "content": entry.content_hash,
    }


async def record(ctx: Context, operation: str, activity_id: str) -> str | None:
    """Write the entry of what the unit of work changed; nothing changed, nothing written.

    Locks the head of the workspace's chain last of all, just before the commit.
    """
    work = ctx.writing
    await work.session.flush()
    if not work.changes:
        return None
    subject = work.subject
    if subject is None:
        raise AssertionError(f"{operation} changed rows and did not say what it is about")
    head = await _lock_head(ctx, work.workspace_id)
    entries = [_entry(ctx, operation, subject, activity_id, chain.canonical(work.content()))]
    for part in work.parts:
        told = {"summary": part.summary, "changes": [], "inverse": []}
        entries.append(_entry(ctx, operation, part, new_id("act"), chain.canonical(told)))
        entries[-1].batch_id = ctx.writing.batch_id or activity_id
    for entry in entries:
        entry.number, entry.previous_hash = head.number + 1, head.hash
        entry.hash = chain.entry_hash(head.hash, envelope(entry))
        head.number, head.hash = entry.number, entry.hash
    await work.session.execute(insert(Activity), [entry.model_dump() for entry in entries])
    await work.session.execute(
        update(ActivityHead)
        .where(col(ActivityHead.chain) == head.chain)
        .values(number=head.number, hash=head.hash)
    )
    return activity_id


def _entry(ctx: Context, operation: str, subject: Subject, entry_id: str, content: str) -> Activity:
    """An entry that has no place in the chain yet."""
    salt = secrets.token_hex(16)
    return Activity(
        id=entry_id,
        workspace_id=ctx.writing.workspace_id,
        event_id=ctx.writing.event_id,
        number=0,
        at=ctx.now,
        actor_kind=ctx.actor.kind,
        actor_id=actor_id(ctx.actor),
        actor_name=ctx.actor.name,
        operation=operation,
        subject_type=subject.table,
        subject_id=subject.id,
        request_id=ctx.request_id,
        batch_id=ctx.writing.batch_id,
        undoes=ctx.writing.undoes,
        salt=salt,
        content=content,
        content_hash=chain.content_hash(salt, ctx.actor.name, content),
        previous_hash="",
        hash="",
    )


def actor_id(actor: Actor) -> str:
    """The stable identity of an actor, for activity and idempotency."""
    return f"{actor.kind.value}:{actor.id}"


async def _lock_head(ctx: Context, workspace_id: str | None) -> ActivityHead:
    name = workspace_id or INSTALLATION
    locked = (await ctx.session.execute(_HEAD, {"name": name})).one_or_none()
    if locked is None:  # the first entry of a chain; another one may be writing it just now
        make = postgresql.insert if ctx.db.dialect.name == "postgresql" else sqlite.insert
        first = make(ActivityHead).values(chain=name, number=0, hash=chain.GENESIS)
        await ctx.session.execute(first.on_conflict_do_nothing(index_elements=["chain"]))
        locked = (await ctx.session.execute(_HEAD, {"name": name})).one()
    return ActivityHead(chain=locked.chain, number=locked.number, hash=locked.hash)


_HEAD = (
    select(col(ActivityHead.chain), col(ActivityHead.number), col(ActivityHead.hash))
    .where(col(ActivityHead.chain) == bindparam("name"))
    .with_for_update()
)
