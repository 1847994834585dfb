"""list_sessions, get_session, create_session, update_session, schedule_session."""

import datetime as dt
from typing import Any

import msgspec
import pytest
from sqlalchemy import select
from sqlmodel import col

from tests.conftest import Call, Statements
from tests.services.conftest import Log, content_of
from tests.services.refusals import not_found
from tests.world import ANA, DATA, DEVCONF, PYDAY, SAM, SESSION, WEB, World
from unsession.catalogue import Outcome
from unsession.db.engine import Database
from unsession.domain.sessions import SessionKind, SessionStatus
from unsession.errors import Ambiguous, Conflict, Forbidden, Invalid, Stale
from unsession.models import Placement, Schedule, Session, SessionOption, SessionSpeaker, Speaker


def wire(outcome: Outcome) -> Any:
    return msgspec.json.decode(msgspec.json.encode(outcome.data()))


def kinds(outcome: Outcome) -> list[str]:
    return [warning.kind for warning in outcome.warnings]


async def rows(db: Database, model: Any, *conditions: Any) -> list[Any]:
    async with db.write() as session:
        return list((await session.execute(select(model).where(*conditions))).scalars())


async def schedule_version(db: Database) -> int:
    (schedule,) = await rows(db, Schedule, col(Schedule.event_id) == DEVCONF)
    return int(schedule.version)


@pytest.fixture
async def programme(db: Database, world: World) -> list[str]:
    """Six sessions more in devconf, in the order of their titles; the last is cancelled."""
    ids = [f"ses_more{number}" for number in range(6)]
    async with db.write() as session:
        session.add_all(
            Session(
                id=one,
                event_id=DEVCONF,
                kind=SessionKind.TALK if number % 2 else SessionKind.SERVICE,
                code=f"MORE{number:02}",
                number=100 + number,
                title=f"More {number}",
                title_folded=f"more {number}",
                minutes=45,
                status=SessionStatus.CONFIRMED if number < 3 else SessionStatus.PENDING,
                cancelled_at=dt.datetime(2027, 1, 1, tzinfo=dt.UTC) if number == 5 else None,
            )
            for number, one in enumerate(ids)
        )
        await session.flush()
        session.add(SessionSpeaker(id="lin_more", session_id=ids[1], speaker_id=ANA, position=0))
        session.add(SessionOption(session_id=ids[1], option_id=DATA))
        session.add(
            Placement(
                id="plc_more",
                schedule_id="sch_devconf",
                session_id=ids[1],
                date=dt.date(2027, 5, 21),
                start_minute=1500,
                minutes=30,
                all_rooms=True,
            )
        )
    return ids


