"""Reported of time and schedule: zones, midnight, lengths, rooms that go, other events' things."""

import datetime as dt
from typing import Any

import pytest
from icalendar import Calendar

from tests.web.door import Door, error_of
from tests.web.pages import Page, rows, send, sign_in
from tests.world import DEVCONF, PYDAY, SESSION
from unsession.models import Event, EventDay, Mail, Room

BASE = "/devconf-2027"


async def publish(door: Door) -> None:
    answer = await door.rest("POST", f"/events/{DEVCONF}/agenda/release", json={"sendEmail": False})
    assert answer.status_code == 200, answer.text


async def add(door: Door, title: str, **slot: Any) -> str:
    """A talk more in devconf; its id."""
    made = await door.rest(
        "POST", f"/events/{DEVCONF}/sessions", json={"kind": "talk", "title": title, **slot}
    )
    assert made.status_code == 201, made.text
    return str(made.json()["data"]["id"])


async def entries(door: Door) -> dict[str, tuple[dt.datetime, dt.datetime, int]]:
    """Start, end and sequence of every entry of the calendar by its title."""
    calendar = Calendar.from_ical((await door.http.get(f"{BASE}/agenda.ics")).content)
    return {
        str(one["summary"]): (one.decoded("dtstart"), one.decoded("dtend"), int(one["sequence"]))
        for one in calendar.walk("VEVENT")
    }


async def set_days(door: Door, zone: str, *days: tuple[str, int, int]) -> None:
    """Devconf's zone and its two days: date, opening and closing minute."""
    async with door.house.db.write() as session:
        event = await session.get_one(Event, DEVCONF)
        event.zone = zone
        for number, (date, opens, closes) in enumerate(days, 1):
            day = await session.get_one(EventDay, f"day_{number}")
            day.date = dt.date.fromisoformat(date)
            day.opens_minute, day.closes_minute = opens, closes
        event.starts_on = dt.date.fromisoformat(days[0][0])
        event.ends_on = dt.date.fromisoformat(days[-1][0])


async def board(door: Door, day: int) -> str:
    """The words of the organisers' grid of a day."""
    answer = await door.http.get(f"/app/devconf-2027/agenda?day={day}")
    assert answer.status_code == 200
    return Page(answer.text).words


async def text_of(door: Door, path: str) -> str:
    """The words of a public page."""
    return Page((await door.http.get(BASE + path)).text).words


@pytest.mark.parametrize(
    ("zone", "wall", "utc", "offset"),
    [
        ("America/Los_Angeles", "2027-04-17 11:00", "2027-04-17T18:00:00Z", "UTC−7"),
        ("America/Los_Angeles", "2027-11-20 09:30", "2027-11-20T17:30:00Z", "UTC−8"),
        ("Europe/Berlin", "2027-03-27 17:00", "2027-03-27T16:00:00Z", "UTC+1"),
        ("Europe/Berlin", "2027-03-28 09:00", "2027-03-28T07:00:00Z", "UTC+2"),
        ("Asia/Kolkata", "2027-06-05 10:00", "2027-06-05T04:30:00Z", "UTC+5:30"),
        ("UTC", "2027-06-05 10:00", "2027-06-05T10:00:00Z", "UTC"),
    ],
)
async def test_a_time_is_the_same_on_every_surface_and_saving_it_again_changes_nothing(
    door: Door, zone: str, wall: str, utc: str, offset: str
) -> None:
    """TIM-01."""
    date, start = wall.split()
    await set_days(door, zone, (date, 0, 1440), ("2027-12-24", 0, 1440))
    slot = {"day": 1, "start": start, "room": "Lab"}
    placed = await door.rest("PUT", f"/sessions/{SESSION}/slot", json=slot)
    version = placed.json()["data"]["version"]
    for _ in range(3):
        again = await door.rest("PUT", f"/sessions/{SESSION}/slot", json=slot)
        assert again.json()["data"]["version"] == version
    await publish(door)

    (session,) = (await door.http.get(f"{BASE}/agenda.json")).json()["sessions"]
    assert (session["date"], session["start"], session["startsAt"]) == (date, start, utc)
    begins = dt.datetime.fromisoformat(utc)
    assert (await entries(door))["Async without tears"][0] == begins
    page = (await door.http.get(f"{BASE}/agenda")).text
    assert f'<time datetime="{begins.isoformat()}">{start}</time>' in page
    assert offset in page
    tool = await door.tool("get_session", {"session": SESSION}, token="reader")
    assert tool["structuredContent"]["slot"]["start"] == start
    await sign_in(door, "usr_ravi")
    assert start in await board(door, 1)


