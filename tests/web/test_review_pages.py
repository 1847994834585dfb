"""The reviewer's pages and the organisers' pages of evaluation, over the whole app."""

import datetime as dt
import re
from typing import Any

import httpx
import pytest

from tests.services.panel import CRITERIA, asked, rows_of
from tests.web.door import Door
from tests.world import FINAL_ROUND, IN_REVIEW, TRIO
from unsession.db.types import utc_now
from unsession.models import EvaluationPlan, Review, ReviewScore, SigninSession
from unsession.services.principals import secret_hash

COOKIE = "__Host-unsession"
SAME = {"sec-fetch-site": "same-origin"}


class Browser:
    """A signed-in person before the product."""

    def __init__(self, door: Door, secret: str) -> None:
        self._door = door
        self._headers = {"cookie": f"{COOKIE}={secret}"}

    async def get(self, path: str) -> httpx.Response:
        return await self._door.http.get(path, headers=self._headers)

    async def read(self, path: str) -> str:
        answer = await self.get(path)
        assert answer.status_code == 200, (path, answer.status_code, answer.text[-600:])
        return answer.text

    async def post(self, path: str, fields: dict[str, Any]) -> httpx.Response:
        return await self._door.http.post(
            path, data=fields, headers={**self._headers, **SAME}, follow_redirects=False
        )


async def browser(door: Door, user: str) -> Browser:
    """Somebody, signed in."""
    secret = f"secret-of-{user}"
    async with door.house.db.write() as session:
        session.add(
            SigninSession(
                user_id=user,
                secret_hash=secret_hash(secret),
                expires_at=utc_now() + dt.timedelta(days=1),
            )
        )
    return Browser(door, secret)


@pytest.fixture
async def ravi(door: Door) -> Browser:
    """The organiser."""
    return await browser(door, "usr_ravi")


@pytest.fixture
async def mei(door: Door) -> Browser:
    """The reviewer."""
    return await browser(door, "usr_mei")


def plan_form(**more: Any) -> dict[str, Any]:
    """A plan as somebody types it."""
    fields: dict[str, Any] = {
        "name": "Panel",
        "instructions": "Use the *whole* scale.",
        "phase": "3",
        "reviews_per_submission": "1",
        "opens_at": "",
        "closes_at": "2027-03-05T23:59",
        "blind": "on",
        "seat_usr_mei": "member",
        "seat_usr_ravi": "",
        "seat_usr_ines": "",
        "invite": "",
    }
    for number, criterion in enumerate(CRITERIA):
        fields |= {
            f"criterion_{number}_id": "",
            f"criterion_{number}_name": criterion["name"],
            f"criterion_{number}_hint": criterion.get("hint", ""),
            f"criterion_{number}_scale": str(criterion.get("scale", 5)),
            f"criterion_{number}_weight": str(criterion.get("weight", 1)),
        }
        if criterion.get("required", True):
            fields[f"criterion_{number}_required"] = "on"
    return {**fields, **more}


@pytest.fixture
async def plan(door: Door, ravi: Browser) -> str:
    """A blind plan, made and assigned by pages; its id."""
    made = await ravi.post("/app/devconf-2027/plans/new", plan_form())
    assert made.status_code == 303, made.text
    (row,) = await rows_of(door.house.db, EvaluationPlan, name="Panel")
    assigned = await ravi.post(f"/app/devconf-2027/plans/{row.id}/assign", {})
    assert assigned.status_code == 303, assigned.text
    return str(row.id)


async def criteria_of(door: Door, plan_id: str) -> list[str]:
    from unsession.models import Criterion

    rows = await rows_of(door.house.db, Criterion, plan_id=plan_id)
    return [row.id for row in sorted(rows, key=lambda row: row.position)]


# ── organisers ───────────────────────────────────────────────────────────────────────────────


async def test_a_plan_is_made_previewed_assigned_and_closed_by_pages(
    door: Door, ravi: Browser
) -> None:
    assert "Add a plan" in await ravi.read("/app/devconf-2027/plans")
    assert "Mei@example.org" in await ravi.read("/app/devconf-2027/plans/new")
    made = await ravi.post("/app/devconf-2027/plans/new", plan_form(invite="new@example.org"))
    here = made.headers["location"].split("?")[0]

    page = await ravi.read(made.headers["location"])
    assert "Invited, not yet accepted:" in page
    assert "No submission is covered yet" in page
    preview = await ravi.read(f"{here}/assign")
    assert "2 reviews are asked for, 0 are taken away." in preview
    assert await asked(door.house.db, here.rsplit("/", 1)[1]) == set()
    done = await ravi.post(f"{here}/assign", {})
    page = await ravi.read(done.headers["location"])
    assert "Reviewers of “Panel” assigned: 2 new, 0 taken away" in page
    assert 'name="activity"' in page, "the toast offers to undo it"
    assert "Three voices, one stage" in page

    closed = await ravi.post(f"{here}/close", {})
    assert "Open it again" in await ravi.read(closed.headers["location"])
    opened = await ravi.post(f"{here}/reopen", {})
    assert "Close the plan" in await ravi.read(opened.headers["location"])


