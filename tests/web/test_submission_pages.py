"""The list of submissions and one submission, as organisers meet them."""

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlmodel import col

from tests.web.door import Door
from tests.web.pages import Page, page_of, read, rows, send, sign_in
from tests.web.tables import snapshot
from tests.world import ACCEPTED, DEVCONF, IN_REVIEW, OPENED, SESSION, TRIO, WEB
from unsession.domain.mail import LINK_MARK
from unsession.domain.submissions import SubmissionStatus
from unsession.models import Mail, OneTimeLink, QueuedDecision, Session, Submission

LIST = "/app/devconf-2027/submissions"
LONG = "Ein sehr langer Titel ohne Ende " * 8


@pytest.fixture
async def desk(door: Door) -> Door:
    """The door with an organiser before it."""
    await sign_in(door, "usr_ravi")
    return door


def numbers(page: Page) -> list[str]:
    """The submissions listed, in order."""
    return re.findall(r'name="submission" value="([^"]*)"', page.text)


async def of(door: Door, submission: str) -> Any:
    (row,) = await rows(door, Submission, col(Submission.id) == submission)
    return row


# The list


async def test_the_list_shows_what_came_in_with_scores_and_counts(desk: Door) -> None:
    page = await page_of(desk, LIST)

    assert numbers(page) == [f"SUB-{number}" for number in (6, 5, 4, 3, 2, 1)]
    assert page.links["Typing the untyped"] == f"{LIST}/SUB-1"
    assert "6 of 6" in page.words
    assert re.search(r"All\s+6", page.words)
    assert "4.2 0.5 2 of 3" in page.words
    assert page.title == "Submissions · DevConf 2027"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("status=in_review", ["SUB-2", "SUB-1"]),
        ("q=naive%20bayes", ["SUB-4"]),
        ("q=ana%20lima", ["SUB-1"]),
        (f"track={WEB}&status=in_review", ["SUB-1"]),
        ("track=Data", ["SUB-4", "SUB-2"]),
        ("status=in_review&sort=score", ["SUB-1", "SUB-2"]),
        ("sort=number", [f"SUB-{n}" for n in range(1, 7)]),
        ("status=draft", ["sub_draft"]),
        ("status=&q=&track=", [f"SUB-{n}" for n in range(6, 0, -1)]),
    ],
)
async def test_filters_and_sorts_are_addresses(desk: Door, query: str, found: list[str]) -> None:
    page = await page_of(desk, f"{LIST}?{query}")

    assert numbers(page) == found
    search = next(form for form in page.forms if form.method == "get")
    asked = {name: values[0] for name, values in parse_qs(query).items()}
    for name in ("q", "status"):
        assert search.values.get(name, "") == asked.get(name, "")


async def test_filters_are_kept_by_chips_and_by_sorting(desk: Door) -> None:
    page = await page_of(desk, f"{LIST}?q=a&status=in_review&track={WEB}&sort=title")

    def asked(words: str) -> dict[str, list[str]]:
        return parse_qs(urlsplit(page.links[words]).query)

    assert asked("Score") == {
        "q": ["a"], "status": ["in_review"], "track": [WEB], "sort": ["score"]
    }  # fmt: skip
    chips = {
        href: parse_qs(urlsplit(href.replace("&amp;", "&")).query)
        for href in re.findall(r'class="chip"[^>]*href="([^"]*)"', page.text)
    }
    assert {tuple(query.get("status", [])) for query in chips.values()} >= {(), ("accepted",)}
    assert all(query["q"] == ["a"] and query["sort"] == ["title"] for query in chips.values())


async def test_pages_lead_on_and_back(desk: Door) -> None:
    await many(desk, 60)
    first = await page_of(desk, f"{LIST}?status=in_review&sort=number")
    second = await page_of(desk, first.links["Next page"])

    assert len(numbers(first)) == 50
    assert len(numbers(second)) == 12
    assert not set(numbers(first)) & set(numbers(second))
    assert "Next page" not in second.links
    assert second.links["First page"] == f"{LIST}?status=in_review&sort=number"


