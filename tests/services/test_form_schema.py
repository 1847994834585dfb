"""update_form_schema, list_form_versions, restore_form_version, duplicate_form, delete_form."""

from typing import Any

import pytest
from sqlalchemy import select
from sqlmodel import col

from tests.conftest import Call
from tests.services.conftest import Log, content_of
from tests.services.refusals import not_found
from tests.world import DEVCONF, WEB, World
from unsession.db.engine import Database
from unsession.errors import Conflict, Forbidden, Invalid, Stale
from unsession.models import Form, FormVersion

TALKS = {"event": DEVCONF, "form": "talks"}
PERSON = {"name": "Ana Lima", "address": "ana@example.org"}
LATER = {"field": "later", "value": "a"}


async def asked(call: Call, world: World, number: int = 1, **where: str) -> list[dict[str, Any]]:
    """The fields of a version as update_form_schema takes them."""
    page = (
        await call("list_form_versions", world.writer, **{**TALKS, **where}, number=number)
    ).result
    fields: list[dict[str, Any]] = page.items[0].fields
    return fields


async def numbers(call: Call, world: World, **where: str) -> list[tuple[int, bool, int, str]]:
    """The versions: number, current, submissions, changes."""
    page = (await call("list_form_versions", world.writer, **{**TALKS, **where})).result
    return [(one.number, one.current, one.submissions, one.changes) for one in page.items]


async def unused(call: Call, world: World) -> str:
    """A form nothing came in through; its slug."""
    slug: str = (await call("create_form", world.writer, event=DEVCONF, name="Posters")).result.slug
    return slug


async def test_a_form_nobody_used_is_changed_in_place(
    call: Call, db: Database, world: World, log: Log
) -> None:
    slug = await unused(call, world)
    fields = await asked(call, world, form=slug)
    fields += [
        {
            "type": "SEL",
            "label": " Given  before? ",
            "options": [{"label": "Yes"}, {"label": "No"}],
        }
    ]

    done = (
        await call("update_form_schema", world.writer, event=DEVCONF, form=slug, fields=fields)
    ).result

    added = done.fields[-1]
    assert (added.label, added.type) == ("Given  before?", "SEL")
    assert [one["label"] for one in added.options] == ["Yes", "No"]
    assert added.id.startswith("fld_")
    assert done.form_version == 1
    assert await numbers(call, world, form=slug) == [(1, True, 0, "the first")]
    assert content_of((await log())[-1])["summary"] == ("Fields of form “Posters” changed: 1 added")


async def test_what_came_in_keeps_the_fields_it_was_given_through(
    call: Call, db: Database, world: World
) -> None:
    before = (await call("get_submission", world.writer, submission="SUB-1", event=DEVCONF)).result
    fields = [one for one in await asked(call, world) if one["id"] != "fld_first"]
    fields[5]["label"] = "For the committee"

    done = await call("update_form_schema", world.writer, **TALKS, fields=fields)

    assert done.result.form_version == 2
    assert await numbers(call, world) == [
        (2, True, 0, "1 removed, 1 changed"),
        (1, False, 6, "the first"),
    ]
    after = (await call("get_submission", world.writer, submission="SUB-1", event=DEVCONF)).result
    assert after.answers == before.answers
    await call("undo", world.writer, activity=done.activity_id)
    assert await numbers(call, world) == [(1, True, 6, "the first")]


async def test_the_same_list_makes_no_version_and_no_entry(
    call: Call, world: World, log: Log
) -> None:
    again = await call("update_form_schema", world.writer, **TALKS, fields=await asked(call, world))

    assert (again.effects, again.activity_id) == ((), None)
    assert await log() == []
    assert len(await numbers(call, world)) == 1


async def test_a_new_name_of_an_option_reaches_the_answers_by_id(call: Call, world: World) -> None:
    slug = await unused(call, world)
    fields = await asked(call, world, form=slug)
    choice = {"type": "SEL", "label": "Size", "id": "size"}
    sizes = [{"label": "Small", "id": "s"}, {"label": "Large", "id": "l"}]
    fields += [{**choice, "options": sizes}]
    await call("update_form_schema", world.writer, event=DEVCONF, form=slug, fields=fields)
    given = {"title": "T", "abstract": "A", "speakers": [PERSON]}
    made = await call(
        "create_submission",
        world.writer,
        event=DEVCONF,
        form=slug,
        **given,
        answers={"format": "Talk", "track": WEB, "size": "Small"},
    )
    fields[-1]["options"] = [{"label": "Large", "id": "l"}, {"label": "Tiny", "id": "s"}]

    await call("update_form_schema", world.writer, event=DEVCONF, form=slug, fields=fields)

    kept = (await call("get_submission", world.writer, submission=made.result.id)).result
    assert [(one.label, one.value) for one in kept.answers] == [("Size", "Small")]
    assert (await numbers(call, world, form=slug))[0][:2] == (2, True)


