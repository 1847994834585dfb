"""Delivery against a real SMTP server: sent once, tried again, given up, kept."""

import asyncio
import dataclasses
import datetime as dt
import stat
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlmodel import col

from tests.worker.server import TAKEN, Server, serving
from unsession.adapters.mail import FileTransport, SmtpTransport, Unreachable, transport_of
from unsession.db.engine import Database
from unsession.db.types import utc_now
from unsession.domain.accounts import LinkPurpose
from unsession.domain.mail import LINK_MARK, MailStatus
from unsession.models import Mail, OneTimeLink
from unsession.seal import link_secret
from unsession.services import delivery as queue
from unsession.services.principals import secret_hash
from unsession.settings import Settings
from unsession.worker.delivery import MOST_ATTEMPTS, Delivery, pause_after


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as standing:
        yield standing


@pytest.fixture
def mailing(settings: Settings) -> Settings:
    return dataclasses.replace(settings, mail_from="Dev Conf <talks@conf.example>")


@pytest.fixture
async def worker(db: Database, mailing: Settings, server: Server) -> AsyncIterator[Delivery]:
    standing = Delivery(db, mailing, SmtpTransport("127.0.0.1", server.port), poll=0.01)
    yield standing
    assert standing.transport is not None
    await standing.transport.close()


def mail_row(number: int = 1, **columns: Any) -> Mail:
    mail_id = f"mai_{number:03}"
    return Mail(
        **{
            "id": mail_id,
            "kind": "decision:accept",
            "subject_id": "sub_1",
            "to_address": f"p{number}@example.org",
            "to_name": f"Person {number}",
            "subject": "Hello",
            "body": "See you.\n",
            "cause_key": f"test:{number}",
            "message_id": f"<{mail_id}@conference.test>",
            **columns,
        }
    )


async def add_mail(db: Database, number: int = 1, **columns: Any) -> None:
    async with db.write() as session:
        session.add(mail_row(number, **columns))


async def mail_of(db: Database, mail_id: str = "mai_001") -> Any:
    table = Mail.__table__  # type: ignore[attr-defined]
    (row,) = await db.rows(select(*table.columns).where(col(Mail.id) == mail_id))
    return row


async def add_link(db: Database, settings: Settings, **columns: Any) -> str:
    secret = link_secret(settings.secret_key, "sign_in", "lnk_1", 1)
    async with db.write() as session:
        session.add(
            OneTimeLink(
                **{
                    "id": "lnk_1",
                    "purpose": LinkPurpose.SIGN_IN,
                    "secret_hash": secret_hash(secret),
                    "subject_id": "usr_1",
                    "address_folded": "p1@example.org",
                    "expires_at": utc_now() + dt.timedelta(minutes=30),
                    **columns,
                }
            )
        )
    return secret


async def test_mail_goes_out_once_over_one_connection(
    db: Database, worker: Delivery, server: Server
) -> None:
    for number in range(1, 24):
        await add_mail(db, number)

    while await worker.round():
        pass

    assert sorted(server.ids) == [f"<mai_{number:03}@conference.test>" for number in range(1, 24)]
    assert server.connections == 1
    assert server.envelopes[0] == ("talks@conf.example", ["p1@example.org"])
    row = await mail_of(db)
    assert (row.status, row.attempts, row.lease_until, row.last_error) == (
        MailStatus.SENT,
        1,
        None,
        None,
    )
    assert row.sent_at is not None
    assert await worker.round() == 0


async def test_what_is_not_due_held_or_cancelled_stays(
    db: Database, worker: Delivery, server: Server
) -> None:
    await add_mail(db, 1, not_before=utc_now() + dt.timedelta(hours=1))
    await add_mail(db, 2, status=MailStatus.HELD)
    await add_mail(db, 3, status=MailStatus.CANCELLED)

    assert await worker.round() == 0
    assert server.taken == []


async def test_a_temporary_refusal_is_tried_again_later(
    db: Database, worker: Delivery, server: Server
) -> None:
    server.answer = lambda _: "451 4.7.1 Greylisted, come back"
    await add_mail(db)

    await worker.round()

    row = await mail_of(db)
    assert (row.status, row.attempts) == (MailStatus.QUEUED, 1)
    assert row.last_error == "451 4.7.1 Greylisted, come back"
    assert 25 < (row.not_before - utc_now()).total_seconds() <= 30
    assert await worker.round() == 0
    server.answer = lambda _: TAKEN
    async with db.write() as session:
        await session.execute(update(Mail).values(not_before=utc_now()))
    await worker.round()
    row = await mail_of(db)
    assert (row.status, row.attempts, row.last_error) == (MailStatus.SENT, 2, None)
    assert server.ids == ["<mai_001@conference.test>"]


