"""Queued decisions, the outbox, confirmations, withdrawing and restoring."""

import json

import pytest
from sqlalchemy import select
from sqlmodel import col

from tests import world as w
from tests.conftest import Call
from tests.services.refusals import not_found
from tests.world import World
from unsession.access import holder_actor
from unsession.db.engine import Database
from unsession.domain.mail import LINK_MARK, MailStatus
from unsession.domain.sessions import SessionStatus
from unsession.domain.submissions import Decision, SubmissionStatus
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

    @pytest.mark.parametrize("verb", ["withdraw_submission", "restore_submission"])
    async def test_an_old_version_is_stale(self, world: World, call: Call, verb: str) -> None:
        await call("decide_submission", world.writer, submission=w.TRIO, decision="waitlist")

        with pytest.raises(Stale):
            await call(verb, world.writer, submission=w.TRIO, version=1)

    @pytest.mark.parametrize("verb", ["withdraw_submission", "restore_submission"])
    async def test_the_same_again_does_nothing_and_says_so(
        self, world: World, call: Call, verb: str
    ) -> None:
        there = {"withdraw_submission": w.WITHDRAWN, "restore_submission": w.IN_REVIEW}[verb]

        again = await call(verb, world.writer, submission=there, version=99)

        assert again.effects == ()
        assert again.activity_id is None
        assert [warning.kind.split("_")[0] for warning in again.warnings] == ["already"]

    async def test_what_was_declined_is_not_withdrawn(self, world: World, call: Call) -> None:
        with pytest.raises(IllegalMove):
            await call("withdraw_submission", world.writer, submission=w.DECLINED)

    async def test_withdrawing_drops_what_was_queued_and_restoring_drops_it_too(
        self, db: Database, world: World, call: Call
    ) -> None:
        for verb, submission in (
            ("withdraw_submission", w.IN_REVIEW),
            ("restore_submission", w.WAITLISTED),
        ):
            await call("queue_decision", world.writer, submission=submission, decision="accept")
            await call(verb, world.writer, submission=submission)

        assert await rows(db, QueuedDecision) == []

    async def test_restoring_a_withdrawn_submission_forgets_the_reason(
        self, db: Database, world: World, call: Call
    ) -> None:
        await call("withdraw_submission", world.writer, submission=w.TRIO, reason="Ill.")
        await call("restore_submission", world.writer, submission=w.TRIO)

        row = await one(db, Submission, w.TRIO)
        assert (row.status, row.withdrawn_reason) == (SubmissionStatus.IN_REVIEW, None)


#: Every verb of this module with arguments that work for an organizer.
VERBS = [
    ("queue_decision", {"submission": w.IN_REVIEW, "decision": "accept"}, "submission:decide"),
    ("remove_from_outbox", {"submission": w.IN_REVIEW}, "submission:decide"),
    ("withdraw_submission", {"submission": w.IN_REVIEW}, "submission:decide"),
    ("restore_submission", {"submission": w.DECLINED}, "submission:decide"),
    ("send_outbox", {"event": w.DEVCONF}, "agenda:publish"),
    ("get_outbox", {"event": w.DEVCONF}, "mail:read"),
    ("confirm_on_behalf", {"session": w.SESSION}, "session:write"),
]
each_verb = pytest.mark.parametrize(
    ("verb", "arguments", "permission"), VERBS, ids=[verb for verb, _, _ in VERBS]
)


class TestWhoMay:
    @each_verb
    async def test_a_reviewer_and_nobody_may_not(
        self, world: World, call: Call, verb: str, arguments: dict[str, str], permission: str
    ) -> None:
        actors = [world.reviewer, world.nobody]
        if verb != "get_outbox":
            actors += [world.reader, world.event_reader]
        for actor in actors:
            with pytest.raises(Forbidden) as refused:
                await call(verb, actor, **arguments)
            assert refused.value.facts["permission"] == permission

    @each_verb
    async def test_a_stranger_and_another_events_token_see_nothing(
        self, db: Database, world: World, call: Call, verb: str, arguments: dict, permission: str
    ) -> None:
        field, theirs = next(iter(arguments.items()))
        rest = {name: value for name, value in arguments.items() if name != field}
        nothing = theirs[:4] + "none"

        refused = [
            await not_found(call(verb, actor, **{field: identifier}, **rest), identifier)
            for actor, identifier in (
                (world.stranger, theirs),
                (world.stranger, nothing),
                (world.writer, nothing),
            )
        ]

        assert refused == [refused[0]] * 3
        assert await rows(db, Activity) == []

    async def test_a_token_of_one_event_reaches_no_other(self, world: World, call: Call) -> None:
        for verb, arguments in (
            ("queue_decision", {"submission": w.IN_PYDAY, "decision": "accept"}),
            ("send_outbox", {"event": "evt_pyday"}),
            ("get_outbox", {"event": "evt_pyday"}),
        ):
            with pytest.raises(NotFound):
                await call(verb, world.event_writer, **arguments)


