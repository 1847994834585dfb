"""Sessions: the list, one to change, and new ones that were not submitted."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.domain.sessions import SessionKind, SessionStatus
from unsession.domain.text import fold
from unsession.errors import NotFound, Refusal
from unsession.services.sessions.board import OptionRow, options, speaker_names
from unsession.services.sessions.reading import SessionFull, SessionRow
from unsession.services.sessions.verbs import CreateSession, UpdateSession
from unsession.web.admin.shell import Desk, Shell, desk
from unsession.web.house import House
from unsession.web.pages import (
    AnyRequest,
    FormFault,
    PageResponse,
    act,
    faults_of,
    go,
    show,
)
from unsession.web.posted import Posted, arguments, posted
from unsession.web.rendering import page

KIND_WORDS = {
    SessionKind.TALK: "Talk",
    SessionKind.SPONSOR: "Sponsor session",
    SessionKind.SERVICE: "Service",
}
STATUS_WORDS = {SessionStatus.PENDING: "Pending", SessionStatus.CONFIRMED: "Confirmed"}
_NAMED = re.compile(r"(.*?)\s*<([^<>\s]+@[^<>\s]+)>")

Choices = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A row of the list."""

    row: SessionRow
    kind: str
    status: str


@page("admin/schedule/sessions.html")
@dataclass(frozen=True, slots=True)
class SessionsPage:
    """``/app/{event}/sessions``."""

    shell: Shell
    rows: tuple[SessionLine, ...]
    total: int
    q: str
    kind: str
    state: str
    kinds: Choices
    next_page: str


@page("admin/schedule/session_new.html")
@dataclass(frozen=True, slots=True)
class NewSessionPage:
    """A session to add."""

    shell: Shell
    kinds: Choices
    tracks: Choices
    formats: Choices
    levels: Choices
    values: Mapping[str, str]
    faults: tuple[FormFault, ...]


@page("admin/schedule/session.html")
@dataclass(frozen=True, slots=True)
class SessionPage:
    """A session to read and change."""

    shell: Shell
    session: SessionFull
    kind: str
    status: str
    tracks: Choices
    formats: Choices
    levels: Choices
    values: Mapping[str, str]
    public: bool
    faults: tuple[FormFault, ...]


def session_routes(house: House) -> list[HTTPRouteHandler]:
    """List, new, one."""

    @get("/app/{slug:str}/sessions")
    async def sessions(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "sessions", Permission.SESSION_READ)
        return show(await _list(house, request, at))

    @get("/app/{slug:str}/sessions/new")
    async def new(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "sessions", Permission.SESSION_READ)
        kind = request.query_params.get("kind", "talk")
        return show(await _new(at, {"kind": kind}))

    @post("/app/{slug:str}/sessions/new")
    async def create(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "sessions", Permission.SESSION_READ)
        form = await posted(request)
        try:
            done = await act(house, request, at.actor, "create_session", await _created(at, form))
        except Refusal as refusal:
            faults = faults_of(refusal)
            return show(await _new(at, form.values(), faults), refusal.http_status)
        return go(f"/app/{slug}/sessions/{done.result.code}", done=done.activity_id)

    @get("/app/{slug:str}/sessions/{code:str}")
    async def one(request: AnyRequest, slug: FromPath[str], code: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "sessions", Permission.SESSION_READ)
        return show(await _one(house, request, at, code))

    @post("/app/{slug:str}/sessions/{code:str}")
    async def change(request: AnyRequest, slug: FromPath[str], code: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "sessions", Permission.SESSION_READ)
        form = await posted(request)
        wire = {"session": code, "event": at.event.id, **_changes(form)}
        try:
            done = await act(house, request, at.actor, "update_session", wire)
        except NotFound:
            raise
        except Refusal as refusal:
            context = await _one(house, request, at, code, form, faults_of(refusal))
            return show(context, refusal.http_status)
        return go(f"/app/{slug}/sessions/{done.result.code}", done=done.activity_id)

    return [sessions, new, create, one, change]


