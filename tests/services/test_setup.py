"""Workspaces, events with days, rooms and taxonomies: made, changed, taken away, taken back."""

import datetime as dt
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from sqlalchemy import select
from sqlmodel import col

from tests.conftest import Call
from tests.services.conftest import Log, content_of
from tests.services.refusals import not_found, whole
from tests.world import DEVCONF, NORTH, PYDAY, WEB, World
from unsession.access import Role, system_actor
from unsession.db.engine import Database
from unsession.domain.slugs import RESERVED
from unsession.errors import Ambiguous, Conflict, Forbidden, Invalid, NotFound, Stale
from unsession.models import (
    Event,
    EventDay,
    Membership,
    Placement,
    Room,
    Schedule,
    Taxonomy,
    TaxonomyOption,
    Workspace,
)

GOPHERS = {
    "name": "Gopher Days",
    "slug": "gopher-days",
    "startsOn": "2028-03-31",
    "endsOn": "2028-04-02",
    "zone": "America/Sao_Paulo",
}


def paths(refusal: pytest.ExceptionInfo[Invalid]) -> list[str]:
    return [problem.path for problem in refusal.value.problems]


async def all_of(db: Database, model: Any, *conditions: Any) -> list[Any]:
    table = model.__table__
    ordered = select(*table.columns).where(*conditions).order_by(*table.primary_key.columns)
    return await db.rows(ordered)


async def setup_of(call: Call, world: World, event: str = DEVCONF) -> dict[str, Any]:
    """Everything that is set up about an event, its version left out."""
    full: dict[str, Any] = msgspec.to_builtins(
        (await call("get_event", world.owner, event=event)).data()
    )
    del full["version"], full["counts"]
    return full


# Workspaces


async def test_who_makes_a_workspace_owns_it(
    call: Call, db: Database, world: World, log: Log
) -> None:
    made = (await call("create_workspace", world.nobody, name="  Café Meetups ")).result

    (workspace,) = await all_of(db, Workspace, col(Workspace.id) == made.id)
    (member,) = await all_of(db, Membership, col(Membership.workspace_id) == made.id)
    assert (workspace.name, workspace.slug, made.slug) == (
        "Café Meetups",
        "cafe-meetups",
        "cafe-meetups",
    )
    assert (member.user_id, member.role.value) == ("usr_tom", "owner")
    (entry,) = await log()
    assert (entry.workspace_id, entry.number, entry.operation) == (made.id, 1, "create_workspace")
    assert content_of(entry)["summary"] == "Workspace “Café Meetups” made"


async def test_workspaces_of_one_name_get_slugs_of_their_own(call: Call, world: World) -> None:
    slugs = [
        (await call("create_workspace", world.nobody, name=name)).result.slug
        for name in ("North", "NORTH!", "ノース")
    ]

    assert slugs == ["north-2", "north-3", "workspace"]


async def test_a_workspace_needs_a_person_and_a_name(call: Call, world: World, log: Log) -> None:
    with pytest.raises(Forbidden, match="Sign in first"):
        await call("create_workspace", system_actor("tidying"), name="Ours")
    with pytest.raises(Forbidden):
        await call("create_workspace", world.writer, name="Ours")
    for name in (" ", "\u2028", "\u202e"):
        with pytest.raises(Invalid) as refused:
            await call("create_workspace", world.nobody, name=name)
        assert paths(refused) == ["/name"]
    assert await log() == []


# Creating an event


