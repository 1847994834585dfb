"""list_evaluation_plans, save_evaluation_plan and close_evaluation_plan."""

import datetime as dt

import msgspec
import pytest

from tests.conftest import Call, Statements
from tests.services.conftest import Log
from tests.services.panel import CRITERIA, asked, panel, rows_of, scores, seat_people, standing
from tests.services.refusals import not_found
from tests.world import (
    DEVCONF,
    FINAL_ROUND,
    FIRST_ROUND,
    IN_REVIEW,
    PYDAY,
    RIVAL,
    TRIO,
    World,
)
from unsession.db.engine import Database
from unsession.errors import Conflict, Forbidden, Invalid, Stale
from unsession.models import Criterion, EventMember, Invitation, Mail, PlanReviewer


async def test_a_plan_is_made_with_criteria_and_reviewers(
    call: Call, db: Database, world: World
) -> None:
    await seat_people(db)

    plan = msgspec.to_builtins(
        await panel(call, world, instructions="Read it twice.", closesAt="2027-03-05")
    )

    assert plan == {
        "id": plan["id"],
        "name": "Panel",
        "status": "open",
        "phase": 3,
        "blind": True,
        "reviewsPerSubmission": 2,
        "instructions": "Read it twice.",
        "closesAt": "2027-03-05T23:59:59Z",
        "criteria": [
            {
                "id": plan["criteria"][0]["id"],
                "name": "Relevance",
                "scale": 5,
                "weight": 2.0,
                "required": True,
                "hint": "Will people here care?",
            },
            {
                "id": plan["criteria"][1]["id"],
                "name": "Depth",
                "scale": 5,
                "weight": 1.0,
                "required": True,
            },
            {
                "id": plan["criteria"][2]["id"],
                "name": "Extra",
                "scale": 3,
                "weight": 1.0,
                "required": False,
            },
        ],
        "reviewers": [
            {
                "id": f"usr_{short}",
                "name": name,
                "role": "member",
                "load": {"open": 0, "done": 0, "abstained": 0},
                "address": address,
            }
            for short, name, address in (
                ("ada", "Ada Mensah", "ada@example.org"),
                ("bo", "Bo Lind", "bo@example.org"),
                ("mei", "Mei Tanaka", "Mei@example.org"),
            )
        ],
        "invited": [],
        "submissions": 0,
        "progress": {"open": 0, "done": 0, "abstained": 0},
        "version": 1,
    }


async def test_a_member_of_the_workspace_becomes_a_reviewer_of_the_event(
    call: Call, db: Database, world: World
) -> None:
    before = await rows_of(db, EventMember, user_id="usr_ravi", event_id=DEVCONF)

    plan = await panel(call, world, ["ravi"])
    await call(
        "save_evaluation_plan",
        world.organizer,
        event=DEVCONF,
        plan="Panel",
        reviewers=[{"address": "Ravi@Example.org", "role": "chair"}],
    )

    assert before == []
    (role,) = await rows_of(db, EventMember, user_id="usr_ravi", event_id=DEVCONF)
    assert role.role == "reviewer"
    (seat,) = await rows_of(db, PlanReviewer, user_id="usr_ravi", plan_id=plan.id)
    assert seat.role == "chair"


async def test_whoever_has_no_part_yet_is_invited_whether_they_have_an_account_or_not(
    call: Call, db: Database, log: Log, world: World
) -> None:
    plan = await panel(call, world, ["tom", "mei", "ghost", "eva"])

    invited = [f"{one}@example.org" for one in ("eva", "ghost", "tom")]
    assert list(plan.invited) == invited
    assert [one.id for one in plan.reviewers] == ["usr_mei"]
    rows = await rows_of(db, Invitation, plan_id=plan.id)
    assert {(row.role, row.event_id) for row in rows} == {("reviewer", DEVCONF)}
    mails = await rows_of(db, Mail, kind="invitation")
    assert sorted(mail.to_address for mail in mails) == invited
    (entry,) = await log()
    assert entry.subject_id == plan.id
    again = await call(
        "save_evaluation_plan",
        world.organizer,
        event=DEVCONF,
        plan=plan.id,
        reviewers=[{"address": "mei@example.org"}, {"address": "TOM@example.org"}],
    )
    assert [warning.kind for warning in again.warnings] == ["already_invited"]
    assert len(await rows_of(db, Mail, kind="invitation")) == 3


async def test_what_is_no_address_is_refused(call: Call, world: World) -> None:
    with pytest.raises(Invalid) as refused:
        await panel(call, world, reviewers=[{"address": "not an address"}])

    assert [problem.path for problem in refused.value.problems] == ["/reviewers/0/address"]


async def test_a_reviewer_named_twice_is_refused(call: Call, world: World) -> None:
    with pytest.raises(Invalid, match="named already"):
        await panel(call, world, ["mei", "mei"])


async def test_a_new_plan_needs_a_name_and_criteria(call: Call, world: World) -> None:
    for without in ("name", "criteria"):
        given = {"name": "New", "criteria": CRITERIA}
        del given[without]

        with pytest.raises(Invalid) as refused:
            await call("save_evaluation_plan", world.organizer, event=DEVCONF, **given)

        assert [p.path for p in refused.value.problems] == [f"/{without}"]


