"""FastMCP with the tools of a file, ``PEER_TOOLS``; no token, no database.

Runs in an interpreter of its own that has fastmcp: nothing of ours needs it.
"""

import json
import os
from pathlib import Path
from typing import Any

from fastmcp import FastMCP  # type: ignore[import-not-found]  # see above
from fastmcp.tools import Tool  # type: ignore[import-not-found]  # see above
from fastmcp.tools.base import ToolResult  # type: ignore[import-not-found]  # see above

ANSWER = {"recipes": [{"key": f"key-{n}", "goal": "Reach a goal"} for n in range(10)]}


class _Fixed(Tool):  # type: ignore[misc]  # see above
    async def run(self, _arguments: dict[str, Any]) -> Any:
        return ToolResult(structured_content=ANSWER)


_server = FastMCP("peer")
for tool in json.loads(Path(os.environ["PEER_TOOLS"]).read_text()):
    _server.add_tool(
        _Fixed(
            name=tool["name"],
            title=tool["title"],
            description=tool["description"],
            parameters=tool["inputSchema"],
            output_schema=tool["outputSchema"],
        )
    )
app = _server.http_app(path="/api/mcp", json_response=True, stateless_http=True)
