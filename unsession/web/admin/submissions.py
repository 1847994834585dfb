"""The submissions of an event: the list, one with its decision, and queueing from a selection."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from msgspec import UNSET

from unsession.access import Permission
from unsession.catalogue.inputs import from_query
from unsession.domain.submissions import Decision, SubmissionStatus
from unsession.errors import Refusal
from unsession.services import find
from unsession.services.decisions.act import MailPreview, Terms, preview_mails
from unsession.services.submissions import ListSubmissions, SubmissionFull, SubmissionRow
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

STATUS_WORDS = {
    SubmissionStatus.DRAFT: "Draft",
    SubmissionStatus.IN_REVIEW: "In review",
    SubmissionStatus.ACCEPTED: "Accepted",
    SubmissionStatus.WAITLISTED: "Waitlisted",
    SubmissionStatus.DECLINED: "Declined",
    SubmissionStatus.WITHDRAWN: "Withdrawn",
}
DECISION_WORDS = {
    Decision.ACCEPT: "Accept",
    Decision.WAITLIST: "Waitlist",
    Decision.DECLINE: "Decline",
}
_PER_PAGE = 50
_MOST_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class TrackMark:
    """A track with the number of its colour."""

    id: str
    name: str
    number: int


@dataclass(frozen=True, slots=True)
class ListedSubmission:
    """A row of the list."""

    number: int | None
    ref: str
    title: str
    speakers: str
    track: TrackMark | None
    score: str
    spread: str
    reviews: str
    status: str
    status_words: str
    queued: str


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter to follow, with how many it would show."""

    label: str
    count: int | None
    href: str
    current: bool


@dataclass(frozen=True, slots=True)
class SortLink:
    """A column head that sorts."""

    label: str
    href: str
    current: bool


@page("admin/submissions/list.html")
@dataclass(frozen=True, slots=True)
class SubmissionsPage:
    """The list with its filters."""

    shell: Shell
    rows: tuple[ListedSubmission, ...]
    total: int
    q: str
    status: str
    track: str
    sort: str
    tracks: tuple[TrackMark, ...]
    chips: tuple[Chip, ...]
    sorts: Mapping[str, SortLink]
    next_href: str
    first_href: str
    filtered: bool
    faults: tuple[FormFault, ...]


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


def submission_routes(house: House) -> list[HTTPRouteHandler]:
    """The list, one submission, and the acts on both."""

    @get("/app/{slug:str}/submissions")
    async def submissions(request: AnyRequest, slug: str) -> PageResponse:
        at = await desk(house, request, slug, "submissions", Permission.SUBMISSION_READ)
        return await _list(house, request, at)

    @post("/app/{slug:str}/submissions/queue")
    async def queue_selected(request: AnyRequest, slug: str) -> PageResponse:
        at = await desk(house, request, slug, "submissions", Permission.SUBMISSION_READ)
        form = await posted(request)
        chosen = form.all("submission")[:_MOST_AT_ONCE]
        if not chosen:
            return await _list(house, request, at, (FormFault("", "Select a submission first"),))
        done = None
        for ref in chosen:
            wire = {"submission": ref, "event": slug, "decision": form.get("decision")}
            try:
                done = await act(house, request, at.actor, "queue_decision", wire)
            except Refusal as refusal:
                return await _list(house, request, at, faults_of(refusal))
        return go(f"/app/{slug}/submissions", done=done.activity_id if done else None)

    @get("/app/{slug:str}/submissions/{ref:str}")
    async def submission(request: AnyRequest, slug: str, ref: str) -> PageResponse:
        at = await desk(house, request, slug, "submissions", Permission.SUBMISSION_READ)
        return show(await _one(house, request, at, ref))

    @post("/app/{slug:str}/submissions/{ref:str}/decision")
    async def decide(request: AnyRequest, slug: str, ref: str) -> PageResponse:
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
    async def move(request: AnyRequest, slug: str, ref: str, verb: str) -> PageResponse:
        at = await desk(house, request, slug, "submissions", Permission.SUBMISSION_READ)
        form = await posted(request)
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

    return [submissions, queue_selected, submission, decide, move]


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
    if form.get("version").isdigit():
        wire["version"] = int(form.get("version"))
    return wire


