"""Workers killed in the middle: nothing is lost, and what came twice came under one Message-ID."""

import asyncio
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest
from sqlalchemy import select
from sqlmodel import col

from tests.worker.server import serving
from tests.worker.test_delivery import mail_row
from unsession.db.engine import Database, SqliteDatabase
from unsession.domain.mail import MailStatus
from unsession.models import Mail
from unsession.settings import Settings

MAILS = 200
KILL_AT = (25, 75, 125, 175)

#: A worker of its own process, as `unsession worker` runs it, with a lease worth waiting for.
WORKER = """
import asyncio, datetime, sys
from unsession.adapters.mail import SmtpTransport
from unsession.db.engine import open_database
from unsession.settings import Settings
from unsession.worker.delivery import Delivery

async def main(url, port):
    db = open_database(url)
    await db.open()
    settings = Settings(database_url=url, public_url="https://conference.test",
                        secret_key=b"0" * 32, mail_from="talks@conf.example")
    transport = SmtpTransport("127.0.0.1", int(port))
    await Delivery(db, settings, transport, lease=datetime.timedelta(seconds=1.5), poll=0.05).run()

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.timeout(180)
async def test_killed_workers_lose_nothing_and_double_only_what_was_in_flight(
    db: Database, settings: Settings
) -> None:
    async with db.write() as session:
        session.add_all(mail_row(number) for number in range(1, MAILS + 1))
    workers = 1 if isinstance(db, SqliteDatabase) else 2

    with serving(delay=0.004) as server:

        def start() -> "subprocess.Popen[bytes]":
            return subprocess.Popen(
                [sys.executable, "-c", WORKER, settings.database_url, str(server.port)]
            )

        running = [start() for _ in range(workers)]
        try:
            for kill, at in enumerate(KILL_AT):
                server.wait_for(at, within=30)
                victim = kill % workers
                running[victim].send_signal(signal.SIGKILL)
                running[victim].wait()
                running[victim] = start()
            until = time.monotonic() + 30
            while await db.rows(select(col(Mail.id)).where(col(Mail.status) != MailStatus.SENT)):
                assert time.monotonic() < until, "some mail never went out"
                await asyncio.sleep(0.1)
        finally:
            for process in running:
                process.kill()
                process.wait()

    came = Counter(server.ids)
    assert set(came) == {f"<mai_{number:03}@conference.test>" for number in range(1, MAILS + 1)}
    twice = {message_id: times for message_id, times in came.items() if times > 1}
    assert sum(times - 1 for times in twice.values()) <= len(KILL_AT)
    attempts = {
        row.message_id: row.attempts
        for row in await db.rows(select(col(Mail.message_id), col(Mail.attempts)))
    }
    assert all(attempts[message_id] >= times for message_id, times in twice.items())
