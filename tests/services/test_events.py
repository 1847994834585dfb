"""list_events and get_event."""

import datetime as dt

import msgspec
import pytest

from tests.conftest import Call, Statements
from tests.services.conftest import Log
from tests.services.refusals import not_found
from tests.world import DATA, DEVCONF, PYDAY, RIVAL, WEB, World
from unsession.db.engine import Database
from unsession.errors import Ambiguous, Forbidden, Invalid
from unsession.models import Event, Room


async def test_the_events_one_reaches_are_listed_the_latest_first(call: Call, world: World) -> None:
    page = msgspec.to_builtins((await call("list_events", world.organizer)).data())

    assert page == {
        "items": [
            {
                "id": PYDAY,
                "name": "PyDay 2027",
                "slug": "pyday-2027",
                "startsOn": "2027-09-11",
                "endsOn": "2027-09-11",
                "zone": "Europe/Lisbon",
                "released": 1,
            },
            {
                "id": DEVCONF,
                "name": "DevConf 2027",
                "slug": "devconf-2027",
                "startsOn": "2027-05-20",
                "endsOn": "2027-05-21",
                "zone": "Europe/Lisbon",
                "venue": "Pavilhão do Rio",
            },
        ],
        "total": 2,
    }


async def test_other_workspaces_events_are_not_listed(call: Call, world: World) -> None:
    theirs = (await call("list_events", world.stranger)).result
    restricted = (await call("list_events", world.event_reader)).result

    assert [row.id for row in theirs.items] == [RIVAL]
    assert [row.id for row in restricted.items] == [DEVCONF]


async def test_a_reviewer_may_not_list_or_get_events(call: Call, world: World) -> None:
    for name, arguments in (("list_events", {}), ("get_event", {"event": DEVCONF})):
        with pytest.raises(Forbidden, match="Your role does not let you see events"):
            await call(name, world.reviewer, **arguments)


