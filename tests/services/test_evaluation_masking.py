"""Who organises and reviews at once reads no names and no scores until their reviews are in."""

from dataclasses import replace

import msgspec
import pytest

from tests.conftest import Call, Statements
from tests.services.panel import ADA, asked, panel, scores, seat_people
from tests.world import ACCEPTED, DEVCONF, DRAFT, IN_REVIEW, NORTH, TRIO, World
from unsession.access import Actor, ActorKind, Role
from unsession.db.engine import Database
from unsession.errors import Forbidden
from unsession.models import FormVersion
from unsession.services.evaluation.plans import PlanFull

#: Ravi organises the workspace, and reviews in devconf.
BOTH = Actor(
    ActorKind.PERSON,
    "usr_ravi",
    "Ravi Menon",
    user_id="usr_ravi",
    workspace_roles={NORTH: frozenset({Role.ORGANIZER})},
    event_roles={DEVCONF: frozenset({Role.REVIEWER})},
    event_homes={DEVCONF: NORTH},
    standing=frozenset({Role.PERSON}),
)
CANARIES = ("Ana Lima", "Ana@Example.org", "As typed into the form.", "Kofi", "Tema Labs", "Lena")


@pytest.fixture
async def plan(call: Call, db: Database, world: World) -> PlanFull:
    """A blind plan in which Ravi and Ada review."""
    await seat_people(db)
    made = await panel(call, world, ["ravi", "ada"])
    await call("assign_reviewers", world.owner, event=DEVCONF, plan=made.id)
    return made


async def read(call: Call, actor: Actor) -> str:
    """Everything the lists and the full shapes of what is in review say, as text."""
    said = [
        (await call("list_submissions", actor, event=DEVCONF, limit=200)).data(),
        (await call("list_submissions", actor, event=DEVCONF, status="draft")).data(),
        *[
            (await call("get_submission", actor, submission=one)).data()
            for one in (IN_REVIEW, TRIO, DRAFT)
        ],
    ]
    return msgspec.json.encode(said).decode()


async def test_names_are_left_out_until_ones_reviews_are_in(
    call: Call, plan: PlanFull, world: World
) -> None:
    organiser = await read(call, world.organizer)
    assert all(canary in organiser for canary in CANARIES)

    for submission in (IN_REVIEW, TRIO):
        masked = await read(call, BOTH)
        assert not [canary for canary in CANARIES if canary in masked]
        assert "Morning, please." not in masked, "free text may name somebody"
        await call("submit_review", BOTH, submission=submission, scores=scores(plan, 4, 4))

    assert await read(call, BOTH) == await read(call, world.organizer)


@pytest.mark.parametrize("way", ["abstain", "leave", "close", "decided", "chair"])
async def test_other_ways_to_owe_nothing(
    call: Call, plan: PlanFull, world: World, way: str
) -> None:
    assert (await call("get_submission", BOTH, submission=IN_REVIEW)).result.speakers == []
    if way == "abstain":
        for submission in (IN_REVIEW, TRIO):
            await call("abstain", BOTH, submission=submission)
    elif way == "close":
        await call("close_evaluation_plan", world.owner, event=DEVCONF, plan=plan.id)
    elif way == "decided":
        for submission in (IN_REVIEW, TRIO):
            await call("decide_submission", world.owner, submission=submission, decision="decline")
    else:
        people = [{"address": "ada@example.org"}]
        if way == "chair":
            people.append({"address": "ravi@example.org", "role": "chair"})
        await call(
            "save_evaluation_plan", world.owner, event=DEVCONF, plan=plan.id, reviewers=people
        )

    shown = (await call("get_submission", BOTH, submission=IN_REVIEW)).result

    assert [speaker.name for speaker in shown.speakers] == ["Ana Lima"]


async def test_before_anything_is_assigned_nothing_is_in(
    call: Call, db: Database, world: World
) -> None:
    plan = await panel(call, world, ["ravi"])

    assert await asked(db, plan.id) == set()
    assert (await call("get_submission", BOTH, submission=IN_REVIEW)).result.speakers == []


async def test_what_is_decided_is_no_secret(call: Call, plan: PlanFull) -> None:
    shown = (await call("get_submission", BOTH, submission=ACCEPTED)).result

    assert [speaker.name for speaker in shown.speakers] == ["Sam Oduya"]


