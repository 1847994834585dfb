"""What a client may ask before it has a token: the protected resources (RFC 9728)."""

from typing import Any

from litestar import Request, Response, get
from litestar.handlers import HTTPRouteHandler

from unsession.web.bearer import METADATA_PATH
from unsession.web.faults import response
from unsession.web.house import House
from unsession.web.refusals import envelope
from unsession.web.wire import json_reply

_OPEN = {"access-control-allow-origin": "*", "cache-control": "public, max-age=300"}
_RESOURCES = {"": "/api/mcp", "/api/mcp": "/api/mcp", "/mcp": "/api/mcp", "/api/v1": "/api/v1"}


def wellknown_routes(house: House) -> list[HTTPRouteHandler]:
    """The metadata documents, in the root form and the path form; all else is a JSON 404."""

    def document(resource: str) -> dict[str, Any]:
        return {
            "resource": f"{house.settings.public_url}{resource}",
            "resource_name": "Unsession",
            "scopes_supported": ["read", "write"],
            "bearer_methods_supported": ["header"],
            "resource_documentation": f"{house.settings.public_url}/api/v1/docs",
        }

    @get(
        [METADATA_PATH, *(f"{METADATA_PATH}{path}" for path in _RESOURCES if path)],
        sync_to_thread=False,
        name="protected_resource",
    )
    def protected_resource(request: Request[Any, Any, Any]) -> Response[bytes]:
        path = request.url.path.removeprefix(METADATA_PATH).rstrip("/")
        return response(json_reply(200, document(_RESOURCES[path]), _OPEN))

    @get("/.well-known/{rest:path}", sync_to_thread=False)
    def unknown() -> Response[bytes]:
        body = envelope("There is no such document.", "no_such_address")
        return response(json_reply(404, body, _OPEN))

    return [protected_resource, unknown]
