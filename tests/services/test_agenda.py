"""publish_agenda and get_agenda; what public doors may show."""

import datetime as dt
from typing import Any

import msgspec
import pytest
from sqlalchemy import select
from sqlmodel import col

from tests.conftest import Call
from tests.services.conftest import Log, content_of
from tests.services.refusals import not_found
from tests.world import ACCEPTED, ANA, DEVCONF, PYDAY, SESSION, World
from unsession.catalogue import Outcome
from unsession.db.engine import Database
from unsession.domain.sessions import SessionStatus
from unsession.errors import Conflict, Forbidden, NotFound
from unsession.models import (
    Event,
    EventDay,
    Mail,
    Release,
    ReleaseHidden,
    Session,
    SessionSpeaker,
    Speaker,
)
from unsession.services.agenda.reading import public_agenda, standing


def wire(outcome: Outcome) -> Any:
    return msgspec.json.decode(msgspec.json.encode(outcome.data()))


def kinds(outcome: Outcome) -> list[str]:
    return [warning.kind for warning in outcome.warnings]


async def rows(db: Database, model: Any, *conditions: Any) -> list[Any]:
    async with db.write() as session:
        return list((await session.execute(select(model).where(*conditions))).scalars())


async def change(db: Database, model: Any, key: str, **values: Any) -> None:
    async with db.write() as session:
        row = await session.get_one(model, key)
        for name, value in values.items():
            setattr(row, name, value)


async def shown(db: Database, slug: str = "devconf-2027") -> list[str]:
    """The titles that public doors show."""
    stands = await standing(db, slug)
    assert stands is not None
    agenda = await public_agenda(db, stands)
    return [one.title for one in agenda.sessions] if agenda else []


