"""Answering: a person approves or refuses, and what is approved is done in the same transaction."""

import dataclasses
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import select
from sqlmodel import col

from unsession.access import Actor, ActorKind, Permission
from unsession.catalogue import OPERATIONS, Input, Operation, page_operation, parse
from unsession.catalogue.approving import check, plan_of
from unsession.catalogue.record import record
from unsession.context import Context, UnitOfWork
from unsession.domain.approvals import ApprovalStatus, standing
from unsession.domain.text import typed_text
from unsession.errors import Conflict, Forbidden, NotFound
from unsession.ids import new_id
from unsession.models import Approval
from unsession.services.principals import actor_again

Ref = Annotated[str, Meta(min_length=1, max_length=60, description="Approval: id.")]


class AnswerApproval(Input):
    """Yes or no."""

    approval: Ref
    approve: Annotated[bool, Meta(description="true: do it. false: never.")]
    reason: (
        Annotated[str, Meta(max_length=500, description="Why not; the agent reads it.")] | UnsetType
    ) = UNSET


class Answered(msgspec.Struct, frozen=True):
    """How it stands now."""

    id: str
    status: ApprovalStatus


@page_operation(
    needs=Permission.SELF_WRITE,
    because="only a person at a page may release what an agent asked for",
)
async def answer_approval(ctx: Context, args: AnswerApproval) -> Answered:
    """Approve or refuse what a token asked for. Approved, it is done here and now, as the token.

    The token's own person may, and whoever runs the workspace, if they may do it themselves.
    Refuses with: not_found, forbidden (not a person, no such right), conflict (answered or
    expired), stale (it would do something else by now), and whatever the operation refuses.
    """
    if ctx.actor.kind is not ActorKind.PERSON:
        raise Forbidden("Only a person at a page can approve.")
    approval = await _pending(ctx, args.approval)
    operation = OPERATIONS[approval.operation]
    token = await _asker(ctx, approval)
    if not may_answer(ctx.actor, approval.workspace_id, token.user_id):
        raise NotFound("approval", args.approval)
    if not args.approve:
        _decide(ctx, approval, ApprovalStatus.REFUSED, "refused")
        approval.reason = typed_text(args.reason or "")[:500] or None
        return Answered(approval.id, approval.status)
    if not ctx.actor.holds(operation.needs, approval.workspace_id, approval.event_id):
        raise ctx.actor.refusal(operation.needs)
    approval.answer = await _run(ctx, approval, operation, token)
    _decide(ctx, approval, ApprovalStatus.APPROVED, "given")
    return Answered(approval.id, approval.status)


def may_answer(actor: Actor, workspace_id: str, user_id: str | None) -> bool:
    """Whether an approval is this person's to see and to answer."""
    own = actor.user_id is not None and actor.user_id == user_id
    return own or actor.holds(Permission.WORKSPACE_RUN, workspace_id, None)


async def _pending(ctx: Context, approval_id: str) -> Approval:
    found = await ctx.session.execute(
        select(Approval).where(col(Approval.id) == approval_id).with_for_update()
    )
    approval = found.scalar_one_or_none()
    if approval is None:
        raise NotFound("approval", approval_id)
    status = standing(approval.status, approval.expires_at, ctx.now)
    if status is not ApprovalStatus.PENDING:
        raise Conflict(f"This is {status.value} already.", status=status.value)
    return approval


async def _asker(ctx: Context, approval: Approval) -> Actor:
    """The token as it may act now. Refuses when it has ended or lost every role."""
    actor = await actor_again(ctx.all, ActorKind.TOKEN, approval.token_id, ctx.now)
    if actor is None:
        raise Conflict("The token that asked no longer works, so nothing can be done for it.")
    return actor


async def _run(ctx: Context, approval: Approval, operation: Operation, token: Actor) -> str:
    """Do it as the token, with its own entry in the log; the answer as JSON, secrets left out."""
    if not token.may_ever(operation.needs):
        raise token.refusal(operation.needs)
    outer = ctx.writing
    work = UnitOfWork(ctx.session)
    work.activity_id = new_id("act")
    inner = Context(
        token, ctx.db, ctx.settings, operation.needs, ctx.now, ctx.request_id, work=work
    )
    wire = msgspec.json.decode(approval.arguments)
    result = await operation.function(inner, parse(operation.input, wire))
    await ctx.session.flush()
    check(plan_of(operation, work), approval.plan_digest)
    if work.subject is not None:
        said = f"{work.subject.summary}, approved by {ctx.actor.name}"
        work.subject = dataclasses.replace(work.subject, summary=said)
    activity_id = await record(inner, operation.name, work.activity_id)
    answer: dict[str, Any] = msgspec.to_builtins(result)
    answer["effects"] = msgspec.to_builtins(work.effects())
    answer["warnings"] = msgspec.to_builtins(work.warnings)
    if activity_id:
        answer["activityId"] = activity_id
    outer.after_commit += work.after_commit
    work.leave()
    outer.forget()
    kept = {name: value for name, value in answer.items() if name != "secret"}
    return msgspec.json.encode(kept).decode()


def _decide(ctx: Context, approval: Approval, status: ApprovalStatus, how: str) -> None:
    approval.status = status
    approval.decided_by = ctx.actor.user_id
    approval.decided_at = ctx.now
    title = OPERATIONS[approval.operation].title
    ctx.writing.about(
        approval,
        f"Approval of “{title}” {how}",
        workspace_id=approval.workspace_id,
        event_id=approval.event_id,
    )
