"""Events, their settings, the dashboard and the activity, as organisers meet them."""

import re
from typing import Any

import pytest
from sqlmodel import col

from tests.web.door import Door
from tests.web.pages import page_of, read, rows, send, sign_in
from tests.web.tables import snapshot
from tests.world import DEVCONF, NORTH, PYDAY, WEB
from unsession.domain.forms import FormStatus
from unsession.models import (
    Activity,
    Event,
    EventDay,
    Form,
    Membership,
    Room,
    Taxonomy,
    TaxonomyOption,
    Workspace,
)

SETTINGS = "/app/devconf-2027/settings"
LONG = "Ein sehr langer Name, der nirgends hineinpasst, weil niemand ihn kürzen wollte oder durfte"


async def done_by(door: Door, answer: Any, status: int = 200) -> Any:
    """The page a form leads to, with the toast of what was done."""
    assert answer.status_code == 303, answer.text[:2000]
    return await page_of(door, answer.headers["location"], status)


# Who sees what


@pytest.mark.parametrize(
    "path",
    [
        "/app/events",
        "/app/new",
        "/app/api",
        "/app/devconf-2027",
        "/app/devconf-2027/activity?cursor=x",
        SETTINGS,
        "/app/devconf-2027/submissions?status=in_review&sort=score",
        "/app/devconf-2027/submissions/SUB-1",
        "/app/devconf-2027/outbox",
        "/app/search.json?q=a",
    ],
)
async def test_a_page_that_needs_somebody_asks_and_leads_back(door: Door, path: str) -> None:
    answer = await door.http.get(path)
    form = await page_of(door, answer.headers["location"])

    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/signin?next=/app")
    assert form.form("/signin").values["next"] == path


@pytest.mark.parametrize("target", ["//evil.example", "https://evil.example/app", "/\\evil", "app"])
async def test_a_sign_in_page_leads_nowhere_else(door: Door, target: str) -> None:
    form = await page_of(door, f"/signin?next={target}")

    assert form.form("/signin").values.get("next", "") == ""


@pytest.mark.parametrize(
    "path", ["", "/settings", "/activity", "/submissions", "/submissions/SUB-1", "/outbox"]
)
async def test_a_reviewer_and_a_stranger_get_no_organisers_page(door: Door, path: str) -> None:
    await sign_in(door, "usr_mei")
    reviewer = await door.http.get(f"/app/devconf-2027{path}")
    await sign_in(door, "usr_eva")
    stranger = await door.http.get(f"/app/devconf-2027{path}")
    nothing = await door.http.get(f"/app/nowhere-2027{path}")

    assert reviewer.status_code == 403
    assert "Your role does not let you" in reviewer.text
    assert (stranger.status_code, nothing.status_code) == (404, 404)
    bare = [re.sub(r"[0-9a-f]{16}", "…", one.text) for one in (stranger, nothing)]
    assert bare[0].replace("devconf", "nowhere") == bare[1]
    assert "DevConf 2027" not in stranger.text


@pytest.mark.parametrize(
    "path", [f"{SETTINGS}/event", f"{SETTINGS}/room", "/app/new", "/app/undo", "/app/api"]
)
async def test_a_form_of_another_site_changes_nothing(door: Door, path: str) -> None:
    await sign_in(door, "usr_ines")
    before = await snapshot(door.house.db)

    for headers in (
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "https://evil.example"},
        {},
    ):
        answer = await door.http.post(path, data={"name": "x"}, headers=headers)
        assert answer.status_code == 403

    assert await snapshot(door.house.db) == before


# Events


async def test_the_events_one_organises_are_listed_with_their_dates(door: Door) -> None:
    await sign_in(door, "usr_ines")
    page = await page_of(door, "/app/events")

    assert page.links["DevConf 2027"] == "/app/devconf-2027"
    assert "20–21 May 2027" in page.words
    assert "North Conferences" in page.words
    assert "Rival 2027" not in page.text
    assert page.links["Create an event"] == "/app/new"


