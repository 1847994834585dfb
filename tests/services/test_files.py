"""list_files, get_file and delete_file: of tasks and submissions, for whoever may see those."""

import datetime as dt
from collections.abc import Callable
from dataclasses import replace

import msgspec
import pytest
from sqlmodel import col

from tests.conftest import Call, Statements
from tests.services.conftest import Log, content_of
from tests.services.panel import panel, seat_people
from tests.services.refusals import not_found
from tests.services.tasks_world import SAMS_PHOTO, add_tasks
from tests.services.test_evaluation_masking import BOTH
from tests.world import ACCEPTED, DEVCONF, IN_RIVAL, OPENED, TRIO, World
from unsession.access import EVERYTHING, Actor, Permission, system_actor
from unsession.context import Context
from unsession.db.engine import Database
from unsession.db.types import utc_now
from unsession.errors import Conflict, Forbidden, Invalid, NotFound, Stale
from unsession.models import Activity, File
from unsession.services.downloads import download
from unsession.services.onboarding.files import needed_of
from unsession.settings import Settings

pytestmark = pytest.mark.anyio

HASH = "ab" * 32
SLIDES, PHOTO, OLD, NEW, LOOSE = "fil_slides", "fil_photo", "fil_old", "fil_new", "fil_loose"


def file(
    name: str, of: str, subject: str, at: int, *, slot: str = "", number: int = 1, event: str = ""
) -> File:
    """A file that came so many minutes after the call was opened."""
    return File(
        id=name,
        event_id=event or DEVCONF,
        subject_type=of,
        subject_id=subject,
        slot=slot or f"slides/{name}",
        number=number,
        sha256=HASH,
        filename=f"{name}.pdf",
        media_type="application/pdf",
        size=3,
        uploaded_by="Ana Lima",
        created_at=OPENED + dt.timedelta(minutes=at),
    )


@pytest.fixture
def context(db: Database, settings: Settings) -> Callable[[Actor], Context]:
    """A read outside of a call, as the door of files does it."""

    def opened(actor: Actor) -> Context:
        return Context(actor, db, settings, Permission.OWN_WRITE, utc_now(), "req_test")

    return opened


@pytest.fixture(autouse=True)
async def files(db: Database, world: World) -> None:
    """Files of two submissions, two versions of a task's, and one of a page nobody submitted."""
    await add_tasks(db)
    async with db.write() as session:
        session.add_all(
            [
                file(SLIDES, "submission", TRIO, 1),
                file(PHOTO, "submission", ACCEPTED, 2, slot=f"photo/{PHOTO}"),
                file(OLD, "task", SAMS_PHOTO, 3, slot="file"),
                file(NEW, "task", SAMS_PHOTO, 4, slot="file", number=2),
                file(LOOSE, "page", "cd" * 20, 5),
            ]
        )


async def ids(call: Call, actor: Actor, **more: object) -> list[str]:
    found = (await call("list_files", actor, event=DEVCONF, **more)).result
    return [one.id for one in found.items]


async def test_every_version_is_listed_newest_first_with_what_it_is_of(
    call: Call, world: World
) -> None:
    page = (await call("list_files", world.reader, event=DEVCONF)).result

    assert page.total == 4
    assert [(one.id, one.of, one.number, one.field) for one in page.items] == [
        (NEW, "task", 2, ""),
        (OLD, "task", 1, ""),
        (PHOTO, "submission", 1, "photo"),
        (SLIDES, "submission", 1, "slides"),
    ]
    assert page.items[0].name == "Photo"
    assert page.items[0].url == "https://conference.test/devconf-2027/files/fil_new"
    assert HASH not in msgspec.json.encode(page).decode()
    one = (await call("get_file", world.reader, file=SLIDES)).result
    assert one == page.items[3]


async def test_the_list_narrows_to_one_thing_and_pages(call: Call, world: World) -> None:
    assert await ids(call, world.reader, subject=SAMS_PHOTO) == [NEW, OLD]
    assert await ids(call, world.reader, subject=TRIO) == [SLIDES]
    assert await ids(call, world.reader, subject="cd" * 20) == []  # of a page: nobody's yet
    first = (await call("list_files", world.reader, event=DEVCONF, limit=3)).result
    rest = (
        await call("list_files", world.reader, event=DEVCONF, limit=3, cursor=first.next_cursor)
    ).result
    assert [one.id for one in (*first.items, *rest.items)] == [NEW, OLD, PHOTO, SLIDES]
    assert not rest.next_cursor
    with pytest.raises(Invalid):
        await call("list_files", world.reader, event=DEVCONF, cursor="made up")


async def test_the_list_takes_as_many_statements_for_any_number_of_files(
    call: Call, db: Database, world: World, statements: Statements
) -> None:
    statements.clear()
    await ids(call, world.reader)
    few = len(statements)
    async with db.write() as session:
        session.add_all(file(f"fil_{n}", "submission", TRIO, n) for n in range(10, 40))
    statements.clear()
    assert len(await ids(call, world.reader, limit=200)) == 34
    assert len(statements) == few


async def test_a_file_shows_to_whoever_may_read_what_it_is_of(call: Call, world: World) -> None:
    of_tasks = replace(
        world.reader, ceiling=frozenset({Permission.EVENT_READ, Permission.TASK_READ})
    )
    of_none = replace(world.reader, ceiling=frozenset({Permission.EVENT_READ}))

    assert await ids(call, of_tasks) == [NEW, OLD]
    assert (await call("get_file", of_tasks, file=NEW)).result.id == NEW
    with pytest.raises(Forbidden):
        await call("get_file", of_tasks, file=SLIDES)
    with pytest.raises(Forbidden):
        await ids(call, of_none)


