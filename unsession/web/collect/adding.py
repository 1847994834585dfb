"""/app/{event}/submissions/new: what organisers add on behalf of others."""

from collections.abc import Mapping
from dataclasses import dataclass

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.domain.forms import MAX_SPEAKERS, FieldType, Reason
from unsession.errors import Refusal
from unsession.services import find
from unsession.services.collect import asking
from unsession.services.collect.asking import FormRow
from unsession.web.admin.shell import Desk, Shell, desk
from unsession.web.collect.typed import (
    ShownSection,
    Typed,
    answers_of,
    faults_from,
    rules_of,
    sections_of,
)
from unsession.web.house import House
from unsession.web.pages import AnyRequest, FormFault, PageResponse, act, go, show
from unsession.web.posted import posted
from unsession.web.rendering import page


@page("collect/submission_new.html")
@dataclass(frozen=True, slots=True)
class NewSubmissionPage:
    """A submission that organisers add on behalf of its speakers."""

    shell: Shell
    form_name: str
    form_slug: str
    others: tuple[tuple[str, str], ...]
    state: str
    accepts: bool
    sections: tuple[ShownSection, ...]
    rules: str
    values: Mapping[str, str]
    blocks: tuple[int, ...]
    may_add: bool
    focus: str
    faults: tuple[FormFault, ...]


def adding_routes(house: House) -> list[HTTPRouteHandler]:
    """The form as organisers fill it in."""

    @get("/app/{slug:str}/submissions/new")
    async def add(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "submissions", Permission.SUBMISSION_WRITE)
        row = await _chosen(at, request.query_params.get("form"))
        if row is None:
            return go(f"/app/{slug}/forms")
        return show(await _submission(at, row, Typed.of_nobody()))

    @post("/app/{slug:str}/submissions/new")
    async def added(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "submissions", Permission.SUBMISSION_WRITE)
        sent = await posted(request)
        row = await _chosen(at, sent.get("form"))
        if row is None:
            return go(f"/app/{slug}/forms")
        typed, do = Typed.of(sent), sent.get("do")
        if do == "add":
            more = typed.with_block()
            return show(await _submission(at, row, more, focus=f"speaker-{more.blocks}-name"))
        if do == "look":
            return show(await _submission(at, row, typed))
        if do.startswith("remove-") and do.removeprefix("remove-").isdecimal():
            fewer = typed.without_block(int(do.removeprefix("remove-")))
            return show(await _submission(at, row, fewer))
        fields = await asking.fields_asked(at.ctx, row)
        wire = {
            "event": slug,
            "form": row.id,
            "title": typed.values.get("title", ""),
            "abstract": typed.values.get("abstract", ""),
            "answers": answers_of(fields, typed),
            "speakers": typed.filled(),
            "notify": sent.checked("notify"),
        }
        try:
            done = await act(house, request, at.actor, "create_submission", wire)
        except Refusal as refusal:
            faults = faults_from(refusal, fields)
            return show(await _submission(at, row, typed, faults), refusal.http_status)
        return go(f"/app/{slug}/submissions/SUB-{done.result.number}", done=done.activity_id)

    return [add, added]


async def _chosen(at: Desk, slug: str | None) -> FormRow | None:
    """The form to add through: the one named, else the first that is no draft, else any."""
    if slug:
        return await _named(at, slug)
    rows = await asking.forms_of(at.ctx, at.event.id)
    public = [row for row in rows if row.opening(at.ctx.now).reason is not Reason.DRAFT]
    return next(iter([*public, *rows]), None)


async def _submission(
    at: Desk, row: FormRow, typed: Typed, faults: tuple[FormFault, ...] = (), focus: str = ""
) -> NewSubmissionPage:
    asked = await asking.fields_asked(at.ctx, row)
    fields = [one for one in asked if one.type is not FieldType.FILE]  # they come by the form
    state = row.opening(at.ctx.now)
    others = await asking.forms_of(at.ctx, at.event.id)
    return NewSubmissionPage(
        shell=at.shell,
        form_name=row.name,
        form_slug=row.slug,
        others=tuple((one.slug, one.name) for one in others if one.id != row.id),
        state=state.sentence,
        accepts=state.accepts,
        sections=sections_of(fields, typed, faults),
        rules=rules_of(fields),
        values=typed.values,
        blocks=tuple(range(1, typed.blocks + 1)),
        may_add=typed.blocks < MAX_SPEAKERS,
        focus=focus,
        faults=faults,
    )


async def _named(at: Desk, slug: str) -> FormRow:
    named = await find.form(at.ctx, at.event.id, slug)
    return await asking.form_by_id(at.ctx, named.id)
