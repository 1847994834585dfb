"""Sessions, agenda and releases, as organisers use them."""

import re

import pytest

from tests.web.door import Door
from tests.web.test_account_pages import post, rows
from tests.web.test_team_pages import enter
from tests.world import DEVCONF, SESSION
from unsession.models import EventDay, Mail, Placement, Release, Session

APP = "/app/devconf-2027"
PAGES = ("/sessions", "/sessions/new", "/sessions/SESAAA", "/agenda", "/releases")


@pytest.fixture
async def desk(door: Door) -> Door:
    """Ravi at his desk."""
    return await enter(door, "ravi")


@pytest.mark.parametrize("path", PAGES)
async def test_nobody_sees_them_without_signing_in_and_reviewers_not_at_all(
    door: Door, path: str
) -> None:
    away = await door.http.get(APP + path)
    assert (away.status_code, away.headers["location"][:8]) == (303, "/signin?")

    await enter(door, "mei")
    assert (await door.http.get(APP + path)).status_code == 403
    assert (await door.http.get("/app/rival-2027" + path)).status_code == 404


@pytest.mark.parametrize("path", PAGES)
async def test_every_page_stands_and_breaks_no_rule_of_its_policy(desk: Door, path: str) -> None:
    page = await desk.http.get(APP + path)

    assert page.status_code == 200, page.text
    assert " style=" not in page.text
    assert page.text.count("<h1") == 1
    ids = re.findall(r'\bid="([^"]+)"', page.text)
    assert len(ids) == len(set(ids))


async def test_the_list_filters_and_says_where_each_stands(desk: Door) -> None:
    page = (await desk.http.get(f"{APP}/sessions?state=placed&q=sam")).text
    none = (await desk.http.get(f"{APP}/sessions?state=unplaced")).text

    assert "Async without tears" in page
    assert "Thu 20 May, 10:00" in page
    assert "No session fits" in none


async def test_a_session_is_added_and_shows(desk: Door) -> None:
    done = await post(
        desk,
        f"{APP}/sessions/new",
        kind="sponsor",
        title="Payments at the kiosk",
        minutes="20",
        sponsorName="Nordlys",
        speakers="Ana Lima\nBo Nyman <bo@example.org>\nChi",
    )

    assert done.status_code == 303
    page = (await desk.http.get(done.headers["location"])).text
    for word in (
        "Payments at the kiosk",
        "Nordlys",
        "Ana Lima",
        "Bo Nyman",
        "bo@example.org",
        "Chi",
    ):
        assert word in page
    assert "created" in page  # the toast
    assert len(await rows(desk, Session)) == 2


async def test_a_wrong_form_comes_back_with_what_was_typed(desk: Door) -> None:
    back = await post(
        desk, f"{APP}/sessions/new", kind="talk", title="A <b>talk</b>", sponsorName="Nordlys"
    )

    assert back.status_code == 422
    assert "<title>Error: " in back.text
    assert 'href="#sponsorName"' in back.text
    assert "A &lt;b&gt;talk&lt;/b&gt;" in back.text


async def test_a_session_is_changed_and_the_change_can_be_undone(desk: Door) -> None:
    form = {"title": "Async with joy", "minutes": "45", "wasMinutes": "30", "version": "1"}
    done = await post(desk, f"{APP}/sessions/SESAAA", public="on", track="opt_data", **form)

    assert done.status_code == 303
    page = await desk.http.get(done.headers["location"])
    assert "Async with joy" in page.text
    assert 'name="activity"' in page.text  # undo
    (placement,) = await rows(desk, Placement)
    assert placement.minutes == 45
    stale = await post(desk, f"{APP}/sessions/SESAAA", public="on", **form)
    assert stale.status_code == 412
    assert "Somebody changed" in stale.text


async def test_the_grid_shows_the_day_and_the_form_moves(desk: Door) -> None:
    page = (await desk.http.get(f"{APP}/agenda?day=1&session=SESAAA")).text
    assert 'id="s-SESAAA"' in page
    assert "#s-SESAAA { grid-area: 15 / 2 / span 6 / auto;" in page
    assert "times in Lisbon (WEST, UTC+1)" in page

    moved = await post(
        desk, f"{APP}/agenda", session="SESAAA", shown="1", day="2", start="25:00", room="rom_lab"
    )
    assert moved.status_code == 303
    page = (await desk.http.get(moved.headers["location"])).text
    assert "→ Fri 21 May 25:00, Lab" in page
    assert 'aria-current="page">Fri 21' in page
    off = await post(desk, f"{APP}/agenda", session="SESAAA", shown="2", do="off")
    assert off.status_code == 303
    assert await rows(desk, Placement) == []
    page = (await desk.http.get(off.headers["location"])).text
    assert "Unscheduled <span" in page
    assert "Every session has a slot" not in page


async def test_a_wrong_time_comes_back_with_the_form(desk: Door) -> None:
    back = await post(
        desk, f"{APP}/agenda", session="SESAAA", shown="1", day="1", start="late", room=""
    )

    assert back.status_code == 422
    assert "<title>Error: " in back.text
    assert 'value="late"' in back.text


async def test_clashes_are_sentences_with_links(desk: Door) -> None:
    for title in ("First <i>", "Second"):
        made = await post(
            desk, f"{APP}/sessions/new", kind="talk", title=title, speakers="Sam Oduya"
        )
        code = made.headers["location"].split("/")[-1].split("?")[0]
        await post(
            desk,
            f"{APP}/agenda",
            session=code,
            day="1",
            start="10:15" if title == "Second" else "10:00",
            room="rom_hall" if title == "Second" else "rom_lab",
        )

    page = (await desk.http.get(f"{APP}/agenda?day=1")).text

    assert "<strong>Main hall</strong> holds <a" in page
    assert "<strong>Sam Oduya</strong> is in <a" in page
    assert "First &lt;i&gt;" in page
    assert "First <i>" not in page


async def test_a_release_is_previewed_published_and_listed(desk: Door) -> None:
    before = (await desk.http.get(f"{APP}/releases")).text
    assert "the first: nothing is public yet" in before
    assert "Async without tears" in before
    assert "Sam Oduya" in before
    assert await rows(desk, Mail) == []

    done = await post(desk, f"{APP}/releases", changelog="It begins.", tell="on")
    assert done.status_code == 303
    page = (await desk.http.get(done.headers["location"])).text
    assert "Release 1: 1 new" in page
    assert "It begins." in page
    assert "There is nothing new to publish." in page
    assert len(await rows(desk, Mail)) == 1

    await post(desk, f"{APP}/agenda", session="SESAAA", day="1", start="11:00", room="rom_lab")
    page = (await desk.http.get(f"{APP}/releases")).text
    assert "<del>Thu 20 May 10:00, Main hall</del> <ins>Thu 20 May 11:00, Lab</ins>" in page
    await post(desk, f"{APP}/releases")
    assert len(await rows(desk, Mail)) == 1  # nobody was to be told
    assert len([one for one in await rows(desk, Release) if one.event_id == DEVCONF]) == 2


async def test_a_desk_without_days_says_what_to_do(desk: Door) -> None:
    async with desk.house.db.write() as session:
        for day in ("day_1", "day_2"):
            await session.delete(await session.get_one(EventDay, day))

    page = (await desk.http.get(f"{APP}/agenda?session={SESSION}")).text

    assert "No days yet" in page
