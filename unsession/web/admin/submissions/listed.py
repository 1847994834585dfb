"""The list: filters, sorts, and queueing from a selection."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from msgspec import UNSET

from unsession.access import Permission
from unsession.catalogue.inputs import from_query
from unsession.domain.submissions import SubmissionStatus
from unsession.errors import Refusal
from unsession.services.submissions import ListSubmissions, SubmissionRow
from unsession.services.submissions.tagging import TagCount, tags_of
from unsession.web.admin.shell import Desk, Shell, desk
from unsession.web.admin.submissions.words import STATUS_WORDS, TrackMark, tracks_of
from unsession.web.house import House
from unsession.web.pages import (
    AnyRequest,
    FormFault,
    PageResponse,
    act,
    faults_of,
    go,
    local_path,
    show,
)
from unsession.web.posted import posted
from unsession.web.rendering import page

_PER_PAGE = 50
_MOST_AT_ONCE = 50


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
    tag: str
    tags: Sequence[TagCount]
    chips: tuple[Chip, ...]
    sorts: Mapping[str, SortLink]
    here: str
    next_href: str
    first_href: str
    filtered: bool
    chosen: frozenset[str]
    queued_now: int
    faults: tuple[FormFault, ...]


def list_routes(house: House) -> list[HTTPRouteHandler]:
    """The list, and what is done to a selection."""

    @get("/app/{slug:str}/submissions")
    async def submissions(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "submissions", Permission.SUBMISSION_READ)
        return await _list(house, request, at)

    @post("/app/{slug:str}/submissions/queue")
    async def queue_selected(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "submissions", Permission.SUBMISSION_READ)
        form = await posted(request)
        chosen = form.all("submission")[:_MOST_AT_ONCE]
        if not chosen:
            return await _list(house, request, at, (FormFault("", "Select a submission first"),))
        done, faults, left = [], [], []
        for ref in chosen:
            wire = {"submission": ref, "event": slug, "decision": form.get("decision")}
            try:
                done.append(await act(house, request, at.actor, "queue_decision", wire))
            except Refusal as refusal:
                faults += [FormFault("", fault.message) for fault in faults_of(refusal)]
                left.append(ref)
        if faults:
            return await _list(house, request, at, tuple(dict.fromkeys(faults)), left, len(done))
        back = local_path(form.get("back"), f"/app/{slug}/submissions")
        if len(done) == 1:
            return go(back, done=done[0].activity_id)
        return go(f"{back}{'&' if '?' in back else '?'}queued={len(done)}")

    @post("/app/{slug:str}/submissions/tags")
    async def tag_selected(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "submissions", Permission.SUBMISSION_READ)
        form = await posted(request)
        chosen = form.all("submission")[:_MOST_AT_ONCE]
        word = form.get("tag")
        if not chosen or not word:
            missing = "Select a submission first" if not chosen else "Name a tag first"
            return await _list(house, request, at, (FormFault("", missing),), chosen)
        which = "remove" if form.get("do") == "untag" else "add"
        wire = {"event": slug, "submissions": list(chosen), which: [word]}
        try:
            done = await act(house, request, at.actor, "tag_submissions", wire)
        except Refusal as refusal:
            told = tuple(FormFault("", fault.message) for fault in faults_of(refusal))
            return await _list(house, request, at, told, chosen)
        return go(local_path(form.get("back"), f"/app/{slug}/submissions"), done=done.activity_id)

    return [submissions, queue_selected, tag_selected]


async def _list(
    house: House,
    request: AnyRequest,
    at: Desk,
    faults: tuple[FormFault, ...] = (),
    chosen: Sequence[str] = (),
    queued_now: int = 0,
) -> PageResponse:
    slug = at.event.slug
    told = request.query_params.get("queued", "")
    if re.fullmatch("[0-9]{1,3}", told):
        queued_now = int(told)
    asked = {
        name: value
        for name, value in request.query_params.items()
        if name in ("q", "status", "track", "tag", "sort", "cursor") and value
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
        wrong = faults_of(refusal)
        faults = (*faults, *(FormFault("", fault.message) for fault in wrong))
        named = {fault.field for fault in wrong} & asked.keys() or asked.keys() - {"q"}
        asked = {name: value for name, value in asked.items() if name not in named | {"cursor"}}
        wire = {**from_query(ListSubmissions, list(asked.items())), "event": slug}
        again = await act(
            house, request, at.actor, "list_submissions", {**wire, "limit": _PER_PAGE}
        )
        found = again.result
    tracks = tracks_of(event)
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
            tag=asked.get("tag", ""),
            tags=await tags_of(at.ctx, at.event.id),
            chips=tuple(chips),
            sorts={
                name: SortLink(label, link(sort=name), sort == name)
                for name, label in labels.items()
            },
            here=link(cursor=asked.get("cursor", "")),
            next_href=link(cursor=found.next_cursor) if found.next_cursor else "",
            first_href=link() if "cursor" in asked else "",
            filtered=bool(kept.keys() - {"sort"}),
            chosen=frozenset(chosen),
            queued_now=queued_now,
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
