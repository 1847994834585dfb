"""One operation, two doors: the same answer, and for a write the same rows and activity.

Every operation is here by its example calls (tests/web/examples.py), on both engines.
"""

from typing import Any

import pytest

from tests.web.door import Door, rest_call
from tests.web.examples import Arguments, examples_of, offered
from tests.web.tables import Row, difference, masked, restore, snapshot
from unsession.catalogue import Operation

pytestmark = pytest.mark.postgres


async def by_rest(door: Door, operation: Operation, arguments: Arguments) -> Any:
    """What a call answers over REST."""
    method, path, sent = rest_call(operation, arguments)
    answer = await door.rest(method, path, **sent)
    assert answer.status_code in (200, 201), answer.text
    return answer.json()["data"]


async def by_mcp(door: Door, operation: Operation, arguments: Arguments) -> Any:
    """What the same call answers as a tool."""
    result = await door.tool(operation.name, arguments)
    assert result["isError"] is False, result
    return result["structuredContent"]


def each_operation(*, writes: bool) -> pytest.MarkDecorator:
    """The test once for every operation that reads, or that writes."""
    operations = [operation for operation in offered() if operation.writes is writes]
    return pytest.mark.parametrize("operation", operations, ids=lambda operation: operation.name)


@each_operation(writes=False)
async def test_a_read_answers_the_same_over_rest_and_mcp(door: Door, operation: Operation) -> None:
    before = await snapshot(door.house.db)

    for arguments in examples_of(operation):
        rest = await by_rest(door, operation, arguments)
        mcp = await by_mcp(door, operation, arguments)

        # A cursor is sealed anew each time, so that nobody can read or make one.
        for answer in (rest, mcp):
            assert isinstance(answer.pop("nextCursor", ""), str)
        assert rest == mcp
    assert await snapshot(door.house.db) == before


@each_operation(writes=True)
async def test_a_write_does_the_same_over_rest_and_mcp(door: Door, operation: Operation) -> None:
    before = await snapshot(door.house.db)

    for arguments in examples_of(operation):
        rest = await by_rest(door, operation, arguments)
        done_by_rest = difference(before, await snapshot(door.house.db))
        await restore(door.house.db, before)
        mcp = await by_mcp(door, operation, arguments)
        done_by_mcp = difference(before, await snapshot(door.house.db))
        await restore(door.house.db, before)

        assert masked(rest) == masked(mcp)
        assert done_by_rest == done_by_mcp
        assert rest["effects"] == [] or has_entry(done_by_rest, operation, rest)


def has_entry(done: dict[str, list[Row]], operation: Operation, answer: Any) -> bool:
    """Whether the write left its own activity entry, by the token that made it."""
    entries = [entry for entry in done["+activity"] if entry["operation"] == operation.name]
    return bool(answer["activityId"]) and [
        (str(entry["actor_kind"]), entry["actor_id"], entry["actor_name"]) for entry in entries
    ] == [("token", "token:tok_writer", "api:writer")]


async def test_putting_rows_back_is_exact(door: Door) -> None:
    """The comparison above stands on it."""
    before = await snapshot(door.house.db)
    await door.tool("decide_submission", {"submission": "sub_trio", "decision": "accept"})
    changed = await snapshot(door.house.db)

    await restore(door.house.db, before)

    assert changed != before
    assert await snapshot(door.house.db) == before
