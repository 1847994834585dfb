"""A caller that goes away: whenever it does, no transaction stays open behind it."""

import asyncio
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import anyio
import pytest
from sqlalchemy import select, text
from sqlmodel import col

from tests.db.counting import EVENT, KEY, count_one, counted
from tests.db.engines import only_sqlite
from tests.world import World
from unsession.db.engine import Database, SqliteDatabase
from unsession.models import Counter, Room


@pytest.fixture
async def counter(db: Database, world: World) -> Database:
    """The world with a counter that stands at nothing."""
    async with db.write() as session:
        session.add(Counter(event_id=EVENT, key=KEY, value=0))
    return db


@pytest.fixture
async def locked(tmp_path: Path) -> AsyncIterator[Callable[[], None]]:
    """Somebody else holds the file's write lock until the function is called."""
    other = sqlite3.connect(tmp_path / "unsession.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield other.rollback
    other.close()


async def test_a_write_cancelled_at_any_moment_leaves_nothing_open(counter: Database) -> None:
    chance = random.Random(20270520)  # noqa: S311  (which moments, not which secrets)

    for _ in range(60):
        task = asyncio.create_task(count_one(counter, pause=0.002))
        await asyncio.sleep(chance.uniform(0, 0.012))
        task.cancel()
        await asyncio.wait([task])

    assert await _open_transactions(counter) == 0
    await _holds(counter)


async def test_a_scope_that_cancels_again_and_again_leaves_nothing_open(
    counter: Database,
) -> None:
    chance = random.Random(20270521)  # noqa: S311

    for _ in range(60):
        with anyio.move_on_after(chance.uniform(0, 0.012)):
            await count_one(counter, pause=0.002)

    assert await _open_transactions(counter) == 0
    await _holds(counter)


@only_sqlite
async def test_a_write_cancelled_while_it_waits_for_the_lock_never_takes_it(
    counter: Database, locked: Callable[[], None]
) -> None:
    waiting = [asyncio.create_task(count_one(counter)) for _ in range(3)]
    await asyncio.sleep(0.05)

    for task in waiting:
        task.cancel()
    await asyncio.sleep(0.01)
    locked()
    await asyncio.wait(waiting)

    assert await _open_transactions(counter) == 0
    await count_one(counter)
    await _holds(counter)


@only_sqlite
async def test_a_read_cancelled_half_way_leaves_the_reader_usable(counter: Database) -> None:
    statement = text(
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 300000) "
        "SELECT max(n) FROM c"
    )

    async def read() -> None:
        async with counter.slow.connect() as connection:
            await connection.execute(statement)

    for pause in (0.0, 0.001, 0.01):
        task = asyncio.create_task(read())
        await asyncio.sleep(pause)
        task.cancel()
        await asyncio.wait([task])

    async with asyncio.timeout(5):
        assert await counter.rows(select(col(Counter.value)).where(Counter.key == KEY)) == [(0,)]


@only_sqlite
async def test_many_writers_of_two_processes_lose_nothing_and_lock_nobody_out(
    counter: Database, tmp_path: Path
) -> None:
    chance = random.Random(32)  # noqa: S311
    seconds = 2.0
    another = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "tests.db.counting",
            f"sqlite+aiosqlite:///{tmp_path / 'unsession.db'}",
            str(seconds),
        ],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert another.stdout is not None
    assert await asyncio.to_thread(another.stdout.readline) == "ready\n"
    until = time.monotonic() + seconds
    finished, given_up = 0, 0

    async def writer() -> None:
        nonlocal finished, given_up
        while time.monotonic() < until:
            try:
                async with asyncio.timeout(chance.choice([0.001, 0.01, 0.05, 0.2, 5])):
                    await count_one(counter, pause=chance.choice([0, 0, 0.001]))
                finished += 1
            except TimeoutError:
                given_up += 1

    async def impatient() -> None:
        while time.monotonic() < until:
            task = asyncio.create_task(count_one(counter))
            await asyncio.sleep(chance.uniform(0, 0.02))
            task.cancel()
            await asyncio.wait([task])
            if not task.cancelled():
                task.result()

    await asyncio.gather(*(writer() for _ in range(28)), *(impatient() for _ in range(4)))
    theirs = int(await asyncio.to_thread(another.stdout.readline))

    assert another.wait(10) == 0
    another.stdout.close()
    assert finished > 20
    assert given_up > 20
    assert theirs > 20
    total = await _holds(counter)
    assert total >= finished + theirs


async def _open_transactions(db: Database) -> int:
    """How many transactions are open, once what was cancelled has had a moment to end."""
    for _ in range(200):
        if isinstance(db, SqliteDatabase):
            open_ones = _is_locked(db.path)
        else:
            found = await db.rows(
                select(text("count(*)"))
                .select_from(text("pg_stat_activity"))
                .where(text("datname = current_database() AND xact_start IS NOT NULL"))
                .where(text("pid <> pg_backend_pid()"))
            )
            open_ones = int(found[0][0])
        if open_ones == 0:
            return 0
        await asyncio.sleep(0.01)
    return open_ones


def _is_locked(path: Path) -> int:
    connection = sqlite3.connect(path, isolation_level=None, timeout=0)
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except sqlite3.OperationalError:
        return 1
    finally:
        connection.close()
    return 0


async def _holds(db: Database) -> int:
    """Check that the counter is the number of rows and the rows are 1, 2, 3 …; the number."""
    rows = await db.rows(
        select(col(Room.position)).where(col(Room.name).like("chaos %")).order_by(Room.position)
    )
    async with db.write() as session:
        value = await counted(session)
    assert [row.position for row in rows] == list(range(1, value + 1))
    return value