async def test_a_new_event_has_days_formats_levels_and_a_working_schedule(
    call: Call, db: Database, world: World, log: Log
) -> None:
    made = await call("create_event", world.owner, **GOPHERS, venue="São Paulo")

    event = await setup_of(call, world, "gopher-days")
    hours = {"opens": "09:00", "closes": "18:00"}
    assert event["days"] == [
        {"day": 1, "date": "2028-03-31", **hours},
        {"day": 2, "date": "2028-04-01", **hours},
        {"day": 3, "date": "2028-04-02", **hours},
    ]
    assert [
        (one["key"], one["name"], [(o["name"], o.get("minutes")) for o in one["options"]])
        for one in event["taxonomies"]
    ] == [
        ("track", "Track", []),
        ("format", "Format", [("Talk", 30), ("Workshop", 90), ("Lightning talk", 10)]),
        ("level", "Level", [("Beginner", None), ("Intermediate", None), ("Advanced", None)]),
    ]
    assert (event["venue"], event["mode"], event["confirmedBy"], event["rooms"]) == (
        "São Paulo",
        "in_person",
        "any",
        [],
    )
    (schedule,) = await all_of(db, Schedule, col(Schedule.event_id) == made.result.id)
    assert schedule.is_working
    (entry,) = await log()
    assert (entry.id, entry.workspace_id, entry.event_id, entry.subject_id) == (
        made.activity_id,
        NORTH,
        made.result.id,
        made.result.id,
    )
    assert content_of(entry)["summary"] == "Event “Gopher Days” created"


async def test_a_preview_of_an_event_leaves_no_row(call: Call, db: Database, world: World) -> None:
    before = len(await all_of(db, EventDay))

    preview = await call("create_event", world.owner, dry_run=True, **GOPHERS)

    assert preview.result.slug == "gopher-days"
    assert await all_of(db, Event, col(Event.slug) == "gopher-days") == []
    assert len(await all_of(db, EventDay)) == before


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"slug": "devconf-2027"}, "/slug"),  # of this workspace
        ({"slug": "rival-2027"}, "/slug"),  # of another: addresses are the installation's
        ({"slug": "Gopher Days"}, "/slug"),
        ({"slug": "-x"}, "/slug"),
        ({"slug": ""}, "/slug"),
        ({"slug": "a" * 61}, "/slug"),
        ({"zone": "Lisbon"}, "/zone"),
        ({"zone": "../etc/passwd"}, "/zone"),
        ({"zone": ""}, "/zone"),
        ({"endsOn": "2028-03-30"}, "/endsOn"),
        ({"endsOn": "2028-05-01"}, "/endsOn"),
        ({"startsOn": "2028-02-30"}, "/startsOn"),
        ({"name": ""}, "/name"),
        ({"name": " \t "}, "/name"),
        ({"name": "x" * 121}, "/name"),
        ({"mode": "here"}, "/mode"),
    ],
)
async def test_what_an_event_cannot_have_is_named_by_its_field(
    call: Call, world: World, log: Log, wrong: dict[str, str], path: str
) -> None:
    with pytest.raises(Invalid) as refused:
        await call("create_event", world.owner, **{**GOPHERS, **wrong})

    assert paths(refused) == [path]
    assert await log() == []


@pytest.mark.parametrize("slug", sorted(slug for slug in RESERVED if "." not in slug))
async def test_no_event_stands_in_the_way_of_a_page_of_ours(
    call: Call, world: World, slug: str
) -> None:
    with pytest.raises(Invalid, match="is the address of one of our own pages"):
        await call("create_event", world.owner, **{**GOPHERS, "slug": slug})


async def test_everything_wrong_with_an_event_is_told_at_once(call: Call, world: World) -> None:
    with pytest.raises(Invalid) as refused:
        await call(
            "create_event",
            world.owner,
            **{**GOPHERS, "endsOn": "2027-01-01", "zone": "Mars/Base", "slug": "app"},
        )

    assert paths(refused) == ["/endsOn", "/zone", "/slug"]


async def test_an_event_of_thirty_one_days_is_the_longest(call: Call, world: World) -> None:
    made = await call("create_event", world.owner, **{**GOPHERS, "endsOn": "2028-04-30"})

    assert len(made.result.days) == 31


async def test_only_who_runs_a_workspace_creates_events(call: Call, world: World, log: Log) -> None:
    for actor in (world.organizer, world.writer, world.reader, world.event_writer, world.reviewer):
        with pytest.raises(Forbidden) as refused:
            await call("create_event", actor, **GOPHERS)
        assert refused.value.facts["permission"] == "workspace:run"
    assert await log() == []


