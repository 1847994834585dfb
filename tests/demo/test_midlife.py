"""The demo in the middle of its life: half reviewed, released once, late with tasks."""

import datetime as dt
from collections import Counter as Tally
from typing import Any

import pytest
from sqlalchemy import select
from sqlmodel import col

from tests.demo.reading import NOW, empty, everything, of_event
from unsession.access import Actor, Permission, system_actor
from unsession.context import Context
from unsession.db.engine import Database
from unsession.demo import ORGANIZER, REVIEWER, SPEAKER, DemoWorld, build
from unsession.domain.evaluation import AssignmentStatus, ReviewStatus
from unsession.domain.releases import Difference, difference
from unsession.domain.scoring import Scored, tally
from unsession.domain.submissions import Decision, SubmissionStatus
from unsession.domain.tasks import TaskKind, TaskStatus, is_overdue, today
from unsession.domain.text import fold_address
from unsession.models import (
    Activity,
    Assignment,
    Criterion,
    EvaluationPlan,
    Event,
    EventMember,
    Placement,
    PlanReviewer,
    QueuedDecision,
    Release,
    Review,
    ReviewScore,
    Speaker,
    Submission,
    SubmissionScore,
    SubmissionSpeaker,
    Task,
    TaskTemplate,
    User,
    UserAddress,
)
from unsession.services.activity import verify_chains
from unsession.services.agenda.document import Agenda, items, read
from unsession.services.agenda.drafting import Draft, draft
from unsession.services.agenda.publishing import digest_of
from unsession.settings import Settings

pytestmark = pytest.mark.anyio

DRAFT = SubmissionStatus.DRAFT


async def account(db: Database, address: str) -> str:
    return str(next(r for r in await everything(db, UserAddress) if r.folded == address).user_id)


async def devconf(db: Database) -> Any:
    return next(r for r in await everything(db, Event) if r.slug == "devconf-2027")


async def test_reviewing_is_half_done(db: Database, demo: DemoWorld) -> None:
    scores = await everything(db, SubmissionScore)
    given = [r for r in await everything(db, Submission) if r.status is not DRAFT]

    assert {row.submission_id for row in scores} == {row.id for row in given}
    assert {row.reviews for row in scores} == {0, 1, 2, 3}
    assert {row.expected for row in scores} == {3}


@pytest.mark.parametrize(("submissions", "seed"), [(60, 1), (300, 5)])
async def test_scores_are_what_the_reviews_behind_them_say(
    db: Database, submissions: int, seed: int
) -> None:
    await build(db, submissions=submissions, seed=seed, now=NOW)
    criteria = {row.id: row for row in await everything(db, Criterion)}
    values: dict[str, list[Scored]] = {}
    for row in await everything(db, ReviewScore):
        criterion = criteria[row.criterion_id]
        one = Scored(row.value, criterion.scale, criterion.weight)
        values.setdefault(row.review_id, []).append(one)
    reviews: dict[tuple[str, str], list[list[Scored]]] = {}
    for row in await everything(db, Review):
        if row.status is ReviewStatus.SUBMITTED:
            reviews.setdefault((row.plan_id, row.submission_id), []).append(values[row.id])
    asked = Tally(
        (row.plan_id, row.submission_id)
        for row in await everything(db, Assignment)
        if row.status in {AssignmentStatus.OPEN, AssignmentStatus.DONE}
    )

    for row in await everything(db, SubmissionScore):
        key = (row.plan_id, row.submission_id)
        total = tally(reviews.get(key, []))
        assert row.reviews == total.reviews
        assert row.expected == asked[key]
        assert (row.mean, row.spread) == (
            pytest.approx(total.mean) if total.mean is not None else None,
            pytest.approx(total.spread) if total.spread is not None else None,
        )
    assert all(len(scored) == 3 for scored in values.values())
    assert {row.name: row.weight for row in criteria.values()} == {
        "Relevance": 2.0,
        "Clarity": 1.0,
        "Originality": 1.0,
    }