class TestList:
    async def test_sessions_come_by_title_with_their_slots(
        self, call: Call, world: World, programme: list[str]
    ) -> None:
        page = wire(await call("list_sessions", world.reader, event=DEVCONF))

        assert [row["id"] for row in page["items"]] == [SESSION, *programme[:5]]
        assert page["total"] == 6
        assert page["items"][0] == {
            "id": SESSION,
            "code": "SESAAA",
            "kind": "talk",
            "title": "Async without tears",
            "status": "confirmed",
            "speakers": ["Sam Oduya"],
            "minutes": 30,
            "public": True,
            "slot": {
                "day": 1,
                "date": "2027-05-20",
                "start": "10:00",
                "end": "10:30",
                "startMinute": 600,
                "room": {"id": "rom_hall", "name": "Main hall"},
            },
        }
        assert page["items"][2]["slot"] == {
            "day": 2,
            "date": "2027-05-21",
            "start": "25:00",
            "end": "25:30",
            "startMinute": 1500,
            "allRooms": True,
        }

    @pytest.mark.parametrize(
        ("filters", "titles"),
        [
            ({"kind": "service"}, ["More 0", "More 2", "More 4"]),
            ({"placed": True}, ["Async without tears", "More 1"]),
            ({"placed": False}, ["More 0", "More 2", "More 3", "More 4"]),
            ({"confirmed": False}, ["More 3", "More 4"]),
            ({"confirmed": True, "placed": False}, ["More 0", "More 2"]),
            ({"track": "Data"}, ["More 1"]),
            ({"q": "ODUYA"}, ["Async without tears"]),
            ({"q": "more 1"}, ["More 1"]),
            ({"q": "50%"}, []),
        ],
    )
    async def test_filters_combine(
        self, call: Call, world: World, programme: list[str], filters, titles
    ) -> None:
        page = (await call("list_sessions", world.reader, event=DEVCONF, **filters)).result

        assert [row.title for row in page.items] == titles
        assert page.total == len(titles)

    async def test_the_pages_show_each_once(
        self, call: Call, world: World, programme: list[str]
    ) -> None:
        shown, more = [], {}
        while True:
            page = wire(await call("list_sessions", world.reader, event=DEVCONF, limit=2, **more))
            shown += [row["id"] for row in page["items"]]
            if "nextCursor" not in page:
                break
            more = {"cursor": page["nextCursor"]}

        assert shown == [SESSION, *programme[:5]]

    async def test_another_workspaces_event_looks_like_none(self, call: Call, world: World) -> None:
        theirs = await not_found(call("list_sessions", world.stranger, event=DEVCONF), DEVCONF)
        nobodys = await not_found(call("list_sessions", world.stranger, event="nil"), "nil")

        assert theirs == nobodys

    async def test_reviewers_may_not_list_them(self, call: Call, world: World) -> None:
        with pytest.raises(Forbidden):
            await call("list_sessions", world.reviewer, event=DEVCONF)

    async def test_the_number_of_statements_does_not_depend_on_the_rows(
        self, call: Call, world: World, programme: list[str], statements: Statements
    ) -> None:
        await call("list_sessions", world.reader, event=DEVCONF, limit=1)
        few = len(statements)
        statements.clear()
        await call("list_sessions", world.reader, event=DEVCONF)

        assert len(statements) == few


class TestGet:
    async def test_one_session_comes_whole(self, call: Call, world: World) -> None:
        got = wire(await call("get_session", world.reader, session="async WITHOUT tears"))

        assert got["id"] == SESSION
        assert got["event"] == DEVCONF
        assert got["submissionId"] == "sub_accepted"
        assert got["speakers"] == [
            {
                "id": SAM,
                "name": "Sam Oduya",
                "role": "speaker",
                "address": "sam@example.org",
                "confirmedAt": "2026-09-01T08:00:00Z",
            }
        ]
        assert got["clashes"] == []
        assert got["version"] == 1
        assert "releasedSlot" not in got

    async def test_code_and_id_name_it_too(self, call: Call, world: World) -> None:
        for ref in (SESSION, "sesaaa"):
            assert (await call("get_session", world.reader, session=ref)).result.id == SESSION

    async def test_two_of_one_title_are_ambiguous(
        self, call: Call, world: World, db: Database
    ) -> None:
        await call("create_session", world.writer, event=PYDAY, kind="talk", title="Lunch")
        await call("create_session", world.writer, event=DEVCONF, kind="service", title="Lunch")

        with pytest.raises(Ambiguous):
            await call("get_session", world.reader, session="lunch")
        found = (await call("get_session", world.reader, session="lunch", event=PYDAY)).result

        assert found.kind is SessionKind.TALK

    async def test_another_workspaces_session_looks_like_none(
        self, call: Call, world: World
    ) -> None:
        theirs = await not_found(call("get_session", world.stranger, session=SESSION), SESSION)
        nobodys = await not_found(call("get_session", world.stranger, session="ses_no"), "ses_no")

        assert theirs == nobodys


