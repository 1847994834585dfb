"""/confirm/{secret}: looking changes nothing, an answer can be changed, a dead link says so."""

import datetime as dt
from typing import Any
from urllib.parse import urlsplit

import pytest
from sqlmodel import col

from tests.web.door import Door
from tests.web.pages import SAME, Page, page_of, read, rows, send, sign_in
from tests.web.tables import snapshot
from tests.world import IN_REVIEW, TRIO
from unsession.db.types import utc_now
from unsession.domain.accounts import LinkPurpose
from unsession.models import (
    Activity,
    Mail,
    OneTimeLink,
    Placement,
    Session,
    SessionSpeaker,
)
from unsession.services.links import link_url


async def accepted(door: Door, submission: str = "SUB-1") -> list[str]:
    """Accept a submission; the paths of its speakers' links, as their mails will carry them."""
    await sign_in(door, "usr_ravi")
    fields = {"decision": "accept", "do": "now", "send_email": "on", "ask_confirmation": "on"}
    path = f"/app/devconf-2027/submissions/{submission}/decision"
    assert (await send(door, path, fields)).status_code == 303
    door.http.cookies.clear()
    return [path_of(door, link) for link in await rows(door, OneTimeLink)]


def path_of(door: Door, link: Any) -> str:
    url = link_url(door.house.settings, LinkPurpose.CONFIRM, link.id, link.generation)
    return urlsplit(url).path


async def session_of(door: Door, submission: str = IN_REVIEW) -> Any:
    (row,) = await rows(door, Session, col(Session.submission_id) == submission)
    return row


async def test_looking_twice_changes_nothing(door: Door) -> None:
    (path,) = await accepted(door)
    before = await snapshot(door.house.db)

    for method in ("GET", "HEAD", "GET", "HEAD"):
        answer = await door.http.request(method, path)
        assert answer.status_code == 200

    assert await snapshot(door.house.db) == before


async def test_the_page_asks_and_says_what_it_is_about(door: Door) -> None:
    (path,) = await accepted(door)
    page = await page_of(door, path)

    assert "Ana Lima, will you come?" in page.words
    assert "Typing the untyped" in page.words
    assert "20 May 2027 – 21 May 2027" in page.words
    assert "noindex" in page.text
    assert "answer" not in page.form("?").values


async def test_a_placed_session_says_when_and_where(door: Door) -> None:
    (path,) = await accepted(door)
    session = await session_of(door)
    async with door.house.db.write() as writing:
        writing.add(
            Placement(
                schedule_id="sch_devconf",
                session_id=session.id,
                date=dt.date(2027, 5, 21),
                start_minute=24 * 60 - 15,
                minutes=45,
                room_id="rom_lab",
            )
        )
    page = await page_of(door, path)

    assert "Fri 21 May" in page.words
    assert "23:45–00:30" in page.words
    assert "wall time in Europe/Lisbon, may still move" in page.words
    assert "Lab" in page.words


async def test_a_yes_a_no_and_a_yes_again(door: Door) -> None:
    (path,) = await accepted(door)

    yes = read(await send(door, path, {"answer": "yes"}))
    confirmed = (await session_of(door)).status.value
    no = read(await send(door, path, {"answer": "no", "reason": "A wedding & a <b>move</b>."}))
    (entry,) = await rows(door, SessionSpeaker, col(SessionSpeaker.declined_at).is_not(None))
    pending = (await session_of(door)).status.value
    seen = await page_of(door, path)
    again = read(await send(door, path, {"answer": "yes", "reason": "Found a way."}))

    assert "Ana Lima, you are coming" in yes.words
    assert (confirmed, pending) == ("confirmed", "pending")
    assert "Ana Lima, you cannot come" in no.words
    assert entry.decline_reason == "A wedding & a <b>move</b>."
    assert seen.form("?").values == {"answer": "no", "reason": "A wedding & a <b>move</b>."}
    assert "you are coming" in again.words
    assert (await session_of(door)).status.value == "confirmed"
    entries = [row for row in await rows(door, Activity) if row.operation == "answer_confirmation"]
    assert [(row.actor_kind.value, row.actor_name) for row in entries] == [("link", "Ana Lima")] * 3


