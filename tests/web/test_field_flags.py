"""Who meets a field and who reads its answer: submitters, reviewers, organisers."""

from typing import Any

import pytest
from sqlmodel import col

from tests.conftest import Call
from tests.services.panel import panel, seat_people
from tests.web.door import Door
from tests.web.pages import page_of, rows, send, sign_in
from tests.world import DEVCONF, World
from unsession.models import FormVersion, Submission

PUBLIC = "/devconf-2027/talks"
KEY = "k" * 32
FIELDS: list[dict[str, Any]] = [
    {"id": "title", "type": "TXT", "label": "Title", "role": "title", "required": True,
     "placeholder": "What people will read"},
    {"id": "note", "type": "TXT", "label": "Notes of ours", "internal": True, "required": True},
    {"id": "pay", "type": "SEL", "label": "Paid travel", "no_reviewers": True,
     "options": [{"id": "y", "label": "Needs travel paid"}]},
    {"id": "level", "type": "SEL", "label": "Depth", "options": [{"id": "d", "label": "Deep"}]},
    {"id": "people", "type": "GRP", "label": "Speakers", "role": "speakers", "required": True},
]  # fmt: skip
SENT = {
    "submit_key": KEY,
    "title": "Maps",
    "f-note": "a stranger's",
    "f-pay": "y",
    "f-level": "d",
    "speaker-1-name": "Tom Idle",
    "speaker-1-address": "Tom@example.org",
    "do": "submit",
}


@pytest.fixture(autouse=True)
async def form(door: Door) -> None:
    """The call asks for something of each kind."""
    async with door.house.db.write() as session:
        (await session.get_one(FormVersion, "fvr_devconf")).fields = FIELDS


async def given(door: Door) -> Any:
    """What Tom submitted."""
    await sign_in(door, "usr_tom")
    done = await send(door, PUBLIC, SENT)
    assert done.status_code == 303, done.text
    (row,) = await rows(door, Submission, col(Submission.submit_key) == KEY)
    return row


async def test_submitters_neither_meet_nor_answer_what_is_the_organisers_own(door: Door) -> None:
    page = await page_of(door, f"{PUBLIC}?start=1")
    assert "Notes of ours" not in page.words
    assert 'placeholder="What people will read"' in page.text
    row = await given(door)

    assert row.answers == {"pay": "y", "level": "d"}


async def test_organisers_fill_it_in_and_a_change_by_the_submitter_leaves_it(door: Door) -> None:
    row = await given(door)
    wire = {"submission": row.id, "answers": {"note": "Ask the board"}}
    assert (await door.tool("update_submission", wire))["isError"] is False
    mine = f"/devconf-2027/portal/submissions/{row.id}"
    page = await page_of(door, mine)
    assert "Ask the board" not in page.text
    form = next(one for one in page.forms if "submit_key" in one.values)
    done = await send(door, mine, {**form.values, "title": "Maps, again", "do": "save"})
    assert done.status_code == 303, done.text

    (after,) = await rows(door, Submission, col(Submission.id) == row.id)
    assert after.title == "Maps, again"
    assert after.answers == {"note": "Ask the board", "pay": "y", "level": "d"}
    added = await door.tool(
        "create_submission",
        {
            "event": "devconf-2027",
            "form": "talks",
            "title": "Added",
            "speakers": [{"name": "Ana", "address": "ana@example.org"}],
        },
    )
    assert "Notes of ours" in added["content"][0]["text"]
    await sign_in(door, "usr_ravi")
    assert "Notes of ours" in (await page_of(door, "/app/devconf-2027/submissions/new")).words


@pytest.mark.parametrize("blind", [True, False])
async def test_reviewers_read_only_what_is_for_them(
    door: Door, call: Call, world: World, blind: bool
) -> None:
    row = await given(door)
    await door.tool("update_submission", {"submission": row.id, "answers": {"note": "Board"}})
    await seat_people(door.house.db)
    plan = await panel(call, world, ["mei"], blind=blind)
    await call("assign_reviewers", world.owner, event=DEVCONF, plan=plan.id)

    queue = (await call("my_reviews", world.reviewer, event="devconf-2027")).result
    (item,) = (one for one in queue.items if one.submission == row.id)
    assert [(one.label, one.value) for one in item.answers] == [("Depth", "Deep")]
    await sign_in(door, "usr_mei")
    page = await page_of(door, f"/review/devconf-2027/{row.number}")
    assert "Deep" in page.words
    assert "Board" not in page.text
    assert "travel paid" not in page.text
