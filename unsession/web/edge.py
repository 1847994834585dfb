"""The outermost layer: request id, client address, common headers, one log line a request."""

import ipaddress
import random
import re
import time
from collections.abc import Sequence
from typing import Any

import structlog
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

from unsession.settings import Settings
from unsession.web.api.door import PREFIX
from unsession.web.house import House
from unsession.web.mcp.door import PATHS
from unsession.web.wire import Reply, Visit, headers_of, http, send_reply

log = structlog.get_logger("unsession.request")

_QUIET = ("/healthz", "/readyz", "/static/")
_TOKEN = re.compile(r"uns_[0-9A-Za-z]+")
#: Paths whose next segment is a secret: logged without it.
_SECRET_PATHS = ("/signin/", "/verify/", "/reset/", "/invite/", "/owner/", "/draft/", "/confirm/")
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
#: Doors that look at a bearer token and never at a cookie.
_TOKEN_DOORS = (
    "/api/",
    "/mcp",
    "/oauth/register",
    "/oauth/token",
    "/oauth/revoke",
    "/register",
    "/token",
)
_FOREIGN = Reply(
    403,
    b"This request did not come from a page of this site. Go back, reload the page and try again.",
    {"content-type": "text/plain; charset=utf-8", "cache-control": "no-store"},
)
_COMMON = [(b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"same-origin")]
_HSTS = (b"strict-transport-security", b"max-age=31536000")


class Edge:
    """Wraps the whole app, its errors included; counts in the house what its API doors answer."""

    def __init__(self, app: ASGIApp, settings: Settings, house: House | None = None) -> None:
        self._app = app
        self._house = house
        self._trusted = [ipaddress.ip_network(n, strict=False) for n in settings.trusted_proxies]
        self._public_url = settings.public_url
        self._headers = list(_COMMON)
        if settings.public_url.startswith("https://"):
            self._headers.append(_HSTS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP:
            await self._visit(http(scope), receive, send)
        else:
            await self._app(scope, receive, send)

    async def _visit(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        path = scope["path"]
        visit = Visit(_request_id(), client_address(scope, self._trusted))
        scope["unsession"] = visit  # type: ignore[typeddict-unknown-key]  # our own key
        status = 500
        extra = [*self._headers, (b"x-request-id", visit.request_id.encode())]

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *extra]
            await send(message)

        try:
            if is_foreign(scope, self._public_url):
                await send_reply(send_with_headers, _FOREIGN)
                return
            await self._app(scope, receive, send_with_headers)
        finally:
            seconds = time.perf_counter() - started
            if not path.startswith(_QUIET):
                self._count(path, status, seconds, visit)
                log.info(
                    "request",
                    request_id=visit.request_id,
                    method=scope["method"],
                    path=without_secret(path),
                    status=status,
                    ms=round(seconds * 1000, 2),
                    actor=visit.actor,
                    operation=visit.operation,
                    **visit.told,
                )

    def _count(self, path: str, status: int, seconds: float, visit: Visit) -> None:
        if self._house is None:
            return
        if path in PATHS:
            self._house.metrics.asked(status, seconds, visit)
        elif path.startswith(PREFIX):
            self._house.metrics.called(status, seconds, visit)


def _request_id() -> str:
    # A name to find a line by and no secret: asking the system for randomness costs as much as
    # a look-up.
    return f"{random.getrandbits(64):016x}"


def is_foreign(scope: HTTPScope, public_url: str) -> bool:
    """Whether an unsafe request to a page comes from somewhere else than our own pages.

    Browsers say so by Sec-Fetch-Site; older ones at least by Origin. A request that says neither
    is refused as well, and so is one from another site of the same domain.
    """
    if scope["method"] in _SAFE or scope["path"].startswith(_TOKEN_DOORS):
        return False
    headers = headers_of(scope)
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site != "same-origin"
    return headers.get("origin") != public_url


def without_secret(path: str) -> str:
    """A path as it may be logged: without what follows a link's prefix, without any token."""
    for prefix in _SECRET_PATHS:
        if path.startswith(prefix) and len(path) > len(prefix):
            return f"{prefix}…"
    return _TOKEN.sub("uns_…", path) if "uns_" in path else path


def client_address(scope: Any, trusted: Sequence[Any]) -> str | None:
    """The client's address: from X-Forwarded-For only as far as trusted proxies vouch for it."""
    client = scope.get("client")
    address: str | None = client[0] if client else None
    if address is None or not trusted:
        return address
    forwarded = [
        value.decode("latin-1")
        for name, value in scope["headers"]
        if name.lower() == b"x-forwarded-for"
    ]
    hops = [hop.strip() for line in forwarded for hop in line.split(",") if hop.strip()]
    while hops and _is_in(address, trusted):
        address = hops.pop()
    return address


def _is_in(address: str, networks: Sequence[Any]) -> bool:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped:
        parsed = parsed.ipv4_mapped  # how a socket for both kinds shows an IPv4 peer
    return any(parsed in network for network in networks)
