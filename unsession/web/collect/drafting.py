"""Drafts at the public form: kept while somebody types, gone on with later and elsewhere."""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from litestar import Response, get, post
from litestar.datastructures import Cookie
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Actor, ActorKind, Permission, holder_actor
from unsession.context import Context
from unsession.errors import Conflict, Refusal, TooMany
from unsession.services.collect.drafts import finding
from unsession.services.collect.drafts.finding import DraftFound
from unsession.services.collect.drafts.resuming import Resumable, resumable_by
from unsession.web.admin.shell import reading
from unsession.web.faults import ErrorPage
from unsession.web.house import House
from unsession.web.pages import (
    AnyRequest,
    FormFault,
    PageResponse,
    act,
    actor_of,
    cookie_name,
    faults_of,
    go,
    show,
)
from unsession.web.posted import Posted, posted
from unsession.web.rates import DRAFT_SAVES, DRAFTS_BEGUN, DRAFTS_SAVED
from unsession.web.rendering import page
from unsession.web.wire import visit_of

TRAP = "website"  #: a field that people never see and robots like to fill
KEY = re.compile(r"[A-Za-z0-9_-]{20,64}")
#: What a page sends about itself, and not of what is typed.
_ITS_OWN = frozenset({"do", "submit_key", "draft", "draft_version", "draft_address", "late", TRAP})
_MOST_KEYS = 10
_KEPT_FOR = 60 * 24 * 3600


@dataclass(frozen=True, slots=True)
class DraftNote:
    """What a page knows of its draft; without an id there is none yet."""

    id: str = ""
    version: int = 0
    saved: str = ""  #: when, in words; "" when this page has not saved
    bound: bool = False
    mailed: str = ""  #: the address a link went to just now


@dataclass(frozen=True, slots=True)
class OtherDraft:
    """Another draft of the same form."""

    id: str
    title: str
    touched: str


@page("collect/resume.html")
@dataclass(frozen=True, slots=True)
class ResumePage:
    """The button that uses a link up."""

    found: Resumable
    faults: tuple[FormFault, ...]


@dataclass(frozen=True, slots=True)
class Mine:
    """A draft of this browser's or this person's, and the key this browser holds of it."""

    key: str
    row: DraftFound

    def posted(self) -> Posted:
        """The page as it was when it was saved."""
        fields = {name: tuple(values) for name, values in self.row.typed.items() if values}
        return Posted({**fields, "submit_key": (self.key or secrets.token_urlsafe(24),)})


def typed_fields(sent: Posted) -> dict[str, list[str]]:
    """What was typed, without what the page says about itself."""
    return {name: list(values) for name, values in sent.fields.items() if name not in _ITS_OWN}


async def mine(ctx: Context, request: AnyRequest, form_id: str) -> Sequence[Mine]:
    """The drafts of a form that this browser or this person may go on with, the newest first."""
    held = [Mine(key, row) for key, row in await finding.of_keys(ctx, keys_of(request))]
    known = {one.row.id for one in held}
    owned = [Mine("", row) for row in await finding.of_person(ctx) if row.id not in known]
    found = [one for one in (*held, *owned) if one.row.form_id == form_id]
    return sorted(found, key=lambda one: one.row.touched_at, reverse=True)


def wire_of(event: str, form: str, sent: Posted) -> dict[str, Any]:
    """A page as the arguments of save_draft."""
    wire: dict[str, Any] = {
        "event": event,
        "form": form,
        "submitKey": sent.get("submit_key"),
        "draft": sent.get("draft"),
        "typed": typed_fields(sent),
        "late": sent.get("late"),
    }
    if sent.get("draft_version").isdecimal() and int(sent.get("draft_version")):
        wire["version"] = int(sent.get("draft_version"))
    return wire


def hold_back(house: House, request: AnyRequest, actor: Actor, sent: Posted) -> None:
    """Refuses with TooMany: by place, by page, and how many drafts are begun from one place."""
    who = actor.id if actor.kind is ActorKind.PERSON else visit_of(request.scope).address
    for key, rate in (
        (f"saves:{who}", DRAFTS_SAVED),
        (f"save:{sent.get('submit_key')}", DRAFT_SAVES),
        *([] if sent.get("draft") else [(f"drafts:{who}", DRAFTS_BEGUN)]),
    ):
        wait = house.limiter.take(key, rate)
        if wait is not None:
            message = f"Too much was saved from here within a short time. In {wait} seconds again."
            raise TooMany(message, retry_after=wait)


