"""Reported of decisions and mail: sent twice, stuck on one address, cut titles, shown entities."""

import asyncio
import dataclasses
import email
import email.policy
import re
from email.header import decode_header
from typing import Any

import pytest
from icalendar import Calendar
from sqlmodel import col

from tests.conftest import Call
from tests.services.tasks_world import PHOTO, SLIDES, add_tasks, rows
from tests.web.door import Door
from tests.web.pages import Page, page_of, send, sign_in
from tests.worker.server import TAKEN, serving
from tests.world import (
    ACCEPTED,
    ANA,
    DECLINED,
    DEVCONF,
    IN_REVIEW,
    SESSION,
    TRIO,
    WAITLISTED,
    World,
)
from unsession.access import visitor_actor
from unsession.adapters.mail import SmtpTransport
from unsession.catalogue import Outcome
from unsession.db.engine import Database
from unsession.db.types import utc_now
from unsession.domain.mail import LINK_MARK, MailStatus
from unsession.domain.message import Letter, compose, sender_of
from unsession.errors import Refusal
from unsession.models import (
    Event,
    Mail,
    Session,
    SessionSpeaker,
    Speaker,
    Submission,
    Task,
    User,
    UserAddress,
)
from unsession.settings import Settings
from unsession.worker.delivery import Delivery

SENDER = sender_of("Dev Conf <talks@conf.example>")


# DEC-01


@pytest.mark.postgres
@pytest.mark.parametrize("way", ["decide", "send"])
async def test_accepting_twice_at_once_mails_and_asks_everybody_once(
    call: Call, db: Database, world: World, way: str
) -> None:
    await add_tasks(db)
    if way == "decide":
        ways = [call("decide_submission", one, submission=TRIO, decision="accept") for one in
                (world.owner, world.organizer, world.writer)]  # fmt: skip
    else:
        queued = [call("queue_decision", one, submission=TRIO, decision="accept") for one in
                  (world.owner, world.organizer)]  # fmt: skip
        assert any(isinstance(one, Outcome) for one in await together(queued))
        ways = [call("send_outbox", one, event=DEVCONF) for one in (world.owner, world.organizer)]

    done = await together(ways)

    won = [one for one in done if isinstance(one, Outcome) and one.effects]
    lost = [one for one in done if one not in won]
    assert len(won) == 1
    assert all(isinstance(one, Refusal) or not one.activity_id for one in lost)
    (session,) = await rows(db, Session, col(Session.submission_id) == TRIO)
    mails = await rows(db, Mail)
    assert sorted(mail.to_address for mail in mails) == ["kofi@example.org", "lena@example.org"]
    line_up = await rows(db, SessionSpeaker, col(SessionSpeaker.session_id) == session.id)
    speakers = [entry.speaker_id for entry in line_up]
    tasks = await rows(db, Task, col(Task.template_id).in_([PHOTO, SLIDES]))
    given = [(task.template_id, task.session_id or task.speaker_id) for task in tasks]
    assert len(given) == len(set(given))
    assert {target for template, target in given if template == PHOTO} >= set(speakers)
    assert (SLIDES, session.id) in given


async def together(calls: list[Any]) -> list[Any]:
    """What became of calls that start at once."""
    return list(await asyncio.gather(*calls, return_exceptions=True))


# DEC-05


async def test_a_decision_that_waits_is_nowhere_to_be_seen(door: Door) -> None:
    """Not in the speaker's portal, their mail, the agenda, its data or its calendar."""
    async with door.house.db.write() as session:
        session.add(User(id="usr_ana", name="Ana"))
        await session.flush()
        session.add(
            UserAddress(
                user_id="usr_ana",
                address="ana@example.org",
                folded="ana@example.org",
                primary=True,
                verified_at=utc_now(),
            )
        )
        (await session.get_one(Speaker, ANA)).user_id = "usr_ana"
    paths = [
        f"/devconf-2027/{rest}" for rest in ("agenda", "agenda.json", "agenda.ics", "speakers")
    ]

    async def seen() -> list[str]:
        await sign_in(door, "usr_ana")
        portal = Page((await door.http.get("/devconf-2027/portal")).text).words
        door.http.cookies.clear()
        released = await door.rest(
            "POST", f"/events/{DEVCONF}/agenda/release", json={"sendEmail": False}
        )
        assert released.status_code == 200
        return [portal, *[(await door.http.get(path)).text for path in paths]]

    await seen()  # from now on there is a release
    before = await seen()
    queued = await door.rest(
        "POST", f"/submissions/{IN_REVIEW}/queued-decision", json={"decision": "accept"}
    )
    after = await seen()

    assert queued.status_code == 200
    assert "Typing the untyped" in before[0]
    assert after == before
    assert not [text for text in after[1:] if "Typing the untyped" in text]
    assert await rows(door.house.db, Mail) == []


