"""decide_submission: what it does to programme, mail and log, and what it refuses."""

import re
from typing import Any

import msgspec
import pytest
from sqlalchemy import func, select
from sqlmodel import col

from tests.conftest import Call
from tests.services.conftest import Log, content_of
from tests.world import (
    ACCEPTED,
    ANA,
    DECLINED,
    DEVCONF,
    DRAFT,
    IN_REVIEW,
    PLACEMENT,
    SESSION,
    TRIO,
    WAITLISTED,
    WITHDRAWN,
    World,
)
from unsession.db.engine import Database
from unsession.domain.submissions import MOVES, Decision, SubmissionStatus
from unsession.errors import Forbidden, IllegalMove, Invalid, Stale
from unsession.models import (
    Mail,
    Placement,
    Session,
    SessionOption,
    SessionSpeaker,
    Speaker,
    Submission,
    SubmissionSpeaker,
)


async def test_accepting_makes_session_speakers_line_up_and_one_mail_a_person(
    call: Call, db: Database, world: World
) -> None:
    outcome = await call("decide_submission", world.writer, submission="SUB-2", decision="accept")

    answer = outcome.data()
    session = (await _all(db, Session, submission_id=TRIO))[0]
    assert {key: answer[key] for key in answer if key not in ("effects", "activityId")} == {
        "submission": TRIO,
        "code": "TRQAAA",
        "number": 2,
        "status": {"was": "in_review", "now": "accepted"},
        "version": 2,
        "sessionId": session.id,
        "sessionCreated": True,
        "mails": ["Kofi Mensah <kofi@example.org>", "Lena Fischer <lena@example.org>"],
        "warnings": (),
    }
    assert (session.kind.value, session.status.value, session.number, session.minutes) == (
        "talk",
        "pending",
        2,
        30,
    )
    assert (session.title, session.abstract, session.cancelled_at) == (
        "Three voices, one stage",
        "About “Three voices, one stage”.",
        None,
    )
    assert {row.option_id for row in await _all(db, SessionOption, session_id=session.id)} == {
        "opt_data",
        "opt_talk",
    }
    speakers = {row.id: row for row in await _all(db, Speaker, event_id=DEVCONF)}
    line_up = await _all(db, SessionSpeaker, session_id=session.id)
    assert [
        (row.position, speakers[row.speaker_id].name, row.confirmed_at)
        for row in sorted(line_up, key=lambda row: row.position)
    ] == [(0, "Kofi Mensah", None), (1, "Lena Fischer", None)]
    kofi = next(row for row in speakers.values() if row.name == "Kofi Mensah")
    assert (kofi.address_folded, kofi.slug, kofi.number, kofi.company, kofi.user_id) == (
        "kofi@example.org",
        "kofi-mensah",
        3,
        "Tema Labs",
        None,
    )
    typed = {
        row.name: row.speaker_id for row in await _all(db, SubmissionSpeaker, submission_id=TRIO)
    }
    assert typed["Kofi Mensah"] == typed["K. Mensah"] == kofi.id
    mails = await _all(db, Mail, subject_id=TRIO)
    assert {(mail.to_address, mail.status.value, mail.kind) for mail in mails} == {
        ("kofi@example.org", "queued", "decision:accept"),
        ("lena@example.org", "queued", "decision:accept"),
    }


async def test_the_mail_says_what_was_decided(call: Call, db: Database, world: World) -> None:
    await call("decide_submission", world.owner, submission=IN_REVIEW, decision="accept")

    mail = (await _all(db, Mail, subject_id=IN_REVIEW))[0]
    assert mail.subject == "“Typing the untyped” is accepted for DevConf 2027"
    assert mail.body.startswith("Hello Ana Lima,\n")
    assert mail.to_address == "Ana@Example.org"
    assert mail.message_id == f"<{mail.id}@conference.test>"


async def test_the_format_gives_the_minutes_and_without_one_it_is_half_an_hour(
    call: Call, db: Database, world: World
) -> None:
    for submission in (IN_REVIEW, WAITLISTED):
        await call("decide_submission", world.owner, submission=submission, decision="accept")

    assert (await _all(db, Session, submission_id=IN_REVIEW))[0].minutes == 90
    assert (await _all(db, Session, submission_id=WAITLISTED))[0].minutes == 30


