"""Migrations (Alembic), the same history on both engines, safe for two processes at once.

SQLite runs them at start, under the write lock and after a copy by ``VACUUM INTO``; PostgreSQL
under an advisory lock, by ``unsession migrate``.
"""

import asyncio
import contextlib
import functools
import os
import secrets
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, event, text
from sqlalchemy.ext.asyncio import create_async_engine

from unsession.files import MIGRATIONS

_ADVISORY_LOCK = 726_001  # any number, the same in every process


@functools.cache
def head() -> str:
    """The newest revision the code knows."""
    revision = ScriptDirectory.from_config(_config(None)).get_current_head()
    assert revision is not None, "there are no migrations"
    return revision


async def current(url: str) -> str | None:
    """The revision a database stands at; None for an empty one."""
    if url.startswith("postgresql"):
        engine = create_async_engine(url)
        try:
            async with engine.connect() as connection:
                return await connection.run_sync(_revision)
        finally:
            await engine.dispose()
    return await asyncio.to_thread(_sqlite_revision, _path(url))


async def upgrade(url: str, revision: str = "head") -> None:
    """Bring a database to a revision. Effects: DDL; on SQLite a backup file beside the database."""
    if url.startswith("postgresql"):
        engine = create_async_engine(url)
        try:
            async with engine.begin() as connection:
                await connection.execute(text(f"select pg_advisory_xact_lock({_ADVISORY_LOCK})"))
                await connection.run_sync(_run, revision)
        finally:
            await engine.dispose()
    else:
        await asyncio.to_thread(_upgrade_sqlite, _path(url), revision)


def _path(url: str) -> Path:
    return Path(url.removeprefix("sqlite+aiosqlite:///"))


def _config(connection: Connection | None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _run(connection: Connection, revision: str) -> None:
    command.upgrade(_config(connection), revision)


def _sqlite_revision(path: Path) -> str | None:
    if not path.exists():
        return None
    engine = create_engine(f"sqlite:///{path}")
    try:
        with engine.connect() as connection:
            return _revision(connection)
    finally:
        engine.dispose()


def _upgrade_sqlite(path: Path, revision: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    stands = _sqlite_revision(path)
    if stands == head() and revision == "head":
        return
    if stands is not None:
        _back_up(path, stands)
    engine = create_engine(f"sqlite:///{path}")

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA busy_timeout=30000")

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    try:
        with engine.begin() as connection:
            _run(connection, revision)
    finally:
        engine.dispose()


def _back_up(path: Path, revision: str) -> None:
    """Copy the database as it stands before the first migration from this revision.

    Written aside, then linked into place whole: a start that dies half-way leaves no half copy,
    and of two starts at once the first copy stays, made before either migrated.
    """
    copy = path.with_name(f"{path.stem}-before-{revision}.db")
    if copy.exists():
        return
    aside = path.with_name(f".{copy.name}.{secrets.token_hex(8)}")
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA busy_timeout=30000")
        connection.execute("VACUUM INTO ?", (str(aside),))
        with contextlib.suppress(FileExistsError):
            os.link(aside, copy)
    finally:
        connection.close()
        aside.unlink(missing_ok=True)


def draft(message: str) -> None:
    """Write a new migration from what the models have and the migrations lack. For developers."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "draft.db"
        _upgrade_sqlite(path, "head") if list(MIGRATIONS.glob("versions/*.py")) else path.touch()
        engine = create_engine(f"sqlite:///{path}")
        with engine.begin() as connection:
            command.revision(_config(connection), message, autogenerate=True)
        engine.dispose()
