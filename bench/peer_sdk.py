"""The official SDK's own server with the tools of a file, ``PEER_TOOLS``; no token, no database."""

import json
import os
from pathlib import Path
from typing import Any

from mcp import types
from mcp.server.lowlevel import Server

ANSWER = {"recipes": [{"key": f"key-{n}", "goal": "Reach a goal"} for n in range(10)]}
TOOLS = [
    types.Tool.model_validate(tool)
    for tool in json.loads(Path(os.environ["PEER_TOOLS"]).read_text())
]


async def _list(_context: Any, _params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=TOOLS)


async def _call(_context: Any, _params: Any) -> types.CallToolResult:
    text = types.TextContent(type="text", text=json.dumps(ANSWER))
    return types.CallToolResult(content=[text], structured_content=ANSWER)


_server: Any = Server("peer", on_list_tools=_list, on_call_tool=_call)
app = _server.streamable_http_app(
    streamable_http_path="/api/mcp", json_response=True, stateless_http=True
)
