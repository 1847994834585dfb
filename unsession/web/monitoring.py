"""`GET /metrics`: for a monitor on this machine or with the token; for others it is not there."""

import hmac
import ipaddress
from typing import Any

from litestar import Request, Response, get
from litestar.exceptions import NotFoundException
from litestar.handlers import HTTPRouteHandler

from unsession.services import delivery
from unsession.web.house import House

#: What a proxy adds: behind one, the peer is the proxy and says nothing about who asks.
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")


def monitoring_routes(house: House) -> list[HTTPRouteHandler]:
    """/metrics."""

    @get("/metrics")
    async def metrics(request: Request[Any, Any, Any]) -> Response[bytes]:
        if not _may_read(request, house.settings.metrics_token):
            raise NotFoundException
        lag = house.worker_lag() if house.worker_lag is not None else None
        text, kind = house.metrics.text(await delivery.by_status(house.db), lag)
        return Response(text, headers={"content-type": kind, "cache-control": "no-store"})

    return [metrics]


def _may_read(request: Request[Any, Any, Any], token: str) -> bool:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if token and scheme.lower() == "bearer":
        return hmac.compare_digest(secret.strip().encode(), token.encode())
    if any(name in request.headers for name in _FORWARDED):
        return False
    return request.client is not None and _is_loopback(request.client.host)


def _is_loopback(address: str) -> bool:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped:
        parsed = parsed.ipv4_mapped
    return parsed.is_loopback
