"""set_submission_speakers."""

from typing import Any

import pytest
from sqlalchemy import select
from sqlmodel import col

from tests.conftest import Call
from tests.services.conftest import Log, content_of
from tests.services.refusals import not_found
from tests.services.test_submit import typed
from tests.world import World
from unsession.access import visitor_actor
from unsession.db.engine import Database
from unsession.errors import Forbidden, Invalid, Stale
from unsession.models import Speaker, SubmissionSpeaker

ANA = {"name": "Ana Lima", "address": "ana@example.org", "bio": "Maps."}
KOFI = {"name": "Kofi Mensah", "address": "kofi@example.org", "role": "Moderator"}
LEA = {"name": "Léa", "address": "lea@example.org", "company": "Tema Labs", "role": "co speaker"}


async def given(call: Call) -> Any:
    return (await call("submit", visitor_actor(), **typed())).result


async def held(db: Database, submission: str) -> list[tuple[str, str]]:
    """Name and role, in order."""
    rows = await db.rows(
        select(col(SubmissionSpeaker.name), col(SubmissionSpeaker.role))
        .where(col(SubmissionSpeaker.submission_id) == submission)
        .order_by(col(SubmissionSpeaker.position))
    )
    return [(row.name, row.role) for row in rows]


async def put(call: Call, world: World, submission: str, *speakers: Any, **more: Any) -> Any:
    wire = {"submission": submission, "speakers": list(speakers), **more}
    return await call("set_submission_speakers", world.writer, **wire)


async def test_they_are_replaced_in_order_with_roles_and_put_back_by_undo(
    call: Call, db: Database, world: World, log: Log
) -> None:
    one = await given(call)
    before = await held(db, one.id)
    known = await db.rows(select(col(Speaker.id), col(Speaker.name)).order_by(col(Speaker.id)))

    done = await put(call, world, one.id, KOFI, LEA, ANA)

    after = [("Kofi Mensah", "moderator"), ("Léa", "co-speaker"), ("Ana Lima", "speaker")]
    assert await held(db, one.id) == after
    assert [speaker.name for speaker in done.result.speakers] == [name for name, _ in after]
    entry = (await log())[-1]
    assert content_of(entry)["summary"] == "Speakers of SUB-7 “Maps without servers” set"
    now = await db.rows(select(col(Speaker.id), col(Speaker.name)).order_by(col(Speaker.id)))
    assert [tuple(row) for row in now] == [tuple(row) for row in known]
    await call("undo", world.writer, activity=done.activity_id)
    assert await held(db, one.id) == before


async def test_the_same_ones_again_change_nothing(call: Call, world: World, log: Log) -> None:
    one = await given(call)
    await put(call, world, one.id, ANA, KOFI)
    entries = len(await log())

    await put(call, world, one.id, ANA, KOFI)
    assert len(await log()) == entries


async def test_a_session_keeps_its_line_up_and_that_is_said(call: Call, world: World) -> None:
    one = await given(call)
    await call("decide_submission", world.writer, submission=one.id, decision="accept")
    session = (await call("get_submission", world.writer, submission=one.id)).result.session_id
    before = (await call("get_session", world.writer, session=session)).result.speakers

    done = await put(call, world, one.id, LEA)

    assert "keeps its own line-up" in str(done.warnings)
    after = (await call("get_session", world.writer, session=session)).result.speakers
    assert after == before


@pytest.mark.parametrize(
    ("speakers", "path"),
    [
        ([], "/speakers"),
        ([ANA, {**KOFI, "address": "ANA@example.org"}], "/speakers/1/address"),
        ([{**ANA, "address": "ana"}], "/speakers/0/address"),
        ([ANA, {**KOFI, "role": "host"}], "/speakers/1/role"),
        ([ANA] * 6, "/speakers"),
    ],
)
async def test_what_the_form_refuses_is_refused_with_its_place(
    call: Call, db: Database, world: World, speakers: list[Any], path: str
) -> None:
    one = await given(call)
    before = await held(db, one.id)

    with pytest.raises(Invalid) as refused:
        await put(call, world, one.id, *speakers)

    assert path in [problem["path"] for problem in refused.value.facts["problems"]]  # type: ignore[attr-defined]
    assert await held(db, one.id) == before


async def test_who_read_an_older_version_is_stale(call: Call, world: World) -> None:
    one = await given(call)
    read = (await call("get_submission", world.writer, submission=one.id)).result.version
    await put(call, world, one.id, ANA, version=read)
    with pytest.raises(Stale):
        await put(call, world, one.id, KOFI, version=read)


async def test_a_draft_may_have_nobody(call: Call, db: Database, world: World) -> None:
    await put(call, world, "sub_draft")
    assert await held(db, "sub_draft") == []


async def test_neither_reviewers_nor_strangers_set_them(call: Call, world: World) -> None:
    one = await given(call)
    wire = {"submission": one.id, "speakers": [ANA]}
    for actor in (world.reviewer, world.reader):
        with pytest.raises(Forbidden):
            await call("set_submission_speakers", actor, **wire)
    await not_found(call("set_submission_speakers", world.stranger, **wire), one.id)
