"""One operation, two doors: the same answer, and for a write the same rows and activity.

Every operation is here by its example calls (tests/web/examples.py), on both engines.
"""

from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from tests.web.door import Door, rest_call
from tests.web.examples import Example, examples_of, offered, prepared
from tests.web.tables import Row, difference, masked, restore, snapshot
from unsession.catalogue import Operation
from unsession.catalogue.schemas import SAID_ONCE, tool_output

pytestmark = pytest.mark.postgres


async def by_rest(door: Door, operation: Operation, example: Example) -> Any:
    """What a call answers over REST."""
    method, path, sent = rest_call(operation, await prepared(door, example))
    answer = await door.rest(method, path, token=example.token, **sent)
    assert answer.status_code in (200, 201), answer.text
    return answer.json()["data"]


async def by_mcp(door: Door, operation: Operation, example: Example) -> Any:
    """What the same call answers as a tool: as text and as structure, and as its schema says."""
    arguments = await prepared(door, example)
    result = await door.tool(operation.name, arguments, token=example.token)
    assert result["isError"] is False, result
    answer = result["structuredContent"]
    (part,) = result["content"]
    assert part["type"] == "text"
    assert msgspec.json.decode(part["text"]) == answer
    described = tool_output(operation)
    Draft202012Validator(described).validate(answer)
    assert set(answer) - SAID_ONCE <= set(described["properties"])
    return answer


def each_operation(*, writes: bool) -> pytest.MarkDecorator:
    """The test once for every operation that reads, or that writes."""
    operations = [operation for operation in offered() if operation.writes is writes]
    return pytest.mark.parametrize("operation", operations, ids=lambda operation: operation.name)


@each_operation(writes=False)
async def test_a_read_answers_the_same_over_rest_and_mcp(stage: Door, operation: Operation) -> None:
    before = await snapshot(stage.house.db)

    for example in examples_of(operation):
        rest = await by_rest(stage, operation, example)
        if example.first:
            await restore(stage.house.db, before)
        mcp = await by_mcp(stage, operation, example)
        if example.first:
            await restore(stage.house.db, before)

        # A cursor is sealed anew each time, so that nobody can read or make one.
        for answer in (rest, mcp):
            assert isinstance(answer.pop("nextCursor", ""), str)
        assert masked(rest) == masked(mcp)
    assert await snapshot(stage.house.db) == before, "a read wrote something"


@each_operation(writes=True)
async def test_a_write_does_the_same_over_rest_and_mcp(stage: Door, operation: Operation) -> None:
    before = await snapshot(stage.house.db)

    for example in examples_of(operation):
        rest = await by_rest(stage, operation, example)
        after_rest = await snapshot(stage.house.db)
        await restore(stage.house.db, before, after_rest)
        mcp = await by_mcp(stage, operation, example)
        after_mcp = await snapshot(stage.house.db)
        await restore(stage.house.db, before, after_mcp)

        done_by_rest = difference(before, after_rest)
        done_by_mcp = difference(before, after_mcp)
        assert masked(rest) == masked(mcp)
        assert done_by_rest == done_by_mcp
        assert rest["effects"] == [] or authors(done_by_rest, operation) == {example.token}


def authors(done: dict[str, list[Row]], operation: Operation) -> set[str]:
    """Which tokens' names stand at the entries that an operation left in the activity log."""
    entries = [entry for entry in done["+activity"] if entry["operation"] == operation.name]
    assert {str(entry["actor_kind"]) for entry in entries} <= {"token"}
    return {entry["actor_name"].removeprefix("api:") for entry in entries}


async def test_putting_rows_back_is_exact(door: Door) -> None:
    """The comparison above stands on it."""
    before = await snapshot(door.house.db)
    await door.tool("decide_submission", {"submission": "sub_trio", "decision": "accept"})
    changed = await snapshot(door.house.db)

    await restore(door.house.db, before)

    assert changed != before
    assert await snapshot(door.house.db) == before
