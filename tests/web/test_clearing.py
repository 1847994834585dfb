"""Emptying a field: null on REST, ``clear`` on MCP, and DELETE where it stands for a call."""

from typing import Any

import msgspec

from tests.web.door import Door, error_of
from tests.world import SESSION
from unsession.catalogue import OPERATIONS
from unsession.catalogue.inputs import clearable
from unsession.catalogue.schemas import tool_input

SLOT = {"day": 1, "start": "10:00", "room": "Main hall"}


def schema() -> dict[str, Any]:
    return tool_input(OPERATIONS["update_session"])


def test_a_tool_offers_what_can_be_emptied_in_one_list() -> None:
    clear = schema()["properties"]["clear"]

    assert clear["items"] == {
        "type": "string",
        "enum": ["track", "format", "level", "sponsorName", "sponsorBadge", "room", "slot"],
    }
    assert tuple(clear["items"]["enum"]) == clearable(OPERATIONS["update_session"].input)


def test_no_tool_has_a_type_of_null() -> None:
    for operation in OPERATIONS.values():
        if operation.route:
            assert b'"null"' not in msgspec.json.encode(tool_input(operation)), operation.name


def test_a_field_that_can_only_be_emptied_stands_in_the_list_alone() -> None:
    properties = schema()["properties"]

    assert "slot" not in properties
    assert properties["room"]["type"] == "string"
    assert properties["room"]["description"] == "Room: id or exact name."
    assert "clear" not in tool_input(OPERATIONS["create_session"])["properties"]


async def test_null_and_clear_do_the_same(door: Door) -> None:
    await door.rest("PATCH", f"/sessions/{SESSION}", json={"track": "Web"})
    by_rest = await door.rest("PATCH", f"/sessions/{SESSION}", json={"track": None, "room": None})
    rest = by_rest.json()["data"]
    await door.rest("PATCH", f"/sessions/{SESSION}", json={"track": "Web", "room": "Main hall"})
    tool = await door.tool("update_session", {"session": SESSION, "clear": ["track", "room"]})
    mcp = tool["structuredContent"]

    assert "track" not in rest
    assert "room" not in rest["slot"]
    assert [effect["text"] for effect in rest["effects"]] == [
        effect["text"] for effect in mcp["effects"]
    ]
    off = await door.tool("update_session", {"session": SESSION, "clear": ["slot"]})
    assert "slot" not in off["structuredContent"]


async def test_null_on_mcp_is_as_if_left_out(door: Door) -> None:
    tool = await door.tool("update_session", {"session": SESSION, "room": None, "title": "New"})

    assert tool["structuredContent"]["slot"]["room"]["name"] == "Main hall"


async def test_a_wrong_clear_is_refused_with_what_is_allowed(door: Door) -> None:
    wrong = await door.tool("update_session", {"session": SESSION, "clear": ["rooms"]})
    both = await door.tool(
        "update_session", {"session": SESSION, "clear": ["room"], "room": "Main hall"}
    )
    no_list = await door.tool("update_session", {"session": SESSION, "clear": "room"})

    assert "did you mean room?" in error_of(wrong)
    assert "is set in /room as well" in error_of(both)
    assert "must be a list" in error_of(no_list)


async def test_rest_knows_no_clear(door: Door) -> None:
    answer = await door.rest("PATCH", f"/sessions/{SESSION}", json={"clear": ["room"]})

    assert answer.status_code == 422


async def test_delete_takes_a_session_off_and_is_the_same_call(door: Door) -> None:
    seen = await door.rest("DELETE", f"/sessions/{SESSION}/slot", params={"preview": "true"})
    done = await door.rest("DELETE", f"/sessions/{SESSION}/slot")
    back = await door.rest("PUT", f"/sessions/{SESSION}/slot", json=SLOT)
    put = await door.rest("PUT", f"/sessions/{SESSION}/slot", json={"unschedule": True})

    texts = [
        [effect["text"] for effect in one.json()["data"]["effects"]] for one in (seen, done, put)
    ]
    assert texts == [["Slot 2027-05-20 10:00 is removed."]] * 3
    assert back.json()["data"]["slot"]["room"]["name"] == "Main hall"


async def test_delete_takes_no_slot_along(door: Door) -> None:
    for params in ({"unschedule": "false"}, {"nonsense": "1"}):
        answer = await door.rest("DELETE", f"/sessions/{SESSION}/slot", params=params)
        assert answer.status_code == 422


async def test_the_document_shows_both_methods(door: Door) -> None:
    path = (await door.http.get("/api/v1/openapi.json")).json()["paths"]["/sessions/{session}/slot"]

    assert set(path) == {"put", "delete"}
    assert path["delete"]["operationId"] == "schedule_session_by_delete"
    assert "requestBody" not in path["delete"]
    names = [parameter["name"] for parameter in path["delete"]["parameters"]]
    assert names == ["session", "preview", "Idempotency-Key", "If-Match", "event"]
