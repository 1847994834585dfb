"""Queued decisions, the outbox, confirmations, withdrawing and restoring."""

import pytest
from sqlalchemy import select
from sqlmodel import col

from tests import world as w
from tests.conftest import Call
from tests.world import World
from unsession.access import holder_actor
from unsession.db.engine import Database
from unsession.domain.mail import LINK_MARK, MailStatus
from unsession.domain.sessions import SessionStatus
from unsession.domain.submissions import SubmissionStatus
from unsession.errors import Conflict, Forbidden, IllegalMove, Invalid, NotFound, Stale
from unsession.models import (
    Activity,
    Mail,
    OneTimeLink,
    Placement,
    QueuedDecision,
    ReleaseHidden,
    Session,
    SessionSpeaker,
    Submission,
)

pytestmark = pytest.mark.anyio


async def rows(db: Database, model, *conditions):
    async with db.write() as session:
        return list((await session.execute(select(model).where(*conditions))).scalars())


async def one(db: Database, model, row_id):
    async with db.write() as session:
        return await session.get_one(model, row_id)


class TestQueueing:
    async def test_a_queued_decision_changes_no_status_and_tells_nobody(
        self, db: Database, world: World, call: Call
    ) -> None:
        done = await call("queue_decision", world.writer, submission=w.IN_REVIEW, decision="accept")

        assert done.result.decision == "accept"
        assert (await one(db, Submission, w.IN_REVIEW)).status is SubmissionStatus.IN_REVIEW
        assert await rows(db, Mail) == []
        assert done.activity_id is not None

    async def test_the_latest_queued_decision_wins(
        self, db: Database, world: World, call: Call
    ) -> None:
        await call("queue_decision", world.writer, submission=w.IN_REVIEW, decision="accept")
        again = await call(
            "queue_decision", world.writer, submission=w.IN_REVIEW, decision="decline"
        )

        assert again.result.replaced == "accept"
        (queued,) = await rows(db, QueuedDecision)
        assert queued.decision == "decline"

    async def test_a_direct_decision_replaces_a_queued_one(
        self, db: Database, world: World, call: Call
    ) -> None:
        await call("queue_decision", world.writer, submission=w.IN_REVIEW, decision="decline")
        await call("decide_submission", world.writer, submission=w.IN_REVIEW, decision="accept")

        assert await rows(db, QueuedDecision) == []

    async def test_what_cannot_be_decided_cannot_be_queued(self, world: World, call: Call) -> None:
        with pytest.raises(IllegalMove):
            await call("queue_decision", world.writer, submission=w.WITHDRAWN, decision="accept")

    async def test_a_read_only_token_queues_nothing(self, world: World, call: Call) -> None:
        with pytest.raises(Forbidden):
            await call("queue_decision", world.reader, submission=w.IN_REVIEW, decision="accept")

    async def test_a_stranger_sees_nothing_to_queue(self, world: World, call: Call) -> None:
        with pytest.raises(NotFound):
            await call("queue_decision", world.stranger, submission=w.IN_REVIEW, decision="accept")

    async def test_an_old_version_is_stale(self, world: World, call: Call) -> None:
        await call("queue_decision", world.writer, submission=w.TRIO, decision="accept")
        await call("decide_submission", world.writer, submission=w.TRIO, decision="waitlist")

        with pytest.raises(Stale):
            await call(
                "queue_decision", world.writer, submission=w.TRIO, decision="accept", version=1
            )

    async def test_taking_it_out_of_the_outbox_leaves_everything_as_it_was(
        self, db: Database, world: World, call: Call
    ) -> None:
        await call("queue_decision", world.writer, submission=w.IN_REVIEW, decision="accept")
        await call("remove_from_outbox", world.writer, submission=w.IN_REVIEW)
        again = await call("remove_from_outbox", world.writer, submission=w.IN_REVIEW)

        assert await rows(db, QueuedDecision) == []
        assert [warning.kind for warning in again.warnings] == ["not_queued"]


