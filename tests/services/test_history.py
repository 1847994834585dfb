"""list_activity: who did what, in order, page by page, and what was taken back."""

import datetime as dt
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from tests.conftest import Call, Statements
from tests.services.panel import panel, seat_people
from tests.services.refusals import not_found
from tests.services.test_evaluation_masking import BOTH
from tests.world import ACCEPTED, DEVCONF, IN_REVIEW, TRIO, WAITLISTED, World
from unsession.db.engine import Database
from unsession.db.types import utc_now
from unsession.errors import Conflict, Forbidden, Invalid


async def entries(call: Call, actor: Any, **arguments: Any) -> list[dict[str, Any]]:
    """The items of one page as the doors send them."""
    page = await call("list_activity", actor, event=DEVCONF, **arguments)
    items: list[dict[str, Any]] = msgspec.to_builtins(page.result)["items"]
    return items


async def decide(call: Call, actor: Any, submission: str, decision: str = "waitlist") -> str:
    done = await call("decide_submission", actor, submission=submission, decision=decision)
    assert done.activity_id is not None
    return done.activity_id


async def test_entries_say_who_did_what_the_newest_first(call: Call, world: World) -> None:
    first = await decide(call, world.writer, IN_REVIEW)
    second = await decide(call, world.owner, TRIO, "decline")

    newest, oldest = await entries(call, world.reader)

    moment = dt.datetime.fromisoformat(newest.pop("at"))
    assert abs(utc_now() - moment) < dt.timedelta(minutes=1)
    assert newest == {
        "id": second,
        "number": 2,
        "actor": "Ines Duarte",
        "operation": "decide_submission",
        "subjectType": "submission",
        "subject": TRIO,
        "summary": "SUB-2 “Three voices, one stage”: in review → declined",
        "undone": False,
    }
    assert (oldest["id"], oldest["number"], oldest["actor"]) == (first, 1, "api:writer")


async def test_pages_show_each_entry_once(call: Call, world: World) -> None:
    for number in range(5):
        await call("save_room", world.writer, event=DEVCONF, name=f"Room {number}")

    seen, cursor = [], None
    while True:
        more = {"cursor": cursor} if cursor else {}
        page = await call("list_activity", world.reader, event=DEVCONF, limit=2, **more)
        seen.append([row.number for row in page.result.items])
        cursor = page.result.next_cursor
        if not cursor:
            break

    assert seen == [[5, 4], [3, 2], [1]]


async def test_a_cursor_fits_only_its_own_question(call: Call, world: World) -> None:
    for number in range(3):
        await call("save_room", world.writer, event=DEVCONF, name=f"Room {number}")
    cursor = (await call("list_activity", world.reader, event=DEVCONF, limit=1)).result.next_cursor

    for other in ({"event": "pyday-2027"}, {"event": DEVCONF, "subject": "rom_lab"}):
        with pytest.raises(Invalid) as refused:
            await call("list_activity", world.reader, cursor=cursor, **other)
        assert [problem.path for problem in refused.value.problems] == ["/cursor"]


async def test_as_of_as_the_next_since_misses_nothing(call: Call, world: World) -> None:
    await decide(call, world.writer, IN_REVIEW)
    page = (await call("list_activity", world.reader, event=DEVCONF)).result

    await decide(call, world.writer, TRIO)
    later = await entries(call, world.reader, since=page.as_of.isoformat())

    assert TRIO in [entry["subject"] for entry in later]
    assert page.as_of < utc_now() - dt.timedelta(seconds=5)
    assert await entries(call, world.reader, since=utc_now().isoformat()) == []


async def test_one_things_entries_alone(call: Call, world: World) -> None:
    await decide(call, world.writer, IN_REVIEW)
    await decide(call, world.writer, TRIO)

    found = await entries(call, world.reader, subject=TRIO)

    assert [entry["subject"] for entry in found] == [TRIO]
    assert await entries(call, world.reader, subject="sub_none") == []