class TestRecords:
    async def test_each_step_leaves_its_sentence(
        self, db: Database, world: World, call: Call
    ) -> None:
        await call("queue_decision", world.writer, submission=w.IN_REVIEW, decision="accept")
        await call("remove_from_outbox", world.writer, submission=w.IN_REVIEW)
        await call("withdraw_submission", world.writer, submission=w.IN_REVIEW)
        await call("restore_submission", world.writer, submission=w.IN_REVIEW)
        await call("confirm_on_behalf", world.writer, session=w.SESSION, comes=False)

        said = [json.loads(entry.content)["summary"] for entry in await rows(db, Activity)]

        label = "SUB-1 “Typing the untyped”"
        assert sorted(said) == sorted(
            [
                f"{label}: queued to accept",
                f"{label}: taken out of the outbox",
                f"{label}: in review → withdrawn",
                f"{label}: withdrawn → in review",
                "Sam Oduya cannot come: “Async without tears”",
            ]
        )

    async def test_what_was_taken_out_comes_back_by_undo_as_it_was_queued(
        self, db: Database, world: World, call: Call
    ) -> None:
        await call(
            "queue_decision",
            world.writer,
            submission=w.IN_REVIEW,
            decision="accept",
            feedback="Bring slides.",
            askConfirmation=False,
        )
        removed = await call("remove_from_outbox", world.writer, submission=w.IN_REVIEW)

        await call("undo", world.writer, activity=removed.activity_id)
        (back,) = await rows(db, QueuedDecision)
        assert (back.decision, back.feedback, back.ask_confirmation, back.queued_by) == (
            "accept",
            "Bring slides.",
            False,
            "api:writer",
        )

    async def test_the_same_queued_again_leaves_no_entry(
        self, db: Database, world: World, call: Call
    ) -> None:
        for _ in range(2):
            again = await call(
                "queue_decision", world.writer, submission=w.IN_REVIEW, decision="accept"
            )

        assert again.activity_id is None
        assert len(await rows(db, Activity)) == 1


class TestListing:
    async def test_the_outbox_is_paged_oldest_first(
        self, world: World, call: Call, crowd: list[str]
    ) -> None:
        for submission in crowd[:5]:
            await call("queue_decision", world.writer, submission=submission, decision="decline")

        seen, cursor = [], None
        while True:
            more = {"cursor": cursor} if cursor else {}
            page = (await call("get_outbox", world.reader, event=w.DEVCONF, limit=2, **more)).result
            assert page.total == 5
            seen.append([row.submission for row in page.items])
            cursor = page.next_cursor
            if not cursor:
                break

        assert seen == [crowd[0:2], crowd[2:4], crowd[4:5]]

    async def test_more_than_one_sending_takes_leaves_the_rest_waiting(
        self, db: Database, world: World, call: Call
    ) -> None:
        await many_waiting(db, 203)

        named = await call("send_outbox", world.writer, event=w.DEVCONF, submissions=["1202"])
        sent = await call("send_outbox", world.writer, event=w.DEVCONF)
        rest = await call("send_outbox", world.writer, event=w.DEVCONF)

        assert (len(named.result.decided), named.result.left) == (1, 202)
        assert (len(sent.result.decided), sent.result.left) == (200, 2)
        assert (len(rest.result.decided), rest.result.left) == (2, 0)

    async def test_naming_one_twice_in_two_ways_tells_it_once(
        self, db: Database, world: World, call: Call
    ) -> None:
        await call("queue_decision", world.writer, submission=w.TRIO, decision="decline")

        sent = await call(
            "send_outbox",
            world.writer,
            event=w.DEVCONF,
            submissions=["2", "SUB-2", " sub-2 ", w.TRIO],
        )

        assert len(sent.result.decided) == 1
        assert len(await rows(db, Mail)) == 2

    @pytest.mark.parametrize(
        "name", ["Three voices, one stage", "²", "SUB-", "9" * 30, "sub_pyday"]
    )
    async def test_a_bulk_takes_no_names_and_nothing_from_elsewhere(
        self, world: World, call: Call, name: str
    ) -> None:
        await call("queue_decision", world.writer, submission=w.TRIO, decision="decline")
        await call("queue_decision", world.writer, submission=w.IN_PYDAY, decision="decline")

        with pytest.raises(Invalid) as refused:
            await call("send_outbox", world.writer, event=w.DEVCONF, submissions=["2", name])

        assert [problem.path for problem in refused.value.problems] == ["/submissions/1"]


