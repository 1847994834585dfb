"""What a submitter does at the public form."""

import asyncio
import datetime as dt
import json
from typing import Any

import pytest
from sqlalchemy import delete, select
from sqlmodel import col

from tests.conftest import Call
from tests.services.conftest import Log, content_of
from tests.world import DATA, DEVCONF, World
from unsession.access import visitor_actor
from unsession.db.engine import Database
from unsession.db.types import utc_now
from unsession.domain.forms import FormStatus
from unsession.domain.submissions import SubmissionStatus
from unsession.errors import Conflict, Forbidden, Invalid, NotFound
from unsession.models import (
    Event,
    Form,
    Mail,
    Membership,
    Speaker,
    Submission,
    SubmissionOption,
    SubmissionSpeaker,
)

VISITOR = visitor_actor()
KEY = "k" * 32


def typed(**changes: Any) -> dict[str, Any]:
    """A whole submit of devconf's form."""
    return {
        "event": "devconf-2027",
        "form": "talks",
        "submitKey": KEY,
        "title": "Maps without servers",
        "abstract": "How a map can be one file.",
        "answers": {"track": DATA, "format": "opt_talk", "fld_notes": "After lunch, please."},
        "speakers": [
            {"name": "Ana Lima", "address": "Ana@Example.org", "bio": "Typed by herself?"},
            {"name": "Kofi Mensah", "address": "kofi@example.org", "company": "Tema Labs"},
        ],
        **changes,
    }


async def rows(db: Database, model: Any, *conditions: Any) -> list[Any]:
    return list(await db.rows(select(*model.__table__.columns).where(*conditions)))


async def change_form(db: Database, **columns: Any) -> None:
    async with db.write() as session:
        form = await session.get_one(Form, "frm_devconf")
        for name, value in columns.items():
            setattr(form, name, value)


async def test_a_submit_makes_a_numbered_submission(
    call: Call, db: Database, world: World, log: Log
) -> None:
    outcome = await call("submit", VISITOR, **typed())

    assert outcome.result.number == 7
    (row,) = await rows(db, Submission, col(Submission.id) == outcome.result.id)
    assert row.status is SubmissionStatus.IN_REVIEW
    assert row.form_version_id == "fvr_devconf"
    assert row.title_folded == "maps without servers"
    assert row.answers == {"fld_notes": "After lunch, please."}
    assert row.owner_user_id is None
    assert (row.owner_address, row.owner_address_folded) == ("Ana@Example.org", "ana@example.org")
    options = await rows(
        db, SubmissionOption, col(SubmissionOption.submission_id) == outcome.result.id
    )
    assert {option.option_id for option in options} == {DATA, "opt_talk"}
    speakers = await rows(
        db, SubmissionSpeaker, col(SubmissionSpeaker.submission_id) == outcome.result.id
    )
    assert [(s.position, s.name, s.role, s.speaker_id) for s in speakers] == [
        (0, "Ana Lima", "speaker", None),
        (1, "Kofi Mensah", "speaker", None),
    ]
    (entry,) = await log()
    assert (entry.actor_name, entry.operation, entry.event_id) == ("visitor", "submit", DEVCONF)
    assert content_of(entry)["summary"] == "SUB-7 “Maps without servers” submitted"
    assert "kofi@example.org" not in (entry.content or "").lower()


async def test_the_events_speaker_is_not_touched(call: Call, db: Database, world: World) -> None:
    before = await rows(db, Speaker)
    await call("submit", VISITOR, **typed())

    assert await rows(db, Speaker) == before


async def test_an_unverified_address_gets_a_fixed_text(
    call: Call, db: Database, world: World
) -> None:
    evil = "Win money at https://evil.example"
    people = [{"name": evil, "address": "victim@example.org", "bio": evil, "company": evil}]
    await call("submit", VISITOR, **typed(title=evil, abstract=evil, speakers=people))

    (mail,) = await rows(db, Mail)
    assert mail.to_address == "victim@example.org"
    assert mail.to_name == ""
    assert mail.kind == "received"
    assert "evil" not in json.dumps([mail.subject, mail.body])
    assert mail.subject == "SUB-7 for DevConf 2027 came in"
    assert "https://conference.test/signin" in mail.body


