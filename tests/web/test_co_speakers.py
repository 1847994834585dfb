"""Speakers whom somebody else named: asked once by a fixed text, they complete their own part."""

from typing import Any

import pytest
from sqlalchemy import update
from sqlmodel import col

from tests.services.conftest import content_of
from tests.web.door import Door
from tests.web.pages import page_of, read, rows, send, sign_in
from tests.world import DATA
from unsession.domain.submissions import SubmissionStatus
from unsession.models import Activity, Mail, Submission, SubmissionSpeaker

PUBLIC = "/devconf-2027/talks"
KEY = "k" * 32
EVIL = "Win money at https://evil.example"


async def submitted(door: Door, key: str = KEY, **changes: str) -> str:
    """Ravi's submission, with Tom as a co-speaker; its id."""
    done = await send(
        door,
        PUBLIC,
        {
            "submit_key": key,
            "title": EVIL,
            "abstract": EVIL,
            "track": DATA,
            "format": "opt_talk",
            "speaker-1-name": "Ravi Menon",
            "speaker-1-address": "ravi@example.org",
            "speaker-2-name": EVIL,
            "speaker-2-address": "tom@example.org",
            "speaker-2-role": "co-speaker",
            "do": "submit",
            **changes,
        },
    )
    assert done.status_code == 303, done.text
    (row,) = await rows(door, Submission, col(Submission.submit_key) == key)
    return str(row.id)


def address(submission: str) -> str:
    return f"/devconf-2027/portal/submissions/{submission}/part"


async def form_of(door: Door, submission: str) -> dict[str, Any]:
    """What the page is filled in with."""
    page = await page_of(door, address(submission))
    return dict(next(one for one in page.forms if "bio" in one.values).values)


async def speakers_of(door: Door, submission: str) -> list[Any]:
    found = await rows(door, SubmissionSpeaker, col(SubmissionSpeaker.submission_id) == submission)
    return sorted(found, key=lambda one: one.position)


async def test_the_other_speaker_is_asked_once_by_a_text_nobody_typed(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    await submitted(door)
    await submitted(door)

    asked = await rows(door, Mail, col(Mail.kind) == "named")
    assert [mail.to_address for mail in asked] == ["tom@example.org"]
    (mail,) = asked
    assert "evil" not in mail.subject + mail.body + mail.to_name
    assert "/signin?next=/devconf-2027/portal" in mail.body


async def test_nobody_is_asked_before_it_is_submitted(door: Door) -> None:
    saved = {"submit_key": KEY, "speaker-2-name": "Tom", "speaker-2-address": "tom@example.org"}
    await send(door, f"{PUBLIC}/draft", saved)
    wrong = await send(door, PUBLIC, {**saved, "do": "submit"})

    assert wrong.status_code == 422
    assert await rows(door, Mail) == []


async def test_whoever_submits_for_somebody_else_stays_the_owner(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    one = await submitted(door, **{"speaker-1-name": "Lea", "speaker-1-address": "lea@example.org"})

    (row,) = await rows(door, Submission, col(Submission.id) == one)
    assert (row.owner_user_id, row.owner_address) == ("usr_ravi", "Ravi@example.org")
    kinds = sorted((mail.kind, mail.to_address) for mail in await rows(door, Mail))
    assert kinds == [
        ("named", "lea@example.org"),
        ("named", "tom@example.org"),
        ("received", "Ravi@example.org"),
    ]


async def test_an_address_is_not_flooded(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    for number in range(7):
        await submitted(door, f"{number:032}")
    assert len(await rows(door, Mail, col(Mail.kind) == "named")) == 5


async def test_a_co_speaker_completes_their_part_and_nothing_else(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    one = await submitted(door)
    before = await speakers_of(door, one)
    await sign_in(door, "usr_tom")
    home = await page_of(door, "/devconf-2027/portal")
    assert address(one) in home.links.values()

    fields = {**await form_of(door, one), "name": "Tom Idle", "bio": "I keep things running."}
    more = {"role": "moderator", "address": "else@example.org", "title": "Mine now"}
    done = await send(door, address(one), {**fields, **more})

    assert done.status_code == 303
    first, second = await speakers_of(door, one)
    assert first == before[0]
    assert (second.name, second.bio) == ("Tom Idle", "I keep things running.")
    assert (second.address, second.role) == ("tom@example.org", "co-speaker")
    (row,) = await rows(door, Submission, col(Submission.id) == one)
    assert (row.title, row.owner_user_id) == (EVIL, "usr_ravi")
    entries = sorted(await rows(door, Activity), key=lambda entry: entry.number)
    assert content_of(entries[-1])["summary"].startswith("Tom Idle completed their part of SUB-7")
    assert (await door.http.get(f"/devconf-2027/portal/submissions/{one}")).status_code == 404


async def test_what_is_wrong_is_told_at_its_field_and_stays(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    one = await submitted(door)
    await sign_in(door, "usr_tom")
    fields = await form_of(door, one)

    page = read(await send(door, address(one), {**fields, "name": " ", "bio": "Kept"}), 422)
    assert page.title.startswith("Error:")
    assert 'href="#name"' in page.text
    assert "Kept" in page.text


async def test_two_windows_and_the_owner_are_told(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    one = await submitted(door)
    (before,) = await rows(door, Submission, col(Submission.id) == one)
    await sign_in(door, "usr_tom")
    fields = await form_of(door, one)
    assert (await send(door, address(one), {**fields, "bio": "One"})).status_code == 303
    assert (await send(door, address(one), {**fields, "bio": "Two"})).status_code == 412

    (after,) = await rows(door, Submission, col(Submission.id) == one)
    assert after.version == before.version + 1


@pytest.mark.parametrize("status", [SubmissionStatus.DECLINED, SubmissionStatus.WITHDRAWN])
async def test_what_is_declined_or_withdrawn_stays(door: Door, status: SubmissionStatus) -> None:
    await sign_in(door, "usr_ravi")
    one = await submitted(door)
    await sign_in(door, "usr_tom")
    fields = await form_of(door, one)
    async with door.house.db.write() as session:
        await session.execute(
            update(Submission).where(col(Submission.id) == one).values(status=status)
        )
    assert (await send(door, address(one), {**fields, "bio": "Late"})).status_code == 409
    assert "stays as it is" in (await page_of(door, address(one))).words


async def test_nobody_else_reaches_a_part(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    one = await submitted(door)
    (_, part) = await speakers_of(door, one)
    await sign_in(door, "usr_mei")
    assert (await door.http.get(address(one))).status_code == 404
    sent = {"part": part.id, "name": "Me", "bio": "Mine"}
    assert (await send(door, address(one), sent)).status_code == 404
    assert (await speakers_of(door, one))[1] == part
