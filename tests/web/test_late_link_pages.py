"""Late links on pages: made and shown once, revoked; a closed form that one opens."""

import re

from sqlalchemy import update
from sqlmodel import col

from tests.web.door import Door
from tests.web.pages import page_of, read, rows, send, sign_in
from tests.world import World
from unsession.domain.forms import FormStatus
from unsession.models import Draft, Form, FormLateLink, Submission

PUBLIC = "/devconf-2027/talks"
DESK = "/app/devconf-2027/forms/talks/late-links"
KEY = "k" * 32


async def made(door: Door, **fields: str) -> str:
    """A link made on the page: its secret."""
    await sign_in(door, "usr_ravi")
    answer = await send(door, DESK, {"do": "make", "note": "Ana", **fields})
    assert answer.headers["cache-control"] == "no-store"
    found = re.search(r"https://conference\.test/devconf-2027/talks\?late=([\w-]+)", answer.text)
    assert found
    door.http.cookies.clear()
    return found[1]


async def close(door: Door, status: FormStatus = FormStatus.CLOSED) -> None:
    async with door.house.db.write() as session:
        await session.execute(
            update(Form).where(col(Form.id) == "frm_devconf").values(status=status, intro="Why.")
        )


async def test_a_link_is_shown_once_and_revoked_by_a_button(door: Door) -> None:
    secret = await made(door, max_uses="2")
    await sign_in(door, "usr_ravi")
    page = await page_of(door, DESK)

    assert secret not in page.text
    assert "0 of 2 submissions" in page.words
    (link,) = await rows(door, FormLateLink)
    answer = await send(door, DESK, {"do": "revoke", "link": link.id})
    assert answer.status_code == 303
    assert "This late link was revoked." in (await page_of(door, DESK)).words


async def test_what_is_wrong_is_told_at_its_field_and_stays(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    answer = await send(
        door, DESK, {"do": "make", "note": "Ana", "max_uses": "many", "expires_on": "2020-01-01"}
    )
    page = read(answer, 422)

    assert page.title.startswith("Error:")
    values = {name: one for form in page.forms for name, one in form.values.items()}
    assert (values["note"], values["max_uses"]) == ("Ana", "many")
    assert await rows(door, FormLateLink) == []


async def test_only_organisers_see_the_page(door: Door) -> None:
    assert (await door.http.get(DESK)).status_code in (303, 401)
    await sign_in(door, "usr_tom")
    assert (await door.http.get(DESK)).status_code == 404


async def test_the_link_leads_from_the_introduction_to_the_form_and_through_a_submit(
    door: Door, world: World
) -> None:
    secret = await made(door)
    await close(door)
    front = await page_of(door, f"{PUBLIC}?late={secret}")
    start = next(href for words, href in front.links.items() if "Start" in words)
    assert start == f"{PUBLIC}?start=1&late={secret}"
    page = await page_of(door, start)
    form = next(one for one in page.forms if "submit_key" in one.values)
    assert "Your late link lets you submit all the same." in page.words
    assert form.values["late"] == secret

    wrong = read(await send(door, PUBLIC, {**form.values, "do": "submit", "title": "Maps"}), 422)
    again = next(one for one in wrong.forms if "submit_key" in one.values)
    assert (again.values["late"], again.values["title"]) == (secret, "Maps")
    answer = await send(
        door,
        PUBLIC,
        {
            **again.values,
            "do": "submit",
            "abstract": "How.",
            "track": "opt_data",
            "format": "opt_talk",
            "speaker-1-name": "Ana",
            "speaker-1-address": "ana@example.org",
        },
    )
    assert answer.status_code == 303, read(answer, answer.status_code).words
    assert secret not in answer.headers["location"]
    assert [row.uses for row in await rows(door, FormLateLink)] == [1]


async def test_a_saved_draft_opens_the_form_without_the_link(door: Door) -> None:
    secret = await made(door)
    await close(door)
    sent = {"submit_key": KEY, "title": "Maps", "draft": "", "late": secret}
    assert (await send(door, f"{PUBLIC}/draft", sent)).status_code == 200

    (draft,) = await rows(door, Draft)
    assert secret not in str(tuple(draft))
    page = await page_of(door, PUBLIC)
    form = next(one for one in page.forms if "submit_key" in one.values)
    assert (form.values["title"], form.values["submit_key"]) == ("Maps", KEY)
    assert "late" not in form.values
    saved = await send(door, PUBLIC, {**form.values, "do": "save", "title": "Maps again"})
    assert saved.status_code == 200
    door.http.cookies.clear()
    assert "This form is closed" in (await page_of(door, PUBLIC)).words


async def test_a_link_that_opens_nothing_says_why_on_the_closed_page(door: Door) -> None:
    secret = await made(door)
    await close(door)
    async with door.house.db.write() as session:
        await session.execute(update(FormLateLink).values(max_uses=1, uses=1))

    used = await page_of(door, f"{PUBLIC}?late={secret}")
    wrong = await page_of(door, f"{PUBLIC}?late=made-up")
    assert "This late link was used as often as it may be." in used.words
    assert "This late link does not belong to it." in wrong.words
    answer = await send(
        door, PUBLIC, {"submit_key": KEY, "title": "Maps", "late": secret, "do": "submit"}
    )
    assert "Maps" in read(answer, 409).text
    assert await rows(door, Submission, col(Submission.title) == "Maps") == []


async def test_no_link_opens_a_draft_form(door: Door) -> None:
    secret = await made(door)
    await close(door, FormStatus.DRAFT)
    assert (await door.http.get(f"{PUBLIC}?late={secret}")).status_code == 404