async def test_another_workspace_looks_like_none(call: Call, world: World) -> None:
    theirs, nobodys = [
        await not_found(call("create_event", world.stranger, **GOPHERS, workspace=name), name)
        for name in ("north", "nowhere")
    ]

    assert theirs == nobodys


async def test_with_several_workspaces_one_must_be_named(call: Call, world: World) -> None:
    both = _with_role(world, Role.ADMIN)

    with pytest.raises(Ambiguous) as refused:
        await call("create_event", both, **GOPHERS)
    made = await call("create_event", both, **GOPHERS, workspace="other")

    candidates: Any = refused.value.facts["candidates"]
    assert {one["id"] for one in candidates} == {NORTH, "wsp_other"}
    assert made.result.slug == "gopher-days"


async def test_where_one_only_organizes_is_no_workspace_to_choose(call: Call, world: World) -> None:
    made = await call("create_event", _with_role(world, Role.ORGANIZER), **GOPHERS)

    listed = (await call("list_events", world.owner)).result.items
    assert made.result.id in [row.id for row in listed]


def _with_role(world: World, role: Role) -> Any:
    """The owner of north, with a role in the other workspace as well."""
    return replace(
        world.owner,
        workspace_roles={NORTH: frozenset({Role.OWNER}), "wsp_other": frozenset({role})},
    )


# Changing an event


async def test_an_event_changes_and_an_undo_leaves_it_as_it_was(
    call: Call, db: Database, world: World, log: Log
) -> None:
    before = await setup_of(call, world)

    done = await call(
        "update_event",
        world.writer,
        event="devconf-2027",
        name=" DevConf  Lisboa ",
        startsOn="2027-05-20",
        endsOn="2027-05-22",
        zone="Europe/Madrid",
        venue=None,
        mode="hybrid",
        description="Three days.",
        accent="#1d4ed8",
        contactAddress=" Crew@DevConf.example ",
        confirmedBy="all",
        days=[{"date": "2027-05-22", "opens": "10:00", "closes": "25:30"}],
    )

    after = await setup_of(call, world)
    assert after["name"] == "DevConf  Lisboa"
    assert [day["opens"] + "–" + day["closes"] for day in after["days"]] == [
        "09:00–18:00",
        "09:30–25:30",
        "10:00–25:30",
    ]
    assert (after["zone"], after["mode"], after["confirmedBy"], after["accent"]) == (
        "Europe/Madrid",
        "hybrid",
        "all",
        "#1d4ed8",
    )
    assert (after["contactAddress"], "venue" in after) == ("Crew@DevConf.example", False)
    assert (await call("get_event", world.owner, event="devconf lisboa")).result.id == DEVCONF
    (entry,) = await log()
    assert (entry.operation, entry.event_id) == ("update_event", DEVCONF)
    assert content_of(entry)["summary"] == "Event “DevConf 2027” changed"

    await call("undo", world.writer, activity=done.activity_id)

    assert await setup_of(call, world) == before


async def test_a_day_that_goes_comes_back_with_its_hours(call: Call, world: World) -> None:
    before = await setup_of(call, world)

    done = await call("update_event", world.writer, event=DEVCONF, endsOn="2027-05-20")
    gone = await setup_of(call, world)
    await call("undo", world.writer, activity=done.activity_id)

    assert [day["date"] for day in gone["days"]] == ["2027-05-20"]
    assert (await setup_of(call, world))["days"] == before["days"]


async def test_a_day_with_placed_sessions_does_not_go(
    call: Call, db: Database, world: World
) -> None:
    with pytest.raises(Conflict, match=r"“Async without tears”\. Move them first"):
        await call("update_event", world.writer, event=DEVCONF, startsOn="2027-05-21")

    assert len(await all_of(db, EventDay, col(EventDay.event_id) == DEVCONF)) == 2
    assert (await all_of(db, Event, col(Event.id) == DEVCONF))[0].starts_on == dt.date(2027, 5, 20)


