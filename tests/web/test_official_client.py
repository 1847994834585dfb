"""The official Python client of MCP against our door, without a socket."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from tests.web.door import ChangesNothing, Door, bearer

Connect = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture
def connect(door: Door) -> Connect:
    """``async with connect("reader") as client``: a client that speaks with that token."""

    @asynccontextmanager
    async def connected(token: str | None = "writer") -> AsyncIterator[Client]:
        transport = httpx2.ASGITransport(app=door.app)
        async with (
            httpx2.AsyncClient(transport=transport, headers=bearer(token)) as http,
            Client(
                streamable_http_client("https://conference.test/api/mcp", http_client=http),
                mode="legacy",
            ) as client,
        ):
            yield client

    return connected


class TestReading(ChangesNothing):
    async def test_it_shakes_hands(self, connect: Connect) -> None:
        async with connect() as client:
            assert client.protocol_version == "2025-11-25"
            assert client.server_info.name == "unsession"

    async def test_it_lists_the_tools_with_their_schemas(self, connect: Connect) -> None:
        async with connect() as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}

        decide = tools["decide_submission"]
        assert decide.title == "Decide a submission"
        assert decide.input_schema["required"] == ["submission", "decision"]
        assert decide.output_schema is not None
        assert decide.annotations is not None
        assert decide.annotations.read_only_hint is False
        assert decide.annotations.open_world_hint is True
        assert tools["whoami"].annotations is not None
        assert tools["whoami"].annotations.read_only_hint is True

    async def test_it_calls_a_tool_and_checks_the_answer_against_its_schema(
        self, connect: Connect
    ) -> None:
        async with connect() as client:
            await client.list_tools()
            result = await client.call_tool("get_event", {"event": "devconf-2027"})

        assert result.is_error is False
        assert result.structured_content is not None
        assert result.structured_content["name"] == "DevConf 2027"
        assert result.structured_content["counts"]["submissions"]["in_review"] == 2

    async def test_it_reads_what_is_wrong_with_a_call(self, connect: Connect) -> None:
        async with connect() as client:
            result = await client.call_tool("get_event", {"event": "nonsense"})

        assert result.is_error is True
        (said,) = [part.text for part in result.content if part.type == "text"]
        assert said == (
            "No event “nonsense” here, or it is not yours to see. Next: call list_events."
        )

    async def test_a_read_only_token_sees_no_tool_that_writes(self, connect: Connect) -> None:
        async with connect("reader") as client:
            tools = (await client.list_tools()).tools
            result = await client.call_tool(
                "decide_submission", {"submission": "sub_review", "decision": "accept"}
            )

        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
        assert result.is_error is True

    async def test_a_token_of_one_event_sees_one_event(self, connect: Connect) -> None:
        async with connect("event-reader") as client:
            found = await client.call_tool("list_events")
            hidden = await client.call_tool("get_event", {"event": "pyday-2027"})

        assert found.structured_content is not None
        assert [row["slug"] for row in found.structured_content["items"]] == ["devconf-2027"]
        assert hidden.is_error is True

    async def test_without_a_token_it_does_not_get_in(self, connect: Connect) -> None:
        with pytest.raises(ExceptionGroup) as refused:
            async with connect(None):
                pass

        assert refused.group_contains(MCPError)


async def test_it_previews_and_decides(connect: Connect) -> None:
    decision = {"submission": "SUB-2", "event": "devconf-2027", "decision": "accept"}
    async with connect() as client:
        await client.list_tools()
        preview = await client.call_tool("decide_submission", {**decision, "dryRun": True})
        still = await client.call_tool("get_submission", {"submission": "sub_trio"})
        await client.call_tool("decide_submission", decision)
        now = await client.call_tool("get_submission", {"submission": "sub_trio"})

    assert preview.structured_content is not None
    assert set(preview.structured_content["mails"]) == {
        "Kofi Mensah <kofi@example.org>",
        "Lena Fischer <lena@example.org>",
    }
    assert still.structured_content is not None
    assert still.structured_content["status"] == "in_review"
    assert now.structured_content is not None
    assert now.structured_content["status"] == "accepted"
    assert now.structured_content["activity"][0]["actor"] == "api:writer"