async def many_waiting(db: Database, count: int) -> None:
    """Queued declines of submissions numbered from 1000 on, without speakers."""
    async with db.write() as session:
        session.add_all(
            Submission(
                id=f"sub_many{number}",
                event_id=w.DEVCONF,
                form_id="frm_devconf",
                form_version_id="fvr_devconf",
                number=1000 + number,
                code=f"M{number:05}",
                status=SubmissionStatus.IN_REVIEW,
                title=f"Many {number}",
                title_folded=f"many {number}",
                submitted_at=w.OPENED,
            )
            for number in range(count)
        )
        await session.flush()
        session.add_all(
            QueuedDecision(
                id=f"qde_many{number:04}",
                event_id=w.DEVCONF,
                submission_id=f"sub_many{number}",
                decision=Decision.DECLINE,
                queued_by="Ravi Menon",
            )
            for number in range(count)
        )


class TestAnswering:
    async def test_the_rule_all_waits_for_everybody_who_has_not_declined(
        self, db: Database, world: World, call: Call
    ) -> None:
        await call("update_event", world.writer, event=w.DEVCONF, confirmedBy="all")
        done = await call("decide_submission", world.writer, submission=w.TRIO, decision="accept")
        session_id = done.result.session_id
        first, second = await rows(db, OneTimeLink)

        answers = []
        for link, comes in ((first, True), (second, False), (second, True), (first, False)):
            actor = holder_actor(link.id, "Somebody")
            said = await call("answer_confirmation", actor, link=link.id, comes=comes)
            answers.append(said.result.status.value)

        assert answers == ["pending", "confirmed", "confirmed", "confirmed"]
        assert (await one(db, Session, session_id)).status is SessionStatus.CONFIRMED

    async def test_an_answer_is_recorded_with_who_held_the_link(
        self, db: Database, world: World, call: Call
    ) -> None:
        await call("decide_submission", world.writer, submission=w.IN_REVIEW, decision="accept")
        (link,) = await rows(db, OneTimeLink)
        actor = holder_actor(link.id, "Ana Lima")

        said = await call(
            "answer_confirmation", actor, link=link.id, comes=False, reason="A wedding."
        )
        same = await call("answer_confirmation", actor, link=link.id, comes=False)

        entry = await one(db, Activity, said.activity_id)
        assert (entry.actor_kind, entry.actor_name, entry.operation) == (
            "link",
            "Ana Lima",
            "answer_confirmation",
        )
        assert (await one(db, SessionSpeaker, link.subject_id)).decline_reason == "A wedding."
        assert same.activity_id is None

    async def test_a_no_takes_slot_and_publicity_and_an_undo_on_behalf_brings_them_back(
        self, db: Database, world: World, call: Call
    ) -> None:
        await call("publish_agenda", world.writer, event=w.DEVCONF, sendEmail=False)

        no = await call("confirm_on_behalf", world.writer, session=w.SESSION, comes=False)

        assert no.result.status is SessionStatus.PENDING
        assert await rows(db, Placement, col(Placement.session_id) == w.SESSION) == []
        assert [row.session_id for row in await rows(db, ReleaseHidden)] == [w.SESSION]

        await call("undo", world.writer, activity=no.activity_id)

        assert (await one(db, Session, w.SESSION)).status is SessionStatus.CONFIRMED
        assert len(await rows(db, Placement, col(Placement.session_id) == w.SESSION)) == 1
        assert await rows(db, ReleaseHidden) == []

    async def test_one_of_several_speakers_is_confirmed_by_name_and_a_foreign_one_is_not_found(
        self, world: World, call: Call
    ) -> None:
        done = await call("decide_submission", world.writer, submission=w.TRIO, decision="accept")
        where = {"session": done.result.session_id, "event": w.DEVCONF}

        said = await call("confirm_on_behalf", world.writer, **where, speaker="kofi@example.org")

        assert said.result.status is SessionStatus.CONFIRMED
        with pytest.raises(NotFound):
            await call("confirm_on_behalf", world.writer, **where, speaker="Sam Oduya")

    async def test_nobody_answers_for_a_session_that_left_the_programme(
        self, world: World, call: Call
    ) -> None:
        await call("decide_submission", world.writer, submission=w.ACCEPTED, decision="decline")

        with pytest.raises(Conflict):
            await call("confirm_on_behalf", world.writer, session=w.SESSION)

    async def test_only_the_holder_of_a_link_answers_it(
        self, db: Database, world: World, call: Call
    ) -> None:
        await call("decide_submission", world.writer, submission=w.IN_REVIEW, decision="accept")
        (link,) = await rows(db, OneTimeLink)

        for actor in (world.organizer, world.nobody, holder_actor("lnk_other", "Eve")):
            with pytest.raises(NotFound):
                await call("answer_confirmation", actor, link=link.id, comes=True)
        with pytest.raises(Forbidden):
            await call("answer_confirmation", world.writer, link=link.id, comes=True)
