"""One submission with everything that belongs to it, and the acts on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.domain.submissions import Decision
from unsession.errors import Refusal
from unsession.services import find
from unsession.services.decisions.act import MailPreview, Terms, preview_mails
from unsession.services.decisions.verbs import DecideSubmission
from unsession.services.readers import readers_of
from unsession.services.submissions import SubmissionFull
from unsession.services.submissions.commenting import CommentShown, comments_on
from unsession.services.submissions.tagging import TagCount, tags_of
from unsession.web.admin.shell import Desk, Shell, desk
from unsession.web.admin.submissions.words import DECISION_WORDS, STATUS_WORDS, TrackMark, tracks_of
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
from unsession.web.posted import Posted, arguments, posted
from unsession.web.rendering import page


@page("admin/submissions/one.html")
@dataclass(frozen=True, slots=True)
class SubmissionPage:
    """One submission with everything that belongs to it, and the form to decide it."""

    shell: Shell
    submission: SubmissionFull
    status_words: str
    queued: str
    queued_words: str
    track: TrackMark | None
    values: Mapping[str, str]
    faults: tuple[FormFault, ...]
    effects: tuple[str, ...]
    mails: tuple[MailPreview, ...]
    previewed: bool
    decisions: Sequence[tuple[str, str]]
    comments: Sequence[CommentShown]
    team: tuple[tuple[str, str], ...]
    tags: Sequence[TagCount]


def one_routes(house: House) -> list[HTTPRouteHandler]:
    """One submission: read, decided, withdrawn, restored."""

    @get("/app/{slug:str}/submissions/{ref:str}")
    async def submission(
        request: AnyRequest, slug: FromPath[str], ref: FromPath[str]
    ) -> PageResponse:
        at = await desk(house, request, slug, "submissions", Permission.SUBMISSION_READ)
        return show(await _one(house, request, at, ref))

    @post("/app/{slug:str}/submissions/{ref:str}/decision")
    async def decide(request: AnyRequest, slug: FromPath[str], ref: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "submissions", Permission.SUBMISSION_READ)
        form = await posted(request)
        wire = _decision_wire(form, slug, ref)
        try:
            if form.get("do") == "preview":
                return show(await _previewed(house, request, at, ref, form, wire))
            if form.get("do") == "now":
                done = await act(house, request, at.actor, "decide_submission", wire)
            else:
                wire.pop("sendEmail")
                done = await act(house, request, at.actor, "queue_decision", wire)
        except Refusal as refusal:
            context = await _one(house, request, at, ref, form, faults=faults_of(refusal))
            return show(context, refusal.http_status)
        return go(f"/app/{slug}/submissions/{ref}", done=done.activity_id)

    @post("/app/{slug:str}/submissions/{ref:str}/{verb:str}")
    async def move(
        request: AnyRequest, slug: FromPath[str], ref: FromPath[str], verb: FromPath[str]
    ) -> PageResponse:
        at = await desk(house, request, slug, "submissions", Permission.SUBMISSION_READ)
        form = await posted(request)
        if verb in ("comment", "tags"):
            return await _noted(house, request, at, ref, verb, form)
        operation = {
            "withdraw": "withdraw_submission",
            "restore": "restore_submission",
            "unqueue": "remove_from_outbox",
        }.get(verb)
        wire: dict[str, Any] = {"submission": ref, "event": slug}
        if verb == "withdraw" and form.get("reason"):
            wire["reason"] = form.get("reason")
        try:
            if operation is None:
                return show(await _one(house, request, at, ref), 404)
            done = await act(house, request, at.actor, operation, wire)
        except Refusal as refusal:
            context = await _one(house, request, at, ref, form, faults=faults_of(refusal))
            return show(context, refusal.http_status)
        return go(f"/app/{slug}/submissions/{ref}", done=done.activity_id)

    return [submission, decide, move]


async def _noted(
    house: House, request: AnyRequest, at: Desk, ref: str, verb: str, form: Posted
) -> PageResponse:
    """A comment or a tag put down beside a submission."""
    slug = at.event.slug
    if verb == "comment":
        name, anchor = "comment_on_submission", "#comments"
        wire: dict[str, Any] = {"submission": ref, "event": slug, "body": form.get("body")}
        wire["tell"] = list(form.all("tell"))
    else:
        name, anchor = "tag_submissions", ""
        which = "remove" if form.get("remove") else "add"
        wire = {"event": slug, "submissions": [ref], which: [form.get(which)]}
    try:
        done = await act(house, request, at.actor, name, wire)
    except Refusal as refusal:
        names = {"add/0": "add", "body": "body"}
        context = await _one(house, request, at, ref, form, faults=faults_of(refusal, names))
        return show(context, refusal.http_status)
    shown = quote(done.activity_id or "")
    return go(f"/app/{slug}/submissions/{ref}?done={shown}{anchor}")


def _decision_wire(form: Posted, slug: str, ref: str) -> dict[str, Any]:
    wire: dict[str, Any] = {
        "submission": ref,
        "event": slug,
        "decision": form.get("decision"),
        "sendEmail": form.checked("send_email"),
        "askConfirmation": form.checked("ask_confirmation"),
    }
    if form.get("feedback"):
        wire["feedback"] = form.get("feedback")
    return wire | arguments(DecideSubmission, form, ["version"])


async def _one(
    house: House,
    request: AnyRequest,
    at: Desk,
    ref: str,
    form: Posted | None = None,
    *,
    faults: tuple[FormFault, ...] = (),
    effects: tuple[str, ...] = (),
    mails: tuple[MailPreview, ...] = (),
    previewed: bool = False,
) -> SubmissionPage:
    wire = {"submission": ref, "event": at.event.slug}
    one: SubmissionFull = (await act(house, request, at.actor, "get_submission", wire)).result
    event = (await act(house, request, at.actor, "get_event", {"event": at.event.slug})).result
    chosen = one.track.id if one.track else None
    track = next((mark for mark in tracks_of(event) if mark.id == chosen), None)
    values = form.values() if form else {"send_email": "on", "ask_confirmation": "on"}
    queued = one.queued_decision or None
    return SubmissionPage(
        shell=at.shell,
        submission=one,
        status_words=STATUS_WORDS[one.status],
        queued=queued.value if queued else "",
        queued_words=DECISION_WORDS[queued].lower() if queued else "",
        track=track,
        values=values,
        faults=faults,
        effects=effects,
        mails=mails,
        previewed=previewed,
        decisions=[(decision.value, words) for decision, words in DECISION_WORDS.items()],
        comments=await comments_on(at.ctx, one.id, at.event.id),
        team=tuple(
            (one.user_id, one.name)
            for one in await readers_of(at.ctx, at.event.workspace_id, at.event.id)
            if one.user_id != at.actor.user_id
        ),
        tags=await tags_of(at.ctx, at.event.id),
    )


async def _previewed(
    house: House,
    request: AnyRequest,
    at: Desk,
    ref: str,
    form: Posted,
    wire: dict[str, Any],
) -> SubmissionPage:
    outcome = await rehearse(house, request, at.actor, "decide_submission", wire)
    place = await find.submission(at.ctx, ref, at.event.slug)
    terms = Terms(
        Decision(form.get("decision")),
        form.checked("send_email"),
        form.checked("ask_confirmation"),
        form.get("feedback") or None,
    )
    return await _one(
        house,
        request,
        at,
        ref,
        form,
        effects=tuple(effect.text for effect in outcome.effects if effect.kind != "mail"),
        mails=tuple(await preview_mails(at.ctx, place.id, terms)),
        previewed=True,
    )
