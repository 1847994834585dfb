"""The one door from an identifier to a submission."""

import pytest

from tests.conftest import Call
from tests.services.refusals import not_found
from tests.world import (
    ACCEPTED,
    DEVCONF,
    DRAFT,
    IN_PYDAY,
    IN_REVIEW,
    IN_RIVAL,
    NORTH,
    TRIO,
    WAITLISTED,
    World,
)
from unsession.access import Actor, ActorKind, Role
from unsession.db.engine import Database
from unsession.errors import Ambiguous
from unsession.models import Submission

#: What a caller may write, and the submission it names.
NAMES = {
    TRIO: TRIO,
    "TRQAAA": TRIO,
    "trqaaa": TRIO,
    "2": TRIO,
    "SUB-2": TRIO,
    "sub-2": TRIO,
    " Sub-2 ": TRIO,
    "devconf-2027/SUB-1": IN_REVIEW,
    "devconf-2027/sub-1": IN_REVIEW,
    "devconf-2027/1": IN_REVIEW,
    "pyday-2027/SUB-1": IN_PYDAY,
    "evt_pyday/SUB-1": IN_PYDAY,
    "Three voices, one stage": TRIO,
    "three VOICES,  one stage": TRIO,
    "naive bayes a la carte": WAITLISTED,
    "NAÏVE BAYES À LA CARTE": WAITLISTED,
    "Half an idea": DRAFT,
}


async def test_a_submission_is_found_by_id_code_number_and_exact_title(
    call: Call, world: World
) -> None:
    found = {
        name: (await call("get_submission", world.organizer, submission=name)).result.id
        for name in NAMES
    }

    assert found == NAMES


async def test_an_event_narrows_a_number_that_repeats(call: Call, world: World) -> None:
    for event, found in (
        (DEVCONF, IN_REVIEW),
        ("pyday-2027", IN_PYDAY),
        ("PyDay 2027", IN_PYDAY),
    ):
        for submission in ("SUB-1", "1", "Typing the untyped"):
            got = await call("get_submission", world.owner, submission=submission, event=event)

            assert got.result.id == found


@pytest.mark.parametrize("identifier", ["SUB-1", "1", "Typing the Untyped"])
async def test_what_fits_two_submissions_lists_those_one_may_see(
    call: Call, world: World, identifier: str
) -> None:
    with pytest.raises(Ambiguous) as refused:
        await call("get_submission", world.organizer, submission=identifier)

    candidates = refused.value.facts["candidates"]
    assert isinstance(candidates, list)
    assert sorted(candidates, key=lambda one: str(one["id"])) == [
        {"id": IN_PYDAY, "label": "SUB-1 “Typing the untyped” in pyday-2027"},
        {"id": IN_REVIEW, "label": "SUB-1 “Typing the untyped” in devconf-2027"},
    ]
    assert IN_RIVAL not in refused.value.message


async def test_a_restricted_token_finds_only_in_its_event(call: Call, world: World) -> None:
    got = await call("get_submission", world.event_reader, submission="SUB-1")

    assert got.result.id == IN_REVIEW


async def test_a_draft_among_several_is_called_a_draft(
    call: Call, db: Database, world: World
) -> None:
    async with db.write() as session:
        (await session.get_one(Submission, DRAFT)).title_folded = "three voices, one stage"

    with pytest.raises(Ambiguous) as refused:
        await call("get_submission", world.organizer, submission="Three voices, one stage")

    assert "None" not in refused.value.message
    assert "draft “Half an idea” in devconf-2027" in refused.value.message


async def test_what_one_may_not_read_is_never_a_candidate(call: Call, world: World) -> None:
    # Organizer of one event, reviewer of the other: in the second nothing is theirs to read.
    mixed = Actor(
        ActorKind.PERSON,
        "usr_mei",
        "Mei Tanaka",
        user_id="usr_mei",
        event_roles={"evt_pyday": frozenset({Role.ORGANIZER}), DEVCONF: frozenset({Role.REVIEWER})},
        event_homes={"evt_pyday": NORTH, DEVCONF: NORTH},
    )

    got = await call("get_submission", mixed, submission="Typing the untyped")

    assert got.result.id == IN_PYDAY


async def test_what_only_resembles_a_submission_is_not_found(call: Call, world: World) -> None:
    for identifier in (
        "SUB-01",
        "SUB-999",
        "-1",
        "0",
        "1e3",
        "Three voices",
        "TRQAA",
        "sub_tri",
        "SUB--2",
        "devconf-2027/Three voices, one stage",
        "%",
        "4294967297",
        "99999999999999999999",
    ):
        await not_found(call("get_submission", world.organizer, submission=identifier), identifier)


@pytest.mark.parametrize("name", ["get_submission", "decide_submission"])
async def test_another_workspaces_submission_looks_like_none(
    call: Call, world: World, name: str
) -> None:
    more = {"decision": "accept"} if name == "decide_submission" else {}
    nobodys = await not_found(
        call(name, world.organizer, submission="sub_none", **more), "sub_none"
    )

    for theirs in (IN_RIVAL, "RVLAAA"):
        assert (
            await not_found(call(name, world.organizer, submission=theirs, **more), theirs)
            == nobodys
        )
    restricted = await not_found(
        call(name, world.event_writer, submission=IN_PYDAY, **more), IN_PYDAY
    )
    assert restricted == nobodys
    assert (await call("get_submission", world.stranger, submission="RVLAAA")).result.id == IN_RIVAL


async def test_another_workspaces_event_before_the_slash_looks_like_none(
    call: Call, world: World
) -> None:
    theirs = await not_found(
        call("get_submission", world.organizer, submission="rival-2027/SUB-1"), "rival-2027"
    )
    nobodys = await not_found(
        call("get_submission", world.organizer, submission="nowhere/SUB-1"), "nowhere"
    )

    assert theirs == nobodys


async def test_a_foreign_event_hides_what_is_in_it(call: Call, world: World) -> None:
    theirs = await not_found(
        call("get_submission", world.organizer, submission=ACCEPTED, event="rival-2027"),
        "rival-2027",
    )
    nobodys = await not_found(
        call("get_submission", world.organizer, submission=ACCEPTED, event="nowhere"), "nowhere"
    )

    assert theirs == nobodys
