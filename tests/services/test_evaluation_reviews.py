"""my_reviews, submit_review and abstain; get_evaluation_scores and what lists show of it."""

import datetime as dt
from typing import Any

import msgspec
import pytest

from tests.conftest import Call, Statements
from tests.services.conftest import Log
from tests.services.panel import (
    ADA,
    BO,
    CRITERIA,
    CY,
    panel,
    rows_of,
    scores,
    seat_people,
    standing,
)
from tests.services.refusals import not_found
from tests.world import ACCEPTED, DEVCONF, FINAL_ROUND, IN_REVIEW, PYDAY, RIVAL, TRIO, World
from unsession.db.engine import Database
from unsession.domain.evaluation import PlanStatus
from unsession.errors import Conflict, Forbidden, Invalid, Stale
from unsession.models import (
    Assignment,
    EvaluationPlan,
    FormVersion,
    Review,
    ReviewScore,
    Submission,
    SubmissionScore,
)
from unsession.services.evaluation.plans import PlanFull


@pytest.fixture
async def plan(call: Call, db: Database, world: World) -> PlanFull:
    """A blind plan with two reviewers, Mei and Ada, who are both asked for everything."""
    await seat_people(db)
    made = await panel(call, world, ["mei", "ada"])
    await call("assign_reviewers", world.organizer, event=DEVCONF, plan=made.id)
    return made


async def test_a_review_is_stored_and_scored(
    call: Call, db: Database, plan: PlanFull, world: World
) -> None:
    given = (
        await call(
            "submit_review",
            world.reviewer,
            submission="SUB-1",
            scores=scores(plan, 5, 2, 3),
            note="Good.",
        )
    ).result

    assert (given.submission, given.plan, given.state) == (IN_REVIEW, plan.id, "done")
    (review,) = await rows_of(db, Review, plan_id=plan.id)
    assert (review.user_id, review.status, review.note) == ("usr_mei", "submitted", "Good.")
    row = (await standing(db, plan.id))[IN_REVIEW]
    # 5 counts double, 2 once, and 3 of 3 is a 5: (10 + 2 + 5) / 4
    assert (row.mean, row.spread, row.reviews, row.expected) == (4.25, 0.0, 1, 2)


async def test_mean_and_spread_are_those_of_both_reviews(
    call: Call, db: Database, plan: PlanFull, world: World
) -> None:
    await call("submit_review", world.reviewer, submission="1", scores=scores(plan, 5, 5))
    await call("submit_review", ADA, submission="1", scores=scores(plan, 2, 2))

    row = (await standing(db, plan.id))[IN_REVIEW]

    assert (row.mean, row.spread, row.reviews) == (3.5, 1.5, 2)


async def test_a_review_can_be_changed_until_the_plan_closes(
    call: Call, db: Database, plan: PlanFull, world: World
) -> None:
    await call("submit_review", world.reviewer, submission="1", scores=scores(plan, 5, 5, 1))
    await call("submit_review", world.reviewer, submission="1", scores=scores(plan, 1, 1))
    assert (await standing(db, plan.id))[IN_REVIEW].mean == 1.0
    assert len(await rows_of(db, ReviewScore)) == 2, "the optional one is taken back"

    await call("close_evaluation_plan", world.organizer, event=DEVCONF, plan=plan.id)

    for name, more in (("submit_review", {"scores": scores(plan, 5, 5)}), ("abstain", {})):
        with pytest.raises(Conflict, match="takes no more reviews since"):
            await call(name, world.reviewer, submission="1", **more)


@pytest.mark.parametrize(
    ("column", "days", "says"),
    [("opens_at", 1, "takes reviews from"), ("closes_at", -1, "no more")],
)
async def test_reviews_are_taken_within_the_plans_dates(
    call: Call, db: Database, plan: PlanFull, world: World, column: str, days: int, says: str
) -> None:
    async with db.write() as session:
        row = await session.get_one(EvaluationPlan, plan.id)
        setattr(row, column, dt.datetime.now(dt.UTC) + dt.timedelta(days=days))

    with pytest.raises(Conflict, match=f"{says}.*Europe/Lisbon"):
        await call("submit_review", world.reviewer, submission="1", scores=scores(plan, 5, 5))


