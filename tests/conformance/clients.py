"""The official Python client, over HTTP and through mcp-remote: what every client must manage."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

MODES = ("auto", "legacy", "2026-07-28")


@asynccontextmanager
async def over_http(endpoint: str, token: str, mode: str) -> AsyncIterator[Client]:
    """A client that speaks with a token."""
    headers = {"authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(endpoint, http_client=http), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def through_mcp_remote(
    endpoint: str, token: str, programs: Path, environment: Mapping[str, str]
) -> AsyncIterator[Client]:
    """A client whose server is mcp-remote, which forwards what it hears."""
    server = StdioServerParameters(
        command=str(programs / "mcp-remote"),
        args=[
            endpoint,
            "--allow-http",
            "--transport",
            "http-only",
            "--header",
            f"Authorization: Bearer {token}",
        ],
        env=dict(environment),
    )
    async with Client(stdio_client(server), mode="legacy") as client:
        yield client


async def everything(client: Client, *, writes: bool, events: int) -> str:
    """List, call, an error; what the token must and must not see. The revision spoken."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert ("decide_submission" in tools) is writes
    read = await client.call_tool("list_events", {})
    assert read.structured_content is not None
    assert len(read.structured_content["items"]) == events
    wrong = await client.call_tool("get_event", {"event": "nonsense"})
    assert wrong.is_error
    assert "list_events" in str(wrong.content)
    if not writes:
        refused = await client.call_tool("undo", {})
        assert refused.is_error
        assert "read-only" in str(refused.content)
    assert len((await client.list_prompts()).prompts) == 7
    assert client.protocol_version is not None
    return client.protocol_version