async def test_another_zone_leaves_the_programme_at_its_hours(door: Door) -> None:
    """TIM-04."""
    await publish(door)
    before = (await entries(door))["Async without tears"]

    await door.rest("PATCH", f"/events/{DEVCONF}", json={"zone": "America/New_York"})
    slot = (await door.read(f"/sessions/{SESSION}"))["slot"]
    await publish(door)
    after = (await entries(door))["Async without tears"]

    assert slot["start"] == "10:00"
    assert before[0] == dt.datetime(2027, 5, 20, 9, tzinfo=dt.UTC)
    assert after[0] == dt.datetime(2027, 5, 20, 14, tzinfo=dt.UTC)
    assert after[2] > before[2]
    assert "New York (EDT, UTC−4)" in (await door.http.get(f"{BASE}/agenda")).text


async def test_what_is_after_midnight_stays_with_its_day_on_every_surface(door: Door) -> None:
    """TIM-06."""
    await set_days(door, "Europe/Berlin", ("2027-05-07", 540, 1560), ("2027-05-08", 540, 1560))
    await door.rest("DELETE", f"/sessions/{SESSION}/slot")
    await add(door, "Late jam", day=1, start="25:00", minutes=45, room="Lab")
    await add(door, "Last night", day=2, start="25:00", minutes=45, room="Lab")
    await add(door, "Over the line", day=1, start="23:30", minutes=60, room="Main hall")
    clash = await door.rest(
        "POST",
        f"/events/{DEVCONF}/sessions",
        json={
            "kind": "talk", "title": "In the way", "day": 1, "start": "24:15", "minutes": 15,
            "room": "Main hall",
        },
    )  # fmt: skip
    assert [one["kind"] for one in clash.json()["data"]["clashes"]] == ["room"]
    await publish(door)

    shown = (await door.http.get(f"{BASE}/agenda.json")).json()
    days = {one["title"]: (one["day"], one["date"], one["startsAt"]) for one in shown["sessions"]}
    assert days["Late jam"] == (1, "2027-05-07", "2027-05-07T23:00:00Z")
    assert days["Last night"] == (2, "2027-05-08", "2027-05-08T23:00:00Z")
    assert days["Over the line"] == (1, "2027-05-07", "2027-05-07T21:30:00Z")
    assert [day["date"] for day in shown["days"]] == ["2027-05-07", "2027-05-08"]
    calendar = await entries(door)
    assert calendar["Late jam"][0] == dt.datetime(2027, 5, 7, 23, tzinfo=dt.UTC)
    assert calendar["Last night"][0] == dt.datetime(2027, 5, 8, 23, tzinfo=dt.UTC)
    page = (await door.http.get(f"{BASE}/agenda")).text
    first, second = page.split('<section class="day')[1:]
    assert "Late jam" in first
    assert "Over the line" in first
    assert "Last night" in second
    await sign_in(door, "usr_ravi")
    for number, titles in ((1, ("Late jam", "Over the line")), (2, ("Last night",))):
        words = await board(door, number)
        assert all(title in words for title in titles)


async def test_a_weekday_is_that_of_its_date(door: Door) -> None:
    """TIM-08: on the agenda's tabs, the session's page and in mail, also after the date changed."""
    slot = {"day": 2, "start": "10:00", "room": "Lab"}
    assert (await door.rest("PUT", f"/sessions/{SESSION}/slot", json=slot)).status_code == 200
    await publish(door)
    assert "Friday" in await text_of(door, "/agenda")
    assert "Friday 21 May" in await text_of(door, "/sessions/SESAAA")

    await door.rest("DELETE", f"/sessions/{SESSION}/slot")
    await set_days(door, "Europe/Lisbon", ("2027-05-20", 540, 1080), ("2027-05-22", 540, 1080))
    await door.rest("PUT", f"/sessions/{SESSION}/slot", json=slot)
    released = await door.rest("POST", f"/events/{DEVCONF}/agenda/release", json={})
    assert released.status_code == 200, released.text

    assert "Saturday" in await text_of(door, "/agenda")
    assert "Saturday 22 May" in await text_of(door, "/sessions/SESAAA")
    mail = (await rows(door, Mail))[-1]
    assert "Sat 22 May" in mail.body