async def test_an_earlier_version_comes_back_as_a_new_one(call: Call, world: World) -> None:
    fields = await asked(call, world)
    await call("update_form_schema", world.writer, **TALKS, fields=fields[:-2] + fields[-1:])

    done = (await call("restore_form_version", world.writer, **TALKS, number=1)).result

    assert done.form_version == 2
    assert await asked(call, world, number=2) == fields
    await not_found(call("restore_form_version", world.writer, **TALKS, number=9), "9")


@pytest.mark.parametrize(
    ("change", "paths"),
    [
        (lambda fields: fields[1:], ["/fields"]),
        (lambda fields: [*fields, fields[0]], ["/fields/8/id", "/fields/8/role"]),
        (lambda fields: [*fields, {"type": "SEL", "label": "X"}], ["/fields/8/options"]),
        (
            lambda fields: [*fields, {"type": "TXT", "label": "X", "maxLength": 0}],
            ["/fields/8/maxLength"],
        ),
        (
            lambda fields: [
                *fields,
                {
                    "type": "TXT",
                    "label": "X",
                    "when": {"tests": [LATER]},
                },
            ],
            ["/fields/8/when"],
        ),
        (
            lambda fields: [*fields[:5], {**fields[5], "type": "LONG"}, *fields[6:]],
            ["/fields/5/type"],
        ),
        (lambda fields: [*fields, {"type": "BOX", "label": "X"}], ["/fields/8/type"]),
        (lambda fields: [*fields, {"type": "TXT"}], ["/fields/8/label"]),
        (lambda fields: [*fields, {"type": "TXT", "label": "X", "size": 3}], ["/fields/8/size"]),
    ],
)
async def test_what_is_no_form_is_refused_place_by_place(
    call: Call, world: World, log: Log, change: Any, paths: list[str]
) -> None:
    fields = change(await asked(call, world))

    with pytest.raises(Invalid) as refused:
        await call("update_form_schema", world.writer, **TALKS, fields=fields)

    assert [problem.path for problem in refused.value.problems] == paths
    assert await log() == []


async def test_two_who_change_a_form_at_once_do_not_overwrite_each_other(
    call: Call, world: World
) -> None:
    slug = await unused(call, world)
    where = {"event": DEVCONF, "form": slug}
    read = (await call("get_form", world.writer, **where)).result.version
    fields = await asked(call, world, form=slug)
    more = [*fields, {"type": "TXT", "label": "Mine"}]
    await call("update_form_schema", world.writer, **where, fields=more, version=read)

    with pytest.raises(Stale):
        await call("update_form_schema", world.writer, **where, fields=fields, version=read)
    with pytest.raises(Stale):
        await call("restore_form_version", world.writer, **where, number=1, version=read)


async def test_a_form_is_duplicated_with_its_fields_as_a_draft(
    call: Call, db: Database, world: World, log: Log
) -> None:
    first = (await call("duplicate_form", world.writer, **TALKS)).result
    second = (await call("duplicate_form", world.writer, **TALKS, name="Posters 2027")).result

    assert (first.name, first.status.value, first.submissions) == (
        "Copy of Call for talks",
        "draft",
        0,
    )
    assert (second.slug, first.slug) == ("posters-2027", "copy-of-call-for-talks")
    assert await asked(call, world, form=first.slug) == await asked(call, world)
    assert content_of((await log())[0])["summary"] == (
        "Form “Copy of Call for talks” made from “Call for talks”"
    )


async def test_only_a_form_without_submissions_is_deleted_and_comes_back(
    call: Call, db: Database, world: World
) -> None:
    slug = await unused(call, world)

    with pytest.raises(
        Conflict, match=r"7 submissions came in through “Call for talks”\. Close it instead"
    ):
        await call("delete_form", world.writer, **TALKS)
    gone = await call("delete_form", world.writer, event=DEVCONF, form=slug)

    forms = await db.rows(select(col(Form.id)).where(col(Form.slug) == slug))
    versions = await db.rows(
        select(col(FormVersion.id)).where(col(FormVersion.form_id) == gone.result.id)
    )
    assert (list(forms), list(versions)) == ([], [])
    await call("undo", world.writer, activity=gone.activity_id)
    assert (await call("get_form", world.writer, event=DEVCONF, form=slug)).result.form_version == 1


async def test_a_reviewer_and_a_stranger_change_no_form(call: Call, world: World, log: Log) -> None:
    fields = await asked(call, world)
    for name, more in (
        ("update_form_schema", {"fields": fields}),
        ("restore_form_version", {"number": 1}),
        ("duplicate_form", {}),
        ("delete_form", {}),
    ):
        with pytest.raises(Forbidden):
            await call(name, world.reviewer, **TALKS, **more)
        await not_found(call(name, world.stranger, **TALKS, **more), DEVCONF)
    assert await log() == []
