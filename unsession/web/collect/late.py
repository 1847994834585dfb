"""/app/{event}/forms/{form}/late-links: who may submit while the form takes nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.errors import Refusal
from unsession.services import find
from unsession.services.collect import asking
from unsession.services.collect.asking import FormRow
from unsession.services.collect.late_links import LateLinkLine
from unsession.web.admin.shell import Desk, Shell, desk
from unsession.web.house import House
from unsession.web.pages import AnyRequest, FormFault, PageResponse, act, faults_of, go, show
from unsession.web.posted import Posted, posted
from unsession.web.rendering import page

_FIELDS = {"maxUses": "max_uses", "expiresAt": "expires_on"}


@page("collect/late_links.html")
@dataclass(frozen=True, slots=True)
class LateLinksPage:
    """The late links of a form; ``secret`` is the one made just now."""

    shell: Shell
    name: str
    slug: str
    state: str
    links: Sequence[LateLinkLine]
    secret: str
    values: Mapping[str, str]
    faults: tuple[FormFault, ...]


def late_link_routes(house: House) -> list[HTTPRouteHandler]:
    """List, make and revoke."""

    @get("/app/{slug:str}/forms/{form:str}/late-links")
    async def look(request: AnyRequest, slug: FromPath[str], form: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "forms", Permission.EVENT_SET_UP)
        return show(await _page(house, request, at, await _row(at, form)))

    @post("/app/{slug:str}/forms/{form:str}/late-links")
    async def change(request: AnyRequest, slug: FromPath[str], form: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "forms", Permission.EVENT_SET_UP)
        row = await _row(at, form)
        sent = await posted(request)
        wire: dict[str, object] = {"event": slug, "form": row.id}
        if sent.get("do") == "revoke":
            wire["link"] = sent.get("link")
            done = await act(house, request, at.actor, "revoke_late_link", wire)
            return go(f"/app/{slug}/forms/{row.slug}/late-links", done=done.activity_id)
        try:
            made = await act(house, request, at.actor, "create_late_link", wire | _typed(sent))
        except Refusal as refusal:
            faults = faults_of(refusal, _FIELDS)
            context = await _page(house, request, at, row, values=sent.values(), faults=faults)
            return show(context, refusal.http_status)
        answer = show(await _page(house, request, at, row, secret=made.result.secret))
        answer.headers["cache-control"] = "no-store"
        return answer

    return [look, change]


def _typed(sent: Posted) -> dict[str, object]:
    """What the page sends; a number that is none is sent as it came, to be refused."""
    wire: dict[str, object] = {"note": sent.get("note")}
    if most := sent.get("max_uses").strip():
        wire["maxUses"] = int(most) if most.isdecimal() and most.isascii() else most
    if day := sent.get("expires_on"):
        wire["expiresAt"] = day
    return wire


async def _row(at: Desk, slug: str) -> FormRow:
    named = await find.form(at.ctx, at.event.id, slug)
    return await asking.form_by_id(at.ctx, named.id)


async def _page(
    house: House,
    request: AnyRequest,
    at: Desk,
    row: FormRow,
    *,
    secret: str = "",
    values: Mapping[str, str] | None = None,
    faults: tuple[FormFault, ...] = (),
) -> LateLinksPage:
    wire = {"event": at.event.slug, "form": row.id, "limit": 100}
    listed = await act(house, request, at.actor, "list_late_links", wire)
    return LateLinksPage(
        shell=at.shell,
        name=row.name,
        slug=row.slug,
        state=row.opening(at.ctx.now).sentence,
        links=listed.result.items,
        secret=secret,
        values=values or {},
        faults=faults,
    )
