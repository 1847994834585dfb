"""The public doors of events: bytes from memory, in front of the framework.

The framework cannot route plain ASGI handlers with parameters in their paths, and its own
handlers cost more than these pages do; so the few addresses below ``/{event}`` that a release
fills are told apart here. Whatever is not there goes on to the framework, which answers it like
any other address that is nothing (SPECS/decisions/0008).
"""

import re

from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send

from unsession.domain.slugs import RESERVED
from unsession.web.house import House
from unsession.web.public.released import Blob, Released
from unsession.web.wire import http

#: ``/{event}`` and what of it a release fills, with a slash at the end or without.
_ADDRESS = re.compile(
    r"/([^/]+)(?:/(agenda|agenda\.json|agenda\.ics|speakers|theme\.css"
    r"|sessions/[^/]+|speakers/[^/]+))?/?"
)
#: The second words of those addresses, for the test of reserved words.
WORDS = frozenset({"agenda", "agenda.json", "agenda.ics", "speakers", "sessions", "theme.css"})


class PublicDoors:
    """Wraps the framework: answers what a release holds, passes everything else on."""

    def __init__(self, app: ASGIApp, house: House) -> None:
        self._app = app
        self._released = Released(house)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP:
            asked = http(scope)
            blob = await self._blob(asked)
            if blob is not None:
                await _send(asked, send, blob)
                return
        await self._app(scope, receive, send)

    async def _blob(self, scope: HTTPScope) -> Blob | None:
        """The page at an address, if it is one of ours and is there."""
        if scope["method"] not in ("GET", "HEAD"):
            return None
        matched = _ADDRESS.fullmatch(scope["path"])
        if matched is None or matched[1] in RESERVED:
            return None
        if matched[2] == "theme.css":
            return await self._released.theme(matched[1])
        return await self._released.blob(matched[1], matched[2] or "")


async def _send(scope: HTTPScope, send: Send, blob: Blob) -> None:
    """The page, or 304 when the browser has it."""
    wanted, zips = b"", False
    for name, value in scope["headers"]:
        if name == b"if-none-match":
            wanted = value
        elif name == b"accept-encoding":
            zips = b"gzip" in value
    if wanted and _has(wanted, blob.etag):
        status, headers, body = 304, blob.unchanged_headers, b""
    elif zips and blob.zipped:
        status, headers, body = 200, blob.zipped_headers, blob.zipped
    else:
        status, headers, body = 200, blob.plain_headers, blob.plain
    if scope["method"] == "HEAD":
        body = b""
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def _has(wanted: bytes, etag: bytes) -> bool:
    """Whether one of the tags a browser names is this one; weak tags compare by their text."""
    if wanted.strip() == b"*":
        return True
    opaque = etag.removeprefix(b"W/")
    return any(tag.strip().removeprefix(b"W/") == opaque for tag in wanted.split(b","))
