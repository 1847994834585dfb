"""assign_reviewers."""

from collections import Counter

import pytest

from tests.conftest import Call
from tests.services.conftest import Log
from tests.services.panel import ADA, asked, panel, rows_of, scores, seat_people, standing
from tests.services.refusals import not_found
from tests.world import DEVCONF, FIRST_ROUND, IN_REVIEW, PYDAY, TRIO, World
from unsession.db.engine import Database
from unsession.errors import Conflict, Forbidden, Invalid
from unsession.models import Assignment, Submission, SubmissionSpeaker, UserAddress


async def test_what_is_in_review_is_spread_evenly(
    call: Call, crowd: list[str], db: Database, world: World
) -> None:
    await seat_people(db)
    plan = await panel(call, world, ["mei", "ada", "bo", "cy"])

    done = (await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)).result

    pairs = await asked(db, plan.id)
    assert Counter(submission for submission, _ in pairs) == dict.fromkeys(
        [IN_REVIEW, TRIO, *crowd], 2
    )
    assert [(one.name, one.was, one.now, one.done) for one in done.load] == [
        (name, 0, 13, 0) for name in ("Ada Mensah", "Bo Lind", "Cy Okoro", "Mei Tanaka")
    ]
    assert (done.assigned, done.released, done.short) == (52, 0, [])


async def test_every_assigned_submission_has_a_score_row_that_leads(
    call: Call, db: Database, world: World
) -> None:
    await seat_people(db)
    plan = await panel(call, world)

    await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)

    assert {
        submission: (row.mean, row.spread, row.reviews, row.expected, row.is_leading)
        for submission, row in (await standing(db, plan.id)).items()
    } == {IN_REVIEW: (None, None, 0, 2, True), TRIO: (None, None, 0, 2, True)}


async def test_the_same_assignment_again_changes_nothing(
    call: Call, crowd: list[str], db: Database, log: Log, world: World
) -> None:
    await seat_people(db)
    plan = await panel(call, world)
    await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)
    before = await asked(db, plan.id)

    again = await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)

    assert await asked(db, plan.id) == before
    assert (again.effects, again.activity_id) == ((), None)
    assert [entry.operation for entry in await log()] == [
        "save_evaluation_plan",
        "assign_reviewers",
    ]


async def test_a_preview_tells_the_load_and_assigns_nobody(
    call: Call, db: Database, world: World
) -> None:
    plan = await panel(call, world, ["mei"])

    preview = await call(
        "assign_reviewers", world.organizer, dry_run=True, event=DEVCONF, plan=plan.id
    )
    assert await asked(db, plan.id) == set()
    real = await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)

    assert preview.result == real.result
    assert [(one.number, one.missing) for one in real.result.short] == [(1, 1), (2, 1)]


@pytest.mark.parametrize("how", ["typed", "second address", "owner", "account", "speaker"])
async def test_nobody_is_asked_to_review_their_own(
    call: Call, db: Database, world: World, how: str
) -> None:
    await seat_people(db)
    async with db.write() as session:
        mine = await session.get_one(Submission, IN_REVIEW)
        typed = await session.get_one(SubmissionSpeaker, "ssp_review_1")
        if how == "typed":
            typed.address = "MEI@example.ORG "
        elif how == "second address":
            typed.address = "mei@elsewhere.example"
            session.add(
                UserAddress(
                    user_id="usr_mei",
                    address="Mei@elsewhere.example",
                    folded="mei@elsewhere.example",
                    verified_at=mine.submitted_at,
                )
            )
        elif how == "owner":
            mine.owner_address = mine.owner_address_folded = "mei@example.org"
        elif how == "account":
            mine.owner_user_id = "usr_mei"
        else:
            from unsession.models import Speaker

            typed.speaker_id = "spk_ana"
            (await session.get_one(Speaker, "spk_ana")).user_id = "usr_mei"
    plan = await panel(call, world)

    await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)

    pairs = await asked(db, plan.id)
    assert (IN_REVIEW, "usr_mei") not in pairs
    assert {(IN_REVIEW, "usr_ada"), (IN_REVIEW, "usr_bo")} <= pairs
    with pytest.raises(Invalid, match="own submission"):
        await call(
            "assign_reviewers",
            world.organizer,
            event=DEVCONF,
            plan=plan.id,
            assign=[{"submission": "1", "reviewer": "mei@example.org"}],
        )


async def test_an_address_nobody_verified_makes_nothing_ones_own(
    call: Call, db: Database, world: World
) -> None:
    async with db.write() as session:
        typed = await session.get_one(SubmissionSpeaker, "ssp_review_1")
        typed.address = "claimed@example.org"
        session.add(
            UserAddress(
                user_id="usr_mei", address="claimed@example.org", folded="claimed@example.org"
            )
        )
    plan = await panel(call, world, ["mei"])

    await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)

    assert (IN_REVIEW, "usr_mei") in await asked(db, plan.id)


async def test_a_new_reviewer_levels_the_load_and_finished_reviews_stay(
    call: Call, crowd: list[str], db: Database, world: World
) -> None:
    await seat_people(db)
    plan = await panel(call, world, ["mei", "ada", "bo"])
    await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)
    before = await asked(db, plan.id)
    mine = sorted(submission for submission, user in before if user == "usr_mei")
    for submission in mine[:10]:
        await call(
            "submit_review", world.reviewer, submission=submission, scores=scores(plan, 4, 4)
        )
    people = [{"address": f"{one}@example.org"} for one in ("mei", "ada", "bo", "cy")]
    await call(
        "save_evaluation_plan", world.organizer, event=DEVCONF, plan=plan.id, reviewers=people
    )

    done = (await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)).result

    assert sorted(one.now for one in done.load) == [13, 13, 13, 13]
    assert await asked(db, plan.id, "done") == {(one, "usr_mei") for one in mine[:10]}
    assert done.assigned == done.released == 13
    assert len(await asked(db, plan.id) & before) == 52 - 10 - 13


