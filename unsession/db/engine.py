"""The database as the house uses it: one writer, one reader, a slow reader, inline look-ups.

SQLite: one writer connection that begins IMMEDIATE, a read-only connection on which prepared
reads run inline, a reader in a thread for those that take longer, and a second reader for search,
exports and reports. PostgreSQL: pools behind the same methods. Figures in bench/.
"""

import abc
import asyncio
import contextlib
import sqlite3
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite
import msgspec
from sqlalchemy import event
from sqlalchemy.dialects.postgresql import asyncpg as postgres_dialect
from sqlalchemy.dialects.sqlite import aiosqlite as sqlite_dialect
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine

from unsession.db import dialect as onehop
from unsession.db.prepared import AnySelect, Compiled, Prepared
from unsession.writing import writing

T = TypeVar("T", bound=msgspec.Struct)

#: A prepared read with its parameters.
Read = tuple[Prepared[Any], dict[str, Any]]
#: SQL with its arguments in order.
_Statement = tuple[str, list[Any]]

_PRAGMAS = (
    "synchronous=NORMAL",
    "busy_timeout=5000",
    "foreign_keys=ON",
    "cache_size=-16000",
    "mmap_size=268435456",
    "temp_store=MEMORY",
)
#: SQLite virtual machine steps between two alarms; the second one of a look-up interrupts it, so
#: that happens after 25,000 to 50,000 steps (3 ms at most).
_INLINE_STEPS = 25_000
#: Seconds for which a read that had to be interrupted goes to the reader at once.
_LONG_FOR = 60.0


class Database(abc.ABC):
    """Opened by the app's lifespan or a command; closed by the same. Not shared by processes."""

    dialect: Any
    writer: AsyncEngine
    slow: AsyncEngine

    @abc.abstractmethod
    async def open(self) -> None:
        """Connect. Call once, before anything else, inside the running loop."""

    async def close(self) -> None:
        """Give every connection back; their threads end."""
        await self.writer.dispose()
        await self.slow.dispose()

    @contextlib.asynccontextmanager
    async def write(self, *, keep: bool = True) -> AsyncIterator[AsyncSession]:
        """One write transaction: commits at the end of the block, rolls back on any exception.

        ``keep=False`` throws it away at the end all the same: a preview.
        """
        async with AsyncSession(self.writer, expire_on_commit=False) as session:
            await session.begin()
            try:
                with writing():
                    yield session
            except BaseException:
                await session.rollback()
                raise
            if keep:
                await session.commit()
            else:
                await session.rollback()

    async def all(self, prepared: Prepared[T], **parameters: Any) -> list[T]:
        """All rows of a prepared read, from the committed state."""
        rows: list[T] = (await self.together((prepared, parameters)))[0]
        return rows

    @abc.abstractmethod
    async def together(self, *reads: Read) -> list[list[Any]]:
        """Several prepared reads on one state, each with its parameters, answered in order."""

    def changed(self) -> int | None:
        """A number that differs after any commit by anybody, or None where there is none."""
        return None

    async def rows(self, statement: AnySelect, parameters: Any = None) -> list[Any]:
        """Rows of an ordinary Core select on the slow reader: search, exports, reports."""
        async with self.slow.connect() as connection:
            return list((await connection.execute(statement, parameters)).all())


def open_database(url: str, *, hot_inline: bool = True) -> Database:
    """The database behind a URL, not yet connected."""
    if url.startswith("postgresql"):
        return PostgresDatabase(url)
    return SqliteDatabase(Path(url.removeprefix("sqlite+aiosqlite:///")), hot_inline=hot_inline)


