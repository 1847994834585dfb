"""Migrations: the same history on both engines, safe to start twice, with a copy before."""

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import CheckConstraint, Connection, Table, inspect

from tests.conftest import POSTGRES, postgres_database, postgres_url, sqlite_url
from tests.db.engines import only_sqlite
from unsession.db.engine import Database
from unsession.db.migrate import current, head, upgrade
from unsession.files import MIGRATIONS
from unsession.models import METADATA

NEXT = '''"""A migration of tomorrow"""

import sqlalchemy as sa
from alembic import op

revision = "tomorrow"
down_revision = {down!r}
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table("tomorrow", sa.Column("id", sa.String(), primary_key=True))
'''
UPGRADE = """
import asyncio, sys
from unsession.db.migrate import upgrade
asyncio.run(upgrade(sys.argv[1]))
"""


async def test_an_empty_database_reaches_the_newest_revision(engine_url: str) -> None:
    assert await current(engine_url) == head()


async def test_the_migrations_make_the_tables_of_the_models_and_no_others(db: Database) -> None:
    async with db.writer.connect() as connection:
        assert await connection.run_sync(_differences) == []


async def test_the_migrations_make_the_checks_of_the_models(db: Database) -> None:
    async with db.writer.connect() as connection:
        made = await connection.run_sync(_checks_made)

    assert made == {table.name: _checks_of(table) for table in METADATA.sorted_tables}


async def test_upgrading_again_changes_nothing(engine_url: str, tmp_path: Path) -> None:
    files = {path: path.read_bytes() for path in tmp_path.iterdir()}

    await upgrade(engine_url)

    assert await current(engine_url) == head()
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == files


async def test_a_database_that_is_not_there_stands_nowhere(tmp_path: Path) -> None:
    assert await current(sqlite_url(tmp_path / "none.db")) is None
    assert list(tmp_path.iterdir()) == []


async def test_two_starts_at_once_on_an_empty_file_both_succeed(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "folder" / "new.db")

    await asyncio.gather(upgrade(url), upgrade(url))

    assert await current(url) == head()


async def test_two_migrations_at_once_on_an_empty_server_both_succeed(empty: str) -> None:
    await asyncio.gather(upgrade(empty), upgrade(empty))

    assert await current(empty) == head()


@only_sqlite
def test_two_processes_at_once_leave_one_copy_of_what_was_there(
    engine_url: str, tmp_path: Path, tomorrow: Path
) -> None:
    before = tmp_path / f"unsession-before-{head()}.db"
    with sqlite3.connect(tmp_path / "unsession.db") as connection:
        connection.execute("INSERT INTO auth_epoch (id, number) VALUES (1, 41)")
    connection.close()

    starting = [_start(tomorrow, engine_url) for _ in range(2)]

    assert [process.wait(30) for process in starting] == [0, 0]
    assert _tables(tmp_path / "unsession.db") >= {"tomorrow", "submission"}
    assert "tomorrow" not in _tables(before)
    assert _epoch(before) == 41
    assert sorted(path.name for path in tmp_path.glob("*.db")) == [before.name, "unsession.db"]


@only_sqlite
def test_a_copy_that_is_already_there_is_kept(
    engine_url: str, tmp_path: Path, tomorrow: Path
) -> None:
    before = tmp_path / f"unsession-before-{head()}.db"
    shutil.copyfile(tmp_path / "unsession.db", before)
    with sqlite3.connect(before) as connection:
        connection.execute("INSERT INTO auth_epoch (id, number) VALUES (1, 7)")
    connection.close()

    assert _start(tomorrow, engine_url).wait(30) == 0

    assert _epoch(before) == 7


@pytest.fixture(params=[pytest.param("postgres", marks=pytest.mark.postgres)])
def empty() -> Iterator[str]:
    """A database on the server that holds nothing at all."""
    if not POSTGRES:
        pytest.skip("the PostgreSQL lane needs UNSESSION_TEST_POSTGRES_URL")
    with postgres_database() as name:
        yield postgres_url(name)


@pytest.fixture
def tomorrow(tmp_path: Path) -> Path:
    """A checkout of tomorrow: this very package beside one migration more."""
    checkout = tmp_path / "checkout"
    shutil.copytree(MIGRATIONS, checkout / "migrations")
    (checkout / "migrations/versions/tomorrow.py").write_text(NEXT.format(down=head()))
    (checkout / "unsession").symlink_to(Path(__file__).parents[2] / "unsession")
    return checkout


def _start(checkout: Path, url: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", UPGRADE, url],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"},
    )


def _tables(path: Path) -> set[str]:
    connection = sqlite3.connect(path)
    try:
        return {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    finally:
        connection.close()


def _epoch(path: Path) -> Any:
    connection = sqlite3.connect(path)
    try:
        return connection.execute("SELECT number FROM auth_epoch").fetchone()[0]
    finally:
        connection.close()


def _differences(connection: Connection) -> list[Any]:
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    return list(compare_metadata(context, METADATA))


def _checks_made(connection: Connection) -> dict[str, set[str]]:
    inspector = inspect(connection)
    return {
        name: {str(check["name"]) for check in inspector.get_check_constraints(name)}
        for name in inspector.get_table_names()
        if name != "alembic_version"
    }


def _checks_of(table: Table) -> set[str]:
    return {str(one.name) for one in table.constraints if isinstance(one, CheckConstraint)}
