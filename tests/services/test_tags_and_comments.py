"""What organisers note beside a submission: tags on many at once, comments among themselves."""

from typing import Any

import pytest
from sqlalchemy import select
from sqlmodel import col

from tests.conftest import Call, Statements
from tests.services.conftest import Log, content_of
from tests.world import IN_REVIEW, World
from unsession.db.engine import Database
from unsession.errors import Forbidden, Invalid, NotFound
from unsession.models import Mail

EVENT = {"event": "devconf-2027"}


async def tagged(call: Call, world: World, *refs: str, **changes: Any) -> int:
    """Tags put on or taken away; how many changed."""
    done = await call("tag_submissions", world.writer, **EVENT, submissions=list(refs), **changes)
    return int(done.result.changed)


async def tags_of(call: Call, world: World, ref: str) -> list[str]:
    full = (await call("get_submission", world.writer, submission=ref, **EVENT)).result
    return list(full.tags or [])


async def listed(call: Call, world: World, **filters: Any) -> list[int]:
    page = (await call("list_submissions", world.writer, **EVENT, **filters)).result
    return [row.number for row in page.items]


async def test_many_are_tagged_at_once_and_found_by_it(call: Call, world: World, log: Log) -> None:
    assert await tagged(call, world, "SUB-1", "SUB-2", add=["Keynote", "  first time "]) == 2

    assert await tags_of(call, world, "SUB-1") == ["first time", "Keynote"]
    assert await listed(call, world, tag="KEYNOTE") == [2, 1]
    assert await listed(call, world, tag="keynote", status="accepted") == []
    (entry,) = await log()
    said = content_of(entry)["summary"]
    assert said.endswith("and 1 more: +Keynote, +  first time ")


async def test_what_is_so_already_stays_and_case_makes_no_other_tag(
    call: Call, world: World, log: Log
) -> None:
    await tagged(call, world, "SUB-1", add=["Café"])
    assert await tagged(call, world, "SUB-1", add=["CAFE", "café"]) == 0
    assert await tags_of(call, world, "SUB-1") == ["Café"]
    assert len(await log()) == 1


async def test_a_tag_is_taken_away_and_an_undo_brings_it_back(call: Call, world: World) -> None:
    await tagged(call, world, "SUB-1", "SUB-2", add=["Keynote"])
    done = await call(
        "tag_submissions", world.writer, **EVENT, submissions=["SUB-1"], remove=["keynote"]
    )
    assert await tags_of(call, world, "SUB-1") == []
    assert await tags_of(call, world, "SUB-2") == ["Keynote"]

    await call("undo", world.writer, activity=done.activity_id)

    assert await tags_of(call, world, "SUB-1") == ["Keynote"]


async def test_what_is_no_tag_is_refused(call: Call, world: World) -> None:
    for wire, path in (({"remove": ["none"]}, "/remove"), ({"add": [" "]}, "/add")):
        with pytest.raises(Invalid) as refused:
            await tagged(call, world, "SUB-1", **wire)
        assert path in str(refused.value.facts["problems"])
    with pytest.raises(Invalid):
        await listed(call, world, tag="none")
    with pytest.raises(NotFound):
        await tagged(call, world, "SUB-99", add=["x"])


async def test_tagging_asks_no_more_for_more_tags(
    call: Call, world: World, statements: Statements
) -> None:
    await tagged(call, world, "SUB-1", add=["one"])
    statements.clear()
    await listed(call, world, tag="one")
    few = len(statements)
    await tagged(call, world, "SUB-1", "SUB-2", "SUB-3", add=[f"tag {n}" for n in range(20)])
    statements.clear()
    await listed(call, world, tag="tag 7")
    assert len(statements) == few


async def said(call: Call, world: World, **changes: Any) -> Any:
    wire = {"submission": "SUB-1", **EVENT, "body": "Let us ask her.", **changes}
    return await call("comment_on_submission", world.organizer, **wire)


async def test_a_comment_is_read_by_organisers_in_order_and_tells_whom_it_names_once(
    call: Call, db: Database, world: World, log: Log
) -> None:
    await said(call, world, tell=["Ines Duarte", "ines@example.org", "Ravi Menon"])
    await said(call, world, body="And him.\n\nToo.")

    items = (await call("list_comments", world.reader, submission="SUB-1", **EVENT)).result.items
    assert [(one.author, one.body) for one in items] == [
        ("Ravi Menon", "Let us ask her."), ("Ravi Menon", "And him.\n\nToo."),
    ]  # fmt: skip
    (mail,) = await db.rows(select(col(Mail.to_user_id), col(Mail.subject), col(Mail.body)))
    assert mail.to_user_id == "usr_ines"  # whoever says it need not be told
    assert "/submissions/sub_review#comments" in mail.body
    assert "ask her" not in mail.body
    assert "ask her" not in str([content_of(entry) for entry in await log()])
    assert content_of((await log())[0])["summary"].startswith("Comment on SUB-1")


async def test_nobody_is_told_who_may_not_read_it(call: Call, db: Database, world: World) -> None:
    with pytest.raises(Invalid, match="tell"):
        await said(call, world, tell=["Mei Tanaka"])
    with pytest.raises(NotFound):
        await said(call, world, tell=["Nobody"])
    with pytest.raises(Invalid):
        await said(call, world, body=" \n ")
    assert await db.rows(select(col(Mail.id))) == []


async def test_only_organisers_read_comment_and_tag(call: Call, world: World) -> None:
    await said(call, world)
    here = {"submission": IN_REVIEW}
    for actor, refusal in ((world.reviewer, Forbidden), (world.stranger, NotFound)):
        with pytest.raises(refusal):
            await call("list_comments", actor, **here)
        with pytest.raises(refusal):
            await call("comment_on_submission", actor, **here, body="x")
        with pytest.raises(refusal):
            await call("tag_submissions", actor, **EVENT, submissions=["SUB-1"], add=["x"])
    with pytest.raises(Forbidden):
        await call("comment_on_submission", world.reader, **here, body="x")
