"""The context of one call."""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType
from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session
from sqlmodel import col

from unsession.access import Actor, Permission
from unsession.context.work import UnitOfWork
from unsession.db.engine import Database, Read
from unsession.db.prepared import Prepared
from unsession.errors import Stale
from unsession.models import Counter, Mutable
from unsession.settings import Settings

T = TypeVar("T", bound=msgspec.Struct)

#: Told how far a long write is: so many done, of so many, in words.
Report = Callable[[int, int, str], None]


@dataclass(slots=True)
class Context:
    """Who is asking, through which operation, on which data.

    ``work`` is there only inside a write; reads go to the committed state through ``db``.
    """

    actor: Actor
    db: Database
    settings: Settings
    needs: Permission  #: the running operation's; the find door requires it
    now: dt.datetime
    request_id: str
    work: UnitOfWork | None = None
    report: Report | None = None  #: who wants to know how far a long write is

    @property
    def session(self) -> AsyncSession:
        """The open write transaction."""
        return self.writing.session

    @property
    def writing(self) -> UnitOfWork:
        """The unit of work of a write."""
        assert self.work is not None, "this operation only reads"
        return self.work

    def progress(self, done: int, total: int, what: str) -> None:
        """Tell whoever waits how far a long write is: so many of so many, in words."""
        if self.report is not None:
            self.report(done, total, f"{done} of {total} {what}")

    async def all(self, prepared: Prepared[T], **parameters: Any) -> list[T]:
        """Rows of a prepared read: in a write they include what it has changed so far."""
        if self.work is None:
            return await self.db.all(prepared, **parameters)
        compiled = prepared.compiled(self.db.dialect)
        arguments = tuple(compiled.arguments(parameters))

        def read(session: Session) -> list[Any]:
            session.flush()
            return list(session.connection().exec_driver_sql(compiled.sql, arguments))

        return compiled.decode(prepared.row, await self.work.session.run_sync(read))

    async def together(self, *reads: Read) -> list[list[Any]]:
        """Several prepared reads as one trip to the database, answered in order."""
        if self.work is None:
            return await self.db.together(*reads)
        return [await self.all(prepared, **parameters) for prepared, parameters in reads]

    def expect(self, row: Mutable, version: int | UnsetType) -> None:
        """Refuse with Stale unless the row still has the version the caller read."""
        if version is not UNSET and version != row.version:
            raise Stale(
                f"Somebody changed {row.label()} since you read it: it is at version "
                f"{row.version}, not {version}. Read it again.",
                version=row.version,
            )

    async def next_number(self, event_id: str, key: str) -> int:
        """The next contiguous number of an event's counter, taken in this transaction."""
        insert = postgresql.insert if self.db.dialect.name == "postgresql" else sqlite.insert
        taken = insert(Counter).values(event_id=event_id, key=key, value=1)
        taken = taken.on_conflict_do_update(
            index_elements=["event_id", "key"], set_={"value": col(Counter.value) + 1}
        )
        await self.session.execute(taken)
        found = await self.session.execute(
            select(col(Counter.value)).where(
                col(Counter.event_id) == event_id, col(Counter.key) == key
            )
        )
        return int(found.scalar_one())
