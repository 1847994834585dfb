"""Registration, the token endpoint and revocation: JSON for programs, never with a cookie.

RFC 7591, 6749 and 7009; the old root addresses of revision 2025-03-26 answer alike.
"""

from typing import Any
from urllib.parse import parse_qsl

import msgspec
from litestar import HttpMethod, Request, Response, route
from litestar.handlers import HTTPRouteHandler

from unsession.access import visitor_actor
from unsession.catalogue import OPERATIONS, Request as Call, call, parse
from unsession.errors import TooMany
from unsession.services.oauth.clients import BadMetadata, checked
from unsession.web.faults import response
from unsession.web.house import House
from unsession.web.rates import REGISTRATIONS, TOKEN_REQUESTS
from unsession.web.wire import Reply, json_reply, visit_of

_CORS = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "POST, OPTIONS",
    "access-control-allow-headers": "authorization, content-type, mcp-protocol-version",
}
_METHODS = [HttpMethod.POST, HttpMethod.OPTIONS]
_LONGEST = 32_000  # bytes of a body
_MOST_FIELDS = 30


def endpoint_routes(house: House) -> list[HTTPRouteHandler]:
    """``/oauth/register``, ``/oauth/token``, ``/oauth/revoke`` and their root aliases."""

    @route(["/oauth/register", "/register"], http_method=_METHODS)
    async def register(request: Request[Any, Any, Any]) -> Response[bytes]:
        if request.method == HttpMethod.OPTIONS:
            return _preflight()
        try:
            _require_rate(house, request, "register")
            metadata = checked(_decoded(await _body(request)))
        except BadMetadata as bad:
            return _error(400, bad.code, bad.message)
        except TooMany as refusal:
            return _too_many(refusal)
        made = (await _act(house, request, "register_client", {"metadata": metadata})).result
        told = {
            **metadata,
            "client_id": made.client_id,
            "client_id_issued_at": int(made.issued_at.timestamp()),
        }
        if made.secret is not None:
            told |= {"client_secret": made.secret, "client_secret_expires_at": 0}
        return response(json_reply(201, told, _CORS))

    @route(["/oauth/token", "/token"], http_method=_METHODS)
    async def token(request: Request[Any, Any, Any]) -> Response[bytes]:
        return await _exchange(house, request, "exchange_tokens")

    @route("/oauth/revoke", http_method=_METHODS)
    async def revoke(request: Request[Any, Any, Any]) -> Response[bytes]:
        return await _exchange(house, request, "give_up_token")

    return [register, token, revoke]


def _preflight() -> Response[bytes]:
    return response(Reply(204, b"", _CORS))


async def _exchange(house: House, request: Request[Any, Any, Any], name: str) -> Response[bytes]:
    """A form to the token or the revocation endpoint."""
    if request.method == HttpMethod.OPTIONS:
        return _preflight()
    try:
        _require_rate(house, request, "token")
    except TooMany as refusal:
        return _too_many(refusal)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        return _error(400, "invalid_request", "The body must be a form (x-www-form-urlencoded).")
    try:
        form = parse_qsl(
            (await _body(request)).decode(),
            keep_blank_values=True,
            strict_parsing=False,
            max_num_fields=_MOST_FIELDS,
        )
    except (ValueError, BadMetadata):
        return _error(400, "invalid_request", "The form cannot be read.")
    names = [field for field, _ in form if field != "resource"]
    if len(names) != len(set(names)):
        return _error(400, "invalid_request", "A field stands in the form twice.")
    wire: dict[str, Any] = {"form": [list(pair) for pair in form]}
    authorization = request.headers.get("authorization")
    if authorization:
        wire["authorization"] = authorization[:2_000]
    answer = (await _act(house, request, name, wire)).result
    headers = {key.lower(): value for key, value in answer.headers.items()}
    return response(json_reply(answer.status, answer.body, {**headers, **_CORS}))


def _require_rate(house: House, request: Request[Any, Any, Any], what: str) -> None:
    rate = REGISTRATIONS if what == "register" else TOKEN_REQUESTS
    house.limiter.require(f"oauth:{what}:{visit_of(request.scope).address}", rate)


async def _act(house: House, request: Request[Any, Any, Any], name: str, wire: Any) -> Any:
    operation = OPERATIONS[name]
    visit = visit_of(request.scope)
    visit.operation = name
    asked = Call(visitor_actor(), house.db, house.settings, visit.request_id)
    return await call(asked, operation, parse(operation.input, wire))


async def _body(request: Request[Any, Any, Any]) -> bytes:
    body = await request.body()
    if len(body) > _LONGEST:
        raise BadMetadata("invalid_client_metadata", f"The body is longer than {_LONGEST} bytes.")
    return body


def _decoded(body: bytes) -> object:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise BadMetadata("invalid_client_metadata", "The body is not JSON.") from None


def _error(status: int, code: str, message: str) -> Response[bytes]:
    return response(json_reply(status, {"error": code, "error_description": message}, _CORS))


def _too_many(refusal: TooMany) -> Response[bytes]:
    told = {"error": "slow_down", "error_description": refusal.message}
    headers = {**_CORS, "retry-after": str(refusal.retry_after)}
    return response(json_reply(429, told, headers))
