"""Drafts: kept for whoever holds the page's key, gone on with elsewhere, forgotten in time."""

import datetime as dt
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlmodel import col

from tests.conftest import Call, Statements
from tests.services.conftest import Log
from tests.world import World
from unsession.access import Actor, holder_actor, system_actor, visitor_actor
from unsession.db.engine import Database
from unsession.db.types import utc_now
from unsession.domain.accounts import LinkPurpose
from unsession.domain.forms import FormStatus
from unsession.errors import Conflict, Invalid, NotFound, Stale, TooLarge
from unsession.models import Draft, File, Form, Mail, OneTimeLink, Submission
from unsession.seal import link_secret
from unsession.services.collect.drafts.resuming import resumable_by
from unsession.services.principals import secret_hash
from unsession.settings import Settings

FORM = {"event": "devconf-2027", "form": "talks"}
KEY, OTHER_KEY = "k" * 32, "o" * 32
TYPED = {"title": ["Maps without servers"], "abstract": ["Half of"], "f-x": ["a", "b"]}
VISITOR = visitor_actor()


async def saved(call: Call, actor: Actor = VISITOR, **changes: Any) -> Any:
    """A draft saved by a page."""
    wire = {**FORM, "submitKey": KEY, "typed": TYPED, **changes}
    return (await call("save_draft", actor, **wire)).result


async def drafts(db: Database) -> list[Any]:
    """The rows."""
    table: Any = Draft.__table__  # type: ignore[attr-defined]  # a table's class
    return list(await db.rows(select(*table.columns).order_by(table.c.id)))


def given(**changes: Any) -> dict[str, Any]:
    """A whole submit."""
    return {
        **FORM,
        "submitKey": KEY,
        "title": "Maps without servers",
        "abstract": "How.",
        "answers": {"track": "opt_data", "format": "Talk"},
        "speakers": [{"name": "Ana", "address": "ana@example.org"}],
        **changes,
    }


async def test_what_is_typed_is_kept_as_it_is_and_nobody_is_told(
    call: Call, db: Database, world: World, log: Log
) -> None:
    first = await saved(call)
    again = await saved(call, version=first.version, typed={"title": ["Maps"], "abstract": [""]})

    (row,) = await drafts(db)
    assert (row.id, row.title, row.user_id) == (first.id, "Maps", None)
    assert row.typed == {"title": ["Maps"], "abstract": [""]}
    assert KEY not in str(tuple(row))
    assert again.version == first.version + 1
    assert again.bound is False
    assert await log() == []
    assert await db.rows(select(col(Mail.id))) == []


async def test_a_signed_in_persons_draft_is_theirs_and_stays_theirs(
    call: Call, db: Database, world: World
) -> None:
    first = await saved(call, world.nobody)
    signed_out = await saved(call, version=first.version)
    other = await saved(call, world.organizer, version=signed_out.version)

    (row,) = await drafts(db)
    assert row.user_id == "usr_tom"
    assert signed_out.bound
    assert other.bound


async def test_two_windows_do_not_overwrite_each_other(
    call: Call, db: Database, world: World
) -> None:
    first = await saved(call)
    await saved(call, version=first.version, typed={"title": ["Theirs"]})

    with pytest.raises(Stale):
        await saved(call, version=first.version, typed={"title": ["Mine"]})
    assert [row.title for row in await drafts(db)] == ["Theirs"]


async def test_a_person_goes_on_on_another_device_and_the_first_one_is_told(
    call: Call, db: Database, world: World
) -> None:
    first = await saved(call, world.nobody)
    there = await saved(
        call, world.nobody, submitKey=OTHER_KEY, draft=first.id, version=first.version
    )

    assert there.id == first.id
    assert len(await drafts(db)) == 1
    back = await saved(call, world.nobody, draft=first.id, version=there.version)
    assert back.id == first.id  # it is theirs wherever they type
    with pytest.raises(Conflict, match="somewhere else"):
        await saved(call, submitKey="x" * 32, draft=first.id)
    with pytest.raises(Conflict, match="somewhere else"):
        await saved(call, world.organizer, submitKey="x" * 32, draft=first.id)


