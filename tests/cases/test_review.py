"""Reported of review: files and links that name the speaker, forms that shift, who has left."""

from typing import Any

import pytest

from tests.conftest import Call
from tests.services.panel import panel, rows_of, scores, seat_people
from tests.web.door import Door
from tests.web.pages import send, sign_in
from tests.web.test_blind import (
    CANARY,
    blind,
    plan_of,
    test_no_page_shows_them_to_the_reviewer as no_page_shows_them,
    test_no_route_and_no_tool_shows_them_to_the_reviewers_token as no_route_shows_them,
)
from tests.world import ANA, DEVCONF, IN_REVIEW, TRIO, World
from unsession.db.engine import Database
from unsession.domain.tasks import TaskKind
from unsession.errors import Invalid
from unsession.models import Criterion, File, ReviewScore, Speaker, Task

__all__ = ["blind"]


@pytest.fixture
async def with_files(blind: Door) -> Door:
    """Headshot, slides and public address carry the name too."""
    async with blind.house.db.write() as session:
        speaker = await session.get_one(Speaker, ANA)
        speaker.slug = f"nora-{CANARY}"
        session.add(
            Task(
                id="tsk_photo",
                event_id=DEVCONF,
                name="Photo",
                name_folded="photo",
                kind=TaskKind.FILE,
                speaker_id=ANA,
            )
        )
        for number, (slot, name) in enumerate(
            (("headshot", f"{CANARY}.png"), ("slides", f"{CANARY}-talk.pdf")), 1
        ):
            session.add(
                File(
                    id=f"fil_{number}",
                    event_id=DEVCONF,
                    subject_type="task",
                    subject_id="tsk_photo",
                    slot=slot,
                    number=number,
                    sha256="0" * 64,
                    filename=name,
                    media_type="application/pdf",
                    size=1,
                    uploaded_by=f"Nora {CANARY}",
                )
            )
    return blind


async def test_no_file_picture_or_link_names_a_masked_speaker(with_files: Door) -> None:
    """REV-04."""
    await no_page_shows_them(with_files)
    await no_route_shows_them(with_files, "mei-write")


async def test_a_search_for_a_masked_speaker_is_like_one_for_nonsense(blind: Door) -> None:
    """REV-02: as the reviewer in a browser and with their token."""
    await blind.add_token("mei", user="usr_mei")

    def same(text: str, word: str) -> str:
        return text.replace(word, "…")

    for word in (CANARY, f"nora@{CANARY}.example", f"{CANARY} Ltd"):
        for tool, name in (("search", "q"), ("list_submissions", "q")):
            arguments = {"event": DEVCONF} if tool == "list_submissions" else {}
            found = await blind.tool(tool, {**arguments, name: word}, token="mei")
            nothing = await blind.tool(tool, {**arguments, name: "xyzzy"}, token="mei")
            assert same(str(found), word) == same(str(nothing), "xyzzy")
    assert await plan_of(blind)


async def test_an_old_form_puts_scores_on_what_they_were_given_for(
    door: Door, world: World
) -> None:
    """REV-11: a criterion comes in on top while a reviewer has the form open."""
    made = await door.rest(
        "POST",
        f"/events/{DEVCONF}/plans",
        json={
            "name": "Panel",
            "phase": 5,
            "reviewsPerSubmission": 1,
            "criteria": [{"name": "Relevance"}, {"name": "Depth"}],
            "reviewers": [{"address": "mei@example.org"}],
        },
    )
    assert made.status_code == 200, made.text
    plan = made.json()["data"]
    relevance, depth = (one["id"] for one in plan["criteria"])
    await door.rest("POST", f"/events/{DEVCONF}/plans/{plan['id']}/assignments", json={})
    await sign_in(door, "usr_mei")
    assert (await door.http.get("/review/devconf-2027/1")).status_code == 200
    old_form = {"plan": plan["id"], f"c-{relevance}": "5", f"c-{depth}": "2", "note": ""}

    changed = await door.rest(
        "POST",
        f"/events/{DEVCONF}/plans",
        json={
            "plan": plan["id"],
            "criteria": [
                {"name": "Clarity", "required": False},
                {"id": depth, "name": "Depth"},
                {"id": relevance, "name": "Relevance"},
            ],
        },
    )
    assert changed.status_code == 200, changed.text
    sent = await send(door, "/review/devconf-2027/1", old_form)

    assert sent.status_code == 303, sent.text
    kept = {row.criterion_id: row.value for row in await rows_of(door.house.db, ReviewScore)}
    assert kept == {relevance: 5, depth: 2}
    names = {row.id: row.name for row in await rows_of(door.house.db, Criterion)}
    assert (names[relevance], names[depth]) == ("Relevance", "Depth")