async def test_the_pages_of_the_events_show_each_once(
    call: Call, db: Database, world: World
) -> None:
    async with db.write() as session:
        session.add_all(
            Event(
                id=f"evt_more{number}",
                workspace_id="wsp_north",
                name=f"More {number}",
                name_folded=f"more {number}",
                slug=f"more-{number}",
                starts_on=dt.date(2028, 1, 1 + number // 2),
                ends_on=dt.date(2028, 2, 1),
                zone="UTC",
            )
            for number in range(5)
        )
    everything = (await call("list_events", world.owner, limit=200)).result

    shown, cursor, totals = [], None, set()
    while len(shown) < 20:
        more = {"cursor": cursor} if cursor else {}
        page = msgspec.to_builtins((await call("list_events", world.owner, limit=2, **more)).data())
        shown += [row["id"] for row in page["items"]]
        totals.add(page["total"])
        cursor = page.get("nextCursor")
        if cursor is None:
            break

    assert shown == [row.id for row in everything.items]
    assert sorted(shown) == sorted([DEVCONF, PYDAY, *(f"evt_more{n}" for n in range(5))])
    assert totals == {7}


async def test_a_cursor_of_another_list_is_refused(call: Call, world: World) -> None:
    page = (await call("list_submissions", world.owner, event=DEVCONF, limit=1)).result

    with pytest.raises(Invalid) as refused:
        await call("list_events", world.owner, cursor=page.next_cursor)

    assert [problem.path for problem in refused.value.problems] == ["/cursor"]


async def test_one_event_comes_with_its_set_up_and_its_counts(call: Call, world: World) -> None:
    event = msgspec.to_builtins((await call("get_event", world.reader, event=DEVCONF)).data())

    expected = {
        "id": DEVCONF,
        "name": "DevConf 2027",
        "slug": "devconf-2027",
        "startsOn": "2027-05-20",
        "endsOn": "2027-05-21",
        "zone": "Europe/Lisbon",
        "venue": "Pavilhão do Rio",
        "mode": "in_person",
        "description": "Two days of Python.",
        "days": [
            {"day": 1, "date": "2027-05-20", "opens": "09:00", "closes": "18:00"},
            {"day": 2, "date": "2027-05-21", "opens": "09:30", "closes": "25:30"},
        ],
        "rooms": [
            {"id": "rom_hall", "name": "Main hall", "capacity": 300},
            {"id": "rom_lab", "name": "Lab"},
        ],
        "taxonomies": [
            {
                "id": "tax_devconf_track",
                "key": "track",
                "name": "Track",
                "options": [
                    {"id": WEB, "name": "Web", "color": "#0b7285"},
                    {"id": DATA, "name": "Data"},
                ],
            },
            {
                "id": "tax_devconf_format",
                "key": "format",
                "name": "Format",
                "options": [
                    {"id": "opt_talk", "name": "Talk", "minutes": 30},
                    {"id": "opt_workshop", "name": "Workshop", "minutes": 90},
                ],
            },
            {
                "id": "tax_devconf_level",
                "key": "level",
                "name": "Level",
                "options": [{"id": "opt_beginner", "name": "Beginner"}],
            },
        ],
        "counts": {
            "submissions": {
                "draft": 1,
                "in_review": 2,
                "accepted": 1,
                "waitlisted": 1,
                "declined": 1,
                "withdrawn": 1,
            },
            # The withdrawn submission of the track Web does not count.
            "tracks": [
                {"id": WEB, "name": "Web", "submissions": 2},
                {"id": DATA, "name": "Data", "submissions": 2},
            ],
            "sessions": {"placed": 1, "unplaced": 0, "unconfirmed": 0},
            "tasks": {"open": 0, "overdue": 0},
        },
        "url": "https://conference.test/app/devconf-2027",
    }
    assert {name: event[name] for name in expected} == expected


async def test_an_event_without_anything_has_counts_of_nothing(call: Call, world: World) -> None:
    event = msgspec.to_builtins((await call("get_event", world.owner, event=PYDAY)).data())

    assert event["counts"]["submissions"]["in_review"] == 1
    assert event["counts"]["sessions"] == {"placed": 0, "unplaced": 0, "unconfirmed": 0}
    assert event["days"] == event["rooms"] == []
    assert [taxonomy["options"] for taxonomy in event["taxonomies"]] == [[], [], []]


@pytest.mark.parametrize(
    "identifier", [DEVCONF, "devconf-2027", "DevConf 2027", "DÉVCONF  2027", "devconf 2027"]
)
async def test_an_event_is_found_by_id_slug_and_folded_name(
    call: Call, world: World, identifier: str
) -> None:
    assert (await call("get_event", world.owner, event=identifier)).result.id == DEVCONF


async def test_what_only_resembles_an_event_is_not_found(call: Call, world: World) -> None:
    for identifier in ("devconf", "DEVCONF-2027", "DevConf 202", "evt_dev", "%"):
        await not_found(call("get_event", world.owner, event=identifier), identifier)


async def test_another_workspaces_event_looks_like_none(call: Call, world: World) -> None:
    theirs = [
        await not_found(call("get_event", world.owner, event=name), name)
        for name in (RIVAL, "rival-2027", "Rival 2027")
    ]
    nobodys = await not_found(call("get_event", world.owner, event="evt_none"), "evt_none")
    restricted = await not_found(call("get_event", world.event_reader, event=PYDAY), PYDAY)

    assert theirs == [nobodys] * 3
    assert restricted == nobodys


async def test_a_name_of_two_events_lists_both(call: Call, db: Database, world: World) -> None:
    async with db.write() as session:
        for slug, workspace in (("again", "wsp_north"), ("elsewhere", "wsp_other")):
            session.add(
                Event(
                    id=f"evt_{slug}",
                    workspace_id=workspace,
                    name="devconf 2027",
                    name_folded="devconf 2027",
                    slug=slug,
                    starts_on=dt.date(2027, 1, 1),
                    ends_on=dt.date(2027, 1, 1),
                    zone="UTC",
                )
            )

    with pytest.raises(Ambiguous) as refused:
        await call("get_event", world.owner, event="DevConf 2027")

    candidates = refused.value.facts["candidates"]
    assert isinstance(candidates, list)
    assert sorted(candidates, key=lambda one: str(one["id"])) == [
        {"id": "evt_again", "label": "devconf 2027, again"},
        {"id": DEVCONF, "label": "DevConf 2027, devconf-2027"},
    ]


async def test_reading_leaves_no_activity(call: Call, world: World, log: Log) -> None:
    await call("list_events", world.organizer)
    await call("get_event", world.organizer, event=DEVCONF)

    assert await log() == []


async def test_an_event_takes_as_many_statements_with_many_rows_as_with_few(
    call: Call, db: Database, world: World, crowd: list[str], statements: Statements
) -> None:
    statements.clear()
    await call("get_event", world.owner, event=PYDAY)
    few = len(statements)
    async with db.write() as session:
        session.add_all(
            Room(event_id=DEVCONF, name=f"R{n}", name_folded=f"r{n}", position=n) for n in range(30)
        )

    statements.clear()
    await call("get_event", world.owner, event=DEVCONF)

    assert len(statements) == few <= 10


async def test_the_list_of_events_takes_two_statements_for_each_workspace(
    call: Call, db: Database, world: World, statements: Statements
) -> None:
    statements.clear()
    await call("list_events", world.owner)
    few = len(statements)
    async with db.write() as session:
        session.add_all(
            Event(
                workspace_id="wsp_north",
                name=f"More {n}",
                name_folded=f"more {n}",
                slug=f"more-{n}",
                starts_on=dt.date(2028, 1, 1),
                ends_on=dt.date(2028, 2, 1),
                zone="UTC",
            )
            for n in range(30)
        )

    statements.clear()
    page = (await call("list_events", world.owner)).result

    assert page.total == 32
    assert len(statements) == few == 2