async def test_a_form_that_takes_nothing_keeps_nothing_new(
    call: Call, db: Database, world: World
) -> None:
    first = await saved(call)
    async with db.write() as session:
        closed = {"status": FormStatus.CLOSED}
        await session.execute(update(Form).where(col(Form.slug) == "talks").values(**closed))

    for changes in ({"version": first.version}, {"submitKey": OTHER_KEY}):
        with pytest.raises(Conflict, match="was not saved") as refused:
            await saved(call, **changes)
        assert refused.value.facts["reason"] == "closed"
    assert [row.typed for row in await drafts(db)] == [TYPED]
    with pytest.raises(NotFound):
        await saved(call, form="no-such-form")


async def test_more_than_a_form_holds_is_refused(call: Call, db: Database, world: World) -> None:
    with pytest.raises(TooLarge):
        await saved(call, typed={"title": ["x" * 200_001]})
    assert await drafts(db) == []


async def test_a_draft_that_is_submitted_is_one_submission_for_every_window(
    call: Call, db: Database, world: World
) -> None:
    first = await saved(call)
    done = await call("submit", VISITOR, **given(draft=first.id))
    again = await call("submit", VISITOR, **given(draft=first.id))

    assert again.result.repeated
    assert again.result.id == done.result.id
    (row,) = await drafts(db)
    assert (row.submission_id, row.typed, row.title) == (done.result.id, {}, "")
    with pytest.raises(Conflict, match=f"as SUB-{done.result.number}"):
        await saved(call, version=first.version)
    with pytest.raises(Conflict, match=f"as SUB-{done.result.number}"):
        await call("submit", VISITOR, **given(submitKey=OTHER_KEY, draft=first.id))
    keys = await db.rows(select(col(Submission.id)).where(col(Submission.submit_key).is_not(None)))
    assert len(keys) == 1


async def test_a_draft_obeys_what_was_restricted_since(
    call: Call, db: Database, world: World
) -> None:
    await saved(call)
    form = (await call("list_form_versions", world.writer, **FORM, number=1)).result
    (version,) = (one for one in form.items if one.number == 1)
    fields = [dict(one) for one in version.fields]
    next(one for one in fields if one["id"] == "abstract")["maxLength"] = 3
    await call("update_form_schema", world.writer, **FORM, fields=fields)

    with pytest.raises(Invalid) as refused:
        await call("submit", VISITOR, **given())

    assert "4 characters: 1 more than fit (3)" in str(refused.value.facts["problems"])
    assert [row.typed for row in await drafts(db)] == [TYPED]


async def test_a_page_that_was_left_behind_submits_nothing(
    call: Call, db: Database, world: World
) -> None:
    first = await saved(call)
    link_id, _ = await linked(call, db, "ana@example.org")
    await call("open_draft", holder_actor(link_id, "x"), link=link_id, submitKey=OTHER_KEY)

    with pytest.raises(Conflict, match="somewhere else"):
        await call("submit", VISITOR, **given(draft=first.id))


async def linked(call: Call, db: Database, address: str) -> tuple[str, int]:
    """A link to the draft, mailed; its id and generation."""
    await call("mail_draft_link", VISITOR, **FORM, submitKey=KEY, address=address)
    (link,) = await db.rows(
        select(col(OneTimeLink.id), col(OneTimeLink.generation)).where(
            col(OneTimeLink.purpose) == LinkPurpose.DRAFT
        )
    )
    return link.id, link.generation


