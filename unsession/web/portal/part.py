"""/{event}/portal/submissions/{submission}/part: what a submission says about oneself."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.errors import Refusal
from unsession.services.onboarding.own_part import OwnPart, own_part
from unsession.web.house import House
from unsession.web.pages import AnyRequest, FormFault, PageResponse, act, faults_of, go, show
from unsession.web.portal.frame import PortalHead, own
from unsession.web.posted import posted
from unsession.web.rendering import page

_LINES = ("name", "bio", "jobTitle", "company")


@page("portal/part.html")
@dataclass(frozen=True, slots=True)
class PartPage:
    """One's own part of a submission, to complete."""

    head: PortalHead
    part: OwnPart
    values: Mapping[str, str]
    faults: tuple[FormFault, ...]


def part_routes(house: House) -> list[HTTPRouteHandler]:
    """Look and complete."""

    @get("/{slug:str}/portal/submissions/{submission:str}/part")
    async def look(
        request: AnyRequest, slug: FromPath[str], submission: FromPath[str]
    ) -> PageResponse:
        at = await own(house, request, slug)
        part = await own_part(at.ctx, at.portal.event.id, submission)
        return show(PartPage(at.head, part, _values(part), ()))

    @post("/{slug:str}/portal/submissions/{submission:str}/part")
    async def complete(
        request: AnyRequest, slug: FromPath[str], submission: FromPath[str]
    ) -> PageResponse:
        at = await own(house, request, slug)
        part = await own_part(at.ctx, at.portal.event.id, submission)
        sent = await posted(request)
        wire: dict[str, Any] = {"part": part.id, **{name: sent.get(name) for name in _LINES}}
        if sent.get("version").isdecimal():
            wire["version"] = int(sent.get("version"))
        try:
            done = await act(house, request, at.actor, "update_own_part", wire)
        except Refusal as refusal:
            context = PartPage(at.head, part, sent.values(), faults_of(refusal))
            return show(context, refusal.http_status)
        return go(f"/{slug}/portal", done=done.activity_id)

    return [look, complete]


def _values(part: OwnPart) -> dict[str, str]:
    return {
        "name": part.name,
        "bio": part.bio,
        "jobTitle": part.job_title or "",
        "company": part.company or "",
        "version": str(part.version),
    }
