"""The public doors of an event: what they show, what they never show, and how they are kept."""

import base64
import datetime as dt
import hashlib

import pytest
from icalendar import Calendar

from tests.web.door import Door
from tests.world import ACCEPTED, ANA, DEVCONF, SESSION
from unsession.db.engine import open_database
from unsession.domain.forms import FormStatus
from unsession.domain.sessions import SessionStatus
from unsession.models import Event, EventDay, Form, Release, Room, Session
from unsession.web.public import released

BASE = "/devconf-2027"
PAGES = ("", "/agenda", "/speakers", "/sessions/SESAAA", "/speakers/sam-oduya")
FILES = ("/agenda.json", "/agenda.ics")


async def publish(door: Door, **more) -> None:
    answer = await door.rest(
        "POST", f"/events/{DEVCONF}/agenda/release", json={"sendEmail": False, **more}
    )
    assert answer.status_code == 200, answer.text


async def change(door: Door, model, key: str, **values) -> None:
    async with door.house.db.write() as session:
        row = await session.get_one(model, key)
        for name, value in values.items():
            setattr(row, name, value)


async def close_calls(door: Door) -> None:
    await change(door, Form, "frm_devconf", status=FormStatus.CLOSED)


@pytest.mark.parametrize("path", [*PAGES, *FILES])
async def test_before_the_first_release_there_is_nothing_and_it_looks_like_no_event(
    door: Door, path: str
) -> None:
    await close_calls(door)

    unreleased = await door.http.get(BASE + path)
    nobodys = await door.http.get("/no-such-event" + path)

    assert unreleased.status_code == nobodys.status_code == 404
    for word in ("Async", "Oduya", "DevConf", "Lisbon"):
        assert word not in unreleased.text
    strip = nobodys.headers["x-request-id"], unreleased.headers["x-request-id"]
    assert unreleased.text.replace(strip[1], "") == nobodys.text.replace(strip[0], "")


async def test_every_page_of_the_event_leads_speakers_to_their_portal(door: Door) -> None:
    await publish(door)

    for path in ("", "/agenda", "/speakers", "/talks"):
        page = await door.http.get(BASE + path)
        assert f'href="{BASE}/portal"' in page.text, path
    asked = await door.http.get(f"{BASE}/portal")

    assert (asked.status_code, asked.headers["location"]) == (303, f"/signin?next={BASE}/portal")


async def test_with_an_open_call_only_the_event_and_the_call_show(door: Door) -> None:
    page = await door.http.get(BASE)

    assert page.status_code == 200
    assert "Call for talks" in page.text
    for word in ("Async", "Oduya", "agenda.json", "1 session", "1 speaker"):
        assert word not in page.text
    assert (await door.http.get(f"{BASE}/agenda")).status_code == 404


@pytest.mark.parametrize("path", PAGES)
async def test_after_a_release_every_page_is_there(door: Door, path: str) -> None:
    await publish(door, changelog="The first one.")

    page = await door.http.get(BASE + path)

    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    if path:
        assert "Sam Oduya" in page.text
    assert "sam@example.org" not in page.text
    assert "script-src 'self'" in page.headers["content-security-policy"]


async def test_the_agenda_page_places_its_sessions_and_names_its_zone(door: Door) -> None:
    await publish(door)

    page = (await door.http.get(f"{BASE}/agenda")).text

    assert "Times in Lisbon (WEST, UTC+1)" in page
    assert 'data-from="10:00" data-to="10:30" data-room="1"' in page
    assert '<time datetime="2027-05-20T09:00:00+00:00">10:00</time>' in page
    assert '[data-from="10:00"] { grid-row-start: t1000; }' in page


async def test_the_style_block_is_allowed_by_its_hash_alone(door: Door) -> None:
    await publish(door)

    page = await door.http.get(f"{BASE}/agenda")

    style = page.text.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = page.headers["content-security-policy"]
    assert f"style-src 'self' 'sha256-{digest}'" in policy
    assert "unsafe-inline" not in policy
    assert " style=" not in page.text


async def test_a_move_shows_with_the_next_release_and_not_before(door: Door) -> None:
    await publish(door)
    before = {path: (await door.http.get(BASE + path)).text for path in (*PAGES, *FILES)}

    moved = await door.rest(
        "PUT", f"/sessions/{SESSION}/slot", json={"day": 2, "start": "14:45", "room": "Lab"}
    )
    await door.rest("PATCH", f"/sessions/{SESSION}", json={"title": "Quite another title"})
    assert moved.status_code == 200, moved.text
    between = {path: (await door.http.get(BASE + path)).text for path in (*PAGES, *FILES)}
    await publish(door)
    after = (await door.http.get(f"{BASE}/agenda")).text

    assert between == before
    assert "Quite another title" in after
    assert "14:45" in after
    assert "Async without tears" not in after


