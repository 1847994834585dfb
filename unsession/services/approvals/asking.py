"""Asking: a token's write is written down for a person instead of being done."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import select
from sqlmodel import col

from unsession.access import ActorKind, Permission
from unsession.catalogue import OPERATIONS, Input, page_operation
from unsession.context import Context
from unsession.domain.approvals import REMEMBERED, WAITS, ApprovalStatus, notice_of, standing
from unsession.errors import Forbidden
from unsession.models import Approval, Token, User, UserAddress
from unsession.services.letters import add_letter

_Text = Annotated[str, Meta(description="Set by the catalogue.")]


class AskApproval(Input):
    """The call that waits, as the catalogue saw it run and threw it away."""

    operation: _Text
    arguments: _Text
    digest: _Text
    plan: _Text
    plan_digest: _Text
    workspace: _Text
    event: _Text | UnsetType = UNSET


class Waiting(msgspec.Struct, frozen=True):
    """Where it waits; ``answer`` when a person has approved this very call already."""

    approval: str
    url: str
    answer: str | None = None


@page_operation(
    needs=Permission.SELF_WRITE,
    because="the catalogue itself asks, in place of a write that a token may not do alone",
)
async def ask_approval(ctx: Context, args: AskApproval) -> Waiting:
    """Write down a token's write for a person, once: the same call again finds it.

    Effects: an approval, and a notice to the token's person. Refuses with forbidden what a person
    has refused within a day.
    """
    if ctx.actor.kind is not ActorKind.TOKEN:
        raise Forbidden("Only what a token does waits for approval.")
    found = await ctx.session.execute(
        select(Approval)
        .where(col(Approval.token_id) == ctx.actor.id, col(Approval.digest) == args.digest)
        .order_by(col(Approval.created_at).desc())
        .limit(1)
        .with_for_update()
    )
    known = found.scalar_one_or_none()
    if known is not None:
        answered = _as_it_stands(ctx, known, args)
        if answered is not None:
            return answered
    approval = Approval(
        token_id=ctx.actor.id,
        workspace_id=args.workspace,
        event_id=args.event or None,
        operation=args.operation,
        arguments=args.arguments,
        digest=args.digest,
        plan_text=args.plan,
        plan_digest=args.plan_digest,
        expires_at=ctx.now + WAITS,
    )
    ctx.session.add(approval)
    await ctx.session.flush()
    _about(ctx, approval, "is asked for")
    await _notify(ctx, approval)
    return Waiting(approval.id, url_of(ctx, approval.id))


def _as_it_stands(ctx: Context, known: Approval, args: AskApproval) -> Waiting | None:
    """What the same call got before, if that still counts."""
    url = url_of(ctx, known.id)
    status = standing(known.status, known.expires_at, ctx.now)
    if status is ApprovalStatus.PENDING:
        if known.plan_digest != args.plan_digest:  # what it would do has changed meanwhile
            known.plan_text, known.plan_digest = args.plan, args.plan_digest
            _about(ctx, known, "has a new plan")
        return Waiting(known.id, url)
    if status is ApprovalStatus.EXPIRED:
        if known.status is ApprovalStatus.PENDING:
            known.status = ApprovalStatus.EXPIRED
        return None
    if known.decided_at is None or known.decided_at + REMEMBERED <= ctx.now:
        return None
    if status is ApprovalStatus.REFUSED:
        why = f": {known.reason}" if known.reason else ""
        raise Forbidden(f"A person refused this{why}.", approval=known.id)
    return Waiting(known.id, url, known.answer)


def url_of(ctx: Context, approval_id: str) -> str:
    """The page where a person answers."""
    return f"{ctx.settings.public_url}/app/approvals/{approval_id}"


def _about(ctx: Context, approval: Approval, what: str) -> None:
    title = OPERATIONS[approval.operation].title
    ctx.writing.about(
        approval,
        f"Approval of “{title}” {what}",
        workspace_id=approval.workspace_id,
        event_id=approval.event_id,
    )


async def _notify(ctx: Context, approval: Approval) -> None:
    found = await ctx.session.execute(
        select(col(Token.name), col(User.id), col(User.name), col(UserAddress.address))
        .join(User, col(User.id) == col(Token.user_id))
        .join(
            UserAddress,
            (col(UserAddress.user_id) == col(User.id))
            & col(UserAddress.primary)
            & col(UserAddress.verified_at).is_not(None),
        )
        .where(col(Token.id) == approval.token_id)
    )
    row = found.one_or_none()
    if row is None:
        return
    token, user_id, name, address = row
    add_letter(
        ctx,
        "approval",
        notice_of(token, approval.plan_text, url_of(ctx, approval.id)),
        subject_id=approval.id,
        to_address=address,
        to_name=name,
        to_user_id=user_id,
        workspace_id=approval.workspace_id,
        event_id=approval.event_id,
    )
