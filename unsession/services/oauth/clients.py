"""Clients: programs that register themselves (RFC 7591), or whose id is a document's address."""

import datetime as dt
import secrets
from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta
from sqlalchemy import bindparam, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.oauth import MOST_REDIRECTS, ClientKind, redirect_problem
from unsession.domain.text import typed_line
from unsession.models import OauthClient
from unsession.services.principals import secret_hash

_PUBLIC = "none"
_METHODS = (_PUBLIC, "client_secret_post", "client_secret_basic")
_KEPT = ("client_uri", "software_id", "software_version", "application_type")
_LONGEST_NAME = 80


class BadMetadata(Exception):
    """What a client says of itself cannot be taken; ``code`` is RFC 7591's."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class ClientFound(msgspec.Struct, frozen=True):
    """A client as the consent page needs it."""

    id: str
    client_id: str
    kind: ClientKind
    name: str
    metadata: dict[str, Any]
    created_at: dt.datetime
    fresh_until: dt.datetime | None

    @property
    def redirect_uris(self) -> list[str]:
        """Where it may be answered."""
        uris: list[str] = self.metadata["redirect_uris"]
        return uris


_BY_CLIENT_ID = Prepared(
    select(
        col(OauthClient.id),
        col(OauthClient.client_id),
        col(OauthClient.kind),
        col(OauthClient.name),
        col(OauthClient.document).label("metadata"),
        col(OauthClient.created_at),
        col(OauthClient.fresh_until),
    ).where(col(OauthClient.client_id) == bindparam("client")),
    ClientFound,
)


async def client_of(ctx: Context, client_id: str) -> ClientFound | None:
    """The client of that id, as it was registered or last read."""
    rows = await ctx.all(_BY_CLIENT_ID, client=client_id)
    return rows[0] if rows else None


def checked(metadata: object) -> dict[str, Any]:
    """What of a client's metadata counts. Raises BadMetadata.

    Members nobody here knows are dropped, as are grants and scopes there are not: clients send
    whatever their library has. An address that could run script or leave the network path is not.
    """
    if not isinstance(metadata, dict):
        raise BadMetadata("invalid_client_metadata", "The body must be a JSON object.")
    uris = metadata.get("redirect_uris")
    if not isinstance(uris, list) or not 1 <= len(uris) <= MOST_REDIRECTS:
        raise BadMetadata(
            "invalid_redirect_uri", f"redirect_uris must hold 1 to {MOST_REDIRECTS} addresses."
        )
    for number, uri in enumerate(uris):
        problem = redirect_problem(uri)
        if problem is not None:
            raise BadMetadata("invalid_redirect_uri", f"redirect_uris[{number}] {problem}.")
    method = metadata.get("token_endpoint_auth_method", "client_secret_basic")
    if method not in _METHODS:
        raise BadMetadata(
            "invalid_client_metadata",
            f"token_endpoint_auth_method must be one of {', '.join(_METHODS)}.",
        )
    for name in ("grant_types", "response_types"):
        value = metadata.get(name)
        if value is not None and not (
            isinstance(value, list) and all(isinstance(one, str) for one in value)
        ):
            raise BadMetadata("invalid_client_metadata", f"{name} must be a list of texts.")
    grants = metadata.get("grant_types") or ["authorization_code"]
    if "authorization_code" not in grants:
        raise BadMetadata("invalid_client_metadata", "grant_types needs authorization_code.")
    named = metadata.get("client_name")
    if named is not None and not isinstance(named, str):
        raise BadMetadata("invalid_client_metadata", "client_name must be text.")
    shown = typed_line(named or "")[:_LONGEST_NAME].strip() or urlsplit(uris[0]).hostname or "Agent"
    kept = {one: metadata[one][:500] for one in _KEPT if isinstance(metadata.get(one), str)}
    return {
        **kept,
        "client_name": shown,
        "redirect_uris": uris,
        "token_endpoint_auth_method": method,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "scope": "read write",
    }


class RegisterClient(Input):
    """What a client says of itself, checked by the door."""

    metadata: Annotated[dict[str, Any], Meta(description="RFC 7591, as checked() leaves it.")]


class Registered(msgspec.Struct, frozen=True):
    """A client with its secret, which is shown once; None for a public one."""

    client_id: str
    secret: str | None
    issued_at: dt.datetime


@page_operation(
    needs=Permission.ACCOUNT_ENTER, because="a client registers itself, by OAuth's own rules"
)
async def register_client(ctx: Context, args: RegisterClient) -> Registered:
    """Remember a client. It may do nothing until a person allows it something."""
    public = args.metadata["token_endpoint_auth_method"] == _PUBLIC
    secret = None if public else "unsc_" + secrets.token_urlsafe(32)
    client = OauthClient(
        client_id=f"client_{secrets.token_hex(16)}",
        kind=ClientKind.REGISTERED,
        name=args.metadata["client_name"],
        secret_hash=secret_hash(secret) if secret else None,
        document=args.metadata,
    )
    ctx.session.add(client)
    await ctx.session.flush()
    ctx.writing.about(
        client, f"Client “{client.name}” registered itself", workspace_id=None, event_id=None
    )
    return Registered(client.client_id, secret, client.created_at)


class RememberClient(Input):
    """A client's document as it was just read."""

    client_id: Annotated[str, Meta(max_length=500, description="Its address.")]
    metadata: Annotated[dict[str, Any], Meta(description="As checked() leaves it.")]
    fresh_until: Annotated[dt.datetime, Meta(tz=True, description="When to read it again.")]


class Remembered(msgspec.Struct, frozen=True):
    """The client's own id here."""

    id: str


@page_operation(
    needs=Permission.ACCOUNT_ENTER, because="a client's document is read when a person is sent here"
)
async def remember_client(ctx: Context, args: RememberClient) -> Remembered:
    """Remember, or renew, a client whose id is the address of its metadata document."""
    found = await ctx.session.execute(
        select(OauthClient).where(col(OauthClient.client_id) == args.client_id).with_for_update()
    )
    client = found.scalar_one_or_none()
    if client is None:
        client = OauthClient(
            client_id=args.client_id, kind=ClientKind.DOCUMENT, name="", document={}
        )
        ctx.session.add(client)
    client.name = args.metadata["client_name"]
    client.document = dict(args.metadata)
    client.fresh_until = args.fresh_until
    await ctx.session.flush()
    ctx.writing.about(
        client, f"Client “{client.name}” known by its document", workspace_id=None, event_id=None
    )
    return Remembered(client.id)


def document_of(client_id: str, document: object) -> dict[str, Any]:
    """What counts of a client-ID metadata document. Raises BadMetadata.

    It must name its own address, and is public: nobody can keep a secret in a document.
    """
    if not isinstance(document, Mapping) or document.get("client_id") != client_id:
        raise BadMetadata("invalid_client_metadata", "The document must name its own address.")
    return checked({**document, "token_endpoint_auth_method": "none"})
