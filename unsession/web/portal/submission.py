"""A submission of one's own in the portal: read, and changed while its form accepts."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from litestar import Response, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.domain.forms import MAX_SPEAKERS, FieldType, Role, role_of, shown_fields
from unsession.domain.submissions import OWNER_EDITS
from unsession.errors import Refusal
from unsession.services.collect.form_files import files_of_page
from unsession.services.onboarding.own_submission import OwnFull, own_submission
from unsession.services.sent_files import FormFile, answer_said
from unsession.web.collect.drafting import KEY
from unsession.web.collect.sending import MAX_FORM, kept_by_script, take_files
from unsession.web.collect.typed import (
    ShownSection,
    Typed,
    answers_of,
    faults_from,
    rules_of,
    sections_of,
    typed_from,
)
from unsession.web.house import House
from unsession.web.pages import AnyRequest, FormFault, PageResponse, act, go, show
from unsession.web.portal.frame import Own, PortalHead, own
from unsession.web.portal.home import STATUS_WORDS
from unsession.web.posted import posted
from unsession.web.rendering import page
from unsession.web.uploads import MAX_REQUEST
from unsession.web.words import answer as in_words


@page("portal/submission.html")
@dataclass(frozen=True, slots=True)
class OwnSubmissionPage:
    """``/{event}/portal/submissions/{id}``: the form again, or what it says."""

    head: PortalHead
    number: int
    title: str
    form_name: str
    status: str
    status_words: str
    editable: bool
    state: str
    why: str
    version: int
    submit_key: str
    sections: tuple[ShownSection, ...]
    rules: str
    uploads: bool
    values: Mapping[str, str]
    blocks: tuple[int, ...]
    may_add: bool
    focus: str
    read: tuple[tuple[str, str], ...]
    faults: tuple[FormFault, ...]


def own_submission_routes(house: House) -> list[HTTPRouteHandler]:
    """Reading, changing, and the files that are added while changing."""

    @get("/{slug:str}/portal/submissions/{submission:str}")
    async def look(
        request: AnyRequest, slug: FromPath[str], submission: FromPath[str]
    ) -> PageResponse:
        at = await own(house, request, slug)
        full = await own_submission(at.ctx, at.portal.event.id, submission)
        return show(await _page(at, full, typed_from(full.fields, full.answers)))

    @post("/{slug:str}/portal/submissions/{submission:str}", request_max_body_size=MAX_FORM)
    async def change(
        request: AnyRequest, slug: FromPath[str], submission: FromPath[str]
    ) -> PageResponse:
        at = await own(house, request, slug)
        full = await own_submission(at.ctx, at.portal.event.id, submission)
        sent = await posted(request)
        typed, do = Typed.of(sent), sent.get("do")
        if do == "add":
            typed = typed.with_block()
            return show(await _page(at, full, typed, focus=f"speaker-{typed.blocks}-name"))
        if do.startswith("remove-") and do.removeprefix("remove-").isdecimal():
            typed = typed.without_block(int(do.removeprefix("remove-")))
            return show(await _page(at, full, typed))
        if do == "look":
            return show(await _page(at, full, typed))
        where = (slug, full.form_slug)
        typed, wrong = await take_files(house, request, at.actor, where, sent, full.fields, typed)
        if wrong:
            return show(await _page(at, full, typed, wrong), 422)
        wire: dict[str, Any] = {
            "submission": submission,
            "submitKey": sent.get("submit_key"),
            "title": typed.values.get("title", ""),
            "abstract": typed.values.get("abstract", ""),
            "answers": answers_of(full.fields, typed),
            "speakers": typed.speakers(),
        }
        if sent.get("version").isdecimal():
            wire["version"] = int(sent.get("version"))
        try:
            done = await act(house, request, at.actor, "update_own_submission", wire)
        except Refusal as refusal:
            faults = faults_from(refusal, full.fields)
            return show(await _page(at, full, typed, faults), refusal.http_status)
        return go(f"/{slug}/portal", done=done.activity_id)

    @post(
        "/{slug:str}/portal/submissions/{submission:str}/files",
        request_max_body_size=MAX_REQUEST,
    )
    async def send(
        request: AnyRequest, slug: FromPath[str], submission: FromPath[str]
    ) -> Response[bytes]:
        at = await own(house, request, slug)
        full = await own_submission(at.ctx, at.portal.event.id, submission)
        return await kept_by_script(house, request, at.actor, (slug, full.form_slug))

    return [look, change, send]


async def _page(
    at: Own,
    full: OwnFull,
    typed: Typed,
    faults: tuple[FormFault, ...] = (),
    focus: str = "",
) -> OwnSubmissionPage:
    key = typed.values.get("submit_key", "")
    key = key if KEY.fullmatch(key) else secrets.token_urlsafe(24)
    speakers = role_of(full.fields, Role.SPEAKERS)
    most = min((speakers.most if speakers else None) or MAX_SPEAKERS, MAX_SPEAKERS)
    title = role_of(full.fields, Role.TITLE)
    files = {**full.files, **await files_of_page(at.ctx, key)}
    return OwnSubmissionPage(
        head=at.head,
        number=full.number,
        title=str(full.answers.get(title.id, "")) if title else "",
        form_name=full.form_name,
        status=full.status.value,
        status_words=STATUS_WORDS[full.status],
        editable=full.editable,
        state=full.opening.sentence,
        why=_why(full),
        version=full.version,
        submit_key=key,
        sections=sections_of(full.fields, typed, faults, files) if full.editable else (),
        rules=rules_of(full.fields),
        uploads=any(field.type is FieldType.FILE for field in full.fields),
        values=dict(typed.values),
        blocks=tuple(range(1, typed.blocks + 1)),
        may_add=typed.blocks < most,
        focus=focus,
        read=_read(full, files),
        faults=faults,
    )


def _why(full: OwnFull) -> str:
    if full.status not in OWNER_EDITS:
        return "This is what you sent; it is not considered any more."
    return f"{full.opening.sentence} This is what you sent; it can be read, and not changed."


def _read(full: OwnFull, files: Mapping[str, FormFile]) -> tuple[tuple[str, str], ...]:
    """Every answer, as a person reads it."""
    lines = []
    for field in shown_fields(full.fields, full.answers):
        value = full.answers.get(field.id)
        if field.type is FieldType.HEADING or value in (None, "", []):
            continue
        if field.role is Role.SPEAKERS:
            said = ", ".join(one["name"] for one in value or ())
        else:
            said = str(in_words(answer_said(field, value, files)))
        lines.append((field.label, said))
    return tuple(lines)
