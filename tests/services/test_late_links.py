"""create_late_link, list_late_links, revoke_late_link, and what a late link opens."""

import asyncio
import datetime as dt
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlmodel import col

from tests.conftest import Call, Statements
from tests.services.conftest import Log, content_of
from tests.services.refusals import not_found
from tests.services.test_submit import change_form, typed
from tests.world import DEVCONF, World
from unsession.access import visitor_actor
from unsession.db.engine import Database
from unsession.db.types import utc_now
from unsession.domain.forms import FormStatus
from unsession.errors import Conflict, Forbidden, Invalid, NotFound
from unsession.models import Draft, FormLateLink

VISITOR = visitor_actor()
TALKS = {"event": "devconf-2027", "form": "talks"}
HOUR = dt.timedelta(hours=1)


def key(number: int) -> str:
    """The key of one page."""
    return f"{number:032}"


async def made(call: Call, world: World, **changes: Any) -> Any:
    return (await call("create_late_link", world.writer, **TALKS, note="Ana", **changes)).result


def secret_in(link: Any) -> str:
    """What a browser sends back of the address."""
    address, _, secret = str(link.secret).partition("?late=")
    assert address == "https://conference.test/devconf-2027/talks"
    return secret


async def links(db: Database) -> list[Any]:
    table: Any = FormLateLink.__table__  # type: ignore[attr-defined]  # a table's class
    return list(await db.rows(select(*table.columns).order_by(table.c.id)))


async def test_a_late_link_is_shown_once_and_kept_as_a_hash(
    call: Call, db: Database, world: World, log: Log
) -> None:
    link = await made(call, world, maxUses=2, expiresAt="2099-03-02")

    secret = secret_in(link)
    assert len(secret) >= 43
    assert link.expires_at == dt.datetime(2099, 3, 2, 23, 59, 59, tzinfo=dt.UTC)
    (row,) = await links(db)
    assert secret not in str(tuple(row))
    (entry,) = await log()
    assert content_of(entry)["summary"] == "Late link “Ana” made for form “Call for talks”"
    assert secret not in entry.content
    assert row.secret_hash not in entry.content
    (listed,) = (await call("list_late_links", world.reader, **TALKS)).result.items
    assert (listed.note, listed.uses, listed.max_uses, listed.works) == ("Ana", 0, 2, True)
    assert not hasattr(listed, "secret")


@pytest.mark.parametrize(
    "closed",
    [
        {"status": FormStatus.CLOSED},
        {"closes_at": utc_now() - HOUR},
        {"opens_at": utc_now() + HOUR},
    ],
)
async def test_it_opens_a_form_that_is_closed_ended_or_not_open_yet(
    call: Call, db: Database, world: World, closed: dict[str, Any]
) -> None:
    secret = secret_in(await made(call, world))
    await change_form(db, **closed)

    with pytest.raises(Conflict, match="Nothing was submitted"):
        await call("submit", VISITOR, **typed())
    taken = (await call("submit", VISITOR, **typed(late=secret))).result
    again = (await call("submit", VISITOR, **typed(late=secret))).result

    assert (again.id, again.repeated) == (taken.id, True)
    assert [row.uses for row in await links(db)] == [1]


async def test_it_opens_no_draft_form_and_is_not_counted_while_the_form_is_open(
    call: Call, db: Database, world: World
) -> None:
    secret = secret_in(await made(call, world))
    await call("submit", VISITOR, **typed(late=secret))
    assert [row.uses for row in await links(db)] == [0]

    await change_form(db, status=FormStatus.DRAFT)
    with pytest.raises(NotFound):
        await call("submit", VISITOR, **typed(late=secret, submitKey=key(2)))


async def test_it_lets_in_as_many_as_it_may_also_at_once(
    call: Call, db: Database, world: World
) -> None:
    secret = secret_in(await made(call, world, maxUses=1))
    await change_form(db, status=FormStatus.CLOSED)

    both = await asyncio.gather(
        *(call("submit", VISITOR, **typed(late=secret, submitKey=key(n))) for n in (1, 2)),
        return_exceptions=True,
    )

    (refused,) = [one for one in both if isinstance(one, BaseException)]
    assert isinstance(refused, Conflict)
    assert "This late link was used as often as it may be." in refused.message
    assert [row.uses for row in await links(db)] == [1]


