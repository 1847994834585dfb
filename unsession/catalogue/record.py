"""Writes the activity entry of a write, in its transaction, and links it into the chain."""

import datetime as dt
import secrets
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import col

from unsession.access import Actor
from unsession.context import Context
from unsession.domain import chain
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
    content = chain.canonical(work.content())
    salt = secrets.token_hex(16)
    head = await _lock_head(ctx, work.workspace_id)
    entry = Activity(
        id=activity_id,
        workspace_id=work.workspace_id,
        event_id=work.event_id,
        number=head.number + 1,
        at=ctx.now,
        actor_kind=ctx.actor.kind,
        actor_id=actor_id(ctx.actor),
        actor_name=ctx.actor.name,
        operation=operation,
        subject_type=str(subject.__tablename__),
        subject_id=str(getattr(subject, "id", "")),
        request_id=ctx.request_id,
        salt=salt,
        content=content,
        content_hash=chain.content_hash(salt, ctx.actor.name, content),
        previous_hash=head.hash,
        hash="",
    )
    entry.hash = chain.entry_hash(head.hash, envelope(entry))
    await work.session.execute(insert(Activity).values(**entry.model_dump()))
    await work.session.execute(
        update(ActivityHead)
        .where(col(ActivityHead.chain) == head.chain)
        .values(number=entry.number, hash=entry.hash)
    )
    return entry.id


def actor_id(actor: Actor) -> str:
    """The stable identity of an actor, for activity and idempotency."""
    return f"{actor.kind.value}:{actor.id}"


async def _lock_head(ctx: Context, workspace_id: str | None) -> ActivityHead:
    name = workspace_id or INSTALLATION
    make = postgresql.insert if ctx.db.dialect.name == "postgresql" else sqlite.insert
    first = make(ActivityHead).values(chain=name, number=0, hash=chain.GENESIS)
    await ctx.session.execute(first.on_conflict_do_nothing(index_elements=["chain"]))
    locked = await ctx.session.execute(
        select(col(ActivityHead.chain), col(ActivityHead.number), col(ActivityHead.hash))
        .where(col(ActivityHead.chain) == name)
        .with_for_update()
    )
    row = locked.one()
    return ActivityHead(chain=row.chain, number=row.number, hash=row.hash)