async def test_who_has_nothing_yet_is_told_what_to_do(door: Door) -> None:
    await sign_in(door, "usr_tom")
    nobody = await page_of(door, "/app/events")
    await sign_in(door, "usr_mei")
    reviewer = await page_of(door, "/app/events")

    assert "No event yet" in nobody.words
    assert nobody.links["Create an event"] == "/app/new"
    assert "No event yet" in reviewer.words


async def test_a_first_event_comes_with_a_workspace_of_ones_own(door: Door) -> None:
    await sign_in(door, "usr_tom")
    form = (await page_of(door, "/app/new")).forms[-1]
    assert "workspace_name" in form.values

    fields = {
        **form.values,
        "workspace_name": "Café Meetups",
        "name": "Gopher Days",
        "starts_on": "2028-03-31",
        "ends_on": "2028-04-01",
        "zone": "UTC",
    }
    page = await done_by(door, await send(door, "/app/new", fields))

    assert "Workspace “Café Meetups” made with event “Gopher Days”" in page.words
    (event,) = await rows(door, Event, col(Event.slug) == "gopher-days")
    (workspace,) = await rows(door, Workspace, col(Workspace.slug) == "cafe-meetups")
    assert (event.workspace_id, event.zone) == (workspace.id, "UTC")
    (member,) = await rows(door, Membership, col(Membership.user_id) == "usr_tom")
    assert member.role.value == "owner"


async def test_what_is_wrong_with_a_new_event_is_told_at_its_fields(door: Door) -> None:
    await sign_in(door, "usr_ines")
    fields = {
        "workspace": NORTH,
        "name": "Gopher <b>Days</b>",
        "slug": "devconf-2027",
        "starts_on": "2028-04-01",
        "ends_on": "2028-03-31",
        "zone": "Mars/Base",
        "venue": "Hall “A”",
    }
    page = read(await send(door, "/app/new", fields), 422)

    assert page.title.startswith("Error: ")
    assert page.errors == ["ends_on", "zone"]
    assert set(page.errors) <= set(page.ids)
    form = page.forms[-1].values
    assert {name: form[name] for name in fields if name != "zone"} == {
        name: value for name, value in fields.items() if name != "zone"
    }
    mended = {**form, "ends_on": "2028-04-02", "zone": "Europe/Lisbon"}
    again = read(await send(door, "/app/new", mended), 422)
    assert again.errors == ["slug"]
    assert again.forms[-1].values["zone"] == "Europe/Lisbon"


async def test_a_workspace_without_a_name_is_told_at_its_field(door: Door) -> None:
    await sign_in(door, "usr_tom")
    fields = {"workspace_name": " ", "name": "X", "starts_on": "2028-01-01", "zone": "UTC"}
    page = read(await send(door, "/app/new", fields), 422)

    assert page.errors == ["workspace_name"]
    assert len(await rows(door, Workspace)) == 2


async def test_a_wrong_first_event_leaves_no_workspace_either(door: Door) -> None:
    await sign_in(door, "usr_tom")
    before = await snapshot(door.house.db)
    fields = {
        "workspace_name": "Café Meetups",
        "name": "Gopher Days",
        "slug": "devconf-2027",
        "starts_on": "2028-01-01",
        "zone": "Europe/London",
    }
    taken = read(await send(door, "/app/new", fields), 422)
    backwards = {**fields, "slug": "gophers", "ends_on": "2027-12-31", "zone": "Mars/Base"}
    wrong = read(await send(door, "/app/new", backwards), 422)
    nameless = read(await send(door, "/app/new", {**fields, "name": " "}), 422)

    assert (taken.errors, wrong.errors) == (["slug"], ["ends_on", "zone"])
    assert nameless.errors == ["name"]
    assert taken.forms[-1].values["workspace_name"] == "Café Meetups"
    assert await snapshot(door.house.db) == before