async def test_a_signed_in_person_owns_it_by_their_verified_address(
    call: Call, db: Database, world: World
) -> None:
    outcome = await call("submit", world.nobody, **typed(address="else@example.org"))

    (row,) = await rows(db, Submission, col(Submission.id) == outcome.result.id)
    assert (row.owner_user_id, row.owner_address) == ("usr_tom", "Tom@example.org")
    (mail,) = await rows(db, Mail)
    assert (mail.to_address, mail.to_name, mail.to_user_id) == (
        "Tom@example.org", "Tom Idle", "usr_tom",
    )  # fmt: skip
    assert "“Maps without servers” is SUB-7" in mail.body


async def test_the_receipt_goes_where_the_submitter_says_and_nowhere_else(
    call: Call, db: Database, world: World
) -> None:
    await call("submit", VISITOR, **typed(address=" office@example.org "))

    assert [mail.to_address for mail in await rows(db, Mail)] == ["office@example.org"]


async def test_no_receipt_when_too_many_went_out(call: Call, db: Database, world: World) -> None:
    await call("submit", VISITOR, **typed(receipt=False))

    assert await rows(db, Mail) == []


async def test_the_same_submit_twice_is_one(
    call: Call, db: Database, world: World, log: Log
) -> None:
    first = await call("submit", VISITOR, **typed())
    second = await call("submit", VISITOR, **typed())
    edited = await call("submit", VISITOR, **typed(title="Another title"))

    assert (second.result.id, second.result.number) == (first.result.id, 7)
    assert (second.result.repeated, second.result.same) == (True, True)
    assert (edited.result.id, edited.result.same) == (first.result.id, False)
    assert second.activity_id is None
    assert len(await rows(db, Submission, col(Submission.submit_key) == KEY)) == 1
    assert len(await rows(db, Mail)) == 1
    assert len(await log()) == 1


async def test_a_double_click_is_one_submission(call: Call, db: Database, world: World) -> None:
    outcomes = await asyncio.gather(*(call("submit", VISITOR, **typed()) for _ in range(8)))

    assert {outcome.result.number for outcome in outcomes} == {7}
    assert sum(not outcome.result.repeated for outcome in outcomes) == 1
    assert len(await rows(db, Mail)) == 1


async def test_numbers_are_contiguous_when_many_submit_at_once(
    call: Call, db: Database, world: World
) -> None:
    async def one(place: int) -> int:
        key = f"{place:032}"
        # Every fourth one is not good enough and must not use up a number.
        title = "" if place % 4 == 3 else f"Talk {place}"
        try:
            outcome = await call("submit", VISITOR, **typed(submitKey=key, title=title))
        except Invalid:
            return 0
        return int(outcome.result.number)

    numbers = await asyncio.gather(*(one(place) for place in range(32)))

    assert sorted(number for number in numbers if number) == list(range(7, 31))


async def test_a_second_submit_after_the_end_still_finds_the_first(
    call: Call, db: Database, world: World
) -> None:
    first = await call("submit", VISITOR, **typed())
    await change_form(db, status=FormStatus.CLOSED)

    assert (await call("submit", VISITOR, **typed())).result.id == first.result.id


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"status": FormStatus.CLOSED}, "This form is closed."),
        ({"closes_at": dt.datetime(2026, 10, 1, 22, 59, 59, tzinfo=dt.UTC)},
         "This form closed on 1 October 2026, 23:59 (Europe/Lisbon, UTC+1)."),
        ({"opens_at": dt.datetime(2399, 1, 1, tzinfo=dt.UTC)},
         "This form opens on 1 January 2399, 00:00 (Europe/Lisbon, UTC+0)."),
    ],
)  # fmt: skip
async def test_a_form_that_is_not_open_says_when_and_why(
    call: Call, db: Database, world: World, columns: dict[str, Any], sentence: str
) -> None:
    await change_form(db, **columns)

    with pytest.raises(Conflict) as refused:
        await call("submit", VISITOR, **typed())
    assert refused.value.message == f"{sentence} Nothing was submitted."
    assert await rows(db, Mail) == []


