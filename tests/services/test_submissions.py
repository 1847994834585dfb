"""list_submissions and get_submission: what they show, to whom, in which order."""

from typing import Any

import msgspec
import pytest
from sqlalchemy import text

from tests.conftest import Call, Statements
from tests.services.conftest import Log
from tests.services.refusals import not_found
from tests.world import (
    ACCEPTED,
    DATA,
    DECLINED,
    DEVCONF,
    DRAFT,
    FINAL_ROUND,
    FIRST_ROUND,
    IN_PYDAY,
    IN_REVIEW,
    IN_RIVAL,
    PYDAY,
    RIVAL,
    SESSION,
    TRIO,
    WAITLISTED,
    WEB,
    WITHDRAWN,
    World,
)
from unsession.access import Actor
from unsession.db.engine import Database
from unsession.errors import Forbidden, Invalid
from unsession.models import SubmissionSpeaker

Row = dict[str, Any]


async def test_a_submission_is_listed_with_its_options_speakers_and_score(
    call: Call, world: World
) -> None:
    page = (await call("list_submissions", world.reader, event=DEVCONF, q="untyped")).data()

    assert msgspec.to_builtins(page) == {
        "items": [
            {
                "id": IN_REVIEW,
                "number": 1,
                "code": "RVWAAA",
                "title": "Typing the untyped",
                "status": "in_review",
                "track": {"id": WEB, "name": "Web"},
                "format": {"id": "opt_workshop", "name": "Workshop"},
                "level": {"id": "opt_beginner", "name": "Beginner"},
                "speakers": ["Ana Lima"],
                "url": "https://conference.test/app/devconf-2027/submissions/sub_review",
                "score": {"mean": 4.25, "spread": 0.5, "reviews": 2, "expected": 3},
                "submittedAt": "2026-09-01T08:00:00Z",
            }
        ],
        "total": 1,
    }


async def test_speakers_are_listed_in_their_order_whatever_the_order_of_the_rows(
    call: Call, world: World
) -> None:
    rows = await _rows(call, world.owner, q="three voices")

    assert rows[0]["speakers"] == ["Kofi Mensah", "Lena Fischer", "K. Mensah"]


async def test_without_options_speakers_or_reviews_those_fields_are_left_out(
    call: Call, world: World
) -> None:
    declined = (await _rows(call, world.owner, status="declined"))[0]
    draft = (await _rows(call, world.owner, status="draft"))[0]
    waiting = (await _rows(call, world.owner, status="waitlisted"))[0]

    always = {"id", "code", "title", "status", "speakers", "url"}
    assert declined.keys() == {*always, "number", "submittedAt"}
    assert draft.keys() == always
    assert waiting["score"] == {"reviews": 0, "expected": 3}


#: Filters and orders, and what they show of devconf.
SHOWN: list[tuple[Row, list[str]]] = [
    ({}, [WITHDRAWN, DECLINED, WAITLISTED, ACCEPTED, TRIO, IN_REVIEW]),
    ({"sort": "number"}, [IN_REVIEW, TRIO, ACCEPTED, WAITLISTED, DECLINED, WITHDRAWN]),
    (
        {"sort": "title"},
        [ACCEPTED, WAITLISTED, WITHDRAWN, TRIO, IN_REVIEW, DECLINED],
    ),
    ({"sort": "spread", "minScore": 0}, [TRIO, IN_REVIEW, ACCEPTED]),
    ({"status": "in_review"}, [TRIO, IN_REVIEW]),
    ({"status": "draft"}, [DRAFT]),
    ({"status": "draft", "sort": "number"}, [DRAFT]),
    ({"status": "accepted"}, [ACCEPTED]),
    ({"undecided": True}, [TRIO, IN_REVIEW]),
    ({"undecided": False, "status": "waitlisted"}, [WAITLISTED]),
    ({"track": "web"}, [WITHDRAWN, ACCEPTED, IN_REVIEW]),
    ({"track": DATA}, [WAITLISTED, TRIO]),
    ({"track": "Web", "undecided": True}, [IN_REVIEW]),
    ({"form": "talks", "status": "declined"}, [DECLINED]),
    ({"form": "Call for Talks", "status": "declined"}, [DECLINED]),
    ({"minScore": 4}, [ACCEPTED, IN_REVIEW]),
    ({"minScore": 4.25}, [ACCEPTED, IN_REVIEW]),
    ({"minScore": 4.3}, [ACCEPTED]),
    ({"minScore": 1, "plan": "First round"}, [ACCEPTED, IN_REVIEW]),
    ({"minScore": 2.5, "plan": FIRST_ROUND}, [ACCEPTED]),
    ({"minScore": 1, "plan": FINAL_ROUND}, [TRIO, IN_REVIEW]),
    ({"q": "naive"}, [WAITLISTED]),
    ({"q": "NAÏVE carte"}, [WAITLISTED]),
    ({"q": "zoe"}, [WAITLISTED]),
    ({"q": "  "}, [WITHDRAWN, DECLINED, WAITLISTED, ACCEPTED, TRIO, IN_REVIEW]),
    ({"q": "mensah stage"}, [TRIO]),
    ({"q": "mensah untyped"}, []),
    ({"q": "%"}, []),
    ({"q": "_"}, []),
    ({"q": "\\"}, []),
    ({"q": "'; drop table submission"}, []),
]