async def test_what_is_no_filter_is_told_and_the_words_stay(desk: Door) -> None:
    for query in ("status=nonsense&q=typing", "cursor=x&q=typing", "track=tax_none&q=typing"):
        page = read(await desk.http.get(f"{LIST}?{query}"), 422)
        assert page.title.startswith("Error: ")
        assert numbers(page) == ["SUB-1"]
        assert next(form for form in page.forms if form.method == "get").values["q"] == "typing"


async def test_an_empty_list_says_why(desk: Door) -> None:
    nothing = await page_of(desk, f"{LIST}?q=nothing%20at%20all")
    await sign_in(desk, "usr_ines")
    async with desk.house.db.write() as session:
        await session.delete(await session.get_one(Submission, "sub_pyday"))
    empty = await page_of(desk, "/app/pyday-2027/submissions")

    assert "Nothing fits these filters" in nothing.words
    assert nothing.links["Show all submissions"] == LIST
    assert "No submissions yet" in empty.words


async def test_a_selection_is_queued_and_the_list_stays_as_it_was(desk: Door) -> None:
    here = f"{LIST}?status=in_review&sort=score"
    form = (await page_of(desk, here)).form(f"{LIST}/queue")
    fields = {**form.values, "submission": ["SUB-1", "SUB-2"], "decision": "accept"}

    answer = await send(desk, form.action, fields)
    page = await page_of(desk, answer.headers["location"])

    assert answer.headers["location"] == f"{here}&queued=2"
    assert "2 decisions are queued." in page.words
    assert page.links["They wait in the outbox"] == "/app/devconf-2027/outbox"
    assert page.text.count('data-queued="accept"') == 2
    assert len(await rows(desk, QueuedDecision)) == 2


async def test_one_queued_decision_is_undone_from_the_toast(desk: Door) -> None:
    answer = await send(
        desk, f"{LIST}/queue", {"submission": "SUB-1", "decision": "decline", "back": LIST}
    )
    page = await page_of(desk, answer.headers["location"])
    await send(desk, "/app/undo", page.form("/app/undo").values)

    assert "queued to decline" in page.words
    assert await rows(desk, QueuedDecision) == []


async def test_what_cannot_be_queued_is_named_and_stays_selected(desk: Door) -> None:
    fields = {"submission": ["SUB-1", "SUB-6", "SUB-3"], "decision": "accept"}
    page = read(await send(desk, f"{LIST}/queue", fields), 422)

    assert "SUB-6 “" in page.words
    assert "it cannot become accepted" in page.words
    assert page.form(f"{LIST}/queue").values["submission"] == ["SUB-6", "SUB-3"]
    assert "1 decision is queued." in page.words
    assert [row.submission_id for row in await rows(desk, QueuedDecision)] == [IN_REVIEW]


async def test_nothing_selected_and_no_decision_are_told(desk: Door) -> None:
    nothing = read(await send(desk, f"{LIST}/queue", {"decision": "accept"}), 422)
    neither = read(await send(desk, f"{LIST}/queue", {"submission": "SUB-1"}), 422)
    elsewhere = await send(
        desk,
        f"{LIST}/queue",
        {"submission": "SUB-1", "decision": "accept", "back": "//evil.example"},
    )

    assert "Select a submission first" in nothing.words
    assert neither.title.startswith("Error: ")
    assert elsewhere.headers["location"].startswith(f"{LIST}?done=")


# One submission


async def test_one_submission_shows_all_that_belongs_to_it(desk: Door) -> None:
    page = await page_of(desk, f"{LIST}/SUB-1")

    for words in (
        "Typing the untyped",
        "SUB-1",
        "Notes for the committee",
        "Morning, please.",
        "Ana Lima",
        "4.2 spread 0.5, 2 of 3 reviews",
        "Nothing has happened to it yet.",
    ):
        assert words in page.words
    for ref in ("sub_review", "1", "sub-1"):
        assert (await page_of(desk, f"{LIST}/{ref}")).title == page.title


