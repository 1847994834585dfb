"""The activity log: one chain a workspace, in which nothing can be changed unseen."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import text

from tests.conftest import Call
from tests.services.conftest import Log
from tests.world import DECLINED, IN_REVIEW, IN_RIVAL, NORTH, OTHER, TRIO, World
from unsession.db.engine import Database
from unsession.services.activity import ChainReport, verify_chains

END_EARLIER = (
    "UPDATE activity_head SET (number, hash) = (SELECT number, hash FROM activity WHERE number = 3)"
)


async def test_a_chain_of_many_writes_holds(call: Call, db: Database, world: World) -> None:
    await _write(call, world, 6)

    reports = await verify_chains(db)

    assert [(report.chain, report.entries, report.fault) for report in reports] == [
        (NORTH, 6, None)
    ]
    assert len(reports[0].head) == 64


async def test_every_workspace_has_a_chain_of_its_own(
    call: Call, db: Database, world: World, log: Log
) -> None:
    await _write(call, world, 2)
    await call("decide_submission", world.stranger, submission=IN_RIVAL, decision="decline")

    reports = await verify_chains(db)

    assert [(report.chain, report.entries, report.fault) for report in reports] == [
        (NORTH, 2, None),
        (OTHER, 1, None),
    ]
    assert sorted((row.workspace_id, row.number) for row in await log()) == [
        (NORTH, 1),
        (NORTH, 2),
        (OTHER, 1),
    ]


async def test_writes_at_once_leave_a_chain_without_a_hole(
    call: Call, db: Database, world: World
) -> None:
    await asyncio.gather(
        *(
            call("decide_submission", world.owner, submission=submission, decision="waitlist")
            for submission in (IN_REVIEW, TRIO, DECLINED, "sub_accepted", "sub_pyday")
        )
    )

    assert [(report.entries, report.fault) for report in await verify_chains(db)] == [(5, None)]


async def test_before_the_first_write_there_is_no_chain(db: Database, world: World) -> None:
    assert await verify_chains(db) == []


@pytest.mark.parametrize(
    ("tampering", "fault"),
    [
        ("UPDATE activity SET operation = 'other' WHERE number = 2", "entry 2 was changed"),
        ("UPDATE activity SET actor_id = 'person:x' WHERE number = 2", "entry 2 was changed"),
        ("UPDATE activity SET subject_id = 'sub_x' WHERE number = 2", "entry 2 was changed"),
        ("UPDATE activity SET undoes = 'act_x' WHERE number = 3", "entry 3 was changed"),
        (
            "UPDATE activity SET content = '{}' WHERE number = 2",
            "the content of entry 2 was changed",
        ),
        (
            "UPDATE activity SET actor_name = 'Somebody else' WHERE number = 1",
            "the content of entry 1 was changed",
        ),
        ("UPDATE activity SET salt = 'ff' WHERE number = 4", "the content of entry 4 was changed"),
        ("DELETE FROM activity WHERE number = 2", "entry 2 is missing"),
        ("DELETE FROM activity WHERE number = 1", "entry 1 is missing"),
        ("DELETE FROM activity WHERE number >= 4", "the last entries are missing"),
        ("DELETE FROM activity", "the last entries are missing"),
        (
            "UPDATE activity SET previous_hash = '00' WHERE number = 3",
            "entry 3 does not follow the one before",
        ),
        ("DELETE FROM activity_head", "entries stand behind the end"),
        ("UPDATE activity_head SET number = 3", "the last entries are missing"),
        (END_EARLIER, "entries stand behind the end"),
        ("UPDATE activity_head SET hash = '00'", "the last entries are missing"),
    ],
)
async def test_whatever_is_changed_or_missing_is_found(
    call: Call, db: Database, world: World, tampering: str, fault: str
) -> None:
    await _write(call, world, 4)

    await _execute(db, tampering)

    assert [report.fault for report in await verify_chains(db)] == [fault]


async def test_two_entries_cannot_change_places(call: Call, db: Database, world: World) -> None:
    await _write(call, world, 3)

    for statement in (
        "UPDATE activity SET number = 99 WHERE number = 1",
        "UPDATE activity SET number = 1 WHERE number = 2",
        "UPDATE activity SET number = 2 WHERE number = 99",
    ):
        await _execute(db, statement)

    assert [report.fault for report in await verify_chains(db)] == [
        "entry 1 does not follow the one before"
    ]


async def test_erasing_what_a_person_did_leaves_the_chain_whole(
    call: Call, db: Database, world: World
) -> None:
    await _write(call, world, 4)

    await _execute(
        db, "UPDATE activity SET salt = NULL, content = NULL, actor_name = NULL WHERE number < 3"
    )
    await _write(call, world, 1)

    assert [(report.entries, report.fault) for report in await verify_chains(db)] == [(5, None)]
    full = (await call("get_submission", world.owner, submission=TRIO)).result
    assert [(entry.actor, entry.summary) for entry in full.activity][-2:] == [("", ""), ("", "")]


async def test_verifying_while_others_write_raises_no_false_alarm(
    call: Call, db: Database, world: World
) -> None:
    reports: list[ChainReport] = []

    async def verify() -> None:
        while not writing.done():
            reports.extend(await verify_chains(db))

    writing = asyncio.create_task(_write(call, world, 15))
    await asyncio.gather(writing, *(verify() for _ in range(2)))

    assert {report.fault for report in reports} == {None}


async def _write(call: Call, world: World, times: int) -> None:
    """So many decisions about one submission."""
    for _ in range(times):
        full = (await call("get_submission", world.owner, submission=TRIO)).result
        decision = "decline" if full.status.value == "waitlisted" else "waitlist"
        await call("decide_submission", world.owner, submission=TRIO, decision=decision)


async def _execute(db: Database, statement: str) -> Any:
    async with db.write() as session:
        await session.execute(text(statement))
