"""The outbox: what was decided and not yet told; and undoing what was just done."""

from dataclasses import dataclass

from litestar import get, post
from litestar.handlers import HTTPRouteHandler

from unsession.access import Permission
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
    effects: tuple[str, ...]
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
    async def outbox(request: AnyRequest, slug: str) -> PageResponse:
        at = await desk(house, request, slug, "outbox", Permission.MAIL_READ)
        return show(await _page(house, request, at))

    @post("/app/{slug:str}/outbox")
    async def send(request: AnyRequest, slug: str) -> PageResponse:
        at = await desk(house, request, slug, "outbox", Permission.MAIL_READ)
        form = await posted(request)
        wire: dict[str, object] = {"event": slug}
        chosen = list(form.all("submission"))
        if form.get("do") != "all":
            wire["submissions"] = chosen
        try:
            if form.get("do") == "remove":
                done = None
                for ref in chosen:
                    one = {"submission": ref, "event": slug}
                    done = await act(house, request, at.actor, "remove_from_outbox", one)
                return go(f"/app/{slug}/outbox", done=done.activity_id if done else None)
            if form.get("do") == "preview":
                seen = await rehearse(house, request, at.actor, "send_outbox", wire)
                effects = tuple(effect.text for effect in seen.effects)
                return show(await _page(house, request, at, effects=effects))
            sent = await act(house, request, at.actor, "send_outbox", wire)
        except Refusal as refusal:
            context = await _page(house, request, at, faults=faults_of(refusal))
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


async def _page(
    house: House,
    request: AnyRequest,
    at: Desk,
    *,
    effects: tuple[str, ...] = (),
    faults: tuple[FormFault, ...] = (),
) -> OutboxPage:
    wire = {"event": at.event.slug, "limit": 200}
    found = (await act(house, request, at.actor, "get_outbox", wire)).result
    return OutboxPage(
        shell=at.shell,
        waiting=tuple(
            WaitingDecision(
                row,
                f"SUB-{row.number}" if row.number else row.submission,
                DECISION_WORDS[row.decision],
                STATUS_WORDS[row.status],
            )
            for row in found.items
        ),
        total=found.total,
        mails=sum(row.mails for row in found.items),
        effects=effects,
        faults=faults,
    )
