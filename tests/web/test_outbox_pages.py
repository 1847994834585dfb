"""The outbox: what waits is looked at, sent, taken out, and taken back."""

import pytest
from sqlalchemy import update
from sqlmodel import col

from tests.web.door import Door
from tests.web.pages import page_of, read, rows, send, sign_in
from tests.web.tables import snapshot
from tests.world import IN_REVIEW, TRIO, WAITLISTED
from unsession.domain.submissions import SubmissionStatus
from unsession.models import Mail, QueuedDecision, Submission, SubmissionSpeaker

OUTBOX = "/app/devconf-2027/outbox"


@pytest.fixture
async def desk(door: Door) -> Door:
    """An organiser before three queued decisions."""
    await sign_in(door, "usr_ravi")
    for number, decision in ((1, "accept"), (2, "decline"), (4, "accept")):
        await send(
            door,
            f"/app/devconf-2027/submissions/SUB-{number}/decision",
            {"decision": decision, "do": "queue", "ask_confirmation": "on"},
        )
    return door


async def statuses(door: Door) -> dict[str, str]:
    found = await rows(door, Submission, col(Submission.id).in_([IN_REVIEW, TRIO, WAITLISTED]))
    return {row.id: row.status.value for row in found}


UNDECIDED = {IN_REVIEW: "in_review", TRIO: "in_review", WAITLISTED: "waitlisted"}


async def test_everything_that_waits_is_shown_and_selected(desk: Door) -> None:
    page = await page_of(desk, OUTBOX)
    form = page.form("?")

    assert form.values["submission"] == ["SUB-1", "SUB-2", "SUB-4"]
    assert [button["value"] for button in form.buttons] == ["some", "preview", "remove", "all"]
    assert page.text.count('data-queued="accept"') == 2
    assert page.links["Typing the untyped"] == "/app/devconf-2027/submissions/SUB-1"
    assert "Ravi Menon" in page.words
    assert "Send all 3" in page.words


async def test_an_empty_outbox_says_what_comes_here(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    page = await page_of(door, OUTBOX)

    assert "Nothing waits here" in page.words
    assert page.links["Go to the submissions"] == "/app/devconf-2027/submissions"


async def test_a_preview_lists_every_mail_keeps_the_selection_and_changes_nothing(
    desk: Door,
) -> None:
    before = await snapshot(desk.house.db)

    page = read(await send(desk, OUTBOX, {"submission": ["SUB-1", "SUB-2"], "do": "preview"}))

    assert "Preview: nothing has happened yet" in page.words
    for words in (
        "status in review → accepted",
        "status in review → declined",
        "“Typing the untyped” is accepted for DevConf 2027",
        "About your submission “Three voices, one stage”",
    ):
        assert words in page.words
    assert page.form("?").values["submission"] == ["SUB-1", "SUB-2"]
    assert await snapshot(desk.house.db) == before


async def test_the_selected_are_sent_and_an_undo_brings_all_of_it_back(desk: Door) -> None:
    answer = await send(desk, OUTBOX, {"submission": ["SUB-1", "SUB-2"], "do": "some"})
    page = await page_of(desk, answer.headers["location"])

    assert "Outbox sent: 2 decisions" in page.words
    assert page.form("?").values["submission"] == ["SUB-4"]
    assert await statuses(desk) == {**UNDECIDED, IN_REVIEW: "accepted", TRIO: "declined"}
    assert len(await rows(desk, Mail)) == 3

    back = await send(desk, "/app/undo", page.form("/app/undo").values)
    again = await page_of(desk, back.headers["location"])

    assert "Undone: Outbox sent: 2 decisions" in again.words
    assert again.form("?").values["submission"] == ["SUB-1", "SUB-2", "SUB-4"]
    assert await statuses(desk) == UNDECIDED
    assert await rows(desk, Mail) == []


async def test_all_are_sent_whatever_is_selected(desk: Door) -> None:
    await send(desk, OUTBOX, {"submission": "SUB-1", "do": "all"})

    assert await rows(desk, QueuedDecision) == []
    assert SubmissionStatus.IN_REVIEW.value not in (await statuses(desk)).values()


async def test_the_selected_are_taken_out_and_nothing_else_happens(desk: Door) -> None:
    answer = await send(desk, OUTBOX, {"submission": ["SUB-1", "SUB-4"], "do": "remove"})
    page = await page_of(desk, answer.headers["location"])

    assert page.form("?").values["submission"] == ["SUB-2"]
    assert await statuses(desk) == UNDECIDED

    one = await send(desk, OUTBOX, {"submission": "SUB-2", "do": "remove"})
    page = await page_of(desk, one.headers["location"])
    await send(desk, "/app/undo", page.form("/app/undo").values)
    assert [row.submission_id for row in await rows(desk, QueuedDecision)] == [TRIO]


@pytest.mark.parametrize("do", ["some", "preview", "remove", ""])
async def test_nothing_selected_is_told_and_nothing_is_sent(desk: Door, do: str) -> None:
    page = read(await send(desk, OUTBOX, {"do": do}), 422)

    assert page.title.startswith("Error: Outbox")
    assert "Select a decision first" in page.words
    assert page.form("?").values["submission"] == []
    assert await rows(desk, Mail) == []


async def test_what_no_longer_waits_is_named_and_the_rest_is_not_sent(desk: Door) -> None:
    await send(
        desk, "/app/devconf-2027/submissions/SUB-1/decision", {"decision": "decline", "do": "now"}
    )

    page = read(await send(desk, OUTBOX, {"submission": ["SUB-1", "SUB-2"], "do": "some"}), 422)

    assert "Has no queued decision here" in page.words
    assert page.form("?").values["submission"] == ["SUB-2"]
    assert len(await rows(desk, QueuedDecision)) == 2


async def test_a_title_is_text_and_a_decision_without_address_says_so(desk: Door) -> None:
    async with desk.house.db.write() as session:
        (await session.get_one(Submission, WAITLISTED)).title = "<b>Bold</b>"
        spoken = col(SubmissionSpeaker.submission_id) == WAITLISTED
        await session.execute(update(SubmissionSpeaker).where(spoken).values(address=None))
    page = await page_of(desk, OUTBOX)

    assert "<b>Bold" not in page.text
    assert "<b>Bold</b>" in page.words
    assert page.words.count("no address") == 1