async def test_filters_and_orders_show_exactly_what_they_say(call: Call, world: World) -> None:
    for filters, found in SHOWN:
        page = (await call("list_submissions", world.owner, event=DEVCONF, **filters)).result

        assert ([row.id for row in page.items], page.total) == (found, len(found)), filters


async def test_without_a_score_one_comes_after_all_that_have_one(call: Call, world: World) -> None:
    rows = await _rows(call, world.owner, sort="score")

    assert [row["id"] for row in rows[:3]] == [ACCEPTED, IN_REVIEW, TRIO]
    assert {row["id"] for row in rows[3:]} == {WAITLISTED, DECLINED, WITHDRAWN}


async def test_the_scores_are_those_of_the_plan_one_names(call: Call, world: World) -> None:
    first = await _rows(call, world.owner, plan="first round", status="in_review")

    assert [(row["id"], row.get("score")) for row in first] == [
        (TRIO, None),
        (IN_REVIEW, {"mean": 2.0, "spread": 1.0, "reviews": 3, "expected": 3}),
    ]


@pytest.mark.parametrize("sort", ["newest", "score", "spread", "title", "number"])
async def test_the_pages_show_everything_exactly_once(
    call: Call, world: World, crowd: list[str], sort: str
) -> None:
    for limit in (1, 7, 200):
        walked = await _walk(call, world.owner, sort=sort, limit=limit)

        shown = [row["id"] for row in walked]
        assert len(shown) == len(set(shown)) == len(crowd) + 6
        assert shown == [row["id"] for row in await _rows(call, world.owner, sort=sort, limit=200)]
        _is_in_order(walked, sort)


async def test_filtered_pages_show_everything_exactly_once(
    call: Call, world: World, crowd: list[str]
) -> None:
    for filters, expected in (
        ({"track": "Web", "minScore": 1, "sort": "score"}, 12),
        ({"q": "crowd a", "sort": "title"}, 6),
        ({"plan": FIRST_ROUND, "sort": "spread"}, 30),
        ({"undecided": True, "sort": "newest", "form": "talks"}, 26),
    ):
        walked = await _walk(call, world.owner, limit=4, **filters)

        assert len(walked) == len({row["id"] for row in walked}) == expected


async def test_drafts_are_walked_by_the_moment_they_were_begun(call: Call, world: World) -> None:
    for sort in ("newest", "number", "title", "score"):
        walked = await _walk(call, world.owner, status="draft", sort=sort, limit=1)

        assert [row["id"] for row in walked] == [DRAFT]


async def test_a_page_behind_the_last_row_still_knows_the_total(
    call: Call, db: Database, world: World
) -> None:
    page = (await call("list_submissions", world.owner, event=DEVCONF, q="i", limit=1)).result
    async with db.write() as session:
        await session.execute(
            text("UPDATE submission SET title_folded = 'x' WHERE id <> 'sub_withdrawn'")
        )
        await session.execute(text("UPDATE submission_speaker SET name_folded = 'x'"))

    behind = (
        await call(
            "list_submissions", world.owner, event=DEVCONF, q="i", limit=1, cursor=page.next_cursor
        )
    ).result

    assert (list(behind.items), behind.total) == ([], 1)


