"""list_speakers, get_speaker, update_speaker."""

from typing import Any

import msgspec
import pytest

from tests.conftest import Call, Statements
from tests.services.conftest import Log, content_of
from tests.services.refusals import not_found
from tests.services.tasks_world import SAMS_PHOTO, THE_SLIDES, add_tasks, rows
from tests.world import ANA, DEVCONF, SAM, World
from unsession.db.engine import Database
from unsession.errors import Forbidden, Invalid, Stale
from unsession.models import Speaker, SubmissionSpeaker

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
async def tasks(db: Database, world: World) -> None:
    await add_tasks(db)


def wire(outcome: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(outcome.data()))


class TestList:
    async def test_speakers_come_by_name_with_what_they_owe(self, call: Call, world: World) -> None:
        page = wire(await call("list_speakers", world.reader, event=DEVCONF))

        assert page["total"] == 2
        assert page["items"] == [
            {
                "id": ANA,
                "code": "ANALIM",
                "name": "Ana Lima",
                "address": "ana@example.org",
                "sessions": ["The panel"],
                "tasks": {"open": 0, "overdue": 0, "done": 1},
                "confirmed": False,
            },
            {
                "id": SAM,
                "code": "SAMODU",
                "name": "Sam Oduya",
                "address": "sam@example.org",
                "sessions": ["Async without tears", "The panel"],
                "tasks": {"open": 2, "overdue": 1, "done": 0},
                "confirmed": False,
            },
        ]

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            ({"q": "ÓDUYA"}, [SAM]),
            ({"q": "ana@"}, [ANA]),
            ({"q": "panel"}, [ANA, SAM]),
            ({"q": "async tears"}, [SAM]),
            ({"q": "100%"}, []),
            ({"state": "open"}, [SAM]),
            ({"state": "overdue"}, [SAM]),
            ({"state": "done"}, [ANA]),
            ({"task": "photo"}, [ANA, SAM]),
            ({"task": "slides", "state": "open"}, [SAM]),
            ({"task": "slides", "state": "overdue"}, []),
            ({"task": "dinner"}, []),
            ({"unconfirmed": True}, [ANA, SAM]),
            ({"unconfirmed": False}, []),
        ],
    )
    async def test_filters_combine(
        self, call: Call, world: World, filters: dict[str, Any], expected: list[str]
    ) -> None:
        page = (await call("list_speakers", world.reader, event=DEVCONF, **filters)).result

        assert [row.id for row in page.items] == expected
        assert page.total == len(expected)

    async def test_confirmed_is_who_said_yes_to_all_of_theirs(
        self, call: Call, world: World
    ) -> None:
        await call("confirm_on_behalf", world.writer, session="PANELS", speaker=SAM)
        await call("confirm_on_behalf", world.writer, session="PANELS", speaker=ANA, comes=False)

        page = (await call("list_speakers", world.reader, event=DEVCONF)).result

        assert [row.confirmed for row in page.items] == [False, True]
        assert list(page.items[0].sessions) == []
        waiting = await call("list_speakers", world.reader, event=DEVCONF, unconfirmed=True)
        assert waiting.result.total == 0

    async def test_every_speaker_is_on_exactly_one_page(self, call: Call, world: World) -> None:
        first = (await call("list_speakers", world.reader, event=DEVCONF, limit=1)).result
        second = await call(
            "list_speakers", world.reader, event=DEVCONF, limit=1, cursor=first.next_cursor
        )

        assert [row.id for row in (*first.items, *second.result.items)] == [ANA, SAM]
        assert first.total == second.result.total == 2

    async def test_the_number_of_statements_does_not_grow(
        self, call: Call, world: World, statements: Statements
    ) -> None:
        await call("list_speakers", world.reader, event=DEVCONF, limit=1)
        one = len(statements)
        statements.clear()

        await call("list_speakers", world.reader, event=DEVCONF)

        assert len(statements) == one

    async def test_a_reviewer_sees_no_speaker(self, call: Call, world: World) -> None:
        with pytest.raises(Forbidden):
            await call("list_speakers", world.reviewer, event=DEVCONF)
        with pytest.raises(Forbidden):
            await call("get_speaker", world.reviewer, speaker=ANA, event=DEVCONF)