@pytest.mark.parametrize("ref", ["SUB-1", "SUB-2", "SUB-3", "SUB-4", "SUB-5", "SUB-6", "sub_draft"])
async def test_every_status_has_a_page_with_the_acts_it_allows(desk: Door, ref: str) -> None:
    page = await page_of(desk, f"{LIST}/{ref}")
    acts = {form.action.rpartition("/")[2] for form in page.forms if form.action.startswith(LIST)}

    assert acts >= {"comment", "tags"}
    assert (
        acts - {"comment", "tags"}
        == {
            "SUB-1": {"decision", "withdraw"},
            "SUB-2": {"decision", "withdraw"},
            "SUB-3": {"decision", "withdraw", "restore"},
            "SUB-4": {"decision", "withdraw", "restore"},
            "SUB-5": {"decision", "restore"},
            "SUB-6": {"restore"},
            "sub_draft": set(),
        }[ref]
    )


async def test_what_is_not_there_or_elsewhere_is_not_found(desk: Door) -> None:
    for ref in ("SUB-99", "sub_pyday", "sub_rival", "nonsense"):
        assert (await desk.http.get(f"{LIST}/{ref}")).status_code == 404


async def test_a_preview_shows_effects_and_mails_and_changes_nothing(desk: Door) -> None:
    form = (await page_of(desk, f"{LIST}/SUB-2")).form(f"{LIST}/SUB-2/decision")
    before = await snapshot(desk.house.db)

    fields = {**form.values, "feedback": "Bring <b>slides</b>.", "do": "preview"}
    page = read(await send(desk, form.action, fields))

    assert "Preview: nothing has happened yet" in page.words
    assert "Session “Three voices, one stage” is created." in page.words
    assert "“Three voices, one stage” is accepted for DevConf 2027" in page.words
    assert page.text.count('<article class="mail">') == 2  # three speakers, two addresses
    assert "Bring <b>slides</b>." in page.words
    assert "[a link, only in the mail itself]" in page.words
    assert LINK_MARK not in page.text
    kept = page.form(form.action).values
    assert kept["feedback"] == "Bring <b>slides</b>."
    assert await snapshot(desk.house.db) == before


async def test_a_preview_says_when_nobody_would_be_told(desk: Door) -> None:
    fields = {"decision": "decline", "do": "preview"}
    page = read(await send(desk, f"{LIST}/SUB-2/decision", fields))

    assert "Nobody would be told." in page.words


async def test_deciding_now_tells_the_speakers_and_is_undone_from_the_toast(desk: Door) -> None:
    form = (await page_of(desk, f"{LIST}/SUB-2")).form(f"{LIST}/SUB-2/decision")
    fields = {**form.values, "decision": "accept", "do": "now"}

    page = await page_of(desk, (await send(desk, form.action, fields)).headers["location"])

    assert (await of(desk, TRIO)).status is SubmissionStatus.ACCEPTED
    assert len(await rows(desk, Mail)) == 2
    assert len(await rows(desk, OneTimeLink)) == 2
    assert "in review → accepted" in page.words

    await send(desk, "/app/undo", page.form("/app/undo").values)

    assert (await of(desk, TRIO)).status is SubmissionStatus.IN_REVIEW
    assert await rows(desk, Mail) == []
    assert await rows(desk, OneTimeLink) == []


async def test_what_is_not_ticked_is_not_done(desk: Door) -> None:
    fields = {"decision": "accept", "do": "now"}
    await send(desk, f"{LIST}/SUB-2/decision", fields)

    (session,) = await rows(desk, Session, col(Session.submission_id) == TRIO)
    assert session.status.value == "confirmed"
    assert await rows(desk, Mail) == []


async def test_queueing_shows_what_waits_and_it_can_be_taken_out(desk: Door) -> None:
    form = (await page_of(desk, f"{LIST}/SUB-2")).form(f"{LIST}/SUB-2/decision")
    fields = {**form.values, "decision": "decline", "feedback": "Next year.", "do": "queue"}

    page = await page_of(desk, (await send(desk, form.action, fields)).headers["location"])

    (queued,) = await rows(desk, QueuedDecision)
    assert (queued.decision.value, queued.feedback) == ("decline", "Next year.")
    assert "Queued: decline. It waits in the outbox." in page.words
    assert 'data-queued="decline"' in page.text
    assert (await of(desk, TRIO)).status is SubmissionStatus.IN_REVIEW

    out = await send(desk, f"{LIST}/SUB-2/unqueue", page.form(f"{LIST}/SUB-2/unqueue").values)
    assert "taken out of the outbox" in (await page_of(desk, out.headers["location"])).words
    assert await rows(desk, QueuedDecision) == []