async def test_the_same_again_changes_nothing_and_leaves_no_entry(
    call: Call, world: World, log: Log
) -> None:
    again = await call(
        "update_event", world.writer, event=DEVCONF, name="DevConf 2027", zone="Europe/Lisbon"
    )

    assert (again.effects, again.activity_id) == ((), None)
    assert await log() == []


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"zone": "Europe/Lissabon"}, "/zone"),
        ({"endsOn": "2027-05-19"}, "/endsOn"),
        ({"endsOn": "2027-06-20"}, "/endsOn"),
        ({"name": " "}, "/name"),
        ({"name": None}, "/name"),
        ({"zone": None}, "/zone"),
        ({"accent": "blue"}, "/accent"),
        ({"contactAddress": "crew at devconf"}, "/contactAddress"),
        ({"contactAddress": "crew@devconf.example\r\nBcc: all@x.example"}, "/contactAddress"),
        ({"confirmedBy": "most"}, "/confirmedBy"),
        ({"days": [{"date": "2027-05-23", "opens": "09:00", "closes": "10:00"}]}, "/days/0/date"),
        ({"days": [{"date": "2027-05-20", "opens": "10:00", "closes": "10:00"}]}, "/days/0"),
        ({"days": [{"date": "2027-05-20", "opens": "9am", "closes": "10:00"}]}, "/days/0"),
        ({"days": [{"date": "2027-05-20", "opens": "09:00", "closes": "36:01"}]}, "/days/0"),
        ({"days": [{"date": "2027-05-20", "opens": "09:00"}]}, "/days/0/closes"),
    ],
)
async def test_a_wrong_change_of_an_event_is_named_and_nothing_changes(
    call: Call, world: World, log: Log, wrong: dict[str, Any], path: str
) -> None:
    before = await setup_of(call, world)

    with pytest.raises(Invalid) as refused:
        await call("update_event", world.writer, event=DEVCONF, **{"venue": "X", **wrong})

    assert paths(refused) == [path]
    assert await setup_of(call, world) == before
    assert await log() == []


async def test_an_old_version_of_an_event_is_stale(call: Call, world: World, log: Log) -> None:
    read = (await call("get_event", world.reader, event=DEVCONF)).result
    await call("update_event", world.writer, event=DEVCONF, venue="Hall", version=read.version)

    with pytest.raises(Stale) as refused:
        await call("update_event", world.writer, event=DEVCONF, venue="Barn", version=read.version)

    assert refused.value.facts == {"version": read.version + 1}
    assert len(await log()) == 1


# Rooms


async def test_a_room_is_added_changed_and_each_step_is_undone(
    call: Call, db: Database, world: World, log: Log
) -> None:
    before = (await setup_of(call, world))["rooms"]

    added = await call("save_room", world.writer, event=DEVCONF, name=" Attic ", capacity=40)
    changed = await call(
        "save_room", world.writer, event=DEVCONF, room="attic", name="Loft", capacity=None
    )

    assert msgspec.to_builtins(added.result) == {
        "id": added.result.id,
        "name": "Attic",
        "version": 1,
        "capacity": 40,
    }
    assert msgspec.to_builtins(changed.result) == {
        "id": added.result.id,
        "name": "Loft",
        "version": 2,
    }
    assert [room["name"] for room in (await setup_of(call, world))["rooms"]] == [
        "Main hall",
        "Lab",
        "Loft",
    ]
    assert [content_of(entry)["summary"] for entry in await log()] == [
        "Room “Attic” saved",
        "Room “Loft” saved",
    ]

    await call("undo", world.writer, activity=changed.activity_id)
    (room,) = await all_of(db, Room, col(Room.id) == added.result.id)
    assert (room.name, room.name_folded, room.capacity) == ("Attic", "attic", 40)

    # The entry that made the room knows it at version 1; the way back starts at the last change.
    with pytest.raises(Conflict, match="“Attic” was changed since"):
        await call("undo", world.writer, activity=added.activity_id)
    assert before == (await setup_of(call, world))["rooms"][:2]


