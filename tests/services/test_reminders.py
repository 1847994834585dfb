"""remind_drafts: unfinished drafts before their form closes, once each, to proved addresses."""

import asyncio
import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import delete, select, update
from sqlmodel import col

from tests.conftest import Call, Statements
from tests.services.conftest import Log
from tests.services.test_submit import change_form, typed
from tests.world import DEVCONF, World
from unsession.access import Actor, holder_actor, system_actor, visitor_actor
from unsession.db.engine import Database
from unsession.db.types import utc_now
from unsession.domain.forms import FormStatus
from unsession.domain.mail import LINK_MARK
from unsession.errors import Forbidden, Invalid
from unsession.models import Draft, Event, Mail, OneTimeLink

VISITOR = visitor_actor()
TALKS = {"event": "devconf-2027", "form": "talks"}
KIND = "draft_reminder"


def key(number: int) -> str:
    """The key of one page."""
    return f"{number:032}"


def zone_at(hour: int) -> str:
    """A zone where it is that hour now, or the next."""
    ahead = (hour - utc_now().hour + 11) % 24 - 11
    return f"Etc/GMT{-ahead:+d}"


async def closing(db: Database, days: int, hour: int = 12, **columns: Any) -> None:
    """The form closes at the end of a day of an event where it is that hour now."""
    zone = zone_at(hour)
    last = utc_now().astimezone(ZoneInfo(zone)).date() + dt.timedelta(days=days)
    wall = dt.datetime.combine(last, dt.time(23, 59, 59), ZoneInfo(zone))
    async with db.write() as session:
        (await session.get_one(Event, DEVCONF)).zone = zone
    await change_form(db, closes_at=wall.astimezone(dt.UTC), **columns)


async def begun(call: Call, actor: Actor, number: int) -> str:
    page = {**TALKS, "submitKey": key(number), "typed": {"title": ["Buy pills at evil.example"]}}
    return str((await call("save_draft", actor, **page)).result.id)


async def proved(call: Call, db: Database, number: int, address: str) -> str:
    """A draft of somebody without an account, whose link was used."""
    draft = await begun(call, VISITOR, number + 500)
    wire = {**TALKS, "submitKey": key(number + 500), "address": address}
    await call("mail_draft_link", VISITOR, **wire)
    (link,) = await db.rows(select(col(OneTimeLink.id)).where(col(OneTimeLink.subject_id) == draft))
    await call("open_draft", holder_actor(link.id, "x"), link=link.id, submitKey=key(number))
    return draft


async def remind(call: Call) -> int:
    """One round; how many mails it says it queued."""
    done = await call("remind_drafts", system_actor("housekeeping"))
    return int(done.result.mails)


async def mails(db: Database) -> list[Any]:
    table: Any = Mail.__table__  # type: ignore[attr-defined]  # a table's class
    found = select(*table.columns).where(table.c.kind == KIND).order_by(table.c.to_address)
    return list(await db.rows(found))


async def test_proved_writers_get_one_mail_with_a_link_and_nothing_typed(
    call: Call, db: Database, world: World, log: Log
) -> None:
    await closing(db, 7)
    own = await begun(call, world.nobody, 1)
    theirs = await proved(call, db, 2, "Lea@example.org")
    await begun(call, VISITOR, 3)
    before = len(await log())

    assert await remind(call) == 2
    assert await remind(call) == 0

    lea, tom = await mails(db)
    assert (lea.to_address, lea.subject_id, lea.to_user_id) == ("Lea@example.org", theirs, None)
    assert (tom.to_address, tom.subject_id, tom.to_user_id) == ("Tom@example.org", own, "usr_tom")
    assert LINK_MARK in tom.body
    assert "This form is open until" in tom.body
    assert "https://conference.test/devconf-2027/talks" in tom.body
    assert "pills" not in tom.subject + tom.body
    links = await db.rows(select(col(OneTimeLink.id), col(OneTimeLink.subject_id)))
    assert {(one.id, one.subject_id) for one in links} >= {
        (lea.link_id, theirs),
        (tom.link_id, own),
    }
    assert len(await log()) == before


async def test_the_link_of_a_reminder_goes_on_with_the_draft(
    call: Call, db: Database, world: World
) -> None:
    await closing(db, 2)
    draft = await begun(call, world.nobody, 1)
    await remind(call)
    (mail,) = await mails(db)

    holder = holder_actor(mail.link_id, "whoever holds the link")
    opened = await call("open_draft", holder, link=mail.link_id, submitKey=key(2))
    assert opened.result.draft == draft