async def test_an_abstention_counts_in_no_mean_and_drops_scores(
    call: Call, db: Database, plan: PlanFull, world: World
) -> None:
    await call("submit_review", world.reviewer, submission="1", scores=scores(plan, 1, 1))
    await call("submit_review", ADA, submission="1", scores=scores(plan, 4, 4))

    gone = (
        await call("abstain", world.reviewer, submission="1", reason="I know who it is.")
    ).result

    assert gone.state == "abstained"
    row = (await standing(db, plan.id))[IN_REVIEW]
    assert (row.mean, row.spread, row.reviews, row.expected) == (4.0, 0.0, 1, 1)
    back = (
        await call("submit_review", world.reviewer, submission="1", scores=scores(plan, 2, 2))
    ).result
    assert back.state == "done"
    assert (await standing(db, plan.id))[IN_REVIEW].mean == 3.0


async def test_without_a_review_there_is_no_mean(
    call: Call, db: Database, plan: PlanFull, world: World
) -> None:
    await call("abstain", world.reviewer, submission="1")
    await call("abstain", ADA, submission="1")

    row = (await standing(db, plan.id))[IN_REVIEW]
    assert (row.mean, row.spread, row.reviews, row.expected) == (None, None, 0, 0)
    (listed,) = [
        one
        for one in (await call("list_submissions", world.reader, event=DEVCONF)).result.items
        if one.id == IN_REVIEW
    ]
    assert msgspec.to_builtins(listed.score) == {"reviews": 0, "expected": 0}


async def test_scores_land_on_criteria_by_id_whatever_their_order(
    call: Call, db: Database, plan: PlanFull, world: World
) -> None:
    old = scores(plan, 5, 1)
    await call(
        "save_evaluation_plan",
        world.organizer,
        event=DEVCONF,
        plan=plan.id,
        criteria=[{"name": "On top", "required": False}, *CRITERIA],
    )

    await call("submit_review", world.reviewer, submission="1", scores=old)

    stored = {row.criterion_id: row.value for row in await rows_of(db, ReviewScore)}
    assert stored == {plan.criteria[0].id: 5, plan.criteria[1].id: 1}


async def test_a_criterion_that_left_the_plan_is_refused_and_never_shifted(
    call: Call, plan: PlanFull, world: World
) -> None:
    await call(
        "save_evaluation_plan",
        world.organizer,
        event=DEVCONF,
        plan=plan.id,
        criteria=[{"name": "Depth"}, {"name": "New"}],
    )

    with pytest.raises(Invalid) as refused:
        await call("submit_review", world.reviewer, submission="1", scores=scores(plan, 5, 4))

    assert [p.path for p in refused.value.problems] == ["/scores/0/criterion", "/scores"]
    assert "read it again" in refused.value.message


async def test_every_problem_of_a_review_is_said_at_once(
    call: Call, plan: PlanFull, world: World
) -> None:
    with pytest.raises(Invalid) as refused:
        await call(
            "submit_review",
            world.reviewer,
            submission="1",
            scores=[
                {"criterion": "extra", "value": 4},
                {"criterion": "Depth", "value": 3},
                {"criterion": plan.criteria[1].id, "value": 2},
            ],
        )

    assert [(p.path, p.message) for p in refused.value.problems] == [
        ("/scores/0/value", "must be from 1 to 3 for “Extra”"),
        ("/scores/2/criterion", "is given twice"),
        ("/scores", f"“Relevance” ({plan.criteria[0].id}) needs a score from 1 to 5"),
    ]


async def test_what_is_not_assigned_does_not_exist_for_a_reviewer(
    call: Call, plan: PlanFull, world: World
) -> None:
    for name, more in (("submit_review", {"scores": scores(plan, 5, 5)}), ("abstain", {})):
        theirs = await not_found(call(name, world.reviewer, submission="SUB-3", **more), "SUB-3")
        nobodys = await not_found(call(name, world.reviewer, submission="SUB-77", **more), "SUB-77")
        assert theirs == nobodys
        by_title = call(name, world.reviewer, submission="Async without tears", **more)
        assert await not_found(by_title, "Async without tears") == nobodys
        somebody = call(name, CY, submission="SUB-1", **more)
        assert await not_found(somebody, "SUB-1") == nobodys