async def test_an_existing_speaker_is_linked_and_never_overwritten(
    call: Call, db: Database, world: World
) -> None:
    before = (await _all(db, Speaker, id=ANA))[0]

    await call("decide_submission", world.owner, submission=IN_REVIEW, decision="accept")

    assert (await _all(db, Speaker, id=ANA))[0] == before
    assert before.bio == "The bio she wrote herself."
    session = (await _all(db, Session, submission_id=IN_REVIEW))[0]
    assert [row.speaker_id for row in await _all(db, SessionSpeaker, session_id=session.id)] == [
        ANA
    ]
    typed = (await _all(db, SubmissionSpeaker, submission_id=IN_REVIEW))[0]
    assert (typed.speaker_id, typed.bio) == (ANA, "As typed into the form.")
    assert len(await _all(db, Speaker, event_id=DEVCONF)) == 2


async def test_two_speakers_of_one_name_get_addresses_of_their_own(
    call: Call, db: Database, world: World
) -> None:
    async with db.write() as session:
        typed = await session.get_one(SubmissionSpeaker, "ssp_trio_2")
        typed.name, typed.name_folded = "Ana Lima", "ana lima"

    await call("decide_submission", world.owner, submission=TRIO, decision="accept")

    speakers = await _all(db, Speaker, name="Ana Lima")
    assert {row.slug for row in speakers} == {"ana-lima", "ana-lima-4"}
    assert len({row.code for row in speakers}) == 2


async def test_a_speaker_without_address_gets_no_mail_and_stays_one_speaker(
    call: Call, db: Database, world: World
) -> None:
    for decision in ("accept", "decline", "accept"):
        outcome = await call(
            "decide_submission", world.owner, submission=DECLINED, decision=decision
        )
        assert outcome.result.mails == []

    assert len(await _all(db, Speaker, name="Li Na")) == 1
    assert await _all(db, Mail, subject_id=DECLINED) == []


@pytest.mark.parametrize("decision", ["decline", "waitlist"])
async def test_leaving_acceptance_cancels_the_session_and_frees_its_slot(
    call: Call, db: Database, world: World, decision: str
) -> None:
    outcome = await call("decide_submission", world.owner, submission=ACCEPTED, decision=decision)

    session = (await _all(db, Session, id=SESSION))[0]
    assert session.cancelled_at is not None
    assert session.status.value == "pending"
    assert await _all(db, Placement, id=PLACEMENT) == []
    entry = (await _all(db, SessionSpeaker, session_id=SESSION))[0]
    assert (entry.confirmed_at, entry.declined_at) == (None, None)
    assert outcome.result.session_created is False
    assert "sessionId" not in outcome.data()
    event = (await call("get_event", world.owner, event=DEVCONF)).result
    assert msgspec.to_builtins(event.counts.sessions) == {
        "placed": 0,
        "unplaced": 0,
        "unconfirmed": 0,
    }
    full = (await call("get_submission", world.owner, submission=ACCEPTED)).result
    assert full.session_id is msgspec.UNSET


async def test_a_new_decision_cancels_mail_that_has_not_left_and_no_other(
    call: Call, db: Database, world: World
) -> None:
    await call("decide_submission", world.owner, submission=TRIO, decision="accept")
    async with db.write() as session:
        kofi = (
            await session.execute(
                select(Mail).where(
                    col(Mail.subject_id) == TRIO, col(Mail.to_address) == "kofi@example.org"
                )
            )
        ).scalar_one()
        kofi.status = type(kofi.status).SENT
    await call("decide_submission", world.owner, submission=IN_REVIEW, decision="accept")

    await call("decide_submission", world.owner, submission=TRIO, decision="decline")

    mails = await _all(db, Mail, subject_id=TRIO)
    assert {(mail.to_address, mail.kind, mail.status.value) for mail in mails} == {
        ("kofi@example.org", "decision:accept", "sent"),
        ("lena@example.org", "decision:accept", "cancelled"),
        ("kofi@example.org", "decision:decline", "queued"),
        ("lena@example.org", "decision:decline", "queued"),
    }
    assert [mail.status.value for mail in await _all(db, Mail, subject_id=IN_REVIEW)] == ["queued"]