def keys_of(request: AnyRequest) -> list[str]:
    """The keys of drafts that this browser holds, the newest first."""
    sent = request.cookies.get("unsession-drafts") or request.cookies.get(
        "__Host-unsession-drafts", ""
    )
    return [key for key in sent.split(".") if KEY.fullmatch(key)][:_MOST_KEYS]


def remember(house: House, request: AnyRequest, answer: Response[Any], key: str) -> None:
    """Have the browser keep a draft's key; a script of the page never sees the cookie."""
    keys = [key, *(one for one in keys_of(request) if one != key)][:_MOST_KEYS]
    answer.set_cookie(
        Cookie(
            key=f"{cookie_name(house)}-drafts",
            value=".".join(keys),
            max_age=_KEPT_FOR,
            path="/",
            httponly=True,
            samesite="lax",
            secure=house.settings.public_url.startswith("https://"),
        )
    )


def drafting_routes(house: House) -> list[HTTPRouteHandler]:
    """Saving while typing, giving up, and the link of a mail."""

    @post("/{event:str}/{form:str}/draft")
    async def save(
        request: AnyRequest, event: FromPath[str], form: FromPath[str]
    ) -> Response[bytes]:
        actor = await actor_of(house, request)
        sent = await posted(request)
        try:
            hold_back(house, request, actor, sent)
            if sent.get(TRAP):
                raise Conflict("A field that nobody sees was filled in, as robots do.")
            outcome = await act(house, request, actor, "save_draft", wire_of(event, form, sent))
        except Refusal as refusal:
            told = {"error": refusal.message, "reason": refusal.facts.get("reason", refusal.code)}
            answer = json_answer(told, refusal.http_status)
            if isinstance(refusal, TooMany):
                answer.headers["retry-after"] = str(refusal.retry_after)
            return answer
        done = outcome.result
        answer = json_answer(
            {"draft": done.id, "version": done.version, "at": done.at, "bound": done.bound}
        )
        remember(house, request, answer, sent.get("submit_key"))
        return answer

    @post("/{event:str}/{form:str}/discard")
    async def discard(
        request: AnyRequest, event: FromPath[str], form: FromPath[str]
    ) -> PageResponse:
        actor = await actor_of(house, request)
        sent = await posted(request)
        ctx = reading(house, request, actor, Permission.SUBMISSION_SUBMIT)
        for one in await finding.of_keys(ctx, keys_of(request)):
            if one[1].id == sent.get("draft"):
                wire = {"submitKey": one[0]}
                await act(house, request, actor, "discard_draft", wire)
                return go(f"/{event}/{form}?new=1")
        if sent.get("draft") and actor.kind is ActorKind.PERSON:
            await act(house, request, actor, "discard_draft", {"draft": sent.get("draft")})
        return go(f"/{event}/{form}?new=1")

    @get("/draft/{secret:str}")
    async def resume(request: AnyRequest, secret: FromPath[str]) -> PageResponse:
        found = await resumable_by(house.db, secret)
        return show(ResumePage(found[1], ())) if found else _gone(request)

    @post("/draft/{secret:str}")
    async def resumed(request: AnyRequest, secret: FromPath[str]) -> PageResponse:
        found = await resumable_by(house.db, secret)
        if found is None:
            return _gone(request)
        link, key = found[0], secrets.token_urlsafe(24)
        actor = holder_actor(link.id, "whoever holds the link")
        try:
            wire = {"link": link.id, "submitKey": key}
            done = (await act(house, request, actor, "open_draft", wire)).result
        except Refusal as refusal:
            return show(ResumePage(found[1], faults_of(refusal)), refusal.http_status)
        answer = go(f"/{done.event}/{done.form}?draft={done.draft}")
        remember(house, request, answer, key)
        return answer

    return [save, discard, resume, resumed]


def json_answer(value: Any, status: int = 200) -> Response[bytes]:
    """An answer for a script of the page."""
    return Response(
        msgspec.json.encode(value),
        status_code=status,
        media_type="application/json",
        headers={"cache-control": "no-store"},
    )


def _gone(request: AnyRequest) -> PageResponse:
    sentence = (
        "This link goes on with nothing any more: it was used, ran out or was replaced by a newer "
        "one, or the draft was submitted. On the form's page you can ask for another."
    )
    visit = visit_of(request.scope)
    return show(ErrorPage(404, "Nothing to go on with", sentence, visit.request_id), 404)