async def test_two_workers_at_once_remind_once(call: Call, db: Database, world: World) -> None:
    await closing(db, 7)
    await begun(call, world.nobody, 1)

    await asyncio.gather(remind(call), remind(call), return_exceptions=True)

    assert len(await mails(db)) == 1


async def test_another_day_and_another_deadline_are_other_reminders(
    call: Call, db: Database, world: World
) -> None:
    await begun(call, world.nobody, 1)
    sent = []
    for days in (8, 7, 6, 2, 1, 0):
        await closing(db, days)
        sent.append(await remind(call))
    assert sent == [0, 1, 0, 1, 0, 0]


@pytest.mark.parametrize("hour", [3, 6, 22])
async def test_nobody_is_reminded_at_night(
    call: Call, db: Database, world: World, hour: int
) -> None:
    await begun(call, world.nobody, 1)
    await closing(db, 7, hour)
    assert await remind(call) == 0


async def test_nothing_after_the_submit_the_close_the_withdrawal_of_trust_or_the_end(
    call: Call, db: Database, world: World
) -> None:
    await closing(db, 7)
    await begun(call, world.nobody, 1)
    await call("submit", world.nobody, **typed(submitKey=key(1)))
    draft = await proved(call, db, 2, "lea@example.org")
    wire = {**TALKS, "submitKey": key(2), "address": "other@example.org"}
    await call("mail_draft_link", VISITOR, **wire)
    assert await remind(call) == 0  # submitted; and another address, not proved

    async with db.write() as session:
        await session.execute(
            update(Draft).where(col(Draft.id) == draft).values(verified_at=utc_now())
        )
    for columns in ({"status": FormStatus.CLOSED}, {"reminder_days": []}):
        await closing(db, 7, **columns)
        assert await remind(call) == 0
        await change_form(db, status=FormStatus.OPEN)
    await change_form(db, reminder_days=[7], opens_at=utc_now() + dt.timedelta(days=1))
    assert await remind(call) == 0
    await change_form(db, opens_at=None)
    async with db.write() as session:
        (await session.get_one(Event, DEVCONF)).archived_at = utc_now()
    assert await remind(call) == 0
    async with db.write() as session:
        (await session.get_one(Event, DEVCONF)).archived_at = None
    assert await remind(call) == 1


async def test_a_draft_given_up_is_not_reminded(call: Call, db: Database, world: World) -> None:
    await closing(db, 7)
    draft = await begun(call, world.nobody, 1)
    await call("discard_draft", world.nobody, draft=draft)
    assert await remind(call) == 0


async def test_a_reminder_that_still_waits_is_not_sent_once_the_draft_is_submitted(
    call: Call, db: Database, world: World
) -> None:
    await closing(db, 7)
    await begun(call, world.nobody, 1)
    await remind(call)
    wire = {
        **TALKS,
        "submitKey": key(1),
        "title": "Maps",
        "abstract": "How.",
        "answers": {"track": "opt_data", "format": "Talk"},
        "speakers": [{"name": "Tom", "address": "tom@example.org"}],
    }
    await call("submit", world.nobody, **wire)

    assert [mail.status for mail in await mails(db)] == ["cancelled"]


async def test_many_drafts_take_as_many_statements_as_few(
    call: Call, db: Database, world: World, statements: Statements
) -> None:
    await closing(db, 7)
    await begun(call, world.nobody, 1)
    statements.clear()
    await remind(call)
    few = len([one for one in statements if one.startswith("SELECT")])
    async with db.write() as session:
        await session.execute(delete(Mail).where(col(Mail.kind) == KIND))
    for number in range(2, 8):
        await begun(call, world.nobody, number)
    statements.clear()
    assert await remind(call) == 7
    assert len([one for one in statements if one.startswith("SELECT")]) == few


async def test_organisers_choose_the_days(call: Call, db: Database, world: World) -> None:
    assert (await call("get_form", world.reader, **TALKS)).result.reminder_days == [7, 2]
    changed = await call("update_form", world.writer, **TALKS, reminderDays=[1, 14, 1])
    assert changed.result.reminder_days == [14, 1]
    await call("undo", world.writer, activity=changed.activity_id)
    assert (await call("get_form", world.reader, **TALKS)).result.reminder_days == [7, 2]
    for wrong in ([0], [61], [1, 2, 3, 4, 5, 6]):
        with pytest.raises(Invalid) as refused:
            await call("update_form", world.writer, **TALKS, reminderDays=wrong)
        assert "/reminderDays" in str(refused.value.facts)


async def test_only_the_worker_reminds(call: Call, world: World) -> None:
    for actor in (VISITOR, world.writer):
        with pytest.raises(Forbidden):
            await call("remind_drafts", actor)
