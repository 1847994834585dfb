"""/confirm/{secret}: will the speaker come?"""

from dataclasses import dataclass

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import holder_actor
from unsession.domain.calendar import clock
from unsession.errors import Refusal
from unsession.services.decisions.confirmation import Asked, asked_by
from unsession.web.faults import ErrorPage
from unsession.web.house import House
from unsession.web.pages import AnyRequest, FormFault, PageResponse, act, faults_of, show
from unsession.web.posted import Posted, posted
from unsession.web.rendering import page
from unsession.web.wire import visit_of


@page("answers/confirm.html")
@dataclass(frozen=True, slots=True)
class ConfirmPage:
    """The question, or what was answered."""

    asked: Asked
    slot: str
    said: str
    ticked: str
    reason: str
    faults: tuple[FormFault, ...]


def confirm_routes(house: House) -> list[HTTPRouteHandler]:
    """The question and its answer. A mail scanner that opens the address changes nothing."""

    @get("/confirm/{secret:str}")
    async def question(request: AnyRequest, secret: FromPath[str]) -> PageResponse:
        found = await asked_by(house.db, secret)
        return show(_page(found[1])) if found else _gone(request)

    @post("/confirm/{secret:str}")
    async def answer(request: AnyRequest, secret: FromPath[str]) -> PageResponse:
        found = await asked_by(house.db, secret)
        if found is None:
            return _gone(request)
        link, asked = found
        form = await posted(request)
        if form.get("answer") not in ("yes", "no"):
            fault = FormFault("answer-yes", "Say whether you will come")
            return show(_page(asked, (fault,), form), 422)
        wire: dict[str, object] = {"link": link.id, "comes": form.get("answer") == "yes"}
        if form.get("reason"):
            wire["reason"] = form.get("reason")
        actor = holder_actor(link.id, asked.speaker)
        try:
            await act(house, request, actor, "answer_confirmation", wire)
        except Refusal as refusal:
            return show(_page(asked, faults_of(refusal), form), refusal.http_status)
        again = await asked_by(house.db, secret)
        return show(_page(again[1])) if again else _gone(request)

    return [question, answer]


def _page(
    asked: Asked, faults: tuple[FormFault, ...] = (), form: Posted | None = None
) -> ConfirmPage:
    """The page as things stand; what was typed is kept when something is wrong with it."""
    said = "yes" if asked.confirmed_at else "no" if asked.declined_at else ""
    slot = ""
    if asked.date is not None and asked.start_minute is not None:
        end = asked.start_minute + asked.minutes
        slot = f"{clock(asked.start_minute)}–{clock(end)}"
    reason = form.get("reason") if form else asked.decline_reason or ""
    ticked = form.get("answer") if form else said
    return ConfirmPage(asked, slot, said, ticked, reason, faults)


def _gone(request: AnyRequest) -> PageResponse:
    sentence = (
        "This link asks nothing any more: it ran out, was replaced by a newer one, or the session "
        "left the programme. Write to the organisers if you wonder."
    )
    visit = visit_of(request.scope)
    return show(ErrorPage(404, "Nothing to answer", sentence, visit.request_id), 404)