class TestCreate:
    async def test_a_talk_with_old_and_new_speakers_is_born_confirmed_and_placed(
        self, call: Call, world: World, db: Database, log: Log
    ) -> None:
        made = await call(
            "create_session",
            world.writer,
            event=DEVCONF,
            kind="talk",
            title="Keynote",
            abstract="The first hour.",
            track="web",
            format="Workshop",
            speakers=[
                {"speaker": "Ana Lima"},
                {"name": "Bo Nyman", "address": "bo@example.org", "bio": "Writes."},
                {"name": "Somebody", "address": "SAM@example.org"},
            ],
            day=1,
            start="09:00",
            room="Main hall",
        )

        got = wire(made)
        assert got["status"] == "confirmed"
        assert got["minutes"] == 90
        assert (got["track"]["id"], got["format"]["id"]) == (WEB, "opt_workshop")
        assert [one["name"] for one in got["speakers"]] == ["Ana Lima", "Bo Nyman", "Sam Oduya"]
        assert got["slot"]["end"] == "10:30"
        # Sam speaks at ten in the same hall.
        assert kinds(made) == ["clash_room", "clash_speaker"]
        assert [clash["kind"] for clash in got["clashes"]] == ["room", "speaker"]
        (bo,) = await rows(db, Speaker, col(Speaker.name) == "Bo Nyman")
        assert (bo.number, bo.slug) == (3, "bo-nyman")
        (entry,) = await log()
        assert entry.operation == "create_session"
        assert entry.subject_id == got["id"]
        assert content_of(entry)["summary"] == "Session “Keynote” created"

    async def test_a_break_takes_all_rooms(self, call: Call, world: World) -> None:
        made = await call(
            "create_session",
            world.writer,
            event=DEVCONF,
            kind="service",
            title="Coffee",
            minutes=15,
            day="2027-05-20",
            start="10:15",
            allRooms=True,
        )

        assert made.result.slot.all_rooms
        assert kinds(made) == ["clash_all_rooms"]

    @pytest.mark.parametrize(
        ("arguments", "path"),
        [
            ({"sponsorName": "Acme"}, "/sponsorName"),
            ({"title": "  "}, "/title"),
            ({"day": 1}, "/start"),
            ({"start": "09:00"}, "/day"),
            ({"day": 3, "start": "09:00"}, "/day"),
            ({"day": 1, "start": "37:00"}, "/start"),
            ({"day": 1, "start": "09:00", "room": "Lab", "allRooms": True}, "/allRooms"),
            ({"speakers": [{"bio": "nobody"}]}, "/speakers/0"),
            ({"speakers": [{"name": "A", "speaker": "B"}]}, "/speakers/0"),
        ],
    )
    async def test_what_cannot_be_is_refused_with_its_field(
        self, call: Call, world: World, db: Database, arguments, path
    ) -> None:
        before = len(await rows(db, Session))

        with pytest.raises(Invalid) as refused:
            await call(
                "create_session",
                world.writer,
                **{"event": DEVCONF, "kind": "talk", "title": "T", **arguments},
            )

        assert [problem.path for problem in refused.value.problems] == [path]
        assert len(await rows(db, Session)) == before

    async def test_readers_and_strangers_may_not(self, call: Call, world: World) -> None:
        asked = {"event": DEVCONF, "kind": "talk", "title": "T"}
        with pytest.raises(Forbidden):
            await call("create_session", world.reader, **asked)
        await not_found(call("create_session", world.stranger, **asked), DEVCONF)

    async def test_another_events_room_is_not_there(self, call: Call, world: World) -> None:
        asked = {"event": PYDAY, "kind": "talk", "title": "T", "day": 1, "start": "09:00"}

        with pytest.raises(Invalid, match="the event has none yet"):
            await call("create_session", world.writer, room="rom_hall", **asked)

    async def test_a_preview_says_the_same_and_keeps_nothing(
        self, call: Call, world: World, db: Database
    ) -> None:
        asked = {"event": DEVCONF, "kind": "service", "title": "Tea", "day": 1, "start": "15:00"}
        shown = wire(await call("create_session", world.writer, dry_run=True, **asked))
        made = wire(await call("create_session", world.writer, **asked))

        assert [effect["text"] for effect in shown["effects"]] == [
            effect["text"] for effect in made["effects"]
        ]
        assert len(await rows(db, Session, col(Session.title) == "Tea")) == 1


