"""The releases page: what publishing now would change, publishing, and every release so far."""

from dataclasses import dataclass

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.domain.releases import Difference
from unsession.errors import Refusal
from unsession.services.agenda.reading import ReleaseRow, next_release
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
from unsession.web.posted import Posted, posted
from unsession.web.rendering import page

_CLASHES_SHOWN = 5


@page("admin/schedule/releases.html")
@dataclass(frozen=True, slots=True)
class ReleasesPage:
    """``/app/{event}/releases``."""

    shell: Shell
    number: int  #: of the release that publishing would make
    current: int | None
    has_news: bool  #: whether there is anything to publish
    changes: Difference
    sessions: int
    pending: tuple[str, ...]
    clashes: tuple[str, ...]
    more_clashes: int
    hidden: int
    told: tuple[str, ...]  #: names
    changelog: str
    tells: bool
    releases: tuple[ReleaseRow, ...]
    faults: tuple[FormFault, ...]


def release_routes(house: House) -> list[HTTPRouteHandler]:
    """See, publish."""

    @get("/app/{slug:str}/releases")
    async def releases(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "releases", Permission.SESSION_READ)
        return show(await _page(at))

    @post("/app/{slug:str}/releases")
    async def publish(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "releases", Permission.SESSION_READ)
        form = await posted(request)
        wire = {
            "event": at.event.id,
            "changelog": form.get("changelog"),
            "sendEmail": form.checked("tell"),
        }
        try:
            done = await act(house, request, at.actor, "publish_agenda", wire)
        except Refusal as refusal:
            context = await _page(at, form, faults_of(refusal))
            return show(context, refusal.http_status)
        return go(f"/app/{slug}/releases", done=done.activity_id)

    return [releases, publish]


async def _page(
    at: Desk,
    form: Posted | None = None,
    faults: tuple[FormFault, ...] = (),
) -> ReleasesPage:
    found = await next_release(at.ctx, at.event.id)
    clashes = [clash.text for clash in found.draft.clashes]
    return ReleasesPage(
        shell=at.shell,
        number=found.number,
        current=found.current.release.number if found.current else None,
        has_news=found.current is None or bool(found.changes.count or found.hidden),
        changes=found.changes,
        sessions=len(found.draft.contents.sessions),
        pending=found.draft.pending,
        clashes=tuple(clashes[:_CLASHES_SHOWN]),
        more_clashes=max(0, len(clashes) - _CLASHES_SHOWN),
        hidden=len(found.hidden),
        told=tuple(found.told),
        changelog=form.get("changelog") if form else "",
        tells=form.checked("tell") if form else True,
        releases=tuple(found.releases),
        faults=faults,
    )
