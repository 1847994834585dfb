"""Drafts at the public form: saved by script and by button, found again, mailed, given up."""

import re
from dataclasses import replace

import pytest
from sqlalchemy import update
from sqlmodel import col

from tests.web.door import Door, opened
from tests.web.pages import page_of, read, rows, send, sign_in
from tests.world import World
from unsession.domain.forms import FormStatus
from unsession.models import Draft, Form, Mail, OneTimeLink, Submission
from unsession.seal import link_secret
from unsession.settings import Settings

PUBLIC = "/devconf-2027/talks"
KEY = "k" * 32
TYPED = {"submit_key": KEY, "title": "Maps without servers", "abstract": "Half of", "draft": ""}


async def saved(door: Door, **fields: str) -> dict[str, object]:
    """Saved as the page's script does."""
    answer = await send(door, f"{PUBLIC}/draft", {**TYPED, **fields})
    assert answer.status_code == 200, answer.text
    told: dict[str, object] = answer.json()
    return told


async def values(door: Door, path: str = PUBLIC) -> dict[str, str]:
    """What the form is filled in with."""
    page = await page_of(door, path)
    found = next(one for one in page.forms if "submit_key" in one.values)
    return {name: str(value) for name, value in found.values.items()}


async def test_what_is_saved_is_there_when_the_form_is_opened_again(door: Door) -> None:
    told = await saved(door, website="")
    shown = await values(door)

    assert told["bound"] is False
    assert (shown["title"], shown["abstract"]) == ("Maps without servers", "Half of")
    assert (shown["submit_key"], shown["draft"]) == (KEY, told["draft"])
    assert shown["draft_version"] == str(told["version"])
    fresh = await values(door, f"{PUBLIC}?new=1")
    assert (fresh["title"], fresh["draft"]) == ("", "")
    assert fresh["submit_key"] != KEY


async def test_the_key_is_in_a_cookie_no_script_reads_and_nowhere_else(door: Door) -> None:
    answer = await send(door, f"{PUBLIC}/draft", TYPED)
    cookie = answer.headers["set-cookie"]

    assert cookie.startswith("__Host-unsession-drafts=")
    assert {"HttpOnly", "Secure"} <= set(cookie.split("; "))
    assert KEY not in answer.text
    (row,) = await rows(door, Draft)
    assert KEY not in str(tuple(row))


async def test_another_browser_sees_nothing_of_it(door: Door) -> None:
    told = await saved(door)
    door.http.cookies.clear()

    assert (await values(door))["title"] == ""
    assert (await values(door, f"{PUBLIC}?draft={told['draft']}"))["title"] == ""
    await send(door, f"{PUBLIC}/discard", {"draft": str(told["draft"])})
    assert len(await rows(door, Draft)) == 1


async def test_without_a_script_a_button_saves_and_says_when(door: Door) -> None:
    answer = await send(door, PUBLIC, {**TYPED, "do": "save"})
    page = read(answer)

    assert re.search(r"Draft saved \d+ \w+ \d{4}, \d\d:\d\d\.", page.words)
    form = next(one for one in page.forms if "submit_key" in one.values)
    assert form.values["title"] == "Maps without servers"
    again = read(await send(door, PUBLIC, {**form.values, "do": "save", "title": "Maps"}))
    assert "Draft saved" in again.words
    assert [row.title for row in await rows(door, Draft)] == ["Maps"]
    stale = await send(door, PUBLIC, {**form.values, "do": "save", "title": "Mine"})
    assert "Another window saved this draft" in read(stale, 412).words
    assert "Mine" in stale.text


async def test_a_person_finds_their_drafts_wherever_they_sign_in(door: Door) -> None:
    await sign_in(door, "usr_tom")
    first = await saved(door)
    await saved(door, submit_key="o" * 32, title="Second thoughts")
    await sign_in(door, "usr_tom")  # another browser: no cookie of drafts

    page = await page_of(door, PUBLIC)
    assert "You began more than one of these" in page.words
    shown = await values(door, f"{PUBLIC}?draft={first['draft']}")
    assert shown["title"] == "Maps without servers"
    assert shown["submit_key"] != KEY
    there = await send(door, f"{PUBLIC}/draft", {**shown, "title": "Maps, here"})
    assert there.json()["draft"] == first["draft"]
    assert len(await rows(door, Draft)) == 2


async def test_who_uses_the_browser_next_does_not_see_a_persons_draft(door: Door) -> None:
    await sign_in(door, "usr_tom")
    await saved(door)
    door.http.cookies.delete("__Host-unsession")

    assert (await values(door))["title"] == ""
    kept = await saved(door, draft_version="1", title="Signed out in the middle")
    assert kept["bound"] is True
    (row,) = await rows(door, Draft)
    assert (row.title, row.user_id) == ("Signed out in the middle", "usr_tom")