@pytest.mark.parametrize("fields", [{}, {"answer": "maybe"}, {"answer": ""}])
async def test_no_answer_is_asked_for_and_what_was_typed_stays(
    door: Door, fields: dict[str, str]
) -> None:
    (path,) = await accepted(door)
    before = await snapshot(door.house.db)

    page = read(await send(door, path, {**fields, "reason": "Because of the trains."}), 422)

    assert page.title.startswith("Error: ")
    assert page.errors == ["answer-yes"]
    assert "answer-yes" in page.ids
    assert page.form("?").values["reason"] == "Because of the trains."
    assert await snapshot(door.house.db) == before


async def test_a_reason_that_is_too_long_is_told_at_its_field_and_kept(door: Door) -> None:
    (path,) = await accepted(door)
    long = "x" * 1001
    page = read(await send(door, path, {"answer": "no", "reason": long}), 422)

    assert page.errors == ["reason"]
    assert page.form("?").values == {"answer": "no", "reason": long}
    assert (await rows(door, SessionSpeaker, col(SessionSpeaker.declined_at).is_not(None))) == []


async def test_each_speaker_answers_for_oneself(door: Door) -> None:
    first, second = await accepted(door, "SUB-2")

    await send(door, first, {"answer": "no"})
    await send(door, second, {"answer": "yes"})

    entries = await rows(door, SessionSpeaker, col(SessionSpeaker.session_id).is_not(None))
    said = [(bool(row.confirmed_at), bool(row.declined_at)) for row in entries]
    assert said.count((False, True)) == 1
    assert (await session_of(door, TRIO)).status.value == "confirmed"


async def gone(door: Door, path: str) -> Page:
    """The page of a link that asks nothing any more, looked at and answered."""
    look = read(await door.http.get(path), 404)
    answer = read(await send(door, path, {"answer": "yes"}), 404)
    assert "Nothing to answer" in look.words
    assert look.words.split("Reference")[0][:200] == answer.words.split("Reference")[0][:200]
    return look


async def test_a_link_that_asks_nothing_any_more_says_so(door: Door) -> None:
    (path,) = await accepted(door)

    await sign_in(door, "usr_ravi")
    base = "/app/devconf-2027/submissions/SUB-1"
    await send(door, f"{base}/withdraw")
    await gone(door, path)

    await send(door, f"{base}/restore")
    (newer,) = [p for p in await accepted(door) if p != path]
    await gone(door, path)
    assert (await door.http.get(newer)).status_code == 200

    async with door.house.db.write() as session:
        (link,) = await rows(door, OneTimeLink)
        (await session.get_one(OneTimeLink, link.id)).expires_at = utc_now()
    await gone(door, newer)
    await gone(door, "/confirm/nonsense")


async def test_a_link_of_another_purpose_answers_nothing(door: Door) -> None:
    (path,) = await accepted(door)
    secret = path.rpartition("/")[2]

    for segment in ("signin", "verify", "reset", "invite", "owner"):
        assert (await door.http.get(f"/{segment}/{secret}")).status_code == 404
    assert (await rows(door, OneTimeLink))[0].used_at is None


async def test_an_answer_from_another_site_is_refused(door: Door) -> None:
    (path,) = await accepted(door)
    before = await snapshot(door.house.db)

    for headers in (
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {},
    ):
        answer = await door.http.post(path, data={"answer": "yes"}, headers=headers)
        assert answer.status_code == 403
    own = await door.http.post(
        path, data={"answer": "yes"}, headers={"origin": "https://conference.test"}
    )

    assert own.status_code == 200
    assert await snapshot(door.house.db) != before


async def test_no_live_link_is_kept_shown_or_logged(
    door: Door, capfd: pytest.CaptureFixture[str]
) -> None:
    (path,) = await accepted(door)
    secret = path.rpartition("/")[2]
    await door.http.get(path)
    await door.http.post(path, data={"answer": "yes"}, headers=SAME)
    await sign_in(door, "usr_ravi")
    seen = [
        (await door.http.get(page)).text
        for page in ("/app/devconf-2027/submissions/SUB-1", "/app/devconf-2027/activity")
    ]
    kept = repr([await rows(door, table) for table in (Mail, OneTimeLink, Activity)])
    told = capfd.readouterr()

    assert secret not in kept
    assert not any(secret in text for text in seen)
    assert "/app/devconf-2027/activity" in told.err
    assert secret not in told.out + told.err
