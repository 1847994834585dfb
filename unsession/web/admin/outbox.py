"""The outbox: what was decided and not yet told; and undoing what was just done."""

from collections.abc import Sequence
from dataclasses import dataclass

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.catalogue import Outcome
from unsession.errors import Refusal
from unsession.services.decisions.outbox import OutboxRow
from unsession.web.admin.shell import Desk, Shell, desk, shell
from unsession.web.admin.submissions import DECISION_WORDS, STATUS_WORDS
from unsession.web.house import House
from unsession.web.pages import (
    AnyRequest,
    FormFault,
    PageResponse,
    act,
    faults_of,
    go,
    local_path,
    person_of,
    rehearse,
    show,
)
from unsession.web.posted import posted
from unsession.web.rendering import page


@dataclass(frozen=True, slots=True)
class WaitingDecision:
    """One row of the outbox."""

    row: OutboxRow
    ref: str
    decision_words: str
    status_words: str


@page("admin/outbox/outbox.html")
@dataclass(frozen=True, slots=True)
class OutboxPage:
    """Everything that waits for a person, and what sending it would do."""

    shell: Shell
    waiting: tuple[WaitingDecision, ...]
    total: int
    mails: int
    chosen: frozenset[str]
    letters: tuple[str, ...]  #: what the preview would send
    effects: tuple[str, ...]  #: and all else it would do
    warnings: tuple[str, ...]
    previewed: bool
    faults: tuple[FormFault, ...]


@page("admin/undo.html")
@dataclass(frozen=True, slots=True)
class UndoRefused:
    """Why something could not be undone."""

    shell: Shell
    sentence: str
    back: str


def outbox_routes(house: House) -> list[HTTPRouteHandler]:
    """The outbox and undo."""

    @get("/app/{slug:str}/outbox")
    async def outbox(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "outbox", Permission.MAIL_READ)
        return show(await _page(house, request, at))

    @post("/app/{slug:str}/outbox")
    async def send(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "outbox", Permission.MAIL_READ)
        form = await posted(request)
        wire: dict[str, object] = {"event": slug}
        chosen = form.all("submission")
        if form.get("do") != "all":
            wire["submissions"] = list(chosen)
            if not chosen:
                nothing = (FormFault("", "Select a decision first"),)
                return show(await _page(house, request, at, chosen, faults=nothing), 422)
        try:
            if form.get("do") == "remove":
                return go(f"/app/{slug}/outbox", done=await _take_out(house, request, at, chosen))
            if form.get("do") == "preview":
                seen = await rehearse(house, request, at.actor, "send_outbox", wire)
                return show(await _page(house, request, at, chosen, seen=seen))
            sent = await act(house, request, at.actor, "send_outbox", wire)
        except Refusal as refusal:
            context = await _page(house, request, at, chosen, faults=_whole(refusal))
            return show(context, refusal.http_status)
        return go(f"/app/{slug}/outbox", done=sent.activity_id)

    @post("/app/undo")
    async def undo(request: AnyRequest) -> PageResponse:
        actor = await person_of(house, request)
        form = await posted(request)
        back = local_path(form.get("back"), "/app")
        try:
            wire = {"activity": form.get("activity")}
            done = await act(house, request, actor, "undo", wire)
        except Refusal as refusal:
            frame = await shell(house, request, actor, "")
            return show(UndoRefused(frame, refusal.message, back), refusal.http_status)
        return go(back, done=done.activity_id)

    return [outbox, send, undo]


async def _take_out(
    house: House, request: AnyRequest, at: Desk, chosen: Sequence[str]
) -> str | None:
    """Take decisions out, each an act of its own; the entry to undo if there is just one."""
    done = [
        await act(
            house,
            request,
            at.actor,
            "remove_from_outbox",
            {"submission": ref, "event": at.event.slug},
        )
        for ref in chosen
    ]
    return done[0].activity_id if len(done) == 1 else None


def _whole(refusal: Refusal) -> tuple[FormFault, ...]:
    """What was refused, for a page without fields to link to."""
    return tuple(FormFault("", fault.message) for fault in faults_of(refusal))


async def _page(
    house: House,
    request: AnyRequest,
    at: Desk,
    chosen: Sequence[str] | None = None,
    *,
    seen: Outcome | None = None,
    faults: tuple[FormFault, ...] = (),
) -> OutboxPage:
    wire = {"event": at.event.slug, "limit": 200}
    found = (await act(house, request, at.actor, "get_outbox", wire)).result
    waiting = tuple(
        WaitingDecision(
            row,
            f"SUB-{row.number}" if row.number else row.submission,
            DECISION_WORDS[row.decision],
            STATUS_WORDS[row.status],
        )
        for row in found.items
    )
    return OutboxPage(
        shell=at.shell,
        waiting=waiting,
        total=found.total,
        mails=sum(row.mails for row in found.items),
        chosen=frozenset(one.ref for one in waiting) if chosen is None else frozenset(chosen),
        letters=_told(seen, mail=True),
        effects=_told(seen, mail=False),
        warnings=tuple(warning.text for warning in seen.warnings) if seen else (),
        previewed=seen is not None,
        faults=faults,
    )


def _told(seen: Outcome | None, *, mail: bool) -> tuple[str, ...]:
    effects = seen.effects if seen else ()
    return tuple(effect.text for effect in effects if (effect.kind == "mail") is mail)
