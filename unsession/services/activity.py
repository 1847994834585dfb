"""The activity log as a whole: whether its chains still hold."""

from typing import Any

import msgspec
from sqlalchemy import select
from sqlmodel import col

from unsession.catalogue.record import INSTALLATION, envelope
from unsession.db.engine import Database
from unsession.domain import chain
from unsession.models import Activity, ActivityHead

_BATCH = 1000


class ChainReport(msgspec.Struct, frozen=True):
    """One chain: how long it is, where it ends, and the first thing wrong with it."""

    chain: str
    entries: int
    head: str
    fault: str | None = None


async def verify_chains(db: Database) -> list[ChainReport]:
    """Recompute every chain from its first entry. Reads only."""
    heads = await db.rows(select(col(ActivityHead.chain)).order_by(col(ActivityHead.chain)))
    orphans = await db.rows(select(col(Activity.workspace_id)).distinct())
    names = {head.chain for head in heads} | {row[0] or INSTALLATION for row in orphans}
    return [await _verify(db, name) for name in sorted(names)]


async def _verify(db: Database, name: str) -> ChainReport:
    # The end first: what it names was committed with it, so a write meanwhile is no fault.
    end = await _end(db, name)
    previous, number = chain.GENESIS, 0
    while True:
        rows = await db.rows(
            select(*Activity.__table__.columns)  # type: ignore[attr-defined]  # made by table=True
            .where(
                col(Activity.workspace_id).is_(None)
                if name == INSTALLATION
                else col(Activity.workspace_id) == name,
                col(Activity.number) > number,
            )
            .order_by(col(Activity.number))
            .limit(_BATCH)
        )
        for row in rows:
            fault = _fault(row, previous, number + 1)
            if fault:
                return ChainReport(name, number, previous, fault)
            previous, number = row.hash, row.number
            if number == end.number and previous != end.hash:
                return ChainReport(name, number, previous, "the last entries are missing")
        if len(rows) < _BATCH:
            break
    if number < end.number:
        return ChainReport(name, number, previous, "the last entries are missing")
    if number > end.number and number > (await _end(db, name)).number:
        return ChainReport(name, number, previous, "entries stand behind the end")
    return ChainReport(name, number, previous)


async def _end(db: Database, name: str) -> ActivityHead:
    """Where a chain ends, as its head says; without one it has not begun."""
    heads = await db.rows(
        select(col(ActivityHead.number), col(ActivityHead.hash)).where(
            col(ActivityHead.chain) == name
        )
    )
    if not heads:
        return ActivityHead(chain=name, number=0, hash=chain.GENESIS)
    return ActivityHead(chain=name, number=heads[0].number, hash=heads[0].hash)


def _fault(row: Any, previous: str, expected: int) -> str | None:
    if row.number != expected:
        return f"entry {expected} is missing"
    if row.previous_hash != previous:
        return f"entry {row.number} does not follow the one before"
    if row.content is not None:
        content = chain.content_hash(row.salt or "", row.actor_name or "", row.content)
        if content != row.content_hash:
            return f"the content of entry {row.number} was changed"
    if chain.entry_hash(previous, envelope(row)) != row.hash:
        return f"entry {row.number} was changed"
    return None
