"""Which door a request is for: those that speak plain ASGI stand in front of the framework.

The framework's router and its own error layer cost about half of what a small answer costs. The
API doors need neither, and public pages are bytes in memory (SPECS/decisions/0008).
"""

from typing import cast

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from unsession.web.api.door import PREFIX, api_door
from unsession.web.house import House
from unsession.web.mcp import door as mcp
from unsession.web.public.doors import PublicDoors
from unsession.web.refusals import envelope
from unsession.web.wire import http, json_reply, send_reply


def answering_head(framework: ASGIApp) -> ASGIApp:
    """The framework, which knows GET alone: HEAD is answered as GET without its body."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP or scope["method"] != "HEAD":
            await framework(scope, receive, send)
            return
        asked = http(scope)

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.body":
                message["body"] = b""
            await send(message)

        await framework(cast("Scope", {**asked, "method": "GET"}), receive, send_head)

    return app


_NOTHING = json_reply(404, envelope("There is nothing at this address.", "no_such_address"))


class Doors:
    """Wraps the framework, which answers whatever no door here is for."""

    def __init__(self, framework: ASGIApp, house: House) -> None:
        self._pages = PublicDoors(answering_head(framework), house)
        self._api = api_door(house)
        self._mcp = mcp.mcp_door(house)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == ScopeType.HTTP else ""
        if path in mcp.PATHS:
            await self._mcp(scope, receive, send)
        elif path == PREFIX or path.startswith(f"{PREFIX}/"):
            await self._api(scope, receive, send)
        elif path.startswith("/api/"):
            await send_reply(send, _NOTHING)
        else:
            await self._pages(scope, receive, send)
