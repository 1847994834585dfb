"""The mail log shows everything about a message except the link only its reader has."""

import datetime as dt
from typing import Any

import pytest

from tests.conftest import Call, Statements
from tests.services.refusals import not_found
from tests.world import DEVCONF, NORTH, OTHER, RIVAL, World
from unsession.db.engine import Database
from unsession.domain.mail import LINK_MARK, MailStatus
from unsession.errors import Forbidden, Invalid
from unsession.models import Mail

AT = dt.datetime(2027, 1, 1, 12, 0, tzinfo=dt.UTC)


async def add(db: Database, number: int, **columns: Any) -> None:
    async with db.write() as session:
        session.add(
            Mail(
                **{
                    "id": f"mai_{number:02}",
                    "workspace_id": NORTH,
                    "event_id": DEVCONF,
                    "kind": "decision:accept",
                    "subject_id": "sub_1",
                    "to_address": f"p{number}@example.org",
                    "to_name": f"Person {number}",
                    "subject": f"Hello 100% {number}",
                    "body": f"Go: {LINK_MARK}\n",
                    "cause_key": f"test:{number}",
                    "message_id": f"<mai_{number}@conference.test>",
                    "created_at": AT + dt.timedelta(minutes=number // 2),
                    **columns,
                }
            )
        )


async def test_the_log_is_paged_newest_first_and_nothing_comes_twice(
    db: Database, world: World, call: Call
) -> None:
    for number in range(1, 8):
        await add(db, number)
    await add(db, 9, workspace_id=OTHER, event_id=RIVAL)

    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = (
            await call("list_email_log", world.reader, event="devconf-2027", limit=3, **cursor)
        ).result
        seen += [row.id for row in page.items]
        assert page.total == 7
        if not page.next_cursor:
            break
        cursor = {"cursor": page.next_cursor}

    assert seen == [f"mai_{number:02}" for number in range(7, 0, -1)]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"status": "failed"}, ["mai_02"]),
        ({"kind": "invitation"}, ["mai_03"]),
        ({"q": "P1@EXAMPLE"}, ["mai_01"]),
        ({"q": "person 3"}, ["mai_03"]),
        ({"q": "100%"}, ["mai_03", "mai_02", "mai_01"]),
        ({"q": "100_"}, []),
        ({"status": "failed", "q": "person 3"}, []),
    ],
)
async def test_filters_narrow_the_log(
    asked: dict[str, str], found: list[str], db: Database, world: World, call: Call
) -> None:
    await add(db, 1)
    await add(db, 2, status=MailStatus.FAILED, last_error="550 no")
    await add(db, 3, kind="invitation")

    page = (await call("list_email_log", world.reader, event="devconf-2027", **asked)).result

    assert [row.id for row in page.items] == found


async def test_the_log_takes_one_statement_for_any_number_of_rows(
    db: Database, world: World, call: Call, statements: Statements
) -> None:
    await add(db, 1)
    statements.clear()
    await call("list_email_log", world.reader, event="devconf-2027")
    few = len(statements)
    for number in range(2, 31):
        await add(db, number)
    statements.clear()
    await call("list_email_log", world.reader, event="devconf-2027")
    assert len(statements) == few


async def test_one_mail_shows_its_text_without_the_link(
    db: Database, world: World, call: Call
) -> None:
    await add(db, 1, status=MailStatus.FAILED, last_error="550 no", attempts=2)

    mail = (await call("get_email", world.event_reader, email="mai_01")).result

    assert mail.body == "Go: [link, only in the mail itself]\n"
    assert (mail.status, mail.attempts, mail.last_error) == ("failed", 2, "550 no")
    assert mail.event == "devconf-2027"


async def test_mail_of_others_and_of_accounts_does_not_exist(
    db: Database, world: World, call: Call
) -> None:
    await add(db, 1, workspace_id=OTHER, event_id=RIVAL)
    await add(db, 2, workspace_id=None, event_id=None)

    refusals = [
        await not_found(call("get_email", world.reader, email=one), one)
        for one in ("mai_01", "mai_02", "mai_99")
    ]

    assert refusals[0] == refusals[1] == refusals[2]


async def test_reviewers_read_no_mail(db: Database, world: World, call: Call) -> None:
    await add(db, 1)
    with pytest.raises(Forbidden):
        await call("list_email_log", world.reviewer, event="devconf-2027")
    with pytest.raises(Forbidden):
        await call("get_email", world.reviewer, email="mai_01")


async def test_a_status_that_is_none_is_named(world: World, call: Call) -> None:
    with pytest.raises(Invalid) as refused:
        await call("list_email_log", world.reader, event="devconf-2027", status="gone")
    assert refused.value.problems[0].path == "/status"
