"""Tokens: made, shown once, ended; and how to connect with one."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from litestar import get, post
from litestar.handlers import HTTPRouteHandler

from unsession.access import Actor, Permission
from unsession.errors import Refusal
from unsession.services import overview
from unsession.services.oauth.connections import ConnectionRow, connections_of
from unsession.services.tokens import TokenRow, homes_of, tokens_of
from unsession.web.admin.shell import Shell, reading, shell
from unsession.web.house import House
from unsession.web.pages import (
    AnyRequest,
    FormFault,
    PageResponse,
    act,
    faults_of,
    go,
    person_of,
    show,
)
from unsession.web.posted import posted
from unsession.web.rendering import page


@dataclass(frozen=True, slots=True)
class NewSecret:
    """A secret that is shown now and never again."""

    name: str
    secret: str


@dataclass(frozen=True, slots=True)
class Changing:
    """The row whose form is open, and where the form goes."""

    row: TokenRow | ConnectionRow
    action: str
    field: str


@page("admin/connections.html")
@dataclass(frozen=True, slots=True)
class ConnectionsPage:
    """One's tokens, a form for another, and what to do with it."""

    shell: Shell
    tokens: tuple[TokenRow, ...]
    connections: tuple[ConnectionRow, ...]
    workspaces: tuple[tuple[str, str], ...]
    events: tuple[tuple[str, str], ...]
    values: Mapping[str, str]
    faults: tuple[FormFault, ...]
    fresh: NewSecret | None
    changing: Changing | None
    endpoint: str
    api: str


def connection_routes(house: House) -> list[HTTPRouteHandler]:
    """The page at /app/api."""

    @get("/app/api")
    async def connections(request: AnyRequest) -> PageResponse:
        actor = await person_of(house, request)
        change = request.query_params.get("change", "")
        return show(await _page(house, request, actor, change=change))

    @post("/app/api")
    async def create(request: AnyRequest) -> PageResponse:
        actor = await person_of(house, request)
        form = await posted(request)
        wire: dict[str, Any] = {
            "workspace": form.get("workspace"),
            "name": form.get("name"),
            "scope": form.get("scope"),
            "approval": form.get("approval") or "never",
        }
        if form.get("event"):
            wire["event"] = form.get("event")
        if form.get("expires"):
            wire["expiresAt"] = _end_of(form.get("expires"))
        try:
            made = await act(house, request, actor, "create_token", wire)
        except Refusal as refusal:
            faults = faults_of(refusal, {"expiresAt": "expires"})
            context = await _page(house, request, actor, form.values(), faults)
            return show(context, refusal.http_status)
        fresh = NewSecret(made.result.name, made.result.secret)
        return show(await _page(house, request, actor, fresh=fresh), 201)

    @post("/app/api/revoke")
    async def revoke(request: AnyRequest) -> PageResponse:
        actor = await person_of(house, request)
        form = await posted(request)
        try:
            await act(house, request, actor, "revoke_token", {"token": form.get("token")})
        except Refusal as refusal:
            context = await _page(house, request, actor, faults=faults_of(refusal))
            return show(context, refusal.http_status)
        return go("/app/api")

    @post("/app/api/change")
    async def change_token(request: AnyRequest) -> PageResponse:
        return await _change(house, request, "change_token", "token")

    @post("/app/api/connections/change")
    async def change_connection(request: AnyRequest) -> PageResponse:
        return await _change(house, request, "change_connection", "connection")

    @post("/app/api/connections/end")
    async def end(request: AnyRequest) -> PageResponse:
        actor = await person_of(house, request)
        form = await posted(request)
        wire = {"connection": form.get("connection")}
        try:
            done = await act(house, request, actor, "end_connection", wire)
        except Refusal as refusal:
            context = await _page(house, request, actor, faults=faults_of(refusal))
            return show(context, refusal.http_status)
        return go("/app/api", done=done.activity_id)

    return [connections, create, revoke, change_token, change_connection, end]


async def _change(house: House, request: AnyRequest, name: str, field: str) -> PageResponse:
    """One row of the page renamed or narrowed."""
    actor = await person_of(house, request)
    form = await posted(request)
    wire: dict[str, Any] = {
        field: form.get(field),
        "name": form.get("change_name"),
        "readOnly": bool(form.get("readOnly")),
    }
    for key in ("event", "approval"):
        if form.get(f"change_{key}"):
            wire[key] = form.get(f"change_{key}")
    try:
        done = await act(house, request, actor, name, wire)
    except Refusal as refusal:
        ids = {key: f"change_{key}" for key in ("name", "event", "approval")}
        context = await _page(
            house, request, actor, form.values(), faults_of(refusal, ids), change=form.get(field)
        )
        return show(context, refusal.http_status)
    return go("/app/api", done=done.activity_id)


def _changing(
    row_id: str, tokens: Sequence[TokenRow], connections: Sequence[ConnectionRow]
) -> Changing | None:
    for token in tokens:
        if token.id == row_id:
            return Changing(token, "/app/api/change", "token")
    for connection in connections:
        if connection.id == row_id:
            return Changing(connection, "/app/api/connections/change", "connection")
    return None


def _end_of(day: str) -> str:
    """The end of a day, UTC, as an instant; what is no day is refused by the operation."""
    try:
        start = dt.datetime.combine(dt.date.fromisoformat(day), dt.time(), dt.UTC)
        return (start + dt.timedelta(days=1)).isoformat()
    except (ValueError, OverflowError):
        return day


async def _page(
    house: House,
    request: AnyRequest,
    actor: Actor,
    values: Mapping[str, str] | None = None,
    faults: tuple[FormFault, ...] = (),
    fresh: NewSecret | None = None,
    change: str = "",
) -> ConnectionsPage:
    ctx = reading(house, request, actor, Permission.SELF_READ)
    frame = await shell(house, request, actor, "api")
    mine = await homes_of(ctx)
    events = await overview.events_of(ctx)
    tokens = [row for one in mine for row in await tokens_of(ctx, one.id)]
    connected = [row for one in mine for row in await connections_of(ctx, one.id)]
    changing = _changing(change, tokens, connected)
    if changing is not None:
        held = {"change_name": changing.row.name, "change_approval": changing.row.policy.value}
        values = {"scope": "read", "approval": "never", **held, **(values or {})}
    url = house.settings.public_url
    return ConnectionsPage(
        shell=frame,
        tokens=tuple(tokens),
        connections=tuple(connected),
        workspaces=tuple((one.id, one.name) for one in mine),
        events=tuple((event.slug, event.name) for event in events),
        values=values or {"scope": "read", "approval": "never"},
        faults=faults,
        fresh=fresh,
        changing=changing,
        endpoint=f"{url}/api/mcp",
        api=f"{url}/api/v1",
    )
