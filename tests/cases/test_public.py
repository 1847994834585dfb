"""Reported of public outputs: calendars, data for other programs, what shows before its time."""

import datetime as dt
import re
from typing import Any

import pytest
from icalendar import Calendar

from tests.web.door import Door
from tests.web.pages import Page
from tests.world import ANA, DEVCONF, PYDAY, SAM, SESSION
from unsession.domain.forms import FormStatus
from unsession.models import EventDay, Form, Room

BASE = "/devconf-2027"


async def publish(door: Door, event: str = DEVCONF) -> None:
    answer = await door.rest("POST", f"/events/{event}/agenda/release", json={"sendEmail": False})
    assert answer.status_code == 200, answer.text


async def add(door: Door, title: str, *, event: str = DEVCONF, **more: Any) -> dict[str, Any]:
    """A session more."""
    made = await door.rest(
        "POST", f"/events/{event}/sessions", json={"kind": "talk", "title": title, **more}
    )
    assert made.status_code == 201, made.text
    session: dict[str, Any] = made.json()["data"]
    return session


async def calendar_of(door: Door, slug: str = "devconf-2027") -> tuple[bytes, dict[str, Any]]:
    """A calendar as it is served, and its entries by title."""
    served = (await door.http.get(f"/{slug}/agenda.ics")).content
    entries = Calendar.from_ical(served).walk("VEVENT")
    return served, {str(entry["summary"]): entry for entry in entries}


async def test_a_uid_is_one_sessions_of_one_event_and_outlives_a_move(door: Door) -> None:
    """PUB-01."""
    async with door.house.db.write() as session:
        session.add(
            EventDay(
                id="day_py",
                event_id=PYDAY,
                date=dt.date(2027, 9, 11),
                opens_minute=540,
                closes_minute=1080,
            )
        )
    slot = {"day": 1, "start": "12:00"}
    await add(door, "Opening", **slot)
    await add(door, "Opening", event=PYDAY, **slot)
    await add(door, "Second", event=PYDAY, day=1, start="14:00")
    for event in (DEVCONF, PYDAY):
        await publish(door, event)
    before = {slug: await calendar_of(door, slug) for slug in ("devconf-2027", "pyday-2027")}

    await door.rest(
        "PUT", f"/sessions/{SESSION}/slot", json={"day": 2, "start": "14:00", "room": "Lab"}
    )
    await publish(door)
    again = await calendar_of(door)

    uids = [str(entry["uid"]) for _, entries in before.values() for entry in entries.values()]
    assert len(uids) == len(set(uids)) == 4
    assert {title: str(entry["uid"]) for title, entry in again[1].items()} == {
        title: str(entry["uid"]) for title, entry in before["devconf-2027"][1].items()
    }
    assert (await calendar_of(door, "pyday-2027"))[0] == before["pyday-2027"][0]


async def test_every_instant_of_a_calendar_is_utc(door: Door) -> None:
    """PUB-04."""
    await add(door, "Late jam", day=2, start="25:00", minutes=30)
    await publish(door)

    served, _ = await calendar_of(door)

    instants = re.findall(rb"^(DTSTART|DTEND|DTSTAMP)([^:]*):(.*?)\r$", served, re.MULTILINE)
    assert len(instants) == 6
    for name, parameters, value in instants:
        assert parameters == b"", name
        assert re.fullmatch(rb"\d{8}T\d{6}Z", value)
    assert b"TZID" not in served


@pytest.mark.parametrize(
    ("method", "accept"),
    [
        ("GET", "*/*"),
        ("GET", None),
        ("GET", "text/calendar"),
        ("HEAD", "*/*"),
        ("GET", "text/html"),
    ],
)
async def test_a_calendar_is_served_to_whatever_asks_for_it(
    door: Door, method: str, accept: str | None
) -> None:
    """PUB-06: without a sign-in, whatever is accepted; no rule of robots is in the way."""
    await publish(door)
    request = door.http.build_request(method, f"{BASE}/agenda.ics")
    del request.headers["accept"]
    if accept:
        request.headers["accept"] = accept

    answer = await door.http.send(request)
    robots = await door.http.get("/robots.txt")

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    assert robots.status_code == 404 or "Disallow" not in robots.text
    assert "x-robots-tag" not in answer.headers


async def test_data_for_other_programs_keeps_its_ids_and_its_offsets(door: Door) -> None:
    """PUB-08, what holds of agenda.json too."""
    await publish(door)
    (before,) = (await door.http.get(f"{BASE}/agenda.json")).json()["sessions"]

    await door.rest("PATCH", f"/sessions/{SESSION}", json={"title": "Another", "minutes": 90})
    await publish(door)
    (after,) = (await door.http.get(f"{BASE}/agenda.json")).json()["sessions"]

    for name in ("id", "guid", "code"):
        assert after[name] == before[name]
    assert after["minutes"] == 90
    for name in ("startsAt", "endsAt"):
        assert dt.datetime.fromisoformat(after[name]).utcoffset() is not None


async def test_before_the_first_release_nothing_of_the_programme_is_served(door: Door) -> None:
    """PUB-10: no title, no name, no count, also of the speakers' pages, the search and REST."""
    async with door.house.db.write() as session:
        (await session.get_one(Form, "frm_devconf")).status = FormStatus.CLOSED
    for path in (
        "", "/agenda", "/agenda.json", "/agenda.ics", "/speakers", "/speakers/sam-oduya",
        "/sessions/SESAAA", "/search", "/embed",
    ):  # fmt: skip
        answer = await door.http.get(BASE + path)
        assert answer.status_code == 404, path
        assert not re.search("Async|Oduya|DevConf 2027", answer.text), path
    for path in (f"/events/{DEVCONF}", f"/events/{DEVCONF}/agenda", "/search?q=async"):
        answer = await door.rest("GET", path, token=None)
        assert answer.status_code == 401
        assert not re.search("Async|Oduya|DevConf 2027", answer.text), path


