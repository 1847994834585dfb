"""list_tasks, complete_task, reopen_task, task templates, and what acceptance gives."""

from typing import Any

import msgspec
import pytest
from sqlmodel import col

from tests.conftest import Call, Statements
from tests.services.conftest import Log, content_of
from tests.services.refusals import not_found
from tests.services.tasks_world import (
    AHEAD,
    ANAS_PHOTO,
    DINNER,
    LATE,
    PHOTO,
    SAMS_PHOTO,
    SLIDES,
    THE_SLIDES,
    add_tasks,
    rows,
)
from tests.world import ACCEPTED, ANA, DEVCONF, IN_REVIEW, PYDAY, SAM, SESSION, World
from unsession.db.engine import Database
from unsession.domain.tasks import TaskStatus
from unsession.errors import Ambiguous, Conflict, Forbidden, Invalid, NotFound, Stale
from unsession.models import Mail, Task, TaskTemplate

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
async def tasks(db: Database, world: World) -> None:
    await add_tasks(db)


def wire(outcome: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(outcome.data()))


def ids(outcome: Any) -> list[str]:
    return [row.id for row in outcome.result.items]


class TestList:
    async def test_tasks_come_by_due_date_with_target_and_assignees(
        self, call: Call, world: World
    ) -> None:
        page = wire(await call("list_tasks", world.reader, event=DEVCONF))

        assert [row["id"] for row in page["items"]] == [ANAS_PHOTO, SAMS_PHOTO, THE_SLIDES]
        assert page["total"] == 3
        assert page["items"][1] == {
            "id": SAMS_PHOTO,
            "name": "Photo",
            "kind": "file",
            "status": "open",
            "target": {"type": "speaker", "id": SAM, "name": "Sam Oduya", "code": "SAMODU"},
            "assignees": ["Sam Oduya"],
            "overdue": True,
            "dueOn": "2020-01-31",
        }
        assert page["items"][2]["target"]["name"] == "Async without tears"
        assert page["items"][2]["assignees"] == ["Sam Oduya"]

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            ({"status": "open"}, [SAMS_PHOTO, THE_SLIDES]),
            ({"status": "done"}, [ANAS_PHOTO]),
            ({"status": "cancelled"}, []),
            ({"overdue": True}, [SAMS_PHOTO]),
            ({"overdue": False}, [ANAS_PHOTO, THE_SLIDES]),
            ({"speaker": "Sam Oduya"}, [SAMS_PHOTO, THE_SLIDES]),
            ({"session": SESSION}, [THE_SLIDES]),
            ({"template": "photo"}, [ANAS_PHOTO, SAMS_PHOTO]),
            ({"template": PHOTO, "speaker": ANA, "status": "done"}, [ANAS_PHOTO]),
        ],
    )
    async def test_filters_combine(
        self, call: Call, world: World, filters: dict[str, Any], expected: list[str]
    ) -> None:
        assert ids(await call("list_tasks", world.reader, event=DEVCONF, **filters)) == expected

    async def test_the_event_counts_what_is_open_and_what_is_late(
        self, call: Call, world: World
    ) -> None:
        event = wire(await call("get_event", world.owner, event=DEVCONF))

        assert event["counts"]["tasks"] == {"open": 2, "overdue": 1}

    async def test_every_task_is_on_exactly_one_page(self, call: Call, world: World) -> None:
        seen: list[str] = []
        cursor: dict[str, str] = {}
        for _ in range(4):
            page = (await call("list_tasks", world.reader, event=DEVCONF, limit=1, **cursor)).result
            seen += [row.id for row in page.items]
            if not page.next_cursor:
                break
            cursor = {"cursor": page.next_cursor}

        assert seen == [ANAS_PHOTO, SAMS_PHOTO, THE_SLIDES]

    async def test_a_task_without_a_date_comes_last_on_every_page(
        self, call: Call, world: World
    ) -> None:
        await call("assign_task", world.writer, event=DEVCONF, template=DINNER, speakers=[SAM])

        first = (await call("list_tasks", world.reader, event=DEVCONF, limit=3)).result
        rest = await call(
            "list_tasks", world.reader, event=DEVCONF, limit=3, cursor=first.next_cursor
        )

        assert [row.name for row in rest.result.items] == ["Dinner"]

    async def test_the_number_of_statements_does_not_grow(
        self, call: Call, world: World, statements: Statements
    ) -> None:
        await call("list_tasks", world.reader, event=DEVCONF, limit=1)
        one = len(statements)
        statements.clear()

        await call("list_tasks", world.reader, event=DEVCONF)

        assert len(statements) == one

    async def test_a_reviewer_sees_none_of_it(self, call: Call, world: World) -> None:
        for name in ("list_tasks", "list_task_templates"):
            with pytest.raises(Forbidden):
                await call(name, world.reviewer, event=DEVCONF)

    async def test_another_workspace_looks_like_none(self, call: Call, world: World) -> None:
        theirs = await not_found(call("list_tasks", world.stranger, event=DEVCONF), DEVCONF)
        nobodys = await not_found(call("list_tasks", world.stranger, event="evt_no"), "evt_no")

        assert theirs == nobodys


