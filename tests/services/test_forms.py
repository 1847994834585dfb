"""list_forms, get_form, create_form, update_form."""

import datetime as dt
from typing import Any

import msgspec
import pytest

from tests.conftest import Call, Statements
from tests.services.conftest import Log, content_of
from tests.services.refusals import not_found
from tests.world import DEVCONF, World
from unsession.db.engine import Database
from unsession.domain.forms import FormStatus
from unsession.errors import Conflict, Forbidden, Invalid, Stale
from unsession.models import Form, FormVersion


def shown(outcome: Any) -> Any:
    return msgspec.to_builtins(outcome.data())


async def test_the_forms_of_an_event_are_listed(call: Call, world: World) -> None:
    assert shown(await call("list_forms", world.reader, event="devconf-2027")) == {
        "items": [
            {
                "id": "frm_devconf",
                "name": "Call for talks",
                "slug": "talks",
                "status": "open",
                "acceptsNow": True,
                "url": "https://conference.test/devconf-2027/talks",
                "opensAt": "2026-09-01T08:00:00Z",
            }
        ],
        "total": 1,
    }


async def test_what_takes_submissions_comes_first_and_pages_join(
    call: Call, db: Database, world: World, statements: Statements
) -> None:
    past = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    async with db.write() as session:
        for number in range(4):
            session.add(
                Form(
                    id=f"frm_{number}",
                    event_id=DEVCONF,
                    name=f"Form {number}",
                    name_folded=f"form {number}",
                    slug=f"form-{number}",
                    status=FormStatus.OPEN if number % 2 else FormStatus.CLOSED,
                    created_at=past + dt.timedelta(days=number),
                )
            )
            await session.flush()
            session.add(FormVersion(id=f"fvr_{number}", form_id=f"frm_{number}", number=1))
    statements.clear()
    everything = (await call("list_forms", world.reader, event=DEVCONF)).result
    asked = len(statements)
    first = (await call("list_forms", world.reader, event=DEVCONF, limit=3)).result
    rest = (
        await call("list_forms", world.reader, event=DEVCONF, limit=3, cursor=first.next_cursor)
    ).result

    ids = [row.id for row in everything.items]
    assert ids == ["frm_1", "frm_3", "frm_devconf", "frm_0", "frm_2"]
    assert [row.id for row in (*first.items, *rest.items)] == ids
    assert rest.next_cursor is msgspec.UNSET
    assert asked <= 2


async def test_a_form_shows_what_it_asks(call: Call, world: World) -> None:
    form = shown(await call("get_form", world.reader, event=DEVCONF, form="call for TALKS"))

    assert form["state"] == "This form is open."
    assert form["submissions"] == 6
    assert [(field["id"], field["required"]) for field in form["fields"]] == [
        ("title", True),
        ("abstract", False),
        ("track", False),
        ("format", False),
        ("level", False),
        ("fld_notes", False),
        ("fld_first", False),
        ("speakers", True),
    ]
    assert form["fields"][2]["options"] == [
        {"id": "opt_web", "label": "Web"},
        {"id": "opt_data", "label": "Data"},
    ]


async def test_a_call_is_made_from_the_preset_as_a_draft(
    call: Call, world: World, log: Log
) -> None:
    form = shown(
        await call(
            "create_form",
            world.organizer,
            event=DEVCONF,
            preset="call",
            name=" Lightning Talks! ",
            closesAt="2027-02-28",
            intro="**Five** minutes.\r\n",
        )
    )

    assert form["name"] == "Lightning Talks!"
    assert form["slug"] == "lightning-talks"
    assert form["status"] == "draft"
    assert form["acceptsNow"] is False
    assert form["closesAt"] == "2027-02-28T23:59:59Z"
    assert form["intro"] == "**Five** minutes."
    assert form["formVersion"] == 1
    assert [field["role"] for field in form["fields"] if field["required"]] == [
        "title", "abstract", "format", "track", "speakers",
    ]  # fmt: skip
    (entry,) = await log()
    assert (entry.operation, entry.subject_id) == ("create_form", form["id"])
    assert content_of(entry)["summary"] == "Form “Lightning Talks!” created"


async def test_slugs_are_made_free_and_taken_ones_refused(call: Call, world: World) -> None:
    make = {"event": DEVCONF, "preset": "call"}
    slugs = [
        (await call("create_form", world.organizer, name=name, **make)).result.slug
        for name in ("Talks", "Talks", "Agenda", "講演")
    ]

    assert slugs == ["talks-2", "talks-3", "form-agenda", "form"]
    with pytest.raises(Conflict, match="has the address “talks”"):
        await call("create_form", world.organizer, name="X", slug="talks", **make)
    for slug in ("agenda", "portal", "r", "files"):
        with pytest.raises(Invalid, match="another page"):
            await call("create_form", world.organizer, name="X", slug=slug, **make)