async def test_a_link_that_ran_out_or_belongs_elsewhere_says_so(
    call: Call, db: Database, world: World
) -> None:
    secret = secret_in(await made(call, world, expiresAt="2099-03-02T18:00"))
    await change_form(db, status=FormStatus.CLOSED)
    async with db.write() as session:
        await session.execute(
            update(FormLateLink).values(expires_at=dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
        )

    with pytest.raises(Conflict, match=r"ran out on 1 January 2026, 00:00 \(Europe/Lisbon"):
        await call("submit", VISITOR, **typed(late=secret))
    with pytest.raises(Conflict, match="does not belong to it"):
        await call("submit", VISITOR, **typed(late="x" * 43))


async def test_a_revoked_link_ends_at_once_and_works_again_after_undo(
    call: Call, db: Database, world: World
) -> None:
    link = await made(call, world)
    secret = secret_in(link)
    await change_form(db, status=FormStatus.CLOSED)

    gone = await call("revoke_late_link", world.writer, **TALKS, link=link.id)
    twice = await call("revoke_late_link", world.writer, **TALKS, link=link.id)
    assert (gone.result.works, gone.result.why) == (False, "This late link was revoked.")
    assert twice.result.why == gone.result.why
    with pytest.raises(Conflict, match="This late link was revoked"):
        await call("submit", VISITOR, **typed(late=secret))

    await call("undo", world.writer, activity=gone.activity_id)
    assert (await call("submit", VISITOR, **typed(late=secret))).result.number == 7


async def test_a_draft_begun_by_it_goes_on_without_it_until_it_is_revoked(
    call: Call, db: Database, world: World
) -> None:
    link = await made(call, world)
    await change_form(db, status=FormStatus.CLOSED)
    page = {**TALKS, "submitKey": key(1), "typed": {"title": ["Maps"]}}

    with pytest.raises(Conflict, match="The draft was not saved"):
        await call("save_draft", VISITOR, **page)
    first = (await call("save_draft", VISITOR, **page, late=secret_in(link))).result
    await call("save_draft", VISITOR, **page, version=first.version)
    (draft,) = await db.rows(select(col(Draft.late_link_id), col(Draft.typed)))
    assert tuple(draft) == (link.id, {"title": ["Maps"]})

    with pytest.raises(Conflict, match="somewhere else"):
        await call("submit", VISITOR, **typed(submitKey=key(2), draft=first.id))
    await call("revoke_late_link", world.writer, **TALKS, link=link.id)
    with pytest.raises(Conflict, match="revoked"):
        await call("submit", VISITOR, **typed(submitKey=key(1)))


async def test_a_persons_draft_takes_its_link_along_to_another_device(
    call: Call, db: Database, world: World
) -> None:
    link = await made(call, world)
    await change_form(db, status=FormStatus.CLOSED)
    page = {**TALKS, "submitKey": key(1), "typed": {}, "late": secret_in(link)}
    begun = (await call("save_draft", world.nobody, **page)).result

    with pytest.raises(Conflict, match="somewhere else"):
        await call("submit", VISITOR, **typed(submitKey=key(2), draft=begun.id))
    taken = await call("submit", world.nobody, **typed(submitKey=key(2), draft=begun.id))

    assert taken.result.number == 7
    assert [row.uses for row in await links(db)] == [1]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"expiresAt": "2020-01-01"}, "/expiresAt"),
        ({"expiresAt": "tomorrow"}, "/expiresAt"),
        ({"maxUses": 0}, "/maxUses"),
    ],
)
async def test_bad_input_names_the_field(
    call: Call, db: Database, world: World, changes: dict[str, Any], field: str
) -> None:
    with pytest.raises(Invalid) as refused:
        await made(call, world, **changes)
    assert field in str(refused.value.facts)
    assert await links(db) == []


async def test_a_reviewer_and_a_stranger_neither_make_list_nor_revoke(
    call: Call, world: World
) -> None:
    link = await made(call, world)
    for name, more in (
        ("create_late_link", {}),
        ("list_late_links", {}),
        ("revoke_late_link", {"link": link.id}),
    ):
        with pytest.raises(Forbidden):
            await call(name, world.reviewer, **TALKS, **more)
        await not_found(call(name, world.stranger, **TALKS, **more), DEVCONF)
    with pytest.raises(Forbidden):
        await call("create_late_link", world.reader, **TALKS)
    with pytest.raises(NotFound, match="late link"):
        await call("revoke_late_link", world.writer, **TALKS, link="lat_none")


async def test_the_list_pages_and_asks_twice_whatever_its_length(
    call: Call, world: World, statements: Statements
) -> None:
    for number in range(5):
        await call("create_late_link", world.writer, **TALKS, note=f"Person {number}")
    statements.clear()
    first = (await call("list_late_links", world.reader, **TALKS, limit=3)).result
    asked = len(statements)
    rest = await call("list_late_links", world.reader, **TALKS, limit=3, cursor=first.next_cursor)

    notes = [line.note for line in (*first.items, *rest.result.items)]
    assert notes == [f"Person {number}" for number in (4, 3, 2, 1, 0)]
    assert asked <= 3