async def test_pairs_by_hand_are_kept_and_taken_ones_never_come_back(
    call: Call, db: Database, world: World
) -> None:
    await seat_people(db)
    plan = await panel(call, world, ["mei", "ada", "bo"], reviewsPerSubmission=1)
    await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)
    holder = dict(await asked(db, plan.id))
    other = next(one for one in ("usr_ada", "usr_bo", "usr_mei") if one not in holder.values())

    first = (
        await call(
            "assign_reviewers",
            world.organizer,
            event=DEVCONF,
            plan=plan.id,
            assign=[{"submission": "SUB-1", "reviewer": other}],
            unassign=[{"submission": TRIO, "reviewer": holder[TRIO]}],
        )
    ).result
    by_hand = await asked(db, plan.id)
    await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)

    assert (first.assigned, first.released, first.short) == (1, 1, [])
    assert by_hand == {(IN_REVIEW, holder[IN_REVIEW]), (IN_REVIEW, other)}
    pairs = await asked(db, plan.id)
    assert (IN_REVIEW, other) in pairs
    assert (TRIO, holder[TRIO]) not in pairs
    assert len(pairs) == 2


async def test_only_what_is_named_is_balanced(
    call: Call, crowd: list[str], db: Database, world: World
) -> None:
    plan = await panel(call, world, ["mei"], reviewsPerSubmission=1)

    await call(
        "assign_reviewers",
        world.organizer,
        event=DEVCONF,
        plan=plan.id,
        submissions=["2", "SUB-101"],
    )

    assert await asked(db, plan.id) == {(TRIO, "usr_mei"), (crowd[1], "usr_mei")}


async def test_what_is_decided_meanwhile_is_asked_of_nobody(
    call: Call, db: Database, world: World
) -> None:
    plan = await panel(call, world, ["mei"])
    await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)
    await call("decide_submission", world.organizer, submission=TRIO, decision="decline")

    done = (await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)).result

    assert done.released == 1
    assert await asked(db, plan.id) == {(IN_REVIEW, "usr_mei")}
    assert set(await standing(db, plan.id)) == {IN_REVIEW}


async def test_what_somebody_abstained_from_goes_to_somebody_else(
    call: Call, db: Database, world: World
) -> None:
    await seat_people(db)
    plan = await panel(call, world, ["mei", "ada"], reviewsPerSubmission=1)
    await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)
    pairs = await asked(db, plan.id)
    asked_of_ada = next(submission for submission, user in pairs if user == "usr_ada")
    await call("abstain", ADA, submission=asked_of_ada)

    await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)

    assert (asked_of_ada, "usr_mei") in await asked(db, plan.id)
    row = (await standing(db, plan.id))[asked_of_ada]
    assert (row.reviews, row.expected) == (0, 1)


async def test_wrong_pairs_are_refused_all_at_once(call: Call, world: World) -> None:
    plan = await panel(call, world, ["mei"])

    with pytest.raises(Invalid) as refused:
        await call(
            "assign_reviewers",
            world.organizer,
            event=DEVCONF,
            plan=plan.id,
            assign=[
                {"submission": "Three voices, one stage", "reviewer": "usr_mei"},
                {"submission": "3", "reviewer": "usr_mei"},
                {"submission": "2", "reviewer": "ravi@example.org"},
            ],
        )

    assert [p.path for p in refused.value.problems] == [
        "/assign/0/submission",
        "/assign/1/submission",
        "/assign/2/reviewer",
    ]


async def test_a_closed_plan_assigns_nobody(call: Call, world: World) -> None:
    with pytest.raises(Conflict, match="is closed"):
        await call("assign_reviewers", world.organizer, event=DEVCONF, plan=FIRST_ROUND)


async def test_only_who_sets_up_the_event_assigns(call: Call, world: World) -> None:
    plan = await panel(call, world, ["mei"])

    with pytest.raises(Forbidden):
        await call("assign_reviewers", world.reviewer, event=DEVCONF, plan=plan.id)
    with pytest.raises(Forbidden, match="read-only"):
        await call("assign_reviewers", world.reader, event=DEVCONF, plan=plan.id)
    theirs = call("assign_reviewers", world.stranger, event=DEVCONF, plan=plan.id)
    nobodys = call("assign_reviewers", world.stranger, event="evt_none", plan=plan.id)
    assert await not_found(theirs, DEVCONF) == await not_found(nobodys, "evt_none")
    elsewhere = call("assign_reviewers", world.organizer, event=PYDAY, plan=plan.id)
    missing = call("assign_reviewers", world.organizer, event=PYDAY, plan="epl_none")
    assert await not_found(elsewhere, plan.id) == await not_found(missing, "epl_none")


async def test_an_assignment_is_undone_as_one_step(
    call: Call, crowd: list[str], db: Database, world: World
) -> None:
    await seat_people(db)
    plan = await panel(call, world)
    done = await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)

    await call("undo", world.organizer, activity=done.activity_id)

    assert await rows_of(db, Assignment, plan_id=plan.id) == []
    assert await standing(db, plan.id) == {}
    listed = (await call("list_submissions", world.reader, event=DEVCONF, sort="number")).result
    assert listed.items[0].score.mean == 4.25, "the plan that led before leads again"