async def test_a_form_is_opened_closed_and_renamed(call: Call, world: World, log: Log) -> None:
    here = {"event": DEVCONF, "form": "talks"}
    closed = await call("update_form", world.organizer, status="closed", **here)
    changed = await call(
        "update_form",
        world.organizer,
        name="Call for proposals",
        thanks="See you",
        opensAt="2027-01-01T09:00",
        closesAt="2027-02-28T18:00:00+05:30",
        version=closed.result.version,
        **here,
    )
    opened = await call("update_form", world.organizer, status="open", **here)

    assert [effect.text for effect in closed.effects] == [
        "Form “Call for talks”: status open → closed."
    ]
    assert changed.result.slug == "talks"
    assert msgspec.to_builtins(changed.result)["opensAt"] == "2027-01-01T09:00:00Z"
    assert msgspec.to_builtins(changed.result)["closesAt"] == "2027-02-28T12:30:00Z"
    assert opened.warnings[0].kind == "not_accepting"
    assert [content_of(entry)["summary"] for entry in await log()] == [
        "Form “Call for talks” closed",
        "Form “Call for proposals” changed",
        "Form “Call for proposals” opened",
    ]


async def test_dates_and_texts_are_cleared_by_null(call: Call, world: World) -> None:
    here = {"event": DEVCONF, "form": "talks"}
    await call("update_form", world.organizer, closesAt="2027-02-28", intro="Hello", **here)
    cleared = shown(
        await call("update_form", world.organizer, opensAt=None, closesAt=None, intro=None, **here)
    )

    assert "closesAt" not in cleared
    assert "opensAt" not in cleared
    assert "intro" not in cleared


async def test_opening_says_what_is_not_asked(call: Call, world: World) -> None:
    made = await call("create_form", world.organizer, event="pyday-2027", name="Talks and more")
    opened = await call(
        "update_form", world.organizer, event="pyday-2027", form=made.result.id, status="open"
    )

    assert [warning.text for warning in opened.warnings] == [
        "The event has no format yet, so “Format” is not asked.",
        "The event has no track yet, so “Track” is not asked.",
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"opensAt": "tomorrow"}, "/opensAt: must be a day or a time"),
        ({"closesAt": "2026-08-01"}, "/closesAt: must be after it opens"),
        ({"name": " \t "}, "/name: must not be empty"),
        ({"status": "gone"}, "/status: must be one of draft, open, closed"),
        ({"name": "x" * 201}, "/name"),
    ],
)
async def test_what_cannot_be_is_refused(
    call: Call, world: World, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(Invalid, match=message):
        await call("update_form", world.organizer, event=DEVCONF, form="talks", **change)


async def test_a_form_that_moved_on_is_stale(call: Call, world: World) -> None:
    here = {"event": DEVCONF, "form": "talks"}
    await call("update_form", world.organizer, intro="one", version=1, **here)

    with pytest.raises(Stale):
        await call("update_form", world.organizer, intro="two", version=1, **here)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("list_forms", {}),
        ("get_form", {"form": "talks"}),
        ("create_form", {"name": "X"}),
        ("update_form", {"form": "talks", "status": "closed"}),
    ],
)
async def test_other_peoples_forms_do_not_exist(
    call: Call, world: World, name: str, arguments: dict[str, Any]
) -> None:
    theirs = await not_found(call(name, world.stranger, event=DEVCONF, **arguments), DEVCONF)
    nobodys = await not_found(call(name, world.stranger, event="evt_none", **arguments), "evt_none")

    assert theirs == nobodys
    with pytest.raises(Forbidden):
        await call(name, world.reviewer, event=DEVCONF, **arguments)


async def test_a_read_only_token_changes_no_form(call: Call, world: World) -> None:
    for name, arguments in (("create_form", {"name": "X"}), ("update_form", {"form": "talks"})):
        with pytest.raises(Forbidden, match="read-only"):
            await call(name, world.reader, event=DEVCONF, **arguments)


async def test_a_form_is_changed_back_by_undo(call: Call, world: World) -> None:
    here = {"event": DEVCONF, "form": "talks"}
    closed = await call("update_form", world.organizer, status="closed", intro="Over", **here)
    await call("undo", world.organizer, activity=closed.activity_id)

    form = shown(await call("get_form", world.reader, **here))
    assert form["status"] == "open"
    assert "intro" not in form
