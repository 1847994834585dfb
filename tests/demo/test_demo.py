"""The demo's world: complete, believable, the same for the same seed."""

import datetime as dt
from collections import Counter as Tally
from itertools import combinations, pairwise
from typing import Any

import pytest
from sqlalchemy import select
from sqlmodel import col

from tests.demo.reading import NOW, empty, everything, of_event
from unsession.access import EVERYTHING, READ_ONLY
from unsession.db.engine import Database
from unsession.demo import (
    ADMIN,
    HARBOUR_OWNER,
    ORGANIZER,
    OWNER,
    REVIEWER,
    SPEAKER,
    DemoWorld,
    build,
)
from unsession.domain.mail import MailStatus
from unsession.domain.people import TokenScope
from unsession.domain.sessions import SessionKind, SessionStatus
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.text import fold_address
from unsession.models import (
    Counter,
    Event,
    EventDay,
    EventMember,
    Form,
    FormVersion,
    Mail,
    Membership,
    Placement,
    Schedule,
    Session,
    SessionOption,
    SessionSpeaker,
    Speaker,
    Submission,
    SubmissionOption,
    SubmissionScore,
    SubmissionSpeaker,
    Token,
    UserAddress,
    Workspace,
)
from unsession.services.activity import verify_chains
from unsession.services.principals import Principals, secret_hash

pytestmark = pytest.mark.anyio

ACCEPTED, DRAFT = SubmissionStatus.ACCEPTED, SubmissionStatus.DRAFT


async def test_every_status_is_there(db: Database, demo: DemoWorld) -> None:
    statuses = Tally(row.status for row in await of_event(db, Submission))

    assert set(statuses) == set(SubmissionStatus)
    assert statuses.total() == 60


@pytest.mark.parametrize("slug", ["devconf-2027", "pyday-2027", "harbour-days-2027"])
async def test_numbers_are_contiguous_in_the_order_of_submission(
    db: Database, demo: DemoWorld, slug: str
) -> None:
    rows = await of_event(db, Submission, slug)

    given = sorted((r for r in rows if r.status is not DRAFT), key=lambda r: r.submitted_at)

    assert [row.number for row in given] == list(range(1, len(given) + 1))
    assert len({row.submitted_at for row in given}) == len(given)
    assert all(NOW - dt.timedelta(days=40) <= row.submitted_at < NOW for row in given)


@pytest.mark.parametrize("slug", ["devconf-2027", "pyday-2027", "harbour-days-2027"])
async def test_counters_stand_at_the_highest_numbers(
    db: Database, demo: DemoWorld, slug: str
) -> None:
    highest = {
        model.__tablename__: max(row.number or 0 for row in await of_event(db, model, slug))
        for model in (Submission, Session, Speaker)
    }

    if slug == demo.event:
        highest["release"] = 1
    assert {row.key: row.value for row in await of_event(db, Counter, slug)} == highest


async def test_the_activity_chains_hold(db: Database, demo: DemoWorld) -> None:
    reports = await verify_chains(db)

    workspaces = {row.id for row in await everything(db, Workspace)}
    assert {report.chain for report in reports} == workspaces
    assert [report.fault for report in reports] == [None, None]
    assert all(report.entries > 10 for report in reports)


async def test_the_present_is_later_than_everything_that_happened(
    db: Database, demo: DemoWorld
) -> None:
    for model in (Submission, Session, Mail, Placement, SessionSpeaker):
        rows = await everything(db, model)
        assert all(row.created_at <= row.updated_at <= NOW for row in rows)
        assert {row.version for row in rows} == {1}


async def told(db: Database) -> list[tuple[Any, ...]]:
    """What of a demo depends on nothing but seed and number."""
    rows = await db.rows(
        select(
            col(Submission.number),
            col(Submission.title),
            col(Submission.status),
            col(SubmissionSpeaker.name),
            col(SubmissionSpeaker.address),
            col(SubmissionScore.mean),
            col(SubmissionScore.reviews),
        )
        .join(SubmissionSpeaker, col(SubmissionSpeaker.submission_id) == col(Submission.id))
        .outerjoin(SubmissionScore, col(SubmissionScore.submission_id) == col(Submission.id))
    )
    return sorted((tuple(row) for row in rows), key=repr)


async def test_the_same_seed_tells_the_same_story(db: Database) -> None:
    stories = []
    for seed, now in ((7, NOW), (7, NOW + dt.timedelta(days=200)), (8, NOW)):
        await build(db, submissions=80, seed=seed, now=now)
        stories.append(await told(db))
        await empty(db)

    assert stories[0] == stories[1]
    assert stories[0] != stories[2]