async def test_another_length_moves_the_end_everywhere_and_is_checked_for_clashes(
    door: Door,
) -> None:
    """SCH-03."""
    await add(door, "Right after", day=1, start="10:30", minutes=30, room="Main hall")
    await door.rest(
        "PUT",
        f"/events/{DEVCONF}/taxonomies/format/options",
        json={"name": "Long talk", "minutes": 60},
    )

    changed = await door.rest("PATCH", f"/sessions/{SESSION}", json={"format": "Long talk"})
    await publish(door)

    full = changed.json()["data"]
    assert full["minutes"] == 60
    assert full["slot"]["end"] == "11:00"
    assert [clash["kind"] for clash in full["clashes"]] == ["room"]
    served = {
        one["title"]: one for one in (await door.http.get(f"{BASE}/agenda.json")).json()["sessions"]
    }
    assert served["Async without tears"]["end"] == "11:00"
    assert (await entries(door))["Async without tears"][1] == dt.datetime(
        2027, 5, 20, 10, tzinfo=dt.UTC
    )
    await sign_in(door, "usr_ravi")
    grid = (await door.http.get("/app/devconf-2027/agenda?day=1")).text
    assert "#s-SESAAA { grid-area: 15 / 2 / span 12 / auto;" in grid  # an hour, five minutes a row


async def test_a_room_with_talks_and_a_break_does_not_go_and_says_what_is_in_it(
    door: Door,
) -> None:
    """SCH-04."""
    await add(door, "Second talk", day=1, start="12:00", room="Main hall")
    await add(door, "Coffee", kind="service", day=1, start="11:00", room="Main hall")
    await publish(door)

    refused = await door.rest("DELETE", f"/events/{DEVCONF}/rooms/rom_hall")
    tool = await door.tool("delete_room", {"event": DEVCONF, "room": "Main hall"})
    await sign_in(door, "usr_ravi")

    assert refused.status_code == 409
    assert "placed in “Main hall”" in refused.json()["error"]
    assert "placed in “Main hall”" in error_of(tool)
    shown = (await door.http.get(f"{BASE}/agenda.json")).json()
    rooms = {room["id"] for room in shown["rooms"]}
    assert len(shown["sessions"]) == 3
    assert {one["room"]["id"] for one in shown["sessions"]} <= rooms


async def test_a_room_that_goes_after_a_release_leaves_the_released_agenda_whole(
    door: Door,
) -> None:
    """SCH-04, the other way round: what is public names only what the release holds."""
    await publish(door)
    await door.rest("DELETE", f"/sessions/{SESSION}/slot")

    assert (await door.rest("DELETE", f"/events/{DEVCONF}/rooms/rom_hall")).status_code == 200

    page = await door.http.get(f"{BASE}/agenda")
    assert page.status_code == 200
    assert "Main hall" in page.text


async def test_another_events_rooms_and_sessions_do_not_come_into_the_schedule(
    door: Door,
) -> None:
    """SCH-08."""
    async with door.house.db.write() as session:
        session.add(
            Room(id="rom_far", event_id=PYDAY, name="Far away", name_folded="far away", position=0)
        )
    theirs = await door.rest(
        "POST", f"/events/{PYDAY}/sessions", json={"kind": "talk", "title": "Of the other event"}
    )
    other = theirs.json()["data"]["id"]
    slot = {"day": 1, "start": "12:00"}

    in_their_room = await door.rest(
        "PUT", f"/sessions/{SESSION}/slot", json={**slot, "room": "rom_far"}
    )
    from_outside = await door.rest(
        "PUT", f"/sessions/{other}/slot", json={**slot, "event": DEVCONF}
    )
    await sign_in(door, "usr_ravi")
    words = await board(door, 1)
    posted = await send(
        door,
        "/app/devconf-2027/agenda",
        {"session": other, "day": "1", "start": "12:00", "room": "rom_far"},
    )

    assert in_their_room.status_code in (404, 422)
    assert from_outside.status_code == 404
    assert "Far away" not in words
    assert "Of the other event" not in words
    assert posted.status_code in (404, 405, 422)
    assert "slot" not in await door.read(f"/sessions/{other}")