async def test_a_break_is_there_with_its_kind_and_in_no_room(door: Door) -> None:
    """PUB-13."""
    lunch = await add(
        door, "Lunch", kind="service", day=1, start="12:30", minutes=60, allRooms=True
    )
    await publish(door)

    shown = (await door.http.get(f"{BASE}/agenda.json")).json()["sessions"]
    tool = await door.tool("get_agenda", {"event": DEVCONF}, token="reader")
    _, entries = await calendar_of(door)

    for sessions in (shown, tool["structuredContent"]["sessions"]):
        (one,) = [row for row in sessions if row["title"] == "Lunch"]
        assert (one["kind"], one["allRooms"]) == ("service", True)
        assert "room" not in one
    full = await door.read(f"/sessions/{lunch['id']}")
    assert full["kind"] == "service"
    assert full["slot"]["allRooms"] is True
    assert "room" not in full["slot"]
    assert str(entries["Lunch"].get("location", "")) == "Pavilhão do Rio"


async def test_what_has_no_time_no_picture_or_no_people_breaks_no_reader(door: Door) -> None:
    """PUB-16: the unplaced are left out, people are always a list, an address is never empty."""
    await add(door, "Somewhere, some day", speakers=[{"speaker": ANA}])
    await add(door, "Nobody's hour", day=1, start="14:00", room="Lab")
    await publish(door)

    served = (await door.http.get(f"{BASE}/agenda.json")).json()

    titles = {one["title"] for one in served["sessions"]}
    assert titles == {"Async without tears", "Nobody's hour"}
    for one in served["sessions"]:
        assert isinstance(one["speakers"], list)
        assert one["startsAt"].endswith("Z")
    assert [one["name"] for one in served["speakers"]] == ["Sam Oduya"]
    assert not [value for value in texts(served) if value == "" or value.startswith("/")]


def texts(value: Any) -> list[str]:
    """Every text but the free ones, which may be empty."""
    if isinstance(value, dict):
        kept = {name: one for name, one in value.items() if name not in ("abstract", "bio")}
        return [text for one in kept.values() for text in texts(one)]
    if isinstance(value, list):
        return [text for one in value for text in texts(one)]
    return [value] if isinstance(value, str) else []


async def test_a_programme_is_read_by_time_and_then_by_room(door: Door) -> None:
    """A11-02: the tab key follows the order in the page."""
    async with door.house.db.write() as session:
        for number in (2, 3):
            session.add(
                Room(
                    id=f"rom_{number}",
                    event_id=DEVCONF,
                    name=f"R{number}",
                    name_folded=f"r{number}",
                    position=number,
                )
            )
    await door.rest("DELETE", f"/sessions/{SESSION}/slot")
    rooms = ("Main hall", "Lab", "R2", "R3")
    expected = [f"{start} {room}" for start in ("09:00", "11:00") for room in rooms]
    for title in sorted(expected, key=lambda one: one[::-1]):
        start, _, room = title.partition(" ")
        await add(door, title, day=1, start=start, room=room)
    await publish(door)

    page = Page((await door.http.get(f"{BASE}/agenda")).text)

    assert [words for words in page.links if words in expected] == expected
    assert not re.search(r'tabindex="[1-9]', page.text)


#: SAN-01: what somebody types as a biography or an abstract.
PROBES = [
    "Hi <script>alert(1)</script> there",
    '<img src=x onerror="alert(2)">',
    "[click](javascript:alert(3)) and [ok](https://example.org/a_b_c?x=1&y=2)",
    "[c]( java\nscript:alert(4))",
    '<a href="data:text/html,<script>alert(5)</script>">d</a>',
    '<iframe src="https://example.org"></iframe>text',
    '<svg><a xlink:href="javascript:alert(6)"><text>x</text></a></svg>',
    '<p style="position:fixed;inset:0">cover</p>',
    '<form action="https://evil.example"><input name=password></form>',
    "![x](https://evil.example/pixel.png)",
    "Use `a < b && c > d` in code",
]


@pytest.mark.parametrize("probe", PROBES)
async def test_markdown_acts_on_no_page(door: Door, probe: str) -> None:
    await door.rest("PATCH", f"/speakers/{SAM}", json={"bio": probe})
    await door.rest("PATCH", f"/sessions/{SESSION}", json={"abstract": probe})
    await publish(door)

    for path in ("/sessions/SESAAA", "/speakers/sam-oduya", "/agenda", "/speakers", ""):
        text = (await door.http.get(BASE + path)).text
        main = text.partition("<main")[2].partition("</main>")[0]
        assert not re.search(
            r"<script|<img|<iframe|<svg|<form|<input|<[^>]*\s(?:style|on\w+)="
            r"|href=\"\s*(?:javascript|java|data)",
            main,
        ), path
    page = (await door.http.get(f"{BASE}/speakers/sam-oduya")).text
    if "ok]" in probe:
        assert 'href="https://example.org/a_b_c?x=1&amp;y=2"' in page
    if "`" in probe:
        assert "a &lt; b &amp;&amp; c &gt; d" in page
    assert (await door.http.get(f"{BASE}/agenda.json")).json()["speakers"][0]["bio"] == probe