class SqliteDatabase(Database):
    """WAL; writers queue in this process, so ``database is locked`` cannot happen inside it."""

    def __init__(self, path: Path, *, hot_inline: bool = True) -> None:
        self.path = path
        self.dialect = sqlite_dialect.dialect(json_deserializer=msgspec.json.decode)
        self._hot_inline = hot_inline
        self._reader: aiosqlite.Connection | None = None
        self._inline: sqlite3.Connection | None = None
        self._turn = asyncio.Lock()
        self.interrupted = 0  #: inline look-ups that had to go to the reader
        self._alarms = 0  #: calls of the progress handler during the present look-up
        self._long: dict[Compiled, float] = {}  #: until when a read is taken to be a long one
        self.writer = self._engine(begin_immediate=True)
        self.slow = self._engine(begin_immediate=False)

    def _engine(self, *, begin_immediate: bool) -> AsyncEngine:
        engine = create_async_engine(
            f"sqlite+{onehop.DRIVER}:///{self.path}",
            pool_size=1,
            max_overflow=0,
            pool_timeout=10,
            json_deserializer=msgspec.json.decode,
            # Used by one task at a time, from the loop's thread and from aiosqlite's in turn.
            connect_args={
                "inline": begin_immediate and self._hot_inline,
                "check_same_thread": False,
                "cached_statements": 512,
            },
        )

        @event.listens_for(engine.sync_engine, "connect")
        def prepare(connection: Any, _: Any) -> None:
            connection.isolation_level = None
            cursor = connection.cursor()
            cursor.execute("PRAGMA journal_mode=WAL")
            for pragma in _PRAGMAS:
                cursor.execute(f"PRAGMA {pragma}")
            cursor.close()

        if begin_immediate:

            @event.listens_for(engine.sync_engine, "begin")
            def begin(connection: Any) -> None:
                connection.exec_driver_sql("BEGIN IMMEDIATE")

        return engine

    async def open(self) -> None:
        async with self.writer.connect():
            pass  # the first connection switches the file to WAL
        uri = f"{self.path.absolute().as_uri()}?mode=ro"
        self._reader = await aiosqlite.connect(
            uri, uri=True, isolation_level=None, cached_statements=512
        )
        for pragma in (*_PRAGMAS, "query_only=ON"):
            await self._reader.execute(f"PRAGMA {pragma}")
        self._inline = sqlite3.connect(
            uri, uri=True, isolation_level=None, cached_statements=512, check_same_thread=False
        )
        for pragma in (*_PRAGMAS, "query_only=ON"):
            self._inline.execute(f"PRAGMA {pragma}")
        self._inline.set_progress_handler(self._runs_away, _INLINE_STEPS)

    @contextlib.asynccontextmanager
    async def write(self, *, keep: bool = True) -> AsyncIterator[AsyncSession]:
        # A lock, not the pool's queue: writers get their turn in the order they asked.
        async with self._turn, super().write(keep=keep) as session:
            yield session

    async def close(self) -> None:
        # aiosqlite's threads are no daemons: an unclosed connection would hold the exit for ever.
        if self._reader is not None:
            await self._reader.close()
            self._reader = None
        if self._inline is not None:
            self._inline.close()
            self._inline = None
        await super().close()

    async def together(self, *reads: Read) -> list[list[Any]]:
        compiled = [prepared.compiled(self.dialect) for prepared, _ in reads]
        statements = [
            (one.sql, one.arguments(parameters))
            for one, (_, parameters) in zip(compiled, reads, strict=True)
        ]
        answers = self._at_once(compiled, statements) if self._is_quick(compiled) else None
        if answers is None:
            assert self._reader is not None, "the database is not open"
            driver = self._reader._connection
            answers = await self._reader._execute(_run_all, driver, statements)
        return [
            one.decode(prepared.row, rows)
            for one, (prepared, _), rows in zip(compiled, reads, answers, strict=True)
        ]

    def _is_quick(self, compiled: list[Compiled]) -> bool:
        if not self._hot_inline:
            return False
        if not self._long:
            return True
        now = time.monotonic()
        return not any(self._long.get(one, 0.0) > now for one in compiled)

    def _at_once(
        self, compiled: list[Compiled], statements: list[_Statement]
    ) -> list[list[Any]] | None:
        """The answers on the inline connection, or None: one of them takes too long for that."""
        assert self._inline is not None, "the database is not open"
        done: list[list[Any]] = []
        self._alarms = 0
        try:
            if len(statements) > 1:
                self._inline.execute("BEGIN")
            for sql, arguments in statements:
                self._alarms = 0
                done.append(self._inline.execute(sql, arguments).fetchall())
        except sqlite3.OperationalError as error:
            if "interrupted" not in str(error):
                raise
            self.interrupted += 1
            self._long[compiled[len(done)]] = time.monotonic() + _LONG_FOR
            return None
        finally:
            if len(statements) > 1:
                self._alarms = 0  # a COMMIT has steps as well
                self._inline.execute("COMMIT")
        return done

    def _runs_away(self) -> bool:
        # SQLite counts the steps of a cached statement on from call to call, so the first alarm
        # may come at any step of an innocent look-up; the second is one whole stretch later.
        self._alarms += 1
        return self._alarms > 1

    def changed(self) -> int | None:
        """``PRAGMA data_version``: about 5 µs, sees other processes and our own writer."""
        assert self._inline is not None, "the database is not open"
        self._alarms = 0  # its few steps are counted on from call to call as well
        version: int = self._inline.execute("PRAGMA data_version").fetchone()[0]
        return version


def _run_all(connection: sqlite3.Connection, statements: list[_Statement]) -> list[list[Any]]:
    """All statements on one state of the database, in the reader's thread."""
    connection.execute("BEGIN")
    try:
        return [connection.execute(sql, arguments).fetchall() for sql, arguments in statements]
    finally:
        connection.execute("COMMIT")


class PostgresDatabase(Database):
    """asyncpg: one pool for transactions, one for prepared reads (autocommit)."""

    def __init__(self, url: str) -> None:
        self._dsn = url.replace("postgresql+asyncpg://", "postgresql://")
        self.dialect = postgres_dialect.dialect()
        self._pool: Any = None
        self.writer = create_async_engine(url, pool_size=8, max_overflow=0, pool_timeout=10)
        self.slow = create_async_engine(
            url, pool_size=2, max_overflow=0, isolation_level="AUTOCOMMIT"
        )

    async def open(self) -> None:
        import asyncpg  # noqa: PLC0415  (the extra "postgres": imported only where it is used)

        async def plain_json(connection: Any) -> None:
            for kind in ("json", "jsonb"):
                await connection.set_type_codec(
                    kind,
                    encoder=str,
                    decoder=msgspec.json.decode,
                    schema="pg_catalog",
                    format="text",
                )

        self._pool = await asyncpg.create_pool(
            self._dsn, min_size=1, max_size=6, init=plain_json, statement_cache_size=256
        )

    async def close(self) -> None:
        if self._pool is not None:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._pool.close(), 5)
            self._pool = None
        await super().close()

    async def together(self, *reads: Read) -> list[list[Any]]:
        assert self._pool is not None, "the database is not open"
        answers = []
        async with self._pool.acquire() as connection, _one_snapshot(connection, reads):
            for prepared, parameters in reads:
                compiled = prepared.compiled(self.dialect)
                rows = await connection.fetch(compiled.sql, *compiled.arguments(parameters))
                answers.append(compiled.decode(prepared.row, rows))
        return answers


def _one_snapshot(
    connection: Any, reads: tuple[Read, ...]
) -> contextlib.AbstractAsyncContextManager[Any]:
    if len(reads) == 1:
        return contextlib.nullcontext()
    snapshot: contextlib.AbstractAsyncContextManager[Any] = connection.transaction(
        isolation="repeatable_read", readonly=True
    )
    return snapshot