async def test_a_name_one_may_not_see_cannot_be_found(
    call: Call, plan: PlanFull, world: World
) -> None:
    async def found(actor: Actor, words: str) -> list[str]:
        page = (await call("list_submissions", actor, event=DEVCONF, q=words)).result
        return [row.id for row in page.items]

    assert await found(world.organizer, "kofi") == [TRIO]
    assert await found(BOTH, "kofi") == []
    assert await found(BOTH, "three voices") == [TRIO]
    assert await found(BOTH, "oduya") == [ACCEPTED]


async def test_scores_are_left_out_and_no_order_tells_them(call: Call, plan: PlanFull) -> None:
    await call("submit_review", ADA, submission=IN_REVIEW, scores=scores(plan, 1, 1))

    listed = (await call("list_submissions", BOTH, event=DEVCONF)).result
    shown = (await call("get_submission", BOTH, submission=IN_REVIEW)).result

    assert {row.id for row in listed.items if row.score is not msgspec.UNSET}.isdisjoint(
        {IN_REVIEW, TRIO}
    )
    assert (shown.score, shown.scores) == (msgspec.UNSET, msgspec.UNSET)
    for name, more in (
        ("list_submissions", {"sort": "score"}),
        ("list_submissions", {"sort": "spread"}),
        ("list_submissions", {"minScore": 2}),
        ("get_evaluation_scores", {}),
    ):
        with pytest.raises(Forbidden, match="once your own reviews are in"):
            await call(name, BOTH, event=DEVCONF, **more)


async def test_a_plan_that_is_not_blind_hides_scores_alone(
    call: Call, db: Database, world: World
) -> None:
    plan = await panel(call, world, ["ravi"], blind=False)
    await call("assign_reviewers", world.owner, event=DEVCONF, plan=plan.id)

    shown = (await call("get_submission", BOTH, submission=IN_REVIEW)).result

    assert [speaker.name for speaker in shown.speakers] == ["Ana Lima"]
    assert shown.score is msgspec.UNSET


async def test_a_token_of_such_a_person_is_masked_as_well(call: Call, plan: PlanFull) -> None:
    token = replace(BOTH, kind=ActorKind.TOKEN, id="tok_both", name="api:both")

    masked = await read(call, token)

    assert not [canary for canary in CANARIES if canary in masked]


async def test_choices_show_even_where_names_do_not(
    call: Call, db: Database, plan: PlanFull
) -> None:
    async with db.write() as session:
        version = await session.get_one(FormVersion, "fvr_devconf")
        version.fields = [{"id": "fld_notes", "label": "Slot", "type": "SEL", "options": []}]

    shown = (await call("get_submission", BOTH, submission=IN_REVIEW)).result

    assert [answer.value for answer in shown.answers] == ["Morning, please."]


async def test_who_is_no_reviewer_pays_no_look_up(
    call: Call, plan: PlanFull, statements: Statements, world: World
) -> None:
    statements.clear()
    await call("list_submissions", world.organizer, event=DEVCONF)
    plain = len(statements)
    statements.clear()
    await call("list_submissions", BOTH, event=DEVCONF)

    assert len(statements) == plain + 1
    assert plain == 3, "the event, the page, the options"


async def test_a_decision_would_name_whom_it_mails_and_waits_for_ones_reviews(
    call: Call, plan: PlanFull
) -> None:
    with pytest.raises(Forbidden):
        await call("decide_submission", BOTH, submission=IN_REVIEW, decision="accept")
    with pytest.raises(Forbidden):
        await call("decide_submission", BOTH, dry_run=True, submission=TRIO, decision="decline")

    for submission in (IN_REVIEW, TRIO):
        await call("submit_review", BOTH, submission=submission, scores=scores(plan, 4, 4))

    decided = await call("decide_submission", BOTH, submission=IN_REVIEW, decision="accept")
    assert decided.result.status.now == "accepted"


async def test_comments_and_exports_name_nobody_until_ones_reviews_are_in(
    call: Call, plan: PlanFull, world: World
) -> None:
    here = {"submission": IN_REVIEW}
    await call("comment_on_submission", world.owner, **here, body="Ana Lima is great")
    table = {"event": DEVCONF, "form": "talks", "status": "in_review"}

    for actor, named in ((world.owner, True), (BOTH, False)):
        comments = (await call("list_comments", actor, **here)).result.items
        text = (await call("export_submissions", actor, **table)).result.text
        assert bool(comments) is named
        for canary in CANARIES:
            assert (canary in text) is named, canary