async def test_a_mailed_link_goes_on_once_and_its_mail_holds_nothing_typed(
    call: Call, db: Database, settings: Settings, world: World, log: Log
) -> None:
    first = await saved(call, typed={"title": ["Buy pills at evil.example"]})
    link_id, generation = await linked(call, db, "Tom@example.org")
    secret = link_secret(settings.secret_key, "draft", link_id, generation)

    (mail,) = await db.rows(select(col(Mail.subject), col(Mail.body), col(Mail.to_name)))
    assert "evil.example" not in str(tuple(mail))
    assert "Tom@example.org" not in str(await log())
    found = await resumable_by(db, secret)
    assert found is not None
    assert found[1].draft == first.id
    opened = (
        await call("open_draft", holder_actor(link_id, "x"), link=link_id, submitKey=OTHER_KEY)
    ).result
    assert (opened.event, opened.form) == ("devconf-2027", "talks")
    (row,) = await drafts(db)
    assert row.user_id == "usr_tom"  # the address is a verified one of his
    assert row.verified_at is not None
    assert await resumable_by(db, secret) is None
    with pytest.raises(NotFound):
        await call("open_draft", holder_actor(link_id, "x"), link=link_id, submitKey=KEY)


async def test_a_link_needs_a_draft_and_a_whole_address(call: Call, world: World) -> None:
    wire = {**FORM, "submitKey": KEY}
    with pytest.raises(Conflict, match="no draft yet"):
        await call("mail_draft_link", VISITOR, **wire, address="ana@example.org")
    await saved(call)
    with pytest.raises(Invalid) as refused:
        await call("mail_draft_link", VISITOR, **wire, address="ana")
    assert "/address" in str(refused.value.facts["problems"])


async def test_only_its_writer_gives_a_draft_up(call: Call, db: Database, world: World) -> None:
    mine = await saved(call, world.nobody)
    for actor, wire in (
        (VISITOR, {"submitKey": OTHER_KEY}),
        (VISITOR, {"draft": mine.id}),
        (world.organizer, {"draft": mine.id}),
    ):
        assert (await call("discard_draft", actor, **wire)).result.drafts == 0
    assert (await call("discard_draft", world.nobody, draft=mine.id)).result.drafts == 1
    assert await drafts(db) == []


async def test_what_nobody_goes_on_with_is_forgotten(
    call: Call, db: Database, world: World
) -> None:
    unknown = await saved(call)
    theirs = await saved(call, world.nobody, submitKey=OTHER_KEY)

    async def after(days: int) -> set[str]:
        async with db.write() as session:
            long_ago = utc_now() - dt.timedelta(days=days)
            await session.execute(update(Draft).values(updated_at=long_ago))
        await call("sweep_drafts", system_actor("housekeeping"))
        return {row.id for row in await drafts(db)}

    assert await after(29) == {unknown.id, theirs.id}
    assert await after(31) == {theirs.id}
    assert await after(366) == set()


async def test_a_file_without_a_draft_is_forgotten_after_two_days(
    call: Call, db: Database, world: World
) -> None:
    await saved(call)
    long_ago = utc_now() - dt.timedelta(days=3)

    def file(name: str, page: str, at: dt.datetime) -> File:
        return File(
            id=name, event_id="evt_devconf", subject_type="page", subject_id=secret_hash(page),
            slot=name, number=1, sha256=name, filename="a.pdf", media_type="application/pdf",
            size=1, uploaded_by="visitor", created_at=at,
        )  # fmt: skip

    async with db.write() as session:
        session.add_all(
            [
                file("fil_draft", KEY, long_ago),
                file("fil_old", OTHER_KEY, long_ago),
                file("fil_new", OTHER_KEY, utc_now()),
            ]
        )
    await call("sweep_drafts", system_actor("housekeeping"))

    assert {row.id for row in await db.rows(select(col(File.id)))} == {"fil_draft", "fil_new"}


async def test_saving_asks_little_of_the_database(
    call: Call, db: Database, world: World, statements: Statements
) -> None:
    first = await saved(call)
    statements.clear()
    await saved(call, version=first.version)

    assert len(statements) <= 4
