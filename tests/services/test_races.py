"""Two at once: one wins, the other is told."""

import asyncio
from typing import Any

from sqlalchemy import select
from sqlmodel import col

from tests.conftest import Call
from tests.services.conftest import Log
from tests.world import DECLINED, IN_REVIEW, TRIO, World
from unsession.catalogue import Outcome
from unsession.db.engine import Database
from unsession.errors import Conflict, Stale
from unsession.models import Session, SessionSpeaker, Speaker, Submission, SubmissionSpeaker


async def test_of_two_decisions_on_one_version_exactly_one_wins(
    call: Call, db: Database, world: World, log: Log
) -> None:
    for round_ in range(5):
        version = (await _submission(db, TRIO)).version
        decisions = ["decline", "waitlist"] if round_ % 2 else ["accept", "decline"]

        results = await asyncio.gather(
            *(
                call(
                    "decide_submission",
                    world.owner,
                    submission=TRIO,
                    decision=decision,
                    version=version,
                )
                for decision in decisions
            ),
            return_exceptions=True,
        )

        won = [result for result in results if isinstance(result, Outcome) and result.effects]
        lost = [result for result in results if result not in won]
        assert len(won) == 1
        assert all(
            isinstance(result, Stale)
            or (isinstance(result, Outcome) and result.warnings and not result.effects)
            for result in lost
        )
        after = await _submission(db, TRIO)
        assert (after.status, after.version) == (won[0].result.status.now, version + 1)

    assert len(await log()) == 5


async def test_many_accepting_at_once_make_one_session(
    call: Call, db: Database, world: World, log: Log
) -> None:
    outcomes = await asyncio.gather(
        *(
            call("decide_submission", world.owner, submission=TRIO, decision="accept")
            for _ in range(6)
        )
    )

    assert sorted(len(outcome.warnings) for outcome in outcomes) == [0, 1, 1, 1, 1, 1]
    assert len(await log()) == 1
    assert (
        len(await db.rows(select(col(Session.id)).where(col(Session.submission_id) == TRIO))) == 1
    )


async def test_two_talks_of_one_new_speaker_accepted_at_once_make_one_speaker(
    call: Call, db: Database, world: World
) -> None:
    async with db.write() as session:
        for typed in ("ssp_trio_1", "ssp_review_1"):
            row = await session.get_one(SubmissionSpeaker, typed)
            row.address = "new@example.org"

    results = await asyncio.gather(
        *(
            call("decide_submission", world.owner, submission=submission, decision="accept")
            for submission in (TRIO, IN_REVIEW)
        ),
        return_exceptions=True,
    )

    assert all(isinstance(result, Outcome | Conflict) for result in results)
    assert any(isinstance(result, Outcome) for result in results)
    for submission in (TRIO, IN_REVIEW):
        await call("decide_submission", world.owner, submission=submission, decision="accept")
    speakers = await db.rows(
        select(col(Speaker.id)).where(col(Speaker.address_folded) == "new@example.org")
    )
    entries = await db.rows(
        select(col(SessionSpeaker.session_id)).where(
            col(SessionSpeaker.speaker_id) == speakers[0].id
        )
    )
    assert (len(speakers), len(entries)) == (1, 2)


async def test_writes_and_reads_at_once_see_whole_states_only(call: Call, world: World) -> None:
    async def decide() -> None:
        for turn in range(12):
            decision = "decline" if turn % 2 else "accept"
            await call("decide_submission", world.owner, submission=DECLINED, decision=decision)

    async def read() -> None:
        while not deciding.done():
            full = (await call("get_submission", world.owner, submission=DECLINED)).result
            event = (await call("get_event", world.owner, event="devconf-2027")).result
            assert sum(event.counts.submissions.values()) == 7
            assert full.status.value in ("accepted", "declined")
            await asyncio.sleep(0)  # inline reads wait for nothing: the writer needs its turns

    deciding = asyncio.create_task(decide())
    await asyncio.gather(deciding, read(), read())


async def _submission(db: Database, submission: str) -> Any:
    columns = select(col(Submission.status), col(Submission.version))
    return (await db.rows(columns.where(col(Submission.id) == submission)))[0]
