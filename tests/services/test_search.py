"""search: by number and by words, in what one reaches and nowhere else."""

from typing import Any

import msgspec
import pytest

from tests.conftest import Call, Statements
from tests.services.panel import panel, scores, seat_people
from tests.services.refusals import not_found
from tests.services.test_evaluation_masking import BOTH
from tests.world import ANA, DEVCONF, IN_PYDAY, IN_REVIEW, SESSION, TRIO, WAITLISTED, World
from unsession.db.engine import Database
from unsession.domain.sessions import SessionStatus
from unsession.errors import Forbidden, Invalid
from unsession.models import Session


async def found(call: Call, actor: Any, q: str, **more: Any) -> list[tuple[str, str]]:
    """Kind and id of everything found."""
    hits = (await call("search", actor, q=q, **more)).result.items
    return [(hit.kind, hit.id) for hit in hits]


async def test_a_number_finds_its_submission_in_every_spelling(call: Call, world: World) -> None:
    for q in ("SUB-2", "sub-2", "2", " 2 "):
        assert await found(call, world.organizer, q, event=DEVCONF) == [("submission", TRIO)], q


@pytest.mark.parametrize("q", ["²", "٣", "SUB-", "1e3", "99999999999999999999", "-1", "0x1"])
async def test_what_only_looks_like_a_number_finds_nothing_and_breaks_nothing(
    call: Call, world: World, q: str
) -> None:
    assert await found(call, world.organizer, q) == []


async def test_case_and_accents_do_not_matter(call: Call, world: World) -> None:
    for q in ("naïve bayes", "NAIVE carte", "bayes à la"):
        assert await found(call, world.organizer, q) == [("submission", WAITLISTED)], q


async def test_every_word_must_be_there(call: Call, world: World) -> None:
    assert await found(call, world.organizer, "async tears", event=DEVCONF) == [
        ("submission", "sub_accepted"),
        ("session", SESSION),
    ]
    assert await found(call, world.organizer, "async joy", event=DEVCONF) == []


async def test_hits_say_where_they_are(call: Call, world: World) -> None:
    (speaker,) = (await call("search", world.organizer, q="ana lima")).result.items
    (numbered,) = (await call("search", world.organizer, q="SUB-2", event=DEVCONF)).result.items

    assert msgspec.to_builtins(speaker) == {
        "kind": "speaker",
        "id": ANA,
        "label": "Ana Lima",
        "event": "devconf-2027",
        "code": "ANALIM",
    }
    assert msgspec.to_builtins(numbered) == {
        "kind": "submission",
        "id": TRIO,
        "label": "Three voices, one stage",
        "event": "devconf-2027",
        "number": 2,
        "code": numbered.code,
    }


@pytest.mark.parametrize("q", [" ", "\u00a0", "%", "_", "\\", "%%", "a%z"])
async def test_white_space_and_wildcards_find_nothing(call: Call, world: World, q: str) -> None:
    assert await found(call, world.organizer, q) == []


async def test_a_search_never_crosses_into_what_is_not_ones_own(call: Call, world: World) -> None:
    q = "typing"  # the title of a submission in each of three events

    both = await found(call, world.organizer, q)
    restricted = await found(call, world.event_reader, q)
    theirs = await found(call, world.stranger, q)

    assert both == [("submission", IN_PYDAY), ("submission", IN_REVIEW)]
    assert restricted == [("submission", IN_REVIEW)]
    assert theirs == [("submission", "sub_rival")]
    assert await found(call, world.event_reader, "SUB-1") == [("submission", IN_REVIEW)]
    assert await found(call, world.stranger, "async") == []


async def test_an_event_that_is_not_ones_own_looks_like_none(call: Call, world: World) -> None:
    refused = [
        await not_found(call("search", actor, q="typing", event=event), event)
        for actor, event in (
            (world.organizer, "rival-2027"),
            (world.event_reader, "pyday-2027"),
            (world.organizer, "nowhere-2027"),
        )
    ]

    assert refused == [refused[0]] * 3


async def test_who_only_reviews_or_is_nobody_searches_nothing(call: Call, world: World) -> None:
    for actor in (world.reviewer, world.nobody):
        with pytest.raises(Forbidden) as refused:
            await call("search", actor, q="typing")
        assert refused.value.facts["permission"] == "event:read"


async def test_no_words_are_refused(call: Call, world: World) -> None:
    for arguments in ({"q": ""}, {}, {"q": "x" * 201}):
        with pytest.raises(Invalid) as refused:
            await call("search", world.organizer, **arguments)
        assert [problem.path for problem in refused.value.problems] == ["/q"]


async def test_drafts_and_cancelled_sessions_are_not_found(
    call: Call, db: Database, world: World
) -> None:
    await call("decide_submission", world.writer, submission="sub_accepted", decision="decline")
    async with db.write() as session:
        row = await session.get_one(Session, SESSION)
        assert row.status is SessionStatus.PENDING

    assert await found(call, world.organizer, "async tears") == [("submission", "sub_accepted")]
    draft = (await call("list_submissions", world.reader, event=DEVCONF, status="draft")).result
    assert await found(call, world.organizer, draft.items[0].title, event=DEVCONF) == []


async def test_an_organizer_who_reviews_blind_finds_no_speakers(
    call: Call, db: Database, world: World
) -> None:
    await seat_people(db)
    made = await panel(call, world, ["ravi", "ada"])
    await call("assign_reviewers", world.owner, event=DEVCONF, plan=made.id)

    assert await found(call, world.owner, "ana") == [("speaker", ANA)]
    assert await found(call, BOTH, "ana") == []
    assert await found(call, BOTH, "typing", event=DEVCONF) == [("submission", IN_REVIEW)]

    for submission in (IN_REVIEW, TRIO):
        await call("submit_review", BOTH, submission=submission, scores=scores(made, 4, 4))
    assert await found(call, BOTH, "ana") == [("speaker", ANA)]


async def test_at_most_eight_of_a_kind_are_found(
    call: Call, world: World, crowd: list[str]
) -> None:
    assert len(await found(call, world.organizer, "crowd")) == 8


async def test_many_hits_take_no_more_statements_than_none(
    call: Call, world: World, crowd: list[str], statements: Statements
) -> None:
    counted = []
    for q in ("nothing has this title", "crowd"):
        statements.clear()
        await found(call, world.organizer, q, event=DEVCONF)
        counted.append(len(statements))

    # Words of another number are another statement of the same shape, not more of them.
    assert counted[0] == counted[1] <= 5