async def test_a_room_just_added_goes_by_undo_unless_something_is_placed_there(
    call: Call, db: Database, world: World
) -> None:
    first = await call("save_room", world.writer, event=DEVCONF, name="Attic")
    second = await call("save_room", world.writer, event=DEVCONF, name="Cellar")
    async with db.write() as session:
        (await session.get_one(Placement, "plc_async")).room_id = second.result.id

    await call("undo", world.writer, activity=first.activity_id)
    with pytest.raises(Conflict, match="belongs to “Cellar”"):
        await call("undo", world.writer, activity=second.activity_id)

    names = [room["name"] for room in (await setup_of(call, world))["rooms"]]
    assert names == ["Main hall", "Lab", "Cellar"]


async def test_two_rooms_of_one_name_are_refused(call: Call, world: World, log: Log) -> None:
    for arguments in ({"name": "MAIN  HÁLL"}, {"name": "Main hall", "room": "Lab"}):
        with pytest.raises(Invalid, match="another room already has this name") as refused:
            await call("save_room", world.writer, event=DEVCONF, **arguments)
        assert paths(refused) == ["/name"]
    assert await log() == []

    kept = await call("save_room", world.writer, event=DEVCONF, name="MAIN HALL", room="rom_hall")
    other = await call("save_room", world.writer, event=PYDAY, name="Main hall")
    assert (kept.result.id, kept.result.name) == ("rom_hall", "MAIN HALL")
    assert other.result.id != "rom_hall"


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"capacity": 0}, "/capacity"),
        ({"capacity": "40"}, "/capacity"),
        ({"name": " "}, "/name"),
        ({"name": "x" * 81}, "/name"),
    ],
)
async def test_what_a_room_cannot_have_is_named(
    call: Call, world: World, wrong: dict[str, Any], path: str
) -> None:
    with pytest.raises(Invalid) as refused:
        await call("save_room", world.writer, event=DEVCONF, **{"name": "Attic", **wrong})

    assert paths(refused) == [path]


async def test_an_old_version_of_a_room_is_stale(call: Call, world: World) -> None:
    await call("save_room", world.writer, event=DEVCONF, room="Lab", name="Lab", capacity=20)

    with pytest.raises(Stale):
        await call("save_room", world.writer, event=DEVCONF, room="Lab", name="Labs", version=1)


async def test_a_room_goes_and_comes_back_as_it_was(
    call: Call, db: Database, world: World, log: Log
) -> None:
    (before,) = await all_of(db, Room, col(Room.id) == "rom_lab")

    gone = await call("delete_room", world.writer, event=DEVCONF, room="LAB")

    assert (gone.result.id, gone.result.name) == ("rom_lab", "Lab")
    assert await all_of(db, Room, col(Room.id) == "rom_lab") == []
    assert content_of((await log())[0])["summary"] == "Room “Lab” deleted"

    await call("undo", world.writer, activity=gone.activity_id)

    (after,) = await all_of(db, Room, col(Room.id) == "rom_lab")
    assert (after.name, after.position, after.guid, after.created_at) == (
        before.name,
        before.position,
        before.guid,
        before.created_at,
    )


async def test_a_room_with_something_in_it_does_not_go(
    call: Call, db: Database, world: World, log: Log
) -> None:
    with pytest.raises(Conflict, match="A session is placed in “Main hall”"):
        await call("delete_room", world.writer, event=DEVCONF, room="Main hall")

    assert len(await all_of(db, Room)) == 2
    assert await log() == []


# Taxonomies


async def test_a_taxonomy_of_ones_own_comes_after_the_others_and_goes_by_undo(
    call: Call, db: Database, world: World, log: Log
) -> None:
    made = await call(
        "create_taxonomy", world.writer, event=DEVCONF, key="audience", name=" Audience "
    )

    assert msgspec.to_builtins(made.result) == {
        "id": made.result.id,
        "key": "audience",
        "name": "Audience",
    }
    listed = (await setup_of(call, world))["taxonomies"]
    assert [one["key"] for one in listed] == ["track", "format", "level", "audience"]
    assert content_of((await log())[0])["summary"] == "Taxonomy “Audience” created"

    option = await call(
        "save_taxonomy_option", world.writer, event=DEVCONF, taxonomy="audience", name="Students"
    )
    with pytest.raises(Conflict, match="option “Students” belongs to “Audience”"):
        await call("undo", world.writer, activity=made.activity_id)
    await call("undo", world.writer, activity=option.activity_id)
    await call("undo", world.writer, activity=made.activity_id)
    assert await all_of(db, Taxonomy, col(Taxonomy.key) == "audience") == []


