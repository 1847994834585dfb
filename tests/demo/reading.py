"""Reads of a demo's rows, as they stand."""

import datetime as dt
from typing import Any

from sqlalchemy import select
from sqlmodel import col

from unsession.db.engine import Database
from unsession.models import METADATA, Event

#: The present of every demo in these tests.
NOW = dt.datetime(2026, 11, 30, 9, 30, tzinfo=dt.UTC)


async def of_event(db: Database, model: Any, slug: str = "devconf-2027") -> list[Any]:
    """All rows of a table that belong to one event."""
    columns = model.__table__.columns
    found = select(*columns).join(Event, col(Event.id) == columns["event_id"])
    return await db.rows(found.where(col(Event.slug) == slug))


async def everything(db: Database, model: Any) -> list[Any]:
    """All rows of a table."""
    return await db.rows(select(*model.__table__.columns))


async def empty(db: Database) -> None:
    """Take everything out again."""
    async with db.write() as session:
        for table in reversed(METADATA.sorted_tables):
            await session.execute(table.delete())