class TestUpdate:
    async def test_words_options_and_length_change_and_the_slot_follows(
        self, call: Call, world: World, log: Log
    ) -> None:
        done = await call(
            "update_session",
            world.writer,
            session=SESSION,
            title="Async with joy",
            track="Data",
            format="Workshop",
            version=1,
        )

        got = wire(done)
        assert got["title"] == "Async with joy"
        assert got["track"] == {"id": DATA, "name": "Data"}
        assert got["minutes"] == 90
        assert got["slot"]["end"] == "11:30"
        assert got["version"] > 1
        texts = [effect.text for effect in done.effects]
        assert any("track none → Data" in text for text in texts)
        assert (await log())[-1].operation == "update_session"

    async def test_null_clears(self, call: Call, world: World, db: Database) -> None:
        await call("update_session", world.writer, session=SESSION, track="Web")

        done = await call("update_session", world.writer, session=SESSION, track=None, room=None)

        assert "track" not in wire(done)
        assert "room" not in wire(done)["slot"]
        off = wire(await call("update_session", world.writer, session=SESSION, slot=None))
        assert "slot" not in off

    async def test_a_part_of_the_slot_moves_alone(self, call: Call, world: World) -> None:
        moved = wire(await call("update_session", world.writer, session=SESSION, start="11:07"))
        assert (moved["slot"]["start"], moved["slot"]["room"]["id"]) == ("11:07", "rom_hall")

        moved = wire(await call("update_session", world.writer, session=SESSION, day=2, room="lab"))
        assert (moved["slot"]["date"], moved["slot"]["room"]["id"]) == ("2027-05-21", "rom_lab")

    async def test_the_same_again_changes_nothing(self, call: Call, world: World, log: Log) -> None:
        same = {"title": "Async without tears", "day": 1, "start": "10:00", "room": "Main hall"}
        done = await call("update_session", world.writer, session=SESSION, **same)

        assert done.effects == ()
        assert done.result.version == 1
        assert await log() == []

    async def test_an_old_version_is_stale(self, call: Call, world: World) -> None:
        await call("update_session", world.writer, session=SESSION, title="Newer")

        with pytest.raises(Stale):
            await call("update_session", world.writer, session=SESSION, title="Older", version=1)

    async def test_a_cancelled_session_does_not_change(
        self, call: Call, world: World, programme: list[str]
    ) -> None:
        with pytest.raises(Conflict, match="is cancelled"):
            await call("update_session", world.writer, session=programme[5], title="Back")

    async def test_who_may_not(self, call: Call, world: World) -> None:
        with pytest.raises(Forbidden):
            await call("update_session", world.reader, session=SESSION, title="T")
        theirs = await not_found(
            call("update_session", world.stranger, session=SESSION, title="T"), SESSION
        )
        nobodys = await not_found(
            call("update_session", world.stranger, session="ses_no", title="T"), "ses_no"
        )
        assert theirs == nobodys

    async def test_a_slot_is_not_set_and_cleared_at_once(self, call: Call, world: World) -> None:
        with pytest.raises(Invalid):
            await call("update_session", world.writer, session=SESSION, slot=None, start="10:00")

    async def test_undo_puts_it_back(self, call: Call, world: World) -> None:
        before = wire(await call("get_session", world.reader, session=SESSION))
        done = await call(
            "update_session", world.writer, session=SESSION, title="X", track="Data", start="12:00"
        )

        await call("undo", world.writer, activity=done.activity_id)

        after = wire(await call("get_session", world.reader, session=SESSION))
        assert {**after, "version": 0} == {**before, "version": 0}


