"""/app/{event}/submissions/{submission}/speakers: who gives it, changed by organisers."""

from collections.abc import Mapping
from dataclasses import dataclass

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.domain.forms import MAX_SPEAKERS, Field, FieldType, Role
from unsession.errors import Refusal
from unsession.services import find
from unsession.services.submissions import SubmissionFull, full_submission
from unsession.web.admin.shell import Desk, Shell, desk
from unsession.web.collect.typed import ShownSection, Typed, faults_from, sections_of
from unsession.web.house import House
from unsession.web.pages import AnyRequest, FormFault, PageResponse, act, go, show
from unsession.web.posted import posted
from unsession.web.rendering import page

#: The page asks for them and for nothing else, whatever the form calls them.
_FIELD = Field("speakers", FieldType.SPEAKERS, "Speakers", required=True, role=Role.SPEAKERS)


@page("collect/line_up.html")
@dataclass(frozen=True, slots=True)
class LineUpPage:
    """The speakers of a submission, to change."""

    shell: Shell
    title: str
    ref: str
    version: int
    sections: tuple[ShownSection, ...]
    values: Mapping[str, str]
    blocks: tuple[int, ...]
    may_add: bool
    focus: str
    faults: tuple[FormFault, ...]


def line_up_routes(house: House) -> list[HTTPRouteHandler]:
    """Look and change."""

    @get("/app/{slug:str}/submissions/{ref:str}/speakers")
    async def look(request: AnyRequest, slug: FromPath[str], ref: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "submissions", Permission.SUBMISSION_WRITE)
        one = await _submission(at, ref)
        return show(_page(at, one, ref, _typed(one), one.version))

    @post("/app/{slug:str}/submissions/{ref:str}/speakers")
    async def change(request: AnyRequest, slug: FromPath[str], ref: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "submissions", Permission.SUBMISSION_WRITE)
        one = await _submission(at, ref)
        sent = await posted(request)
        typed, do = Typed.of(sent), sent.get("do")
        version = int(sent.get("version")) if sent.get("version").isdecimal() else one.version
        if do == "add":
            more = typed.with_block()
            focus = f"speaker-{more.blocks}-name"
            return show(_page(at, one, ref, more, version, focus=focus))
        if do.startswith("remove-") and do.removeprefix("remove-").isdecimal():
            fewer = typed.without_block(int(do.removeprefix("remove-")))
            return show(_page(at, one, ref, fewer, version))
        wire = {
            "submission": one.id,
            "speakers": typed.filled(),
            "version": version,
        }
        try:
            done = await act(house, request, at.actor, "set_submission_speakers", wire)
        except Refusal as refusal:
            faults = faults_from(refusal, (_FIELD,))
            return show(_page(at, one, ref, typed, version, faults), refusal.http_status)
        return go(f"/app/{slug}/submissions/{ref}", done=done.activity_id)

    return [look, change]


async def _submission(at: Desk, ref: str) -> SubmissionFull:
    place = await find.submission(at.ctx, ref, at.event.slug)
    return await full_submission(at.ctx, place.id, place.event_id, place.event_slug)


def _typed(one: SubmissionFull) -> Typed:
    values: dict[str, str] = {}
    for number, speaker in enumerate(one.speakers, start=1):
        values |= {
            f"speaker-{number}-name": speaker.name,
            f"speaker-{number}-address": speaker.address or "",
            f"speaker-{number}-bio": speaker.bio or "",
            f"speaker-{number}-jobTitle": speaker.job_title or "",
            f"speaker-{number}-company": speaker.company or "",
            f"speaker-{number}-role": speaker.role,
        }
    return Typed(values, {}, max(1, len(one.speakers)))


def _page(
    at: Desk,
    one: SubmissionFull,
    ref: str,
    typed: Typed,
    version: int,
    faults: tuple[FormFault, ...] = (),
    focus: str = "",
) -> LineUpPage:
    return LineUpPage(
        shell=at.shell,
        title=one.title,
        ref=ref,
        version=version,
        sections=sections_of((_FIELD,), typed, faults),
        values=typed.values,
        blocks=tuple(range(1, typed.blocks + 1)),
        may_add=typed.blocks < MAX_SPEAKERS,
        focus=focus,
        faults=faults,
    )
