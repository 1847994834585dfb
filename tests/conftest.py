"""The test house: both engines, a database per test, the world, a call, a counter of statements.

Every test that asks for ``engine_url`` (or ``db``, ``world``, ``call`` …) runs on SQLite, and once
more on PostgreSQL when ``UNSESSION_TEST_POSTGRES_URL`` names a server on which databases may be
made, such as ``postgresql://postgres@127.0.0.1:5432/postgres``.
"""

import asyncio
import contextlib
import os
import secrets
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import pytest
from sqlalchemy import event

import unsession.services  # noqa: F401  (registers the operations)
from tests.world import ACTORS, World, build
from unsession.access import Actor
from unsession.catalogue import OPERATIONS, Outcome, Request, call as run, parse
from unsession.db.engine import Database, PostgresDatabase, SqliteDatabase, open_database
from unsession.db.migrate import upgrade
from unsession.settings import Settings

POSTGRES = os.environ.get("UNSESSION_TEST_POSTGRES_URL", "")


@pytest.fixture(scope="session")
def anyio_backend() -> tuple[str, dict[str, bool]]:
    """Every async test runs on the event loop the product runs on."""
    return "asyncio", {"use_uvloop": True}


@pytest.fixture(scope="session")
def sqlite_blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty file to copy, made once per worker."""
    path = tmp_path_factory.mktemp("template") / "blank.db"
    asyncio.run(upgrade(sqlite_url(path)))
    return path


@pytest.fixture(scope="session")
def sqlite_world(sqlite_blank: Path) -> Path:
    """A file with the world in it to copy, made once per worker."""
    path = sqlite_blank.with_name("world.db")
    shutil.copyfile(sqlite_blank, path)
    asyncio.run(populate(sqlite_url(path)))
    return path


@pytest.fixture(scope="session")
def postgres_blank() -> Iterator[str]:
    """A migrated, empty database to copy, made once per worker; its name."""
    with postgres_database() as name:
        asyncio.run(upgrade(postgres_url(name)))
        yield name


@pytest.fixture(scope="session")
def postgres_world(postgres_blank: str) -> Iterator[str]:
    """A database with the world in it to copy, made once per worker; its name."""
    with postgres_database(postgres_blank) as name:
        asyncio.run(populate(postgres_url(name)))
        yield name


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def engine_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a migrated database of this test's own, on each engine.

    It holds the world when the test asks for ``world``, else nothing.
    """
    contents = "world" if "world" in request.fixturenames else "blank"
    if request.param == "sqlite":
        path = tmp_path / "unsession.db"
        shutil.copyfile(request.getfixturevalue(f"sqlite_{contents}"), path)
        yield sqlite_url(path)
    elif POSTGRES:
        with postgres_database(request.getfixturevalue(f"postgres_{contents}")) as name:
            yield postgres_url(name)
    else:
        pytest.skip("the PostgreSQL lane needs UNSESSION_TEST_POSTGRES_URL")


async def populate(url: str) -> None:
    """Put the world into a database and let go of it."""
    database = open_database(url)
    await database.open()
    try:
        await build(database)
    finally:
        await database.close()


def sqlite_url(path: Path) -> str:
    """The product's address of a file."""
    return f"sqlite+aiosqlite:///{path}"


@contextlib.contextmanager
def postgres_database(template: str = "template1") -> Iterator[str]:
    """A database on the test server, dropped at the end; its name."""
    name = f"unsession_test_{secrets.token_hex(6)}"
    asyncio.run(postgres_admin(f'CREATE DATABASE "{name}" TEMPLATE "{template}"'))
    try:
        yield name
    finally:
        asyncio.run(postgres_admin(f'DROP DATABASE "{name}" WITH (FORCE)'))


def postgres_url(name: str) -> str:
    """The product's address of a database on the test server."""
    parts = urlsplit(POSTGRES)
    return f"postgresql+asyncpg://{parts.netloc}/{name}"


async def postgres_admin(statement: str) -> None:
    """Run a statement that no transaction may hold, on the server's own database."""
    import asyncpg

    connection = await asyncpg.connect(POSTGRES)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


@pytest.fixture
def settings(engine_url: str, tmp_path: Path) -> Settings:
    """Settings of a product on the test's database."""
    return Settings(
        data_dir=tmp_path,
        database_url=engine_url,
        public_url="https://conference.test",
        secret_key=b"0123456789abcdef0123456789abcdef",
    )


@pytest.fixture
async def db(settings: Settings) -> AsyncIterator[Database]:
    """The test's database, opened; closed again, for its threads would hold the exit for ever."""
    database = open_database(settings.database_url)
    await database.open()
    try:
        yield database
    finally:
        await database.close()


@pytest.fixture
def world(engine_url: str) -> World:
    """The actors of tests/world.py, whose rows are in the test's database."""
    return ACTORS


class Call(Protocol):
    """``await call("decide_submission", actor, submission="SUB-1", decision="accept")``."""

    async def __call__(
        self,
        name: str,
        actor: Actor,
        *,
        dry_run: bool = False,
        idempotency_key: str | None = None,
        **wire_arguments: Any,
    ) -> Outcome:
        """Parse wire arguments as a door does and call the operation."""


@pytest.fixture
def call(db: Database, settings: Settings) -> Call:
    """Calls an operation as the doors do, from wire arguments."""

    async def calling(
        name: str,
        actor: Actor,
        *,
        dry_run: bool = False,
        idempotency_key: str | None = None,
        **wire_arguments: Any,
    ) -> Outcome:
        operation = OPERATIONS[name]
        request = Request(actor, db, settings, "req_test", dry_run, idempotency_key)
        return await run(request, operation, parse(operation.input, wire_arguments))

    return calling


class Statements(list[str]):
    """What the database was asked, in order. ``clear()`` before the part that counts."""

    def hear(self, sql: str) -> None:
        """Keep what reads or changes rows; transactions and pragmas are free."""
        if sql.startswith("SELECT pg_advisory_unlock_all"):
            return  # asyncpg cleaning a connection that goes back to its pool
        if sql.split(maxsplit=1)[0].upper() in ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH"):
            self.append(sql)


@pytest.fixture
async def statements(db: Database) -> AsyncIterator[Statements]:
    """Every statement of prepared reads and of transactions, as the drivers get them."""
    heard = Statements()

    def executing(_c: Any, _cursor: Any, sql: str, _p: Any, _ctx: Any, _many: bool) -> None:
        heard.hear(sql)

    for engine in (db.writer, db.slow):
        event.listen(engine.sync_engine, "before_cursor_execute", executing)
    if isinstance(db, SqliteDatabase):
        assert db._reader is not None
        assert db._inline is not None
        await db._reader.set_trace_callback(heard.hear)
        db._inline.set_trace_callback(heard.hear)
    elif isinstance(db, PostgresDatabase):
        # Every connection the pool may hand out, so that none goes unheard.
        every = [await db._pool.acquire() for _ in range(db._pool.get_max_size())]
        for connection in every:
            connection.add_query_logger(lambda record: heard.hear(record.query))
            await db._pool.release(connection)
    yield heard