async def test_what_is_wrong_with_a_plan_is_said_at_its_fields_and_what_was_typed_stays(
    ravi: Browser,
) -> None:
    answer = await ravi.post(
        "/app/devconf-2027/plans/new",
        plan_form(
            name="Final round", criterion_1_name="Relevance", criterion_0_hint="Kept as typed"
        ),
    )
    assert answer.status_code == 422
    assert "<title>Error: " in answer.text
    assert 'href="#name"' in answer.text
    assert "Kept as typed" in answer.text

    answer = await ravi.post(
        "/app/devconf-2027/plans/new", plan_form(criterion_1_name="Relevance", closes_at="soon")
    )
    assert 'href="#closes_at"' in answer.text
    answer = await ravi.post(
        "/app/devconf-2027/plans/new", plan_form(criterion_1_name="Relevance", invite="nonsense")
    )
    assert 'href="#criterion_1_name"' in answer.text


async def test_changing_a_plan_by_page_keeps_its_criteria(
    door: Door, plan: str, ravi: Browser
) -> None:
    before = await criteria_of(door, plan)
    page = await ravi.read(f"/app/devconf-2027/plans/{plan}/edit")
    assert 'value="2027-03-05T23:59"' in page
    version = re.search(r'name="version" value="(\d+)"', page)
    assert version

    fields = plan_form(name="Renamed", version=version[1])
    for number, criterion in enumerate(before):
        fields[f"criterion_{number}_id"] = criterion
    saved = await ravi.post(f"/app/devconf-2027/plans/{plan}/edit", fields)
    stale = await ravi.post(
        f"/app/devconf-2027/plans/{plan}/edit", {**fields, "name": "Other", "version": "1"}
    )

    assert saved.status_code == 303
    assert await criteria_of(door, plan) == before
    assert stale.status_code == 412
    assert "Somebody changed" in stale.text


async def test_results_are_sorted_by_what_is_asked(
    door: Door, mei: Browser, plan: str, ravi: Browser
) -> None:
    relevance, depth, _ = await criteria_of(door, plan)
    for number, value in ((1, 2), (2, 5)):
        await mei.post(
            f"/review/devconf-2027/{number}",
            {"plan": plan, f"c-{relevance}": value, f"c-{depth}": value, "note": ""},
        )

    best_first = await ravi.read(f"/app/devconf-2027/plans/{plan}")
    by_number = await ravi.read(f"/app/devconf-2027/plans/{plan}?sort=number")

    assert best_first.index("Three voices") < best_first.index("Typing the untyped")
    assert by_number.index("Three voices") > by_number.index("Typing the untyped")
    assert "<strong>5.00</strong>" in best_first
    assert 'aria-sort="descending"' in best_first
    odd = await ravi.get(f"/app/devconf-2027/plans/{plan}?sort=nonsense&cursor=nonsense")
    assert odd.status_code == 200


async def test_reviewers_and_strangers_have_no_organisers_pages(
    door: Door, mei: Browser, plan: str
) -> None:
    eva = await browser(door, "usr_eva")
    for path in ("plans", "plans/new", f"plans/{plan}", f"plans/{plan}/assign"):
        assert (await mei.get(f"/app/devconf-2027/{path}")).status_code == 403
        assert (await eva.get(f"/app/devconf-2027/{path}")).status_code == 404
    assert (await eva.get("/review/devconf-2027")).status_code == 404


async def test_whoever_is_not_signed_in_is_asked_to(door: Door) -> None:
    for path in ("/review", "/review/devconf-2027", "/review/devconf-2027/1"):
        answer = await door.http.get(path, follow_redirects=False)
        assert answer.headers["location"].startswith("/signin?next=")


async def test_another_plans_address_is_nothing(ravi: Browser) -> None:
    for path in ("epl_none", "epl_none/edit", "epl_none/assign"):
        assert (await ravi.get(f"/app/devconf-2027/plans/{path}")).status_code == 404
    assert (await ravi.get(f"/app/pyday-2027/plans/{FINAL_ROUND}")).status_code == 404


# ── reviewers ────────────────────────────────────────────────────────────────────────────────


async def test_a_reviewer_goes_from_the_event_to_the_last_review_without_a_script(
    door: Door, mei: Browser, plan: str
) -> None:
    assert 'href="/review/devconf-2027"' in await mei.read("/review")
    listed = await mei.read("/review/devconf-2027")
    assert 'href="/review/devconf-2027/1"' in listed
    page = await mei.read("/review/devconf-2027/1")
    assert "1 of 2" in page
    assert "5 Mar 2027, 23:59" in page
    assert "Europe/Lisbon" in page
    assert "<em>whole</em>" in page
    relevance, depth, extra = await criteria_of(door, plan)

    saved = await mei.post(
        "/review/devconf-2027/1",
        {"plan": plan, f"c-{relevance}": "4", f"c-{depth}": "2", "note": "Good <b>idea</b>."},
    )
    assert saved.headers["location"].startswith("/review/devconf-2027/2?done=act_")
    following = await mei.read(saved.headers["location"])
    assert "Review of SUB-1 in “Panel” given" in following
    gone = await mei.post("/review/devconf-2027/2/abstain", {"plan": plan, "reason": "A friend."})
    assert gone.headers["location"].startswith("/review/devconf-2027?done=")
    finished = await mei.read(gone.headers["location"])
    assert "You have answered everything" in finished

    again = await mei.read("/review/devconf-2027/1")
    assert f'id="c-{relevance}-4" name="c-{relevance}" value="4" checked' in again
    assert f'id="c-{extra}-1"' in again
    assert "Good &lt;b&gt;idea&lt;/b&gt;." in again
    assert "All 1 reviews so far: mean 3.3, spread 0.0." in again
    stored = await rows_of(door.house.db, ReviewScore)
    assert {row.criterion_id: row.value for row in stored} == {relevance: 4, depth: 2}
    states = {row.submission_id: row.status for row in await rows_of(door.house.db, Review)}
    assert states == {IN_REVIEW: "submitted", TRIO: "abstained"}