async def test_who_has_left_is_gone_from_queues_and_totals_and_still_to_be_found(
    call: Call, db: Database, world: World
) -> None:
    """REV-14: one reviewed and one unreviewed submission are withdrawn."""
    await seat_people(db)
    plan = await panel(call, world, ["mei"], reviewsPerSubmission=1)
    await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)
    before = (await call("my_reviews", world.reviewer)).result
    assert [item.submission for item in before.items] == [IN_REVIEW, TRIO]
    await call("submit_review", world.reviewer, submission="1", scores=scores(plan, 5, 5))

    for one in (IN_REVIEW, TRIO):
        await call("withdraw_submission", world.writer, submission=one)

    queue = (await call("my_reviews", world.reviewer)).result
    assert [item.submission for item in queue.items if item.state != "done"] == []
    listed = (await call("list_evaluation_plans", world.reader, event=DEVCONF)).result
    (shown,) = [one for one in listed.items if one.id == plan.id]
    (mei,) = shown.reviewers
    assert (shown.progress.open, mei.load.open) == (0, 0)
    assert shown.submissions == 0
    event = (await call("get_event", world.reader, event=DEVCONF)).result
    assert event.counts.submissions["withdrawn"] == 3
    found = await call("list_submissions", world.reader, event=DEVCONF, status="withdrawn")
    assert {row.id for row in found.result.items} >= {IN_REVIEW, TRIO}


async def test_a_score_of_what_is_no_criterion_any_more_is_refused(
    call: Call, db: Database, world: World
) -> None:
    """REV-11, the other half."""
    plan = await panel(call, world, ["mei"], reviewsPerSubmission=1)
    await call("assign_reviewers", world.organizer, event=DEVCONF, plan=plan.id)
    old = scores(plan, 5, 4)
    await call(
        "save_evaluation_plan",
        world.organizer,
        event=DEVCONF,
        plan=plan.id,
        criteria=[{"id": plan.criteria[1].id, "name": "Depth"}],
    )

    with pytest.raises(Invalid):
        await call("submit_review", world.reviewer, submission="1", scores=old)
    assert await rows_of(db, ReviewScore) == []


@pytest.mark.parametrize(
    ("reviews", "mean", "n"),
    [
        ([[1, 1], [5, 5]], 3.0, 2),  # the lowest score is one
        ([[5, 3], "abstains", [3, 3]], 3.5, 2),
        ([[], [2, 4]], 3.0, 1),  # a note alone
    ],
)
async def test_a_mean_is_of_the_scores_that_were_given_on_every_surface(
    door: Door, reviews: list[Any], mean: float, n: int
) -> None:
    """REV-07."""
    await seat_people(door.house.db)
    people = ["mei", "ada", "bo"][: len(reviews)]
    made = await door.rest(
        "POST",
        f"/events/{DEVCONF}/plans",
        json={
            "name": "Means",
            "phase": 7,
            "reviewsPerSubmission": len(people),
            "criteria": [{"name": "One", "required": False}, {"name": "Two", "required": False}],
            "reviewers": [{"address": f"{one}@example.org"} for one in people],
        },
    )
    plan = made.json()["data"]
    await door.rest("POST", f"/events/{DEVCONF}/plans/{plan['id']}/assignments", json={})
    for person, given in zip(people, reviews, strict=True):
        await door.add_token(person, user=f"usr_{person}")
        if given == "abstains":
            done = await door.rest("POST", f"/submissions/{TRIO}/abstention", token=person, json={})
        else:
            ids = [one["id"] for one in plan["criteria"]]
            pairs = [{"criterion": one, "value": v} for one, v in zip(ids, given, strict=False)]
            done = await door.rest(
                "PUT", f"/submissions/{TRIO}/review", token=person,
                json={"scores": pairs, "note": "Looks fine."},
            )  # fmt: skip
        assert done.status_code == 200, done.text

    rest = await door.read(f"/events/{DEVCONF}/scores", params={"plan": plan["id"]})
    tool = await door.tool("get_evaluation_scores", {"event": DEVCONF, "plan": plan["id"]})
    await sign_in(door, "usr_ravi")
    page = await door.http.get(f"/app/devconf-2027/plans/{plan['id']}")

    assert tool["structuredContent"]["items"] == rest["items"]
    (row,) = [one for one in rest["items"] if one["id"] == TRIO]
    assert (row["reviews"], row["mean"]) == (n, mean)
    assert f"<strong>{mean:.2f}</strong>" in page.text