# DEC-08


async def test_one_address_that_cannot_be_reached_stops_nobody_and_nothing_goes_twice(
    call: Call, db: Database, world: World, settings: Settings
) -> None:
    people = ["p1@example.org", "p2@example.org", "bad@example.org", "p4@example.org",
              "P1@example.org", "p6@example.org"]  # fmt: skip
    for number, address in enumerate(people):
        made = await call(
            "create_submission",
            world.writer,
            event=DEVCONF,
            form="talks",
            title=f"Talk {number}",
            speakers=[{"name": f"Person {number}", "address": address}],
        )
        await call("queue_decision", world.writer, submission=made.result.id, decision="decline")
    mailing = dataclasses.replace(settings, mail_from="Dev Conf <talks@conf.example>")
    with serving() as server:
        server.answer = lambda to: "550 no such user" if to.startswith("bad") else TAKEN
        worker = Delivery(db, mailing, SmtpTransport("127.0.0.1", server.port), poll=0.01)
        first = await call("send_outbox", world.writer, event=DEVCONF)
        while await worker.round():
            pass
        server.answer = lambda _: TAKEN
        again = await call("send_outbox", world.writer, event=DEVCONF)
        while await worker.round():
            pass
        assert worker.transport is not None
        await worker.transport.close()

    assert (first.result.mails, again.result.decided) == (6, [])
    reached = sorted(to for _, (to,) in server.envelopes)
    assert reached == sorted(one for one in people if one != "bad@example.org")
    (failed,) = await rows(db, Mail, col(Mail.status) == MailStatus.FAILED)
    assert failed.to_address == "bad@example.org"
    assert "550 no such user" in failed.last_error


# DEC-11


async def test_a_title_at_its_limit_fits_into_every_mail(
    call: Call, db: Database, world: World
) -> None:
    title = "é" * 198 + "🎤"
    async with db.write() as session:
        for one in (IN_REVIEW, TRIO, WAITLISTED, ACCEPTED):
            (await session.get_one(Submission, one)).title = title
        (await session.get_one(Session, SESSION)).title = title
    person = {"name": "Ana Lima", "address": "ana@example.org"}
    form = {
        "event": "devconf-2027",
        "form": "talks",
        "title": title,
        "speakers": [person],
        "answers": {},
    }
    await call("submit", visitor_actor(), submitKey="k" * 20, **form)
    await call("submit", world.organizer, submitKey="m" * 20, **form, address="ravi@example.org")
    await call("create_submission", world.writer, **form, notify=True)
    for one, decision in ((IN_REVIEW, "accept"), (TRIO, "decline"), (WAITLISTED, "decline")):
        await call("queue_decision", world.writer, submission=one, decision=decision)
    await call("send_outbox", world.writer, event=DEVCONF)
    await call("decide_submission", world.writer, submission=DECLINED, decision="waitlist")
    await call("decide_submission", world.writer, submission=TRIO, decision="waitlist")
    await call("publish_agenda", world.writer, event=DEVCONF)
    await call(
        "assign_task",
        world.writer,
        event=DEVCONF,
        oneOff={"name": title[-120:], "kind": "checkbox"},
        sessions=[SESSION],
    )

    mails = await rows(db, Mail)
    kinds = {mail.kind for mail in mails}
    assert {"decision:accept", "decision:decline", "decision:waitlist"} <= kinds
    assert len(kinds) >= 6, kinds
    for mail in mails:
        link = "https://conference.test/x" if LINK_MARK in mail.body else None
        letter = Letter(
            mail.to_address, mail.to_name, mail.subject, mail.body, mail.message_id, link
        )
        raw = bytes(compose(letter, SENDER, utc_now()))
        message = email.message_from_bytes(raw, policy=email.policy.SMTP)
        assert message["Subject"] == mail.subject
        header = raw.partition(b"Subject:")[2].partition(b"\r\n\r\n")[0]
        for word in re.findall(rb"=\?utf-8\?[bq]\?[^?]*\?=", header):
            assert len(word) <= 75
            decode_header(word.decode())[0][0].decode("utf-8")  # none is cut inside a character
    assert any(title in mail.subject for mail in mails)


# DEC-13