class TestPublish:
    async def test_the_first_release_holds_the_schedule_and_tells_the_speakers(
        self, call: Call, world: World, db: Database, log: Log
    ) -> None:
        done = await call("publish_agenda", world.writer, event=DEVCONF, changelog=" The first. ")

        assert done.result.number == 1
        assert done.result.sessions == 1
        assert done.result.changes.new == 1
        assert done.result.mails == ["Sam Oduya <sam@example.org>"]
        (mail,) = await rows(db, Mail)
        assert mail.kind == "agenda:notice"
        assert "“Async without tears”\n  Thu 20 May 10:00, Main hall\n" in mail.body
        assert "https://conference.test/devconf-2027/agenda" in mail.body
        assert mail.cause_key == f"agenda:{DEVCONF}:sam@example.org:{done.activity_id}"
        (release,) = await rows(db, Release, col(Release.event_id) == DEVCONF)
        assert release.changelog == "The first."
        assert release.published_by == "api:writer"
        (event,) = await rows(db, Event, col(Event.id) == DEVCONF)
        assert event.current_release_id == release.id
        (entry,) = await log()
        assert content_of(entry)["summary"] == "Release 1: 1 new"

    async def test_events_say_which_agenda_is_public(self, call: Call, world: World) -> None:
        before = wire(await call("get_event", world.reader, event=DEVCONF))
        for track in ("Web", "Data"):
            await call("update_session", world.writer, session=SESSION, track=track)
            await call("publish_agenda", world.writer, event=DEVCONF, sendEmail=False)

        after = wire(await call("get_event", world.reader, event=DEVCONF))
        listed = wire(await call("list_events", world.reader))["items"]

        assert "released" not in before
        assert after["released"] == 2
        assert {row["slug"]: row.get("released") for row in listed} == {
            "devconf-2027": 2,
            "pyday-2027": 1,
        }

    async def test_the_document_is_whole(self, call: Call, world: World) -> None:
        await call("update_session", world.writer, session=SESSION, track="Web", level="Beginner")
        await call("publish_agenda", world.writer, event=DEVCONF, sendEmail=False)

        got = wire(await call("get_agenda", world.reader, event=DEVCONF))

        assert got["event"] == {
            "id": DEVCONF,
            "name": "DevConf 2027",
            "slug": "devconf-2027",
            "startsOn": "2027-05-20",
            "endsOn": "2027-05-21",
            "zone": "Europe/Lisbon",
            "venue": "Pavilhão do Rio",
            "description": "Two days of Python.",
        }
        assert got["release"]["number"] == 1
        assert got["days"][1] == {
            "day": 2,
            "date": "2027-05-21",
            "opens": "09:30",
            "closes": "25:30",
        }
        assert [room["name"] for room in got["rooms"]] == ["Main hall", "Lab"]
        assert [track["name"] for track in got["tracks"]] == ["Web", "Data"]
        (session,) = got["sessions"]
        assert session | {"guid": ""} == {
            "id": SESSION,
            "guid": "",
            "code": "SESAAA",
            "kind": "talk",
            "title": "Async without tears",
            "abstract": "",
            "minutes": 30,
            "day": 1,
            "date": "2027-05-20",
            "start": "10:00",
            "end": "10:30",
            "startMinute": 600,
            "startsAt": "2027-05-20T09:00:00Z",
            "endsAt": "2027-05-20T09:30:00Z",
            "speakers": [
                {"id": "spk_sam", "code": "SAMODU", "slug": "sam-oduya", "name": "Sam Oduya"}
            ],
            "room": {"id": "rom_hall", "name": "Main hall"},
            "track": {"id": "opt_web", "name": "Web", "number": 1, "color": "#0b7285"},
            "level": {"id": "opt_beginner", "name": "Beginner", "number": 1},
        }
        assert [speaker["name"] for speaker in got["speakers"]] == ["Sam Oduya"]
        assert "sam@example.org" not in str(got)

    async def test_a_move_waits_for_the_next_release(
        self, call: Call, world: World, db: Database
    ) -> None:
        await call("publish_agenda", world.writer, event=DEVCONF, sendEmail=False)

        moved = await call("schedule_session", world.writer, session=SESSION, day=2, start="11:00")
        assert [e.text for e in moved.effects if e.kind == "notice"] == [
            "Notice to 1 speaker at the next release."
        ]
        assert await rows(db, Mail) == []
        before = wire(await call("get_agenda", world.reader, event=DEVCONF))
        full = wire(await call("get_session", world.reader, session=SESSION))
        done = await call("publish_agenda", world.writer, event=DEVCONF)
        after = wire(await call("get_agenda", world.reader, event=DEVCONF))

        assert before["sessions"][0]["start"] == "10:00"
        assert (full["slot"]["start"], full["releasedSlot"]["start"]) == ("11:00", "10:00")
        assert after["sessions"][0]["start"] == "11:00"
        assert after["release"]["number"] == 2
        assert wire(await call("get_agenda", world.reader, event=DEVCONF, release=1)) == before
        (mail,) = await rows(db, Mail)
        assert "(was Thu 20 May 10:00, Main hall)" in mail.body
        assert done.result.changes.moved == 1

    async def test_pending_and_private_sessions_are_left_out_and_pending_ones_are_counted(
        self, call: Call, world: World, db: Database
    ) -> None:
        for number, values in enumerate(
            ({"status": SessionStatus.PENDING}, {"public": False}, {}), start=1
        ):
            made = await call(
                "create_session",
                world.writer,
                event=DEVCONF,
                kind="talk",
                title=f"Talk {number}",
                day=2,
                start=f"1{number}:00",
                speakers=[{"speaker": ANA}],
            )
            await change(db, Session, made.result.id, **values)
        await call("create_session", world.writer, event=DEVCONF, kind="talk", title="Unplaced")

        done = await call("publish_agenda", world.writer, event=DEVCONF)

        assert kinds(done) == ["pending"]
        assert done.warnings[0].text == "1 placed session is pending and left out."
        assert done.result.left_out == 1
        assert await shown(db) == ["Async without tears", "Talk 3"]
        (mail,) = await rows(db, Mail, col(Mail.to_address) == "ana@example.org")
        assert "Talk 3" in mail.body
        assert "Talk 1" not in mail.body

    async def test_one_mail_to_a_speaker_of_two_sessions(
        self, call: Call, world: World, db: Database
    ) -> None:
        for number in (1, 2):
            await call(
                "create_session",
                world.writer,
                event=DEVCONF,
                kind="talk",
                title=f"Talk {number}",
                day=2,
                start=f"1{number}:00",
                speakers=[{"speaker": ANA}, {"name": "No Address"}],
            )

        done = await call("publish_agenda", world.writer, event=DEVCONF)

        assert done.result.mails == [
            "Ana Lima <ana@example.org>",
            "Sam Oduya <sam@example.org>",
        ]
        (mail,) = await rows(db, Mail, col(Mail.to_address) == "ana@example.org")
        assert "Talk 1" in mail.body
        assert "Talk 2" in mail.body

    async def test_nothing_new_is_no_release(
        self, call: Call, world: World, db: Database, log: Log
    ) -> None:
        await call("publish_agenda", world.writer, event=DEVCONF)

        again = await call("publish_agenda", world.writer, event=DEVCONF)

        assert kinds(again) == ["already_published"]
        assert again.effects == ()
        assert again.result.number == 1
        assert len(await rows(db, Release, col(Release.event_id) == DEVCONF)) == 1
        assert len(await log()) == 1

    async def test_clashes_are_warned_of_and_published(self, call: Call, world: World) -> None:
        await call(
            "create_session",
            world.writer,
            event=DEVCONF,
            kind="service",
            title="Lunch",
            day=1,
            start="10:00",
            allRooms=True,
        )

        done = await call("publish_agenda", world.writer, event=DEVCONF)

        assert kinds(done) == ["clashes"]
        assert "“Lunch” takes all rooms" in done.warnings[0].text
        assert done.result.sessions == 2

    async def test_an_empty_agenda_is_published_with_a_warning(
        self, call: Call, world: World
    ) -> None:
        assert kinds(await call("publish_agenda", world.writer, event=PYDAY)) == ["empty"]

    async def test_a_preview_names_the_mail_and_keeps_nothing(
        self, call: Call, world: World, db: Database
    ) -> None:
        seen = await call("publish_agenda", world.writer, event=DEVCONF, dry_run=True)

        assert [effect.kind for effect in seen.effects][-1] == "mail"
        assert seen.result.mails == ["Sam Oduya <sam@example.org>"]
        assert await rows(db, Release, col(Release.event_id) == DEVCONF) == []
        assert await rows(db, Mail) == []
        done = await call("publish_agenda", world.writer, event=DEVCONF)
        assert done.result.number == seen.result.number

    async def test_undo_brings_the_release_before_back(
        self, call: Call, world: World, db: Database
    ) -> None:
        await call("publish_agenda", world.writer, event=DEVCONF, sendEmail=False)
        await call("schedule_session", world.writer, session=SESSION, day=2, start="11:00")
        done = await call("publish_agenda", world.writer, event=DEVCONF)

        await call("undo", world.writer, activity=done.activity_id)

        got = wire(await call("get_agenda", world.reader, event=DEVCONF))
        assert got["release"]["number"] == 1
        assert got["sessions"][0]["start"] == "10:00"

    async def test_who_may_not(self, call: Call, world: World) -> None:
        for actor in (world.reader, world.reviewer):
            with pytest.raises(Forbidden):
                await call("publish_agenda", actor, event=DEVCONF)
        theirs = await not_found(call("publish_agenda", world.stranger, event=DEVCONF), DEVCONF)
        nobodys = await not_found(call("publish_agenda", world.stranger, event="nil"), "nil")
        assert theirs == nobodys


