"""What the tests of the verbs share: a crowd of submissions, and the log to look into."""

import datetime as dt
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from sqlalchemy import select
from sqlmodel import col

from tests.world import DATA, DEVCONF, FINAL_ROUND, OPENED, WEB, World
from unsession.db.engine import Database
from unsession.domain.submissions import SubmissionStatus
from unsession.models import (
    Activity,
    Submission,
    SubmissionOption,
    SubmissionScore,
    SubmissionSpeaker,
)

#: Rows of the activity log, the oldest first.
Log = Callable[[], Awaitable[list[Any]]]


@pytest.fixture
def log(db: Database) -> Log:
    """Reads the whole activity log."""

    async def read() -> list[Any]:
        table = Activity.__table__  # type: ignore[attr-defined]
        return await db.rows(select(*table.columns).order_by(col(Activity.number)))

    return read


def content_of(entry: Any) -> dict[str, Any]:
    """What an activity entry keeps."""
    content: dict[str, Any] = json.loads(entry.content)
    return content


@pytest.fixture
async def crowd(db: Database, world: World) -> list[str]:
    """Twenty-four submissions more in devconf, full of ties; their ids in order of number."""
    ids = [f"sub_crowd{number:02}" for number in range(24)]
    async with db.write() as session:
        session.add_all(
            Submission(
                id=submission,
                event_id=DEVCONF,
                form_id="frm_devconf",
                form_version_id="fvr_devconf",
                number=100 + number,
                code=f"CRWD{number:02}",
                status=SubmissionStatus.IN_REVIEW,
                title=f"crowd {'abcd'[number % 4]}",
                title_folded=f"crowd {'abcd'[number % 4]}",
                submitted_at=OPENED + dt.timedelta(days=1 + number // 6, microseconds=1),
            )
            for number, submission in enumerate(ids)
        )
        await session.flush()
        for number, submission in enumerate(ids):
            option = WEB if number % 2 else DATA
            session.add(SubmissionOption(submission_id=submission, option_id=option))
            for position in range(number % 3):
                session.add(
                    SubmissionSpeaker(
                        submission_id=submission,
                        position=position,
                        name=f"Person {number} {position}",
                        name_folded=f"person {number} {position}",
                        address=f"p{number}.{position}@example.org",
                    )
                )
            if number % 5:
                session.add(
                    SubmissionScore(
                        plan_id=FINAL_ROUND,
                        submission_id=submission,
                        is_leading=True,
                        mean=float(number % 5),
                        spread=(number % 2) / 3,
                        reviews=2,
                        expected=3,
                    )
                )
    return ids
