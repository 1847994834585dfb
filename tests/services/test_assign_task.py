"""assign_task: to whom, once, told by one digest each."""

from typing import Any

import msgspec
import pytest
from sqlmodel import col

from tests.conftest import Call
from tests.services.conftest import Log, content_of
from tests.services.refusals import not_found
from tests.services.tasks_world import (
    ANAS_PHOTO,
    DINNER,
    PANEL,
    PHOTO,
    SAMS_PHOTO,
    SLIDES,
    THE_SLIDES,
    add_tasks,
    rows,
)
from tests.world import ANA, DEVCONF, PYDAY, SAM, SESSION, World
from unsession.db.engine import Database
from unsession.errors import Forbidden, Invalid
from unsession.models import Mail, Speaker, Task

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
async def tasks(db: Database, world: World) -> None:
    await add_tasks(db)


def wire(outcome: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(outcome.data()))


async def test_a_template_goes_to_everybody_named_and_each_is_told_once(
    call: Call, db: Database, world: World, log: Log
) -> None:
    done = wire(
        await call("assign_task", world.writer, event=DEVCONF, template="dinner", speakers=[ANA, 2])
    )

    assert [one["target"]["name"] for one in done["created"]] == ["Ana Lima", "Sam Oduya"]
    assert done["skipped"] == []
    assert done["mails"] == ["Ana Lima <ana@example.org>", "Sam Oduya <sam@example.org>"]
    ana, sam = sorted(await rows(db, Mail), key=lambda mail: mail.to_address)
    assert ana.subject == "DevConf 2027: Dinner"
    assert "https://conference.test/devconf-2027/portal" in ana.body
    assert ana.cause_key == f"tasks:{ANA}:ana@example.org:{done['activityId']}"
    assert sam.status == "queued"
    (entry,) = await log()
    assert content_of(entry)["summary"] == "Task “Dinner” given to 2 speakers"


async def test_who_has_it_is_skipped_with_the_reason_and_not_told(
    call: Call, db: Database, world: World
) -> None:
    done = wire(
        await call(
            "assign_task", world.writer, event=DEVCONF, template=PHOTO, speakers=["anaLIM", SAM]
        )
    )

    assert done["created"] == []
    assert [(one["target"]["id"], one["reason"]) for one in done["skipped"]] == [
        (ANA, "already_done"),
        (SAM, "already_open"),
    ]
    assert [warning["kind"] for warning in done["warnings"]] == ["already_assigned"]
    assert "activityId" not in done
    assert await rows(db, Mail) == []


async def test_a_sessions_task_is_one_and_tells_all_its_speakers(
    call: Call, db: Database, world: World
) -> None:
    done = wire(
        await call(
            "assign_task", world.writer, event=DEVCONF, template=SLIDES, sessions=[PANEL, SESSION]
        )
    )

    assert [one["target"]["id"] for one in done["created"]] == [PANEL]
    assert [one["target"]["id"] for one in done["skipped"]] == [SESSION]
    assert len(done["mails"]) == 2
    (mail, _) = await rows(db, Mail)
    assert "* Slides for “The panel”, by 7 June 2090" in mail.body


async def test_one_digest_carries_everything_new_of_a_person(
    call: Call, db: Database, world: World
) -> None:
    done = wire(
        await call(
            "assign_task",
            world.writer,
            event=DEVCONF,
            oneOff={"name": "Sign the form", "kind": "checkbox", "dueOn": "2027-05-01"},
            speakers=[SAM],
            sessions=[PANEL, SESSION],
        )
    )

    assert len(done["created"]) == 3
    assert done["mails"] == ["Sam Oduya <sam@example.org>", "Ana Lima <ana@example.org>"]
    sam = next(mail for mail in await rows(db, Mail) if mail.to_address == "sam@example.org")
    assert sam.subject == "DevConf 2027 needs 3 things from you"
    assert sam.body.count("Sign the form") == 3


async def test_nobody_is_told_where_that_is_asked(call: Call, db: Database, world: World) -> None:
    await call(
        "assign_task",
        world.writer,
        event=DEVCONF,
        template=DINNER,
        speakers=[ANA],
        sendEmail=False,
    )

    assert await rows(db, Mail) == []