class TestGetAgenda:
    async def test_before_the_first_release_it_says_so(self, call: Call, world: World) -> None:
        with pytest.raises(Conflict, match="is not released yet"):
            await call("get_agenda", world.reader, event=DEVCONF)

    async def test_a_release_that_is_not_there(self, call: Call, world: World) -> None:
        await call("publish_agenda", world.writer, event=DEVCONF)

        with pytest.raises(NotFound):
            await call("get_agenda", world.reader, event=DEVCONF, release=2)

    async def test_who_may_not(self, call: Call, world: World) -> None:
        with pytest.raises(Forbidden):
            await call("get_agenda", world.reviewer, event=DEVCONF)
        await not_found(call("get_agenda", world.stranger, event=DEVCONF), DEVCONF)


class TestHidden:
    """What leaves the programme leaves the public pages at once; the release stays."""

    async def test_a_declined_session_is_hidden_at_once_and_undo_shows_it(
        self, call: Call, world: World, db: Database
    ) -> None:
        await call("publish_agenda", world.writer, event=DEVCONF, sendEmail=False)
        (release,) = await rows(db, Release, col(Release.event_id) == DEVCONF)

        done = await call(
            "decide_submission", world.writer, submission=ACCEPTED, decision="decline"
        )

        assert await shown(db) == []
        agenda = wire(await call("get_agenda", world.reader, event=DEVCONF))
        assert (agenda["sessions"], agenda["speakers"]) == ([], [])
        assert (await rows(db, Release, col(Release.event_id) == DEVCONF))[
            0
        ].snapshot == release.snapshot
        await call("undo", world.writer, activity=done.activity_id)
        assert await shown(db) == ["Async without tears"]

    async def test_it_shows_again_once_it_is_confirmed_again(
        self, call: Call, world: World, db: Database
    ) -> None:
        await call("publish_agenda", world.writer, event=DEVCONF, sendEmail=False)
        await call("decide_submission", world.writer, submission=ACCEPTED, decision="decline")
        await call("decide_submission", world.writer, submission=ACCEPTED, decision="accept")
        assert await shown(db) == []

        await call("confirm_on_behalf", world.writer, session=SESSION)

        assert await shown(db) == ["Async without tears"]

    async def test_the_next_release_starts_afresh(
        self, call: Call, world: World, db: Database
    ) -> None:
        await call("publish_agenda", world.writer, event=DEVCONF, sendEmail=False)
        await call("decide_submission", world.writer, submission=ACCEPTED, decision="waitlist")

        done = await call("publish_agenda", world.writer, event=DEVCONF)

        assert done.result.changes.gone == 1
        assert done.result.mails == []
        assert await rows(db, ReleaseHidden) == []
        assert await shown(db) == []

    async def test_what_is_no_longer_public_is_hidden_at_once_and_back_at_once(
        self, call: Call, world: World, db: Database
    ) -> None:
        await call("publish_agenda", world.writer, event=DEVCONF, sendEmail=False)

        await call("update_session", world.writer, session=SESSION, public=False)
        assert await shown(db) == []

        await call("update_session", world.writer, session=SESSION, public=True)
        assert await shown(db) == ["Async without tears"]

    async def test_confirming_does_not_show_what_is_not_public(
        self, call: Call, world: World, db: Database
    ) -> None:
        await call("publish_agenda", world.writer, event=DEVCONF, sendEmail=False)
        await call("update_session", world.writer, session=SESSION, public=False)

        await call("confirm_on_behalf", world.writer, session=SESSION)

        assert await shown(db) == []

    async def test_what_was_never_released_is_not_hidden(
        self, call: Call, world: World, db: Database
    ) -> None:
        await call("publish_agenda", world.writer, event=PYDAY, sendEmail=False)
        await call("decide_submission", world.writer, submission=ACCEPTED, decision="decline")

        assert await rows(db, ReleaseHidden) == []