async def test_who_is_not_asked_counts_as_coming_so_that_one_no_leaves_the_session_standing(
    call: Call, db: Database, world: World
) -> None:
    done = await call(
        "decide_submission",
        world.writer,
        submission=TRIO,
        decision="accept",
        askConfirmation=False,
    )
    session = (await _all(db, Session, submission_id=TRIO))[0]
    entries = await _all(db, SessionSpeaker, session_id=session.id)

    await call(
        "confirm_on_behalf", world.writer, session=session.id, speaker="Kofi Mensah", comes=False
    )

    assert {entry.confirmed_at is not None for entry in entries} == {True}
    assert session.status.value == "confirmed"
    assert (await _all(db, Session, submission_id=TRIO))[0].status.value == "confirmed"
    assert done.result.session_id == session.id


async def test_accepting_again_brings_the_same_session_back_unconfirmed(
    call: Call, db: Database, world: World
) -> None:
    await call("decide_submission", world.owner, submission=ACCEPTED, decision="decline")

    outcome = await call("decide_submission", world.owner, submission=ACCEPTED, decision="accept")

    assert outcome.result.session_id == SESSION
    assert outcome.result.session_created is False
    session = (await _all(db, Session, submission_id=ACCEPTED))[0]
    assert (session.id, session.cancelled_at, session.status.value) == (SESSION, None, "pending")
    line_up = await _all(db, SessionSpeaker, session_id=SESSION)
    assert [(row.id, row.speaker_id, row.confirmed_at) for row in line_up] == [
        ("lin_sam", "spk_sam", None)
    ]


async def test_a_speaker_who_joined_meanwhile_joins_the_revived_session(
    call: Call, db: Database, world: World
) -> None:
    await call("decide_submission", world.owner, submission=ACCEPTED, decision="decline")
    async with db.write() as session:
        session.add(
            SubmissionSpeaker(
                submission_id=ACCEPTED,
                position=0,
                name="Ana Lima",
                name_folded="ana lima",
                address="ANA@example.org",
            )
        )

    await call("decide_submission", world.owner, submission=ACCEPTED, decision="accept")

    line_up = await _all(db, SessionSpeaker, session_id=SESSION)
    assert sorted((row.position, row.speaker_id) for row in line_up) == [
        (0, "spk_sam"),
        (1, "spk_ana"),
    ]


@pytest.mark.parametrize(
    ("submission", "decision", "kind"),
    [
        (ACCEPTED, "accept", "already_accepted"),
        (DECLINED, "decline", "already_declined"),
        (WAITLISTED, "waitlist", "already_waitlisted"),
    ],
)
async def test_the_same_decision_again_does_nothing_and_says_so(
    call: Call, db: Database, world: World, log: Log, submission: str, decision: str, kind: str
) -> None:
    before = (await _all(db, Submission, id=submission))[0]

    outcome = await call(
        "decide_submission", world.owner, submission=submission, decision=decision, version=1
    )

    answer = outcome.data()
    assert answer["effects"] == ()
    assert answer["mails"] == []
    assert [warning["kind"] for warning in answer["warnings"]] == [kind]
    assert "activityId" not in answer
    assert answer["status"]["was"] == answer["status"]["now"]
    assert (await _all(db, Submission, id=submission))[0] == before
    assert await log() == []
    assert await _all(db, Mail) == []


@pytest.mark.parametrize("submission", [DRAFT, WITHDRAWN])
@pytest.mark.parametrize("decision", list(Decision))
async def test_a_draft_and_what_was_withdrawn_cannot_be_decided(
    call: Call, db: Database, world: World, log: Log, submission: str, decision: Decision
) -> None:
    status = submission.removeprefix("sub_")

    with pytest.raises(IllegalMove, match=f"is {status}; it cannot become") as refused:
        await call("decide_submission", world.owner, submission=submission, decision=decision.value)

    assert refused.value.facts == {"status": status}
    assert refused.value.next_call == "get_submission"
    assert (await _all(db, Submission, id=submission))[0].status.value == status
    assert await log() == []


async def test_every_move_of_the_table_can_be_decided(
    call: Call, db: Database, world: World
) -> None:
    standing = {
        SubmissionStatus.IN_REVIEW: IN_REVIEW,
        SubmissionStatus.ACCEPTED: ACCEPTED,
        SubmissionStatus.WAITLISTED: WAITLISTED,
        SubmissionStatus.DECLINED: DECLINED,
    }
    for was, submission in standing.items():
        for decision in Decision:
            if decision.outcome not in MOVES[was]:
                continue

            outcome = await call(
                "decide_submission",
                world.owner,
                submission=submission,
                decision=decision.value,
                dry_run=True,
            )

            assert (outcome.result.status.was, outcome.result.status.now) == (was, decision.outcome)