class TestGet:
    async def test_one_comes_with_sessions_and_tasks(self, call: Call, world: World) -> None:
        sam = wire(await call("get_speaker", world.reader, speaker="sam@example.org"))

        assert sam["version"] == 1
        assert [(one["title"], "confirmedAt" in one) for one in sam["sessions"]] == [
            ("Async without tears", True),
            ("The panel", False),
        ]
        assert [task["id"] for task in sam["tasks"]] == [SAMS_PHOTO, THE_SLIDES]
        assert sam["files"] == []
        assert sam["hasAccount"] is False

    async def test_another_workspaces_speaker_looks_like_none(
        self, call: Call, world: World
    ) -> None:
        theirs = await not_found(call("get_speaker", world.stranger, speaker=ANA), ANA)
        nobodys = await not_found(call("get_speaker", world.stranger, speaker="spk_no"), "spk_no")

        assert theirs == nobodys


class TestUpdate:
    async def test_a_profile_changes_and_what_was_typed_stays(
        self, call: Call, db: Database, world: World, log: Log
    ) -> None:
        ana = wire(
            await call(
                "update_speaker",
                world.writer,
                speaker=ANA,
                name=" Ana  Lima\nSantos ",
                bio="New.\r\n\r\nText.",
                jobTitle="Engineer",
                travelNotes="Arrives late.",
                version=1,
            )
        )

        assert ana["name"] == "Ana  Lima Santos"
        assert ana["bio"] == "New.\n\nText."
        assert ana["travelNotes"] == "Arrives late."
        assert ana["version"] == 2
        assert ana["slug"] == "ana-lima-santos"
        assert (await call("get_speaker", world.reader, speaker="ana lima santos")).result.id == ANA
        typed = await rows(db, SubmissionSpeaker)
        assert {one.name for one in typed if one.address == "Ana@Example.org"} == {"Ana Lima"}
        (entry,) = await log()
        assert content_of(entry)["summary"] == "Profile of Ana Lima changed"

    async def test_links_are_merged_by_key(self, call: Call, db: Database, world: World) -> None:
        async def save(**links: str) -> Any:
            done = await call("update_speaker", world.writer, speaker=ANA, links=links)
            return done.result.links

        await save(website="https://ana.example", mastodon="https://m.example/@ana")
        assert await save(website="https://lima.example", mastodon="") == {
            "website": "https://lima.example"
        }
        cleared = await call("update_speaker", world.writer, speaker=ANA, links=None, bio=None)
        assert "links" not in wire(cleared)
        assert "bio" not in wire(cleared)

    @pytest.mark.parametrize(
        "links",
        [
            {"website": "javascript:alert(1)"},
            {"website": "ana.example"},
            {"Web site": "https://ana.example"},
            {"website": 'https://ana.example/"><script>'},
        ],
    )
    async def test_a_link_is_a_web_address(
        self, call: Call, world: World, links: dict[str, str]
    ) -> None:
        with pytest.raises(Invalid):
            await call("update_speaker", world.writer, speaker=ANA, links=links)

    async def test_a_blank_name_and_an_old_version_are_refused(
        self, call: Call, world: World
    ) -> None:
        with pytest.raises(Invalid):
            await call("update_speaker", world.writer, speaker=ANA, name="  ")
        with pytest.raises(Stale):
            await call("update_speaker", world.writer, speaker=ANA, bio="x", version=9)

    async def test_undo_puts_the_profile_back(self, call: Call, db: Database, world: World) -> None:
        done = await call("update_speaker", world.writer, speaker=ANA, name="Nobody", bio=None)

        await call("undo", world.writer, activity=done.activity_id)

        (ana,) = [one for one in await rows(db, Speaker) if one.id == ANA]
        assert (ana.name, ana.bio) == ("Ana Lima", "The bio she wrote herself.")

    async def test_reading_is_not_enough(self, call: Call, world: World) -> None:
        for actor in (world.reader, world.reviewer):
            with pytest.raises(Forbidden):
                await call("update_speaker", actor, speaker=ANA, event=DEVCONF, bio="x")