async def test_an_event_with_markup_in_its_name_is_escaped_once_and_only_in_html(
    door: Door,
) -> None:
    name = "R&D's <Day> 2027"
    await door.rest("PATCH", f"/events/{DEVCONF}", json={"name": name})
    await door.rest("POST", f"/submissions/{IN_REVIEW}/decision", json={"decision": "accept"})
    await door.rest("POST", f"/events/{DEVCONF}/agenda/release", json={"sendEmail": False})
    await sign_in(door, "usr_ravi")

    for path in (
        "/devconf-2027",
        "/devconf-2027/agenda",
        "/app/api",
        "/app/devconf-2027/submissions",
    ):
        answer = await door.http.get(path, follow_redirects=True)
        assert "R&amp;D" in answer.text, path
        assert "&lt;Day&gt;" in answer.text
        assert "<Day>" not in answer.text
        assert "&amp;amp;" not in answer.text
        assert "&amp;lt;" not in answer.text
    served = await door.http.get("/devconf-2027/agenda.ics")
    assert str(Calendar.from_ical(served.content)["x-wr-calname"]) == name
    assert (await door.http.get("/devconf-2027/agenda.json")).json()["event"]["name"] == name
    (mail,) = await rows(door.house.db, Mail)
    assert name in mail.subject
    assert name in mail.body


# DEC-17


async def test_an_acceptance_asks_for_an_answer_and_shows_who_has_not_given_it(
    call: Call, db: Database, world: World
) -> None:
    await call(
        "submit",
        visitor_actor(),
        event="devconf-2027",
        form="talks",
        submitKey="k" * 20,
        title="Maps without servers",
        speakers=[{"name": "Bo", "address": "bo@example.org"}],
        answers={},
    )
    await call("decide_submission", world.writer, submission=IN_REVIEW, decision="accept")

    mails = {mail.kind.partition(":")[0]: mail for mail in await rows(db, Mail)}
    receipt, acceptance = mails["received"], mails["decision"]
    assert receipt.subject != acceptance.subject
    assert "accepted" in acceptance.subject
    asked, _, rest = acceptance.body.partition(LINK_MARK)
    assert asked.count("\n") <= 6
    assert "Will you come?" in asked
    assert rest
    found = await call("list_speakers", world.reader, event=DEVCONF, unconfirmed=True)
    assert [row.name for row in found.result.items] == ["Ana Lima"]


# DEC-19


@pytest.mark.postgres
async def test_mail_is_from_the_product_and_its_answers_go_to_the_organisers(
    call: Call, db: Database, world: World, settings: Settings
) -> None:
    await call("decide_submission", world.organizer, submission=IN_REVIEW, decision="accept")
    async with db.write() as session:
        (await session.get_one(Event, DEVCONF)).contact_address = "team@dévconf.example"
        session.add(
            Mail(
                kind="account:signin",
                subject_id="usr_tom",
                to_address="tom@example.org",
                to_name="Tom",
                subject="Hello",
                body="Hello.\n",
                cause_key="test",
                message_id="<m@conference.test>",
            )
        )
    mailing = dataclasses.replace(settings, mail_from="Dev Conf <talks@conf.example>")
    with serving() as server:
        worker = Delivery(db, mailing, SmtpTransport("127.0.0.1", server.port), poll=0.01)
        while await worker.round():
            pass
        assert worker.transport is not None
        await worker.transport.close()

    sent = {str(message["To"]): message for message in server.taken}
    assert {sender for sender, _ in server.envelopes} == {"talks@conf.example"}
    assert {str(message["From"]) for message in sent.values()} == {"Dev Conf <talks@conf.example>"}
    assert sent["Ana Lima <Ana@Example.org>"]["Reply-To"] == "team@xn--dvconf-bva.example"
    assert sent["Tom <tom@example.org>"]["Reply-To"] is None


def test_a_reply_address_that_is_none_keeps_no_mail_back() -> None:
    letter = Letter("a@x.example", "A", "S", "B", "<m@x.example>", reply_to="a\r\nBcc: b@x")

    assert compose(letter, SENDER, utc_now())["Reply-To"] is None


# DEC-21


async def test_a_link_is_not_used_up_by_whoever_else_looks_at_it(door: Door) -> None:
    from tests.web.test_confirm_pages import accepted, session_of

    (path,) = await accepted(door)
    for user in ("usr_tom", "usr_mei"):
        await sign_in(door, user)
        page = await page_of(door, path)
        assert "Ana Lima, will you come?" in page.words
        assert "ana@example.org" not in page.text.casefold()
    door.http.cookies.clear()

    assert (await send(door, path, {"answer": "yes"})).status_code == 200
    assert (await session_of(door)).status.value == "confirmed"