async def test_withdrawing_keeps_the_reason_and_restoring_brings_it_back(desk: Door) -> None:
    answer = await send(desk, f"{LIST}/SUB-3/withdraw", {"reason": "New job."})
    withdrawn = await page_of(desk, answer.headers["location"])

    assert (await of(desk, ACCEPTED)).withdrawn_reason == "New job."
    (session,) = await rows(desk, Session, col(Session.id) == SESSION)
    assert session.cancelled_at is not None
    assert "accepted → withdrawn" in withdrawn.words

    answer = await send(desk, f"{LIST}/SUB-3/restore")
    restored = await page_of(desk, answer.headers["location"])
    assert "withdrawn → in review" in restored.words
    assert restored.form("/app/undo")


async def test_a_decision_on_what_changed_meanwhile_is_seen_first(desk: Door) -> None:
    form = (await page_of(desk, f"{LIST}/SUB-2")).form(f"{LIST}/SUB-2/decision")
    await send(desk, f"{LIST}/SUB-2/decision", {"decision": "waitlist", "do": "now"})

    fields = {**form.values, "decision": "accept", "feedback": "Typed with care.", "do": "now"}
    page = read(await send(desk, form.action, fields), 412)

    assert page.title.startswith("Error: ")
    assert "Somebody changed" in page.words
    assert page.form(form.action).values["feedback"] == "Typed with care."
    assert (await of(desk, TRIO)).status is SubmissionStatus.WAITLISTED


@pytest.mark.parametrize("version", ["²", "-1", "1e3", "x" * 50])
async def test_a_version_that_is_none_breaks_nothing(desk: Door, version: str) -> None:
    fields = {"decision": "accept", "do": "now", "version": version}
    read(await send(desk, f"{LIST}/SUB-2/decision", fields), 422)

    assert (await of(desk, TRIO)).status is SubmissionStatus.IN_REVIEW


async def test_what_is_wrong_with_a_decision_is_told_and_kept(desk: Door) -> None:
    form = (await page_of(desk, f"{LIST}/SUB-2")).form(f"{LIST}/SUB-2/decision")
    long = "x" * 5001
    page = read(await send(desk, form.action, {**form.values, "feedback": long, "do": "now"}), 422)
    none = read(await send(desk, form.action, {"do": "preview"}), 422)

    assert page.errors == ["feedback"]
    assert page.form(form.action).values["feedback"] == long
    assert none.title.startswith("Error: ")
    assert (await of(desk, TRIO)).status is SubmissionStatus.IN_REVIEW


async def test_there_is_no_such_act(desk: Door) -> None:
    assert (await send(desk, f"{LIST}/SUB-2/explode")).status_code == 404
    assert (await send(desk, f"{LIST}/SUB-99/withdraw")).status_code == 404


async def test_long_and_foreign_titles_keep_their_direction(desk: Door) -> None:
    async with desk.house.db.write() as session:
        (await session.get_one(Submission, IN_REVIEW)).title = LONG
        (await session.get_one(Submission, TRIO)).title = "الخرائط بدون خوادم"
    page = await page_of(desk, LIST)
    one = await page_of(desk, f"{LIST}/SUB-2")

    assert LONG.strip() in page.words
    assert '<h1 dir="auto">الخرائط بدون خوادم</h1>' in one.text


async def many(door: Door, count: int) -> None:
    async with door.house.db.write() as session:
        session.add_all(
            Submission(
                id=f"sub_many{number}",
                event_id=DEVCONF,
                form_id="frm_devconf",
                form_version_id="fvr_devconf",
                number=1000 + number,
                code=f"M{number:05}",
                status=SubmissionStatus.IN_REVIEW,
                title=f"Many {number}",
                title_folded=f"many {number}",
                submitted_at=OPENED,
            )
            for number in range(count)
        )
