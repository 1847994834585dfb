"""Consent: who asks, for what, and a person's yes or no.

What the client asked rides, sealed, in the form, so that what a person saw is what they allow.
Until the client and its address are known to be right, nothing is redirected: the person is told.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec
from litestar import Response, get, post
from litestar.handlers import HTTPRouteHandler

from unsession.access import Actor, Permission
from unsession.db.types import utc_now
from unsession.domain.oauth import (
    ClientKind,
    Resource,
    is_challenge,
    is_loopback,
    is_redirect_of,
    resource_of,
    scopes_in,
)
from unsession.errors import Refusal
from unsession.seal import BrokenSeal, Purpose, seal, unseal
from unsession.services import overview
from unsession.services.oauth.clients import ClientFound, client_of
from unsession.services.tokens import homes_of
from unsession.web.admin.shell import reading
from unsession.web.house import House
from unsession.web.oauth.documents import fetched_client
from unsession.web.pages import (
    AnyRequest,
    FormFault,
    PageResponse,
    act,
    faults_of,
    person_of,
    show,
)
from unsession.web.posted import posted
from unsession.web.rendering import page

_ANSWER_WITHIN = dt.timedelta(minutes=30)
_ENDS = (("7", "in 7 days"), ("90", "in 90 days"), ("", "when I end it"))


@page("oauth/refused.html")
@dataclass(frozen=True, slots=True)
class RefusedPage:
    """A request that cannot be answered where it came from, and what the person can do."""

    sentence: str


@page("oauth/consent.html")
@dataclass(frozen=True, slots=True)
class ConsentPage:
    """Who asks, and what a person may allow them."""

    person: str
    client: str
    known_by: str  #: the address of its document; empty: it registered itself
    registered: dt.datetime
    redirect: str
    local: bool
    sealed: str
    workspaces: tuple[tuple[str, str], ...]
    events: tuple[tuple[str, str], ...]
    ends: tuple[tuple[str, str], ...]
    may_write: bool  #: whether it asked to
    values: Mapping[str, str]
    faults: tuple[FormFault, ...]
    form_action: str  #: whose page the answer leads to; the page's own policy allows it


class Asked(msgspec.Struct, frozen=True):
    """A request whose client, address and challenge are right."""

    client: str
    redirect: str
    challenge: str
    scope: tuple[str, ...]
    resource: Resource
    state: str | None
    person: str
    until: int


class _Shown(Exception):
    """What is wrong must be said here: nobody knows yet that the client's address is its own."""


class _SentBack(Exception):
    """What is wrong is the client's to hear (RFC 6749 §4.1.2.1)."""

    def __init__(self, error: str, description: str) -> None:
        super().__init__(description)
        self.error = error
        self.description = description


def authorize_routes(house: House) -> list[HTTPRouteHandler]:
    """``/oauth/authorize`` and its root alias."""

    @get(["/oauth/authorize", "/authorize"])
    async def ask(request: AnyRequest) -> PageResponse:
        actor = await person_of(house, request)
        query = parse_qsl(
            request.scope["query_string"].decode("latin-1"),
            keep_blank_values=True,
            max_num_fields=40,
        )
        given = dict(query)
        try:
            client = await _client(house, request, actor, given)
            redirect = _redirect(client, given)
        except _Shown as wrong:
            return show(RefusedPage(str(wrong)), 400)
        try:
            asked = _asked(house, actor, client, redirect, query)
        except _SentBack as wrong:
            return _back(
                house,
                redirect,
                given.get("state"),
                error=wrong.error,
                error_description=wrong.description,
            )
        return show(await _page(house, request, actor, client, asked))

    @post(["/oauth/authorize", "/authorize"])
    async def answer(request: AnyRequest) -> PageResponse:
        actor = await person_of(house, request)
        form = await posted(request)
        asked = _opened(house, actor, form.get("asked"))
        if asked is None:
            return show(
                RefusedPage(
                    "This page was open too long, or for somebody else. Go back to the program "
                    "and connect it again."
                ),
                400,
            )
        if form.get("answer") != "allow":
            return _back(
                house,
                asked.redirect,
                asked.state,
                error="access_denied",
                error_description="The person said no.",
            )
        ctx = reading(house, request, actor, Permission.SELF_READ)
        client = await client_of(ctx, asked.client)
        if client is None:
            return show(RefusedPage("This program is not known here any more."), 400)
        wire = _wire(client, asked, form.values())
        try:
            done = await act(house, request, actor, "allow_connection", wire)
        except Refusal as refusal:
            context = await _page(
                house, request, actor, client, asked, form.values(), faults_of(refusal)
            )
            return show(context, refusal.http_status)
        return _back(house, asked.redirect, asked.state, code=done.result.code)

    return [ask, answer]


def _wire(client: ClientFound, asked: Asked, values: Mapping[str, str]) -> dict[str, Any]:
    """What a person allowed, in the operation's words: never more than was asked for."""
    writes = values.get("scope") == "write" and "write" in asked.scope
    wire: dict[str, Any] = {
        "client": client.id,
        "workspace": values.get("workspace", ""),
        "scope": "write" if writes else "read",
        "resource": str(asked.resource),
        "redirect": asked.redirect,
        "challenge": asked.challenge,
        "approval": values.get("approval") or "preview",
    }
    if values.get("where") == "event":
        wire["event"] = values.get("event", "")
    if values.get("ends"):
        try:
            wire["endsAt"] = (utc_now() + dt.timedelta(days=int(values["ends"]))).isoformat()
        except (ValueError, OverflowError):
            wire["endsAt"] = values["ends"]
    return wire