async def test_two_plans_of_an_event_never_share_a_name(call: Call, world: World) -> None:
    with pytest.raises(Invalid, match="already has this name"):
        await panel(call, world, ["mei"], name="final  ROUND")


async def test_what_is_left_out_stays_and_what_is_cleared_goes(call: Call, world: World) -> None:
    plan = await panel(call, world, ["mei"], closesAt="2027-03-05T18:00")

    renamed = (
        await call(
            "save_evaluation_plan", world.organizer, event=DEVCONF, plan=plan.id, name="Renamed"
        )
    ).result
    cleared = (
        await call(
            "save_evaluation_plan", world.organizer, event=DEVCONF, plan=plan.id, closesAt=None
        )
    ).result

    assert renamed.closes_at == dt.datetime(2027, 3, 5, 18, 0, tzinfo=dt.UTC)
    assert (renamed.name, renamed.criteria, renamed.reviewers) == (
        "Renamed",
        plan.criteria,
        plan.reviewers,
    )
    assert cleared.closes_at is msgspec.UNSET


async def test_it_must_close_after_it_opens(call: Call, world: World) -> None:
    with pytest.raises(Invalid, match="later than opensAt"):
        await panel(call, world, ["mei"], opensAt="2027-03-05", closesAt="2027-03-04")
    with pytest.raises(Invalid, match="must be a date"):
        await panel(call, world, ["mei"], closesAt="next Friday")


async def test_criteria_keep_their_ids_and_those_left_out_count_no_more(
    call: Call, db: Database, world: World
) -> None:
    plan = await panel(call, world, ["mei"])
    relevance, depth, extra = plan.criteria

    saved = (
        await call(
            "save_evaluation_plan",
            world.organizer,
            event=DEVCONF,
            plan=plan.id,
            criteria=[
                {"name": "Clarity"},
                {"id": relevance.id, "name": "Depth of relevance"},
                {"name": "depth", "weight": 3},
            ],
        )
    ).result

    assert [(c.id, c.name, c.weight) for c in saved.criteria[1:]] == [
        (relevance.id, "Depth of relevance", 1.0),
        (depth.id, "depth", 3.0),
    ]
    assert saved.criteria[0].id not in {relevance.id, depth.id, extra.id}
    (gone,) = await rows_of(db, Criterion, id=extra.id)
    assert gone.archived_at is not None


async def test_criteria_are_refused_with_every_problem(call: Call, world: World) -> None:
    plan = await panel(call, world, ["mei"])

    with pytest.raises(Invalid) as refused:
        await call(
            "save_evaluation_plan",
            world.organizer,
            event=DEVCONF,
            plan=plan.id,
            criteria=[
                {"name": "A"},
                {"name": "a "},
                {"name": "B", "id": "cri_other"},
                {"name": " "},
            ],
        )

    assert [p.path for p in refused.value.problems] == [
        "/criteria/1/name",
        "/criteria/2/id",
        "/criteria/3/name",
    ]


async def test_a_scale_with_scores_cannot_change(call: Call, db: Database, world: World) -> None:
    plan = await panel(call, world, ["mei"])
    await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)
    await call("submit_review", world.reviewer, submission="SUB-1", scores=scores(plan, 5, 4))
    changed = [{"id": plan.criteria[0].id, "name": "Relevance", "scale": 4}]

    with pytest.raises(Conflict, match="has scores from 1 to 5"):
        await call(
            "save_evaluation_plan", world.organizer, event=DEVCONF, plan=plan.id, criteria=changed
        )


async def test_another_weight_counts_at_once(call: Call, db: Database, world: World) -> None:
    plan = await panel(call, world, ["mei"])
    await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)
    await call("submit_review", world.reviewer, submission="SUB-1", scores=scores(plan, 5, 2))
    before = (await standing(db, plan.id))[IN_REVIEW].mean

    await call(
        "save_evaluation_plan",
        world.organizer,
        event=DEVCONF,
        plan=plan.id,
        criteria=[{"name": "Relevance"}, {"name": "Depth"}],
    )

    assert before == pytest.approx(4.0)
    assert (await standing(db, plan.id))[IN_REVIEW].mean == pytest.approx(3.5)


async def test_who_leaves_a_plan_is_asked_for_nothing_more_and_their_reviews_stay(
    call: Call, db: Database, world: World
) -> None:
    await seat_people(db)
    plan = await panel(call, world, ["mei", "ada"])
    await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)
    await call("submit_review", world.reviewer, submission="SUB-1", scores=scores(plan, 5, 5))

    await call(
        "save_evaluation_plan",
        world.organizer,
        event=DEVCONF,
        plan=plan.id,
        reviewers=[{"address": "ada@example.org"}],
    )

    assert await asked(db, plan.id) == {(IN_REVIEW, "usr_ada"), (TRIO, "usr_ada")}
    assert await asked(db, plan.id, "released") == {(TRIO, "usr_mei")}
    row = (await standing(db, plan.id))[IN_REVIEW]
    assert (row.mean, row.reviews, row.expected) == (5.0, 1, 2)