class TestSending:
    async def test_sending_decides_all_that_waits_and_queues_their_mail(
        self, db: Database, world: World, call: Call
    ) -> None:
        await call("queue_decision", world.writer, submission=w.IN_REVIEW, decision="accept")
        await call(
            "queue_decision",
            world.writer,
            submission=w.TRIO,
            decision="decline",
            feedback="Come back next year.",
        )

        listed = await call("get_outbox", world.reader, event="devconf-2027")
        sent = await call("send_outbox", world.writer, event="devconf-2027")

        assert [row.number for row in listed.result.items] == [1, 2]
        assert [row.mails for row in listed.result.items] == [1, 2]
        assert sent.result.mails == 3
        assert sent.result.left == 0
        assert (await one(db, Submission, w.IN_REVIEW)).status is SubmissionStatus.ACCEPTED
        assert (await one(db, Submission, w.TRIO)).status is SubmissionStatus.DECLINED
        bodies = [mail.body for mail in await rows(db, Mail, col(Mail.subject_id) == w.TRIO)]
        assert all("Come back next year." in body for body in bodies)
        assert await rows(db, QueuedDecision) == []

    async def test_each_submission_gets_an_entry_of_its_own(
        self, db: Database, world: World, call: Call
    ) -> None:
        await call("queue_decision", world.writer, submission=w.IN_REVIEW, decision="accept")
        await call("queue_decision", world.writer, submission=w.TRIO, decision="decline")
        sent = await call("send_outbox", world.writer, event="devconf-2027")

        parts = await rows(db, Activity, col(Activity.batch_id) == sent.activity_id)

        assert {part.subject_id for part in parts} == {w.IN_REVIEW, w.TRIO}

    async def test_only_those_named_are_sent(self, db: Database, world: World, call: Call) -> None:
        await call("queue_decision", world.writer, submission=w.IN_REVIEW, decision="accept")
        await call("queue_decision", world.writer, submission=w.TRIO, decision="decline")
        sent = await call("send_outbox", world.writer, event="devconf-2027", submissions=["sub-2"])

        assert sent.result.left == 1
        assert (await one(db, Submission, w.IN_REVIEW)).status is SubmissionStatus.IN_REVIEW

    async def test_one_that_does_not_wait_is_named_and_nothing_is_sent(
        self, db: Database, world: World, call: Call
    ) -> None:
        await call("queue_decision", world.writer, submission=w.IN_REVIEW, decision="accept")

        with pytest.raises(Invalid) as refused:
            await call(
                "send_outbox", world.writer, event="devconf-2027", submissions=["1", "SUB-2"]
            )

        assert [problem.path for problem in refused.value.problems] == ["/submissions/1"]
        assert await rows(db, Mail) == []

    async def test_an_empty_outbox_is_no_failure(self, world: World, call: Call) -> None:
        sent = await call("send_outbox", world.writer, event="devconf-2027")

        assert sent.result.decided == []
        assert sent.activity_id is None

    async def test_undoing_a_sent_outbox_puts_all_of_it_back(
        self, db: Database, world: World, call: Call
    ) -> None:
        await call("queue_decision", world.writer, submission=w.IN_REVIEW, decision="accept")
        sent = await call("send_outbox", world.writer, event="devconf-2027")

        await call("undo", world.writer, activity=sent.activity_id)

        assert (await one(db, Submission, w.IN_REVIEW)).status is SubmissionStatus.IN_REVIEW
        (queued,) = await rows(db, QueuedDecision)
        assert queued.submission_id == w.IN_REVIEW
        assert await rows(db, Mail) == []


