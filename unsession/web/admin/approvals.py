"""Approvals: what agents may not do alone, and a person's yes or no."""

from collections.abc import Mapping
from dataclasses import dataclass

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Actor, Permission
from unsession.domain.approvals import ApprovalStatus
from unsession.errors import Refusal
from unsession.services.approvals.reading import ApprovalRow, approval_of, approvals_of
from unsession.services.tokens import homes_of
from unsession.web.admin.shell import Shell, reading, shell
from unsession.web.house import House
from unsession.web.pages import (
    AnyRequest,
    FormFault,
    PageResponse,
    act,
    faults_of,
    go,
    person_of,
    show,
)
from unsession.web.posted import posted
from unsession.web.rendering import page

_WORDS = {
    ApprovalStatus.PENDING: "waiting",
    ApprovalStatus.APPROVED: "approved",
    ApprovalStatus.REFUSED: "refused",
    ApprovalStatus.EXPIRED: "lapsed",
}


@dataclass(frozen=True, slots=True)
class Past:
    """An approval that nobody can answer any more, and how it went."""

    row: ApprovalRow
    how: str


@page("admin/approvals/list.html")
@dataclass(frozen=True, slots=True)
class ApprovalList:
    """What waits, and what was answered."""

    shell: Shell
    waiting: tuple[ApprovalRow, ...]
    past: tuple[Past, ...]


@page("admin/approvals/one.html")
@dataclass(frozen=True, slots=True)
class ApprovalPage:
    """One plan with its steps, and the answer."""

    shell: Shell
    row: ApprovalRow
    head: str
    steps: tuple[str, ...]
    notes: tuple[str, ...]
    state: str
    pending: bool
    values: Mapping[str, str]
    faults: tuple[FormFault, ...]


def approval_routes(house: House) -> list[HTTPRouteHandler]:
    """The list at /app/approvals and each approval below it."""

    @get("/app/approvals")
    async def approvals(request: AnyRequest) -> PageResponse:
        actor = await person_of(house, request)
        ctx = reading(house, request, actor, Permission.SELF_READ)
        rows = [row for one in await homes_of(ctx) for row in await approvals_of(ctx, one.id)]
        waiting = tuple(row for row in rows if row.now(ctx.now) is ApprovalStatus.PENDING)
        past = [Past(row, _WORDS[row.now(ctx.now)]) for row in rows if row not in waiting]
        frame = await shell(house, request, actor, "approvals")
        return show(ApprovalList(frame, waiting, tuple(past)))

    @get("/app/approvals/{approval:str}")
    async def approval(request: AnyRequest, approval: FromPath[str]) -> PageResponse:
        actor = await person_of(house, request)
        return show(await _page(house, request, actor, approval))

    @post("/app/approvals/{approval:str}")
    async def answer(request: AnyRequest, approval: FromPath[str]) -> PageResponse:
        actor = await person_of(house, request)
        form = await posted(request)
        wire = {
            "approval": approval,
            "approve": form.get("answer") == "approve",
            "reason": form.get("reason"),
        }
        try:
            done = await act(house, request, actor, "answer_approval", wire)
        except Refusal as refusal:
            faults = faults_of(refusal)
            context = await _page(house, request, actor, approval, form.values(), faults)
            return show(context, refusal.http_status)
        return go(f"/app/approvals?done={done.activity_id}")

    return [approvals, approval, answer]


async def _page(
    house: House,
    request: AnyRequest,
    actor: Actor,
    approval_id: str,
    values: Mapping[str, str] | None = None,
    faults: tuple[FormFault, ...] = (),
) -> ApprovalPage:
    ctx = reading(house, request, actor, Permission.SELF_READ)
    row = await approval_of(ctx, approval_id)
    head, *lines = row.plan.splitlines()
    status = row.now(ctx.now)
    return ApprovalPage(
        shell=await shell(house, request, actor, "approvals"),
        row=row,
        head=head.partition(": ")[2] or head,
        steps=tuple(line.partition(". ")[2] for line in lines if line[:1].isdigit()),
        notes=tuple(line.removeprefix("Mind: ") for line in lines if line.startswith("Mind: ")),
        state=_WORDS[status],
        pending=status is ApprovalStatus.PENDING,
        values=values or {},
        faults=faults,
    )