@pytest.mark.parametrize("key", ["track", "Audience", "1st", "a b", "", "x" * 32])
async def test_a_key_that_is_taken_or_no_key_is_refused(call: Call, world: World, key: str) -> None:
    with pytest.raises(Invalid) as refused:
        await call("create_taxonomy", world.writer, event=DEVCONF, key=key, name="Audience")

    assert paths(refused) == ["/key"]


async def test_an_option_is_added_renamed_and_undone(
    call: Call, db: Database, world: World, log: Log
) -> None:
    added = await call(
        "save_taxonomy_option",
        world.writer,
        event=DEVCONF,
        taxonomy="format",
        name="Panel",
        minutes=45,
    )
    renamed = await call(
        "save_taxonomy_option",
        world.writer,
        event=DEVCONF,
        taxonomy="track",
        option="Web",
        name="Web & Cloud",
        color="#1d4ed8",
    )

    assert (added.result.minutes, added.result.taxonomy, added.result.version) == (45, "format", 1)
    assert (renamed.result.id, renamed.result.color) == (WEB, "#1d4ed8")
    submission = (await call("get_submission", world.reader, submission="sub_review")).result
    assert submission.track.name == "Web & Cloud"
    assert [content_of(entry)["summary"] for entry in await log()] == [
        "Format “Panel” saved",
        "Track “Web & Cloud” saved",
    ]

    await call("undo", world.writer, activity=renamed.activity_id)
    await call("undo", world.writer, activity=added.activity_id)

    (web,) = await all_of(db, TaxonomyOption, col(TaxonomyOption.id) == WEB)
    assert (web.name, web.name_folded, web.color) == ("Web", "web", "#0b7285")
    assert await all_of(db, TaxonomyOption, col(TaxonomyOption.name) == "Panel") == []


async def test_an_option_keeps_what_is_left_out_and_loses_what_is_null(
    call: Call, world: World
) -> None:
    where = {"event": DEVCONF, "taxonomy": "track", "option": "Web", "name": "Web"}

    kept = await call("save_taxonomy_option", world.writer, **where)
    cleared = await call("save_taxonomy_option", world.writer, **where, color=None)

    assert (kept.result.color, kept.effects) == ("#0b7285", ())
    assert cleared.result.color is msgspec.UNSET


async def test_two_options_of_one_name_are_refused(call: Call, world: World) -> None:
    for arguments in ({"name": "DATA"}, {"name": "data", "option": "Web"}):
        with pytest.raises(Invalid, match="another option already has this name") as refused:
            await call(
                "save_taxonomy_option", world.writer, event=DEVCONF, taxonomy="track", **arguments
            )
        assert paths(refused) == ["/name"]
    await call("save_taxonomy_option", world.writer, event=DEVCONF, taxonomy="level", name="Data")


async def test_an_old_version_of_an_option_is_stale(call: Call, world: World) -> None:
    where = {"event": DEVCONF, "taxonomy": "track", "option": WEB}
    await call("save_taxonomy_option", world.writer, **where, name="Web and cloud")

    with pytest.raises(Stale):
        await call("save_taxonomy_option", world.writer, **where, name="Cloud", version=1)


async def test_an_option_that_nothing_has_goes_and_comes_back(
    call: Call, db: Database, world: World, log: Log
) -> None:
    where = {"event": DEVCONF, "taxonomy": "format"}
    extra = await call("save_taxonomy_option", world.writer, **where, name="Panel", minutes=45)

    gone = await call("delete_taxonomy_option", world.writer, **where, option="panel")
    there = await all_of(db, TaxonomyOption, col(TaxonomyOption.id) == extra.result.id)
    await call("undo", world.writer, activity=gone.activity_id)

    assert there == []
    (back,) = await all_of(db, TaxonomyOption, col(TaxonomyOption.id) == extra.result.id)
    assert (back.name, back.minutes, back.position) == ("Panel", 45, 2)
    assert content_of((await log())[1])["summary"] == "Option “Panel” deleted"