async def test_a_cursor_answers_only_the_question_it_came_from(
    call: Call, world: World, crowd: list[str]
) -> None:
    page = (await call("list_submissions", world.owner, event=DEVCONF, limit=2)).result
    cursor = page.next_cursor

    for other in (
        {"sort": "title"},
        {"sort": "number"},
        {"status": "in_review"},
        {"track": "web"},
        {"q": "a"},
        {"undecided": True},
        {"event": PYDAY},
        {"cursor": ("A" if cursor[0] != "A" else "B") + cursor[1:]},
        {"cursor": cursor[:20]},
        {"cursor": "AAAA"},
        {"cursor": "é?"},
        {"cursor": "x" * 1000},
    ):
        arguments = {"event": DEVCONF, "limit": 2, "cursor": cursor, **other}
        with pytest.raises(Invalid) as refused:
            await call("list_submissions", world.owner, **arguments)
        assert [problem.path for problem in refused.value.problems] == ["/cursor"]

    more = await call("list_submissions", world.owner, event=DEVCONF, limit=200, cursor=cursor)
    assert len(more.result.items) == 28
    assert more.result.total == 30


async def test_both_ends_of_the_limit_are_kept(call: Call, world: World) -> None:
    for limit in (0, 201, -1, "10", 2.5):
        with pytest.raises(Invalid) as refused:
            await call("list_submissions", world.owner, event=DEVCONF, limit=limit)
        assert [problem.path for problem in refused.value.problems] == ["/limit"]

    assert (
        len((await call("list_submissions", world.owner, event=DEVCONF, limit=1)).result.items) == 1
    )


async def test_at_most_eight_words_are_searched(call: Call, world: World) -> None:
    with pytest.raises(Invalid) as refused:
        await call("list_submissions", world.owner, event=DEVCONF, q="a b c d e f g h i")

    assert [problem.path for problem in refused.value.problems] == ["/q"]


async def test_a_filter_names_what_is_not_there(call: Call, world: World) -> None:
    for field, word in (("track", "track"), ("form", "form"), ("plan", "evaluation plan")):
        refused = await not_found(
            call("list_submissions", world.owner, event=DEVCONF, **{field: "Nothing"}), "Nothing"
        )
        assert refused[1] == f"No {word} “…” here, or it is not yours to see."


async def test_an_option_of_another_event_is_none(call: Call, world: World) -> None:
    theirs = await not_found(call("list_submissions", world.stranger, event=RIVAL, track=WEB), WEB)
    nobodys = await not_found(
        call("list_submissions", world.stranger, event=RIVAL, track="opt_none"), "opt_none"
    )

    assert theirs == nobodys


async def test_a_reviewer_may_neither_list_nor_get(call: Call, world: World) -> None:
    for name, arguments in (
        ("list_submissions", {"event": DEVCONF}),
        ("get_submission", {"submission": IN_REVIEW}),
    ):
        with pytest.raises(Forbidden, match="Your role does not let you read submissions"):
            await call(name, world.reviewer, **arguments)


async def test_the_list_of_a_foreign_event_looks_like_none(call: Call, world: World) -> None:
    theirs = await not_found(call("list_submissions", world.organizer, event=RIVAL), RIVAL)
    restricted = await not_found(call("list_submissions", world.event_reader, event=PYDAY), PYDAY)
    nobodys = await not_found(
        call("list_submissions", world.organizer, event="evt_none"), "evt_none"
    )

    assert theirs == restricted == nobodys


async def test_no_list_shows_what_belongs_to_another_event(call: Call, world: World) -> None:
    shown = {
        row["id"]
        for actor, event in ((world.owner, DEVCONF), (world.owner, PYDAY), (world.stranger, RIVAL))
        for row in await _rows(call, actor, event=event)
        if (event == RIVAL) == (row["id"] == IN_RIVAL)
        and (event == PYDAY) == (row["id"] == IN_PYDAY)
    }

    assert len(shown) == 8


async def test_one_submission_comes_with_all_that_belongs_to_it(call: Call, world: World) -> None:
    await call("decide_submission", world.organizer, submission=TRIO, decision="waitlist")

    full = msgspec.to_builtins((await call("get_submission", world.reader, submission=TRIO)).data())

    entry = full["activity"].pop()
    expected = {
        "id": TRIO,
        "number": 2,
        "code": "TRQAAA",
        "title": "Three voices, one stage",
        "status": "waitlisted",
        "track": {"id": DATA, "name": "Data"},
        "format": {"id": "opt_talk", "name": "Talk"},
        "score": {"mean": 3.5, "spread": 1.5, "reviews": 2, "expected": 3},
        "submittedAt": "2026-09-01T08:01:00Z",
        "form": {"id": "frm_devconf", "name": "Call for talks"},
        "abstract": "About “Three voices, one stage”.",
        # In the order of the form; what the pinned version does not ask is not shown.
        "answers": [
            {
                "fieldId": "fld_notes",
                "label": "Notes for the committee",
                "value": "Morning, please.",
            }
        ],
        "speakers": [
            {
                "name": "Kofi Mensah",
                "role": "speaker",
                "address": "kofi@example.org",
                "company": "Tema Labs",
            },
            {"name": "Lena Fischer", "role": "speaker", "address": "lena@example.org"},
            {"name": "K. Mensah", "role": "speaker", "address": "KOFI@Example.org"},
        ],
        "activity": [],
        "version": 2,
    }
    assert {name: full[name] for name in expected} == expected
    assert entry.pop("at").endswith("Z")
    assert entry == {
        "actor": "Ravi Menon",
        "operation": "decide_submission",
        "summary": "SUB-2 “Three voices, one stage”: in review → waitlisted",
    }


