"""/app/{event}/submissions/import and /export: tables in, with every row's fate first, and out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from litestar import Response, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.adapters.workbooks import csv_of_workbook, workbook_of
from unsession.catalogue import parse
from unsession.domain.files import disposition
from unsession.domain.tables import Unreadable, csv_lines, decoded
from unsession.domain.text import slugify
from unsession.errors import NotFound, Refusal
from unsession.services import find
from unsession.services.collect import asking
from unsession.services.porting.columns import Target, targets
from unsession.services.porting.exporting import ExportSubmissions, as_text, sheet_of
from unsession.services.porting.importing import Imported, RowFate
from unsession.services.porting.judging import Fate, importable
from unsession.web.admin.shell import Desk, Shell, desk
from unsession.web.house import House
from unsession.web.pages import (
    AnyRequest,
    FormFault,
    PageResponse,
    act,
    faults_of,
    go,
    rehearse,
    show,
)
from unsession.web.posted import Posted, posted
from unsession.web.rendering import page

#: A table of ten thousand rows, and the form around it.
MAX_TABLE = 12 * 1024 * 1024
_SHOWN = 200
_FATES = {
    Fate.CREATE: "new",
    Fate.UPDATE: "changed",
    Fate.UNCHANGED: "as it is",
    Fate.SKIP: "skipped",
}


@page("admin/submissions/import.html")
@dataclass(frozen=True, slots=True)
class ImportPage:
    """Which table, into which form."""

    shell: Shell
    forms: tuple[tuple[str, str], ...]
    values: Mapping[str, str]
    faults: tuple[FormFault, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table, and what it means."""

    name: str
    target: str


@page("admin/submissions/import_preview.html")
@dataclass(frozen=True, slots=True)
class PreviewPage:
    """What would become of each row, and what each column means."""

    shell: Shell
    form: str
    form_name: str
    text: str
    drafts: bool
    columns: tuple[Column, ...]
    targets: tuple[Target, ...]
    told: Imported | None
    rows: tuple[tuple[RowFate, str], ...]
    faults: tuple[FormFault, ...]


def porting_routes(house: House) -> list[HTTPRouteHandler]:
    """Import in three steps, export in one."""

    @get("/app/{slug:str}/submissions/import")
    async def choose(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "submissions", Permission.SUBMISSION_WRITE)
        return show(await _choose(at, {"form": request.query_params.get("form", "")}))

    @post("/app/{slug:str}/submissions/import", request_max_body_size=MAX_TABLE)
    async def bring(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "submissions", Permission.SUBMISSION_WRITE)
        sent = await posted(request)
        try:
            text = await _text(sent)
        except Unreadable as no:
            faults = (FormFault("file", str(no)),)
            return show(await _choose(at, sent.values(), faults), 422)
        wire: dict[str, Any] = {"event": slug, "form": sent.get("form"), "text": text}
        wire["drafts"] = sent.checked("drafts")
        if "column" in sent.fields:
            pairs = zip(sent.all("column"), sent.all("target"), strict=False)
            wire["columns"] = {name: target or "-" for name, target in pairs}
        if sent.get("do") != "import":
            return await _preview(house, request, at, wire)
        try:
            done = await act(house, request, at.actor, "import_submissions", wire)
        except Refusal as refusal:
            return await _preview(house, request, at, wire, refusal)
        if done.result.job:
            return go(f"/app/jobs/{done.result.job}")
        return go(f"/app/{slug}/submissions", done=done.activity_id)

    @get("/app/{slug:str}/submissions/export")
    async def export(request: AnyRequest, slug: FromPath[str]) -> Response[bytes]:
        at = await desk(house, request, slug, "submissions", Permission.SUBMISSION_READ)
        asked = request.query_params
        wire: dict[str, Any] = {"event": slug, "form": asked.get("form") or await _first(at)}
        if asked.get("status"):
            wire["status"] = asked["status"]
        sheet = await sheet_of(at.ctx, parse(ExportSubmissions, wire))
        name = "-".join((slug, slugify(sheet.name, "submissions")))
        if asked.get("as") == "xlsx":
            body = workbook_of(sheet.name, sheet.header, sheet.rows)
            kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
            return _download(f"{name}.xlsx", kind, body)
        body = "".join(csv_lines(as_text(sheet))).encode()
        return _download(f"{name}.csv", "text/csv", body)

    return [choose, bring, export]


async def _choose(
    at: Desk, values: Mapping[str, str], faults: tuple[FormFault, ...] = ()
) -> ImportPage:
    forms = await asking.forms_of(at.ctx, at.event.id)
    return ImportPage(at.shell, tuple((one.slug, one.name) for one in forms), values, faults)


async def _first(at: Desk) -> str:
    forms = await asking.forms_of(at.ctx, at.event.id)
    if not forms:
        raise NotFound("form")
    return forms[0].id


async def _text(sent: Posted) -> str:
    """The table as CSV: from a file, whatever its format, or as it was pasted."""
    upload = sent.file("file")
    if upload is None:
        return sent.get("text")
    data = await upload.read()
    return csv_of_workbook(data) if data.startswith(b"PK") else decoded(data)


async def _preview(
    house: House,
    request: AnyRequest,
    at: Desk,
    wire: Mapping[str, Any],
    refusal: Refusal | None = None,
) -> PageResponse:
    """What would become of each row; a table that cannot be read leads back to choosing one."""
    named = await find.form(at.ctx, at.event.id, str(wire["form"]))
    form = await asking.form_by_id(at.ctx, named.id)
    told: Imported | None = None
    try:
        told = (await rehearse(house, request, at.actor, "import_submissions", wire)).result
    except Refusal as no:
        refusal = refusal or no
        if "columns" not in wire:
            faults = faults_of(no, {"text": "file"})
            values = {"form": form.slug, "text": str(wire["text"])}
            return show(await _choose(at, values, faults), no.http_status)
    meant = told.columns if told else dict(wire.get("columns") or {})
    names = [*meant, *(told.ignored if told else ())]
    context = PreviewPage(
        shell=at.shell,
        form=form.slug,
        form_name=form.name,
        text=str(wire["text"]),
        drafts=bool(wire["drafts"]),
        columns=tuple(Column(name, meant.get(name, "-")) for name in names),
        targets=tuple(targets(await importable(at.ctx, form))),
        told=told,
        rows=tuple((row, _FATES[row.fate]) for row in (told.rows if told else ())[:_SHOWN]),
        faults=faults_of(refusal) if refusal else (),
    )
    return show(context, refusal.http_status if refusal else 200)


def _download(name: str, kind: str, body: bytes) -> Response[bytes]:
    headers = {"content-disposition": disposition(name), "cache-control": "private, no-store"}
    return Response(body, media_type=kind, headers=headers)