async def _client(
    house: House, request: AnyRequest, actor: Actor, given: Mapping[str, str]
) -> ClientFound:
    """The client that asks. Raises _Shown when there is none."""
    client_id = given.get("client_id", "")
    ctx = reading(house, request, actor, Permission.SELF_READ)
    if client_id.startswith("https://"):
        client = await fetched_client(house, request, ctx, client_id)
    else:
        client = await client_of(ctx, client_id) if client_id else None
    if client is None:
        raise _Shown(
            "The program that sent you here is not known. Remove the connection in that program "
            "and add it again; it then registers itself anew."
        )
    return client


def _redirect(client: ClientFound, given: Mapping[str, str]) -> str:
    """Where the answer goes. Raises _Shown unless it is one of the client's own addresses."""
    redirect = given.get("redirect_uri")
    if redirect is None and len(client.redirect_uris) == 1:
        redirect = client.redirect_uris[0]
    if redirect is None or not is_redirect_of(client.redirect_uris, redirect):
        raise _Shown(
            "The program wants its answer at an address it did not register, so nothing was sent "
            "there. Remove the connection in that program and add it again."
        )
    return redirect


def _asked(
    house: House,
    actor: Actor,
    client: ClientFound,
    redirect: str,
    query: list[tuple[str, str]],
) -> Asked:
    """The request, checked. Raises _SentBack with OAuth's own error codes."""
    names = [name for name, _ in query if name != "resource"]
    given = dict(query)
    if len(names) != len(set(names)):
        raise _SentBack("invalid_request", "A parameter is given twice.")
    if given.get("response_type") != "code":
        raise _SentBack("unsupported_response_type", "response_type must be code.")
    if given.get("code_challenge_method") != "S256":
        raise _SentBack("invalid_request", "code_challenge_method must be S256.")
    if not is_challenge(given.get("code_challenge", "")):
        raise _SentBack("invalid_request", "code_challenge must be 43 to 128 characters (S256).")
    asked_resources = [value for name, value in query if name == "resource"]
    resource = resource_of(asked_resources, house.settings.public_url)
    if resource is None:
        raise _SentBack("invalid_target", "The resource is not one of this server.")
    scopes = scopes_in(given.get("scope"))
    if given.get("scope", "").split() and not scopes and not _only_known(given["scope"]):
        raise _SentBack("invalid_scope", "The scopes are read and write.")
    return Asked(
        client=client.client_id,
        redirect=redirect,
        challenge=given["code_challenge"],
        scope=scopes or ("read", "write"),
        resource=resource,
        state=given.get("state"),
        person=actor.id,
        until=int((utc_now() + _ANSWER_WITHIN).timestamp()),
    )


def _only_known(scope: str) -> bool:
    """Whether nothing but what clients ask everywhere stands there: refreshing is always given."""
    return set(scope.split()) <= {"offline_access", "openid"}


def _opened(house: House, actor: Actor, sealed: str) -> Asked | None:
    """The request a form carries, if this person was shown it a while ago and no longer."""
    try:
        value = unseal(house.settings.secret_key, Purpose.CONSENT, sealed)
        asked = msgspec.convert(value, Asked)
    except (BrokenSeal, msgspec.ValidationError, msgspec.DecodeError):
        return None
    if asked.person != actor.id or asked.until < utc_now().timestamp():
        return None
    return asked


async def _page(
    house: House,
    request: AnyRequest,
    actor: Actor,
    client: ClientFound,
    asked: Asked,
    values: Mapping[str, str] | None = None,
    faults: tuple[FormFault, ...] = (),
) -> ConsentPage:
    ctx = reading(house, request, actor, Permission.SELF_READ)
    homes = await homes_of(ctx)
    events = await overview.events_of(ctx)
    scope = "write" if "write" in asked.scope else "read"
    return ConsentPage(
        person=actor.name,
        client=client.name,
        known_by=client.client_id if client.kind is ClientKind.DOCUMENT else "",
        registered=client.created_at,
        redirect=asked.redirect,
        local=is_loopback(asked.redirect),
        sealed=seal(house.settings.secret_key, Purpose.CONSENT, msgspec.to_builtins(asked)),
        workspaces=tuple((one.id, one.name) for one in homes),
        events=tuple((event.id, event.name) for event in events),
        ends=_ENDS,
        may_write="write" in asked.scope,
        values=values or {"scope": scope, "approval": "preview", "ends": "90", "where": "all"},
        faults=faults,
        form_action=_origin(asked.redirect),
    )


def _origin(redirect: str) -> str:
    """What the page's policy must let the answer lead to: an origin, or an editor's scheme."""
    parts = urlsplit(redirect)
    if parts.scheme in ("http", "https"):
        return f"{parts.scheme}://{parts.netloc}"
    return f"{parts.scheme}:"


def _back(house: House, redirect: str, state: str | None, **answer: str) -> PageResponse:
    """Lead the browser back to the client, with the issuer in every answer (RFC 9207)."""
    told = {**answer, "iss": house.settings.public_url}
    if state is not None:
        told["state"] = state
    joined = "&" if urlsplit(redirect).query else "?"
    headers = {
        "location": f"{redirect}{joined}{urlencode(told)}",
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
    }
    return Response(b"", status_code=302, headers=headers)