async def test_who_only_organises_somewhere_makes_the_event_where_they_run_things(
    door: Door,
) -> None:
    async with door.house.db.write() as session:
        session.add(
            Membership(id="mem_x", workspace_id="wsp_other", user_id="usr_ines", role="organizer")
        )
    await sign_in(door, "usr_ines")
    form = (await page_of(door, "/app/new")).forms[-1]
    assert form.values["workspace"] == NORTH

    fields = {**form.values, "name": "Gophers", "starts_on": "2028-01-01", "ends_on": ""}
    await done_by(door, await send(door, "/app/new", fields))

    (event,) = await rows(door, Event, col(Event.slug) == "gophers")
    assert (event.workspace_id, event.starts_on, event.ends_on) == (
        NORTH,
        event.starts_on,
        event.starts_on,
    )


# Settings


async def test_the_settings_as_they_come_change_nothing(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    page = await page_of(door, SETTINGS)
    before = await snapshot(door.house.db)

    for form in page.forms:
        part = form.action.rpartition("/")[2]
        if form.action.startswith(SETTINGS) and part in ("event", "days"):
            answer = await send(door, form.action, form.values)
            assert answer.status_code == 303
            assert answer.headers["location"] == SETTINGS
    for holding in ({"room": "rom_hall"}, {"room": "rom_lab"}):
        form = page.form(f"{SETTINGS}/room", **holding)
        assert (await send(door, form.action, form.values)).headers["location"] == SETTINGS
    for option in (WEB, "opt_talk", "opt_beginner"):
        form = page.form(f"{SETTINGS}/option", option=option)
        assert (await send(door, form.action, form.values)).headers["location"] == SETTINGS

    assert await snapshot(door.house.db) == before


async def test_every_part_is_saved_by_its_own_form_and_undone_from_the_toast(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    page = await page_of(door, SETTINGS)
    event = page.form(f"{SETTINGS}/event").values

    changed = {**event, "name": LONG, "venue": "", "accent": "#1d4ed8", "confirmed_by": "all"}
    changed["contact_address"] = "crew@devconf.example"
    saved = await done_by(door, await send(door, f"{SETTINGS}/event", changed))

    (row,) = await rows(door, Event, col(Event.id) == DEVCONF)
    assert row.contact_address == "crew@devconf.example"
    assert (row.name, row.venue, row.accent, row.confirmed_by.value) == (
        LONG,
        None,
        "#1d4ed8",
        "all",
    )
    assert "Event “DevConf 2027” changed" in saved.words
    undo = saved.form("/app/undo")
    assert undo.values["back"] == SETTINGS
    undone = await done_by(door, await send(door, "/app/undo", undo.values))
    (row,) = await rows(door, Event, col(Event.id) == DEVCONF)
    assert (row.name, row.venue, row.accent) == ("DevConf 2027", "Pavilhão do Rio", None)
    assert "Undone: Event “DevConf 2027” changed" in undone.words

    days = page.form(f"{SETTINGS}/days").values
    assert days["opens-2027-05-21"] == "09:30"
    fields = {**days, "date": ["2027-05-20", "2027-05-21"], "closes-2027-05-20": "26:00"}
    await done_by(door, await send(door, f"{SETTINGS}/days", fields))
    assert [
        day.closes_minute for day in await rows(door, EventDay, col(EventDay.event_id) == DEVCONF)
    ] == [26 * 60, 25 * 60 + 30]


@pytest.mark.parametrize(
    ("part", "fields", "faults"),
    [
        ("event", {"name": " "}, ["name"]),
        ("event", {"name": "X", "starts_on": ""}, ["starts_on"]),
        ("event", {"name": "X", "starts_on": "2027-05-20", "ends_on": "2027-05-19"}, ["ends_on"]),
        ("event", {"accent": "blue"}, ["accent"]),
        ("event", {"contact_address": "crew"}, ["contact_address"]),
        ("event", {"confirmed_by": "most"}, ["confirmed_by"]),
        ("event", {"zone": "Mars"}, ["zone"]),
        (
            "days",
            {
                "date": ["2027-05-20", "2027-05-21"],
                "opens-2027-05-20": "09:00",
                "closes-2027-05-20": "10:00",
                "opens-2027-05-21": "noon",
                "closes-2027-05-21": "10:00",
            },
            ["opens-2027-05-21"],
        ),
        ("room", {"room_name": "LAB"}, ["room_name-new"]),
        ("room", {"room_name": "Attic", "capacity": "²"}, ["capacity-new"]),
        ("room", {"room_name": "", "room": "rom_lab", "capacity": "0"}, None),
        ("option", {"taxonomy": "track", "option_name": "data"}, ["option_name-new-track"]),
        (
            "option",
            {"taxonomy": "format", "option": "opt_talk", "option_name": "T", "minutes": "half"},
            ["minutes-opt_talk"],
        ),
        (
            "option",
            {"taxonomy": "track", "option": WEB, "option_name": "Web", "color": "red"},
            [f"color-{WEB}"],
        ),
        ("taxonomy", {"taxonomy_name": "Track"}, ["taxonomy_name"]),
    ],
)
async def test_errors_link_to_their_fields_and_keep_what_was_typed(
    door: Door, part: str, fields: dict[str, Any], faults: list[str] | None
) -> None:
    await sign_in(door, "usr_ravi")
    before = await snapshot(door.house.db)

    page = read(await send(door, f"{SETTINGS}/{part}", fields), 422)

    assert page.title.startswith("Error: Settings")
    assert page.errors == faults or faults is None
    assert page.errors
    assert set(page.errors) <= set(page.ids)
    shown = [form.values for form in page.forms if form.action == f"{SETTINGS}/{part}"]
    row = {name: fields[name] for name in ("room", "option", "taxonomy") if name in fields}
    shown = [values for values in shown if row.items() <= values.items()]
    new = [values for values in shown if not values.keys() & {"room", "option"} - fields.keys()]
    chosen = {"date", "zone", "confirmed_by"}  # what a select cannot show it does not keep
    kept = {name: value for name, value in fields.items() if name not in chosen}
    assert {name: new[0][name].strip() for name in kept} == {
        name: value.strip() for name, value in kept.items()
    }
    assert await snapshot(door.house.db) == before


async def test_rooms_options_and_lists_are_added_changed_and_deleted(door: Door) -> None:
    await sign_in(door, "usr_ravi")

    await done_by(door, await send(door, f"{SETTINGS}/room", {"room_name": LONG[:80]}))
    changed = {"room": "rom_lab", "room_name": "Big lab", "capacity": ""}
    page = await done_by(door, await send(door, f"{SETTINGS}/room", changed))
    assert "Room “Big lab” saved" in page.words
    page = await done_by(door, await send(door, f"{SETTINGS}/room-delete", {"room": "rom_lab"}))
    assert {room.name for room in await rows(door, Room)} == {LONG[:80], "Main hall"}
    back = await done_by(door, await send(door, "/app/undo", page.form("/app/undo").values))
    assert "Undone: Room “Big lab” deleted" in back.words

    option = {"taxonomy": "track", "option_name": "Cloud", "color": "#123456"}
    await done_by(door, await send(door, f"{SETTINGS}/option", option))
    (cloud,) = await rows(door, TaxonomyOption, col(TaxonomyOption.name) == "Cloud")
    assert cloud.color == "#123456"
    gone = {"taxonomy": "track", "option": cloud.id}
    await done_by(door, await send(door, f"{SETTINGS}/option-delete", gone))
    assert await rows(door, TaxonomyOption, col(TaxonomyOption.name) == "Cloud") == []

    for name, key in (("For whom?", "for_whom"), ("2nd list", "list_2nd_list"), ("ノース", "list")):
        await done_by(door, await send(door, f"{SETTINGS}/taxonomy", {"taxonomy_name": name}))
        (made,) = await rows(door, Taxonomy, col(Taxonomy.name) == name)
        assert made.key == key


async def test_what_cannot_go_says_why_and_stays_open(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    page = read(await send(door, f"{SETTINGS}/room-delete", {"room": "rom_hall"}), 409)

    assert "A session is placed in “Main hall”" in page.words
    assert page.text.count('<details class="change" open>') == 1


async def test_a_change_on_top_of_somebody_elses_is_seen_first(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    form = (await page_of(door, SETTINGS)).form(f"{SETTINGS}/event").values
    await send(door, f"{SETTINGS}/event", {**form, "venue": "Hall"})

    stale = read(await send(door, f"{SETTINGS}/event", {**form, "venue": "Barn"}), 412)
    again = stale.form(f"{SETTINGS}/event").values

    assert "Somebody changed" in stale.words
    assert again["venue"] == "Barn"
    assert (await send(door, f"{SETTINGS}/event", again)).status_code == 303


async def test_there_is_no_such_part_of_the_settings(door: Door) -> None:
    await sign_in(door, "usr_ravi")

    assert (await send(door, f"{SETTINGS}/nonsense", {"name": "X"})).status_code == 404


async def test_an_event_keeps_a_zone_that_is_no_place(door: Door) -> None:
    async with door.house.db.write() as session:
        (await session.get_one(Event, DEVCONF)).zone = "Etc/GMT-3"
    await sign_in(door, "usr_ravi")
    form = (await page_of(door, SETTINGS)).form(f"{SETTINGS}/event")

    assert form.values["zone"] == "Etc/GMT-3"
    await send(door, form.action, form.values)
    assert (await rows(door, Event, col(Event.id) == DEVCONF))[0].zone == "Etc/GMT-3"


async def test_an_event_without_days_rooms_or_options_says_what_is_missing(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    page = await page_of(door, "/app/pyday-2027/settings")

    assert "No day yet" in page.words
    assert "No room yet" in page.words
    assert page.words.count("Nothing to choose from yet") == 3


# Dashboard and activity


async def test_the_dashboard_says_where_the_event_stands_and_what_is_next(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    await send(
        door,
        "/app/devconf-2027/submissions/SUB-1/decision",
        {"decision": "accept", "do": "queue", "ask_confirmation": "on"},
    )
    page = await page_of(door, "/app/devconf-2027")

    assert "Submissions 6 1 draft" in page.words
    assert "Decided 3 1 more queued" in page.words
    assert "Accepted 1 1 on the waitlist" in page.words
    assert "Placed 1 0 without a slot" in page.words
    assert "1 decision is queued and nobody knows yet" in page.words
    assert page.links["Look and send"] == "/app/devconf-2027/outbox"
    assert "SUB-1 “Typing the untyped”: queued to accept" in page.words


@pytest.mark.parametrize("path", ["", "/settings"])
async def test_nobody_is_led_to_a_public_page_before_there_is_one(door: Door, path: str) -> None:
    await sign_in(door, "usr_ines")
    days = {"starts_on": "2027-09-01", "ends_on": "2027-09-02", "zone": "Europe/Lisbon"}
    await send(door, "/app/new", {"name": "Later", "slug": "later-2027", **days})

    public = await page_of(door, f"/app/devconf-2027{path}")
    hidden = await page_of(door, f"/app/later-2027{path}")

    assert public.links["Public page"] == "/devconf-2027"
    assert "Public page" not in hidden.links
    assert "Visitors see nothing yet" in hidden.words


async def test_a_new_event_is_led_to_its_first_form(door: Door) -> None:
    async with door.house.db.write() as session:
        (await session.get_one(Form, "frm_pyday")).status = FormStatus.DRAFT
    await sign_in(door, "usr_ravi")
    page = await page_of(door, "/app/pyday-2027")

    assert "No form takes submissions" in page.words
    assert page.links["Go to the forms"] == "/app/pyday-2027/forms"
    assert "Nothing has happened yet." in page.words


async def test_the_activity_is_paged_and_offers_undo_where_there_is_one(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    empty = await page_of(door, "/app/devconf-2027/activity")
    for number in range(52):
        await send(door, f"{SETTINGS}/room", {"room_name": f"Room {number}"})

    first = await page_of(door, "/app/devconf-2027/activity")
    second = await page_of(door, first.links["Older"])

    assert "Nothing has happened yet" in empty.words
    assert first.text.count("<tr>") == 51
    assert "Room “Room 51” saved" in first.words
    assert "Room “Room 0” saved" in second.words
    assert second.text.count("<tr>") == 3
    assert second.links["Newest"] == "/app/devconf-2027/activity"
    assert "Times in Europe/Lisbon" in first.words

    undo = first.form("/app/undo").values
    after = await done_by(door, await send(door, "/app/undo", undo))
    assert "Undone: Room “Room 51” saved" in after.words
    refused = read(await send(door, "/app/undo", undo), 409)
    assert "This was undone already" in refused.words
    assert refused.links["Go back"] == "/app/devconf-2027/activity"


async def test_a_part_of_a_larger_act_has_no_undo_of_its_own(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    base = "/app/devconf-2027"
    for number in (1, 2):
        await send(
            door,
            f"{base}/submissions/SUB-{number}/decision",
            {"decision": "decline", "do": "queue"},
        )
    await send(door, f"{base}/outbox", {"do": "all"})
    page = await page_of(door, f"{base}/activity")

    entries = await rows(door, Activity)
    parts = {entry.id for entry in entries if entry.batch_id}
    offered = {form.values["activity"] for form in page.forms if form.action == "/app/undo"}
    assert len(parts) == 2
    assert not offered & parts
    assert len(offered) == 3


async def test_an_undo_leads_nowhere_else_and_needs_an_entry_of_ones_own_reach(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    await send(door, f"{SETTINGS}/room", {"room_name": "Attic"})
    (entry,) = await rows(door, Activity)
    fields = {"activity": entry.id, "back": "//evil.example"}
    await sign_in(door, "usr_eva")
    stranger = await send(door, "/app/undo", fields)
    await sign_in(door, "usr_ravi")
    undone = await send(door, "/app/undo", fields)

    assert stranger.status_code == 404
    assert undone.headers["location"].startswith("/app?done=")


async def test_the_toast_shows_ones_own_entries_alone(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    await send(door, f"{SETTINGS}/room", {"room_name": "Attic"})
    (entry,) = await rows(door, Activity)

    own = await page_of(door, f"{SETTINGS}?done={entry.id}")
    await sign_in(door, "usr_ines")
    other = await page_of(door, f"{SETTINGS}?done={entry.id}")
    wrong = await page_of(door, f"{SETTINGS}?done=act_none")

    assert 'class="toast"' in own.text
    assert 'class="toast"' not in other.text
    assert 'class="toast"' not in wrong.text


async def test_the_palette_looks_things_up_as_one_may_see_them(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    found = (await door.http.get("/app/search.json?q=SUB-2")).json()["items"]
    none = (await door.http.get("/app/search.json?q=%20")).json()["items"]
    odd = await door.http.get("/app/search.json?q=%C2%B2")
    await sign_in(door, "usr_mei")
    reviewer = (await door.http.get("/app/search.json?q=SUB-2")).json()["items"]

    assert found == [
        {
            "group": "Submissions",
            "label": "Three voices, one stage",
            "note": "SUB-2",
            "href": "/app/devconf-2027/submissions/SUB-2",
        }
    ]
    assert (none, odd.status_code, reviewer) == ([], 200, [])
    await sign_in(door, "usr_ravi")
    assert (await door.http.get(found[0]["href"])).status_code == 200


async def test_names_of_people_and_things_are_text_on_every_page(door: Door) -> None:
    evil = "<script>alert(1)</script>{{ 7*7 }}"
    async with door.house.db.write() as session:
        event = await session.get_one(Event, PYDAY)
        event.name, event.venue = evil, evil
        session.add(Room(event_id=PYDAY, name=evil, name_folded="x", position=0))
    await sign_in(door, "usr_ravi")
    for path in ("/app/events", "/app/pyday-2027", "/app/pyday-2027/settings", "/app/api"):
        page = await page_of(door, path)
        assert "<script>alert" not in page.text
        assert "{{ 7*7 }}" in page.text
