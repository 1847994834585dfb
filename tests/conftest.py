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
from hypothesis import settings as hypothesis_settings
from sqlalchemy import event

import unsession.services  # noqa: F401  (registers the operations)
from tests.world import ACTORS, World, build
from unsession.access import Actor
from unsession.catalogue import OPERATIONS, Outcome, Request, call as run, parse
from unsession.db.engine import Database, PostgresDatabase, SqliteDatabase, open_database
from unsession.db.migrate import upgrade
from unsession.models import METADATA
from unsession.settings import Settings

POSTGRES = os.environ.get("UNSESSION_TEST_POSTGRES_URL", "")

# Speed is measured in bench/, never asserted here: a busy machine must not fail a law.
hypothesis_settings.register_profile("unsession", deadline=None)
hypothesis_settings.load_profile("unsession")


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
def postgres_name() -> Iterator[str]:
    """A migrated database for all tests of a worker, with the world put by to refill it from."""
    with postgres_database() as name:
        asyncio.run(upgrade(postgres_url(name)))
        asyncio.run(populate(postgres_url(name)))
        asyncio.run(postgres(name, _put_by()))
        yield name


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def engine_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a migrated database that no other test sees, on each engine.

    It holds the world when the test asks for ``world``, else nothing.
    """
    wanted = "world" in request.fixturenames
    if request.param == "sqlite":
        path = tmp_path / "unsession.db"
        template = request.getfixturevalue("sqlite_world" if wanted else "sqlite_blank")
        shutil.copyfile(template, path)
        yield sqlite_url(path)
    elif POSTGRES:
        name = request.getfixturevalue("postgres_name")
        asyncio.run(postgres(name, _refill(with_world=wanted)))
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


def postgres_url(name: str) -> str:
    """The product's address of a database on the test server."""
    return urlsplit(POSTGRES)._replace(scheme="postgresql+asyncpg", path=f"/{name}").geturl()


@contextlib.contextmanager
def postgres_database() -> Iterator[str]:
    """An empty database on the test server, dropped at the end; its name."""
    name = f"unsession_test_{secrets.token_hex(6)}"
    own = urlsplit(POSTGRES).path.removeprefix("/")
    asyncio.run(postgres(own, f"CREATE DATABASE {name}"))
    # Nobody wants these rows back after a power cut, so commits need not wait for the disk.
    asyncio.run(postgres(own, f"ALTER DATABASE {name} SET synchronous_commit = off"))
    try:
        yield name
    finally:
        asyncio.run(postgres(own, f"DROP DATABASE {name} WITH (FORCE)"))


async def postgres(name: str, script: str) -> None:
    """Run statements in a database of the test server."""
    import asyncpg

    connection = await asyncpg.connect(urlsplit(POSTGRES)._replace(path=f"/{name}").geturl())
    try:
        await connection.execute(script)
    finally:
        await connection.close()


def _put_by() -> str:
    tables = [table.name for table in METADATA.sorted_tables]
    copies = [f'CREATE TABLE put_by."{name}" AS TABLE public."{name}"' for name in tables]
    return "; ".join(["CREATE SCHEMA put_by", *copies])


_END_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


def _refill(*, with_world: bool) -> str:
    """Every row away, the world back. A database per test would do the same, at a checkpoint each.

    Connections that an earlier test left behind end first: they could hold locks.
    """
    tables = [table.name for table in METADATA.sorted_tables]
    away = [f'DELETE FROM public."{name}"' for name in tables]  # noqa: S608
    back = [f'INSERT INTO public."{name}" TABLE put_by."{name}"' for name in tables]
    return "; ".join(
        [
            _END_OTHERS,
            "SET session_replication_role = replica",  # no foreign keys: any order will do
            *away,
            *(back if with_world else ()),
        ]
    )


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
        /,
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
        /,
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
async def statements(db: Database) -> Statements:
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
    return heard
