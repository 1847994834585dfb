"""PRF-01: two thousand submissions and six thousand reviews; no page asks more for more rows.

How long the pages take is measured in bench/, at four thousand submissions.
"""

import itertools
from typing import Any

import pytest
from sqlalchemy import insert

from tests.conftest import Statements
from tests.services.panel import CRITERIA, PEOPLE, seat_people
from tests.web.door import Door
from tests.web.pages import sign_in
from tests.world import DEVCONF, OPENED
from unsession.db.engine import Database
from unsession.domain.evaluation import AssignmentStatus, ReviewStatus
from unsession.domain.submissions import SubmissionStatus
from unsession.models import (
    Assignment,
    Review,
    ReviewScore,
    Submission,
    SubmissionScore,
    SubmissionSpeaker,
)

MANY = 2000
REVIEWERS = [f"usr_{one}" for one in PEOPLE]  #: three, who have reviewed everything
MEI = "usr_mei"  #: has everything still to review


@pytest.fixture
def db(door: Door) -> Database:
    """The door's own database, for the statements that are counted."""
    return door.house.db


async def seed(door: Door, plan: dict[str, Any], numbers: range) -> None:
    """Submissions with one to three speakers and three reviews each."""
    ids = [f"sub_many{number:04}" for number in numbers]
    criteria = [one["id"] for one in plan["criteria"]]
    reviewed = list(itertools.product(ids, REVIEWERS))
    pairs = [*reviewed, *((one, MEI) for one in ids)]
    tables: list[tuple[Any, list[dict[str, Any]]]] = [
        (Submission, [_submission(*one) for one in zip(ids, numbers, strict=True)]),
        (SubmissionSpeaker, [
            {"submission_id": one, "position": place, "name": f"P {one} {place}",
             "name_folded": f"p {one} {place}", "address": f"{one}.{place}@example.org"}
            for number, one in enumerate(ids) for place in range(1 + number % 3)
        ]),
        (Assignment, [
            {"plan_id": plan["id"], "submission_id": one, "user_id": user,
             "status": AssignmentStatus.OPEN if user == MEI else AssignmentStatus.DONE}
            for one, user in pairs
        ]),
        (Review, [
            {"id": f"rev_{one}_{user}", "plan_id": plan["id"], "submission_id": one,
             "user_id": user, "status": ReviewStatus.SUBMITTED, "submitted_at": OPENED}
            for one, user in reviewed
        ]),
        (ReviewScore, [
            {"review_id": f"rev_{one}_{user}", "criterion_id": criterion, "value": 3}
            for one, user in reviewed for criterion in criteria[:2]
        ]),
        (SubmissionScore, [
            {"plan_id": plan["id"], "submission_id": one, "mean": 3.0, "spread": 0.0,
             "reviews": 3, "expected": 4, "is_leading": True}
            for one in ids
        ]),
    ]  # fmt: skip
    async with door.house.db.write() as session:
        for model, rows in tables:
            await session.execute(insert(model), rows)


def _submission(submission: str, number: int) -> dict[str, Any]:
    return {
        "id": submission,
        "event_id": DEVCONF,
        "form_id": "frm_devconf",
        "form_version_id": "fvr_devconf",
        "number": 100 + number,
        "code": f"M{number:05}",
        "status": SubmissionStatus.IN_REVIEW,
        "title": f"Talk {number}",
        "title_folded": f"talk {number}",
        "submitted_at": OPENED,
    }


async def test_pages_ask_no_more_of_two_thousand_than_of_sixty(
    door: Door, statements: Statements
) -> None:
    await seat_people(door.house.db)
    made = await door.rest(
        "POST",
        f"/events/{DEVCONF}/plans",
        json={
            "name": "Panel",
            "phase": 9,
            "reviewsPerSubmission": 3,
            "criteria": CRITERIA,
            "reviewers": [{"address": f"{one}@example.org"} for one in (*PEOPLE, "mei")],
        },
    )
    plan = made.json()["data"]
    desk = "/app/devconf-2027"
    organisers = (
        desk, f"{desk}/submissions", f"{desk}/submissions?sort=score", f"{desk}/submissions?q=talk",
        f"{desk}/plans", f"{desk}/plans/{plan['id']}", f"{desk}/outbox", f"{desk}/speakers",
    )  # fmt: skip
    pages = [("usr_ravi", path) for path in organisers]
    pages += [(MEI, path) for path in ("/review/devconf-2027", "/review/devconf-2027/130")]

    async def asked() -> dict[str, int]:
        counted = {}
        for user, path in pages:
            await sign_in(door, user)
            await door.http.get(path)
            statements.clear()
            answer = await door.http.get(path)
            assert answer.status_code == 200, path
            counted[path] = len(statements)
        return counted

    await seed(door, plan, range(60))
    few = await asked()
    await seed(door, plan, range(60, MANY))
    many = await asked()

    assert all(few.values())
    assert many == few
