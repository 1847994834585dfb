"""Client-ID metadata documents: read from where they say they are, and from nowhere else.

Only https, only public addresses, each name resolved once and that address used, no redirects,
at most 16 KiB within five seconds (draft-ietf-oauth-client-id-metadata-document).
"""

import asyncio
import datetime as dt
import ipaddress
import socket
import ssl
from typing import Any
from urllib.parse import urlsplit

import httpx
import msgspec
import structlog

from unsession.access import visitor_actor
from unsession.catalogue import OPERATIONS, Request as Call, call, parse
from unsession.context import Context
from unsession.db.types import utc_now
from unsession.services.oauth.clients import BadMetadata, ClientFound, client_of, document_of
from unsession.web.house import House
from unsession.web.pages import AnyRequest
from unsession.web.wire import visit_of

log = structlog.get_logger(__name__)

_SECONDS = 5
_MOST_BYTES = 16_384
_FRESH = dt.timedelta(hours=1)
_LONGEST_ADDRESS = 500


class Unreadable(Exception):
    """The document cannot be had, or not safely."""


async def fetched_client(
    house: House, request: AnyRequest, ctx: Context, client_id: str
) -> ClientFound | None:
    """The client of a document's address; read again when it is no longer fresh.

    When it cannot be read now, what was read before still counts; else None.
    """
    known = await client_of(ctx, client_id)
    if known is not None and known.fresh_until is not None and known.fresh_until > ctx.now:
        return known
    if not house.settings.client_documents or not is_document_address(client_id):
        return known
    try:
        metadata = document_of(client_id, await read_document(client_id))
    except (Unreadable, BadMetadata) as wrong:
        log.info("client_document_unreadable", why=str(wrong))
        return known
    operation = OPERATIONS["remember_client"]
    wire = {
        "clientId": client_id,
        "metadata": metadata,
        "freshUntil": (utc_now() + _FRESH).isoformat(),
    }
    asked = Call(visitor_actor(), house.db, house.settings, visit_of(request.scope).request_id)
    await call(asked, operation, parse(operation.input, wire))
    return await client_of(ctx, client_id)


def is_document_address(client_id: str) -> bool:
    """Whether a client id can be a document's address: https, a path, nothing that hides."""
    try:
        parts = urlsplit(client_id)
        port = parts.port
    except ValueError:
        return False
    plain = not parts.fragment and not parts.username and not parts.password
    return (
        parts.scheme == "https"
        and bool(parts.hostname)
        and parts.path not in ("", "/")
        and ".." not in parts.path.split("/")
        and port in (None, 443)
        and plain
        and len(client_id) <= _LONGEST_ADDRESS
    )


async def read_document(address: str, trust: ssl.SSLContext | None = None) -> Any:
    """The JSON at an address. Raises Unreadable.

    ``trust`` says whose certificates count, by default everybody's usual ones.
    """
    try:
        async with asyncio.timeout(_SECONDS):
            target = await _public_address(urlsplit(address).hostname or "")
            return await read_at(target, address, trust)
    except (OSError, TimeoutError, httpx.HTTPError) as error:
        raise Unreadable(type(error).__name__) from None


async def read_at(target: str, address: str, trust: ssl.SSLContext | None = None) -> Any:
    """The JSON at an address whose name is not asked again: ``target`` is where it stands."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    shown = f"[{target}]" if ":" in target else target
    # The address that was checked is the one that is asked, under the name it was found by.
    port = f":{parts.port}" if parts.port else ""
    asked = parts._replace(netloc=shown + port).geturl()
    headers = {"host": host, "accept": "application/json", "accept-encoding": "identity"}
    async with (
        httpx.AsyncClient(
            timeout=_SECONDS, follow_redirects=False, trust_env=False, verify=trust or True
        ) as client,
        client.stream("GET", asked, headers=headers, extensions={"sni_hostname": host}) as answer,
    ):
        if answer.status_code != httpx.codes.OK:
            raise Unreadable("it does not answer 200")
        body = b""
        async for chunk in answer.aiter_raw():
            body += chunk
            if len(body) > _MOST_BYTES:
                raise Unreadable("it is too long")
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        raise Unreadable("it is not JSON") from None


async def _public_address(host: str) -> str:
    """The one address of a name that is used, if every address it has is public."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, 443, type=socket.SOCK_STREAM)
    addresses = [info[4][0] for info in found]
    if not addresses or not all(_is_public(str(one)) for one in addresses):
        raise Unreadable("its address is not public")
    return str(addresses[0])


def _is_public(address: str) -> bool:
    ip = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(ip, "ipv4_mapped", None)
    return (mapped or ip).is_global and not ip.is_multicast