async def test_assignments_and_reviews_tell_the_same(db: Database, demo: DemoWorld) -> None:
    moments = {row.id: row for row in await everything(db, Submission)}
    states = {
        (row.plan_id, row.submission_id, row.user_id): row.status
        for row in await everything(db, Assignment)
    }
    reviews = await everything(db, Review)
    answered = {AssignmentStatus.DONE, AssignmentStatus.ABSTAINED}

    assert set(states.values()) == {*answered, AssignmentStatus.OPEN}
    assert {
        (row.plan_id, row.submission_id, row.user_id): row.status.value.replace("submitted", "done")
        for row in reviews
    } == {key: state.value for key, state in states.items() if state in answered}
    for row in reviews:
        assert moments[row.submission_id].submitted_at < row.created_at < NOW
        assert (row.submitted_at is None) == (row.status is ReviewStatus.ABSTAINED)
    assert any(row.note for row in reviews)


async def test_every_plan_has_its_panel(db: Database, demo: DemoWorld) -> None:
    plans = {row.id: row.event_id for row in await everything(db, EvaluationPlan)}
    members = {(row.event_id, row.user_id) for row in await everything(db, EventMember)}
    panel = [(plans[row.plan_id], row.user_id) for row in await everything(db, PlanReviewer)]

    assert set(panel) == members
    assert set(Tally(event for event, _ in panel).values()) == {4}


async def test_the_reviewer_has_done_about_a_third(db: Database, demo: DemoWorld) -> None:
    kenji = await account(db, REVIEWER)
    statuses = {row.id: row.status for row in await everything(db, Submission)}
    own = [row for row in await everything(db, Assignment) if row.user_id == kenji]
    waiting = [row for row in own if row.status is AssignmentStatus.OPEN]
    done = [row for row in own if row.status is AssignmentStatus.DONE]

    assert {statuses[row.submission_id] for row in waiting} == {SubmissionStatus.IN_REVIEW}
    assert len(waiting) >= 5
    assert len(done) / len(own) == pytest.approx(1 / 3, abs=0.08)


async def test_nobody_reviews_their_own(db: Database) -> None:
    await build(db, submissions=400, now=NOW)
    addresses = {row.user_id: row.folded for row in await everything(db, UserAddress)}
    typed: dict[str, set[str]] = {}
    for row in await everything(db, SubmissionSpeaker):
        typed.setdefault(row.submission_id, set()).add(fold_address(row.address))

    for row in await everything(db, Assignment):
        assert addresses[row.user_id] not in typed[row.submission_id]


async def test_accepted_speakers_have_every_task_once(db: Database, demo: DemoWorld) -> None:
    templates = {row.id: row for row in await of_event(db, TaskTemplate)}
    speakers = {row.id for row in await of_event(db, Speaker)}
    tasks = await of_event(db, Task)

    assert {row.name: row.kind for row in templates.values()} == {
        "Confirm your bio": TaskKind.CHECKBOX,
        "Sign the speaker agreement": TaskKind.CHECKBOX,
        "Travel and accommodation": TaskKind.CHECKBOX,
        "Slides": TaskKind.FILE,
    }
    assert {(row.template_id, row.speaker_id) for row in tasks} == {
        (template, speaker) for template in templates for speaker in speakers
    }
    assert len(tasks) == len(templates) * len(speakers)
    for row in tasks:
        assert (row.completed_at is None) == (row.status is TaskStatus.OPEN)
        assert row.completed_at is None or row.created_at <= row.completed_at < NOW
        assert row.due_on > row.created_at.date()


async def test_some_tasks_are_done_some_open_some_late(db: Database, demo: DemoWorld) -> None:
    on = today((await devconf(db)).zone, NOW)
    noor = await account(db, SPEAKER)
    (speaker,) = [row.id for row in await of_event(db, Speaker) if row.user_id == noor]
    tasks = await of_event(db, Task)

    def states(of: str | None) -> Tally[str]:
        return Tally(
            "late" if is_overdue(row.status, row.due_on, on) else row.status.value
            for row in tasks
            if of in (None, row.speaker_id)
        )

    assert states(speaker) == {"done": 1, "late": 1, "open": 2}
    assert min(states(None)[state] for state in ("late", "open", "done")) >= 5