async def test_a_refusal_for_good_fails_and_the_next_goes_out(
    db: Database, worker: Delivery, server: Server
) -> None:
    server.answer = lambda address: "550 5.1.1 No such user" if address.startswith("p1@") else TAKEN
    await add_mail(db, 1)
    await add_mail(db, 2)

    await worker.round()

    row = await mail_of(db)
    assert (row.status, row.last_error) == (MailStatus.FAILED, "550 5.1.1 No such user")
    assert server.ids == ["<mai_002@conference.test>"]
    assert server.connections == 1


async def test_it_is_given_up_after_two_days(
    db: Database, worker: Delivery, server: Server
) -> None:
    server.answer = lambda _: "451 no"
    await add_mail(db, attempts=MOST_ATTEMPTS - 1)

    await worker.round()

    row = await mail_of(db)
    assert row.status == MailStatus.FAILED
    assert row.last_error == "given up: 451 no"
    tried = sum((pause_after(n) for n in range(1, MOST_ATTEMPTS)), dt.timedelta())
    assert dt.timedelta(days=1, hours=20) < tried < dt.timedelta(days=2, hours=4)


async def test_a_server_that_is_away_costs_no_mail_an_attempt(
    db: Database, mailing: Settings, server: Server
) -> None:
    worker = Delivery(db, mailing, SmtpTransport("127.0.0.1", 1), poll=0.01)
    for number in (1, 2):
        await add_mail(db, number)
    worker.stop()  # so that the pause after the failure is none
    worker._stopping.clear()

    rounding = asyncio.create_task(worker.round())
    await asyncio.sleep(0.3)
    worker.stop()
    await rounding

    for number in (1, 2):
        row = await mail_of(db, f"mai_{number:03}")
        assert (row.status, row.attempts, row.lease_until) == (MailStatus.QUEUED, 0, None)


async def test_a_connection_that_breaks_is_opened_again(
    db: Database, worker: Delivery, server: Server
) -> None:
    await add_mail(db, 1)
    await worker.round()
    assert isinstance(worker.transport, SmtpTransport)
    worker.transport._client.close()
    await add_mail(db, 2)

    await worker.round()

    assert len(server.ids) == 2
    assert server.connections == 2


async def test_without_a_server_mail_is_kept(db: Database, settings: Settings) -> None:
    worker = Delivery(db, settings, transport_of(settings))
    await add_mail(db)

    await worker.round()

    row = await mail_of(db)
    assert (row.status, row.attempts, row.sent_at) == (MailStatus.KEPT, 0, None)