async def overlapping(db: Database, slug: str) -> list[tuple[Any, Any]]:
    """Pairs of slots of one event that share a moment."""
    slots = await db.rows(
        select(
            col(Placement.session_id),
            col(Placement.date),
            col(Placement.start_minute),
            col(Placement.minutes),
            col(Placement.room_id),
            col(Placement.all_rooms),
        )
        .join(Schedule, col(Schedule.id) == col(Placement.schedule_id))
        .join(Event, col(Event.id) == col(Schedule.event_id))
        .where(col(Event.slug) == slug, col(Schedule.is_working))
    )
    return [
        (one, other)
        for one, other in combinations(slots, 2)
        if one.date == other.date
        and one.start_minute < other.start_minute + other.minutes
        and other.start_minute < one.start_minute + one.minutes
    ]


async def double_booked(db: Database, slug: str) -> list[str]:
    line_up: dict[str, set[str]] = {}
    for row in await everything(db, SessionSpeaker):
        line_up.setdefault(row.session_id, set()).add(row.speaker_id)
    return [
        speaker
        for one, other in await overlapping(db, slug)
        for speaker in line_up.get(one.session_id, set()) & line_up.get(other.session_id, set())
    ]


@pytest.mark.parametrize(("submissions", "seed"), [(60, 1), (60, 2), (200, 3), (400, 1)])
async def test_exactly_one_speaker_is_double_booked_and_no_room_is(
    db: Database, submissions: int, seed: int
) -> None:
    await build(db, submissions=submissions, seed=seed, now=NOW)

    assert len(await double_booked(db, "devconf-2027")) == 1
    assert await double_booked(db, "pyday-2027") == []
    for slug in ("devconf-2027", "pyday-2027", "harbour-days-2027"):
        for one, other in await overlapping(db, slug):
            assert one.room_id != other.room_id
            assert not one.all_rooms
            assert not other.all_rooms


async def test_slots_lie_within_the_days(db: Database, demo: DemoWorld) -> None:
    hours = {
        (day.event_id, day.date): (day.opens_minute, day.closes_minute)
        for day in await everything(db, EventDay)
    }
    events = {row.id: row.event_id for row in await everything(db, Session)}

    for slot in await everything(db, Placement):
        opens, closes = hours[events[slot.session_id], slot.date]
        assert opens <= slot.start_minute
        assert slot.start_minute + slot.minutes <= closes


async def test_four_hundred_submissions_fill_the_grid(db: Database) -> None:
    await build(db, submissions=400, now=NOW)

    submissions = await of_event(db, Submission)
    sessions = {row.id for row in await of_event(db, Session)}
    placed = [row for row in await everything(db, Placement) if row.session_id in sessions]
    titles = Tally(row.title_folded for row in submissions)
    assert len(submissions) == 400
    assert 140 <= len(placed) <= 160
    assert [count for _, count in titles.most_common(2)] == [2, 1]
    assert {report.fault for report in await verify_chains(db)} == {None}


@pytest.mark.parametrize("submissions", [1, 7, 20])
async def test_a_demo_may_be_small(db: Database, submissions: int) -> None:
    await build(db, submissions=submissions, now=NOW)

    assert len(await of_event(db, Submission)) == submissions


@pytest.mark.parametrize("submissions", [0, 10_001])
async def test_a_demo_has_bounds(db: Database, submissions: int) -> None:
    with pytest.raises(ValueError, match="1 to 10,000"):
        await build(db, submissions=submissions, now=NOW)


async def test_tokens_are_found_by_hash_and_have_their_scope(db: Database, demo: DemoWorld) -> None:
    devconf = (await db.rows(select(col(Event.id)).where(col(Event.slug) == demo.event)))[0].id
    tokens = {row.secret_hash: row for row in await everything(db, Token)}
    expected = {
        "read": (TokenScope.READ, None),
        "write": (TokenScope.WRITE, None),
        "eventRead": (TokenScope.READ, devconf),
        "eventWrite": (TokenScope.WRITE, devconf),
        "otherWorkspace": (TokenScope.WRITE, None),
    }

    found = {name: tokens[secret_hash(secret)] for name, secret in demo.tokens.items()}

    assert all(len(secret) == 44 and secret.startswith("uns_") for secret in demo.tokens.values())
    assert {name: (row.scope, row.event_id) for name, row in found.items()} == expected
    assert len({row.workspace_id for row in found.values()}) == 2


async def test_tokens_open_the_door(db: Database, demo: DemoWorld) -> None:
    principals = Principals(db)

    for name, secret in demo.tokens.items():
        principal = await principals.token(secret)
        assert principal is not None, name
        writes = name in {"write", "eventWrite", "otherWorkspace"}
        assert principal.actor.ceiling == (EVERYTHING if writes else READ_ONLY)
        assert (principal.actor.only_event is not None) == name.startswith("event")


async def test_accounts_have_verified_addresses_and_their_roles(
    db: Database, demo: DemoWorld
) -> None:
    addresses = {row.folded: row for row in await everything(db, UserAddress)}
    roles = {row.user_id: row.role.value for row in await everything(db, Membership)}
    at_events = {
        row.user_id: (row.event_id, row.role.value) for row in await everything(db, EventMember)
    }
    devconf = {row.slug: row.id for row in await everything(db, Event)}[demo.event]

    for address in (OWNER, ADMIN, ORGANIZER, REVIEWER, SPEAKER, HARBOUR_OWNER):
        assert address == fold_address(address)
        assert addresses[address].primary
        assert addresses[address].verified_at is not None
    members = (OWNER, ADMIN, ORGANIZER, HARBOUR_OWNER)
    assert [roles[addresses[who].user_id] for who in members] == [
        "owner",
        "admin",
        "organizer",
        "owner",
    ]
    assert at_events[addresses[REVIEWER].user_id] == (devconf, "reviewer")
    assert addresses[REVIEWER].user_id not in roles


