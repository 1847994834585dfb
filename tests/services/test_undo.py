"""Undo: one step back as a whole, or a refusal that says what is in the way."""

import pytest
from sqlalchemy import select
from sqlmodel import col

from tests import world as w
from tests.conftest import Call
from tests.world import World
from unsession.db.engine import Database
from unsession.domain.mail import MailStatus
from unsession.domain.submissions import SubmissionStatus
from unsession.errors import Conflict, Forbidden, NotFound
from unsession.models import METADATA, Mail, Session, Submission
from unsession.services.activity import verify_chains

pytestmark = pytest.mark.anyio

#: What may differ after an undo: the record itself, and what only ever grows.
_GROWS = {"activity", "activity_head", "counter", "auth_epoch"}


async def everything(db: Database) -> dict[str, list[tuple]]:
    """Every row of every table, counted and stamped columns left out."""
    found = {}
    async with db.write() as session:
        for name, table in METADATA.tables.items():
            if name in _GROWS:
                continue
            columns = [c for c in table.columns if c.name not in ("version", "updated_at")]
            result = await session.execute(select(*columns))
            found[name] = sorted((tuple(map(str, row)) for row in result), key=str)
    return found


@pytest.mark.parametrize("submission", [w.IN_REVIEW, w.TRIO, w.ACCEPTED, w.WAITLISTED])
@pytest.mark.parametrize("decision", ["accept", "decline", "waitlist"])
async def test_undoing_a_decision_leaves_everything_as_it_was(
    db: Database, world: World, call: Call, submission: str, decision: str
) -> None:
    before = await everything(db)

    done = await call("decide_submission", world.writer, submission=submission, decision=decision)
    if done.activity_id is not None:
        await call("undo", world.writer, activity=done.activity_id)

    after = await everything(db)
    assert after == before
    assert all(report.fault is None for report in await verify_chains(db))


async def test_without_a_name_ones_own_last_change_is_undone(
    db: Database, world: World, call: Call
) -> None:
    await call("decide_submission", world.writer, submission=w.IN_REVIEW, decision="waitlist")
    await call("decide_submission", world.owner, submission=w.TRIO, decision="waitlist")

    undone = await call("undo", world.writer)

    assert "SUB-1" in undone.result.summary
    async with db.write() as session:
        assert (await session.get_one(Submission, w.IN_REVIEW)).status == "in_review"
        assert (await session.get_one(Submission, w.TRIO)).status == "waitlisted"


async def test_undoing_an_undo_does_it_again_and_twice_is_refused(
    db: Database, world: World, call: Call
) -> None:
    done = await call(
        "decide_submission", world.writer, submission=w.IN_REVIEW, decision="waitlist"
    )
    first = await call("undo", world.writer, activity=done.activity_id)

    with pytest.raises(Conflict):
        await call("undo", world.writer, activity=done.activity_id)
    await call("undo", world.writer, activity=first.activity_id)

    async with db.write() as session:
        status = (await session.get_one(Submission, w.IN_REVIEW)).status
    assert status is SubmissionStatus.WAITLISTED


async def test_a_later_change_is_in_the_way_and_named(
    db: Database, world: World, call: Call
) -> None:
    done = await call(
        "decide_submission", world.writer, submission=w.IN_REVIEW, decision="waitlist"
    )
    await call("decide_submission", world.writer, submission=w.IN_REVIEW, decision="decline")

    with pytest.raises(Conflict) as refused:
        await call("undo", world.writer, activity=done.activity_id)

    assert "SUB-1" in refused.value.message


async def test_mail_that_has_left_is_named_and_stays(
    db: Database, world: World, call: Call
) -> None:
    done = await call("decide_submission", world.writer, submission=w.IN_REVIEW, decision="decline")
    async with db.write() as session:
        (mail,) = (await session.execute(select(Mail))).scalars()
        mail.status = MailStatus.SENT

    undone = await call("undo", world.writer, activity=done.activity_id)

    assert [warning.kind for warning in undone.warnings] == ["mail_sent"]
    async with db.write() as session:
        assert len(list((await session.execute(select(Mail))).scalars())) == 1


async def test_an_event_token_undoes_nothing_of_another_event(world: World, call: Call) -> None:
    done = await call("decide_submission", world.writer, submission=w.IN_PYDAY, decision="waitlist")

    with pytest.raises(NotFound):
        await call("undo", world.event_writer, activity=done.activity_id)


async def test_a_read_only_token_undoes_nothing(world: World, call: Call) -> None:
    with pytest.raises(Forbidden):
        await call("undo", world.reader)


async def test_what_does_not_exist_is_not_found(world: World, call: Call) -> None:
    with pytest.raises(NotFound):
        await call("undo", world.writer, activity="act_none")


async def test_a_preview_of_an_undo_changes_nothing(db: Database, world: World, call: Call) -> None:
    done = await call("decide_submission", world.writer, submission=w.IN_REVIEW, decision="accept")

    preview = await call("undo", world.writer, dry_run=True, activity=done.activity_id)

    assert preview.dry_run
    async with db.write() as session:
        found = await session.execute(
            select(Session).where(col(Session.submission_id) == w.IN_REVIEW)
        )
        assert found.scalar_one().cancelled_at is None