async def test_without_send_email_nobody_is_told(call: Call, db: Database, world: World) -> None:
    outcome = await call(
        "decide_submission", world.owner, submission=TRIO, decision="accept", sendEmail=False
    )

    assert outcome.result.mails == []
    assert await _all(db, Mail) == []
    assert [effect.kind for effect in outcome.effects if effect.kind == "mail"] == []
    assert len(await _all(db, Session, submission_id=TRIO)) == 1


async def test_a_title_cannot_add_a_line_to_the_subject(
    call: Call, db: Database, world: World
) -> None:
    async with db.write() as session:
        (
            await session.get_one(Submission, TRIO)
        ).title = "Hi\r\nBcc: all@example.org\u2028{name}\x07"

    await call("decide_submission", world.owner, submission=TRIO, decision="accept")

    subjects = {mail.subject for mail in await _all(db, Mail, subject_id=TRIO)}
    assert subjects == {"“Hi Bcc: all@example.org {name}” is accepted for DevConf 2027"}


async def test_a_reader_and_a_reviewer_may_not_decide(
    call: Call, db: Database, world: World, log: Log
) -> None:
    for actor, said in (
        (world.reader, "This token is read-only"),
        (world.event_reader, "This token is read-only"),
        (world.reviewer, "Your role does not let you accept"),
        (world.nobody, "Your role does not let you accept"),
    ):
        with pytest.raises(Forbidden, match=said) as refused:
            await call("decide_submission", actor, submission=TRIO, decision="accept")
        assert refused.value.facts["permission"] == "submission:decide"

    assert (await _all(db, Submission, id=TRIO))[0].status.value == "in_review"
    assert await log() == []


async def test_a_token_of_the_event_decides_in_it(call: Call, world: World) -> None:
    outcome = await call(
        "decide_submission", world.event_writer, submission="SUB-1", decision="decline"
    )

    assert outcome.result.submission == IN_REVIEW


async def test_an_old_version_is_stale_and_changes_nothing(
    call: Call, db: Database, world: World, log: Log
) -> None:
    await call("decide_submission", world.owner, submission=TRIO, decision="waitlist", version=1)

    with pytest.raises(Stale, match="at version 2, not 1") as refused:
        await call("decide_submission", world.owner, submission=TRIO, decision="accept", version=1)

    assert refused.value.facts == {"version": 2}
    assert (await _all(db, Submission, id=TRIO))[0].status.value == "waitlisted"
    assert len(await log()) == 1
    again = await call(
        "decide_submission", world.owner, submission=TRIO, decision="accept", version=2
    )
    assert again.result.version == 3


async def test_wrong_arguments_are_all_named(call: Call, world: World) -> None:
    with pytest.raises(Invalid) as refused:
        await call("decide_submission", world.owner, decision="acept", sendEmail="false", versoin=1)

    problems = {problem.path: problem for problem in refused.value.problems}
    assert problems.keys() == {"/submission", "/decision", "/sendEmail", "/versoin"}
    assert problems["/decision"].did_you_mean == "accept"
    assert problems["/versoin"].did_you_mean == "version"


async def test_a_decision_is_recorded_with_its_changes_and_its_inverse(
    call: Call, db: Database, world: World, log: Log
) -> None:
    outcome = await call("decide_submission", world.writer, submission=TRIO, decision="accept")

    (entry,) = await log()
    session = (await _all(db, Session, submission_id=TRIO))[0]
    assert outcome.activity_id == entry.id
    assert (entry.workspace_id, entry.event_id, entry.number) == ("wsp_north", DEVCONF, 1)
    assert (entry.actor_kind.value, entry.actor_id, entry.actor_name) == (
        "token",
        "token:tok_writer",
        "api:writer",
    )
    assert (entry.operation, entry.subject_type, entry.subject_id, entry.request_id) == (
        "decide_submission",
        "submission",
        TRIO,
        "req_test",
    )
    content = content_of(entry)
    assert content["summary"] == "SUB-2 “Three voices, one stage”: in review → accepted"
    assert {
        "table": "submission",
        "id": {"id": TRIO},
        "what": "changed",
        "fields": {"status": ["in_review", "accepted"]},
    } in content["changes"]
    inverse = content["inverse"]
    assert {
        "table": "submission",
        "key": {"id": TRIO},
        "do": "restore",
        "before": {"status": "in_review"},
        "version": 2,
    } in inverse
    assert {
        "table": "session",
        "key": {"id": session.id},
        "do": "remove",
        "version": 1,
    } in inverse
    assert {
        "table": "session_option",
        "key": {"session_id": session.id, "option_id": "opt_talk"},
        "do": "remove",
    } in inverse
    # Undoing runs backwards: what refers to a row goes before the row.
    order = [change["table"] for change in inverse]
    assert order.index("session_speaker") < order.index("session") < order.index("submission")


