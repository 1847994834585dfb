"""What a client may ask before it has a token: the resources and who lets one in.

RFC 9728 for the resources, RFC 8414 for the authorization server, and the same completed for
clients that look for OpenID Connect's document.
"""

from typing import Any

from litestar import Request, Response, get
from litestar.handlers import HTTPRouteHandler

from unsession.web.bearer import METADATA_PATH
from unsession.web.faults import response
from unsession.web.house import House
from unsession.web.refusals import envelope
from unsession.web.wire import json_reply

_OPEN = {"access-control-allow-origin": "*", "cache-control": "public, max-age=300"}
SERVER_PATH = "/.well-known/oauth-authorization-server"
#: What a document's address says is protected. The alias names itself: strict clients want the
#: address they were given, and a token asked for there is one for the agents' door.
_RESOURCES = {"": "/api/mcp", "/api/mcp": "/api/mcp", "/mcp": "/mcp", "/api/v1": "/api/v1"}


def wellknown_routes(house: House) -> list[HTTPRouteHandler]:
    """The metadata documents, in the root form and the path form; all else is a JSON 404."""

    def document(resource: str) -> dict[str, Any]:
        return {
            "resource": f"{house.settings.public_url}{resource}",
            "resource_name": "Unsession",
            "authorization_servers": [house.settings.public_url],
            "scopes_supported": ["read", "write"],
            "bearer_methods_supported": ["header"],
            "resource_documentation": f"{house.settings.public_url}/docs/mcp",
        }

    @get(
        [METADATA_PATH, *(f"{METADATA_PATH}{path}" for path in _RESOURCES if path)],
        sync_to_thread=False,
        name="protected_resource",
    )
    def protected_resource(request: Request[Any, Any, Any]) -> Response[bytes]:
        path = request.url.path.removeprefix(METADATA_PATH).rstrip("/")
        return response(json_reply(200, document(_RESOURCES[path]), _OPEN))

    def server() -> dict[str, Any]:
        url = house.settings.public_url
        methods = ["none", "client_secret_post", "client_secret_basic"]
        return {
            "issuer": url,
            "authorization_endpoint": f"{url}/oauth/authorize",
            "token_endpoint": f"{url}/oauth/token",
            "registration_endpoint": f"{url}/oauth/register",
            "revocation_endpoint": f"{url}/oauth/revoke",
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": methods,
            "revocation_endpoint_auth_methods_supported": methods,
            "code_challenge_methods_supported": ["S256"],
            "scopes_supported": ["read", "write", "offline_access"],
            "authorization_response_iss_parameter_supported": True,
            "client_id_metadata_document_supported": house.settings.client_documents,
            "service_documentation": f"{url}/docs/mcp",
        }

    @get(
        [SERVER_PATH, *(f"{SERVER_PATH}{path}" for path in _RESOURCES if path)],
        sync_to_thread=False,
    )
    def authorization_server() -> Response[bytes]:
        return response(json_reply(200, server(), _OPEN))

    @get("/.well-known/openid-configuration", sync_to_thread=False)
    def openid_configuration() -> Response[bytes]:
        more = {
            "jwks_uri": f"{house.settings.public_url}/.well-known/jwks.json",
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }
        return response(json_reply(200, {**server(), **more}, _OPEN))

    @get("/.well-known/jwks.json", sync_to_thread=False)
    def no_keys() -> Response[bytes]:
        return response(json_reply(200, {"keys": []}, _OPEN))

    @get("/.well-known/{rest:path}", sync_to_thread=False)
    def unknown() -> Response[bytes]:
        body = envelope("There is no such document.", "no_such_address")
        return response(json_reply(404, body, _OPEN))

    return [protected_resource, authorization_server, openid_configuration, no_keys, unknown]