async def test_without_an_address_the_task_is_given_and_a_warning_says_so(
    call: Call, db: Database, world: World
) -> None:
    async with db.write() as session:
        ana = await session.get_one(Speaker, ANA)
        ana.address = ana.address_folded = None

    done = wire(
        await call("assign_task", world.writer, event=DEVCONF, template=DINNER, speakers=[ANA, ANA])
    )

    assert len(done["created"]) == 1
    assert done["mails"] == []
    assert [warning["text"] for warning in done["warnings"]] == [
        "Ana Lima has no address and is not told."
    ]


@pytest.mark.parametrize(
    ("wrong", "paths"),
    [
        ({"speakers": [ANA]}, ["/template"]),
        (
            {
                "template": DINNER,
                "oneOff": {"name": "X", "kind": "file"},
                "speakers": [ANA],
            },
            ["/template"],
        ),
        ({"template": DINNER}, ["/speakers"]),
        ({"template": SLIDES}, ["/sessions"]),
        ({"template": DINNER, "sessions": [SESSION]}, ["/sessions"]),
        ({"template": SLIDES, "speakers": [ANA]}, ["/speakers"]),
        (
            {"template": DINNER, "speakers": ["Ana Lima", ANA, "spk_no", 99]},
            ["/speakers/0", "/speakers/2", "/speakers/3"],
        ),
        ({"oneOff": {"name": "X", "kind": "essay"}, "speakers": [ANA]}, ["/oneOff/kind"]),
    ],
)
async def test_what_is_wrong_is_told_at_once_and_nobody_gets_anything(
    call: Call, db: Database, world: World, wrong: dict[str, Any], paths: list[str]
) -> None:
    with pytest.raises(Invalid) as refused:
        await call("assign_task", world.writer, event=DEVCONF, **wrong)

    assert [problem.path for problem in refused.value.problems] == paths
    assert {task.id for task in await rows(db, Task)} == {SAMS_PHOTO, ANAS_PHOTO, THE_SLIDES}


async def test_a_cancelled_session_owes_nothing(call: Call, world: World) -> None:
    await call("withdraw_submission", world.writer, submission="SUB-3")

    with pytest.raises(Invalid, match="cancelled"):
        await call("assign_task", world.writer, event=DEVCONF, template=SLIDES, sessions=[SESSION])


async def test_another_events_speaker_looks_like_none(call: Call, world: World) -> None:
    made = wire(
        await call("save_task_template", world.writer, event=PYDAY, name="Photo", kind="file")
    )
    refusals = []
    for speaker in (ANA, "spk_no"):
        with pytest.raises(Invalid) as refused:
            await call(
                "assign_task",
                world.writer,
                event=PYDAY,
                template=made["template"],
                speakers=[speaker],
            )
        refusals.append(str(refused.value).replace(speaker, "…"))

    assert refusals[0] == refusals[1]


async def test_a_preview_gives_and_tells_nothing(call: Call, db: Database, world: World) -> None:
    seen = await call(
        "assign_task",
        world.writer,
        event=DEVCONF,
        template=DINNER,
        speakers=[ANA],
        dry_run=True,
    )

    assert [effect.kind for effect in seen.effects] == ["created", "mail"]
    assert await rows(db, Mail) == []
    assert len(await rows(db, Task)) == 3


async def test_undo_takes_tasks_and_unsent_mail_back(
    call: Call, db: Database, world: World
) -> None:
    done = await call(
        "assign_task", world.writer, event=DEVCONF, template=DINNER, speakers=[ANA, SAM]
    )

    await call("undo", world.writer, activity=done.activity_id)

    assert await rows(db, Task, col(Task.template_id) == DINNER) == []
    assert await rows(db, Mail) == []


async def test_it_takes_the_right_to_write(call: Call, world: World) -> None:
    wanted = {"event": DEVCONF, "template": DINNER, "speakers": [ANA]}
    for actor in (world.reader, world.reviewer):
        with pytest.raises(Forbidden):
            await call("assign_task", actor, **wanted)
    theirs = await not_found(call("assign_task", world.stranger, **wanted), DEVCONF)
    nobodys = await not_found(
        call("assign_task", world.stranger, **{**wanted, "event": "evt_no"}), "evt_no"
    )
    assert theirs == nobodys
