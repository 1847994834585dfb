"""The routes of the documentation: public, the same for everybody, made once for each address."""

import functools

import msgspec
from litestar import Response, get
from litestar.handlers import HTTPRouteHandler
from litestar.response import Redirect

from unsession.catalogue import OPERATIONS
from unsession.web.api.openapi import document
from unsession.web.docs.guide import llms_text, mcp_guide, registry_entry
from unsession.web.docs.rest import rest_reference
from unsession.web.faults import response
from unsession.web.house import House
from unsession.web.rendering import page_reply
from unsession.web.wire import Reply

_CACHED = {"cache-control": "public, max-age=300"}
_OPEN = {**_CACHED, "access-control-allow-origin": "*"}


@functools.lru_cache(maxsize=4)
def _guide(url: str) -> Reply:
    made = page_reply(mcp_guide(url))
    return Reply(made.status, made.body, {**made.headers, **_CACHED})


@functools.lru_cache(maxsize=4)
def _reference(url: str) -> Reply:
    made = page_reply(rest_reference(document(list(OPERATIONS.values()), url)))
    return Reply(made.status, made.body, {**made.headers, **_CACHED})


def docs_routes(house: House) -> list[HTTPRouteHandler]:
    """The guide, the reference, and both for programs."""

    @get("/docs", sync_to_thread=False)
    def docs() -> Redirect:
        return Redirect("/docs/mcp", status_code=302)

    @get("/docs/mcp", sync_to_thread=False)
    def guide() -> Response[bytes]:
        return response(_guide(house.settings.public_url))

    @get("/docs/api", sync_to_thread=False)
    def reference() -> Response[bytes]:
        return response(_reference(house.settings.public_url))

    @get("/llms.txt", sync_to_thread=False)
    def llms() -> Response[bytes]:
        text = llms_text(house.settings.public_url).encode()
        return response(Reply(200, text, {"content-type": "text/plain; charset=utf-8", **_OPEN}))

    @get("/server.json", sync_to_thread=False)
    def server() -> Response[bytes]:
        entry = msgspec.json.encode(registry_entry(house.settings.public_url))
        return response(Reply(200, entry, {"content-type": "application/json", **_OPEN}))

    return [docs, guide, reference, llms, server]