class TestConfirming:
    async def accept(self, db: Database, world: World, call: Call, submission: str = w.TRIO):
        done = await call(
            "decide_submission", world.writer, submission=submission, decision="accept"
        )
        links = await rows(db, OneTimeLink)
        return done.result.session_id, links

    async def test_accepting_asks_each_distinct_person_by_a_link_of_their_own(
        self, db: Database, world: World, call: Call
    ) -> None:
        session_id, links = await self.accept(db, world, call)

        entries = await rows(db, SessionSpeaker, col(SessionSpeaker.session_id) == session_id)
        mails = await rows(db, Mail, col(Mail.subject_id) == w.TRIO)
        assert {link.subject_id for link in links} == {entry.id for entry in entries}
        assert {mail.link_id for mail in mails} == {link.id for link in links}
        assert all(LINK_MARK in mail.body for mail in mails)

    async def test_one_yes_confirms_the_session_and_a_no_of_all_takes_it_off(
        self, db: Database, world: World, call: Call
    ) -> None:
        session_id, links = await self.accept(db, world, call)
        first, second = links

        yes = await call(
            "answer_confirmation", holder_actor(first.id, "Ana"), link=first.id, comes=True
        )
        await call(
            "answer_confirmation",
            holder_actor(second.id, "Bo"),
            link=second.id,
            comes=False,
            reason="A wedding.",
        )
        still = (await one(db, Session, session_id)).status
        await call("answer_confirmation", holder_actor(first.id, "Ana"), link=first.id, comes=False)

        assert yes.result.status is SessionStatus.CONFIRMED
        assert still is SessionStatus.CONFIRMED
        assert (await one(db, Session, session_id)).status is SessionStatus.PENDING

    async def test_the_holder_of_one_link_answers_no_other(
        self, db: Database, world: World, call: Call
    ) -> None:
        _, (first, second) = await self.accept(db, world, call)

        with pytest.raises(NotFound):
            await call(
                "answer_confirmation", holder_actor(first.id, "Ana"), link=second.id, comes=True
            )

    async def test_a_cancelled_session_asks_nothing_any_more(
        self, db: Database, world: World, call: Call
    ) -> None:
        _, (first, _second) = await self.accept(db, world, call)
        await call("decide_submission", world.writer, submission=w.TRIO, decision="decline")

        with pytest.raises(Conflict):
            await call(
                "answer_confirmation", holder_actor(first.id, "Ana"), link=first.id, comes=True
            )

    async def test_without_asking_the_session_is_confirmed_at_once(
        self, db: Database, world: World, call: Call
    ) -> None:
        done = await call(
            "decide_submission",
            world.writer,
            submission=w.IN_REVIEW,
            decision="accept",
            askConfirmation=False,
        )

        session = await one(db, Session, done.result.session_id)
        assert session.status is SessionStatus.CONFIRMED
        assert await rows(db, OneTimeLink) == []

    async def test_an_organizer_confirms_on_behalf(
        self, db: Database, world: World, call: Call
    ) -> None:
        session_id, _ = await self.accept(db, world, call, w.IN_REVIEW)

        done = await call("confirm_on_behalf", world.writer, session=session_id)

        assert done.result.status is SessionStatus.CONFIRMED

    async def test_with_several_speakers_one_must_be_named(
        self, db: Database, world: World, call: Call
    ) -> None:
        session_id, _ = await self.accept(db, world, call)

        with pytest.raises(Conflict):
            await call("confirm_on_behalf", world.writer, session=session_id)


class TestLifecycle:
    @pytest.mark.parametrize(
        ("operation", "arguments", "status"),
        [
            ("decide_submission", {"decision": "decline"}, SubmissionStatus.DECLINED),
            ("decide_submission", {"decision": "waitlist"}, SubmissionStatus.WAITLISTED),
            ("withdraw_submission", {"reason": "Ill."}, SubmissionStatus.WITHDRAWN),
            ("restore_submission", {}, SubmissionStatus.IN_REVIEW),
        ],
    )
    async def test_leaving_acceptance_pulls_slot_and_publicity_and_undo_puts_them_back(
        self, db: Database, world: World, call: Call, operation, arguments, status
    ) -> None:
        await call("publish_agenda", world.writer, event=w.DEVCONF, sendEmail=False)

        done = await call(operation, world.writer, submission=w.ACCEPTED, **arguments)

        assert (await one(db, Submission, w.ACCEPTED)).status is status
        assert (await one(db, Session, w.SESSION)).cancelled_at is not None
        assert await rows(db, Placement, col(Placement.session_id) == w.SESSION) == []
        assert [row.session_id for row in await rows(db, ReleaseHidden)] == [w.SESSION]

        await call("undo", world.writer, activity=done.activity_id)

        assert (await one(db, Submission, w.ACCEPTED)).status is SubmissionStatus.ACCEPTED
        assert (await one(db, Session, w.SESSION)).cancelled_at is None
        (slot,) = await rows(db, Placement, col(Placement.session_id) == w.SESSION)
        assert slot.id == w.PLACEMENT
        assert await rows(db, ReleaseHidden) == []

    async def test_a_draft_is_not_put_into_review_for_its_owner(
        self, world: World, call: Call
    ) -> None:
        with pytest.raises(IllegalMove):
            await call("restore_submission", world.writer, submission=w.DRAFT)

    async def test_withdrawing_keeps_the_reason_and_tells_nobody(
        self, db: Database, world: World, call: Call
    ) -> None:
        await call("withdraw_submission", world.writer, submission=w.IN_REVIEW, reason="New job.")

        assert (await one(db, Submission, w.IN_REVIEW)).withdrawn_reason == "New job."
        assert await rows(db, Mail, col(Mail.status) == MailStatus.QUEUED) == []