async def test_a_review_that_lacks_a_score_is_shown_again_as_typed(
    door: Door, mei: Browser, plan: str
) -> None:
    relevance, depth, _ = await criteria_of(door, plan)

    answer = await mei.post(
        "/review/devconf-2027/1", {"plan": plan, f"c-{relevance}": "3", "note": "Half done"}
    )

    assert answer.status_code == 422
    assert "<title>Error: " in answer.text
    assert f'href="#c-{depth}-1"' in answer.text
    assert "Score Depth from 1 to 5" in answer.text
    assert "Half done" in answer.text
    assert f'id="c-{relevance}-3" name="c-{relevance}" value="3" checked' in answer.text


async def test_a_closed_plan_shows_the_review_and_no_form(
    mei: Browser, plan: str, ravi: Browser, door: Door
) -> None:
    relevance, depth, _ = await criteria_of(door, plan)
    fields = {"plan": plan, f"c-{relevance}": "4", f"c-{depth}": "2", "note": "Said."}
    await mei.post("/review/devconf-2027/1", fields)
    await ravi.post(f"/app/devconf-2027/plans/{plan}/close", {})

    page = await mei.read("/review/devconf-2027/1")
    late = await mei.post("/review/devconf-2027/1", fields)

    assert "Reviews can no longer be changed" in page
    assert "<fieldset" not in page
    assert "Said." in page
    assert late.status_code == 409


async def test_what_is_not_assigned_has_no_page(mei: Browser, plan: str) -> None:
    assert (await mei.get("/review/devconf-2027/3")).status_code == 404
    assert (await mei.get("/review/devconf-2027/999")).status_code == 404
    assert (await mei.post("/review/devconf-2027/3", {"note": ""})).status_code == 404


async def test_a_form_from_elsewhere_changes_nothing(door: Door, mei: Browser, plan: str) -> None:
    answer = await door.http.post(
        "/review/devconf-2027/1/abstain",
        data={"plan": plan},
        headers={"cookie": f"{COOKIE}=secret-of-usr_mei", "sec-fetch-site": "cross-site"},
    )
    assert answer.status_code == 403
    assert await rows_of(door.house.db, Review) == []


async def test_whoever_organises_and_reviews_sees_no_results_before_theirs_are_in(
    door: Door, plan: str, ravi: Browser
) -> None:
    fields = plan_form(seat_usr_ravi="member", reviews_per_submission="2")
    for number, criterion in enumerate(await criteria_of(door, plan)):
        fields[f"criterion_{number}_id"] = criterion
    assert (await ravi.post(f"/app/devconf-2027/plans/{plan}/edit", fields)).status_code == 303
    await ravi.post(f"/app/devconf-2027/plans/{plan}/assign", {})

    page = await ravi.read(f"/app/devconf-2027/plans/{plan}")

    assert "scores show once your own reviews are in" in page
    assert "Ana Lima" not in await ravi.read("/app/devconf-2027/submissions")
    assert "Ana Lima" not in await ravi.read("/app/devconf-2027/submissions/SUB-1")


async def test_two_plans_that_ask_for_one_submission_are_two_reviews(
    door: Door, mei: Browser, plan: str, ravi: Browser
) -> None:
    made = await ravi.post("/app/devconf-2027/plans/new", plan_form(name="Second", phase="4"))
    second = made.headers["location"].split("?")[0].rsplit("/", 1)[1]
    await ravi.post(f"/app/devconf-2027/plans/{second}/assign", {})

    listed = await mei.read("/review/devconf-2027")
    assert f"/review/devconf-2027/1?plan={plan}" in listed
    assert f"/review/devconf-2027/1?plan={second}" in listed
    page = await mei.read(f"/review/devconf-2027/1?plan={second}")
    assert page.count('aria-current="page"') == 1
    fields = {f"c-{one}": "3" for one in (await criteria_of(door, second))[:2]}
    saved = await mei.post("/review/devconf-2027/1", {"plan": second, "note": "", **fields})

    assert saved.headers["location"].startswith(f"/review/devconf-2027/2?plan={second}&done=")
    (review,) = await rows_of(door.house.db, Review)
    assert (review.plan_id, review.submission_id) == (second, IN_REVIEW)