async def test_reviewers_and_strangers_neither_list_nor_get_nor_delete(
    call: Call, db: Database, world: World
) -> None:
    async with db.write() as session:
        session.add(file("fil_rival", "submission", IN_RIVAL, 1, event="evt_rival"))
    with pytest.raises(Forbidden):
        await ids(call, world.reviewer)
    await not_found(ids(call, world.stranger), DEVCONF)
    for name, mine in (("get_file", world.reader), ("delete_file", world.writer)):
        with pytest.raises(Forbidden):
            await call(name, world.reviewer, file=SLIDES)
        shapes = [
            await not_found(call(name, world.stranger, file=SLIDES), SLIDES),
            await not_found(call(name, mine, file="fil_rival"), "fil_rival"),
            await not_found(call(name, mine, file=LOOSE), LOOSE),
            await not_found(call(name, mine, file="fil_none"), "fil_none"),
        ]
        assert all(shape == shapes[0] for shape in shapes)
    with pytest.raises(Forbidden):
        await call("delete_file", world.reader, file=SLIDES)


async def test_who_reviews_blind_sees_no_name_of_a_file_in_review(
    call: Call, db: Database, world: World
) -> None:
    await seat_people(db)
    plan = await panel(call, world, ["ravi", "ada"])
    await call("assign_reviewers", world.owner, event=DEVCONF, plan=plan.id)

    assert await ids(call, BOTH) == [NEW, OLD, PHOTO]  # that of ACCEPTED is no secret any more
    for name in ("get_file", "delete_file"):
        hidden = await not_found(call(name, BOTH, file=SLIDES), SLIDES)
        assert hidden == await not_found(call(name, BOTH, file="fil_none"), "fil_none")


async def test_a_deleted_file_is_nobodys_until_it_is_undone(
    call: Call, db: Database, world: World, log: Log, context: Callable[[Actor], Context]
) -> None:
    gone = await call("delete_file", world.writer, file=SLIDES, version=1)

    assert (gone.result.id, gone.result.subject) == (SLIDES, TRIO)
    (entry,) = await log()
    assert (entry.subject_type, entry.subject_id) == ("submission", TRIO)
    assert content_of(entry)["summary"].startswith("“fil_slides.pdf”, version 1 of SUB-2 “")
    assert SLIDES not in await ids(call, world.reader)
    shown = (await call("get_submission", world.reader, submission=TRIO)).result
    assert not shown.files
    with pytest.raises(NotFound):
        await download(context(world.organizer), "devconf-2027", SLIDES)
    with pytest.raises(NotFound):
        await call("delete_file", world.writer, file=SLIDES)
    assert await needed_of(db, [HASH]) == {HASH}  # no sweep takes what undo may bring back

    await call("undo", world.writer, activity=gone.activity_id)
    assert SLIDES in await ids(call, world.reader)
    assert (await download(context(world.organizer), "devconf-2027", SLIDES)).sha256 == HASH
    with pytest.raises(Conflict):
        await call("undo", world.writer, activity=gone.activity_id)


async def test_the_older_version_of_a_task_stays(call: Call, world: World) -> None:
    await call("delete_file", world.writer, file=NEW)

    assert await ids(call, world.reader, subject=SAMS_PHOTO) == [OLD]
    bytes_ = {"sha256": HASH, "filename": "x.png", "mediaType": "image/png", "size": 3}
    added = await call("add_file", world.organizer, task=SAMS_PHOTO, **bytes_)
    assert added.result.number == 3  # a number is never given twice


async def test_a_tasks_file_needs_the_right_to_change_tasks(call: Call, world: World) -> None:
    narrow = replace(world.writer, ceiling=EVERYTHING - {Permission.TASK_WRITE})

    with pytest.raises(Forbidden):
        await call("delete_file", narrow, file=NEW)
    assert (await call("delete_file", narrow, file=SLIDES)).result.id == SLIDES


async def test_a_version_that_moved_on_is_stale(call: Call, db: Database, world: World) -> None:
    first = await call("delete_file", world.writer, file=SLIDES)
    await call("undo", world.writer, activity=first.activity_id)

    with pytest.raises(Stale):
        await call("delete_file", world.writer, file=SLIDES, version=1)
    assert SLIDES in await ids(call, world.reader)
    entries = await db.rows(
        Activity.__table__.select().where(col(Activity.operation) == "delete_file")  # type: ignore[attr-defined]
    )
    assert len(entries) == 1


async def test_what_was_deleted_goes_for_good_after_thirty_days(
    call: Call, db: Database, world: World
) -> None:
    gone = {
        name: (await call("delete_file", world.writer, file=name)).activity_id
        for name in (SLIDES, PHOTO)
    }
    async with db.write() as session:
        for name, days in ((SLIDES, 31), (PHOTO, 29)):
            row = await session.get_one(File, name)
            row.deleted_at = utc_now() - dt.timedelta(days=days)

    swept = await call("sweep_files", system_actor("housekeeping"))

    assert swept.result.files == 1
    table = File.__table__  # type: ignore[attr-defined]
    assert {row.id for row in await db.rows(table.select())} == {PHOTO, OLD, NEW, LOOSE}
    with pytest.raises(Conflict, match="cannot be undone any more"):
        await call("undo", world.writer, activity=gone[SLIDES])