class TestSchedule:
    async def test_a_session_is_placed_and_the_schedule_owns_it(
        self, call: Call, world: World, db: Database, programme: list[str], log: Log
    ) -> None:
        version = await schedule_version(db)

        done = await call(
            "schedule_session",
            world.writer,
            session=programme[0],
            day=2,
            start="25:15",
            room="Lab",
            minutes=15,
        )

        assert wire(done) | {"activityId": "", "version": 0, "effects": []} == {
            "session": programme[0],
            "title": "More 0",
            "slot": {
                "day": 2,
                "date": "2027-05-21",
                "start": "25:15",
                "end": "25:30",
                "startMinute": 1515,
                "room": {"id": "rom_lab", "name": "Lab"},
            },
            "clashes": [
                {
                    "kind": "all_rooms",
                    "sessions": [programme[1], programme[0]],
                    "text": "“More 1” takes all rooms while “More 0” runs at 01:15.",
                }
            ],
            "affected": [],
            "version": 0,
            "effects": [],
            "warnings": [
                {
                    "kind": "clash_all_rooms",
                    "text": "“More 1” takes all rooms while “More 0” runs at 01:15.",
                }
            ],
            "activityId": "",
        }
        assert await schedule_version(db) == version + 1
        (entry,) = await log()
        assert content_of(entry)["summary"] == "“More 0” → Fri 21 May 25:15, Lab"

    async def test_a_slot_is_set_as_a_whole(self, call: Call, world: World) -> None:
        done = await call("schedule_session", world.writer, session=SESSION, day=1, start="10:00")

        assert "room" not in wire(done)["slot"]

    async def test_it_is_taken_off_and_again_is_a_success(
        self, call: Call, world: World, db: Database
    ) -> None:
        done = await call("schedule_session", world.writer, session=SESSION, unschedule=True)

        assert "slot" not in wire(done)
        assert [effect.kind for effect in done.effects] == ["removed"]
        assert await rows(db, Placement) == []
        again = await call("schedule_session", world.writer, session=SESSION, unschedule=True)
        assert again.effects == ()
        assert kinds(again) == ["already_unscheduled"]

    async def test_placing_it_where_it_is_changes_nothing(
        self, call: Call, world: World, db: Database
    ) -> None:
        version = await schedule_version(db)
        done = await call(
            "schedule_session", world.writer, session=SESSION, day=1, start="10:00", room="rom_hall"
        )

        assert done.effects == ()
        assert await schedule_version(db) == version

    async def test_day_and_start_or_unschedule(self, call: Call, world: World) -> None:
        with pytest.raises(Invalid) as refused:
            await call("schedule_session", world.writer, session=SESSION)
        assert [problem.path for problem in refused.value.problems] == ["/day", "/start"]
        with pytest.raises(Invalid):
            await call(
                "schedule_session", world.writer, session=SESSION, unschedule=True, start="09:00"
            )

    async def test_an_old_version_is_stale(self, call: Call, world: World) -> None:
        await call("schedule_session", world.writer, session=SESSION, day=1, start="11:00")

        with pytest.raises(Stale):
            await call(
                "schedule_session", world.writer, session=SESSION, day=1, start="12:00", version=1
            )

    async def test_who_may_not(self, call: Call, world: World) -> None:
        asked = {"session": SESSION, "day": 1, "start": "09:00"}
        with pytest.raises(Forbidden):
            await call("schedule_session", world.reader, **asked)
        await not_found(call("schedule_session", world.stranger, **asked), SESSION)

    async def test_an_event_without_a_schedule_gets_one(
        self, call: Call, world: World, db: Database
    ) -> None:
        async with db.write() as session:
            (placement,) = (await session.execute(select(Placement))).scalars()
            await session.delete(placement)
            await session.flush()
            await session.delete(await session.get_one(Schedule, "sch_devconf"))

        done = await call("schedule_session", world.writer, session=SESSION, day=1, start="11:00")

        assert wire(done)["slot"]["start"] == "11:00"
        (made,) = await rows(db, Schedule, col(Schedule.event_id) == DEVCONF)
        assert made.is_working