async def test_organisers_review_only_where_they_are_reviewers(
    call: Call, plan: PlanFull, world: World
) -> None:
    for name, more in (("submit_review", {"scores": []}), ("abstain", {})):
        with pytest.raises(Forbidden):
            await call(name, world.organizer, submission="1", **more)
    with pytest.raises(Forbidden):
        await call("my_reviews", world.organizer, event=DEVCONF)


async def test_an_old_version_of_a_review_is_stale(
    call: Call, plan: PlanFull, world: World
) -> None:
    first = await call("submit_review", world.reviewer, submission="1", scores=scores(plan, 5, 5))
    await call("submit_review", world.reviewer, submission="1", scores=scores(plan, 4, 4))

    for name, more in (("submit_review", {"scores": scores(plan, 1, 1)}), ("abstain", {})):
        with pytest.raises(Stale):
            await call(name, world.reviewer, submission="1", version=first.result.version, **more)


async def test_a_review_is_recorded_without_what_it_says(
    call: Call, log: Log, plan: PlanFull, world: World
) -> None:
    await call(
        "submit_review", world.reviewer, submission="1", scores=scores(plan, 5, 5), note="Secret."
    )
    changed = await call(
        "submit_review", world.reviewer, submission="1", scores=scores(plan, 5, 5), note="Other."
    )
    same = await call("submit_review", world.reviewer, submission="1", scores=scores(plan, 5, 5))

    entries = (await log())[-2:]
    assert [(e.operation, e.actor_name) for e in entries] == [("submit_review", "Mei Tanaka")] * 2
    told = [msgspec.json.decode(e.content) for e in entries]
    assert [one["summary"] for one in told] == ["Review of SUB-1 in “Panel” given"] * 2
    assert "Secret" not in str([one["changes"] for one in told])
    assert "Secret" not in str(changed.effects)
    assert (same.effects, same.activity_id) == ((), None)


async def test_a_withdrawn_submission_needs_no_review(
    call: Call, db: Database, plan: PlanFull, world: World
) -> None:
    async with db.write() as session:
        (await session.get_one(Submission, IN_REVIEW)).status = "withdrawn"  # type: ignore[assignment]

    with pytest.raises(Conflict, match="withdrawn"):
        await call("submit_review", world.reviewer, submission="1", scores=scores(plan, 5, 5))
    queue = (await call("my_reviews", world.reviewer)).result
    assert [item.submission for item in queue.items] == [TRIO]


# ── what a reviewer reads ────────────────────────────────────────────────────────────────────


async def test_a_blind_queue_has_everything_but_who_it_is(
    call: Call, plan: PlanFull, world: World
) -> None:
    await call(
        "submit_review", world.reviewer, submission="2", scores=scores(plan, 4, 3), note="Fine."
    )

    queue = msgspec.to_builtins((await call("my_reviews", world.reviewer)).data())

    assert queue["event"] == "devconf-2027"
    assert queue["total"] == 2
    first, second = queue["items"]
    assert first == {
        "submission": IN_REVIEW,
        "plan": plan.id,
        "state": "open",
        "title": "Typing the untyped",
        "abstract": "About “Typing the untyped”.",
        "options": {"track": "Web", "format": "Workshop", "level": "Beginner"},
        "answers": [],
        "number": 1,
    }
    review = second["review"]
    assert {one["criterion"]: one["value"] for one in review["scores"]} == {
        plan.criteria[0].id: 4,
        plan.criteria[1].id: 3,
    }
    assert (review["note"], second["state"]) == ("Fine.", "done")
    assert second["score"] == {"reviews": 1, "mean": pytest.approx(3.667), "spread": 0.0}
    (brief,) = queue["plans"]
    assert brief["blind"] is True
    assert [one["name"] for one in brief["criteria"]] == ["Relevance", "Depth", "Extra"]
    assert "reviewers" not in brief


async def test_a_plan_that_is_not_blind_shows_names_and_answers(call: Call, world: World) -> None:
    plan = await panel(call, world, ["mei"], blind=False)
    await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)

    queue = (await call("my_reviews", world.reviewer, event=DEVCONF, submission="SUB-2")).result

    (item,) = queue.items
    assert item.speakers == ["Kofi Mensah", "Lena Fischer", "K. Mensah"]
    assert [(a.label, a.value) for a in item.answers] == [
        ("Notes for the committee", "Morning, please.")
    ]


