"""The public doors of events: plain ASGI, bytes from memory, nothing of who asks but headers."""

from collections.abc import Sequence

from litestar import asgi
from litestar.exceptions import NotFoundException
from litestar.handlers import ASGIRouteHandler
from litestar.types import HTTPScope, Receive, Scope, Send

from unsession.web.house import House
from unsession.web.public.released import Blob, Released
from unsession.web.refusals import envelope
from unsession.web.wire import Reply, http, json_reply, send_reply

_ALLOW = {"allow": "GET, HEAD, OPTIONS"}


def public_routes(house: House) -> Sequence[ASGIRouteHandler]:
    """Everything below ``/{event}`` that a release fills."""
    released = Released(house)

    @asgi(
        [
            "/{event:str}",
            "/{event:str}/agenda",
            "/{event:str}/agenda.json",
            "/{event:str}/agenda.ics",
            "/{event:str}/speakers",
        ],
        copy_scope=False,
    )
    async def event_pages(scope: Scope, receive: Receive, send: Send) -> None:
        asked = http(scope)
        slug = str(asked["path_params"]["event"])
        path = asked["path"].strip("/").partition("/")[2]
        await _answer(asked, send, await released.blob(slug, path), path)

    @asgi("/{event:str}/sessions/{code:str}", copy_scope=False)
    async def session_page(scope: Scope, receive: Receive, send: Send) -> None:
        asked = http(scope)
        path = f"sessions/{asked['path_params']['code']}"
        await _answer(asked, send, await _below(released, asked, path), path)

    @asgi("/{event:str}/speakers/{slug:str}", copy_scope=False)
    async def speaker_page(scope: Scope, receive: Receive, send: Send) -> None:
        asked = http(scope)
        path = f"speakers/{asked['path_params']['slug']}"
        await _answer(asked, send, await _below(released, asked, path), path)

    @asgi("/{event:str}/theme.css", copy_scope=False)
    async def theme(scope: Scope, receive: Receive, send: Send) -> None:
        asked = http(scope)
        blob = await released.theme(str(asked["path_params"]["event"]))
        await _answer(asked, send, blob, "theme.css")

    return [event_pages, session_page, speaker_page, theme]


async def _below(released: Released, scope: HTTPScope, path: str) -> Blob | None:
    return await released.blob(str(scope["path_params"]["event"]), path)


async def _answer(scope: HTTPScope, send: Send, blob: Blob | None, path: str) -> None:
    """The page, or 304 when the browser has it, or 404 without a word on why."""
    method = scope["method"]
    if method not in ("GET", "HEAD"):
        status = 204 if method == "OPTIONS" else 405
        await send_reply(send, Reply(status, b"", _ALLOW))
        return
    if blob is None:
        if path.endswith((".json", ".ics")):
            sentence = "There is no released agenda at this address."
            reply = json_reply(404, envelope(sentence, "not_found"))
            await send_reply(send, reply)
            return
        raise NotFoundException
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
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send(
        {
            "type": "http.response.body",
            "body": b"" if method == "HEAD" else body,
            "more_body": False,
        }
    )


def _has(wanted: bytes, etag: bytes) -> bool:
    """Whether one of the tags a browser names is this one; weak tags compare by their text."""
    if wanted.strip() == b"*":
        return True
    opaque = etag.removeprefix(b"W/")
    return any(tag.strip().removeprefix(b"W/") == opaque for tag in wanted.split(b","))
