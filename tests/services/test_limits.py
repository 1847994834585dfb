"""Submissions per person: counted where it is proved who they are, and for nobody else."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlmodel import col

from tests.conftest import Call
from tests.services.test_submit import change_form, typed
from tests.world import World
from unsession.access import Actor, holder_actor, visitor_actor
from unsession.db.engine import Database
from unsession.domain.submissions import SubmissionStatus
from unsession.errors import Conflict, Invalid
from unsession.models import OneTimeLink, Submission, UserAddress

VISITOR = visitor_actor()
TALKS = {"event": "devconf-2027", "form": "talks"}


def key(number: int) -> str:
    """The key of one page."""
    return f"{number:032}"


async def submit(call: Call, actor: Actor, number: int, **changes: Any) -> Any:
    return (await call("submit", actor, **typed(submitKey=key(number), **changes))).result


async def refused(doing: Any) -> tuple[object, str]:
    """Why, as a program and as a person reads it."""
    with pytest.raises(Conflict) as conflict:
        await doing
    return conflict.value.facts["reason"], conflict.value.message


async def proved(call: Call, db: Database, address: str, number: int) -> None:
    """A page of somebody without an account, whose address a mailed link has proved."""
    page = {**TALKS, "submitKey": key(number + 500)}
    await call("save_draft", VISITOR, **page, typed={"title": ["Maps"]})
    await call("mail_draft_link", VISITOR, **page, address=address)
    (link, *_) = await db.rows(select(col(OneTimeLink.id)).order_by(col(OneTimeLink.id).desc()))
    holder = holder_actor(link.id, "whoever holds the link")
    await call("open_draft", holder, link=link.id, submitKey=key(number))


async def test_one_too_many_of_a_person_is_refused_and_takes_no_number(
    call: Call, db: Database, world: World
) -> None:
    await change_form(db, max_per_person=2)
    numbers = [(await submit(call, world.nobody, n)).number for n in (1, 2)]

    reason, message = await refused(submit(call, world.nobody, 3))

    assert reason == "used_up"
    assert "at most 2 submissions per person, and you gave 2" in message
    other = await submit(call, world.organizer, 4)
    assert [*numbers, other.number] == [7, 8, 9]


async def test_of_two_tabs_at_once_one_is_refused(call: Call, db: Database, world: World) -> None:
    await change_form(db, max_per_person=1)

    both = await asyncio.gather(
        *(submit(call, world.nobody, n) for n in (1, 2)), return_exceptions=True
    )

    (late,) = [one for one in both if isinstance(one, BaseException)]
    assert isinstance(late, Conflict)
    assert late.facts["reason"] == "used_up"
    given = col(Submission.owner_user_id) == "usr_tom"
    assert len(await db.rows(select(col(Submission.id)).where(given))) == 1


async def test_the_same_page_again_is_the_same_submission(
    call: Call, db: Database, world: World
) -> None:
    await change_form(db, max_per_person=1)
    first = await submit(call, world.nobody, 1)
    again = await submit(call, world.nobody, 1)
    assert (again.id, again.repeated) == (first.id, True)


async def test_a_withdrawn_one_makes_room_a_declined_one_does_not(
    call: Call, db: Database, world: World
) -> None:
    await change_form(db, max_per_person=1)
    first = await submit(call, world.nobody, 1)
    await call("decide_submission", world.writer, submission=first.id, decision="decline")
    await refused(submit(call, world.nobody, 2))
    async with db.write() as session:
        row = await session.get_one(Submission, first.id)
        row.status = SubmissionStatus.WITHDRAWN

    assert (await submit(call, world.nobody, 2)).number == 8


async def test_a_typed_address_counts_for_nobody_and_blocks_nobody(
    call: Call, db: Database, world: World
) -> None:
    await submit(call, VISITOR, 1, address="tom@example.org")
    await change_form(db, max_per_person=1)

    reason, message = await refused(submit(call, VISITOR, 2, address="tom@example.org"))
    assert reason == "unknown_person"
    assert "has to know who you are" in message
    assert (await submit(call, world.nobody, 3)).number == 8


async def test_a_mailed_link_proves_an_address_and_it_is_counted_by_that(
    call: Call, db: Database, world: World
) -> None:
    await change_form(db, max_per_person=1)
    await proved(call, db, "Lea@example.org", 1)
    taken = await submit(call, VISITOR, 1, address="somebody.else@example.org")
    await proved(call, db, "lea@example.org", 2)

    reason, _ = await refused(submit(call, VISITOR, 2))
    assert reason == "used_up"
    (row,) = await db.rows(
        select(col(Submission.owner_address), col(Submission.owner_proved)).where(
            col(Submission.id) == taken.id
        )
    )
    assert (row.owner_address.lower(), row.owner_proved) == ("lea@example.org", True)


async def test_an_account_and_its_mailed_link_are_one_person(
    call: Call, db: Database, world: World
) -> None:
    await change_form(db, max_per_person=1)
    await proved(call, db, "tom@example.org", 1)
    await submit(call, VISITOR, 1)

    reason, _ = await refused(submit(call, world.nobody, 2))
    assert reason == "used_up"


async def test_a_link_to_ones_own_mailbox_proves_no_other_address(
    call: Call, db: Database, world: World
) -> None:
    await change_form(db, max_per_person=1)
    page = {**TALKS, "submitKey": key(1)}
    await call("save_draft", VISITOR, **page, typed={})
    await call("mail_draft_link", VISITOR, **page, address="eve@example.org")
    (own,) = await db.rows(select(col(OneTimeLink.id)))
    await call("mail_draft_link", VISITOR, **page, address="tom@example.org")
    await call("open_draft", holder_actor(own.id, "x"), link=own.id, submitKey=key(2))
    mine = await submit(call, VISITOR, 2)
    await proved(call, db, "eva2@example.org", 3)
    later = {**TALKS, "submitKey": key(3), "address": "tom@example.org"}
    await call("mail_draft_link", VISITOR, **later)

    reason, _ = await refused(submit(call, VISITOR, 3))
    assert reason == "unknown_person"
    (row,) = await db.rows(
        select(col(Submission.owner_address)).where(col(Submission.id) == mine.id)
    )
    assert row.owner_address == "eve@example.org"
    assert (await submit(call, world.nobody, 4)).number == 8


async def test_an_account_without_a_proved_address_is_not_known(
    call: Call, db: Database, world: World
) -> None:
    await change_form(db, max_per_person=1)
    async with db.write() as session:
        await session.execute(
            update(UserAddress).where(col(UserAddress.id) == "adr_tom").values(verified_at=None)
        )
    reason, _ = await refused(submit(call, world.nobody, 1))
    assert reason == "unknown_person"


async def test_organisers_set_it_take_it_away_and_add_without_it(
    call: Call, db: Database, world: World
) -> None:
    set_to = await call("update_form", world.writer, **TALKS, maxPerPerson=1)
    assert set_to.result.max_per_person == 1
    await submit(call, world.nobody, 1)
    person = {"name": "Tom Idle", "address": "tom@example.org"}
    added = {"event": "devconf-2027", "form": "talks", "title": "T", "speakers": [person]}
    await call("create_submission", world.writer, **added, status="draft")
    await call("update_form", world.writer, **TALKS, maxPerPerson=None)
    assert (await submit(call, world.nobody, 2)).number == 8
    with pytest.raises(Invalid) as wrong:
        await call("update_form", world.writer, **TALKS, maxPerPerson=0)
    assert "/maxPerPerson" in str(wrong.value.facts)


async def test_a_last_day_ends_anywhere_on_earth(call: Call, world: World) -> None:
    """FRM-02: one instant, said as such."""
    made = await call("update_form", world.writer, **TALKS, closesAt="2027-06-14")
    assert made.result.closes_at.isoformat() == "2027-06-14T22:59:59+00:00"

    everywhere = await call("update_form", world.writer, **TALKS, closesAnywhere=True)
    assert everywhere.result.closes_at.isoformat() == "2027-06-15T11:59:59+00:00"
    assert everywhere.result.closes_anywhere
    assert everywhere.result.state == (
        "This form is open until 14 June 2027, 23:59 (anywhere on earth, UTC−12)."
    )
    named = await call("update_form", world.writer, **TALKS, closesAt="2027-06-20T18:00")
    assert named.result.closes_at.isoformat() == "2027-06-21T06:00:00+00:00"
    back = await call("update_form", world.writer, **TALKS, closesAnywhere=False)
    assert back.result.closes_at.isoformat() == "2027-06-20T17:00:00+00:00"
    await call("undo", world.writer, activity=back.activity_id)
    again = (await call("get_form", world.reader, **TALKS)).result
    assert (again.closes_anywhere, again.closes_at) == (True, named.result.closes_at)