async def test_a_cancelled_session_is_gone_at_once_from_every_page(door: Door) -> None:
    await publish(door)
    tag = (await door.http.get(f"{BASE}/agenda")).headers["etag"]

    await door.rest("POST", f"/submissions/{ACCEPTED}/decision", json={"decision": "decline"})

    for path in ("", "/agenda", "/speakers", *FILES):
        page = await door.http.get(BASE + path, headers={"if-none-match": tag})
        assert page.status_code == 200
        assert "Async" not in page.text
        assert "Oduya" not in page.text
    for path in ("/sessions/SESAAA", "/speakers/sam-oduya"):
        assert (await door.http.get(BASE + path)).status_code == 404


async def test_what_is_not_public_or_not_confirmed_reaches_no_page(door: Door) -> None:
    for number, body in enumerate(({"title": "Secret one"}, {"title": "Pending one"})):
        made = await door.rest(
            "POST",
            f"/events/{DEVCONF}/sessions",
            json={
                "kind": "talk",
                "day": 2,
                "start": f"1{number}:00",
                "speakers": [{"speaker": ANA}],
                **body,
            },
        )
        session = made.json()["data"]["id"]
        if number == 0:
            await door.rest("PATCH", f"/sessions/{session}", json={"public": False})
        else:
            await change(door, Session, session, status=SessionStatus.PENDING)
    await publish(door)

    for path in ("", "/agenda", "/speakers", *FILES):
        text = (await door.http.get(BASE + path)).text
        assert "Secret one" not in text
        assert "Pending one" not in text
        assert "Ana Lima" not in text


@pytest.mark.parametrize("path", [*PAGES, *FILES])
async def test_an_unchanged_page_is_answered_with_304(door: Door, path: str) -> None:
    await publish(door)
    first = await door.http.get(BASE + path)
    tag = first.headers["etag"]

    again = await door.http.get(BASE + path, headers={"if-none-match": f'"x", {tag}'})
    head = await door.http.head(BASE + path)
    other = await door.http.get(BASE + path, headers={"if-none-match": '"other"'})

    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert (head.status_code, head.content) == (200, b"")
    assert other.status_code == 200
    assert other.content == first.content


async def test_pages_come_compressed_to_those_who_take_it(door: Door) -> None:
    await publish(door)
    headers = {"accept-encoding": "gzip"}
    zipped = await door.http.get(f"{BASE}/agenda", headers=headers)
    plain = await door.http.get(f"{BASE}/agenda", headers={"accept-encoding": "identity"})

    assert zipped.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert zipped.text == plain.text
    assert zipped.headers["vary"] == "accept-encoding"


async def test_nothing_can_be_written_there(door: Door) -> None:
    await publish(door)
    headers = {"sec-fetch-site": "same-origin"}

    assert (await door.http.post(f"{BASE}/agenda", headers=headers)).status_code in (404, 405)


async def test_agenda_json_is_what_get_agenda_answers_and_open_to_all(door: Door) -> None:
    await publish(door)

    served = await door.http.get(f"{BASE}/agenda.json")

    assert served.json() == await door.read(f"/events/{DEVCONF}/agenda")
    assert served.headers["access-control-allow-origin"] == "*"
    (session,) = served.json()["sessions"]
    assert session["startsAt"] == "2027-05-20T09:00:00Z"
    assert session["speakers"][0]["name"] == "Sam Oduya"


def at(day: int, hour: int, minute: int) -> dt.datetime:
    return dt.datetime(2027, 3, day, hour, minute, tzinfo=dt.UTC)


async def test_agenda_ics_has_the_right_instants_across_a_clock_change(door: Door) -> None:
    await change(door, Event, DEVCONF, zone="Europe/Berlin", starts_on=dt.date(2027, 3, 27))
    await change(door, EventDay, "day_1", date=dt.date(2027, 3, 27))
    await change(door, EventDay, "day_2", date=dt.date(2027, 3, 28))
    for title, day, start, minutes in (
        ("Late jam", 1, "25:00", 45),
        ("Morning after", 2, "09:30", 60),
    ):
        made = await door.rest(
            "POST",
            f"/events/{DEVCONF}/sessions",
            json={"kind": "talk", "title": title, "day": day, "start": start, "minutes": minutes},
        )
        assert made.status_code == 201, made.text
    await door.rest("PUT", f"/sessions/{SESSION}/slot", json={"day": 1, "start": "17:00"})
    await publish(door)

    served = await door.http.get(f"{BASE}/agenda.ics", headers={"accept": "text/html"})

    assert served.headers["content-type"] == "text/calendar; charset=utf-8"
    calendar = Calendar.from_ical(served.content)
    entries = {
        str(entry["summary"]): (entry.decoded("dtstart"), entry.decoded("dtend"))
        for entry in calendar.walk("VEVENT")
    }
    assert entries == {
        "Async without tears": (at(27, 16, 0), at(27, 16, 30)),
        "Late jam": (at(28, 0, 0), at(28, 0, 45)),
        "Morning after": (at(28, 7, 30), at(28, 8, 30)),
    }


