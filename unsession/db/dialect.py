"""An aiosqlite dialect with one thread hop a statement.

Stock SQLAlchemy needs four hops for a SELECT (cursor, execute, fetchall, close) and one for the
rollback on return. Here the four are one function in aiosqlite's own thread, and commit or
rollback cost nothing when no transaction is open. A writer's statements need no hop at all
(SPECS/decisions/0009). Measured in bench/; rows are materialised before the call returns, so a
cancelled caller leaves no half-read cursor behind.
"""

import collections
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

import aiosqlite
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.aiosqlite import (
    AsyncAdapt_aiosqlite_connection,
    AsyncAdapt_aiosqlite_dbapi,
    SQLiteDialect_aiosqlite,
)
from sqlalchemy.util.concurrency import await_

DRIVER = "onehop"
_MANY = 200  # rows of one statement; more of them hold the loop up


def _run(connection: sqlite3.Connection, sql: str, parameters: Any) -> tuple[Any, ...]:
    cursor = connection.execute(sql) if parameters is None else connection.execute(sql, parameters)
    rows = cursor.fetchall() if cursor.description else None
    return cursor.description, rows, cursor.rowcount, cursor.lastrowid


def _run_many(connection: sqlite3.Connection, sql: str, many: Any) -> tuple[Any, ...]:
    cursor = connection.executemany(sql, many)
    return cursor.description, None, cursor.rowcount, cursor.lastrowid


class OneHopCursor:
    """A DBAPI cursor whose rows are all there once ``execute`` returns."""

    server_side = False
    __slots__ = ("_adapted", "_rows", "arraysize", "description", "lastrowid", "rowcount")

    def __init__(self, adapted: "OneHopConnection") -> None:
        self._adapted = adapted
        self._rows: collections.deque[Any] = collections.deque()
        self.description: Any = None
        self.rowcount = -1
        self.lastrowid: int | None = None
        self.arraysize = 1

    def _hop(self, function: Any, sql: str, parameters: Any) -> None:
        adapted = self._adapted
        driver = adapted._connection
        try:
            if adapted.runs_here(parameters):
                answer = function(driver._connection, sql, parameters)
            else:
                answer = await_(driver._execute(function, driver._connection, sql, parameters))
            self.description, rows, self.rowcount, self.lastrowid = answer
        except Exception as error:  # noqa: BLE001  (the driver translates it and raises)
            adapted._handle_exception(error)
        else:
            self._rows = collections.deque(rows or ())

    def execute(self, sql: str, parameters: Any = None) -> "OneHopCursor":
        self._hop(_run, sql, parameters)
        return self

    def executemany(self, sql: str, many: Sequence[Any]) -> "OneHopCursor":
        self._hop(_run_many, sql, many)
        return self

    def close(self) -> None:
        self._rows.clear()

    async def _async_soft_close(self) -> None:
        return

    def setinputsizes(self, *_: Any) -> None:
        return

    def fetchone(self) -> Any:
        return self._rows.popleft() if self._rows else None

    def fetchmany(self, size: int | None = None) -> list[Any]:
        wanted = min(size or self.arraysize, len(self._rows))
        return [self._rows.popleft() for _ in range(wanted)]

    def fetchall(self) -> list[Any]:
        rows = list(self._rows)
        self._rows.clear()
        return rows

    def __iter__(self) -> Iterator[Any]:
        while self._rows:
            yield self._rows.popleft()


class OneHopConnection(AsyncAdapt_aiosqlite_connection):
    """Hands out one-hop cursors and skips the hops of an idle commit or rollback.

    ``inline``: statements inside a transaction run on the loop's own thread. Whatever may wait
    for another process or for the disk (BEGIN, COMMIT, ROLLBACK) still goes to aiosqlite's, and
    so do long lists of parameters.
    """

    __slots__ = ("inline",)

    inline: bool

    def runs_here(self, parameters: Any) -> bool:
        """Whether a statement needs no hop at all."""
        if not self.inline or not self._in_transaction():
            return False
        return not (isinstance(parameters, list) and len(parameters) > _MANY)

    def cursor(self, server_side: bool = False) -> Any:
        return OneHopCursor(self)

    def execute(self, operation: Any, parameters: Any = None) -> Any:
        return OneHopCursor(self).execute(operation, parameters)

    def rollback(self) -> None:
        if self._in_transaction():
            super().rollback()

    def commit(self) -> None:
        if self._in_transaction():
            super().commit()

    def _in_transaction(self) -> bool:
        driver = self._connection._connection
        return driver is not None and driver.in_transaction


class OneHopDBAPI(AsyncAdapt_aiosqlite_dbapi):
    """aiosqlite's DBAPI with our connection class."""

    def connect(self, *arg: Any, inline: bool = False, **kw: Any) -> Any:
        stock = super().connect(*arg, **kw)
        made = OneHopConnection(self, stock._connection)
        made.inline = inline
        return made


class OneHopDialect(SQLiteDialect_aiosqlite):
    """``sqlite+onehop://``."""

    driver = DRIVER
    supports_statement_cache = True

    @classmethod
    def import_dbapi(cls) -> Any:
        return OneHopDBAPI(aiosqlite, sqlite3)


registry.register(f"sqlite.{DRIVER}", __name__, "OneHopDialect")