async def test_a_link_by_mail_goes_on_in_another_browser(door: Door) -> None:
    page = read(
        await send(door, PUBLIC, {**TYPED, "do": "mail", "draft_address": "new@example.org"})
    )
    assert "A link to this draft is on its way to new@example.org." in page.words
    (mail,) = await rows(door, Mail, col(Mail.kind) == "draft_link")
    assert "Maps" not in mail.subject + mail.body
    (link,) = await rows(door, OneTimeLink, col(OneTimeLink.purpose) == "draft")
    settings = door.house.settings
    address = f"/draft/{link_secret(settings.secret_key, 'draft', link.id, link.generation)}"
    door.http.cookies.clear()

    for _ in range(2):  # a mail scanner looks, and nothing is used up
        assert "Go on here" in (await page_of(door, address)).words
    gone_on = await send(door, address)
    assert gone_on.status_code == 303
    assert (await values(door, gone_on.headers["location"]))["title"] == "Maps without servers"
    assert (await send(door, address)).status_code == 404
    assert (await door.http.get(address)).status_code == 404
    old = await send(door, f"{PUBLIC}/draft", {**TYPED, "draft": link.subject_id})
    assert (old.status_code, old.json()["reason"]) == (409, "elsewhere")


async def test_a_link_to_no_address_is_refused_at_its_field(door: Door) -> None:
    answer = await send(door, PUBLIC, {**TYPED, "do": "mail", "draft_address": "new@"})

    assert read(answer, 422).errors == ["draft_address"]
    assert await rows(door, Mail, col(Mail.kind) == "draft_link") == []
    assert [row.title for row in await rows(door, Draft)] == ["Maps without servers"]


async def test_a_draft_is_given_up_for_good(door: Door) -> None:
    told = await saved(door)
    answer = await send(door, f"{PUBLIC}/discard", {"draft": str(told["draft"])})

    assert answer.headers["location"] == f"{PUBLIC}?new=1"
    assert await rows(door, Draft) == []
    assert (await values(door))["title"] == ""


async def test_a_submitted_draft_is_a_draft_no_more(door: Door) -> None:
    told = await saved(door)
    done = await send(
        door,
        PUBLIC,
        {
            **TYPED,
            "draft": str(told["draft"]),
            "do": "submit",
            "track": "opt_data",
            "format": (await option(door)),
            "speaker-1-name": "Ana",
            "speaker-1-address": "ana@example.org",
        },
    )

    assert done.status_code == 303, done.text
    (submission,) = await rows(door, Submission, col(Submission.submit_key) == KEY)
    assert [row.submission_id for row in await rows(door, Draft)] == [submission.id]
    assert (await values(door))["title"] == ""
    late = await send(door, f"{PUBLIC}/draft", {**TYPED, "draft": str(told["draft"])})
    assert (late.status_code, late.json()["reason"]) == (409, "submitted")


async def option(door: Door) -> str:
    """A format of the event."""
    page = await page_of(door, f"{PUBLIC}?new=1")
    found = re.search(r'name="format" value="([^"]+)"', page.text)
    return found[1] if found else ""


@pytest.mark.parametrize(
    ("fields", "status"), [({"website": "https://x.example"}, 409), ({"submit_key": "short"}, 422)]
)
async def test_what_no_page_of_ours_sends_is_not_kept(
    door: Door, fields: dict[str, str], status: int
) -> None:
    answer = await send(door, f"{PUBLIC}/draft", {**TYPED, **fields})

    assert answer.status_code == status
    assert await rows(door, Draft) == []
    foreign = await door.http.post(f"{PUBLIC}/draft", data=TYPED)
    assert foreign.status_code == 403


async def test_a_closed_form_says_so_and_keeps_what_was_saved_before(door: Door) -> None:
    told = await saved(door)
    async with door.house.db.write() as session:
        closed = update(Form).where(col(Form.slug) == "talks").values(status=FormStatus.CLOSED)
        await session.execute(closed)
    late = await send(door, f"{PUBLIC}/draft", {**TYPED, "draft": str(told["draft"])})

    assert (late.status_code, late.json()["reason"]) == (409, "closed")
    assert "was not saved" in late.json()["error"]
    assert [row.title for row in await rows(door, Draft)] == ["Maps without servers"]


async def test_too_many_saves_wait(settings: Settings, world: World) -> None:
    async with opened(replace(settings, rate_limits=True)) as limited:
        answers = [await send(limited, f"{PUBLIC}/draft", TYPED) for _ in range(61)]

        assert answers[-1].status_code == 429
        assert int(answers[-1].headers["retry-after"]) > 0
        assert len(await rows(limited, Draft)) == 1


async def test_the_portal_lists_what_is_not_submitted_and_organisers_see_a_number(
    door: Door,
) -> None:
    await sign_in(door, "usr_tom")
    told = await saved(door)
    portal = await page_of(door, "/devconf-2027/portal")

    assert "Not submitted yet Maps without servers" in portal.words
    assert f"{PUBLIC}?draft={told['draft']}" in portal.links.values()
    await sign_in(door, "usr_ravi")
    desk = await page_of(door, "/app/devconf-2027/forms/talks")
    assert "1 is being written." in desk.words
    assert "Maps without servers" not in desk.words