class TestComplete:
    async def test_a_task_is_done_by_whoever_says_so(
        self, call: Call, world: World, log: Log
    ) -> None:
        done = wire(
            await call("complete_task", world.writer, task=SAMS_PHOTO, note="Came by mail.")
        )

        assert done["status"] == "done"
        assert done["completedBy"] == "api:writer"
        assert done["note"] == "Came by mail."
        assert "overdue" not in done
        (entry,) = await log()
        assert content_of(entry)["summary"] == "“Photo” is done: Sam Oduya"

    async def test_again_is_a_success_without_effects(
        self, call: Call, world: World, log: Log
    ) -> None:
        again = await call("complete_task", world.writer, task=ANAS_PHOTO, version=99)

        assert again.effects == ()
        assert [warning.kind for warning in again.warnings] == ["already_done"]
        assert again.result.completed_by == "Ana Lima"
        assert await log() == []

    async def test_a_name_needs_to_be_one_task(self, call: Call, world: World) -> None:
        with pytest.raises(Ambiguous) as several:
            await call("complete_task", world.writer, task="photo", event=DEVCONF)

        candidates: Any = several.value.facts["candidates"]
        assert {one["id"] for one in candidates} == {SAMS_PHOTO, ANAS_PHOTO}

        done = await call("complete_task", world.writer, task="Photo", speaker="sam@example.org")
        assert done.result.id == SAMS_PHOTO

    async def test_a_sessions_task_is_found_by_any_of_its_speakers(
        self, call: Call, world: World
    ) -> None:
        done = await call("complete_task", world.writer, task="slides", speaker="Sam Oduya")

        assert done.result.id == THE_SLIDES
        with pytest.raises(NotFound):
            await call("complete_task", world.writer, task="slides", speaker=ANA)

    async def test_a_version_that_moved_on_is_stale(self, call: Call, world: World) -> None:
        with pytest.raises(Stale):
            await call("complete_task", world.writer, task=SAMS_PHOTO, version=7)

    async def test_reading_is_not_enough(self, call: Call, world: World) -> None:
        for actor in (world.reader, world.reviewer):
            with pytest.raises(Forbidden):
                await call("complete_task", actor, task=SAMS_PHOTO)

    async def test_another_workspaces_task_looks_like_none(self, call: Call, world: World) -> None:
        theirs = await not_found(call("complete_task", world.stranger, task=SAMS_PHOTO), SAMS_PHOTO)
        nobodys = await not_found(call("complete_task", world.stranger, task="tsk_no"), "tsk_no")

        assert theirs == nobodys

    async def test_a_cancelled_task_stays_cancelled(
        self, call: Call, db: Database, world: World
    ) -> None:
        await call("withdraw_submission", world.writer, submission=ACCEPTED)

        with pytest.raises(Conflict):
            await call("complete_task", world.writer, task=THE_SLIDES)
        with pytest.raises(NotFound):
            await call("complete_task", world.writer, task="Slides", event=DEVCONF)

    async def test_undo_opens_it_again(self, call: Call, db: Database, world: World) -> None:
        done = await call("complete_task", world.writer, task=SAMS_PHOTO, note="x")

        await call("undo", world.writer, activity=done.activity_id)

        (task,) = await rows(db, Task, col(Task.id) == SAMS_PHOTO)
        assert (task.status, task.completed_at, task.note) == (TaskStatus.OPEN, None, None)

    async def test_reopening_asks_again_and_is_idempotent(
        self, call: Call, db: Database, world: World
    ) -> None:
        opened = await call("reopen_task", world.writer, task=ANAS_PHOTO)
        again = await call("reopen_task", world.writer, task=ANAS_PHOTO)

        assert opened.result.status is TaskStatus.OPEN
        assert opened.result.overdue is True
        assert again.effects == ()
        with pytest.raises(Forbidden):
            await call("reopen_task", world.reader, task=ANAS_PHOTO)