async def test_what_was_undone_says_so_and_what_was_done_again_does_not(
    call: Call, world: World
) -> None:
    done = await decide(call, world.writer, IN_REVIEW)
    undo = (await call("undo", world.writer, activity=done)).activity_id
    once = {entry["id"]: entry for entry in await entries(call, world.reader)}

    redo = (await call("undo", world.writer, activity=undo)).activity_id
    twice = {entry["id"]: entry for entry in await entries(call, world.reader)}

    assert (once[done]["undone"], once[undo]["undone"], once[undo]["undoes"]) == (True, False, done)
    assert once[undo]["summary"] == ("Undone: SUB-1 “Typing the untyped”: in review → waitlisted")
    assert (twice[done]["undone"], twice[undo]["undone"]) == (False, True)
    assert twice[redo]["undoes"] == undo


async def test_the_parts_of_one_act_name_it_and_are_undone_with_it(
    call: Call, world: World
) -> None:
    for submission in (IN_REVIEW, TRIO):
        await call("queue_decision", world.writer, submission=submission, decision="decline")
    sent = (await call("send_outbox", world.writer, event=DEVCONF)).activity_id

    rows = [e for e in await entries(call, world.reader) if e["operation"] == "send_outbox"]
    parts = [entry for entry in rows if "partOf" in entry]

    assert {(entry["subject"], entry["partOf"]) for entry in parts} == {
        (IN_REVIEW, sent),
        (TRIO, sent),
    }
    assert [entry["id"] for entry in rows if "partOf" not in entry] == [sent]
    with pytest.raises(Conflict, match="undone as a whole") as refused:
        await call("undo", world.writer, activity=parts[0]["id"])
    assert refused.value.facts == {"activity": sent}


async def test_an_organizer_who_reviews_blind_reads_no_names_here_either(
    call: Call, db: Database, world: World
) -> None:
    await seat_people(db)
    made = await panel(call, world, ["ravi", "ada"])
    await call("assign_reviewers", world.owner, event=DEVCONF, plan=made.id)
    ana = replace(world.owner, id="usr_ana", name="Ana Lima")
    await call("update_submission", ana, submission=IN_REVIEW, title="Typing, slowly")
    await call("update_submission", ana, submission=ACCEPTED, title="Async with tears")
    await decide(call, ana, WAITLISTED, "accept")

    shown = await entries(call, BOTH)
    open_to_all = await entries(call, world.organizer)

    assert IN_REVIEW in [entry["subject"] for entry in open_to_all]
    assert IN_REVIEW not in [entry["subject"] for entry in shown]
    assert {ACCEPTED, WAITLISTED} <= {entry["subject"] for entry in shown}


async def test_reading_the_log_needs_the_right_and_the_event(call: Call, world: World) -> None:
    for actor in (world.reviewer, world.nobody):
        with pytest.raises(Forbidden) as refused:
            await call("list_activity", actor, event=DEVCONF)
        assert refused.value.facts["permission"] == "activity:read"

    unseen = [
        await not_found(call("list_activity", actor, event=event), event)
        for actor, event in (
            (world.stranger, "devconf-2027"),
            (world.event_reader, "pyday-2027"),
            (world.reader, "nowhere-2027"),
        )
    ]
    assert unseen == [unseen[0]] * 3


async def test_other_events_entries_are_not_listed(call: Call, world: World) -> None:
    await call("save_room", world.writer, event="pyday-2027", name="Den")
    await call("save_room", world.stranger, event="rival-2027", name="Den")

    assert await entries(call, world.reader) == []


async def test_a_since_without_an_offset_is_refused(call: Call, world: World) -> None:
    with pytest.raises(Invalid) as refused:
        await call("list_activity", world.reader, event=DEVCONF, since="2027-01-01T00:00:00")

    assert [problem.path for problem in refused.value.problems] == ["/since"]


async def test_a_long_page_takes_no_more_statements_than_a_short_one(
    call: Call, world: World, statements: Statements
) -> None:
    counted = []
    for number in (1, 12):
        for room in range(number):
            await call("save_room", world.writer, event=DEVCONF, name=f"Room {number} {room}")
        statements.clear()
        await entries(call, world.reader)
        counted.append(len(statements))

    assert counted[0] == counted[1]
