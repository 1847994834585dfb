"""Reading approvals: what waits for a person, and how it went."""

import datetime as dt
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from sqlalchemy import Boolean, bindparam, func, select
from sqlmodel import col

from unsession.access import ActorKind, Permission
from unsession.catalogue import OPERATIONS, Input, get, operation
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.db.types import Instant
from unsession.domain.approvals import ApprovalStatus, standing
from unsession.errors import NotFound
from unsession.models import Approval, Event, Token, User
from unsession.services.approvals.answering import Ref, may_answer
from unsession.services.approvals.asking import url_of


class GetApproval(Input):
    """Which approval."""

    approval: Ref


class ApprovalShown(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """Something that waits or waited for a person. ``answer`` is what the call then answered."""

    id: str
    status: ApprovalStatus
    operation: str
    plan: str
    asked_at: dt.datetime
    expires_at: dt.datetime
    url: str
    decided_at: dt.datetime | UnsetType = UNSET
    decided_by: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    answer: dict[str, Any] | UnsetType = UNSET


class ApprovalRow(msgspec.Struct, frozen=True):
    """An approval as stored, with the names a page shows."""

    id: str
    token_id: str
    token: str
    user_id: str
    workspace_id: str
    event: str | None
    operation: str
    plan: str
    status: ApprovalStatus
    asked_at: dt.datetime
    expires_at: dt.datetime
    decided_at: dt.datetime | None
    decided_by: str | None
    reason: str | None
    answer: str | None

    def now(self, at: dt.datetime) -> ApprovalStatus:
        """Where it stands."""
        return standing(self.status, self.expires_at, at)

    @property
    def title(self) -> str:
        """The operation in words."""
        known = OPERATIONS.get(self.operation)
        return known.title if known else self.operation


_decider = User.__table__.alias("decider")  # type: ignore[attr-defined]  # a table's class
_ROW = (
    select(
        col(Approval.id),
        col(Approval.token_id),
        col(Token.name),
        col(Token.user_id),
        col(Approval.workspace_id),
        col(Event.name),
        col(Approval.operation),
        col(Approval.plan_text),
        col(Approval.status),
        col(Approval.created_at),
        col(Approval.expires_at),
        col(Approval.decided_at),
        _decider.c.name,
        col(Approval.reason),
        col(Approval.answer),
    )
    .join(Token, col(Token.id) == col(Approval.token_id))
    .outerjoin(Event, col(Event.id) == col(Approval.event_id))
    .outerjoin(_decider, _decider.c.id == col(Approval.decided_by))
)
_ONE = Prepared(_ROW.where(col(Approval.id) == bindparam("id")), ApprovalRow)
_OF_WORKSPACE = Prepared(
    _ROW.where(col(Approval.workspace_id) == bindparam("workspace"))
    .order_by(col(Approval.created_at).desc())
    .limit(200),
    ApprovalRow,
)


@operation(title="Get an approval", rest=get("/approvals/{approval}"), needs=Permission.SELF_READ)
async def get_approval(ctx: Context, args: GetApproval) -> ApprovalShown:
    """Say how a write stands that waits for a person: pending, approved, refused or expired.

    Approved, ``answer`` is what the call answered when it was done. A token sees what it asked
    for itself, a person what is theirs to answer. Refuses with: not_found.
    """
    row = await approval_of(ctx, args.approval)
    return ApprovalShown(
        id=row.id,
        status=row.now(ctx.now),
        operation=row.operation,
        plan=row.plan,
        asked_at=row.asked_at,
        expires_at=row.expires_at,
        url=url_of(ctx, row.id),
        decided_at=row.decided_at or UNSET,
        decided_by=row.decided_by or UNSET,
        reason=row.reason or UNSET,
        answer=msgspec.json.decode(row.answer) if row.answer else UNSET,
    )


async def approval_of(ctx: Context, approval_id: str) -> ApprovalRow:
    """One approval. Refuses with NotFound what is not the caller's to see."""
    rows = await ctx.all(_ONE, id=approval_id)
    if not rows or not _is_theirs(ctx, rows[0]):
        raise NotFound("approval", approval_id)
    return rows[0]


async def approvals_of(ctx: Context, workspace_id: str) -> list[ApprovalRow]:
    """The approvals of a workspace that are a person's to answer, newest first."""
    rows = await ctx.all(_OF_WORKSPACE, workspace=workspace_id)
    return [row for row in rows if _is_theirs(ctx, row)]


class _Count(msgspec.Struct, frozen=True):
    number: int


_PENDING = Prepared(
    select(func.count())
    .select_from(Approval)
    .join(Token, col(Token.id) == col(Approval.token_id))
    .where(
        col(Approval.workspace_id) == bindparam("workspace"),
        col(Approval.status) == ApprovalStatus.PENDING,
        col(Approval.expires_at) > bindparam("now", type_=Instant),
        (bindparam("all", type_=Boolean) | (col(Token.user_id) == bindparam("user"))),
    ),
    _Count,
)


async def pending_count(ctx: Context) -> int:
    """How many approvals wait for this person."""
    count = 0
    for workspace in dict.fromkeys(reach.workspace_id for reach in ctx.actor.places()):
        rows = await ctx.all(
            _PENDING,
            workspace=workspace,
            now=ctx.now,
            all=ctx.actor.holds(Permission.WORKSPACE_RUN, workspace, None),
            user=ctx.actor.user_id or "",
        )
        count += rows[0].number
    return count


def _is_theirs(ctx: Context, row: ApprovalRow) -> bool:
    if ctx.actor.kind is ActorKind.TOKEN:
        return ctx.actor.id == row.token_id
    return may_answer(ctx.actor, row.workspace_id, row.user_id)