TITLES = [
    "Ω" * 60 + " talk",
    "Kaffee & Kuchen, Teil 1; Fragen \\ Antworten",
    "🎤" * 40,
    "A" * 75,
]


@pytest.mark.parametrize("title", TITLES)
async def test_calendar_lines_are_folded_by_octets_and_titles_come_back_whole(
    door: Door, title: str
) -> None:
    await door.rest("PATCH", f"/sessions/{SESSION}", json={"title": title})
    await publish(door)

    served = (await door.http.get(f"{BASE}/agenda.ics")).content

    assert served.replace(b"\r\n", b"").count(b"\n") == 0
    for line in served.split(b"\r\n"):
        assert len(line) <= 75
        line.decode()
    (entry,) = Calendar.from_ical(served).walk("VEVENT")
    assert str(entry["summary"]) == title
    assert {"UID", "DTSTAMP", "DTSTART", "SUMMARY"} <= set(entry)
    assert b"ATTENDEE" not in served
    assert b"example.org" not in served


async def test_an_entry_keeps_its_uid_when_it_moves(door: Door) -> None:
    async def entry() -> tuple[str, int]:
        served = (await door.http.get(f"{BASE}/agenda.ics")).content
        (found,) = Calendar.from_ical(served).walk("VEVENT")
        return str(found["uid"]), int(found["sequence"])

    await publish(door)
    before = await entry()
    await door.rest("PUT", f"/sessions/{SESSION}/slot", json={"day": 2, "start": "14:00"})
    await publish(door)
    after = await entry()

    assert after[0] == before[0]
    assert after[1] > before[1]


async def test_another_process_publishing_is_seen_at_once(door: Door) -> None:
    await publish(door)
    assert "Written elsewhere" not in (await door.http.get(f"{BASE}/agenda")).text

    other = open_database(door.house.settings.database_url)
    await other.open()
    try:
        async with other.write() as session:
            event = await session.get_one(Event, DEVCONF)
            release = await session.get_one(Release, event.current_release_id)
            text = release.snapshot.replace("Async without tears", "Written elsewhere")
            session.add(
                Release(
                    id="rel_elsewhere",
                    event_id=DEVCONF,
                    number=2,
                    snapshot=text,
                    digest="d",
                    published_at=release.published_at,
                    published_by="elsewhere",
                )
            )
            await session.flush()
            event.current_release_id = "rel_elsewhere"
    finally:
        await other.close()

    assert "Written elsewhere" in (await door.http.get(f"{BASE}/agenda")).text


async def test_a_page_is_made_once_as_long_as_nothing_of_it_changes(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def counted(context: object) -> released.Blob:
        made.append(type(context).__name__)
        return html(context)

    html = released.html
    monkeypatch.setattr(released, "html", counted)
    await publish(door)
    for _ in range(3):
        await door.http.get(f"{BASE}/agenda")
        await door.rest("PUT", f"/sessions/{SESSION}/slot", json={"day": 2, "start": "14:00"})

    assert made == ["PublicAgendaPage"]


async def test_the_theme_is_the_events_colour_and_tells_nothing_of_events(door: Door) -> None:
    await change(door, Event, DEVCONF, accent="#0b7285")

    mine = await door.http.get(f"{BASE}/theme.css")
    nobodys = await door.http.get("/no-such-event/theme.css")

    assert "--event-accent: #0b7285" in mine.text
    assert mine.headers["content-type"] == "text/css; charset=utf-8"
    assert (nobodys.status_code, nobodys.text) == (200, "")


async def test_what_outsiders_typed_is_text(door: Door) -> None:
    title = "<script>alert(1)</script> & “friends”"
    await door.rest(
        "PATCH",
        f"/sessions/{SESSION}",
        json={"title": title, "abstract": "<img src=x onerror=alert(1)> **bold**"},
    )
    await publish(door)

    for path in ("/agenda", "/sessions/SESAAA", "/speakers", "/speakers/sam-oduya"):
        text = (await door.http.get(BASE + path)).text
        assert "<script>alert" not in text
        assert "<img" not in text
        assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; “friends”" in text


async def test_an_event_of_many_rooms_gets_a_column_for_each(door: Door) -> None:
    async with door.house.db.write() as session:
        for number in range(6):
            session.add(
                Room(
                    id=f"rom_{number}",
                    event_id=DEVCONF,
                    name=f"R{number}",
                    name_folded=f"r{number}",
                    position=10 + number,
                )
            )
    for number in range(6):
        await door.rest(
            "POST",
            f"/events/{DEVCONF}/sessions",
            json={
                "kind": "talk",
                "title": f"T{number}",
                "day": 1,
                "start": "10:00",
                "room": f"R{number}",
            },
        )
    await publish(door)

    text = (await door.http.get(f"{BASE}/agenda")).text

    assert 'data-room="7"' in text
    assert '[data-room="7"], .room-head:nth-of-type(7) { grid-column: 8; }' in text
    assert "repeat(7, minmax(0, 1fr))" in text