async def test_files_are_written_for_their_owner_alone(
    db: Database, settings: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "out going"
    filing = dataclasses.replace(settings, smtp_url=f"file://{tmp_path}/out%20going")
    transport = transport_of(filing)
    assert isinstance(transport, FileTransport)
    await add_mail(db)

    await Delivery(db, filing, transport).round()

    (file,) = folder.iterdir()
    assert file.name == "mai_001_conference.test.eml"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert b"From: unsession@conference.test" in file.read_bytes()
    assert (await mail_of(db)).status == MailStatus.SENT


async def test_the_live_link_is_written_only_into_the_message(
    db: Database, worker: Delivery, server: Server, mailing: Settings
) -> None:
    secret = await add_link(db, mailing)
    await add_mail(db, body=f"Go:\n{LINK_MARK}\n", link_id="lnk_1")

    await worker.round()

    text = server.taken[0].get_body(("plain",)).get_content()  # type: ignore[union-attr]
    assert f"https://conference.test/signin/{secret}" in text
    row = await mail_of(db)
    assert row.status == MailStatus.SENT
    assert secret not in repr(row)


@pytest.mark.parametrize(
    "columns",
    [
        {"used_at": dt.datetime(2026, 1, 1, tzinfo=dt.UTC)},
        {"expires_at": dt.datetime(2026, 1, 1, tzinfo=dt.UTC)},
    ],
    ids=["used", "expired"],
)
async def test_a_dead_link_keeps_its_mail_back(
    columns: dict[str, Any], db: Database, worker: Delivery, server: Server, mailing: Settings
) -> None:
    await add_link(db, mailing, **columns)
    await add_mail(db, body=f"Go:\n{LINK_MARK}\n", link_id="lnk_1")

    await worker.round()

    row = await mail_of(db)
    assert (row.status, row.last_error) == (
        MailStatus.FAILED,
        "its link was used, ran out or was replaced",
    )
    assert server.taken == []


async def test_an_address_no_server_takes_fails_alone(
    db: Database, worker: Delivery, server: Server
) -> None:
    await add_mail(db, 1, to_address="not an address")
    await add_mail(db, 2)

    await worker.round()

    assert (await mail_of(db)).status == MailStatus.FAILED
    assert server.ids == ["<mai_002@conference.test>"]


async def test_two_workers_never_claim_the_same_mail(db: Database) -> None:
    for number in range(1, 21):
        await add_mail(db, number)
    lease = dt.timedelta(minutes=1)

    claims = await asyncio.gather(*(queue.claim(db, utc_now(), lease, 7) for _ in range(4)))

    ids = [one.id for claimed in claims for one in claimed]
    assert len(ids) == len(set(ids))
    rest = await queue.claim(db, utc_now(), lease, 50)
    assert len(ids) + len(rest) == 20


async def test_a_lease_that_ran_out_lets_another_claim_and_the_old_mark_counts_no_more(
    db: Database,
) -> None:
    await add_mail(db)
    now = utc_now()
    (mine,) = await queue.claim(db, now, dt.timedelta(seconds=10), 5)
    assert await queue.claim(db, now, dt.timedelta(seconds=10), 5) == []

    (theirs,) = await queue.claim(db, now + dt.timedelta(seconds=11), dt.timedelta(seconds=10), 5)

    assert (theirs.id, theirs.attempt) == (mine.id, 2)
    assert await queue.mark_failed(db, mine, now, "late") is False
    assert await queue.mark_sent(db, theirs, now) is True
    assert (await mail_of(db)).status == MailStatus.SENT


async def test_stopping_gives_back_what_was_not_tried(
    db: Database, worker: Delivery, server: Server
) -> None:
    server.delay = 0.2
    for number in range(1, 6):
        await add_mail(db, number)

    running = asyncio.create_task(worker.run())
    await asyncio.to_thread(server.wait_for, 1, 5)
    worker.stop()
    await asyncio.wait_for(running, 5)

    rows = [await mail_of(db, f"mai_{number:03}") for number in range(1, 6)]
    done = [row for row in rows if row.status == MailStatus.SENT]
    assert len(done) == len(server.taken) >= 1
    waiting = [row for row in rows if row.status == MailStatus.QUEUED]
    assert len(done) + len(waiting) == 5
    assert all((row.attempts, row.lease_until) == (0, None) for row in waiting)


async def test_nothing_is_sent_inside_a_write_transaction(
    db: Database, server: Server, mailing: Settings
) -> None:
    from email.message import EmailMessage

    transport = SmtpTransport("127.0.0.1", server.port)
    async with db.write():
        with pytest.raises(AssertionError, match="write transaction"):
            await transport.send(EmailMessage(), "a@b.example", "c@d.example")
    assert server.connections == 0


async def test_a_password_that_is_not_accepted_is_not_repeated(
    server: Server, mailing: Settings
) -> None:
    from email.message import EmailMessage

    secretive = dataclasses.replace(mailing, smtp_url=f"smtp://ana:hunter2@127.0.0.1:{server.port}")
    transport = transport_of(secretive)
    assert transport is not None

    with pytest.raises(Unreachable) as down:
        await transport.send(EmailMessage(), "a@b.example", "c@d.example")

    assert "hunter2" not in str(down.value)
    assert "hunter2" not in repr(transport)
    await transport.close()


async def test_mail_is_counted_in_every_status(db: Database) -> None:
    before = await queue.by_status(db)
    for number, status in enumerate((MailStatus.SENT, MailStatus.SENT, MailStatus.FAILED), 1):
        await add_mail(db, number, status=status)

    after = await queue.by_status(db)

    assert set(before) == {status.value for status in MailStatus}
    assert {name: after[name] - before[name] for name in after if after[name] != before[name]} == {
        "sent": 2,
        "failed": 1,
    }