async def test_decisions_wait_in_the_outbox(db: Database, demo: DemoWorld) -> None:
    statuses = {row.id: row.status for row in await of_event(db, Submission)}
    organizer = await account(db, ORGANIZER)
    name = next(row.name for row in await everything(db, User) if row.id == organizer)
    waiting = await everything(db, QueuedDecision)

    assert len(waiting) == 4
    assert {row.decision for row in waiting} == set(Decision)
    assert {row.queued_by for row in waiting} == {name}
    assert {statuses[row.submission_id] for row in waiting} == {SubmissionStatus.IN_REVIEW}


async def unreleased(db: Database) -> tuple[Agenda, Draft, Difference]:
    """The one release there is, what the next would hold, and the difference."""
    event = await devconf(db)
    (release,) = await everything(db, Release)
    agenda = read(release.snapshot)
    actor: Actor = system_actor("test", event.workspace_id)
    ctx = Context(actor, db, Settings(), Permission.SESSION_READ, NOW, "req_test")
    upcoming = await draft(ctx, event.id)
    return agenda, upcoming, difference(items(agenda), items(upcoming.contents))


async def test_one_release_is_out(db: Database, demo: DemoWorld) -> None:
    event = await devconf(db)
    (release,) = await everything(db, Release)
    agenda = read(release.snapshot)
    (entry,) = [r for r in await everything(db, Activity) if r.operation == "publish_agenda"]

    assert event.current_release_id == release.id
    assert release.event_id == event.id
    assert release.number == agenda.release.number == 1
    assert release.published_at == agenda.release.published_at == NOW - dt.timedelta(days=10)
    assert release.created_at == release.updated_at == entry.at == release.published_at
    assert entry.subject_id == release.id
    assert len(agenda.sessions) >= 20
    assert agenda.event.slug == demo.event
    assert {report.fault for report in await verify_chains(db)} == {None}


async def story(db: Database) -> list[Any]:
    """What of a mid-life depends on nothing but seed and number."""
    people = {row.user_id: row.folded for row in await everything(db, UserAddress)}
    titles = {row.id: (row.number, row.title) for row in await everything(db, Submission)}
    speakers = {row.id: row.name for row in await everything(db, Speaker)}
    agenda, upcoming, changes = await unreleased(db)
    return [
        sorted(
            (titles[row.submission_id], people[row.user_id], row.status)
            for row in await everything(db, Assignment)
        ),
        sorted(
            (titles[row.submission_id], people[row.user_id], row.note)
            for row in await everything(db, Review)
        ),
        sorted(
            (row.name, speakers[row.speaker_id], row.status) for row in await everything(db, Task)
        ),
        sorted(
            (titles[row.submission_id], row.decision)
            for row in await everything(db, QueuedDecision)
        ),
        [(one.day, one.start, one.room and one.room.name, one.title) for one in agenda.sessions],
        sorted(upcoming.pending),
        [(move.now.title, move.now.place[1]) for move in changes.moved],
        [item.title for item in changes.new],
    ]


async def test_the_same_seed_has_the_same_midlife(db: Database) -> None:
    stories = []
    for seed, now in ((7, NOW), (7, NOW + dt.timedelta(days=7)), (8, NOW)):
        await build(db, submissions=80, seed=seed, now=now)
        stories.append(await story(db))
        await empty(db)

    assert stories[0] == stories[1]
    assert stories[0] != stories[2]


@pytest.mark.parametrize(("submissions", "seed"), [(60, 1), (60, 2), (400, 1), (1000, 3)])
async def test_two_changes_are_not_released_yet(db: Database, submissions: int, seed: int) -> None:
    await build(db, submissions=submissions, seed=seed, now=NOW)
    agenda, upcoming, changes = await unreleased(db)

    assert (len(changes.new), len(changes.moved), changes.count) == (1, 1, 2)
    assert upcoming.pending
    assert len(upcoming.clashes) == 1
    assert digest_of(upcoming.contents) != (await everything(db, Release))[0].digest
    released = {session.id for session in agenda.sessions}
    placed = {row.session_id: row for row in await everything(db, Placement)}
    assert all(placed[one].created_at < agenda.release.published_at for one in released)


async def test_events_show_a_colour_and_an_address(db: Database, demo: DemoWorld) -> None:
    events = await db.rows(select(col(Event.accent), col(Event.contact_address)))

    assert len(events) == 3
    assert all(row.accent and row.contact_address for row in events)