async def test_a_form_takes_submissions_through_its_last_second(
    call: Call, db: Database, world: World
) -> None:
    await change_form(db, closes_at=utc_now() + dt.timedelta(seconds=30))

    assert (await call("submit", VISITOR, **typed())).result.number == 7


async def test_what_is_not_public_is_not_there(call: Call, db: Database, world: World) -> None:
    await change_form(db, status=FormStatus.DRAFT)
    for changes in ({}, {"form": "none"}, {"event": "none"}):
        for actor in (VISITOR, world.nobody):
            with pytest.raises(NotFound, match="No form here"):
                await call("submit", actor, **typed(**changes))
    with pytest.raises(Conflict, match="not open yet"):  # its organisers see it, and why
        await call("submit", world.organizer, **typed())


async def test_nothing_comes_into_an_archived_event(call: Call, db: Database, world: World) -> None:
    async with db.write() as session:
        (await session.get_one(Event, DEVCONF)).archived_at = utc_now()

    with pytest.raises(NotFound):
        await call("submit", VISITOR, **typed())


async def test_tokens_do_not_submit(call: Call, world: World) -> None:
    with pytest.raises(Forbidden):
        await call("submit", world.writer, **typed())


async def test_all_problems_come_at_once_with_their_place(call: Call, world: World) -> None:
    with pytest.raises(Invalid) as refused:
        await call(
            "submit",
            VISITOR,
            **typed(
                title=" ",
                answers={"track": "Opera", "fld_notes": 7, "gone": "x"},
                speakers=[{"name": "Ana", "address": "tomas@example"}],
            ),
        )
    paths = [problem.path for problem in refused.value.problems]
    assert paths == ["/title", "/answers/track", "/answers/fld_notes", "/speakers/0/address"]


async def test_a_wrong_address_of_the_submitter_is_refused(call: Call, world: World) -> None:
    with pytest.raises(Invalid, match="“nobody” is not a complete mail address"):
        await call("submit", VISITOR, **typed(address="nobody"))


async def test_a_short_key_is_refused(call: Call, world: World) -> None:
    with pytest.raises(Invalid, match="/submitKey"):
        await call("submit", VISITOR, **typed(submitKey="guess"))


async def test_a_preview_leaves_nothing_behind(call: Call, db: Database, world: World) -> None:
    before = await rows(db, Submission)
    outcome = await call("submit", VISITOR, dry_run=True, **typed())

    assert outcome.result.number == 7
    assert await rows(db, Submission) == before
    assert (await call("submit", VISITOR, **typed())).result.number == 7


async def test_the_team_is_told_as_the_form_says_and_as_it_is_then(
    call: Call, db: Database, world: World
) -> None:
    form = {"event": "devconf-2027", "form": "talks"}
    changed = await call("update_form", world.owner, **form, notify=["Ravi Menon", "usr_ines"])
    assert sorted(changed.result.notify) == ["usr_ines", "usr_ravi"]
    await call("submit", VISITOR, **typed())
    async with db.write() as session:
        await session.execute(delete(Membership).where(col(Membership.user_id) == "usr_ravi"))
    await call("submit", VISITOR, **typed(submitKey="n" * 32))

    told = await db.rows(
        select(col(Mail.to_user_id), col(Mail.subject), col(Mail.body))
        .where(col(Mail.kind) == "came_in")
        .order_by(col(Mail.created_at), col(Mail.to_user_id))
    )
    assert [one.to_user_id for one in told] == ["usr_ines", "usr_ravi", "usr_ines"]
    assert told[0].subject == "SUB-7 came in: DevConf 2027"
    assert str(typed()["title"]) not in told[0].body
    with pytest.raises(Invalid):
        await call("update_form", world.owner, **form, notify=["Mei Tanaka"])
    with pytest.raises(NotFound):
        await call("update_form", world.owner, **form, notify=["Nobody"])
    nobody = await call("update_form", world.owner, **form, notify=[])
    assert not nobody.result.notify
