"""The product with the suite's fixtures, and a token put into every request.

The suite has no way to send a token of its own. ``python -m tests.conformance.server`` takes its
port, its token and whether there are fixtures from the environment, and its database from the
product's own settings.
"""

import os
from typing import Any

import uvicorn
from litestar import Litestar
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from tests.conformance.fixtures import WithFixtures
from unsession.app import create_app
from unsession.settings import load_settings
from unsession.web.edge import Edge
from unsession.web.mcp.caller import Caller
from unsession.web.mcp.door import mcp_door
from unsession.web.mcp.tools import Tools


def with_token(app: ASGIApp, token: str) -> ASGIApp:
    """Every request that brings no token brings this one."""

    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP and all(
            name != b"authorization" for name, _ in scope["headers"]
        ):
            bearer = (b"authorization", f"Bearer {token}".encode())
            scope["headers"] = [*scope["headers"], bearer]
        await app(scope, receive, send)

    return wrapped


def build(host: str, port: int, token: str, *, fixtures: bool) -> Litestar:
    """The app: its MCP door alone, with the fixtures or as it is."""
    settings = load_settings(host=host, port=port)
    app = create_app(settings)
    house, tools = app.state.house, Tools()
    offers: type[Caller] = WithFixtures if fixtures else Caller
    door = mcp_door(house, lambda *caller: offers(tools, house, *caller))
    app.asgi_handler = with_token(Edge(door, settings), token)
    return app


def main() -> None:
    """Serve until ended."""
    port = int(os.environ["CONFORMANCE_PORT"])
    options: dict[str, Any] = {"log_config": None, "access_log": False}
    fixtures = os.environ["CONFORMANCE_FIXTURES"] == "yes"
    app = build("localhost", port, os.environ["CONFORMANCE_TOKEN"], fixtures=fixtures)
    uvicorn.run(app, host="127.0.0.1", port=port, **options)


if __name__ == "__main__":
    main()
