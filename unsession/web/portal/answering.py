"""/{event}/portal/sessions/{id}: whether one comes, answered by whoever is signed in."""

from dataclasses import dataclass
from typing import Any

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.errors import Refusal
from unsession.services.onboarding.portal import OwnSession
from unsession.web.house import House
from unsession.web.pages import AnyRequest, FormFault, PageResponse, act, faults_of, go, show
from unsession.web.portal.frame import Own, PortalHead, own
from unsession.web.posted import Posted, posted
from unsession.web.rendering import page


@page("portal/answer.html")
@dataclass(frozen=True, slots=True)
class AnswerPage:
    """The question, with what was answered before."""

    head: PortalHead
    session: OwnSession
    ticked: str
    reason: str
    faults: tuple[FormFault, ...]


def answering_routes(house: House) -> list[HTTPRouteHandler]:
    """The question and its answer."""

    @get("/{slug:str}/portal/sessions/{session:str}")
    async def question(
        request: AnyRequest, slug: FromPath[str], session: FromPath[str]
    ) -> PageResponse:
        return show(_page(await own(house, request, slug), session))

    @post("/{slug:str}/portal/sessions/{session:str}")
    async def answer(
        request: AnyRequest, slug: FromPath[str], session: FromPath[str]
    ) -> PageResponse:
        at = await own(house, request, slug)
        form = await posted(request)
        if form.get("answer") not in ("yes", "no"):
            fault = FormFault("answer-yes", "Say whether you will come")
            return show(_page(at, session, (fault,), form), 422)
        wire: dict[str, Any] = {"session": session, "comes": form.get("answer") == "yes"}
        if form.get("reason"):
            wire["reason"] = form.get("reason")
        try:
            done = await act(house, request, at.actor, "answer_for_own_session", wire)
        except Refusal as refusal:
            return show(_page(at, session, faults_of(refusal), form), refusal.http_status)
        return go(f"/{slug}/portal", done=done.activity_id)

    return [question, answer]


def _page(
    at: Own, session_id: str, faults: tuple[FormFault, ...] = (), form: Posted | None = None
) -> AnswerPage:
    session = at.portal.session(session_id)
    said = "yes" if session.confirmed_at else "no" if session.declined_at else ""
    reason = form.get("reason") if form else session.decline_reason or ""
    return AnswerPage(at.head, session, form.get("answer") if form else said, reason, faults)