async def test_an_option_that_is_chosen_does_not_go(call: Call, world: World) -> None:
    with pytest.raises(Conflict, match=r"“Web” is chosen \d times"):
        await call(
            "delete_taxonomy_option", world.writer, event=DEVCONF, taxonomy="track", option="Web"
        )


# Who may, and what does not exist

_VERBS: list[tuple[str, dict[str, Any]]] = [
    ("update_event", {"venue": "Barn"}),
    ("save_room", {"name": "Barn"}),
    ("delete_room", {"room": "Lab"}),
    ("create_taxonomy", {"key": "audience", "name": "Audience"}),
    ("save_taxonomy_option", {"taxonomy": "track", "name": "Cloud"}),
    ("delete_taxonomy_option", {"taxonomy": "level", "option": "Beginner"}),
]
each_verb = pytest.mark.parametrize(("verb", "arguments"), _VERBS, ids=[name for name, _ in _VERBS])


@each_verb
async def test_who_only_reads_or_reviews_sets_nothing_up(
    call: Call, world: World, log: Log, verb: str, arguments: dict[str, Any]
) -> None:
    for actor in (world.reader, world.event_reader, world.reviewer, world.nobody):
        with pytest.raises(Forbidden) as refused:
            await call(verb, actor, event=DEVCONF, **arguments)
        assert refused.value.facts["permission"] == "event:set_up"
    assert await log() == []


@each_verb
async def test_somebody_elses_event_looks_like_none(
    call: Call, world: World, log: Log, verb: str, arguments: dict[str, Any]
) -> None:
    refused = [
        await not_found(call(verb, actor, event=event, **arguments), event)
        for actor, event in (
            (world.stranger, "devconf-2027"),
            (world.writer, "rival-2027"),
            (world.event_writer, "pyday-2027"),
            (world.writer, "nowhere-2027"),
        )
    ]

    assert refused == [refused[0]] * 4
    assert await log() == []


@pytest.mark.parametrize(
    ("verb", "field", "arguments"),
    [
        ("save_room", "room", {"name": "Barn"}),
        ("delete_room", "room", {}),
        ("save_taxonomy_option", "option", {"taxonomy": "track", "name": "Cloud"}),
        ("delete_taxonomy_option", "option", {"taxonomy": "track"}),
    ],
)
async def test_what_belongs_to_another_event_looks_like_nothing(
    call: Call, db: Database, world: World, verb: str, field: str, arguments: dict[str, Any]
) -> None:
    async with db.write() as session:
        session.add(
            Room(id="rom_rival", event_id="evt_rival", name="Den", name_folded="den", position=0)
        )
        session.add(
            TaxonomyOption(
                id="opt_rival",
                taxonomy_id="tax_rival_track",
                name="Den",
                name_folded="den",
                position=0,
            )
        )

    refused = [
        await not_found(call(verb, world.writer, event=DEVCONF, **{field: ref}, **arguments), ref)
        for ref in ("rom_rival", "opt_rival", "Den", "nothing")
    ]

    assert refused == [refused[0]] * 4


async def test_a_taxonomy_of_no_such_key_is_not_found(call: Call, world: World) -> None:
    with pytest.raises(NotFound) as refused:
        await call(
            "save_taxonomy_option", world.writer, event=DEVCONF, taxonomy="mood", name="Good"
        )

    assert whole(refused.value, "mood")[0] is NotFound
    assert refused.value.next_call == "get_event"


async def test_a_token_of_one_event_sets_that_event_up(call: Call, world: World) -> None:
    done = await call("save_room", world.event_writer, event=DEVCONF, name="Attic")

    assert done.result.name == "Attic"