async def test_saving_is_recorded_and_not_when_nothing_changes(
    call: Call, log: Log, world: World
) -> None:
    plan = await panel(call, world, ["mei"])

    again = await call(
        "save_evaluation_plan",
        world.organizer,
        event=DEVCONF,
        plan=plan.id,
        criteria=CRITERIA,
        reviewers=[{"address": "mei@example.org"}],
    )

    (entry,) = await log()
    assert (entry.operation, entry.subject_id) == ("save_evaluation_plan", plan.id)
    assert again.effects == ()
    assert again.activity_id is None


async def test_plans_are_saved_and_listed_by_organisers_alone(call: Call, world: World) -> None:
    with pytest.raises(Forbidden):
        await call("save_evaluation_plan", world.reviewer, event=DEVCONF, name="Mine")
    with pytest.raises(Forbidden):
        await call("list_evaluation_plans", world.reviewer, event=DEVCONF)
    with pytest.raises(Forbidden):
        await call("close_evaluation_plan", world.reader, event=DEVCONF, plan=FINAL_ROUND)


async def test_another_workspaces_plans_do_not_exist(call: Call, world: World) -> None:
    theirs = call("list_evaluation_plans", world.organizer, event=RIVAL)
    nobodys = call("list_evaluation_plans", world.organizer, event="evt_nobodys")
    assert await not_found(theirs, RIVAL) == await not_found(nobodys, "evt_nobodys")

    elsewhere = call("close_evaluation_plan", world.organizer, event=PYDAY, plan=FINAL_ROUND)
    missing = call("close_evaluation_plan", world.organizer, event=PYDAY, plan="epl_none")
    assert await not_found(elsewhere, FINAL_ROUND) == await not_found(missing, "epl_none")


async def test_an_old_version_is_stale(call: Call, world: World) -> None:
    plan = await panel(call, world, ["mei"])
    await call("save_evaluation_plan", world.organizer, event=DEVCONF, plan=plan.id, phase=4)

    for name in ("save_evaluation_plan", "close_evaluation_plan", "assign_reviewers"):
        with pytest.raises(Stale):
            await call(name, world.organizer, event=DEVCONF, plan=plan.id, version=1)


async def test_plans_are_listed_the_latest_phase_first_page_by_page(
    call: Call, world: World
) -> None:
    plan = await panel(call, world, ["mei"])

    shown, cursor = [], None
    for _ in range(3):
        more = {"cursor": cursor} if cursor else {}
        page = (
            await call("list_evaluation_plans", world.reader, event=DEVCONF, limit=1, **more)
        ).result
        shown += [row.id for row in page.items]
        cursor = page.next_cursor
        assert page.total == 3

    assert shown == [plan.id, FINAL_ROUND, FIRST_ROUND]
    assert cursor is msgspec.UNSET


async def test_a_closed_plan_leads_only_where_no_open_one_does(
    call: Call, db: Database, world: World
) -> None:
    plan = await panel(call, world, ["mei"])
    await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)
    assert {s: row.is_leading for s, row in (await standing(db, plan.id)).items()} == {
        IN_REVIEW: True,
        TRIO: True,
    }

    closed = await call("close_evaluation_plan", world.organizer, event=DEVCONF, plan=plan.id)

    assert closed.result.status == "closed"
    assert closed.result.closes_at is not msgspec.UNSET
    leading = [row.is_leading for row in (await standing(db, plan.id)).values()]
    assert leading == [False, False]
    assert (await standing(db, FINAL_ROUND))[IN_REVIEW].is_leading

    await call("close_evaluation_plan", world.organizer, event=DEVCONF, plan=FINAL_ROUND)
    last = {s for s, row in (await standing(db, FINAL_ROUND)).items() if row.is_leading}
    assert {IN_REVIEW, TRIO} <= last, "the last one closed leads"


async def test_closing_again_changes_nothing_and_reopening_opens(call: Call, world: World) -> None:
    plan = await panel(call, world, ["mei"], closesAt="2026-03-05")
    await call("close_evaluation_plan", world.organizer, event=DEVCONF, plan=plan.id)

    again = await call("close_evaluation_plan", world.organizer, event=DEVCONF, plan=plan.id)
    opened = await call(
        "save_evaluation_plan", world.organizer, event=DEVCONF, plan=plan.id, reopen=True
    )

    assert again.effects == ()
    assert [warning.kind for warning in again.warnings] == ["already_closed"]
    assert opened.result.status == "open"
    assert opened.result.closes_at is msgspec.UNSET, "it would be closed by its own deadline"


async def test_the_number_of_statements_does_not_depend_on_the_number_of_reviewers(
    call: Call, db: Database, statements: Statements, world: World
) -> None:
    await panel(call, world, ["mei"])
    statements.clear()
    await call("list_evaluation_plans", world.reader, event=DEVCONF)
    few = len(statements)
    await seat_people(db)
    await panel(call, world, ["mei", "ada", "bo", "cy", "ines", "ravi"], name="More")
    statements.clear()

    await call("list_evaluation_plans", world.reader, event=DEVCONF)

    assert len(statements) == few
