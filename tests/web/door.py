"""The product without a socket: the app on a test's database, called in its own event loop."""

import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from litestar import Litestar

from tests.world import NORTH, secret_of
from unsession.app import create_app, running
from unsession.catalogue import Operation
from unsession.db.engine import open_database
from unsession.domain.people import TokenScope
from unsession.models import Token
from unsession.services.principals import secret_hash
from unsession.settings import Settings
from unsession.web.api.routing import WITHOUT_BODY
from unsession.web.house import House, build_house

API = "/api/v1"
MCP = "/api/mcp"
#: What the MCP endpoint says it has.
OFFERED: dict[str, Any] = {"tools": {}, "prompts": {}, "resources": {}, "completions": {}}


def bearer(token: str | None) -> dict[str, str]:
    """The header of one of the world's tokens by its name, ``event-reader``; of nobody for None."""
    if token is None:
        return {}
    return {"authorization": f"Bearer {secret_of('tok_' + token.replace('-', '_'))}"}


@dataclass(frozen=True, slots=True)
class Door:
    """A running product and a client that stands before it."""

    app: Litestar
    http: httpx.AsyncClient

    @property
    def house(self) -> House:
        """The inside, for what no door shows."""
        house: House = self.app.state.house
        return house

    async def rest(
        self,
        method: str,
        path: str,
        *,
        token: str | None = "writer",
        headers: Mapping[str, str] | None = None,
        **sent: Any,
    ) -> httpx.Response:
        """A request below /api/v1, with the token of that name."""
        return await self.http.request(
            method, f"{API}{path}", headers={**bearer(token), **(headers or {})}, **sent
        )

    async def read(self, path: str, *, token: str | None = "writer", **sent: Any) -> Any:
        """The data of a GET that must succeed."""
        answer = await self.rest("GET", path, token=token, **sent)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    async def post(
        self,
        message: Any,
        *,
        token: str | None = "writer",
        headers: Mapping[str, str] | None = None,
        path: str = MCP,
    ) -> httpx.Response:
        """One POST to the MCP door: bytes as they are, anything else as JSON."""
        body = {"content": message} if isinstance(message, bytes) else {"json": message}
        fixed = {"content-type": "application/json", **bearer(token)}
        return await self.http.post(path, headers={**fixed, **(headers or {})}, **body)

    async def rpc(
        self, method: str, params: Any = None, *, token: str | None = "writer", **sent: Any
    ) -> Any:
        """The result of a method that must succeed."""
        answer = (await self.post(request(method, params), token=token, **sent)).json()
        assert "error" not in answer, answer
        return answer["result"]

    async def tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        token: str | None = "writer",
    ) -> dict[str, Any]:
        """The result of a tool call, an error among them."""
        params = {"name": name, "arguments": dict(arguments or {})}
        result: dict[str, Any] = await self.rpc("tools/call", params, token=token)
        return result

    async def add_token(
        self,
        name: str,
        *,
        user: str = "usr_ravi",
        scope: TokenScope = TokenScope.WRITE,
        **columns: Any,
    ) -> None:
        """A token row more, its secret made as the world makes them: ``bearer(name)`` is it."""
        token_id = f"tok_{name.replace('-', '_')}"
        row = Token(
            id=token_id,
            user_id=user,
            name=name,
            scope=scope,
            secret_hash=secret_hash(secret_of(token_id)),
            **{"workspace_id": NORTH, **columns},
        )
        async with self.house.db.write() as session:
            session.add(row)


class ChangesNothing:
    """Base of tests that leave every row as it is: they stand before one door, all of them."""

    @pytest.fixture
    def door(self, window: Door) -> Door:
        return window


def request(method: str, params: Any = None, *, number: Any = 1) -> dict[str, Any]:
    """A JSON-RPC request; ``number`` is its id."""
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    return message if params is None else {**message, "params": params}


def error_of(result: Mapping[str, Any]) -> str:
    """The text of a tool result that must be an error."""
    assert result["isError"] is True, result
    (part,) = result["content"]
    text: str = part["text"]
    return text


def rest_call(
    operation: Operation, arguments: Mapping[str, Any]
) -> tuple[str, str, dict[str, Any]]:
    """How REST puts arguments: method, path below /api/v1, and the rest as query or as body."""
    assert operation.route is not None
    path, rest = operation.route.path, dict(arguments)
    rest.update(dict.fromkeys(rest.pop("clear", ())))
    for name in operation.path_fields:
        path = path.replace(f"{{{name}}}", quote(str(rest.pop(name)), safe=""))
    if operation.route.method in WITHOUT_BODY:
        query = {name: _as_text(value) for name, value in rest.items()}
        return operation.route.method, path, {"params": query}
    return operation.route.method, path, {"json": rest}


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


@contextlib.asynccontextmanager
async def opened(settings: Settings, app: Litestar | None = None) -> AsyncIterator[Door]:
    """The product running on its database, for as long as the block runs.

    An ``app`` that was built with the same settings but for the database can be used again.
    """
    if app is None:
        app = create_app(settings)
    else:
        _move_in(app.state.house, settings)
    transport = httpx.ASGITransport(app=app)
    async with (
        running(app.state.house),
        httpx.AsyncClient(transport=transport, base_url=settings.public_url) as http,
    ):
        yield Door(app, http)


def _move_in(house: House, settings: Settings) -> None:
    """Give a house another database, and nothing that it remembers of the one before."""
    empty = build_house(settings, open_database(settings.database_url))
    for part in fields(House):
        setattr(house, part.name, getattr(empty, part.name))