async def _list(
    house: House, request: AnyRequest, at: Desk, faults: tuple[FormFault, ...] = ()
) -> PageResponse:
    slug = at.event.slug
    asked = {
        name: value
        for name, value in request.query_params.items()
        if name in ("q", "status", "track", "sort", "cursor") and value
    }
    event = (await act(house, request, at.actor, "get_event", {"event": slug})).result
    wire = from_query(ListSubmissions, list(asked.items()))
    try:
        listed = await act(
            house,
            request,
            at.actor,
            "list_submissions",
            {**wire, "event": slug, "limit": _PER_PAGE},
        )
        found = listed.result
    except Refusal as refusal:
        faults = (*faults, *faults_of(refusal))
        asked = {}
        found = (
            await act(
                house,
                request,
                at.actor,
                "list_submissions",
                {"event": slug, "limit": _PER_PAGE},
            )
        ).result
    tracks = tuple(
        TrackMark(option.id, option.name, number % 6 + 1)
        for taxonomy in event.taxonomies
        if taxonomy.key == "track"
        for number, option in enumerate(taxonomy.options)
    )
    marks = {track.id: track for track in tracks}
    base = f"/app/{slug}/submissions"
    kept = {name: value for name, value in asked.items() if name != "cursor"}

    def link(**changes: str) -> str:
        query = {**kept, **changes}
        pairs = {name: value for name, value in query.items() if value}
        return f"{base}?{urlencode(pairs)}" if pairs else base

    counts = event.counts.submissions
    everything = sum(n for status, n in counts.items() if status != "draft")
    status = asked.get("status", "")
    chips = [Chip("All", everything, link(status=""), status == "")]
    chips += [
        Chip(STATUS_WORDS[one], counts[one.value], link(status=one.value), status == one.value)
        for one in SubmissionStatus
    ]
    sort = asked.get("sort", "newest")
    labels = {
        "number": "No.",
        "title": "Title",
        "score": "Score",
        "spread": "Spread",
        "newest": "Newest",
    }
    return show(
        SubmissionsPage(
            shell=at.shell,
            rows=tuple(_row(row, marks) for row in found.items),
            total=found.total,
            q=asked.get("q", ""),
            status=status,
            track=asked.get("track", ""),
            sort=sort,
            tracks=tracks,
            chips=tuple(chips),
            sorts={
                name: SortLink(label, link(sort=name), sort == name)
                for name, label in labels.items()
            },
            next_href=link(cursor=found.next_cursor) if found.next_cursor else "",
            first_href=link() if "cursor" in asked else "",
            filtered=bool(kept.keys() - {"sort"}),
            faults=faults,
        ),
        422 if faults else 200,
    )


def _row(row: SubmissionRow, marks: Mapping[str, TrackMark]) -> ListedSubmission:
    score = row.score or None
    return ListedSubmission(
        number=row.number or None,
        ref=f"SUB-{row.number}" if row.number else row.id,
        title=row.title,
        speakers=", ".join(row.speakers),
        track=marks.get(row.track.id) if row.track else None,
        score=f"{score.mean:.1f}" if score and score.mean is not UNSET else "",
        spread=f"{score.spread:.1f}" if score and score.spread is not UNSET else "",
        reviews=f"{score.reviews} of {score.expected}" if score else "",
        status=row.status.value,
        status_words=STATUS_WORDS[row.status],
        queued=row.queued_decision.value if row.queued_decision else "",
    )


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
    track = next(
        (
            TrackMark(option.id, option.name, number % 6 + 1)
            for taxonomy in event.taxonomies
            if taxonomy.key == "track"
            for number, option in enumerate(taxonomy.options)
            if one.track and option.id == one.track.id
        ),
        None,
    )
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