class TestTemplates:
    async def test_they_are_listed_by_name_with_what_became_of_them(
        self, call: Call, world: World
    ) -> None:
        page = wire(await call("list_task_templates", world.reader, event=DEVCONF))

        assert [row["name"] for row in page["items"]] == ["Dinner", "Photo", "Slides"]
        assert page["items"][1] == {
            "id": PHOTO,
            "name": "Photo",
            "kind": "file",
            "target": "speaker",
            "onAccept": True,
            "tasks": {"open": 1, "overdue": 1, "done": 1},
            "version": 1,
            "dueOn": "2020-01-31",
        }

    async def test_a_new_one_needs_a_name_and_a_kind(self, call: Call, world: World) -> None:
        with pytest.raises(Invalid) as refused:
            await call("save_task_template", world.writer, event=DEVCONF)
        assert [problem.path for problem in refused.value.problems] == ["/name", "/kind"]

        made = wire(
            await call(
                "save_task_template",
                world.writer,
                event=DEVCONF,
                name="  Travel  plans ",
                kind="checkbox",
                dueOn="2027-04-01",
            )
        )
        assert made["created"] is True
        assert made["target"] == "speaker"
        assert made["dueOn"] == "2027-04-01"

    async def test_a_change_leaves_given_tasks_alone(
        self, call: Call, db: Database, world: World, log: Log
    ) -> None:
        saved = wire(
            await call(
                "save_task_template",
                world.writer,
                event=DEVCONF,
                template="Photo",
                name="Portrait",
                dueOn=None,
                version=1,
            )
        )

        assert saved["version"] == 2
        assert "dueOn" not in saved
        (task,) = await rows(db, Task, col(Task.id) == SAMS_PHOTO)
        assert (task.name, task.due_on) == ("Photo", LATE)
        (entry,) = await log()
        assert content_of(entry)["summary"] == "Task template “Portrait” changed"
        with pytest.raises(Stale):
            await call(
                "save_task_template",
                world.writer,
                event=DEVCONF,
                template="Portrait",
                name="X",
                version=1,
            )

    async def test_a_given_one_stays_what_it_is(self, call: Call, world: World) -> None:
        with pytest.raises(Conflict):
            await call(
                "save_task_template", world.writer, event=DEVCONF, template=PHOTO, kind="checkbox"
            )

        changed = await call(
            "save_task_template", world.writer, event=DEVCONF, template=DINNER, target="session"
        )
        assert changed.result.target.value == "session"

    async def test_names_are_unique_whatever_their_case(self, call: Call, world: World) -> None:
        with pytest.raises(Conflict, match="already"):
            await call("save_task_template", world.writer, event=DEVCONF, name="PHOTO", kind="file")

    async def test_undo_takes_a_new_one_back(self, call: Call, db: Database, world: World) -> None:
        made = await call(
            "save_task_template", world.writer, event=DEVCONF, name="Travel", kind="checkbox"
        )

        await call("undo", world.writer, activity=made.activity_id)

        assert len(await rows(db, TaskTemplate)) == 3

    async def test_it_takes_a_right_in_that_event(self, call: Call, world: World) -> None:
        for actor in (world.reader, world.reviewer):
            with pytest.raises(Forbidden):
                await call("save_task_template", actor, event=DEVCONF, name="X", kind="file")
        with pytest.raises(NotFound):
            await call("save_task_template", world.event_writer, event=PYDAY, name="X", kind="file")


class TestAcceptance:
    async def test_gives_each_speaker_and_the_session_their_tasks_once(
        self, call: Call, db: Database, world: World
    ) -> None:
        done = await call("decide_submission", world.writer, submission="SUB-2", decision="accept")

        session = done.result.session_id
        given = await rows(db, Task, col(Task.id).not_in([SAMS_PHOTO, ANAS_PHOTO, THE_SLIDES]))
        assert sorted((task.name, task.due_on, task.session_id) for task in given) == sorted(
            [("Photo", LATE, None), ("Photo", LATE, None), ("Slides", AHEAD, session)],
            key=lambda one: (one[0], one[1], str(one[2])),
        )
        texts = [effect.text for effect in done.effects]
        assert "Task “Slides” for Three voices, one stage is created." in texts

    async def test_gives_nothing_twice(self, call: Call, db: Database, world: World) -> None:
        await call("decide_submission", world.writer, submission=IN_REVIEW, decision="accept")

        photos = await rows(db, Task, col(Task.template_id) == PHOTO, col(Task.speaker_id) == ANA)
        assert [task.id for task in photos] == [ANAS_PHOTO]

    async def test_leaving_the_programme_cancels_and_coming_back_gives_anew(
        self, call: Call, db: Database, world: World
    ) -> None:
        await call("decide_submission", world.writer, submission=ACCEPTED, decision="decline")
        (was,) = await rows(db, Task, col(Task.id) == THE_SLIDES)
        assert was.status is TaskStatus.CANCELLED

        await call("decide_submission", world.writer, submission=ACCEPTED, decision="accept")

        slides = await rows(db, Task, col(Task.template_id) == SLIDES)
        assert sorted(task.status.value for task in slides) == ["cancelled", "open"]

    async def test_mails_nobody_about_them(self, call: Call, db: Database, world: World) -> None:
        await call(
            "decide_submission",
            world.writer,
            submission="SUB-2",
            decision="accept",
            sendEmail=False,
        )

        assert await rows(db, Mail) == []
