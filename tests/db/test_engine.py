"""The database: writes that commit or vanish, reads of the committed state, inline look-ups."""

import asyncio
import sqlite3
import threading
import time

import msgspec
import pytest
from sqlalchemy import Integer, bindparam, func, literal, select, update
from sqlmodel import col

from tests.db.engines import only_sqlite
from tests.world import ACTORS, NORTH, World
from unsession.db.engine import Database, SqliteDatabase, open_database
from unsession.db.prepared import Prepared
from unsession.models import Workspace
from unsession.services.principals import ROLES_OF_PERSON, RoleRow
from unsession.settings import Settings


class Number(msgspec.Struct, frozen=True):
    number: int


class Name(msgspec.Struct, frozen=True):
    name: str


_counting = select(literal(1, Integer).label("number")).cte("counting", recursive=True)
_counting = _counting.union_all(
    select(_counting.c.number + 1).where(_counting.c.number < bindparam("top"))
)
#: Counts to ``top`` one row at a time: as long a look-up as one asks for.
COUNT_TO = Prepared(select(func.max(_counting.c.number)), Number)
NAME = Prepared(select(col(Workspace.name)).where(col(Workspace.id) == bindparam("id")), Name)
RENAME = update(Workspace).where(col(Workspace.id) == NORTH)


async def test_a_write_is_read_after_its_commit_and_not_before(db: Database, world: World) -> None:
    async with db.write() as session:
        await session.execute(RENAME.values(name="South"))
        before = [await db.all(NAME, id=NORTH), await db.all(NAME, id=NORTH)]

    assert before == [[Name("North Conferences")], [Name("North Conferences")]]
    assert await db.all(NAME, id=NORTH) == [Name("South")]
    assert await db.all(NAME, id=NORTH) == [Name("South")]


async def test_a_write_that_fails_or_is_not_kept_leaves_nothing(db: Database, world: World) -> None:
    with pytest.raises(RuntimeError, match="on the way"):
        async with db.write() as session:
            await session.execute(RENAME.values(name="South"))
            raise RuntimeError("on the way")
    async with db.write(keep=False) as session:
        await session.execute(RENAME.values(name="South"))

    assert await db.all(NAME, id=NORTH) == [Name("North Conferences")]


@only_sqlite
async def test_writers_get_their_turn_in_the_order_they_asked(db: Database, world: World) -> None:
    turns: list[int] = []

    async def write(number: int) -> None:
        async with db.write():
            turns.append(number)
            await asyncio.sleep(0.001)

    await asyncio.gather(*(write(number) for number in range(20)))

    assert turns == list(range(20))


@only_sqlite
async def test_a_write_that_waits_for_another_process_holds_nobody_up(
    db: Database, world: World
) -> None:
    assert isinstance(db, SqliteDatabase)
    other = sqlite3.connect(db.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async def write() -> None:
        async with db.write() as session:
            await session.execute(RENAME.values(name="South"))

    writing = asyncio.create_task(write())
    await asyncio.sleep(0.05)
    asked = time.perf_counter()
    names = await db.all(NAME, id=NORTH)
    took = time.perf_counter() - asked
    still_waits = not writing.done()
    other.execute("ROLLBACK")
    other.close()
    await writing

    assert (names, still_waits) == ([Name("North Conferences")], True)
    assert took < 1
    assert await db.all(NAME, id=NORTH) == [Name("South")]


@only_sqlite
@pytest.mark.parametrize(("inline", "here"), [(True, [False, True, False]), (False, [False] * 3)])
async def test_statements_of_a_write_run_here_and_what_may_wait_does_not(
    settings: Settings, world: World, inline: bool, here: list[bool]
) -> None:
    database = open_database(settings.database_url, hot_inline=inline)
    await database.open()
    ran: list[tuple[str, bool]] = []

    def note(sql: str) -> None:
        ran.append(
            (sql.split(maxsplit=1)[0], threading.current_thread() is threading.main_thread())
        )

    try:
        async with database.writer.connect() as connection:
            driver = (await connection.get_raw_connection()).driver_connection
            assert driver is not None
            driver._conn.set_trace_callback(note)
        async with database.write() as session:
            await session.execute(RENAME.values(name="South"))
        assert [(word, there) for word, there in ran if word in ("BEGIN", "UPDATE", "COMMIT")] == [
            *zip(("BEGIN", "UPDATE", "COMMIT"), here, strict=True)
        ]
    finally:
        await database.close()


@only_sqlite
async def test_a_runaway_look_up_is_interrupted_and_answered_by_the_reader(db: Database) -> None:
    assert isinstance(db, SqliteDatabase)

    assert await db.all(COUNT_TO, top=200_000) == [Number(200_000)]

    assert db.interrupted == 1


@only_sqlite
async def test_a_short_look_up_is_never_interrupted_however_often_it_is_asked(
    db: Database, world: World
) -> None:
    assert isinstance(db, SqliteDatabase)
    ravi = [RoleRow(NORTH, None, "organizer")]

    for _ in range(3000):
        assert await db.all(ROLES_OF_PERSON, user=ACTORS.organizer.id) == ravi

    assert db.interrupted == 0


@only_sqlite
async def test_look_ups_go_to_the_reader_when_inline_is_off(
    settings: Settings, world: World
) -> None:
    database = open_database(settings.database_url, hot_inline=False)
    await database.open()
    try:
        assert isinstance(database, SqliteDatabase)
        assert await database.all(NAME, id=NORTH) == [Name("North Conferences")]
        assert await database.all(COUNT_TO, top=200_000) == [Number(200_000)]
        assert database.interrupted == 0
    finally:
        await database.close()


@only_sqlite
async def test_the_change_number_moves_with_every_commit_of_anybody(
    db: Database, settings: Settings, world: World
) -> None:
    another = open_database(settings.database_url)
    await another.open()
    try:
        first = db.changed()
        async with db.write() as session:
            await session.execute(RENAME.values(name="South"))
        second = db.changed()
        async with another.write() as session:
            await session.execute(RENAME.values(name="West"))
        third = db.changed()
        async with another.write(keep=False) as session:
            await session.execute(RENAME.values(name="East"))

        assert len({first, second, third}) == 3
        assert db.changed() == third
    finally:
        await another.close()


@only_sqlite
async def test_many_may_open_a_new_file_at_once(settings: Settings) -> None:
    databases = [open_database(settings.database_url) for _ in range(6)]
    try:
        await asyncio.gather(*(database.open() for database in databases))

        assert [await database.all(NAME, id=NORTH) for database in databases] == [[]] * 6
    finally:
        for database in databases:
            await database.close()


@only_sqlite
async def test_asking_whether_anything_changed_never_runs_into_the_guard(db: Database) -> None:
    first = db.changed()

    assert {db.changed() for _ in range(60_000)} == {first}