async def _list(house: House, request: AnyRequest, at: Desk) -> SessionsPage:
    asked = request.query_params
    q, kind, state = asked.get("q", "").strip(), asked.get("kind", ""), asked.get("state", "")
    wire: dict[str, object] = {"event": at.event.id, "limit": 100}
    if q:
        wire["q"] = q
    if kind in list(SessionKind):
        wire["kind"] = kind
    if state in ("placed", "unplaced"):
        wire["placed"] = state == "placed"
    elif state in ("confirmed", "pending"):
        wire["confirmed"] = state == "confirmed"
    if "cursor" in asked:
        wire["cursor"] = asked["cursor"]
    found = (await act(house, request, at.actor, "list_sessions", wire)).result
    return SessionsPage(
        shell=at.shell,
        rows=tuple(
            SessionLine(row, KIND_WORDS[row.kind], STATUS_WORDS[row.status]) for row in found.items
        ),
        total=found.total,
        q=q,
        kind=kind,
        state=state,
        kinds=tuple((one.value, words) for one, words in KIND_WORDS.items()),
        next_page=found.next_cursor or "",
    )


async def _new(
    at: Desk, values: Mapping[str, str], faults: tuple[FormFault, ...] = ()
) -> NewSessionPage:
    found = await options(at.ctx, at.event.id)
    return NewSessionPage(
        shell=at.shell,
        kinds=tuple((kind.value, words) for kind, words in KIND_WORDS.items()),
        tracks=choices(found, "track"),
        formats=choices(found, "format"),
        levels=choices(found, "level"),
        values=values,
        faults=faults,
    )


async def _one(
    house: House,
    request: AnyRequest,
    at: Desk,
    code: str,
    form: Posted | None = None,
    faults: tuple[FormFault, ...] = (),
) -> SessionPage:
    wire = {"session": code, "event": at.event.id}
    session: SessionFull = (await act(house, request, at.actor, "get_session", wire)).result
    found = await options(at.ctx, at.event.id)
    return SessionPage(
        shell=at.shell,
        session=session,
        kind=KIND_WORDS[session.kind],
        status=STATUS_WORDS[session.status],
        tracks=choices(found, "track"),
        formats=choices(found, "format"),
        levels=choices(found, "level"),
        values=form.values() if form else _values(session),
        public=form.checked("public") if form else session.public,
        faults=faults,
    )


def choices(found: Sequence[OptionRow], key: str) -> Choices:
    """The options of one taxonomy, for a select."""
    return tuple((one.id, one.name) for one in found if one.key == key)


def _values(session: SessionFull) -> dict[str, str]:
    return {
        "title": session.title,
        "abstract": session.abstract,
        "track": session.track.id if session.track else "",
        "format": session.format.id if session.format else "",
        "level": session.level.id if session.level else "",
        "minutes": str(session.minutes),
        "sponsorName": session.sponsor_name or "",
        "sponsorBadge": session.sponsor_badge or "",
    }


def _changes(form: Posted) -> dict[str, object]:
    """What the form of one session says, whole: an empty field clears."""
    clears = ("track", "format", "level", "sponsorName", "sponsorBadge")
    wire = arguments(
        UpdateSession, form, ("title", "minutes", "version", *clears), clearable=clears
    )
    if form.get("minutes") == form.get("wasMinutes"):  # so that another format brings its own
        wire.pop("minutes", None)
    wire["abstract"] = form.get("abstract")
    wire["public"] = form.checked("public")
    return wire


async def _created(at: Desk, form: Posted) -> dict[str, object]:
    wire = arguments(
        CreateSession,
        form,
        (
            "kind",
            "title",
            "abstract",
            "track",
            "format",
            "level",
            "minutes",
            "sponsorName",
            "sponsorBadge",
        ),
    )
    wire["event"] = at.event.id
    known = await speaker_names(at.ctx, at.event.id)
    people = [_invited(line, known) for line in form.get("speakers").splitlines() if line.strip()]
    if people:
        wire["speakers"] = people
    return wire


def _invited(line: str, known: frozenset[str]) -> dict[str, str]:
    """A line of the form: ``Name <address>``, the name of a speaker there is, or a new name."""
    if matched := _NAMED.fullmatch(line.strip()):
        return {"name": matched[1] or matched[2], "address": matched[2]}
    name = line.strip()
    return {"speaker": name} if fold(name) in known else {"name": name}