async def test_an_accepted_one_names_its_session_and_speakers(call: Call, world: World) -> None:
    full = (await call("get_submission", world.owner, submission=ACCEPTED)).result

    assert full.session_id == SESSION
    assert [speaker.id for speaker in full.speakers] == ["spk_sam"]


async def test_the_last_twenty_entries_are_shown_the_newest_first(call: Call, world: World) -> None:
    for round_ in range(22):
        decision = "waitlist" if round_ % 2 else "decline"
        await call("decide_submission", world.owner, submission=TRIO, decision=decision)

    full = (await call("get_submission", world.owner, submission=TRIO)).result

    assert len(full.activity) == 20
    assert full.activity[0].summary.endswith("declined → waitlisted")
    assert full.activity[19].summary.endswith("waitlisted → declined")


async def test_reading_leaves_no_activity(call: Call, world: World, log: Log) -> None:
    await call("list_submissions", world.organizer, event=DEVCONF)
    await call("get_submission", world.organizer, submission=TRIO)

    assert await log() == []


async def test_many_rows_take_as_many_statements_as_few(
    call: Call, world: World, crowd: list[str], statements: Statements
) -> None:
    counts = []
    for limit in (1, 30):
        statements.clear()
        page = (await call("list_submissions", world.owner, event=DEVCONF, limit=limit)).result
        assert len(page.items) == limit
        counts.append(len(statements))

    assert counts[0] == counts[1] <= 5


async def test_many_speakers_and_entries_take_as_many_statements_as_few(
    call: Call, db: Database, world: World, statements: Statements
) -> None:
    statements.clear()
    await call("get_submission", world.owner, submission=DECLINED)
    few = len(statements)
    async with db.write() as session:
        session.add_all(
            SubmissionSpeaker(submission_id=DECLINED, position=9 + n, name="X", name_folded="x")
            for n in range(30)
        )
    for decision in ("accept", "decline", "accept", "decline"):
        await call("decide_submission", world.owner, submission=DECLINED, decision=decision)

    statements.clear()
    full = (await call("get_submission", world.owner, submission=DECLINED)).result

    assert len(full.speakers) == 31
    assert len(statements) == few <= 10


async def _rows(call: Call, actor: Actor, **arguments: Any) -> list[Row]:
    page = await call("list_submissions", actor, **{"event": DEVCONF, **arguments})
    rows: list[Row] = msgspec.to_builtins(page.data())["items"]
    return rows


async def _walk(call: Call, actor: Actor, **arguments: Any) -> list[Row]:
    """All rows, page by page; every page knows the same total."""
    rows: list[Row] = []
    cursor: dict[str, str] = {}
    totals = set()
    for _ in range(100):
        page = msgspec.to_builtins(
            (await call("list_submissions", actor, event=DEVCONF, **arguments, **cursor)).data()
        )
        rows += page["items"]
        totals.add(page["total"])
        if "nextCursor" not in page:
            assert totals == {len(rows)}
            return rows
        assert len(page["items"]) == arguments["limit"]
        cursor = {"cursor": page["nextCursor"]}
    raise AssertionError("the list has no end")


def _is_in_order(rows: list[Row], sort: str) -> None:
    score = [row.get("score", {}) for row in rows]
    values: list[Any] = {
        "newest": [row["submittedAt"] for row in rows],
        "score": [one.get("mean", -1) for one in score],
        "spread": [one.get("spread", -1) for one in score],
        "title": [row["title"] for row in rows if row["title"].startswith("crowd")],
        "number": [row["number"] for row in rows],
    }[sort]
    assert values == sorted(values, reverse=sort in ("newest", "score", "spread"))