async def test_a_clock_change_between_two_days_is_in_the_instants(
    call: Call, world: World, db: Database
) -> None:
    await change(db, Event, DEVCONF, zone="Europe/Berlin", starts_on=dt.date(2027, 3, 27))
    await change(db, EventDay, "day_1", date=dt.date(2027, 3, 27))
    await change(db, EventDay, "day_2", date=dt.date(2027, 3, 28))
    await call("schedule_session", world.writer, session=SESSION, day=1, start="17:00")
    await call(
        "create_session",
        world.writer,
        event=DEVCONF,
        kind="talk",
        title="After",
        day=2,
        start="09:30",
    )
    await call("publish_agenda", world.writer, event=DEVCONF, sendEmail=False)

    got = wire(await call("get_agenda", world.reader, event=DEVCONF))

    assert [one["startsAt"] for one in got["sessions"]] == [
        "2027-03-27T16:00:00Z",
        "2027-03-28T07:30:00Z",
    ]


async def test_a_speaker_who_declined_is_not_in_the_line_up(
    call: Call, world: World, db: Database
) -> None:
    async with db.write() as session:
        session.add(
            SessionSpeaker(
                id="lin_ana",
                session_id=SESSION,
                speaker_id=ANA,
                position=1,
                declined_at=dt.datetime(2027, 1, 1, tzinfo=dt.UTC),
            )
        )
    assert len(await rows(db, Speaker)) == 2

    await call("publish_agenda", world.writer, event=DEVCONF, sendEmail=False)

    got = wire(await call("get_agenda", world.reader, event=DEVCONF))
    assert [one["name"] for one in got["speakers"]] == ["Sam Oduya"]