async def test_blind_answers_are_those_nobody_types_a_name_into(
    call: Call, db: Database, plan: PlanFull, world: World
) -> None:
    async with db.write() as session:
        version = await session.get_one(FormVersion, "fvr_devconf")
        version.fields = [
            {"id": "fld_site", "label": "Site", "type": "URL"},
            {"id": "fld_words", "label": "In a word", "type": "TXT"},
            {
                "id": "fld_first",
                "label": "First talk?",
                "type": "SEL",
                "options": [{"id": "opt_y", "label": "Yes"}],
            },
        ]
        row = await session.get_one(Submission, IN_REVIEW)
        row.answers = {"fld_site": "https://ana.example", "fld_words": "Ana", "fld_first": "opt_y"}

    (item,) = (await call("my_reviews", world.reviewer, submission="1")).result.items

    assert [(a.label, a.value) for a in item.answers] == [("First talk?", "Yes")]


async def test_nobody_sees_others_scores_before_their_own_is_in(
    call: Call, plan: PlanFull, world: World
) -> None:
    await call("submit_review", ADA, submission="1", scores=scores(plan, 1, 1), note="No.")

    before = (await call("my_reviews", world.reviewer, submission="1")).result.items[0]
    await call("abstain", world.reviewer, submission="1")
    abstained = (await call("my_reviews", world.reviewer, submission="1")).result.items[0]
    await call("submit_review", world.reviewer, submission="1", scores=scores(plan, 5, 5))
    after = (await call("my_reviews", world.reviewer, submission="1")).result.items[0]

    assert before.score is msgspec.UNSET
    assert before.review is msgspec.UNSET
    assert abstained.score is msgspec.UNSET
    assert (after.score.reviews, after.score.mean, after.score.spread) == (2, 3.0, 2.0)
    assert "No." not in str(msgspec.to_builtins(after))


async def test_the_queue_is_ones_own_and_of_one_event(
    call: Call, plan: PlanFull, world: World
) -> None:
    nothing = (await call("my_reviews", BO)).result
    assert (nothing.items, nothing.total, nothing.plans) == ([], 0, [])

    elsewhere = call("my_reviews", world.reviewer, event=RIVAL)
    missing = call("my_reviews", world.reviewer, event="evt_none")
    assert await not_found(elsewhere, RIVAL) == await not_found(missing, "evt_none")
    with pytest.raises(Forbidden):
        await call("my_reviews", world.organizer, event=PYDAY)


async def test_the_queue_is_paged_and_filtered(
    call: Call, crowd: list[str], db: Database, world: World
) -> None:
    made = await panel(call, world, ["mei"], reviewsPerSubmission=1)
    await call("assign_reviewers", world.organizer, event=DEVCONF, plan=made.id)
    await call("submit_review", world.reviewer, submission=TRIO, scores=scores(made, 4, 4))

    shown, cursor = [], None
    for _ in range(20):
        more = {"cursor": cursor} if cursor else {}
        page = (await call("my_reviews", world.reviewer, limit=5, **more)).result
        shown += [item.submission for item in page.items]
        cursor = page.next_cursor
        if cursor is msgspec.UNSET:
            break
    done = (await call("my_reviews", world.reviewer, state="done", plan=made.id)).result

    assert shown == [IN_REVIEW, TRIO, *crowd]
    assert [item.submission for item in done.items] == [TRIO]
    assert done.total == 1


async def test_the_number_of_statements_does_not_depend_on_the_number_of_reviews(
    call: Call, crowd: list[str], plan: PlanFull, statements: Statements, world: World
) -> None:
    statements.clear()
    await call("my_reviews", world.reviewer, event=DEVCONF)
    few = len(statements)
    await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)
    statements.clear()

    await call("my_reviews", world.reviewer, event=DEVCONF)

    assert len(statements) == few


# ── scores ───────────────────────────────────────────────────────────────────────────────────


