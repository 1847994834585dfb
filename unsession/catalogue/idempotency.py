"""Repeated calls: the same key and body within a day get the first success again."""

import datetime as dt
from typing import Any

import msgspec
from sqlalchemy import delete, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import col

from unsession.catalogue.record import actor_id
from unsession.context import Context
from unsession.errors import Conflict, NotFound
from unsession.models import IdempotencyKey

KEPT_FOR = dt.timedelta(hours=24)


async def claim(ctx: Context, key: str, operation: str, digest: str) -> dict[str, Any] | None:
    """Take a key for this call, or return the answer it had before.

    Two calls at once with one key: the second waits for the first and gets its answer. Refuses
    with Conflict when the key was used for something else; checks the actor's access to what
    the answer speaks of before handing it out again.
    """
    actor = actor_id(ctx.actor)
    await ctx.session.execute(
        delete(IdempotencyKey).where(col(IdempotencyKey.expires_at) <= ctx.now)
    )
    insert = postgresql.insert if ctx.db.dialect.name == "postgresql" else sqlite.insert
    claimed = await ctx.session.execute(
        insert(IdempotencyKey)
        .values(
            actor=actor,
            key=key,
            operation=operation,
            request_digest=digest,
            expires_at=ctx.now + KEPT_FOR,
        )
        .on_conflict_do_nothing(index_elements=["actor", "key"])
        .returning(col(IdempotencyKey.key))
    )
    if claimed.first() is not None:
        return None
    found = await ctx.session.execute(
        select(IdempotencyKey).where(
            col(IdempotencyKey.actor) == actor, col(IdempotencyKey.key) == key
        )
    )
    row = found.scalar_one()
    if row.request_digest != digest:
        raise Conflict(
            f"The idempotency key “{key}” was used for another call. Use a new key.", key=key
        )
    if row.workspace_id is not None:
        ctx.actor.require(ctx.needs, row.workspace_id, row.event_id, NotFound())
    answer: dict[str, Any] = msgspec.json.decode(row.response or "{}")
    return answer


async def keep(ctx: Context, key: str, answer: dict[str, Any]) -> None:
    """Store a success under a claimed key, in the transaction that made it.

    A member called ``secret`` is left out: it is shown once, and a repetition answers without it.
    """
    work = ctx.writing
    kept = {name: value for name, value in answer.items() if name != "secret"}
    await ctx.session.execute(
        update(IdempotencyKey)
        .where(col(IdempotencyKey.actor) == actor_id(ctx.actor), col(IdempotencyKey.key) == key)
        .values(
            response=msgspec.json.encode(kept).decode(),
            workspace_id=work.workspace_id,
            event_id=work.event_id,
        )
    )