async def test_the_speaker_has_an_account_and_an_invitation_to_answer(
    db: Database, demo: DemoWorld
) -> None:
    user = next(r for r in await everything(db, UserAddress) if r.folded == SPEAKER).user_id
    speaker = next(row for row in await of_event(db, Speaker) if row.user_id == user)
    entries = [r for r in await everything(db, SessionSpeaker) if r.speaker_id == speaker.id]
    waiting = next(r for r in await of_event(db, Session) if r.id == entries[0].session_id)

    assert [entry.confirmed_at for entry in entries] == [None]
    assert waiting.status is SessionStatus.PENDING


async def test_the_form_is_open_and_answers_refer_to_its_fields(
    db: Database, demo: DemoWorld
) -> None:
    form = (await of_event(db, Form))[0]
    version = next(r for r in await everything(db, FormVersion) if r.id == form.current_version_id)
    fields = {field["id"]: field for field in version.fields}

    assert form.opens_at < NOW < form.closes_at
    for row in await of_event(db, Submission):
        assert set(row.answers) <= set(fields)
        for field_id, value in row.answers.items():
            if options := fields[field_id].get("options"):
                chosen = value if isinstance(value, list) else [value]
                assert set(chosen) <= {option["id"] for option in options}


async def test_accepted_submissions_and_no_others_have_a_session(
    db: Database, demo: DemoWorld
) -> None:
    accepted = {r.id for r in await everything(db, Submission) if r.status is ACCEPTED}
    talks = [r for r in await everything(db, Session) if r.kind is SessionKind.TALK]
    given = Tally(r.submission_id for r in await everything(db, SubmissionOption))
    kept = Tally(r.session_id for r in await everything(db, SessionOption))
    answers: dict[str, list[Any]] = {}
    for row in await everything(db, SessionSpeaker):
        answers.setdefault(row.session_id, []).append(row.confirmed_at)

    assert {talk.submission_id for talk in talks} == accepted
    assert {given[talk.submission_id] for talk in talks} == {3}
    assert {kept[talk.id] for talk in talks} == {3}
    assert {talk.status for talk in talks} == set(SessionStatus)
    for talk in talks:
        assert (talk.status is SessionStatus.CONFIRMED) == any(answers[talk.id])


async def test_what_nobody_submitted_is_born_confirmed(db: Database, demo: DemoWorld) -> None:
    added = [r for r in await of_event(db, Session) if r.kind is not SessionKind.TALK]

    assert {row.status for row in added} == {SessionStatus.CONFIRMED}
    assert {row.kind for row in added} == {SessionKind.SPONSOR, SessionKind.SERVICE}
    assert all((row.sponsor_name is None) == (row.kind is SessionKind.SERVICE) for row in added)


async def test_one_speaker_row_per_folded_address(db: Database, demo: DemoWorld) -> None:
    speakers = {row.id: row for row in await of_event(db, Speaker)}
    accepted = {r.id for r in await of_event(db, Submission) if r.status is ACCEPTED}

    typed = [r for r in await everything(db, SubmissionSpeaker) if r.submission_id in accepted]

    assert {speakers[r.speaker_id].address_folded for r in typed} == {
        fold_address(r.address) for r in typed
    }
    assert len({row.slug for row in speakers.values()}) == len(speakers)


async def test_decided_submissions_have_mail_mostly_sent(db: Database, demo: DemoWorld) -> None:
    mails = await everything(db, Mail)
    undecided = {DRAFT, SubmissionStatus.IN_REVIEW, SubmissionStatus.WITHDRAWN}
    decided = [r for r in await everything(db, Submission) if r.status not in undecided]

    statuses = Tally(mail.status for mail in mails)

    assert {mail.subject_id for mail in mails} == {row.id for row in decided}
    assert set(statuses) == {MailStatus.SENT, MailStatus.QUEUED}
    assert statuses[MailStatus.SENT] > 5 * statuses[MailStatus.QUEUED]
    assert all((mail.sent_at is None) == (mail.status is MailStatus.QUEUED) for mail in mails)


async def test_the_events_lie_ahead(db: Database, demo: DemoWorld) -> None:
    events = {row.slug: row for row in await everything(db, Event)}
    days = sorted(row.date for row in await of_event(db, EventDay))

    ahead = (events[demo.event].starts_on - NOW.date()).days

    assert 70 <= ahead <= 80
    assert len(days) == 3
    assert all(later - day == dt.timedelta(days=1) for day, later in pairwise(days))
    assert len(events) == 3