async def test_what_was_removed_is_kept_whole_in_the_inverse(
    call: Call, world: World, log: Log
) -> None:
    await call("decide_submission", world.owner, submission=ACCEPTED, decision="decline")

    inverse = content_of((await log())[0])["inverse"]
    slot = next(change for change in inverse if change["table"] == "placement")
    created = slot["before"].pop("created_at")
    assert created.endswith("+00:00")
    assert slot == {
        "table": "placement",
        "key": {"id": PLACEMENT},
        "do": "insert",
        "before": {
            "id": PLACEMENT,
            "schedule_id": "sch_devconf",
            "session_id": SESSION,
            "date": "2027-05-20",
            "start_minute": 600,
            "minutes": 30,
            "room_id": "rom_hall",
            "all_rooms": False,
        },
    }
    session = next(change for change in inverse if change["table"] == "session")
    assert session["before"] == {"status": "confirmed", "cancelled_at": None}
    line_up = next(change for change in inverse if change["table"] == "session_speaker")
    assert line_up["before"] == {"confirmed_at": "2026-09-01T08:00:00+00:00"}


async def test_effects_come_in_the_same_order_every_time_with_mail_last(
    call: Call, world: World
) -> None:
    await call("decide_submission", world.owner, submission=TRIO, decision="accept")
    told = []
    for _ in range(8):
        outcome = await call(
            "decide_submission", world.owner, submission=TRIO, decision="decline", dry_run=True
        )
        told.append([(effect.kind, effect.text) for effect in outcome.effects])

    assert told == [told[0]] * 8
    assert [(kind, text.split()[0]) for kind, text in told[0]] == [
        ("changed", "Submission"),
        ("changed", "Mail"),
        ("changed", "Mail"),
        ("changed", "Session"),
        ("mail", "Mail"),
        ("mail", "Mail"),
    ]
    assert (
        told[0][0][1] == "Submission SUB-2 “Three voices, one stage”: status accepted → declined."
    )
    assert told[0][3][1] == "Session “Three voices, one stage”: cancelled set."


async def test_the_link_to_the_speaker_is_in_the_inverse_though_nobody_is_told(
    call: Call, world: World, log: Log
) -> None:
    await call("decide_submission", world.owner, submission=IN_REVIEW, decision="accept")

    inverse = content_of((await log())[0])["inverse"]
    assert {
        "table": "submission_speaker",
        "key": {"id": "ssp_review_1"},
        "do": "restore",
        "before": {"speaker_id": None},
        "version": 2,
    } in inverse


async def test_no_generated_id_is_put_into_words(call: Call, world: World) -> None:
    outcome = await call("decide_submission", world.owner, submission=TRIO, decision="accept")

    words = " ".join(effect.text for effect in outcome.effects)
    assert re.findall(r"\b[a-z]{3}[_ ]0[0-9a-z]{15}", words) == []


async def test_the_numbers_of_sessions_and_speakers_have_no_holes(
    call: Call, db: Database, world: World
) -> None:
    await call("decide_submission", world.owner, submission=TRIO, decision="accept", dry_run=True)
    for submission in (IN_REVIEW, TRIO, WAITLISTED):
        await call("decide_submission", world.owner, submission=submission, decision="accept")

    numbers = [row.number for row in await _all(db, Session, event_id=DEVCONF)]
    speakers = [row.number for row in await _all(db, Speaker, event_id=DEVCONF)]
    assert sorted(numbers) == [1, 2, 3, 4]
    assert sorted(speakers) == [1, 2, 3, 4, 5]
    assert (await db.rows(select(func.count()).select_from(Session)))[0][0] == 4


async def _all(db: Database, model: Any, **where: Any) -> list[Any]:
    """Rows of a table by equal columns, as plain rows."""
    statement = select(*model.__table__.columns)
    for name, value in where.items():
        statement = statement.where(getattr(model, name) == value)
    return await db.rows(statement.order_by(*model.__table__.primary_key.columns))