async def test_scores_come_by_criterion_on_its_own_scale(
    call: Call, plan: PlanFull, world: World
) -> None:
    await call("submit_review", world.reviewer, submission="1", scores=scores(plan, 5, 4, 3))
    await call("submit_review", ADA, submission="1", scores=scores(plan, 2, 1, 2))
    await call("submit_review", ADA, submission="2", scores=scores(plan, 5, 5))

    page = msgspec.to_builtins(
        (await call("get_evaluation_scores", world.reader, event=DEVCONF)).data()
    )

    assert (page["plan"], page["planName"], page["total"]) == (plan.id, "Panel", 2)
    assert [item["number"] for item in page["items"]] == [2, 1]
    best, second = page["items"]
    assert best == {
        "id": TRIO,
        "number": 2,
        "title": "Three voices, one stage",
        "status": "in_review",
        "reviews": 1,
        "expected": 2,
        "mean": 5.0,
        "spread": 0.0,
        "criteria": [
            {"id": plan.criteria[0].id, "name": "Relevance", "scale": 5, "mean": 5.0},
            {"id": plan.criteria[1].id, "name": "Depth", "scale": 5, "mean": 5.0},
        ],
    }
    assert [(one["name"], one["mean"]) for one in second["criteria"]] == [
        ("Relevance", 3.5),
        ("Depth", 2.5),
        ("Extra", 2.5),
    ]
    assert second["mean"] == pytest.approx(((10 + 4 + 5) / 4 + (4 + 1 + 3) / 4) / 2)


async def test_one_submission_shows_its_scores_by_criterion(
    call: Call, plan: PlanFull, world: World
) -> None:
    await call("submit_review", world.reviewer, submission="1", scores=scores(plan, 5, 4))

    shown = (await call("get_submission", world.reader, submission=IN_REVIEW)).result

    assert [(one.name, one.scale, one.mean) for one in shown.scores] == [
        ("Relevance", 5, 5.0),
        ("Depth", 5, 4.0),
    ]
    accepted = (await call("get_submission", world.reader, submission=ACCEPTED)).result
    assert accepted.scores is msgspec.UNSET


@pytest.mark.parametrize("sort", ["score", "spread", "reviews", "number"])
async def test_every_order_pages_through_everything_once(
    call: Call, crowd: list[str], world: World, sort: str
) -> None:
    shown: list[Any] = []
    cursor = None
    for _ in range(30):
        more = {"cursor": cursor} if cursor else {}
        page = (
            await call(
                "get_evaluation_scores",
                world.reader,
                event=DEVCONF,
                plan=FINAL_ROUND,
                sort=sort,
                limit=4,
                **more,
            )
        ).result
        shown += page.items
        cursor = page.next_cursor
        if cursor is msgspec.UNSET:
            break

    assert len({item.id for item in shown}) == len(shown) == page.total
    if sort == "number":
        assert [item.number for item in shown] == sorted(item.number for item in shown)
    else:
        name = {"score": "mean"}.get(sort, sort)
        values = [getattr(item, name) for item in shown]
        values = [-1 if value is msgspec.UNSET else value for value in values]
        assert values == sorted(values, reverse=True)


async def test_scores_are_not_for_reviewers_nor_for_strangers(
    call: Call, plan: PlanFull, world: World
) -> None:
    with pytest.raises(Forbidden):
        await call("get_evaluation_scores", world.reviewer, event=DEVCONF)
    theirs = call("get_evaluation_scores", world.stranger, event=DEVCONF)
    nobodys = call("get_evaluation_scores", world.stranger, event="evt_none")
    assert await not_found(theirs, DEVCONF) == await not_found(nobodys, "evt_none")


async def test_an_event_without_a_plan_says_so(call: Call, world: World) -> None:
    await not_found(call("get_evaluation_scores", world.organizer, event=PYDAY), PYDAY)


async def test_an_archived_plan_is_in_nobodys_queue(
    call: Call, db: Database, plan: PlanFull, world: World
) -> None:
    async with db.write() as session:
        (await session.get_one(EvaluationPlan, plan.id)).status = PlanStatus.ARCHIVED

    assert (await call("my_reviews", world.reviewer)).result.total == 0
    assert await rows_of(db, Assignment, plan_id=plan.id)
    assert await rows_of(db, SubmissionScore, plan_id=plan.id)
